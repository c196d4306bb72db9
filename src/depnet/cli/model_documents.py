"""What `fit` and `show` say of networks: their sizes, the law, and what is proven, as JSON and in lines."""

from typing import TYPE_CHECKING, Any

from depnet.cli.command import picked
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.inference.judge.marginals import Nearness
    from depnet.learning.certificate import Certificate
    from depnet.model.network import Network


def sizes(network: "Network") -> dict[str, Any]:
    """Leaves and links of a network; boosted nodes, which have no leaves of this kind, are counted."""
    return {
        "leaves": sum(node.source.size for node in network.nodes if not node.boosted),
        "boosted": sum(node.boosted for node in network.nodes),
        "links": sum(len(node.inputs) for node in network.nodes),
    }


def sizes_line(network: "Network", law: "Network") -> str:
    texts = [f"{counted(size['links'], 'link')}, {size_said(size)}" for size in (sizes(law), sizes(network))]
    return f"law: {texts[0]}; dependency network: {texts[1]}"


def size_said(size: dict[str, Any]) -> str:
    """Leaves, and boosted nodes where there are some: "12 leaves, 3 boosted nodes"."""
    leaves = [counted(size["leaves"], "leaf", "leaves")] if size["leaves"] or not size["boosted"] else []
    return ", ".join([*leaves, *([counted(size["boosted"], "boosted node")] if size["boosted"] else [])])


def law_document(law: "Network") -> dict[str, Any]:
    """What there is to say of the law without rows: its size, order, and held-out rows."""
    judged = picked(
        law.held_out,
        "rows",
        "score",
        "independent",
        "worth",
        "sure_shares",
        "sure_means",
        bits_explained="gained",
    )
    return {**sizes(law), "order": [law.domain.names[i] for i in law.order or ()], "held_out": judged}


def law_proof(proven: "Certificate | None") -> dict[str, Any]:
    """How far the law is from the rows, and would be with one leaf a node."""
    return picked(proven, "kl", one_leaf_kl="one_leaf_limit") or {"kl": None, "one_leaf_kl": None}


def network_proof(proven: "Certificate | None", *more: str) -> dict[str, Any] | None:
    """The FC-limit of the dependency network, and with one leaf a node."""
    return picked(proven, "fc_limit", "one_leaf_limit", "no_bound", *more)


def marginals_document(apart: "Nearness | None") -> dict[str, Any]:
    """How near the marginals of rows drawn from the law are to the table's, and would be by chance alone."""
    return {
        **(picked(apart, "one_way", "two_way", "rows") or {}),
        "floor": picked(apart, one_way="floor_one_way", two_way="floor_two_way"),
    }
