"""The layout in a model file: what the frame was that the network was learned from, so that results are like it.

A section that readers may leave alone: a network is the same without it.
"""

from typing import get_args

from msgspec import Raw

from depnet.data.binning.bins import TIMES
from depnet.data.frames.decode import check_column
from depnet.data.frames.dtypes import available, dtype_of, plain_dtype
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnKind, ColumnLayout, FrameKind, Layout
from depnet.data.table.variable import Variable
from depnet.errors import brief
from depnet.model.file.fields import ColumnFields, LayoutFields, decode, fault, located


def layout_fields(layout: Layout, domain: Domain) -> LayoutFields:
    """What a file says of a layout; a type that cannot be kept is null, the usual one."""
    columns = []
    for variable, column in zip(domain.variables, layout.columns, strict=True):
        states = variable.present_states
        key = column.key if type(column.key) in (str, int) else variable.name
        values = column.values is None or tuple(column.values) == states
        dtype = plain_dtype(column.dtype, layout.kind, states) if values else None
        columns.append(ColumnFields(key, column.kind, dtype))
    return LayoutFields(layout.kind, layout.structured, columns)


def layout_of(raw: Raw, domain: Domain) -> Layout | None:
    """The layout that a file describes; None where the library of its kind of frame is not installed."""
    fields = decode(raw, LayoutFields, "layout")
    if not available(fields.frame):
        return None
    if len(fields.columns) != len(domain):
        raise fault("layout.columns", f"expected {len(domain):,} entries; got {len(fields.columns):,}.")
    columns = tuple(
        _column(each, variable, fields.frame, f"layout.columns[{i}]")
        for i, (each, variable) in enumerate(zip(fields.columns, domain.variables, strict=True))
    )
    keys = [column.key for column in columns]
    if len(set(map(str, keys))) < len(keys):
        raise fault("layout.columns", "two columns have one key.")
    for i, key in enumerate(keys if fields.structured else ()):
        if not isinstance(key, str) or not key:
            raise fault(f"layout.columns[{i}].key", f"expected the name of a field; got {brief(key)}.")
    return Layout(fields.frame, columns, fields.structured)


def _column(fields: ColumnFields, variable: Variable, kind: FrameKind, at: str) -> ColumnLayout:
    kinds = get_args(ColumnKind)
    if variable.bins is not None:
        others = {"integer": ("float",), **dict.fromkeys(TIMES, ("label",))}  # times may be text
        kinds = (variable.bins.kind, *others.get(variable.bins.kind, ()))
    if fields.kind not in kinds:
        raise fault(f"{at}.kind", f"expected one of {', '.join(kinds)}; got {brief(fields.kind)}.")
    with located(f"{at}.dtype"):
        dtype = dtype_of(fields.dtype, kind, variable.present_states)
        column = ColumnLayout(fields.key, fields.kind, dtype)
        check_column(variable, column, kind)
    return column
