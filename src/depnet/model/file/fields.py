"""The fields of a model file as types, and JSON as values of these types: docs/model-file.md says what they mean.

One type serves both ways. What msgspec finds wrong on the way in (a field that is missing, unknown or of another type, a
number out of range) is a `ModelFileError` with its place. Nodes and trees stay text until their turn comes, so that no more
than one of them is in memory as plain values.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from depnet.data.table.layout import ColumnKind, FrameKind
from depnet.errors import DataError, ModelError, ModelFileError
from depnet.model.sources.source import MAX_LEAVES
from depnet.model.table import MAX_COUNT, ROW_SUM_TOLERANCE

FORMAT = "depnet network"
VERSION = 7
"""The one that is written and read."""

CHANGED = "The file is damaged, or was changed after it was written; get it again, or save the network again."

Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Leaf: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_LEAVES)]
Size: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_LEAVES)]
Probability: TypeAlias = Annotated[float, Meta(ge=0, le=1 + ROW_SUM_TOLERANCE)]
Key: TypeAlias = str | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class Fields(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """An object of the file: it has its fields and no others."""


class BinsFields(Fields):
    """The bins of a variable; an edge that is null is infinite."""

    kind: str
    edges: list[int | float | None]
    quantiles: list[list[int | float]]
    form: str | None = None


class VariableFields(Fields):
    name: str
    states: list[str | int | float | bool]
    bins: BinsFields | UnsetType = UNSET
    missing: bool = False
    other: bool = False
    ordered: bool = False


class DomainFields(Fields):
    variables: list[VariableFields]


class ConstantFields(Fields, tag_field="kind", tag="constant"):
    """A source of one leaf."""


class LosslessFields(Fields, tag_field="kind", tag="lossless"):
    """A source with a leaf for each joint state of its inputs."""

    inputs: list[Leaf]


class GraphFields(Fields, tag_field="kind", tag="decision graph"):
    operations: list[tuple[Literal["split", "merge"], Leaf, Leaf]]


class TabulatedFields(Fields, tag_field="kind", tag="tabulated"):
    """A source that says the leaf of each joint state of its inputs."""

    inputs: list[Leaf]
    size: Size
    leaves: list[Leaf]


SourceFields: TypeAlias = ConstantFields | LosslessFields | GraphFields | TabulatedFields


class TableFields(Fields):
    """A conditional table: counts with their smoothing, and a prior where there is one, or probabilities."""

    smoothing: float | UnsetType = UNSET
    counts: list[list[Count]] | UnsetType = UNSET
    prior: list[list[Count]] | UnsetType = UNSET
    probabilities: list[list[Probability]] | UnsetType = UNSET


class BoostedFields(Fields):
    """What a boosted node adds to the scores of its source."""

    start_scores: list[Whole]
    gains: list[float]
    variable: list[Whole]
    low: list[Whole]
    high: list[Whole]
    begin: list[Whole]
    leaf: list[Whole]
    test: list[Whole]
    scores: list[Whole]
    digits: list[Whole] | UnsetType = UNSET
    column: list[Whole] | UnsetType = UNSET


class NodeFields(Fields):
    """A node: its source, and either a table or stages."""

    source: SourceFields
    table: TableFields | UnsetType = UNSET
    boosted: BoostedFields | UnsetType = UNSET


class HeldOutFields(Fields):
    rows: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    score: float
    independent: float
    worth: float | None = None
    sure_shares: float | None = None
    sure_means: float | None = None


class LawFields(Fields):
    order: list[Leaf]
    nodes: list[Raw]
    held_out: HeldOutFields | UnsetType = UNSET


class CountsFields(Fields):
    """1- and 2-way counts of the training rows."""

    singles: list[list[Count]]
    pairs: list[list[Count]] | None
    total: Annotated[int, Meta(ge=0, lt=MAX_COUNT)] | UnsetType = UNSET


class TreesFields(Fields):
    """The trees that say where in its bins one variable lies."""

    column: Whole
    roots: list[Whole]
    variable: list[Whole]
    threshold: list[Whole]
    child: list[Whole]
    shares: list[Whole]


class ColumnFields(Fields):
    """A column of the frame."""

    key: Key
    kind: ColumnKind
    dtype: Any


class LayoutFields(Fields):
    """The frame that the model was learned from."""

    frame: FrameKind
    structured: bool
    columns: list[ColumnFields]


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
    counts: CountsFields | UnsetType = UNSET
    within: list[Raw] | UnsetType = UNSET
    layout: Raw | UnsetType = UNSET
    checksum: str | UnsetType = UNSET


Value = TypeVar("Value")
_LONGEST = 400  # a field of the file may have any name
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<key>key in )?\$(?P<place>.*)`)?", re.S)


def decode(data: bytes | bytearray | Raw, kind: type[Value], at: str = "") -> Value:
    """JSON as a value of a type. `at` is its place in the file, such as nodes[3]."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        found = _PLACE.fullmatch(str(error))
        assert found is not None
        place = (at + (found["place"] or "")).removeprefix(".") or "the file"
        what = found["what"][:1].lower() + found["what"][1:_LONGEST]
        raise fault(place[:_LONGEST], f"{what}.") from None
    except msgspec.DecodeError as error:
        what = f"this is not JSON: {str(error).removeprefix('JSON is malformed: ')}"
        if "truncated" in what:
            what = "the file ends too early: it is not complete"
        raise ModelFileError(f"{what}. {CHANGED}") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"a text in it is not UTF-8. {CHANGED}") from None
    except RecursionError:
        raise ModelFileError(f"lists and objects are nested too deeply. {CHANGED}") from None


def fault(at: str, what: str) -> ModelFileError:
    """The error that says where and what."""
    return ModelFileError(f"{at}: {what}")


@contextlib.contextmanager
def located(at: str) -> Iterator[None]:
    """What the library finds wrong with a value of the file is said with its place."""
    try:
        yield
    except ModelFileError:
        raise
    except (DataError, ModelError) as error:
        raise fault(at, str(error)) from None
