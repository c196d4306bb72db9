"""A model as the bytes of a file, and back: JSON that people and line-by-line tools can read, with a checksum of it.

The same model gives the same bytes. The domain says how many variables and states there are: it is read first.
"""

import hashlib
import re
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from depnet.data.frames.within import Within
from depnet.data.table.variable import Domain
from depnet.errors import ModelFileError, brief
from depnet.model.constraints import MOST_DIGITS, Before, Constraint, Total, read_constraint
from depnet.model.file.fields import (
    CHANGED,
    CountsFields,
    DomainFields,
    Fields,
    LayoutFields,
    Leaf,
    VariableFields,
    check_length,
    decode,
    fault,
    locate_errors,
)
from depnet.model.file.nodes import NodeFields, TreesFields, read_nodes
from depnet.model.marginals import HeldOut, MarginalCounts
from depnet.model.mixture import AnyNetwork, Mixture, components_of
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.model.table import MAX_COUNT

FORMAT = "depnet network"
VERSION = 7
"""The one that is written and read."""

AGAIN = "Fit again from the table: depnet fit TABLE -o MODEL, or depnet.learn and depnet.save."
"""What to do with a file that this depnet cannot use, or that lacks something."""

_CHUNK = 2**16
_CHECKSUM = re.compile(rb'"checksum"\s*:\s*"([^"]*)"\s*\}\s*')


class HeldOutFields(Fields):
    rows: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    score: float
    independent: float
    worth: float | None = None
    sure_shares: float | None = None
    sure_means: float | None = None

    def read(self, at: str) -> HeldOut:
        with locate_errors(at):
            return HeldOut(**msgspec.structs.asdict(self))


class ConstraintFields(Fields):
    kind: Literal["order", "sum"]
    columns: Annotated[list[Leaf], Meta(min_length=2)]
    strict: bool = False
    digits: Annotated[int, Meta(ge=0, le=MOST_DIGITS)] | None = None

    @classmethod
    def of(cls, constraint: Constraint, domain: Domain) -> "ConstraintFields":
        columns = [*map(domain.index, constraint.names)]
        if isinstance(constraint, Before):
            return cls("order", columns, strict=constraint.strict)
        return cls("sum", columns, digits=constraint.digits)

    def read(self, domain: Domain, at: str) -> Constraint:
        late = next((i for i in self.columns if i >= len(domain)), None)
        if late is not None or (self.kind == "order" and len(self.columns) != 2):
            raise fault(
                f"{at}.columns", f"expected numbers of variables, of an order two; got {brief(self.columns)}."
            )
        first, *others = (domain.names[i] for i in self.columns)
        with locate_errors(at):
            if self.kind == "sum":
                return read_constraint(domain, Total(first, tuple(others), self.digits))
            return read_constraint(domain, Before(first, others[0], self.strict))


class LawFields(Fields):
    order: list[Leaf]
    nodes: list[Raw]
    held_out: HeldOutFields | UnsetType = UNSET
    tiers: list[Leaf] | UnsetType = UNSET
    constraints: list[ConstraintFields] | UnsetType = UNSET

    def read(self, domain: Domain, counts: MarginalCounts | None, at: str) -> Network:
        check_length(self.order, len(domain), f"{at}.order")
        order = tuple(self.order)
        held_out = None if self.held_out is UNSET else self.held_out.read(f"{at}.held_out")
        nodes = read_nodes(self.nodes, domain, f"{at}.nodes")
        with locate_errors(at):
            tiers = None if self.tiers is UNSET else tuple(self.tiers)
            check_length(tiers or order, len(domain), f"{at}.tiers")
            given = () if self.constraints is UNSET else self.constraints
            kept = tuple(each.read(domain, f"{at}.constraints[{k}]") for k, each in enumerate(given))
            return Network(domain, nodes, counts, order, held_out, tiers=tiers, constraints=kept)


