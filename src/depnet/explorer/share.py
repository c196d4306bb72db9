"""What a view shows, to take along: its address, a picture, its numbers, the command that prints them, a report of several.

A view says what it shows as a `Finding` (`Session.finding`); the header's button does the rest, for all views alike.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nicegui import app, ui

from depnet.explorer.parts import bar, button, copyable, heading, note, stack
from depnet.explorer.rows import csv_text
from depnet.explorer.session import Session
from depnet.inference.ask.explain import Explanation
from depnet.pictures import colours
from depnet.pictures.labels import short
from depnet.pictures.report.page import Section, findings_page
from depnet.wording import plural

MOST_FINDINGS = 40
"""Findings of one report."""

MOST_BARS = 30
"""Bars of a picture; the numbers have all."""

SAVE = 'import("/depnet/picture.js").then((picture) => picture.savePicture(%s, %s))'


@dataclass(frozen=True, slots=True)
class Finding:
    """What a view shows: numbers with their headings, and its picture, as options of ECharts or as SVG."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    command: str
    """Prints the numbers, or those that they are made of."""
    chart: Mapping[str, Any] = field(default_factory=dict)
    svg: str = ""


def bar_chart(labels: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """Bars beside each other as options of ECharts: of many labels the first."""
    axis = {"type": "category", "data": [short(label, 40) for label in labels[:MOST_BARS]], "inverse": True}
    drawn = [
        {"type": "bar", "name": name, "data": list(values[:MOST_BARS]), "color": colours.CYCLE[k]}
        for k, (name, values) in enumerate(series.items())
    ]
    grid = {"left": 20, "right": 40, "top": 60, "bottom": 20, "containLabel": True}
    return {"xAxis": {"type": "value"}, "yAxis": axis, "legend": {"top": 30}, "grid": grid, "series": drawn}


def waterfall_chart(found: Explanation) -> dict[str, Any]:
    """The steps of an explanation, each from the answer before it to the one after it."""
    steps = found.rows()[:MOST_BARS]
    ends = [(found.start, 0.0), *((after - change, change) for _, change, after in steps)]
    labels = ["nothing given", *(fact for fact, _, _ in steps)]
    options = bar_chart(
        labels, {"start": [min(a, a + c) for a, c in ends], "adds": [abs(c) for _, c in ends]}
    )
    start, adds = options["series"]
    start |= {"stack": "steps", "itemStyle": {"color": "transparent"}}
    signs = [{"value": abs(c), "itemStyle": {"color": colours.CYCLE[1 if c < 0 else 0]}} for _, c in ends]
    adds |= {"stack": "steps", "data": signs}
    del options["legend"]
    return options | {
        "xAxis": {"type": "value", "scale": True, "name": found.about, "nameLocation": "middle"}
    }


class Share:
    """The button of the header, its dialog, and the report so far."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.chart: ui.echart | None = None
        with ui.dialog().props('aria-label="Share what is shown"') as self.dialog:
            self.place = ui.element("section").classes("depnet-card depnet-share")
            self.place.props('aria-label="Share what is shown"')
        opening = ui.button("Share", on_click=self._open).props("flat dense no-caps")
        opening.classes("depnet-turn")

    @property
    def report(self) -> list[Section]:
        """What was added of this model; the server keeps it for the browser's tab, however often the page is loaded."""
        reports: dict[str, list[Section]] = app.storage.tab.setdefault("reports", {})
        return reports.setdefault(self.session.key or "", [])

    async def _open(self) -> None:
        finding = None if self.session.finding is None else self.session.finding()
        address = await ui.run_javascript("location.href")
        self.place.clear()
        self.chart = None
        with self.place:
            heading("Share" if finding is None else finding.title)
            copyable("Link").text = str(address)
            if finding is None:
                note("There are no numbers here yet: wait for the answer.")
            else:
                self._offer(finding)
            self.said = note("").props('role="status"')
            button("Close", self.dialog.close, "outline dense")
        self.dialog.open()

    def _offer(self, finding: Finding) -> None:
        copyable("Command").text = finding.command
        name = "".join(sign if sign.isalnum() else "-" for sign in finding.title)[:60].strip("-") or "finding"
        if finding.svg:
            with stack("depnet-share-picture"):
                ui.html(finding.svg, sanitize=False)  # of this library, whose labels are text
        elif finding.chart:
            options: dict[str, Any] = {**finding.chart, "animation": False, "backgroundColor": "#ffffff"}
            options["title"] = {"text": short(finding.title, 80), "textStyle": {"fontSize": 14}, "left": 10}
            self.chart = ui.echart(options, renderer="svg").classes("depnet-share-picture depnet-share-chart")
            self.chart.props["role"], self.chart.props["aria-label"] = "img", finding.title

        async def picture() -> str:
            if self.chart is None:
                return finding.svg
            return str(await self.chart.run_chart_method("renderToSVGString", timeout=20))

        async def save(kind: str) -> None:
            ui.run_javascript(SAVE % (json.dumps(f"{name}.{kind}"), json.dumps(await picture())))

        def save_csv() -> None:
            ui.download.content(csv_text(finding.heads, finding.rows).encode(), f"{name}.csv", "text/csv")

        async def add() -> None:
            if len(self.report) < MOST_FINDINGS:
                drawn = await picture() if finding.svg or finding.chart else ""
                self.report.append(
                    Section(finding.title, drawn, finding.heads, finding.rows, finding.command)
                )
            self.said.text = f"The report has {plural(len(self.report), 'finding')}."
            download.set_enabled(True)

        def save_report() -> None:
            title = "Findings" if self.session.model is None else self.session.model.name
            ui.download.content(findings_page(title, self.report).encode(), "report.html", "text/html")

        with bar():
            if finding.svg or finding.chart:
                for kind in ("png", "svg"):
                    button(kind.upper(), partial(save, kind), "outline dense")
            button("CSV of the numbers", save_csv, "outline dense")
            button("Add to report", add, "outline dense")
            download = button("Download report", save_report, "outline dense")
            download.set_enabled(bool(self.report))
