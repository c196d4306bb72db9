r"""Two variables together: their joint table, and what either tells of the other.

In the joint law of a pair (A, B), given what is known, the mutual information

.. math:: I(A; B) = H(A) + H(B) - H(A, B)

is what knowing the one takes from the uncertainty of the other, in bits a row, whatever else is read: the same both ways.
A link's strength differs from it, since it is what a node gains by one input beside its other inputs.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import InferenceError
from depnet.geometry.entropy import entropy
from depnet.inference.answer.query import query
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.small_counts import without_small_counts
from depnet.model.evidence import Given
from depnet.model.network import Network

BITS = 1 / math.log(2)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """The joint answer about two variables; tables are [state of the first, state of the second]. Make one with `pair`."""

    result: QueryResult

    @property
    def joint(self) -> FloatArray:
        assert isinstance(self.result.probabilities, np.ndarray)  # it was asked for as a joint
        return self.result.probabilities

    @property
    def given_first(self) -> FloatArray:
        """P(second | first): rows sum to 1, nan where a state of the first has probability 0."""
        return _shares(self.joint, axis=1)

    @property
    def given_second(self) -> FloatArray:
        """P(first | second): columns sum to 1."""
        return _shares(self.joint, axis=0)

    @property
    def counts(self) -> FloatArray | None:
        """The matching rows of the table, nan where they are hidden; None without a table, or where no row matches."""
        observed = self.result.observed
        if not isinstance(observed, np.ndarray) or not self.result.matching:
            return None
        return np.asarray(observed * self.result.rows_of(self.result.targets[0]))

    @property
    def uncertainty(self) -> tuple[float, float]:
        """The entropy of the first and of the second, in bits."""
        return BITS * entropy(self.joint.sum(axis=1)), BITS * entropy(self.joint.sum(axis=0))

    @property
    def information(self) -> float:
        """I(first; second), in bits."""
        return max(0.0, sum(self.uncertainty) - BITS * entropy(self.joint))


def pair(
    network: Network,
    first: str,
    second: str,
    evidence: Given | None = None,
    *,
    hide: bool = False,
    **bounds: Any,
) -> Pair:
    """Two variables together, given what is known. `hide`: without counts of few rows; `bounds` are those of `query`.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> law = depnet.learn(people, smoothing=0.5, order="auto")
    >>> found = pair(law, "sex", "survived", data=people)
    >>> found.joint.round(3).tolist()
    [[0.057, 0.156], [0.619, 0.167]]
    >>> round(found.information, 3), found.counts.round().tolist()
    (0.142, [[126.0, 344.0], [1364.0, 367.0]])
    """
    if first == second:
        raise InferenceError(f"a pair has two variables; got {first!r} twice.")
    found = query(network, [first, second], evidence, joint=True, **bounds)
    return Pair(without_small_counts(found) if hide else found)


def _shares(joint: FloatArray, axis: int) -> FloatArray:
    total = joint.sum(axis=axis, keepdims=True)
    return np.asarray(np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0))
