"""`depnet.cluster.learn_parts`: the network of `depnet.learn`, from rows that lie in many parts."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from depnet.data import Domain
from depnet.errors import DataError
from depnet.learning.learn import Progress
from depnet.learning.options import Limits, Role, Task, checked_seconds, plan
from depnet.learning.penalty import Mdl, PenaltyLike, checked_penalty, penalty_value
from depnet.learning.resume import ResumeFile, fingerprint_of
from depnet.learning.rounds import Parts, Round, grow_in_rounds
from depnet.model import ConditionalTable, DecisionGraph, Network, Node
from depnet.model.table import checked_smoothing

LIVE = 64


def learn_parts(
    make: Callable[[Sequence[Task]], Parts],
    domain: Domain,
    total: int,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    blocks: Iterable[Sequence[str]] | None = None,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    live: int = LIVE,
    progress: Progress | None = None,
    report: Callable[[Round], object] | None = None,
    resume: str | os.PathLike[str] | None = None,
    digest: bytes = b"",
) -> Network:
    """The network of `depnet.learn` on all rows together, whatever the parts: `make(tasks)` gives them.

    At most `live` nodes grow at once: each takes 4 bytes for every row, where the row is. `report` is called after
    each round, `progress(done, nodes)` after each node. `digest` tells these rows from others in the `resume` file.
    """
    limits = Limits(max_leaves, min_leaf_rows)
    smoothing = checked_smoothing(smoothing)
    max_seconds = checked_seconds(max_seconds)
    rule = checked_penalty(penalty)
    if total == 0:
        raise DataError("a network is learned from at least one row; there are none.")
    penalty_value(rule, 1, total)
    tasks = plan(domain, blocks=blocks, roles=roles, forbidden=forbidden)
    penalties = [rule] * len(tasks)
    cards = domain.cardinalities
    nodes: list[Node | None] = [None] * len(tasks)
    done = 0
    parts = make(tasks)

    def finish(number: int, source: DecisionGraph, table: ConditionalTable) -> None:
        nonlocal done
        nodes[number] = Node(tasks[number].targets, source, table)
        done += 1
        if progress is not None:
            progress(done, len(tasks))

    key = hashlib.sha256(b"parts" + digest)
    file = None
    if resume is not None:
        file = ResumeFile(resume, fingerprint_of(key, domain, total, tasks, penalties, limits), tasks, cards)
    try:
        kept = dict(file.done) if file is not None else {}
        missing = [number for number in range(len(tasks)) if number not in kept]
        for number, grown in grow_in_rounds(
            parts,
            cards,
            tasks,
            penalties,
            missing,
            total=total,
            limits=limits,
            live=live,
            max_seconds=max_seconds,
            report=report,
        ):
            source = grown.source(cards)
            if file is not None and grown.complete:
                file.add(number, source)
            finish(number, source, ConditionalTable.learned(grown.counts, smoothing))
        for number, source in kept.items():
            finish(number, source, ConditionalTable.from_counts(parts.tabulate(number, source), smoothing))
    finally:
        if file is not None:
            file.close()
    return Network(domain, tuple(node for node in nodes if node is not None))
