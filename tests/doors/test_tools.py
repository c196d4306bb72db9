"""An assistant's tools, asked by the SDK's own client, over its standard streams and over HTTP; the model card."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import depnet
from depnet.doors.card import model_card
from depnet.doors.rows import model_of
from tests.cli.entry import COMMAND, answer
from tests.cli.entry import depnet as command
from tests.doors.cases import shop, shop_model, titanic_model
from tests.doors.running import Running, running

TOOLS = ["describe_table", "ask", "compare_groups", "what_moves", "odd_rows", "similar_rows", "sample_rows"]
Talk = Callable[[Client], Coroutine[Any, Any, None]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tools")
    shop_model().save(place / "shop.json")
    shop().to_csv(place / "shop.csv", index=False)
    return place


def over_streams(folder: Path, talk: Talk, *words: object) -> None:
    async def run() -> None:
        parameters = StdioServerParameters(
            command=COMMAND, args=["mcp", str(folder / "shop.json"), *map(str, words)]
        )
        async with Client(stdio_client(parameters)) as client:
            await talk(client)

    asyncio.run(run())


def over_http(server: Running, talk: Talk) -> None:
    async def run() -> None:
        async with Client(server.url) as client:
            await talk(client)

    asyncio.run(run())


async def said(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    return "\n".join(part.text for part in found.content if part.type == "text")


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    return "\n".join(part.text for part in found.content if part.type == "text")


async def conversation(client: Client) -> None:
    """What an assistant asks of the shop, and what it must be told."""
    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == TOOLS
    assert all(tool.description for tool in listed.tools)
    about = await said(client, "describe_table")
    assert "- city (category, missing in 10.6 %): Bern, Köln" in about
    assert "- price (number, missing in 7.5 %): 38.29 to 1300.71" in about
    found = await said(client, "ask", target="paid", given="city = Bern")
    rows = shop()[shop()["city"] == "Bern"]
    assert f"{len(rows)} of 800 training rows match" in found
    assert f"{rows['paid'].mean():.4f}" in found  # the table's own
    assert "90 % sure" in found
    assert "law" not in found
    both = await said(
        client, "compare_groups", target="paid = True", first="city = Bern", second="city = Köln"
    )
    assert both.index("city = Bern\n") < both.index("city = Köln\n")
    assert (await said(client, "what_moves", target="paid")).startswith("paid = True: 0.")
    assert len((await said(client, "odd_rows", n=2)).splitlines()) >= 2
    alike = (await said(client, "similar_rows", given="city = Bern", target="paid", n=3)).splitlines()
    assert len(alike) == 4
    assert all("Bern" in row for row in alike[1:])
    drawn = (await said(client, "sample_rows", n=3, given="city = Bern")).splitlines()
    assert drawn[0] == "city | rooms | price | when | paid | note"
    assert all(row.startswith("Bern | ") for row in drawn[1:])
    assert "there is no variable 'paied'. Did you mean 'paid'" in await refused(client, "ask", target="paied")
    assert "between 1 and 50" in await refused(client, "sample_rows", n=10**9)
    card = await client.read_resource("depnet://card")
    assert "# Model card: shop" in str(card.contents[0])


def test_the_sdks_client_talks_over_standard_streams(folder: Path) -> None:
    over_streams(folder, conversation, "--data", folder / "shop.csv")


def test_the_sdks_client_talks_over_http_behind_the_guard(folder: Path) -> None:
    words = ("mcp", folder / "shop.json", "--data", folder / "shop.csv", "--http", "--port", 0)
    with running(folder, *words, said="tools at") as server:
        over_http(server, conversation)
        assert server.raw("", b"{}", origin="http://evil.example")[0] == 403
        assert server.raw("", b"{}", host="evil.example")[0] == 421


def test_without_a_table_odd_rows_say_what_is_missing(folder: Path) -> None:
    async def talk(client: Client) -> None:
        assert "--data" in await refused(client, "odd_rows")
        assert "--data" in await refused(client, "similar_rows", given="city = Bern")

    over_streams(folder, talk)


def test_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert b"pip install 'depnet[mcp]'" in command("mcp", folder / "shop.json", code=1).stderr


def test_a_card_says_what_the_table_was(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "card.md"
    assert answer("card", folder / "shop.json", "-o", out)["characters"] == len(
        out.read_text(encoding="utf-8")
    )
    text = out.read_text(encoding="utf-8")
    assert "A depnet model of 800 rows: 6 columns" in text
    assert "| note | category | 2 |  |  | " in text
    assert f"{100 * shop()['note'].isna().mean():.1f} %" in text
    assert "came up in fewer than 5 rows" not in model_card(model_of(titanic_model()))
    rare = depnet.Dataset.from_frame([{"a": "x", "b": 1}] * 20 + [{"a": "y|<b>", "b": 0}] * 3)
    found = model_card(model_of(depnet.learn(rare, order="auto").with_counts(rare)), "a|b")
    assert "2 values of its columns came up in fewer than 5 rows" in found
    assert found.startswith("# Model card: a\\|b\n")
