r"""What is learned: limits on leaves, roles of variables, forbidden links, an order, boosting; and the nodes that it means.

`LearnOptions` is all of it as one value, checked when it is made. Names of variables are checked against the domain before
any work is done: out come `NodeSpec`s, in numbers.

*Order "auto".* In an ordered network Y_i reads variables before X_i only, so the order decides what a node can know. The
first variable is the one that tells most of all others, the largest sum over j of J(X_i, X_j); then always the one comes
next that is most tied to one that is placed already,

.. math:: \arg\max_{j\ not\ placed}\ \max_{i\ placed} J(X_i, X_j), \qquad
          J(X_i, X_j) = \max\Big(0,\ N\, I(X_i; X_j) - \tfrac12 (k_i - 1)(k_j - 1)\Big), \\
          N\, I(X_i; X_j) = T(N) - \sum_x T(N_x) - \sum_{x'} T(N_{x'}) + \sum_{x, x'} T(N_{xx'}), \qquad T(x) = x \log x.

What is taken off the mutual information is what chance gives it on average, where the variables have nothing to do with
each other and k_i and k_j states that occur: columns of many states seem to tell of all others on few rows. This is Prim's
rule, which walks along the tree of most information. Of equal first variables the lowest number is taken, of equal pairs
(i, j) the lowest pair, the lower number of the two compared first.

J is computed in integers: T of a count, which is the native one, is rounded to a multiple of 2^-s, and s is as large as 62
bits have room for (J / N is then right to some 2^-40 nats). So it is the same in whatever order it is summed, however the
rows are parted, and whatever the states are called. Pairs are counted once, a band of variables at a time.
"""

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray
from depnet.data import Dataset, Domain
from depnet.data.table.weights import FRACTION
from depnet.errors import EvidenceError, LearningError, brief, is_whole, whole_number
from depnet.learning.boost import BoostLike, checked_boost
from depnet.learning.cost import Auto, Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.model.marginals import PairTables
from depnet.model.table import checked_smoothing
from depnet.wording import nearest

MAX_STATES = 64
"""A variable of more states is counted with neighbours put together: an order needs no tables of a billion cells."""

BAND_CELLS = 1 << 22
"""Cells of 2-way tables that are held at once, or those of one variable."""

Role = Literal["target", "input"]
"""`"target"`: never an input of other nodes. `"input"`: not predicted from others, its node keeps one leaf."""

Order: TypeAlias = Sequence[str] | Sequence[int] | Sequence[str | Sequence[str]] | Literal["auto"] | None
"""What `learn(order=...)` takes: None (the paper's), "auto", or all variables by name (or number), some in tiers."""


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """What is learned, as `depnet.learn` says it: made at the door, and passed whole. What it may take is `Work`."""

    penalty: "PenaltyLike | Auto" = field(default_factory=Mdl)
    smoothing: float = 0.0
    order: Order = None
    max_leaves: int | None = None
    """A split may not leave a node with more leaves than these; the empty ones count."""
    min_leaf_rows: int = 0
    """Nor a new leaf with fewer rows than these, unless it has none at all. Merges are always admissible."""
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    cuts: bool = False
    boost: BoostLike = None
    boosted: Sequence[str] | None = None
    """The variables whose nodes are boosted; None: all."""

    def __post_init__(self) -> None:
        if self.max_leaves is not None:
            whole_number("max_leaves", self.max_leaves, at_least=1, error=LearningError)
        whole_number("min_leaf_rows", self.min_leaf_rows, at_least=0, error=LearningError)
        object.__setattr__(self, "smoothing", checked_smoothing(self.smoothing))
        object.__setattr__(self, "boost", checked_boost(self.boost))
        object.__setattr__(self, "forbidden", tuple(self.forbidden))  # an iterator can be read once only
        if isinstance(self.penalty, str) and self.penalty == "auto":
            object.__setattr__(self, "penalty", Auto())
        if not isinstance(self.penalty, Auto):
            object.__setattr__(self, "penalty", checked_penalty(self.penalty))
        elif self.smoothing == 0:
            raise LearningError(
                'the penalty "auto" scores held-out rows, which a smoothing of 0 may give the probability 0. Give a '
                "smoothing above 0, such as 0.5."
            )
        if isinstance(self.order, str) and self.order != "auto":
            raise not_an_order(self.order)

    @classmethod
    def parse(cls, who: str, options: Mapping[str, Any]) -> Self:
        """Make options from arguments of `who` by name; an unknown name is an error that suggests others."""
        names = [each.name for each in fields(cls)]
        for name in options:
            if name not in names:
                raise TypeError(f"{who} has no option {name!r}. {nearest(name, names)}")
        return cls(**options)

    @property
    def auto(self) -> Auto | None:
        """What the penalty is chosen from on held-out rows, where it is."""
        return self.penalty if isinstance(self.penalty, Auto) else None

    @property
    def fixed_penalty(self) -> Penalty:
        """The penalty of all nodes, where it is not chosen."""
        return checked_penalty(self.penalty)  # type: ignore[arg-type]


