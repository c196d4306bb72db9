"""A reader without a browser: loads a page and speaks NiceGUI's socket.io over a websocket, as the page's script does."""

import asyncio
import html
import json
import re
import uuid
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

import aiohttp
import socketio  # type: ignore[import-untyped]

from tests.explorer.browser import SECONDS

Posterior = dict[str, list[float]]


class Reader:
    """One open Ask page. `url` has no slash at its end."""

    def __init__(self, url: str, http: aiohttp.ClientSession) -> None:
        self.url, self.http = url, http
        self.socket = socketio.AsyncClient(reconnection=False)
        self.socket.on("update", self._told)
        self.answers: asyncio.Queue[Posterior] = asyncio.Queue()
        self.shown = 0

    async def open(self, evidence: Iterable[tuple[str, str]]) -> Posterior:
        """Open a link; the answer to the evidence in it."""
        async with self.http.get(f"{self.url}/?{urlencode(list(evidence))}") as response:
            text = await response.text()
            assert response.status == 200, text
        elements = json.loads(html.unescape(_found(r"parseElements\(String\.raw`(.*?)`\)", text)))
        self.client = _found(r"'client_id': '([0-9a-f-]+)'", text)
        self.marginals, events = next(
            (key, element["events"])
            for key, element in elements.items()
            if any(event["type"] == "clamp" for event in element.get("events", ()))
            and not element["props"].get("large")  # the target's own card
        )
        self.listener = next(event["listener_id"] for event in events if event["type"] == "clamp")
        query = {
            "client_id": self.client,
            "next_message_id": _found(r"'next_message_id': (\d+)", text),
            "implicit_handshake": "true",
            "document_id": str(uuid.uuid4()),
            "tab_id": str(uuid.uuid4()),
        }
        await self.socket.connect(
            f"{self.url}?{urlencode(query)}",
            headers={"Origin": self.url},
            transports=["websocket"],
            socketio_path="/_nicegui_ws/socket.io",
            wait_timeout=SECONDS,
        )
        return await self._answered()

    async def clamp(self, name: str, code: int) -> Posterior:
        """Click a state; the next answer."""
        said = {"client_id": self.client, "id": int(self.marginals), "listener_id": self.listener}
        await self.socket.emit("event", {**said, "args": [json.dumps([name, code])]})
        return await self._answered()

    async def close(self) -> None:
        await self.socket.disconnect()

    async def _answered(self) -> Posterior:
        return await asyncio.wait_for(self.answers.get(), SECONDS)

    def _told(self, message: dict[str, Any]) -> None:
        shown = message.get(self.marginals, {}).get("props", {})
        if shown.get("answer", 0) > self.shown:
            self.shown = shown["answer"]
            cards = ((one["card"], one["now"] or one["card"]["base"]) for one in shown["cards"])
            self.answers.put_nowait({card["name"]: numbers["p"] for card, numbers in cards})


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.DOTALL)
    assert found is not None, f"no {pattern} in the page: {text[:300]}"
    return found.group(1)
