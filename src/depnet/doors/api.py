"""The HTTP API: a model asked by another program (docs/serve.md).

Each route takes one typed request, has one function of the library answer it, and says what is wrong in the library's own
sentence. The same question has the same bytes for an answer: seeds are fixed, and no time is told. Answers are found in a
few threads; who comes while too many wait is told to come again.
"""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

import depnet
from depnet.doors import requests as ask
from depnet.doors.served import Served
from depnet.errors import DepnetError
from depnet.threads import cores
from depnet.wording import json_value

MOST_WAITING = 64
"""Requests that wait for a thread."""
MOST_BODY = 16 * 2**20
"""Bytes of one request."""
PATH = "/api"

Asked = TypeVar("Asked")


class TooBusy(Exception):  # noqa: N818  # it is no error of anybody's
    """Too many wait for an answer."""


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
        wrong = error.errors()[:3]
        said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in wrong)
        if wrong[0]["type"] == "model_attributes_type":
            said = "a request is an object in JSON, sent with the header `Content-Type: application/json`."
        return _json({"error": "RequestError", "message": said}, 422)
    if isinstance(error, TooBusy):
        said = f"{MOST_WAITING} questions wait for an answer already. Come again in a second."
        return _json({"error": "TooBusy", "message": said}, 503, {"retry-after": "1"})
    if isinstance(error, MemoryError):
        return _json(
            {"error": "MemoryError", "message": "there is not enough memory. Ask for less at once."}, 503
        )
    if isinstance(error, DepnetError):
        # An argument of the library is a field of a request.
        said = error.render(
            lambda hint: '"unknown": "missing"' if hint.argument == "handle_unknown" else None
        )
        return _json({"error": type(error).__name__, "message": said}, 422)
    said = "depnet did not expect this; its log has more."
    return _json({"error": type(error).__name__, "message": said}, 500)


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ask.ErrorSaid} for status in statuses}


def _json(document: Any, status: int = 200, headers: Any = None) -> Response:
    content = json.dumps(json_value(document), allow_nan=False, separators=(",", ":"))
    return Response(content, status, headers, "application/json")
