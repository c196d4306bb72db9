"""`sample`: rows of a network's law, and `Sampler`, which streams them in blocks.

An ordered network's rows are independent draws of its law, one pass each (`depnet.law.draw`). Those of any other, or
under a scan that is given, come from many chains at once: chain c records the rows c, C + c, 2C + c, ... of C chains, its
state after `burn_in` sweeps and after every further `thin` sweeps, a sweep being as many updates as there are nodes in the
scan. Under the sequential scan each row is taken at a uniformly random place of its sweep, so that rows follow the
paper's centroid (Eq. ordered); under the random scan every chain has its own sequence of nodes.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from depnet.arrays import CodeArray, read_only
from depnet.checks import jobs_of, whole_number
from depnet.data import Dataset
from depnet.errors import BeyondDataWarning, SamplingError
from depnet.law.draw import Rows
from depnet.model import Evidence, Given, Network, RandomScan, Scan
from depnet.model.network import checked_network
from depnet.model.sources.enumerate import code_type
from depnet.sampling.kernels import Kernel, Randomness, State, Task, choose_kernel, start_codes
from depnet.sampling.plan.plan import chain_plan
from depnet.sampling.plan.reducible import IfReducible, check_irreducible
from depnet.sampling.plan.words import new_seeds
from depnet.sampling.run.interrupted import SamplingInterrupted
from depnet.sampling.run.mixing import Mixing, estimate_mixing
from depnet.threads import Span, in_threads

Auto: TypeAlias = Literal["auto"]
Progress: TypeAlias = Callable[[int, int], None]

MOST_CHAINS = 4096
"""Chains that run where no number is given; fewer where fewer rows are wanted."""
BLOCK_ROWS = 2**16
CELLS_A_CHUNK = 2**24


@dataclass(frozen=True, slots=True)
class SamplingReport:
    """How rows are drawn: everything that was chosen, and the estimate that burn-in rests on.

    Rows of an ordered network's law are of no chain: the scan is None, and each row is one pass.
    """

    scan: Scan | None
    kernel: str
    chains: int
    burn_in: int
    thin: int
    mixing: Mixing | None
    """The estimate of the mixing time; None where both `burn_in` and `thin` were given."""


class Sampler:
    """Draws that go on: rows drawn in one call or in many are the same rows.

    Args:
        network, scan, evidence, burn_in, thin, chains, rng, n_jobs, if_reducible: as of `sample`.
        kernel: the name of the kernel that moves chains; "auto": the fastest that fits.

    Attributes:
        report: how rows are drawn: scan, kernel, chains, burn-in, thinning, and the estimate of the mixing time.

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
        kernel: str = "auto",
    ) -> None:
        jobs = jobs_of(n_jobs)
        self._domain = checked_network(network).domain
        self._dtype = code_type(self._domain.cardinalities)
        known = Evidence.parse(self._domain, evidence)
        for note in known.notes:
            warnings.warn(note, BeyondDataWarning, stacklevel=3)
        self._stream: LawStream | ChainStream
        if network.order is not None and scan is None:
            _refuse_chains(burn_in=burn_in, thin=thin, chains=chains)
            self._stream = LawStream(Rows(network, known, new_seeds(rng, 1)[0], jobs))
        else:
            plan = chain_plan(network, RandomScan() if scan is None else scan, known)
            asked = MOST_CHAINS if chains == "auto" else whole_number("chains", chains, at_least=1)
            given = (
                None if burn_in == "auto" else whole_number("burn_in", burn_in, at_least=0),
                None if thin == "auto" else whole_number("thin", thin, at_least=1),
            )
            seed, pilot_seed = new_seeds(rng, 2)
            moving = choose_kernel(plan, kernel)
            check_irreducible(plan, if_reducible)
            mixing = estimate_mixing(plan, pilot_seed) if None in given else None
            self._stream = ChainStream(moving, _report(moving, asked, *given, mixing), seed, jobs)
        self.report = self._stream.report

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
            for part in self._stream.parts(n):
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

    def _dataset(self, codes: CodeArray) -> Dataset:
        return Dataset(self._domain, read_only(codes.T))