class MixtureFields(Fields):
    """A law that is several networks, in place of the one in `law`."""

    weights: list[float]
    components: list[LawFields]

    def read(self, domain: Domain, counts: MarginalCounts | None) -> Mixture:
        parts = [
            each.read(domain, counts, f"mixture.components[{k}]") for k, each in enumerate(self.components)
        ]
        with locate_errors("mixture"):
            return Mixture(parts, self.weights)


def _within(given: list[Raw] | UnsetType, domain: Domain, order: tuple[int, ...] | None) -> Within | None:
    if given is UNSET or order is None:
        return None
    found = [
        decode(raw, TreesFields, f"within[{k}]").read(domain, f"within[{k}]") for k, raw in enumerate(given)
    ]
    if len({trees.column for trees in found}) < len(found):
        raise fault("within", "expected one object for each variable; one is given twice.")
    return Within(domain, order, tuple(found))


class Head(Struct):
    """What says whether the rest can be read."""

    format: Any = None
    version: Any = None


class Document(Struct):
    """The whole file. Fields of other names are left alone."""

    domain: DomainFields
    nodes: list[Raw] | UnsetType = UNSET
    held_out: HeldOutFields | UnsetType = UNSET
    law: LawFields | UnsetType = UNSET
    mixture: MixtureFields | UnsetType = UNSET
    counts: CountsFields | UnsetType = UNSET
    within: list[Raw] | UnsetType = UNSET
    layout: Raw | UnsetType = UNSET
    checksum: str | UnsetType = UNSET

    def read(self, *, layout: bool) -> Model:
        """The model that a file describes, with the layout of its frame if that is wanted."""
        if self.nodes is UNSET and self.law is UNSET and self.mixture is UNSET:
            raise ModelFileError("the field 'nodes' is missing, and so are 'law' and 'mixture'.")
        if self.law is not UNSET and self.mixture is not UNSET:
            raise fault("mixture", "expected one law; this file has the field 'law', too.")
        if self.nodes is UNSET and self.held_out is not UNSET:
            raise fault("held_out", "this is of the network in 'nodes', which is missing.")
        domain = self.domain.read()
        counts = None if self.counts is UNSET else self.counts.read(domain)
        law = self._law(domain, counts)
        network = None if law is None else components_of(law)[0]
        if self.nodes is not UNSET:
            held_out = None if self.held_out is UNSET else self.held_out.read("held_out")
            nodes = read_nodes(self.nodes, domain, "nodes")
            with locate_errors("nodes"):
                network = Network(domain, nodes, counts, None, held_out)
        frame = None
        if layout and self.layout is not UNSET:
            frame = decode(self.layout, LayoutFields, "layout").read(domain)
        assert network is not None
        with locate_errors("nodes"):
            return Model(network, law, frame)

    def _law(self, domain: Domain, counts: MarginalCounts | None) -> AnyNetwork | None:
        """The law that answers, with where in their bins numbers lie."""
        if self.mixture is not UNSET:
            mixture = self.mixture.read(domain, counts)
            within = _within(self.within, domain, mixture.components[0].order)
            return Mixture(mixture.components, mixture.weights, within)
        if self.law is UNSET:
            return None
        law = self.law.read(domain, counts, "law")
        return replace(law, within=_within(self.within, domain, law.order))


def read_json(data: bytearray, *, layout: bool) -> Model:
    """The model that the bytes of a file describe."""
    _check_head(data)
    document = decode(data, Document)
    model = document.read(layout=layout)
    if document.checksum is not UNSET:  # said last: an error with a place says more
        _check_checksum(data)
    return model


def _check_head(data: bytearray) -> None:
    """Is this a model file, of the version that is read?"""
    start = data[:200].lstrip()
    if not start and not data.strip():
        raise ModelFileError(f"the file is empty. {CHANGED}")
    if not start.startswith(b"{"):
        shown = brief(start.decode(errors="replace"), 40)
        raise ModelFileError(f"this is not a model file: it starts with {shown}, not with an object.")
    head = decode(data, Head)
    if head.format != FORMAT:
        raise fault("format", f"expected {FORMAT!r}; got {brief(head.format)}. This is not a model file.")
    if type(head.version) is int and head.version > VERSION:
        raise fault(
            "version",
            f"the file has version {brief(head.version)} and comes from a newer depnet; this one reads version {VERSION}. "
            "Upgrade depnet: pip install --upgrade depnet.",
        )
    if type(head.version) is not int or head.version != VERSION:
        raise fault("version", f"expected {VERSION}; got {brief(head.version)}. {AGAIN}")


