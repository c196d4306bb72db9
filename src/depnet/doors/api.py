"""The HTTP API: a model asked by another program (docs/serve.md).

Each route takes one typed request, has one function of the library answer it, and says what is wrong in the library's own
sentence. The same question has the same bytes for an answer: seeds are fixed, and no time is told. Answers are found in a
few threads; who comes while too many wait is told to come again.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

import depnet
from depnet.data.table.dataset import Holed
from depnet.data.table.encode import HandleUnknown
from depnet.doors import requests as ask
from depnet.doors.documents import answer_document, plain
from depnet.doors.rows import RowModel, plain_layout
from depnet.doors.sql import describe_columns
from depnet.errors import STEADY_SEED, DepnetError, Hint, InferenceError, Message
from depnet.fitting.summary import count_rows, law_nearness, plain_figures
from depnet.inference import query
from depnet.inference.answer.shown import without_small_counts
from depnet.inference.judge.influence import influence
from depnet.learning.links import links
from depnet.model.evidence import Given
from depnet.model.given_text import read_given
from depnet.model.network import Model
from depnet.threads import cores
from depnet.wording import json_value

MOST_WAITING = 64
"""Requests that wait for a thread."""
MOST_NUMBERS = 2_000_000
"""Numbers of one answer."""
MOST_BODY = 16 * 2**20
"""Bytes of one request."""
PATH = "/api"

Asked = TypeVar("Asked")


class TooBusy(Exception):  # noqa: N818  # it is no error of anybody's
    """Too many wait for an answer."""


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
            "links": [{"source": x.source, "target": x.target, "strength": x.strength} for x in found],
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
        effects = [
            {
                "column": effect.variable.name,
                "low": {"state": str(effect.variable.states[effect.low]), "value": effect.values[effect.low]},
                "high": {
                    "state": str(effect.variable.states[effect.high]),
                    "value": effect.values[effect.high],
                },
                "bits": effect.bits,
            }
            for effect in found.effects
        ]
        return {"about": found.measure.said, "value": found.value, "error": found.error, "effects": effects}


def api_of(served: Served) -> FastAPI:
    """The application, to be mounted under `PATH`."""
    api = FastAPI(
        title="depnet",
        version=depnet.__version__,
        description="What a model of a table says: answers, new rows, holes filled, odd rows.",
        docs_url=None,
        redoc_url=None,
    )
    limiter = CapacityLimiter(cores())

    async def answer(find: Callable[[], dict[str, Any]]) -> Response:
        if limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise TooBusy
        return _json(await to_thread.run_sync(find, limiter=limiter))

    described: list[Response] = []
    about = asyncio.Lock()

    @api.get("/describe", response_model=ask.Description, responses=_errors(503))
    async def describe() -> Response:
        """Describe the model: its columns, its links, and how good it is."""
        async with about:  # always the same, and it takes a while
            if not described:
                described.append(await answer(served.describe))
        return described[0]

    def route(path: str, kind: type[Asked], said: Any, find: Callable[[Any], dict[str, Any]]) -> None:
        async def handle(asked: kind) -> Response:  # type: ignore[valid-type]  # FastAPI reads it
            return await answer(partial(find, asked))

        handle.__name__ = path.strip("/").replace("/", "_")
        handle.__doc__ = kind.__doc__
        api.post(path, response_model=said, responses=_errors(422, 503))(handle)

    route("/query", ask.Question, ask.Answer, served.query)
    route("/query_rows", ask.RowsQuestion, ask.AnswersOfRows, served.query_rows)
    route("/sample", ask.Draw, ask.RowsSaid, served.sample)
    route("/impute", ask.RowsGiven, ask.RowsSaid, served.impute)
    route("/score", ask.RowsGiven, ask.Scores, served.score)
    route("/influence", ask.InfluenceQuestion, ask.InfluenceSaid, served.influence)

    async def refuse(_: Request, error: Exception) -> Response:
        return _refusal(error)

    for kind in (DepnetError, RequestValidationError, HTTPException, TooBusy, MemoryError, Exception):
        api.add_exception_handler(kind, refuse)
    return api


def served_alone(served: Served) -> FastAPI:
    """The API without a page: at its root is the way to it."""
    outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    outer.mount(PATH, api_of(served))
    outer.add_api_route("/", lambda: RedirectResponse(f"{PATH}/openapi.json"), include_in_schema=False)
    return outer


def _refusal(error: Exception) -> Response:
    """Why there is no answer; what is wrong with a question is 422."""
    if isinstance(error, HTTPException):
        return _json({"error": "HTTP", "message": str(error.detail)}, error.status_code, error.headers)
    if isinstance(error, RequestValidationError):
        said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3])
        return _json({"error": "RequestError", "message": said}, 422)
    if isinstance(error, TooBusy):
        said = f"{MOST_WAITING} questions wait for an answer already. Come again in a second."
        return _json({"error": "TooBusy", "message": said}, 503, {"retry-after": "1"})
    if isinstance(error, MemoryError):
        return _json(
            {"error": "MemoryError", "message": "there is not enough memory. Ask for less at once."}, 503
        )
    if isinstance(error, DepnetError):
        said = error.render(_field) if isinstance(error, Message) else str(error)
        return _json({"error": type(error).__name__, "message": said}, 422)
    said = "depnet did not expect this; its log has more."
    return _json({"error": type(error).__name__, "message": said}, 500)


def _field(hint: Hint) -> str | None:
    """An argument of the library as a field of a request."""
    return '"unknown": "missing"' if hint.argument == "handle_unknown" else None


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ask.ErrorSaid} for status in statuses}


def _cells(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows as JSON has them: dates as text, durations in seconds."""
    return [{str(name): plain(value) for name, value in row.items()} for row in rows]


def _json(document: Any, status: int = 200, headers: Any = None) -> Response:
    content = json.dumps(json_value(document), allow_nan=False, separators=(",", ":"))
    return Response(content, status, headers, "application/json")
