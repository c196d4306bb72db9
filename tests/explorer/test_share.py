"""Share: the link, the picture, the numbers and the command of what each view shows, and a report of several findings."""

import io
import re
import shlex
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet.explorer.share import bar_chart, waterfall_chart
from depnet.inference.ask.explain import Explanation, Step
from depnet.pictures.report.page import Section, findings_page
from tests.explorer.browser import COMMAND, explorer
from tests.explorer.cases import HOSTILE, titanic_files, titanic_models
from tests.explorer.test_access import violations


def open_share(page: Page) -> None:
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator(".depnet-share")).to_be_visible()


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    return Path(waiting.value.path()).read_bytes()


def command(page: Page) -> str:
    return page.locator('[data-copy="Command"]').inner_text()


def people() -> pd.DataFrame:
    table = depnet.titanic()
    columns = zip(table.domain.variables, table.codes.T, strict=True)
    return pd.DataFrame({v.name: np.array(v.states)[codes] for v, codes in columns})


def test_a_finding_is_shared_as_picture_numbers_and_report(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}?sex=female&.target=survived")
    expect(page.get_by_text("computed in full")).to_be_visible()
    open_share(page)
    link = page.locator('[data-copy="Link"]').inner_text()
    assert link == page.url
    numbers = pd.read_csv(io.BytesIO(download(page, "CSV of the numbers"))).set_index(["column", "value"])
    frame = people()
    women = frame[frame.sex == "female"]
    for name in ("survived", "class"):
        for value, share in women[name].value_counts(normalize=True).items():
            assert numbers.loc[(name, value), "given"] == pytest.approx(share, abs=0.02)
            assert numbers.loc[(name, value), "everything"] == pytest.approx(
                (frame[name] == value).mean(), abs=0.02
            )
    page.wait_for_function("() => document.getAnimations().every(a => a.playState !== 'running')")
    assert violations(page) == []
    svg = download(page, "SVG").decode()
    assert svg.startswith("<svg")
    assert all(word in svg for word in ("survived given sex = female", "Yes", "everything"))
    png = download(page, "PNG")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24])[0] > 800  # wide enough for a slide
    page.get_by_role("button", name="Add to report").click()
    expect(page.get_by_text("The report has 1 finding.")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Pair").click()
    expect(page.locator(".depnet-mosaic")).to_be_visible()
    open_share(page)
    page.get_by_role("button", name="Add to report").click()
    expect(page.get_by_text("The report has 2 findings.")).to_be_visible()
    page.reload()
    expect(page.locator(".depnet-mosaic")).to_be_visible()
    open_share(page)
    report = download(page, "Download report").decode()
    assert re.findall(r"<h2>\d\. (.*?)</h2>", report)[0] == "survived given sex = female"
    assert report.count("<svg") == 2
    assert report.count("<pre>depnet query") == 2
    assert "<script" not in report
    other = page.context.new_page()  # another reader's tab has another report
    other.goto(titanic)
    expect(other.get_by_text("computed in full")).to_be_visible()
    open_share(other)
    expect(other.get_by_role("button", name="Download report")).to_be_disabled()


@pytest.mark.parametrize(
    ("path", "ready", "picture"),
    [
        ("target?.target=survived", ".depnet-headline", True),
        ("pair?.first=class&.second=survived", ".depnet-mosaic", True),
        ("rules?.variable=survived", ".depnet-node-graph svg", True),
        ("rules/network", "[role=listbox]", True),
        ("rows", ".depnet-rows .ag-row .odd1", True),
        ("rows?.row=1&.target=survived", ".depnet-step", True),
    ],
)
def test_every_view_is_shared_and_its_command_runs(
    page: Page, titanic: str, tmp_path: Path, path: str, ready: str, picture: bool
) -> None:
    page.goto(titanic + path)
    expect(page.locator(ready).first).to_be_visible()
    expect(page.get_by_text("asking ...")).to_have_count(0)
    open_share(page)
    numbers = pd.read_csv(io.BytesIO(download(page, "CSV of the numbers")))
    assert len(numbers) >= 2
    assert download(page, "SVG").decode().startswith("<svg") == picture
    words = shlex.split(command(page))
    done = subprocess.run([COMMAND, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if path.startswith("pair"):
        frame = people()
        for (first, second), share in frame.value_counts(["class", "survived"], normalize=True).items():
            row = numbers[(numbers["class"] == first) & (numbers["survived"] == second)].iloc[0]
            assert row["share of the table's rows"] == pytest.approx(share)
            assert row["share by the model"] == pytest.approx(share, abs=0.02)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model, table = titanic_files(tmp_path_factory.mktemp("elsewhere"))
    with explorer([model, "--data", table], host="0.0.0.0") as url:
        yield url.replace("0.0.0.0", "127.0.0.1")


def test_on_other_addresses_nothing_of_the_table_is_shared(page: Page, elsewhere: str) -> None:
    base = elsewhere.split("?")[0]
    page.goto(elsewhere)
    page.goto(f"{base}pair?.first=class&.second=survived")
    expect(page.locator(".depnet-mosaic")).to_be_visible()
    open_share(page)
    numbers = pd.read_csv(io.BytesIO(download(page, "CSV of the numbers")))
    assert numbers["share of the table's rows"].isna().all()
    assert numbers["share by the model"].sum() == pytest.approx(1)
    assert "--data" not in command(page)
    page.goto(f"{base}rows?.row=1&.fill=1")
    expect(page.get_by_text("They are not shown on a page that others can reach")).to_be_visible()
    expect(page.get_by_role("button", name="Fill all, download")).to_have_count(0)
    open_share(page)
    expect(page.get_by_text("There are no numbers here yet")).to_be_visible()


def test_a_report_holds_what_was_found_as_text() -> None:
    rows = [(name, 0.123456, None) for name in HOSTILE] * 100
    text = findings_page(
        HOSTILE[0], [Section(HOSTILE[1], "<svg></svg>", ("a", "b", HOSTILE[2]), rows, "depnet query <b>")]
    )
    assert "<script" not in text
    assert "<img" not in text
    assert "<pre>depnet query &lt;b&gt;</pre>" in text
    assert "200 more rows in the CSV" in text
    assert "default-src 'none'" in text


def test_a_waterfall_goes_from_what_is_usual_to_the_answer() -> None:
    found = Explanation("P(a = 1)", 0.3, 0.4, (Step("x", "x = 1", 0.3), Step("y", "y = 2", -0.2)))
    chart = waterfall_chart(found)
    assert chart["yAxis"]["data"] == ["nothing given", "x = 1", "y = 2"]
    start, adds = ([*series["data"]] for series in chart["series"])
    assert start == pytest.approx([0.3, 0.3, 0.4])
    assert [bar["value"] for bar in adds] == pytest.approx([0.0, 0.3, 0.2])
    assert adds[1]["itemStyle"] != adds[2]["itemStyle"]
    law = titanic_models()[1]
    real = waterfall_chart(depnet.explain(law, {"sex": "female", "class": "1st"}, "survived", state="Yes"))
    assert len(real["yAxis"]["data"]) == 3
    assert bar_chart(["a"] * 50, {"x": [1.0] * 50})["series"][0]["data"] == [1.0] * 30