def not_an_order(order: object) -> LearningError:
    return LearningError(
        f'order is None, "auto", or the names of all variables in order; got {brief(order)}.'
    )


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node to be learned: the variable it updates, and those its source may read.

    `readable` is shared by the nodes of a network, which so take no room of n x n. Of an ordered network it is the whole
    order, of which a source reads only the variables before place `first`; else it is ascending, and `first` is None.
    """

    target: int
    readable: tuple[int, ...]
    barred: frozenset[int] = frozenset()
    first: int | None = None

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that its source may read, ascending."""
        inputs = self.readable if self.first is None else tuple(sorted(self.readable[: self.first]))
        for j in self.barred.union((self.target,)):  # few, as a rule
            at = bisect_left(inputs, j)
            if inputs[at : at + 1] == (j,):
                inputs = inputs[:at] + inputs[at + 1 :]
        return inputs


def node_specs(
    domain: Domain,
    options: LearnOptions = LearnOptions(),  # a frozen value
    rows: Dataset | None = None,
) -> tuple[NodeSpec, ...]:
    """The nodes to learn, one for each variable.

    A node's inputs are the other variables, less those whose role is "target" and those with a forbidden link
    (source, target) into it. A node of an "input" variable has none.

    With an order they are the earlier variables, less the same. Inputs come first and targets last, so that an "input"
    variable reads earlier ones of its kind: their joint law is learned, too. The order "auto" is chosen by the 2-way
    counts of `rows`; where a link j -> i is forbidden, it has i before j if it can. Without rows, the options are checked
    and the nodes are in no order yet.
    """
    inputs, targets, barred = _rules(domain, options)
    everyone, order = range(len(domain)), options.order
    tiers = tiers_of(domain, order)
    free = isinstance(order, str) or (tiers is not None and len(set(tiers)) < len(domain))
    if order is None or (free and rows is None):
        readable = tuple(j for j in everyone if j not in targets)
        return tuple(NodeSpec(i, () if i in inputs else readable, barred[i]) for i in everyone)
    if isinstance(order, str):
        assert rows is not None
        before = [(i, j) for i, sources in enumerate(barred) for j in sources]
        found = choose_order(rows, inputs=inputs, targets=targets, before=before)
    elif free:
        assert rows is not None
        found = walk(informations(fold_states(rows)), np.array(tiers), {})
        _check_roles(domain, found, inputs, targets)
    else:
        found = checked_order(domain, order)
        _check_roles(domain, found, inputs, targets)
    place = {i: min(at, len(domain) - len(targets)) for at, i in enumerate(found)}
    return tuple(NodeSpec(i, found, barred[i], place[i]) for i in everyone)


def readable_inputs(specs: Sequence[NodeSpec], domain: Domain) -> dict[int, tuple[int, ...]]:
    """The inputs of each variable that may have some."""
    cards = domain.cardinalities
    return {spec.target: spec.inputs for spec in specs if spec.inputs and cards[spec.target] > 1}


def order_of(specs: Sequence[NodeSpec]) -> tuple[int, ...] | None:
    """The order of the network that these nodes make, where it is an ordered one."""
    return specs[0].readable if specs and specs[0].first is not None else None


def tiers_of(domain: Domain, order: object) -> tuple[int, ...] | None:
    """The place of each variable in an order that is given, the same for those in one tier; None of any other."""
    if order is None or isinstance(order, (str, bytes)) or not isinstance(order, Iterable):
        return None
    tiers = [[one] if isinstance(one, str) or is_whole(one) else one for one in order]
    if not all(isinstance(tier, (list, tuple)) for tier in tiers):
        raise not_an_order(order)
    place = [at for at, tier in enumerate(tiers) for _ in tier]
    found = dict(zip(checked_order(domain, [one for tier in tiers for one in tier]), place, strict=True))
    return tuple(found[i] for i in range(len(domain)))


