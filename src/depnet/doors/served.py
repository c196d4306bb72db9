"""A model that others ask, by HTTP or as an assistant: each question a type, each answer what JSON can say."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.data.table.dataset import Holed
from depnet.data.table.encode import HandleUnknown
from depnet.doors import requests as ask
from depnet.doors.documents import answer_document, plain
from depnet.doors.rows import RowModel, plain_layout
from depnet.doors.sql import describe_columns
from depnet.errors import STEADY_SEED, InferenceError
from depnet.fitting.summary import count_rows, law_nearness, plain_figures
from depnet.inference import query
from depnet.inference.answer.shown import without_small_counts
from depnet.inference.judge.influence import influence
from depnet.learning.links import links
from depnet.model.evidence import Given
from depnet.model.given_text import read_given
from depnet.model.model import Model
from depnet.wording import pick

MOST_NUMBERS = 2_000_000
"""Numbers of one answer."""


@dataclass(frozen=True, eq=False)
class Served:
    """A model that others ask, with the rows of its table where these may join answers.

    `shared`: others than this machine ask, and get no counts of few rows.
    """

    model: Model
    data: Holed | None = None
    shared: bool = False

    def rows(self, unknown: HandleUnknown = "error") -> RowModel:
        return RowModel(self.model, unknown, max_seconds=ask.MOST_SECONDS)

    def given(self, given: ask.Given) -> Given | None:
        """Evidence as the library takes it: what is null is unknown."""
        if isinstance(given, str):
            return read_given(given, self.model.domain)
        return {name: value for name, value in (given or {}).items() if value is not None} or None

    def describe(self) -> dict[str, Any]:
        """What the model is of, and how good it is."""
        law = self.model.law
        columns = [
            {**said, "values": [str(state) for state in variable.present_states]}
            for said, variable in zip(describe_columns(self.model), self.model.domain.variables, strict=True)
        ]
        found = links(self.model.network)
        return {
            "rows": count_rows(self.model.network),
            "said": plain_figures(law, None if law is None else law_nearness(law)),
            "columns": columns,
            "links": [pick(link, "source", "target", "strength") for link in found],
        }

    def query(self, asked: ask.Question) -> dict[str, Any]:
        found = query(
            self.model.asked,
            asked.targets,
            self.given(asked.given),
            max_seconds=asked.max_seconds,
            data=self.data,
            rng=np.random.default_rng(STEADY_SEED),
        )
        document = answer_document(without_small_counts(found) if self.shared else found)
        del document["seconds"]
        return {**document, "interval": plain(document["interval"])}

    def query_rows(self, asked: ask.RowsQuestion) -> dict[str, Any]:
        rows = self.rows(asked.unknown)
        targets = {text: rows.target(text) for text in asked.targets}
        numbers = len(asked.rows) * sum(target.variable.cardinality for target in targets.values())
        if numbers > MOST_NUMBERS:
            raise InferenceError(
                f"the answer would have {numbers:,} numbers, more than {MOST_NUMBERS:,}. Ask for fewer rows or targets."
            )
        answers = {}
        for text, target in targets.items():
            shares = target.shares(rows.laws(target, asked.rows, len(asked.rows), asked.without))
            answers[text] = {
                "states": [str(state) for state in target.variable.states],
                "probabilities": shares,
                "mean": rows.mean(target, shares),
            }
        return {"rows": len(asked.rows), "answers": answers}

    def sample(self, asked: ask.Draw) -> dict[str, Any]:
        rng, layout = np.random.default_rng(asked.seed), plain_layout(self.model.domain, "dicts")
        return {"rows": _cells(self.rows().draw(asked.n, self.given(asked.given), layout, rng))}

    def impute(self, asked: ask.RowsGiven) -> dict[str, Any]:
        domain = self.model.domain
        rows = [{**dict.fromkeys(domain.names), **row} for row in asked.rows]
        return {"rows": _cells(self.rows(asked.unknown).fill(rows, plain_layout(domain, "dicts")))}

    def score(self, asked: ask.RowsGiven) -> dict[str, Any]:
        rows = self.rows(asked.unknown)
        frame = [{**dict.fromkeys(self.model.domain.names), **row} for row in asked.rows]
        return {"log_likelihood": rows.score(frame), "odd": rows.odd(frame), "why": rows.why(frame)}

    def influence(self, asked: ask.InfluenceQuestion) -> dict[str, Any]:
        found = influence(
            self.model.asked,
            asked.target,
            self.given(asked.given),
            of=asked.of,
            max_seconds=asked.max_seconds,
            rng=np.random.default_rng(STEADY_SEED),
        )
        effects = []
        for effect in found.effects:
            ends = {"low": effect.low, "high": effect.high}
            states, values = effect.variable.states, effect.values
            said = {end: {"state": str(states[at]), "value": values[at]} for end, at in ends.items()}
            effects.append({"column": effect.variable.name, **said, "bits": effect.bits})
        return {"about": found.measure.said, "value": found.value, "error": found.error, "effects": effects}


def _cells(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows as JSON has them: dates as text, durations in seconds."""
    return [{str(name): plain(value) for name, value in row.items()} for row in rows]
