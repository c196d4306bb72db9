"""What the API is asked and what it says, as types: OpenAPI's schemas are made of them, and requests are checked by them."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

MOST_ROWS = 100_000
"""Rows of one request, and of one answer."""
MOST_TARGETS = 100
MOST_SECONDS = 10.0
MOST_TEXT = 10_000
"""Characters of one name, label or condition."""

Text: TypeAlias = Annotated[StrictStr, Field(max_length=MOST_TEXT)]
Value: TypeAlias = StrictBool | StrictInt | StrictFloat | Text
Fact: TypeAlias = Value | list[Value] | dict[Text, StrictInt | StrictFloat] | None
Given: TypeAlias = dict[Text, Fact] | Text | None
"""By column: a value, a text such as ">30" or "20..40", a list of values, or weights of values; null is unknown. Or all of
it as a text: "sex = female, age > 30"."""
Row: TypeAlias = dict[Text, Value | None]
Rows: TypeAlias = Annotated[list[Row], Field(min_length=1, max_length=MOST_ROWS)]
Unknown: TypeAlias = Literal["error", "missing"]
"""What is done with values that the model has never seen."""


class Request(BaseModel):
    """A body in JSON without fields that nobody knows."""

    model_config = ConfigDict(extra="forbid")


class Question(Request):
    """What is likely, given what is known? A target is a column, or a condition such as "income > 50000"."""

    targets: list[Text] = Field(min_length=1, max_length=MOST_TARGETS, examples=[["survived"]])
    given: Given = Field(default=None, examples=[{"sex": "female"}])
    max_seconds: float = Field(default=5.0, gt=0, le=MOST_SECONDS)


class RowsQuestion(Request):
    """The same for every row; null, and columns that are not there, are unknown, and the target is not looked at."""

    targets: list[Text] = Field(min_length=1, max_length=MOST_TARGETS)
    rows: Rows
    without: list[Text] = Field(default=[], max_length=MOST_TARGETS, description="Columns not to look at.")
    unknown: Unknown = "error"


class Draw(Request):
    """New rows, given what is known; the same ones for the same seed."""

    n: int = Field(default=10, ge=1, le=MOST_ROWS)
    given: Given = None
    seed: int = Field(default=0, ge=0, lt=2**63)


class RowsGiven(Request):
    """Rows of a table; null is missing."""

    rows: Rows
    unknown: Unknown = "error"


class InfluenceQuestion(Request):
    """What would move a target? `of` is a state of it, a condition (">30") or "mean"."""

    target: Text
    of: Text | None = None
    given: Given = None
    max_seconds: float = Field(default=2.0, gt=0, le=MOST_SECONDS)


class ErrorSaid(BaseModel):
    """Why there is no answer, in a sentence."""

    error: str
    message: str


class Column(BaseModel):
    name: str
    kind: str
    states: int
    least: str | None
    greatest: str | None
    missing: float | None
    values: list[str] = Field(description="The states; of numbers, their bins.")


class LinkSaid(BaseModel):
    source: str
    target: str
    strength: float


class Description(BaseModel):
    rows: int | None = Field(description="How many rows were learned from.")
    said: list[str] = Field(description="How good the model is, in sentences.")
    columns: list[Column]
    links: list[LinkSaid]


class TargetStates(BaseModel):
    name: str
    states: list[bool | int | float | str]


class Answer(BaseModel):
    """As `depnet query --json` answers; docs/command-line.md has the fields."""

    model_config = ConfigDict(extra="allow")
    targets: list[TargetStates]
    probabilities: dict[str, list[float]]
    standard_errors: dict[str, list[float]]
    combined: dict[str, list[float]]
    observed: dict[str, list[float | None]] | None
    numbers: dict[str, dict[str, Any]]
    warnings: list[str]
    converged: bool


class RowAnswers(BaseModel):
    states: list[str] = Field(description="Of a condition False and True.")
    probabilities: list[list[float]] = Field(description="Of each row, those of the states.")
    mean: list[float | None] | None = Field(description="Of a number; of dates and durations in seconds.")


class AnswersOfRows(BaseModel):
    rows: int
    answers: dict[str, RowAnswers]


class RowsSaid(BaseModel):
    rows: list[dict[str, bool | int | float | str | None]]


class WhySaid(BaseModel):
    column: str
    value: str
    expected: str
    odd: float


class Scores(BaseModel):
    log_likelihood: list[float | None] = Field(description="Of each row, in nats; null: impossible.")
    odd: list[float] = Field(description="How unusual each row is: 200 is one in 200.")
    why: list[WhySaid | None] = Field(description="The cell that fits the rest of its row worst.")


class End(BaseModel):
    state: str
    value: float | None


class EffectSaid(BaseModel):
    column: str
    low: End
    high: End
    bits: float


class InfluenceSaid(BaseModel):
    about: str
    value: float | None
    error: float | None
    effects: list[EffectSaid] = Field(description="The column that can move it furthest first.")
