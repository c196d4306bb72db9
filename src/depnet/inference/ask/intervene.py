r"""Interventions: what is likely where somebody *sets* a column, which is not what is likely where it is seen to be so.

Of a law whose order is the caller's own order of causes, every column being moved only by those before it,

.. math:: Q(x \mid do(x_S)) = \prod_{i \notin S} \theta_i(x_i \mid Y_i(x)),

the truncated product: the tables of what is set are left out. It is right where the order is, and where nothing outside of
the table moves two of its columns at once; no data can show that, so every answer says it. Columns of one tier have no order
between them, and of what they do to each other nothing is said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from depnet.errors import EvidenceError, ModelError
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.shown import given_text
from depnet.law.program import law_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.node import TableNode
from depnet.model.sources.source import ConstantSource
from depnet.model.table import ConditionalTable


def intervene(network: Network, do: Mapping[str, Any]) -> Network:
    """The law in which some columns are set: their tables, and where in their bins they lie, read nothing.

    They have any state alike; that one is set is then evidence as any other.
    """
    if network.order is None or network.tiers is None:
        raise ModelError(
            "do asks what happens if a column is set, and this model does not know what causes what: its order was "
            "chosen by how columns depend on each other. Fit it with your own order of all columns, causes "
            "first (order=[...], in the command --order); put columns without an order between them in a list of their own."
        )
    nodes = list(network.nodes)
    for i, name in _columns(network, do).items():
        k = network.domain.cardinalities[i]
        _refuse_ties(network, i, name, do)
        nodes[i] = TableNode(i, ConstantSource(), ConditionalTable.from_probabilities(np.full((1, k), 1 / k)))
    within = network.within
    if within is not None:
        kept = tuple(trees for trees in within.trees if network.domain.names[trees.column] not in do)
        within = replace(within, trees=kept)
    return replace(network, nodes=tuple(nodes), within=within)


def _columns(network: Network, do: Mapping[str, Any]) -> dict[int, str]:
    """The columns that are set, each to one value."""
    domain, known = network.domain, Evidence.parse(network.domain, do)
    for name in do:
        i = domain.index(name)
        missing = (
            domain.variables[i].missing is not None and known.clamped.get(i) == domain.cardinalities[i] - 1
        )
        if i not in known.clamped or missing:
            raise EvidenceError(f"do sets a column to one value; got {given_text({name: do[name]})}.")
    return {domain.index(name): name for name in do}


def _refuse_ties(network: Network, i: int, name: str, do: Mapping[str, Any]) -> None:
    """An error where another column of the tier is tied to what is set: it may be a cause of it, or an effect."""
    law, tiers = law_of(network), network.tiers or ()
    for j, other in enumerate(network.domain.names):
        tied = j in law.ancestors([i]) or i in law.ancestors([j])
        if j != i and tiers[j] == tiers[i] and tied and other not in do:
            raise EvidenceError(
                f"{name!r} and {other!r} are in one tier of the order and depend on each other: which of them affects "
                f"the other is not given, so the effect of setting {name!r} is unknown. Give them an order, or set both."
            )


def answer_do(
    network: Network, found: QueryResult, seen: QueryResult, do: Mapping[str, Any], given: Sequence[str]
) -> QueryResult:
    """The answer `found` where columns are set, with what it assumes, and with `seen`: where they are seen to be so."""
    domain, tiers = network.domain, network.tiers or ()
    known = {domain.index(name) for name in found.targets if name in domain.names}
    for i, name in _columns(network, do).items():
        same = next((domain.names[j] for j in known if tiers[j] == tiers[i] and j != i), None)
        if same is not None:
            raise EvidenceError(
                f"{name!r} and {same!r} are in one tier of the order: effects between them are unknown."
            )
    what = given_text(do)
    between = [name for name in found.closure if name not in (*found.targets, *do, *given)]
    assumed = (
        f"{what} is set, not seen. This is right if the order of causes is, and if nothing outside of the table moves "
        "several of its columns."
    )
    said = [
        assumed,
        f"other columns were averaged as they are, whatever is set: {', '.join(between) or 'none'}.",
        "where it is only seen, the model says: " + "; ".join(_shares(seen)) + ".",
    ]
    holes = [
        name
        for name in found.targets
        if name in domain.names and domain.variables[domain.index(name)].missing
    ]
    if holes:
        said.append(
            f"answers are of rows in which {', '.join(holes)} is known, which may depend on what is set."
        )
    rare = [text for text in seen.warnings if text.kind == "rare"]
    others = [text for text in found.warnings if text.kind not in ("rare", "difference")]
    return replace(
        found,
        evidence={name: known for name, known in found.evidence.items() if name not in do},
        do=dict(do),
        seen_alone=seen,
        support=seen.support,
        learned=0,
        warnings=(*map(Remark, said), *rare, *others),
    )


def _shares(result: QueryResult) -> list[str]:
    """The most probable states of each target, in words; of a number its mean."""
    found = []
    for table in result.tables:
        number = result.numbers_of(table.variable, "probabilities") if table.is_number else None
        states = [(float(p), label) for p, label in zip(table.flat.law, table.labels, strict=True)]
        likely = sorted(states, key=lambda each: -each[0])[:3]
        shown = ", ".join(f"{' '.join(map(str, label))} {p:.3f}" for p, label in likely)
        if number is not None:
            shown = f"mean {number.mean:,.4g}" if isinstance(number.mean, float) else f"mean {number.mean}"
        found.append(f"{', '.join(table.names)}: {shown}")
    return found