def checked_order(domain: Domain, order: object) -> tuple[int, ...]:
    """An order given by names, or numbers, of all variables, as numbers."""
    if not isinstance(order, Iterable) or isinstance(order, (str, bytes)):
        raise not_an_order(order)
    found: dict[int, None] = {}
    for one in order:
        if not (isinstance(one, str) or is_whole(one)):
            raise not_an_order(order)
        i = _index(domain, one, "order") if isinstance(one, str) else int(one)
        if not 0 <= i < len(domain):
            raise LearningError(f"order: there is no variable {i}; the table has {len(domain)}.")
        if i in found:
            raise LearningError(f"order names each variable once; {domain.names[i]!r} is there twice.")
        found[i] = None
    missing = [i for i in range(len(domain)) if i not in found]
    if missing:
        more = f" and {len(missing) - 1:,} more are" if len(missing) > 1 else " is"
        raise LearningError(
            f"order names all {len(domain)} variables; {domain.names[missing[0]]!r}{more} missing."
        )
    return tuple(found)


def _index(domain: Domain, name: str, what: str) -> int:
    try:
        return domain.index(name)
    except EvidenceError as error:
        raise LearningError(f"{what}: {error}") from None


def _rules(
    domain: Domain, options: LearnOptions
) -> tuple[frozenset[int], frozenset[int], list[frozenset[int]]]:
    """By numbers: the inputs, the targets, and for each node the variables that its source may not read."""
    role_of: dict[int, Role] = {}
    for name, role in (options.roles or {}).items():
        if role not in ("target", "input"):
            raise LearningError(f"the role of {name!r} is 'target' or 'input'; got {role!r}.")
        role_of[_index(domain, name, "roles")] = role
    barred = [frozenset[int]()] * len(domain)
    for link in options.forbidden:
        if isinstance(link, str) or len(link) != 2:
            raise LearningError(f"a forbidden link is a pair (source, target) of names; got {link!r}.")
        source, target = (_index(domain, name, "forbidden") for name in link)
        if source == target:
            raise LearningError(f"the link {link!r} is forbidden anyway: no variable is its own input.")
        barred[target] = barred[target].union((source,))
    inputs, targets = (
        frozenset(i for i, role in role_of.items() if role == kind) for kind in ("input", "target")
    )
    return inputs, targets, barred


def _check_roles(
    domain: Domain, order: Sequence[int], inputs: frozenset[int], targets: frozenset[int]
) -> None:
    """Inputs first, targets last."""
    stage = [0 if i in inputs else 2 if i in targets else 1 for i in order]
    wrong = next((at for at in range(1, len(order)) if stage[at] < stage[at - 1]), None)
    if wrong is not None:
        early, late = domain.names[order[wrong - 1]], domain.names[order[wrong]]
        why = f"{late!r} has the role 'input'" if stage[wrong] == 0 else f"{early!r} has the role 'target'"
        raise LearningError(
            f"the order has {early!r} before {late!r}, but {why}: inputs come first, targets last. Change the order, or "
            "drop the role."
        )


def choose_order(
    dataset: Dataset,
    *,
    inputs: Collection[int] = frozenset(),
    targets: Collection[int] = frozenset(),
    before: Iterable[tuple[int, int]] = (),
) -> tuple[int, ...]:
    """The numbers of the variables in the order of the rule above, as far as it is free.

    All `inputs` come before all others, all `targets` after all others, and i before j for (i, j) in `before`: of the
    variables that may come next the one most tied to a placed one does. A pair of `before` that roles contradict is
    ignored, and so are pairs that cannot hold together: first (i, j) where (j, i) is there too, then those on a circle.

    >>> from depnet.data import titanic
    >>> [titanic().domain.names[i] for i in choose_order(titanic())]
    ['sex', 'survived', 'class', 'age']
    """
    n = len(dataset.domain)
    stage: IntArray = np.ones(n, dtype=np.int64)
    stage[list(targets)] = 2
    stage[list(inputs)] = 0
    return walk(informations(fold_states(dataset)), stage, _later(stage, before))


def fold_states(dataset: Dataset) -> Dataset:
    """The dataset in which state x of a variable of K > 64 states is 64 x // K."""
    cards = dataset.domain.cardinalities
    if max(cards) <= MAX_STATES:
        return dataset
    codes = np.empty(dataset.codes.shape, dtype=np.uint8, order="F")
    for i, k in enumerate(cards):
        column = dataset.column(i)
        codes[:, i] = column if k <= MAX_STATES else column.astype(np.int64) * MAX_STATES // k
    table = Dataset.from_codes(codes, [min(k, MAX_STATES) for k in cards])
    return Dataset.of_checked(table.domain, table.codes, dataset.weights)


