"""The layout in a model file: what the frame was that the network was learned from, so that results are like it.

A section that readers may leave alone: a network is the same without it.
"""

from typing import Any, cast, get_args

from depnet.data.binning.bins import TIMES
from depnet.data.frames.decode import check_column
from depnet.data.frames.dtypes import dtype_of, plain_dtype
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnKind, ColumnLayout, FrameKind, Layout
from depnet.data.table.variable import Variable
from depnet.errors import brief
from depnet.model.file.fields import fault, fields_of, items_of, located, whole_of

AT = "layout"


def document_of_layout(layout: Layout, domain: Domain) -> dict[str, Any]:
    """What a file says of a layout; a type that cannot be kept is null, the usual one."""
    columns = []
    for variable, column in zip(domain.variables, layout.columns, strict=True):
        states = labels_of(variable)
        keyed = column.key if type(column.key) in (str, int) else variable.name
        values = column.values is None or tuple(column.values) == states
        dtype = plain_dtype(column.dtype, layout.kind, states) if values else None
        columns.append({"key": keyed, "kind": column.kind, "dtype": dtype})
    return {"frame": layout.kind, "structured": layout.structured, "columns": columns}


def frame_of(value: object) -> FrameKind:
    """The kind of frame that a document names."""
    kind = value.get("frame") if isinstance(value, dict) else None
    if kind not in get_args(FrameKind):
        raise fault(f"{AT}.frame", f"expected one of {', '.join(get_args(FrameKind))}; got {brief(kind)}.")
    return cast("FrameKind", kind)


def layout_of(value: object, domain: Domain) -> Layout:
    """The layout that a document describes. It needs the library of its kind of frame."""
    kind = frame_of(value)
    fields = fields_of(value, AT, ("frame", "structured", "columns"))
    if not isinstance(fields["structured"], bool):
        raise fault(f"{AT}.structured", f"expected true or false; got {brief(fields['structured'])}.")
    given = items_of(fields["columns"], f"{AT}.columns", len(domain))
    columns = tuple(
        _column(each, variable, kind, f"{AT}.columns[{i}]")
        for i, (each, variable) in enumerate(zip(given, domain.variables, strict=True))
    )
    keys = [column.key for column in columns]
    if len(set(map(str, keys))) < len(keys):
        raise fault(f"{AT}.columns", "two columns have one key.")
    if fields["structured"]:
        for i, key in enumerate(keys):
            if not isinstance(key, str) or not key:
                raise fault(f"{AT}.columns[{i}].key", f"expected the name of a field; got {brief(key)}.")
    return Layout(kind, columns, fields["structured"])


def labels_of(variable: Variable) -> tuple[Any, ...]:
    """The states of a variable that are values, so not the one for missing ones."""
    return variable.states[: variable.cardinality - (variable.missing is not None)]


def _column(value: object, variable: Variable, kind: FrameKind, at: str) -> ColumnLayout:
    fields = fields_of(value, at, ("key", "kind", "dtype"))
    if type(fields["key"]) not in (str, int):
        raise fault(f"{at}.key", f"expected a string or a whole number; got {brief(fields['key'])}.")
    if isinstance(fields["key"], int):
        whole_of(fields["key"], f"{at}.key", -(2**63), 2**63 - 1)
    kinds = get_args(ColumnKind)
    if variable.bins is not None:
        others = {"integer": ("float",), **dict.fromkeys(TIMES, ("label",))}  # times may be text
        kinds = (variable.bins.kind, *others.get(variable.bins.kind, ()))
    if fields["kind"] not in kinds:
        raise fault(f"{at}.kind", f"expected one of {', '.join(kinds)}; got {brief(fields['kind'])}.")
    with located(f"{at}.dtype"):
        dtype = dtype_of(fields["dtype"], kind, labels_of(variable))
        column = ColumnLayout(fields["key"], fields["kind"], dtype)
        check_column(variable, column, kind)
    return column
