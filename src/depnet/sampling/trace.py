"""`trace`: Algorithms 1 and 2 to the letter, one site update a step."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import CodeArray, read_only
from depnet.data import Dataset, Label
from depnet.errors import DataError, EvidenceError, whole_number
from depnet.model import Evidence, Given, Network, Scan
from depnet.sampling.chains import chains_of, keys_of
from depnet.sampling.plan import ChainPlan, chain_plan
from depnet.sampling.sampler import SamplingInterrupted
from depnet.sampling.words import new_seeds

Start: TypeAlias = Mapping[str, Label] | Sequence[int] | ArrayLike

CELLS_A_CALL = 2**24


def trace(
    network: Network,
    steps: int,
    *,
    scan: Scan,
    start: Start,
    evidence: Given | Evidence | None = None,
    rng: np.random.Generator | None = None,
) -> Dataset:
    """X^0, X^1, ..., X^{steps-1} of one chain: row t is the state just before update t.

    Algorithm 1; with `evidence`, Algorithm 2. Under the sequential scan the rows t, t + m, t + 2m, ... (m nodes in the
    scan) follow pi^t in the long run, all rows together the centroid (Eq. ordered).

    Args:
        network: the network.
        steps: how many rows.
        scan: a `RandomScan` or a `SequentialScan`.
        start: x^0, arbitrary: n codes, or a mapping of variable names to labels. What the evidence clamps is overwritten
            (line 1 of Algorithm 2), and may be left out of a mapping.
        evidence: what is clamped, by name and label.
        rng: the generator; None: fresh entropy.

    Returns:
        The rows, a `Dataset`.

    >>> from depnet import SequentialScan
    >>> network = Network.from_joint([[0.5, 0.0], [0.0, 0.5]])
    >>> trace(network, 4, scan=SequentialScan(), start=[0, 1]).codes.tolist()
    [[0, 1], [1, 1], [1, 1], [1, 1]]
    """
    steps = whole_number("steps", steps, at_least=1)
    plan = chain_plan(network, scan, evidence)
    codes = start_state(plan, start)[None].astype(np.uint16)
    chain = chains_of(plan, codes, keys_of(new_seeds(rng, 1)[0], 1))
    rows: CodeArray = np.empty((steps, plan.variables), dtype=plan.dtype, order="F")
    most = max(1, min(chain.updates_a_call, CELLS_A_CALL // plan.variables) // len(plan.order))
    done = 0
    try:
        while done < steps:
            part = min(most * len(plan.order), steps - done)
            out, failed = chain.advance(records=part, trace=True)
            if failed >= 0:
                raise plan.impossible(failed)
            rows[done : done + part] = out.T
            done += part
    except KeyboardInterrupt:
        raise SamplingInterrupted(Dataset(network.domain, read_only(rows[:done].copy(order="F")))) from None
    return Dataset(network.domain, read_only(rows))


def start_state(plan: ChainPlan, start: Start) -> CodeArray:
    """x^0 as codes [n], the evidence in place; a state that the evidence rules out is an error."""
    domain = plan.network.domain
    evidence = plan.evidence
    if isinstance(start, Mapping):
        given = {domain.index(name): label for name, label in start.items()}
        missing = [
            v.name for i, v in enumerate(domain.variables) if i not in given and i not in evidence.clamped
        ]
        if missing:
            raise DataError(f"start names no state for {missing[0]!r}; every variable needs one.")
        raw = [domain.variables[i].code(given[i]) if i in given else 0 for i in range(len(domain))]
    else:
        raw = list(np.asarray(start).ravel()) if np.ndim(start) == 1 else []
        if len(raw) != len(domain):
            raise DataError(
                f"start is {len(domain)} codes, one for each variable, or a mapping of names to labels; got {start!r}."
            )
    for i, code in evidence.clamped.items():
        raw[i] = code
    state = np.array(Dataset.from_codes([raw], domain=domain).codes[0])
    for i, tilt in evidence.tilts.items():
        if tilt[state[i]] == 0:
            variable = domain.variables[i]
            raise EvidenceError(
                f"start has {variable.name!r} = {variable.states[state[i]]!r}, which the evidence does not allow."
            )
    return state
