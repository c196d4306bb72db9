"""Answers as JSON: what the command prints with `--json`, and what doors send (docs/command-line.md has the fields)."""

from collections.abc import Mapping
from typing import Any

from depnet.inference import QueryResult
from depnet.wording import pick

AS_THEY_ARE = (
    "matching", "missing", "missing_observed", "method", "evidence", "evidence_ignored", "converged", "tolerance", "r_hat",
    "effective_sample_size", "seconds", "warnings",
)  # fmt: skip
"""Attributes of a result that JSON has under the same names."""


def answer_document(result: QueryResult) -> dict[str, Any]:
    """The answer as JSON; docs/command-line.md has its fields."""
    asked = zip(result.targets, result.states, strict=True)
    return {
        "targets": [{"name": name, "states": states} for name, states in asked],
        "joint": result.joint,
        "probabilities": _by_target(result, result.probabilities),
        "standard_errors": _by_target(result, result.standard_errors),
        "observed": None if result.observed is None else _by_target(result, result.observed),
        "combined": _by_target(result, result.combined),
        "interval": _by_target(result, result.interval),
        "numbers": {name: _number_document(result, name) for name in result.numbers},
        "worth": result.worth if result.matching else None,
        "of": "law" if result.scan is None else "chain",
        "scan": None if result.scan is None else result.scan_name.split()[0],
        "support": pick(result.support, "rows", "exact", of="total"),
        "relevant_variables": result.closure,
        **(pick(result, *AS_THEY_ARE) or {}),
    }


def _number_document(result: QueryResult, name: str) -> dict[str, Any]:
    """What is said of a number, by each of the three kinds of probabilities; null where there are none."""

    def summarise(of: Any) -> dict[str, Any] | None:
        found = result.summary(name, of)
        if found is None:
            return None
        named = pick(found, "mean", "standard_deviation", "quantiles")
        errors = pick(
            found,
            mean="mean_error",
            standard_deviation="standard_deviation_error",
            quantiles="quantile_errors",
        )
        return {**plain(named), "standard_errors": plain(errors), "present": found.present}

    summary = result.numbers[name]
    by_kind = {of: summarise(of) for of in ("probabilities", "observed", "combined")}
    return {"kind": summary.kind, "interval": [plain(end) for end in summary.interval or ()], **by_kind}


def plain(value: Any) -> Any:
    """A number; a date as ISO text, a length of time in seconds; several by their names or levels."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else f"{key:g}": plain(one) for key, one in value.items()}
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.total_seconds() if hasattr(value, "total_seconds") else value


def _by_target(result: QueryResult, answer: Any) -> Any:
    return answer if result.joint or isinstance(answer, dict) else {result.targets[0]: answer}
