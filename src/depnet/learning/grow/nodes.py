"""The nodes of a network, each grown with a penalty of its own: the one loop, with progress and a time limit."""

from collections.abc import Iterator, Sequence

from depnet.errors import DataError
from depnet.learning.grow.cuts import specs_with_cuts, spelled_out
from depnet.learning.grow.native import Grower, GrownNode
from depnet.learning.grow.node_specs import NodeSpec, order_of
from depnet.learning.grow.parallel import grown_batches
from depnet.learning.options import LearnOptions
from depnet.learning.penalty import Penalty, penalty_value
from depnet.learning.rows.training import TrainingRows
from depnet.learning.work import Work
from depnet.model import Network, Node, TableNode


def learn_nodes(
    rows: TrainingRows,
    specs: Sequence[NodeSpec],
    penalties: Sequence[Penalty],
    options: LearnOptions,
    work: Work,
    *,
    smoothing: float = 0.0,
) -> Network:
    """The network of these rows and nodes, a penalty for each; of the options, the limits and whether cuts are read."""
    if rows.total == 0:
        raise DataError(
            "a network is learned from at least one row; the table has none, or all weights are 0."
        )
    for penalty in dict.fromkeys(penalties):
        penalty_value(penalty, 1, rows.total)
    nodes: dict[int, Node] = {}
    for grown in _grow(rows, specs, penalties, options, work, smoothing):
        nodes[grown.number] = TableNode.learned(specs[grown.number].target, grown.source, grown.table)
        if work.progress is not None:
            work.progress(len(nodes), len(specs))
    ordered = tuple(nodes[number] for number in range(len(specs)))
    return Network(rows.domain, ordered, order=order_of(specs))


def _grow(
    rows: TrainingRows,
    specs: Sequence[NodeSpec],
    penalties: Sequence[Penalty],
    options: LearnOptions,
    work: Work,
    smoothing: float,
) -> Iterator[GrownNode]:
    """All nodes, in any order."""
    cards = rows.domain.cardinalities
    cuts = rows.with_cuts if options.cuts and rows.with_cuts.cuts else None
    wide = specs if cuts is None else specs_with_cuts(specs, cuts.cuts, len(cards))
    grower = Grower(
        rows.native(wide=cuts is not None), rows.total, wide, penalties, options.limits, work.ends
    )
    for batch in grown_batches(grower, range(len(specs)), work.threads):
        for node in batch.nodes(wide, cards if cuts is None else cuts.wide.cardinalities, smoothing):
            yield (
                node if cuts is None else node._replace(source=spelled_out(node.source, cuts.numbered, cards))
            )
