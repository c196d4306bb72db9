r"""What a node's links are worth, from rows: the operations of its source are replayed on them.

Split(y, j) lowers H(X_i | Y) and its gain is X_j's; Merge(y0, y1) raises it, and that loss is charged to the splits that
told y0 and y1 apart, in proportion to what each had gained. So the gains add up to I(X_i; Y_i), and a split whose leaves
were all merged again has gained nothing.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.learning.cost import conditional_entropy
from depnet.learning.links.from_counts import boosted_strengths, shared_equally
from depnet.model.boosted import BoostedNode
from depnet.model.counting import leaf_counts
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph, Split, replayed


def strengths(node: Node, dataset: Dataset) -> dict[int, float]:
    """{j: bits per row that X_j's splits gained}, for the inputs of the node."""
    if isinstance(node, BoostedNode):
        return boosted_strengths(node)
    source = node.source
    if isinstance(source, DecisionGraph):
        gains = _Gains(node, source, dataset)
        return _shared(gains.of_variables(dataset.total * math.log(2)), source.inputs)
    return shared_equally(source, leaf_counts(source, node.variable, dataset))


def _shared(gained: Mapping[int, float], inputs: Sequence[int]) -> dict[int, float]:
    """The gains of the inputs. Merges can leave a variable no say at all, and yet charge a part of what they
    lost to others; what is then left of its gain goes to the inputs, in proportion to theirs.
    """
    kept = {j: gained.get(j, 0.0) for j in inputs}
    left = sum(gained.values()) - sum(kept.values())
    positive = sum(max(bits, 0.0) for bits in kept.values())
    for j, bits in kept.items():
        kept[j] += left * (max(bits, 0.0) / positive if positive > 0 else 1 / len(kept))
    return kept


class _Gains:
    """What the splits of a source gained, in nats times rows, while its operations are replayed on rows.

    `_history[leaf][event]` is the set of branches of that split which lead to the leaf: two leaves are told
    apart by the splits of which they lie on different branches.
    """

    def __init__(self, node: Node, source: DecisionGraph, dataset: Dataset) -> None:
        self._gain: list[float] = []
        self._variable: list[int] = []
        self._terms: list[float] = []
        self._history: list[dict[int, frozenset[int]]] = [{}]
        for operation, counts in replayed(source, node.variable, dataset):
            terms = [conditional_entropy(each[None, :], 1) for each in counts]
            if operation is None:
                self._terms = terms
            elif isinstance(operation, Split):
                self._split(*operation, terms)
            else:
                self._merge(*operation, terms[0])

    def of_variables(self, unit: float) -> dict[int, float]:
        """{j: what the splits on X_j gained, in this unit}."""
        gained: defaultdict[int, float] = defaultdict(float)
        for j, nats in zip(self._variable, self._gain, strict=True):
            gained[j] += nats / unit
        return gained

    def _split(self, leaf: int, j: int, terms: list[float]) -> None:
        term, past = self._terms.pop(leaf), self._history.pop(leaf)
        event = len(self._gain)
        self._gain.append(term - sum(terms))
        self._variable.append(j)
        self._terms += terms
        self._history += [{**past, event: frozenset([x])} for x in range(len(terms))]

    def _merge(self, first: int, second: int, term: float) -> None:
        ours, theirs = self._history[first], self._history.pop(second)
        loss = term - self._terms[first] - self._terms.pop(second)
        common = [event for event in ours if event in theirs]
        apart = [event for event in common if not ours[event] & theirs[event]] or common
        gains = np.maximum([self._gain[event] for event in apart], 0.0)
        shares = gains / gains.sum() if gains.sum() > 0 else np.full(len(apart), 1 / len(apart))
        for event, share in zip(apart, shares, strict=True):
            self._gain[event] -= loss * float(share)
        nothing: frozenset[int] = frozenset()
        self._history[first] = {
            event: ours.get(event, nothing) | theirs.get(event, nothing) for event in ours | theirs
        }
        self._terms[first] = term
