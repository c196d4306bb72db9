"""Chains of a network, many at once: how they move, and the rows they record.

The native core moves chains of the compiled network under either scan, for one row of evidence or for many, each with its
own free nodes. Update t of a chain takes word t of the chain's own stream: the low half draws the state, the high half
chooses the node of a random scan. What is drawn so depends on the keys of the streams alone, not on threads or calls.
Under the random scan every chain has its own sequence of nodes.

Words come from counter generators, so that results depend on seeds alone. Word k of a chain's stream is a fixed function of
(key, k), SplitMix64 of Steele, Lea and Flood (2014); of a pass of an ordered law it is one of (seed, stream, row, k),
Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011). Threads, chunks, block sizes and instruction sets cannot change them.

Distributions are 32-bit thresholds: state s is drawn when a random word falls into its interval. A uniform word w of 32
bits draws the state #{s : T_s <= w}, where T_s is the cumulative probability of the states 0..s times 2^32. T_s = 2^32 does
not fit into 32 bits, so the largest word is read as the one below it, and T_s = 2^32 - 1 means "beyond every word". A
cumulative probability is then off by at most 2^-32; 0 and 1 stay exact.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import FloatArray
from depnet.law import limits
from depnet.law.program import words
from depnet.model.evidence import NOTHING, Evidence, known_of
from depnet.model.network import Network, compiled_of, places_of
from depnet.model.scan import RandomScan, Scan
from depnet.sampling.plan import ChainPlan
from depnet.threads import in_threads

START = 48
"""The stream of the starts of chains."""


ALWAYS = 2**32 - 1
"""The threshold that no word reaches: the probability up to here is 1."""


def thresholds_of(weights: FloatArray) -> NDArray[np.uint32]:
    """Thresholds [rows, states - 1] of rows of non-negative weights [rows, states] with a positive sum.

    >>> thresholds_of(np.array([[0.25, 0.75], [1.0, 0.0]])).tolist()
    [[1073741824], [4294967295]]
    """
    cumulative = np.cumsum(weights, axis=1)
    share = cumulative[:, :-1] / cumulative[:, -1:]
    ends = np.clip(np.floor(share * 2.0**32 + 0.5), 1, ALWAYS - 1)
    ends[share >= 1 - 2.0**-32] = ALWAYS
    ends[cumulative[:, :-1] == 0] = 0
    return ends.astype(np.uint32)


TILE = 64
"""Chains that the native core moves together, at most: threads take whole tiles."""


class ChainProgram:
    """A network tilted by the weights of the evidence (clamps are given row by row), and estimators.

    Each estimator is a tuple of variables, whose joint law is wanted; `sizes` are their numbers of cells.
    """

    def __init__(
        self, network: Network, estimators: Sequence[Sequence[int]] = (), evidence: Evidence = NOTHING
    ) -> None:
        self.network = network
        cards = network.domain.cardinalities
        self.sizes = [math.prod(cards[i] for i in variables) for variables in estimators]
        self.place = np.argsort(places_of(network)).astype(np.int32)
        """Of each variable, in the compiled network."""
        known = known_of(Evidence({}, evidence.tilts), cards)
        self.native = native.ChainProgram(compiled_of(network), known, [list(each) for each in estimators])


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Which nodes each row updates, flat: row r has `node[begin[r] : begin[r + 1]]`, in the order of the scan.

    `choice` are their thresholds under the random scan (empty: all alike); `position` and `length` are the places in, and
    the steps of, a full sweep.
    """

    begin: NDArray[np.int32]
    node: NDArray[np.int32]
    choice: NDArray[np.uint32]
    position: NDArray[np.int32]
    length: NDArray[np.int32]
    sequential: bool

    @classmethod
    def of(cls, scan: Scan, free: NDArray[np.bool_]) -> "Order":
        """The nodes of every row of `free` [rows, variables]."""
        n = free.shape[1]
        random = isinstance(scan, RandomScan)
        order = np.array(range(n) if isinstance(scan, RandomScan) else scan.order_of(n), dtype=np.int32)
        free = free[:, order]
        length = free.sum(axis=1).astype(np.int32)
        begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
        node = order[np.nonzero(free)[1]]
        place = (np.arange(len(node)) - np.repeat(begin[:-1], length)).astype(np.int32)
        choice = np.zeros(0, dtype=np.uint32)
        if isinstance(scan, RandomScan) and scan.weights is not None:
            scan.weights_of(n, np.flatnonzero(free.any(axis=0)).tolist())  # their errors
            chances = np.where(free, np.array(scan.weights)[order], 0.0)
            chances[length == 0] = 1.0
            last = np.full((len(free), 1), ALWAYS, dtype=np.uint32)
            choice = np.concatenate([thresholds_of(chances), last], axis=1)[free]
        return cls(begin, node, choice, place, length, not random)

    def row_scan(self, program: ChainProgram) -> native.RowScan:
        """The same for the native core, nodes by their places in the program."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        return native.RowScan(**{**arrays, "node": program.place[self.node]})


class Chains:
    """Equally many chains for each row of the order: their states `codes` [chain, variable], and how far they came.

    Mutable; owned by one call.
    """

    updates_a_call = 2**22
    """A call of this many updates ends within about a tenth of a second, so that an interrupt is heard."""

    def __init__(
        self,
        program: ChainProgram,
        order: Order,
        codes: NDArray[np.uint16],
        keys: NDArray[np.uint64],
        threads: int = 1,
    ) -> None:
        rows, chains = len(order.length), len(codes)
        self.per_row = chains // max(rows, 1)
        assert rows * self.per_row == chains
        self.order, self.codes, self.keys, self.threads = order, np.ascontiguousarray(codes), keys, threads
        self.impossible = np.zeros(chains, dtype=np.int64)
        """Of each chain, the estimated updates that found no possible state."""
        self.sweeps = self.records = self.updates = 0
        self.program = program

    @property
    def updates_a_sweep(self) -> int:
        return max(int(self.order.begin[-1]) * self.per_row, 1)

    @property
    def sweeps_a_call(self) -> int:
        return max(1, self.updates_a_call * self.threads // self.updates_a_sweep)

    def advance(
        self,
        lead: int = 0,
        *,
        gap: int = 0,
        records: int = 0,
        trace: bool = False,
        sums: FloatArray | None = None,
        weights: FloatArray | None = None,
        words: NDArray[np.uint64] | None = None,
        place_words: NDArray[np.uint32] | None = None,
    ) -> tuple[NDArray[np.uint16], int]:
        """Run `lead` sweeps, record a state, and again with `gap` sweeps between records; all of it, or nothing.

        Under the sequential scan each state is taken at a uniformly random place of one more sweep, so that rows follow the
        paper's centroid (Eq. ordered). A `trace` has the states before each of `records` updates. Where they are given,
        every update adds to `sums` [chain, cell] and `weights` [chain, estimator]; `words` [update, chain] and `place_words`
        [record, chain] take the place of the streams.

        Returns the records [variable, record * chain], and the variable of a node that found no possible state, or -1.
        """
        chains, codes = len(self.codes), self.codes.copy()
        out = np.empty((codes.shape[1], records * chains), dtype=np.uint16)
        given = native.ChainOutput(out=out, sums=sums, weights=weights, words=words, place_words=place_words)
        states = native.ChainStates(
            per_row=self.per_row, keys=self.keys, codes=codes, impossible=self.impossible
        )
        inside = int(self.order.sequential)
        sweeps = lead + inside * (records > 0) + max(0, records - 1) * (gap + inside)
        failed: list[int] = []

        scan = self.order.row_scan(self.program)

        def work(first: int, last: int) -> None:
            task = native.Task(
                first=first,
                last=last,
                first_sweep=self.sweeps,
                first_record=self.records,
                lead=lead,
                gap=gap,
                records=records,
                trace=trace,
            )
            failed.append(self.program.native.run(scan, states, task, given))

        small = self.updates_a_sweep * sweeps < limits.THREAD_CELLS
        width = min(-(-chains // self.threads), self.updates_a_call * chains // self.updates_a_sweep)
        width = max(1, -(-width // TILE)) * TILE
        spans = [(first, min(first + width, chains)) for first in range(0, chains, width)]
        in_threads(work, spans, 1 if small else self.threads)
        self.codes = codes
        self.sweeps += records // int(self.order.begin[-1]) if trace else sweeps
        self.records += 0 if trace else records
        self.updates += sweeps * self.updates_a_sweep
        return out, max(failed, default=-1)


def chains_of(plan: ChainPlan, codes: NDArray[np.uint16], keys: NDArray[np.uint64], jobs: int = 1) -> Chains:
    free = np.ones((1, plan.variables), dtype=bool)
    free[0, list(plan.evidence.clamped)] = False
    program = ChainProgram(plan.network, (), plan.evidence)
    return Chains(program, Order.of(plan.scan, free), codes, keys, jobs)


def keys_of(seed: int, chains: int) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, size=chains, dtype=np.uint64)


def start_codes(plan: ChainPlan, seed: int, chains: int) -> NDArray[np.uint16]:
    """Where chains start [chains, variables]: every variable in one of the states that are possible, all alike.

    Chains that start near the product of the marginals agree with each other before they have seen other modes; random
    states fall into whatever modes draw them.
    """
    codes = np.zeros((chains, plan.variables), dtype=np.uint16)
    for i, code in plan.evidence.clamped.items():
        codes[:, i] = code
    word = np.minimum(words(seed, START, 0, len(plan.order), 0, chains), ALWAYS - 1)
    for place, i in enumerate(plan.order):
        thresholds = thresholds_of(plan.possible_states(i).astype(np.float64)[None, :])[0]
        codes[:, i] = np.searchsorted(thresholds, word[place], side="right")
    return codes


class ChainRows:
    """Rows of many chains: chain c records the rows c, C + c, 2C + c, ... of C chains.

    A row is a chain's state after `burn_in` sweeps and after every further `thin` sweeps. Mutable; rows drawn in one call or
    in many are the same rows.
    """

    def __init__(
        self, plan: ChainPlan, chains: int, burn_in: int, thin: int, seed: int, jobs: int = 1
    ) -> None:
        self._plan, self._burn_in, self._thin = plan, burn_in, thin
        self._chains = chains_of(plan, start_codes(plan, seed, chains), keys_of(seed, chains), jobs)
        self._rest = np.empty((plan.variables, 0), dtype=np.uint16)

    def parts(self, n: int) -> Iterator[NDArray[np.uint16]]:
        """The next n rows in parts of bounded size; what a record holds beyond n is kept for later."""
        chains, most = len(self._chains.codes), limits.CELLS_AT_ONCE // self._plan.variables
        while n > 0:
            if self._rest.shape[1] == 0:
                self._rest = self.record(max(1, min(-(-n // chains), most // chains)))
            part, self._rest = self._rest[:, :n], self._rest[:, n:]
            n -= part.shape[1]
            yield part

    def record(self, records: int) -> NDArray[np.uint16]:
        """At most this many next rows of every chain."""
        chains, inside = self._chains, int(not self._plan.random)
        lead = self._burn_in + chains.records * self._thin - chains.sweeps
        while lead > chains.sweeps_a_call:
            self._advance(chains.sweeps_a_call)
            lead -= chains.sweeps_a_call
        records = min(records, 1 + max(0, chains.sweeps_a_call - lead) // self._thin)
        return self._advance(lead, gap=self._thin - inside, records=records)

    def _advance(self, lead: int, **recorded: int) -> NDArray[np.uint16]:
        out, failed = self._chains.advance(lead, **recorded)  # type: ignore[arg-type]  # numbers alone
        if failed >= 0:
            raise self._plan.impossible(failed)
        return out