def _check_checksum(data: bytearray) -> None:
    start = data.rindex(b'"checksum"')
    field = _CHECKSUM.fullmatch(data, start)
    if field is None:
        raise fault("checksum", "expected it to be the last field of the file.")
    checksum = checksum_of(memoryview(data)[:start])
    if field[1] != checksum.encode():
        raise fault(
            "checksum",
            f"{brief(field[1].decode(errors='replace'))} is not that of the content, {checksum}. {CHANGED} If you changed "
            "it on purpose, remove the field 'checksum' or correct it.",
        )


def encode_json(model: Model) -> bytes:
    """The bytes of a file: one variable, one node and the trees of one variable a line."""
    domain, network, law = model.domain, model.network, model.law
    variables = [VariableFields.of(each, f"domain.variables[{i}]") for i, each in enumerate(domain.variables)]
    parts = [
        f'"format": {_text(FORMAT)}',
        f'"version": {VERSION}',
        f'"domain": {{"variables": {_lines(variables)}}}',
    ]
    if not model.alone:
        parts.append(f'"nodes": {_nodes(network, "nodes")}')
        parts += _held_out(network.held_out, "held_out")
    if isinstance(law, Mixture):
        each = [_law(part, f"mixture.components[{k}]") for k, part in enumerate(law.components)]
        inside = ",\n".join(each)
        parts.append(f'"mixture": {{"weights": {_text(law.weights)}, "components": [\n{inside}\n]}}')
    elif law is not None:
        parts.append(f'"law": {_law(law, "law")}')
    if model.counts is not None:
        parts.append(f'"counts": {_text(CountsFields.of(model.counts))}')
    if law is not None and law.within is not None:
        parts.append(f'"within": {_lines(map(TreesFields.of, law.within.trees))}')
    if model.layout is not None:
        parts.append(f'"layout": {_text(LayoutFields.of(model.layout, domain))}')
    content = ("{\n" + ",\n".join(parts) + ",\n").encode()
    return content + f'"checksum": "{checksum_of(memoryview(content))}"\n}}\n'.encode()


def checksum_of(content: memoryview) -> str:
    """SHA-256 of all that stands before the field `checksum`, blanks and line breaks left out."""
    digest = hashlib.sha256()
    for start in range(0, len(content), _CHUNK):  # no copy of the whole file
        digest.update(bytes(content[start : start + _CHUNK]).translate(None, b" \t\r\n"))
    return f"sha256:{digest.hexdigest()}"


def _nodes(network: Network, at: str) -> str:
    cards = network.domain.cardinalities
    return _lines(NodeFields.of(node, cards, f"{at}[{i}]") for i, node in enumerate(network.nodes))


def _law(law: Network, at: str) -> str:
    order = f'"order": {_text(law.order)}'
    order += "" if law.tiers is None else f', "tiers": {_text(law.tiers)}'
    kept = [ConstraintFields.of(each, law.domain) for each in law.constraints]
    order += f', "constraints": {_text(kept)}' if kept else ""
    beside = ", ".join([order, *_held_out(law.held_out, f"{at}.held_out")])
    return f'{{{beside},\n"nodes": {_nodes(law, f"{at}.nodes")}}}'


def _held_out(held_out: HeldOut | None, at: str) -> list[str]:
    """The field `held_out`, where there is something to say."""
    if held_out is None:
        return []
    if held_out.rows > MAX_COUNT:
        raise fault(f"{at}.rows", f"expected a whole number from 1 to {MAX_COUNT:,}; got {held_out.rows:,}.")
    return [f'"held_out": {_text(HeldOutFields(**asdict(held_out)))}']


def _lines(values: Any) -> str:
    return "[\n" + ",\n".join(map(_text, values)) + "\n]"


def _text(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
