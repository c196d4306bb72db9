"""Rows of many chains at once: chain c records the rows c, C + c, 2C + c, ... of C chains.

A row is a chain's state after `burn_in` sweeps and after every further `thin` sweeps, a sweep being as many updates as there
are nodes in the scan. Under the sequential scan each row is taken at a uniformly random place of its sweep, so that rows
follow the paper's centroid (Eq. ordered); under the random scan every chain has its own sequence of nodes.
"""

from collections.abc import Iterator

import numpy as np

from depnet.arrays import CodeArray
from depnet.sampling.kernels import Kernel, Randomness, State, Task, start_codes
from depnet.threads import in_threads

CELLS_A_CHUNK = 2**24


class ChainRows:
    """The states of chains, and how far they came. Mutable; rows drawn in one call or in many are the same rows."""

    def __init__(
        self, kernel: Kernel, chains: int, burn_in: int, thin: int, seed: int, jobs: int = 1
    ) -> None:
        self._kernel, self._plan, self._chains = kernel, kernel.plan, chains
        self._burn_in, self._thin, self._seed, self._jobs = burn_in, thin, seed, jobs
        each = -(-chains // (jobs * kernel.alignment)) * kernel.alignment
        self._spans = [(first, min(first + each, chains)) for first in range(0, chains, each)]
        self._states: dict[int, State] = {}  # by the first chain of each span
        self._sweeps = self._records = 0
        self._rest: CodeArray = np.empty((self._plan.variables, 0), dtype=self._plan.dtype)
        self._inside = 0 if self._plan.random else 1
        """The sweeps that recording takes: the sequential scan finishes the sweep it records in."""

    def parts(self, n: int) -> Iterator[CodeArray]:
        """The next n rows in parts of bounded size; what a record holds beyond n is kept for later."""
        most = CELLS_A_CHUNK // self._plan.variables
        while n > 0:
            if self._rest.shape[1] == 0:
                self._rest = self.record(max(1, min(-(-n // self._chains), most // self._chains)))
            part, self._rest = self._rest[:, :n], self._rest[:, n:]
            n -= part.shape[1]
            yield part

    def record(self, records: int) -> CodeArray:
        """At most this many next rows of every chain; a piece is done as a whole or not at all."""
        if not self._states:
            self._states = {
                first: self._kernel.state(start_codes(self._plan, self._seed, first, last - first))
                for first, last in self._spans
            }
        per_sweep = len(self._plan.order) * max(last - first for first, last in self._spans)
        sweeps_a_call = max(1, self._kernel.updates_a_call // per_sweep)
        lead = self._burn_in + self._records * self._thin - self._sweeps
        while lead > sweeps_a_call:
            self._run(lead=sweeps_a_call)
            lead -= sweeps_a_call
        records = min(records, 1 + max(0, sweeps_a_call - lead) // self._thin)
        return self._run(lead=lead, gap=self._thin - self._inside, records=records)

    def _run(self, *, lead: int, gap: int = 0, records: int = 0) -> CodeArray:
        out: CodeArray = np.empty((self._plan.variables, records * self._chains), dtype=self._plan.dtype)
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
                record_stride=self._chains,
            )
            states[first] = self._states[first].copy()
            self._kernel.run(task, Randomness(self._seed), states[first], out)

        in_threads(advance, self._spans, self._jobs)
        self._states = states
        self._sweeps += lead + self._inside * (records > 0) + max(0, records - 1) * (gap + self._inside)
        self._records += records
        return out