def _later(stage: IntArray, before: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """The variables that wait for each variable of their own stage: between stages a pair holds already, or cannot."""
    asked = {(i, j) for i, j in before if i != j and stage[i] == stage[j]}
    asked = {
        (i, j) for i, j in asked if (j, i) not in asked
    }  # what stands both ways says nothing of an order
    if not asked:
        return {}
    from scipy.sparse import coo_array  # takes longer to import than most orders to choose
    from scipy.sparse.csgraph import connected_components

    i, j = np.array(sorted(asked)).T
    links = coo_array((np.ones(len(i)), (i, j)), shape=(len(stage), len(stage)))
    _, circle = connected_components(links, connection="strong")
    later: dict[int, list[int]] = {}
    for a, b in sorted(asked):
        if circle[a] != circle[b]:
            later.setdefault(a, []).append(b)
    return later


def walk(information: IntArray, stage: IntArray, later: Mapping[int, list[int]]) -> tuple[int, ...]:
    """Prim's rule on the information [i, j] of all pairs, stage by stage, those of `later[i]` after i."""
    n = len(stage)
    best: IntArray = np.zeros(n, dtype=np.int64)  # of a variable with those placed
    pair: IntArray = np.full(n, n * n, dtype=np.int64)  # the lowest pair that has it
    waits = np.zeros(n, dtype=np.int64)
    for others in later.values():
        waits[others] += 1
    left, sums, everyone = np.ones(n, dtype=np.bool_), information.sum(axis=1), np.arange(n)
    order: list[int] = []
    while len(order) < n:
        may = np.flatnonzero((stage == stage[left].min()) & left & (waits == 0))
        if order:
            may = may[best[may] == best[may].max()]
            i = int(may[np.argmin(pair[may])])
        else:
            i = int(may[np.argmax(sums[may])])
        order.append(i)
        left[i] = False
        waits[later.get(i, [])] -= 1
        own = np.minimum(i, everyone) * n + np.maximum(i, everyone)
        better = (information[i] > best) | ((information[i] == best) & (own < pair))
        best[better], pair[better] = information[i][better], own[better]
    return tuple(order)


def informations(dataset: Dataset) -> IntArray:
    """[i, j]: 2^s J(X_i, X_j) in integers, and 0 where i is j; of survey weights in their units."""
    cards, units = dataset.domain.cardinalities, FRACTION if dataset.surveyed else 1
    n = len(cards)
    found: IntArray = np.zeros((n, n), dtype=np.int64)
    for first, last in _bands(cards):
        tables = PairTables.of(dataset, first, last)
        if first == 0:
            one = tables[0, 1].sum(axis=1)
            terms = _Terms(int(one.sum() * units), n, units)
            singles = [one, *(tables[0, j].sum(axis=0) for j in range(1, n))]
            alone = np.array([int(terms(counts).sum()) for counts in singles])
            whole = int(terms(np.array([terms.rows / units]))[0])
            states = np.array([np.count_nonzero(counts) for counts in singles])
        begin, at = np.append(tables.begin, len(tables.cells)), 0
        for i in range(first, last):
            later = alone[i + 1 :]
            own = begin[at : at + len(later) + 1]
            joint = np.add.reduceat(terms(tables.cells[own[0] : own[-1]]), own[:-1] - own[0])
            chance = terms.scale(units * (states[i] - 1) * (states[i + 1 :] - 1) / 2)
            found[i, i + 1 :] = np.maximum(joint + (whole - alone[i]) - later - chance, 0)
            at += len(later)
    return found + found.T


def _bands(cards: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Ranges of first variables of pairs whose 2-way tables are held at once: all pairs, band by band."""
    first, cells, later = 0, 0, sum(cards)
    for i, k in enumerate(cards[:-1]):
        later -= k
        if i > first and cells + k * later > BAND_CELLS:
            yield first, i
            first, cells = i, 0
        cells += k * later
    if len(cards) > 1:
        yield first, len(cards) - 1


class _Terms:
    """2^s T(x), rounded, of counts x up to N in units; n sums of such terms up to 2^s T(N) stay below 2^62."""

    def __init__(self, rows: int, n: int, units: int) -> None:
        self.rows, self._units = rows, units
        self._scale = 62 - math.frexp(xlogx(rows))[1] - n.bit_length()

    def __call__(self, counts: IntArray) -> IntArray:
        different, where = np.unique(counts * self._units, return_inverse=True)
        return np.take(self.scale(np.array([xlogx(int(count)) for count in different.tolist()])), where)

    def scale(self, numbers: FloatArray) -> IntArray:
        """2^s x, rounded; no more than 2^62, which is more than there is information."""
        rounded: IntArray = np.rint(np.minimum(np.ldexp(numbers, self._scale), 2.0**62)).astype(np.int64)
        return rounded
