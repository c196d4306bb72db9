"""What held-out rows said of a network, in a model file: how many, two scores, what a law is worth, how sure it is."""

from typing import Any

from depnet.model.file.fields import fault, fields_of, located, number_of, whole_of
from depnet.model.held_out import HeldOut
from depnet.model.table import MAX_COUNT

OPTIONAL = ("worth", "sure_shares", "sure_means")


def held_out_in(held_out: HeldOut | None, at: str) -> dict[str, Any]:
    """The field `held_out` of a document, where there is something to say."""
    if held_out is None:
        return {}
    fields: dict[str, Any] = {
        "rows": whole_of(held_out.rows, f"{at}.rows", 1, MAX_COUNT),
        "score": float(held_out.score),
        "independent": float(held_out.independent),
    }
    for name in OPTIONAL:
        if (value := getattr(held_out, name)) is not None:
            fields[name] = float(value)
    return {"held_out": fields}


def held_out_of(value: object, at: str) -> HeldOut:
    """What a document says of held-out rows."""
    fields = fields_of(value, at, ("rows", "score", "independent"), optional=OPTIONAL)
    rows = whole_of(fields["rows"], f"{at}.rows", 1, MAX_COUNT)
    scores = {name: _float(given, f"{at}.{name}") for name, given in fields.items() if name != "rows"}
    with located(at):
        return HeldOut(rows, **scores)


def _float(value: object, at: str) -> float:
    try:
        return float(number_of(value, at))
    except OverflowError:  # a whole number past all floats
        raise fault(at, "this number is larger than any float64.") from None
