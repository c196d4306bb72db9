r"""Mutual information of columns under an ordered law, given evidence: how much knowing one tells of the other, in bits.

.. math:: I(A; B \mid e) = \sum_{a, b} Q(a, b \mid e) \log_2 \frac{Q(a, b \mid e)}{Q(a \mid e)\, Q(b \mid e)}

Numbers count by their bins, a missing value as a state where the law has one. Exact where elimination is small; else from
drawn rows, by the jackknife over batches of them, which takes away most of the bias that a sum over many cells has.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, new_seeds
from depnet.errors import EvidenceError
from depnet.inference.answer.question import Question
from depnet.inference.ordered.codes import exact
from depnet.inference.ordered.events import event_rows, part_of_products
from depnet.inference.ordered.levels import some_rows
from depnet.inference.ordered.sums import BatchSums
from depnet.law import limits
from depnet.law.draw import PIECE, sharpen
from depnet.law.limits import BATCHES
from depnet.law.program import Conditional, LevelPlan, joint_codes
from depnet.model.evidence import Evidence, Given
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network

TOLERANCE = 0.005


@dataclass(frozen=True, slots=True)
class Information:
    """How much some columns tell of others.

    Args:
        bits: their mutual information.
        standard_error: that of computing it; 0 where it is exact.
    """

    bits: float
    standard_error: float


def information(
    network: AnyNetwork,
    a: str | Sequence[str],
    b: str | Sequence[str],
    given: Given | str | Evidence | None = None,
    *,
    tolerance: float = TOLERANCE,
    rng: np.random.Generator | None = None,
) -> Information:
    """How much one column, or several together, tells of others, given evidence, under an ordered law.

    What is not exact is drawn until its standard error is within `tolerance`, in bits.

    >>> from depnet import learn, titanic
    >>> law = learn(titanic(), order="auto")
    >>> found = information(law, "sex", "survived"), information(law, "sex", "survived", {"class": "3rd"})
    >>> [round(each.bits, 3) for each in found]
    [0.142, 0.059]
    """
    if not network.ordered:
        raise EvidenceError('information is of an ordered law; learn one with learn(dataset, order="auto").')
    domain, known = network.domain, Evidence.parse(network.domain, given, events=True)
    left, right = ([domain.index(n) for n in ([side] if isinstance(side, str) else side)] for side in (a, b))
    if set(left) & set(right):
        name = domain.names[min(set(left) & set(right))]
        raise EvidenceError(f"{name!r} is on both sides; information needs different columns on each.")
    left, right = ([i for i in side if i not in known.clamped] for side in (left, right))
    cards, both = domain.cardinalities, (*left, *right)
    shape = tuple(math.prod(cards[i] for i in side) for side in (left, right))
    if math.prod(shape) > limits.LARGEST:
        raise EvidenceError(
            f"{a!r} and {b!r} have {math.prod(shape):,} states together, more than {limits.LARGEST:,}. Take fewer columns."
        )
    if 1 in shape:  # what is known has nothing to tell
        return Information(0.0, 0.0)
    part, plan = None, LevelPlan.of(network, known, ())
    if known.event is not None:
        part = part_of_products(
            Question(network, [domain.names[i] for i in both], known, joint=True), known.event
        )
    elif isinstance(network, Network) and (plan is None or not plan.cuts):
        part = exact(Conditional(network, known, (both,)), limits.LARGEST)
    if part is not None:
        return Information(float(_bits(part.values[0].reshape(1, *shape))[0]), 0.0)
    sums = BatchSums([math.prod(shape)])
    counts = sums.tables[0].reshape(-1, *shape)
    rows = event_rows(network, known, (), new_seeds(rng, 1)[0], both)

    def draw(count: int) -> None:
        for codes, drawn, _ in some_rows(rows, count):
            sums.add(drawn.weights, [joint_codes(codes, both, cards)])

    def error() -> float:
        return _jackknife(counts).standard_error if counts.any() else math.inf

    sharpen(draw, error, tolerance, first=PIECE, most=limits.MOST_DRAWS)
    if not counts.any():
        raise EvidenceError(
            "no drawn row matches what is given: its probability under the model is 0 or very small."
        )
    return _jackknife(counts)


def _bits(tables: FloatArray) -> FloatArray:
    """The mutual information of each of many joint tables [table, a, b], which need not sum to 1."""
    p = tables / tables.sum(axis=(1, 2), keepdims=True)
    apart = p.sum(axis=2, keepdims=True) * p.sum(axis=1, keepdims=True)
    ratio = np.divide(p, apart, out=np.ones_like(p), where=p > 0)
    return np.asarray(np.maximum((p * np.log2(ratio)).sum(axis=(1, 2)), 0.0))


def _jackknife(counts: FloatArray) -> Information:
    """From the tables of batches: of all together, and of all but each one."""
    total = counts.sum(axis=0)
    without = _bits(np.maximum(total - counts, 0.0))
    bits = BATCHES * float(_bits(total[None])[0]) - (BATCHES - 1) * float(without.mean())
    error = math.sqrt((BATCHES - 1) / BATCHES * float(((without - without.mean()) ** 2).sum()))
    return Information(max(bits, 0.0), error)
