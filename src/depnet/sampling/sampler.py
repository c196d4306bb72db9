"""`sample`: rows of a network's law, and `Sampler`, which streams them in blocks.

An ordered network's rows are independent draws of its law, one pass each (`depnet.law.draw`). Those of any other, or
under a scan that is given, come from many chains at once (`depnet.sampling.chains`).
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from depnet.arrays import CodeArray, read_only
from depnet.data import Dataset
from depnet.errors import BeyondDataWarning, SamplingError, whole_number
from depnet.law.draw import Rows
from depnet.model import Evidence, Given, Network, RandomScan, Scan
from depnet.model.network import checked_network
from depnet.model.sources.source import code_type
from depnet.sampling.chains import ChainRows
from depnet.sampling.mixing import Mixing, estimate_mixing
from depnet.sampling.plan import IfReducible, chain_plan, check_irreducible
from depnet.sampling.words import new_seeds
from depnet.threads import jobs_of

Auto: TypeAlias = Literal["auto"]
Progress: TypeAlias = Callable[[int, int], None]

MOST_CHAINS = 4096
"""Chains that run where no number is given; fewer where fewer rows are wanted."""
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
        network: Network,
        *,
        scan: Scan | None = None,
        evidence: Given | Evidence | None = None,
        burn_in: int | Auto = "auto",
        thin: int | Auto = "auto",
        chains: int | Auto = "auto",
        rng: np.random.Generator | None = None,
        n_jobs: int = 1,
        if_reducible: IfReducible = "raise",
    ) -> None:
        jobs = jobs_of(n_jobs)
        self._domain = checked_network(network).domain
        self._dtype = code_type(self._domain.cardinalities)
        known = Evidence.parse(self._domain, evidence)
        for note in known.notes:
            warnings.warn(note, BeyondDataWarning, stacklevel=3)
        self._parts: Callable[[int], Iterator[CodeArray]]
        """The next n rows [variables, rows] in parts of bounded size."""
        if network.order is not None and scan is None:
            _refuse_chains(burn_in=burn_in, thin=thin, chains=chains)
            self._rows, self._drawn = Rows(network, known, new_seeds(rng, 1)[0], jobs), 0
            self._parts = self._passes
            self.report = SamplingReport(None, 0, 0, 1, None)
        else:
            plan = chain_plan(network, RandomScan() if scan is None else scan, known)
            asked = MOST_CHAINS if chains == "auto" else whole_number("chains", chains, at_least=1)
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
            The rows, a `Dataset`.
        """
        n = whole_number("n", n, at_least=1)
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
        """Rows of an ordered network's law."""
        for part in self._rows.pieces(n, self._drawn):
            self._drawn += len(part)
            yield part.T

    def _dataset(self, codes: CodeArray) -> Dataset:
        return Dataset(self._domain, read_only(codes.T))


def _refuse_chains(**given: object) -> None:
    """What belongs to chains is an error where there is none."""
    named = next((name for name, value in given.items() if value != "auto"), None)
    if named is not None:
        raise SamplingError(
            f"{named} belongs to chains, and rows of an ordered network's law are independent draws, one pass each. Leave "
            "it out, or give a scan to run the chain of its tables."
        )


def sample(
    network: Network,
    n: int,
    *,
    scan: Scan | None = None,
    evidence: Given | Evidence | None = None,
    burn_in: int | Auto = "auto",
    thin: int | Auto = "auto",
    chains: int | Auto = "auto",
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    if_reducible: IfReducible = "raise",
) -> Dataset:
    """Rows of the network's law, given evidence.

    Rows of an ordered network are independent draws of Q(. | x_C), where no `scan` is given. All others are of the chain
    of the tables. Probabilities are resolved to 2^-32; 0 and 1 are exact. Ctrl-C raises `SamplingInterrupted`, with the
    rows drawn so far in its `drawn`. Use `Sampler` to stream more rows than fit into memory.

    Args:
        network: the network.
        n: how many rows.
        scan: the chain's `RandomScan` or `SequentialScan`; None: an ordered network's law, the random scan of any other.
        evidence: variable names with one state (clamped), a set of states, a range, or weights of states.
        burn_in: sweeps before the first row of a chain; "auto": from an estimate of the mixing time, which
            `Sampler.report` shows.
        thin: sweeps between two rows of a chain; "auto", alike.
        chains: independent chains; "auto": one for each row, 4096 at most. Rows r and r + chains are of one chain.
        rng: the rows are a function of this generator alone, whatever `n_jobs` and the machine; None: fresh entropy.
        n_jobs: threads.
        progress: called as progress(rows, n) now and then.
        if_reducible: what to do where zeros in the tables split the chain into several recurrent classes: "raise" (a
            domain too large to check warns instead), "warn" or "ignore".

    Returns:
        The rows, a `Dataset`.

    >>> network = Network.from_joint([[0.4, 0.1], [0.1, 0.4]])
    >>> sample(network, 3, evidence={"X0": 1}, rng=np.random.default_rng(0)).codes[:, 0].tolist()
    [1, 1, 1]
    """
    n = whole_number("n", n, at_least=1)
    network_is_ordered = checked_network(network).order is not None
    sampler = Sampler(
        network,
        scan=scan,
        evidence=evidence,
        burn_in=burn_in,
        thin=thin,
        chains=chains if chains != "auto" or (network_is_ordered and scan is None) else min(n, MOST_CHAINS),
        rng=rng,
        n_jobs=n_jobs,
        if_reducible=if_reducible,
    )
    return sampler.draw(n, progress=progress)


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