class LawStream:
    """Rows of an ordered network's law, one pass each."""

    report = SamplingReport(None, "one pass", 0, 0, 1, None)

    def __init__(self, rows: Rows) -> None:
        self._rows, self._drawn = rows, 0

    def parts(self, n: int) -> Iterator[CodeArray]:
        """The next n rows in parts of bounded size."""
        for part in self._rows.pieces(n, self._drawn):
            self._drawn += len(part)
            yield part.T


class ChainStream:
    """Rows of chains: their states, and how far they came."""

    def __init__(self, kernel: Kernel, report: SamplingReport, seed: int, jobs: int) -> None:
        self.report, self._kernel, self._plan = report, kernel, kernel.plan
        self._seed, self._jobs = seed, jobs
        self._spans = _aligned_spans(report.chains, jobs, kernel.alignment)
        self._states: dict[int, State] = {}  # by the first chain of each span
        self._sweeps = self._records = 0
        self._rest: CodeArray = np.empty((self._plan.variables, 0), dtype=self._plan.dtype)

    def parts(self, n: int) -> Iterator[CodeArray]:
        """The next n rows in parts of bounded size; what a record holds beyond n is kept for later."""
        chains, most = self.report.chains, CELLS_A_CHUNK // self._plan.variables
        while n > 0:
            if self._rest.shape[1] == 0:
                self._rest = self._record(max(1, min(-(-n // chains), most // chains)))
            part, self._rest = self._rest[:, :n], self._rest[:, n:]
            n -= part.shape[1]
            yield part

    def _record(self, records: int) -> CodeArray:
        """At most this many next rows of every chain; a piece is done as a whole or not at all."""
        if not self._states:
            self._states = {
                first: self._kernel.state(start_codes(self._plan, self._seed, first, last - first))
                for first, last in self._spans
            }
        gap = self.report.thin - self._inside
        per_sweep = len(self._plan.order) * max(last - first for first, last in self._spans)
        sweeps_a_call = max(1, self._kernel.updates_a_call // per_sweep)
        lead = self.report.burn_in + self._records * self.report.thin - self._sweeps
        while lead > sweeps_a_call:
            self._run(lead=sweeps_a_call)
            lead -= sweeps_a_call
        records = min(records, 1 + max(0, sweeps_a_call - lead) // self.report.thin)
        return self._run(lead=lead, gap=gap, records=records)

    @property
    def _inside(self) -> int:
        """The sweeps that recording takes: the sequential scan finishes the sweep it records in."""
        return 0 if self._plan.random else 1

    def _run(self, *, lead: int, gap: int = 0, records: int = 0) -> CodeArray:
        chains = self.report.chains
        out: CodeArray = np.empty((self._plan.variables, records * chains), dtype=self._plan.dtype)

        states: dict[int, State] = {}

        def advance(first: int, last: int) -> None:
            task = Task(
                first,
                last - first,
                first_sweep=self._sweeps,
                first_record=self._records,
                lead=lead,
                gap=gap,
                records=records,
                first_row=first,
                record_stride=chains,
            )
            states[first] = self._states[first].copy()
            self._kernel.run(task, Randomness(self._seed), states[first], out)

        in_threads(advance, self._spans, self._jobs)
        self._states = states
        self._sweeps += lead + self._inside * (records > 0)
        self._sweeps += max(0, records - 1) * (gap + self._inside)
        self._records += records
        return out


def _report(
    kernel: Kernel, chains: int, burn_in: int | None, thin: int | None, mixing: Mixing | None
) -> SamplingReport:
    """What was given, and from the pilot run what was not."""
    if mixing is not None:
        burn_in = mixing.burn_in if burn_in is None else burn_in
        thin = mixing.thin if thin is None else thin
    return SamplingReport(kernel.plan.scan, kernel.name, chains, int(burn_in or 0), int(thin or 1), mixing)


def _aligned_spans(chains: int, jobs: int, alignment: int) -> list[Span]:
    """The chains of each job: aligned, and about equally many."""
    each = -(-chains // (jobs * alignment)) * alignment
    return [(first, min(first + each, chains)) for first in range(0, chains, each)]


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
