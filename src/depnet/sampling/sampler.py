"""`sample`: rows of a network's law, `Sampler`, which streams them in blocks, and `trace`: Algorithms 1 and 2 to the letter.

An ordered network's rows are independent draws of its law, one pass each (`depnet.law.draw`). Those of any other, or
under a scan that is given, come from many chains at once (`depnet.sampling.chains`).
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import CodeArray, code_type, new_seeds, read_only
from depnet.data import Dataset, Label
from depnet.errors import BeyondDataWarning, DataError, EvidenceError, SamplingError, outside, whole_number
from depnet.law import limits
from depnet.law.mixture import rows_of
from depnet.model import Evidence, Given, Network, RandomScan, Scan
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.network import checked_network
from depnet.sampling.chains import ChainRows, chains_of, keys_of
from depnet.sampling.events import TakenRows
from depnet.sampling.mixing import Mixing, estimate_mixing
from depnet.sampling.plan import ChainPlan, IfReducible, chain_plan, check_irreducible
from depnet.threads import jobs_of, show_progress

Auto: TypeAlias = Literal["auto"]
Progress: TypeAlias = Callable[[int, int], object]
Start: TypeAlias = Mapping[str, Label] | Sequence[int] | ArrayLike

BLOCK_ROWS = 2**16


@dataclass(frozen=True, slots=True)
class SamplingReport:
    """How rows are drawn: everything that was chosen, and the estimate that burn-in rests on.

    Rows of an ordered network's law are of no chain: the scan is None, and each row is one pass.
    """

    scan: Scan | None
    chains: int
    burn_in: int
    thin: int
    mixing: Mixing | None
    """The estimate of the mixing time; None where both `burn_in` and `thin` were given."""


class Sampler:
    """Draws that go on: rows drawn in one call or in many are the same rows.

    Args:
        network, scan, evidence, burn_in, thin, chains, rng, n_jobs, if_reducible: as of `sample`.

    Attributes:
        report: how rows are drawn: scan, chains, burn-in, thinning, and the estimate of the mixing time.

    >>> network = Network.from_joint([[0.4, 0.1], [0.1, 0.4]])
    >>> sampler = Sampler(network, chains=64, rng=np.random.default_rng(1))
    >>> sum(block.rows for block in sampler.blocks(1000, block_rows=300))
    1000
    """

    def __init__(
        self,
        network: AnyNetwork,
        *,
        scan: Scan | None = None,
        evidence: Given | str | Evidence | None = None,
        burn_in: int | Auto = "auto",
        thin: int | Auto = "auto",
        chains: int | Auto = "auto",
        rng: np.random.Generator | None = None,
        n_jobs: int = 1,
        if_reducible: IfReducible = "raise",
    ) -> None:
        jobs = jobs_of(n_jobs)
        by_law = _has_law(network, scan)
        self._domain = network.domain
        self._dtype = code_type(self._domain.cardinalities)
        known = Evidence.parse(self._domain, evidence, events=by_law)
        self._taken: TakenRows | None = None
        for note in known.notes:
            warnings.warn(note, BeyondDataWarning, stacklevel=outside())
        self._parts: Callable[[int], Iterator[CodeArray]]
        """The next n rows [variables, rows] in parts of bounded size."""
        if by_law:
            _refuse_chains(burn_in=burn_in, thin=thin, chains=chains)
            (seed,) = new_seeds(rng, 1)
            looked_at = known.event is not None or network.constraints
            self._taken = TakenRows(network, known, seed, jobs) if looked_at else None
            self._rows = rows_of(network, known, seed, jobs)
            self._drawn = 0
            self._parts = self._passes
            self.report = SamplingReport(None, 0, 0, 1, None)
        else:
            plan = chain_plan(checked_network(network), RandomScan() if scan is None else scan, known)
            asked = limits.MOST_CHAINS if chains == "auto" else whole_number("chains", chains, at_least=1)
            given = {
                "burn_in": None if burn_in == "auto" else whole_number("burn_in", burn_in, at_least=0),
                "thin": None if thin == "auto" else whole_number("thin", thin, at_least=1),
            }
            seed, pilot_seed = new_seeds(rng, 2)
            check_irreducible(plan, if_reducible)
            mixing = estimate_mixing(plan, pilot_seed) if None in given.values() else None
            times = {name: getattr(mixing, name) if value is None else value for name, value in given.items()}
            self._parts = ChainRows(plan, asked, **times, seed=seed, jobs=jobs).parts
            self.report = SamplingReport(plan.scan, asked, **times, mixing=mixing)

    def draw(self, n: int, *, progress: Progress | None = None) -> Dataset:
        """The next rows. Ctrl-C raises `SamplingInterrupted`, whose `drawn` are the rows finished.

        Args:
            n: how many.
            progress: called as progress(rows, n) now and then.

        Returns:
            The rows, a `Dataset`; given an event over several variables, or of a law with constraints, with the numbers that
            are in it.
        """
        n = whole_number("n", n, at_least=1)
        if self._taken is not None:
            try:
                for done in self._taken.parts(n):
                    if progress is not None:
                        progress(done, n)
            except KeyboardInterrupt:
                raise SamplingInterrupted(self._taken.take(n)) from None
            return self._taken.take(n)
        codes: CodeArray = np.empty((len(self._domain), n), dtype=self._dtype)
        done = 0
        try:
            for part in self._parts(n):
                codes[:, done : done + part.shape[1]] = part
                done += part.shape[1]
                if progress is not None:
                    progress(done, n)
        except KeyboardInterrupt:
            raise SamplingInterrupted(self._dataset(codes[:, :done])) from None
        return self._dataset(codes)

    def blocks(
        self, n: int, block_rows: int = BLOCK_ROWS, *, progress: Progress | None = None
    ) -> Iterator[Dataset]:
        """The next rows in blocks: memory for one block, however many there are.

        Args:
            n: how many rows in all.
            block_rows: how many a block.
            progress: called as progress(rows, n) now and then.

        Yields:
            Rows, a `Dataset` each.
        """
        n = whole_number("n", n, at_least=1)
        block_rows = whole_number("block_rows", block_rows, at_least=1)
        done = 0
        while done < n:
            block = self.draw(min(block_rows, n - done))
            done += block.rows
            if progress is not None:
                progress(done, n)
            yield block

    def _passes(self, n: int) -> Iterator[CodeArray]:
        for part in self._rows.pieces(n, self._drawn):
            self._drawn += len(part)
            yield part.T

    def _dataset(self, codes: CodeArray) -> Dataset:
        return Dataset(self._domain, read_only(codes.T))


def _has_law(network: AnyNetwork, scan: Scan | None) -> bool:
    """Are rows drawn from a law in one pass each, and not by a chain?"""
    if not isinstance(network, Mixture):
        return checked_network(network).order is not None and scan is None
    if scan is not None:
        raise SamplingError(
            "a mixture has no tables of its own to run a chain of: give a scan with one of its components."
        )
    return True


def _refuse_chains(**given: object) -> None:
    """What belongs to chains is an error where there is none."""
    named = next((name for name, value in given.items() if value != "auto"), None)
    if named is not None:
        raise SamplingError(
            f"{named} belongs to chains, and rows of an ordered network's law are independent draws, one pass each. Leave "
            "it out, or give a scan to run the chain of its tables."
        )


def sample(
    network: AnyNetwork,
    n: int,
    *,
    scan: Scan | None = None,
    evidence: Given | str | Evidence | None = None,
    burn_in: int | Auto = "auto",
    thin: int | Auto = "auto",
    chains: int | Auto = "auto",
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
    progress: Progress | bool = False,
    if_reducible: IfReducible = "raise",
) -> Dataset:
    """Rows of the network's law, given evidence.

    Rows of an ordered network, or of a mixture of them, are independent draws of Q(. | x_C), where no `scan` is given. All
    others are of the chain of the tables. Probabilities are resolved to 2^-32; 0 and 1 are exact. Ctrl-C raises
    `SamplingInterrupted`, with the rows drawn so far in its `drawn`. Use `Sampler` to stream more rows than fit into memory.

    Args:
        network: the network.
        n: how many rows.
        scan: the chain's `RandomScan` or `SequentialScan`; None: an ordered network's law, the random scan of any other.
        evidence: variable names with one state (clamped), a set of states, a range, or weights of states; or text.
        burn_in: sweeps before the first row of a chain; "auto": from an estimate of the mixing time, which
            `Sampler.report` shows.
        thin: sweeps between two rows of a chain; "auto", alike.
        chains: independent chains; "auto": one for each row, 4096 at most. Rows r and r + chains are of one chain.
        rng: the rows are a function of this generator alone, whatever `n_jobs` and the machine; None: fresh entropy.
        n_jobs: threads.
        progress: True: a bar, by tqdm where it is installed; or a function, called as progress(rows, n) now and then.
        if_reducible: what to do where zeros in the tables split the chain into several recurrent classes: "raise" (a
            domain too large to check warns instead), "warn" or "ignore".

    Returns:
        The rows, a `Dataset`.

    >>> network = Network.from_joint([[0.4, 0.1], [0.1, 0.4]])
    >>> sample(network, 3, evidence={"X0": 1}, rng=np.random.default_rng(0)).codes[:, 0].tolist()
    [1, 1, 1]
    """
    n = whole_number("n", n, at_least=1)
    free = chains == "auto" and not _has_law(network, scan)
    sampler = Sampler(
        network,
        scan=scan,
        evidence=evidence,
        burn_in=burn_in,
        thin=thin,
        chains=min(n, limits.MOST_CHAINS) if free else chains,
        rng=rng,
        n_jobs=n_jobs,
        if_reducible=if_reducible,
    )
    with show_progress("drawing rows", progress) as tell:
        return sampler.draw(n, progress=tell)


class SamplingInterrupted(KeyboardInterrupt):
    """Ctrl-C during a draw; `drawn` holds the rows that were finished.

    >>> try:
    ...     raise SamplingInterrupted(Dataset.from_codes([[0], [1]], [2]))
    ... except KeyboardInterrupt as stop:
    ...     stop.drawn.rows
    2
    """

    def __init__(self, drawn: Dataset) -> None:
        rows = f"{drawn.rows:,} row{'' if drawn.rows == 1 else 's'}"
        super().__init__(f"interrupted after {rows}; what was drawn is in the exception's .drawn")
        self.drawn = drawn


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
    rows: CodeArray = np.empty(
        (steps, plan.variables), dtype=code_type(network.domain.cardinalities), order="F"
    )
    most = max(1, min(chain.updates_a_call, limits.CELLS_AT_ONCE // plan.variables) // len(plan.order))
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
