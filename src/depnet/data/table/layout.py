"""What a frame was, so that results can come back as one like it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from depnet.data.table.domain import Domain
from depnet.errors import DataError, brief

FrameKind: TypeAlias = Literal["pandas", "polars", "pyarrow", "numpy", "dicts"]

ColumnKind: TypeAlias = Literal[
    "label", "boolean", "integer", "float", "date", "datetime", "duration", "empty"
]
"""What the values of a column are; "empty": nothing but missing ones, of no type of their own."""


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """One column: its own key in the frame, what its values are, the frame's own dtype (None: the usual one).

    `values` are the frame's own objects for the states, where these are not the labels (intervals, say). `form` is how text
    has its moments (`Bins.form`).
    """

    key: Any
    kind: ColumnKind
    dtype: Any = None
    values: tuple[Any, ...] | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The kind of frame ("pandas", "polars", "pyarrow", "numpy" or "dicts") and its columns, in order.

    >>> from depnet.data import Variable
    >>> Layout.of(Domain((Variable("sex", ("female", "male")),)), "polars").columns[0].kind
    'label'
    """

    kind: FrameKind
    columns: tuple[ColumnLayout, ...]
    structured: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(FrameKind):
            raise DataError(
                f"the kind of a frame is one of {', '.join(get_args(FrameKind))}; got {brief(self.kind)}."
            )

    @classmethod
    def of(cls, domain: Domain, kind: FrameKind = "pandas") -> "Layout":
        """A layout for a domain that came from no frame: a model that was loaded, or a table of codes."""
        columns = []
        for variable in domain.variables:
            labels = [label for label in variable.states if label is not variable.missing]
            bins = variable.bins
            column: ColumnKind = bins.kind if bins is not None else _kind_of_labels(labels)
            columns.append(ColumnLayout(variable.name, column, form=None if bins is None else bins.form))
        return cls(kind, tuple(columns))


def _kind_of_labels(labels: Iterable[object]) -> ColumnKind:
    types = {type(label) for label in labels}
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "integer"
    if types and types <= {int, float}:
        return "float"
    return "label"
