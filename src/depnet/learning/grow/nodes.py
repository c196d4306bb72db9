"""The nodes of a network, each grown with a penalty of its own: the one loop for a table and for rows in parts.

What is common to all ways to learn is here: a file to resume from, progress, a time limit.
"""

import contextlib
import os
from collections.abc import Sequence

from depnet.errors import DataError
from depnet.learning.grow.node_specs import order_of
from depnet.learning.grow.resume import Fit, ResumeFile
from depnet.learning.options import Progress
from depnet.learning.penalty import Penalty, penalty_value
from depnet.learning.rows.learning_rows import GrowRequest, LearningRows
from depnet.model import ConditionalTable, Network, Node


def learn_nodes(
    rows: LearningRows,
    penalties: Sequence[Penalty],
    *,
    smoothing: float = 0.0,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | Fit | None = None,
) -> Network:
    """The network of these rows, a penalty for each node.

    `resume` is a file of this fit alone, or the fit's place in a file of several, which is left open.
    """
    if rows.total == 0:
        raise DataError(
            "a network is learned from at least one row; the table has none, or all weights are 0."
        )
    for penalty in dict.fromkeys(penalties):
        penalty_value(penalty, 1, rows.total)
    with contextlib.ExitStack() as stack:
        if resume is not None and not isinstance(resume, Fit):
            key = rows.fingerprint(penalties)
            file = ResumeFile(resume, key, rows.specs, rows.domain.cardinalities)
            resume = stack.enter_context(contextlib.closing(file)).fit()
        nodes = {} if resume is None else _resumed(rows, resume, smoothing)
        missing = [number for number in range(len(rows.specs)) if number not in nodes]
        request = GrowRequest(penalties, missing, smoothing, max_seconds, one_by_one=resume is not None)
        for grown in rows.grow(request):
            if resume is not None and grown.complete:
                resume.add(grown.number, grown.source)
            nodes[grown.number] = Node.learned((rows.specs[grown.number].target,), grown.source, grown.table)
            if progress is not None:
                progress(len(nodes), len(rows.specs))
    ordered = tuple(nodes[number] for number in range(len(rows.specs)))
    return Network(rows.domain, ordered, order=order_of(rows.specs))


def _resumed(rows: LearningRows, fit: Fit, smoothing: float) -> dict[int, Node]:
    """The nodes that an earlier run has left behind, with their counts from the rows."""
    counted = rows.leaf_counts(list(fit.done), list(fit.done.values())) if fit.done else []
    return {
        number: Node((rows.specs[number].target,), source, ConditionalTable.from_counts(counts, smoothing))
        for (number, source), counts in zip(fit.done.items(), counted, strict=True)
    }
