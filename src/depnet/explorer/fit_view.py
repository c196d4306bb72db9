"""Fit: drop a table, choose columns and penalty, watch nodes being learned, land in the network."""

import asyncio
import weakref
from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import events, ui

from depnet.errors import DepnetError
from depnet.explorer.fit import (
    ENCODINGS,
    ENDINGS,
    KINDS,
    MAX_BYTES,
    MAX_SECONDS,
    MISSING,
    PENALTIES,
    UploadedTable,
    learn_model,
    model_file,
    read_table,
    sheet_of,
)
from depnet.explorer.parts import LongList, bar, button, card, note, progress, select, show_table, warning
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.wording import percent

TITLE = "Fit"
PATH = "/fit"
NEEDS_MODEL = False

UPLOAD_HEADER = """
<div class="depnet-upload-header">
  <q-btn outline no-caps label="Choose a table" @click="props.pickFiles" />
  <label>or drop it here <q-uploader-add-trigger></q-uploader-add-trigger></label>
</div>"""
"""Quasar's own has an input inside of a button, without a name."""

ONE_AT_A_TIME = asyncio.Semaphore(1)
"""Learning is long: the other threads are left for questions."""


def _weak_handler(page: "_Fit") -> Callable[[events.UploadEventArguments], Awaitable[None]]:
    """A handler of uploads that does not keep the page alive: FastAPI remembers thousands of routes, uploads too.

    Everything else refers to a page only while it is open.
    """
    held = weakref.ref(page)

    async def take(event: events.UploadEventArguments) -> None:
        if (found := held()) is not None:
            await found.take(event)

    return take


class _Fit:
    """One reader's table and the model learned from it; with a model that was learned here, its file to download."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.table: UploadedTable | None = None
        self.kept: set[str] = set()
        self.listed = LongList(self._show_sheet)
        self.stopping = session.stop()
        self.nodes = 0, 0  # set by another thread, shown by the timer
        self.learned = session.model if session.key is not None else None
        if self.learned is not None:
            with card("This model"):
                note(
                    "It was learned here, is kept in memory for this page's address only, and is nowhere on disk."
                )
                button("Download the model file", self._download, "outline")
        with card("A table"):
            note(
                "CSV, TSV, Parquet, JSON lines or Excel (its first sheet), a line of names first, "
                f"{MAX_BYTES // 10**6} MB at most. It goes to the machine "
                "that runs depnet and nowhere else: read in a private temporary directory that is then removed."
            )
            with bar():
                self.encoding = select(ENCODINGS, "Text encoding", value="utf-8")
            self.upload = ui.upload(
                label="Drop a table here, or choose one",
                auto_upload=True,
                max_files=1,
                max_file_size=MAX_BYTES,
                on_upload=_weak_handler(self),
                on_rejected=self._reject,
            )
            self.upload.add_slot("header", UPLOAD_HEADER)
            self.upload.props(f'flat bordered accept="{",".join(ENDINGS)}"').classes("depnet-upload")
            self.read_now = note("").props('role="status"')
            self.read_notes = ui.element("div").props('aria-live="polite"')
        with card("What to learn") as self.choices:
            self.read_said = note("")
            with bar():
                self.listed.search_box()
                button("All columns", self._all_columns, "flat dense")
                self.counted = note("")
            self.sheet = ui.element("div").classes("depnet-scroll depnet-sheet")
            self.listed.more_button()
            self.problem = ui.element("div").props('aria-live="polite"')
            with bar():
                self.target = select([], "Target: what you want to know", clearable=True)
                self.penalty = select(PENALTIES, "Penalty: what complexity costs", value="auto")
                self.missing = select(MISSING, "Missing values", value="auto")
            self.boost = ui.checkbox("Boost: predict columns by many small trees where that is better")
            self.boost.props("dense")
            with bar():
                self.learn = button("Learn", self._learn, "unelevated")
                self.stop = button("Stop", lambda: self.stopping.press(), "outline")
                self.stop.set_enabled(False)
            with bar() as self.working:
                self.bar = progress("Columns learned")
                self.said = note("").classes("depnet-said").props('role="status"')
            self.working.set_visibility(False)
            self.learn_notes = ui.element("div").props('aria-live="polite"')
            note(
                f"Learning ends after {MAX_SECONDS:.0f} s at the latest. Missing values that other columns "
                "predict are a value of their own, all others are filled in while learning, as by depnet fit."
            )
        self.choices.set_visibility(False)
        self.timer = ui.timer(0.2, self._show_progress, active=False)

    def _download(self) -> None:
        if self.learned is not None:
            ui.download.content(model_file(self.learned), "model.json", "application/json")

    def _reject(self) -> None:
        self._refuse(
            f"this file is no CSV, TSV, Parquet, JSON lines or Excel, or larger than {MAX_BYTES:,} bytes. Use depnet fit."
        )

    def _refuse(self, text: str) -> None:
        self.read_notes.clear()
        with self.read_notes:
            warning(text)

    async def take(self, event: events.UploadEventArguments) -> None:
        self.read_notes.clear()
        name, content = _base(event.file.name), await event.file.read()
        self.upload.reset()
        self.read_now.text = f"Reading {name}, {len(content):,} bytes ..."
        try:
            table = await self.session.work(read_table, name, content, str(self.encoding.value))
        except (DepnetError, LookupError) as error:
            self._refuse(" ".join(str(error).split()))
            return
        except Exception as error:
            self._refuse(
                f"{name} cannot be read ({type(error).__name__}). depnet did not expect this: the log says more."
            )
            raise
        finally:
            self.read_now.text = ""
        self._take_in(table)
        self.kept = set(table.rows.domain.names) - set(table.unlikely)
        self._show_sheet()
        self.learn_notes.clear()
        if table.unlikely:
            with self.learn_notes:
                shown = ", ".join(table.unlikely[:5])
                note(f"Left out, since nothing can be learned from an identifier: {shown}.")
        self.choices.set_visibility(True)

    def _take_in(self, table: UploadedTable) -> None:
        self.table = table
        names = table.rows.domain.names
        holes = int(table.rows.hidden.sum())
        missing = f", {holes:,} values missing" if holes else ""
        self.read_said.text = f"{table.name}: {table.rows.rows:,} rows, {len(names):,} columns{missing}."
        self.target.set_options(list(names), value=self.target.value if self.target.value in names else None)

    def _show_sheet(self) -> None:
        """A line for each column: what it holds, as what it is learned, and whether it is."""
        table = self.table
        if table is None:
            return
        names = table.rows.domain.names
        self.sheet.clear()
        with (
            self.sheet,
            show_table(
                ("learn", "column", "kind", "first values", "missing", "shape"), numbers=(4,)
            ) as lines,
        ):
            for i in self.listed.part(range(len(names)), lambda i: names[i]):
                column = sheet_of(table, i)
                with lines.row():
                    with lines.cell():
                        keep = ui.checkbox(value=column.name in self.kept).props("dense")
                        keep.props["aria-label"] = f"Learn {column.name}"
                        keep.on_value_change(partial(self._keep, column.name))
                    lines.cell(column.name)
                    with lines.cell():
                        kind = select(KINDS, f"Kind of {column.name}", value=column.kind)
                        kind.on_value_change(partial(self._say_kind, column.name))
                    lines.cell(column.values)
                    lines.cell(percent(column.missing) if column.missing else "none")
                    with lines.cell():
                        with ui.element("div").classes("depnet-shape"):
                            most = max(column.bars, default=0.0) or 1.0
                            for share in column.bars:
                                ui.element("i").style(f"height: {100 * share / most:.0f}%")
                        if column.limit:
                            note(column.limit)
        self._show_count()

    def _keep(self, name: str, event: events.ValueChangeEventArguments[bool]) -> None:
        (self.kept.add if event.value else self.kept.discard)(name)
        self._show_count()

    async def _say_kind(self, name: str, event: events.ValueChangeEventArguments[str]) -> None:
        """The table is read again, with this column as what it is said to be."""
        table = self.table
        if table is None:
            return
        kinds = {**table.kinds, name: event.value}
        self.problem.clear()
        try:
            self._take_in(
                await self.session.work(read_table, table.name, table.content, table.encoding, kinds)
            )
        except DepnetError as error:
            with self.problem:
                warning(" ".join(str(error).split()))
        self._show_sheet()

    def _all_columns(self) -> None:
        if self.table is not None:
            self.kept = set(self.table.rows.domain.names)
            self._show_sheet()

    def _show_count(self) -> None:
        if self.table is not None:
            self.counted.text = f"{len(self.kept):,} of {len(self.table.rows.domain):,} chosen"

    def _show_progress(self) -> None:
        done, steps = self.nodes
        self.bar.value = done / max(steps, 1)
        self.said.text = f"{done:,} of {steps:,} nodes"

    async def _learn(self) -> None:
        table = self.table
        if table is None:
            return
        self.stopping = self.session.stop()
        names = [name for name in table.rows.domain.names if name in self.kept]
        self.nodes = 0, len(names)
        self.learn_notes.clear()
        self.learn.set_enabled(False)
        self.stop.set_enabled(True)
        self.working.set_visibility(True)
        self.timer.active = True
        chosen = {"boost": bool(self.boost.value), "missing": self.missing.value}

        def tell(done: int, total: int) -> None:
            self.nodes = done, total

        try:
            async with ONE_AT_A_TIME:
                learning = partial(
                    learn_model, table, names, self.penalty.value, tell, self.stopping, **chosen
                )
                loaded = await self.session.work(learning)
        except DepnetError as error:
            with self.learn_notes:
                warning(" ".join(str(error).split()))
            return
        finally:
            self.timer.active = False
            self.learn.set_enabled(True)
            self.stop.set_enabled(False)
            self._show_progress()
        target = self.target.value if self.target.value in names else None
        self.session.client.open(self.session.url("/", State(target=target), self.session.shelf.keep(loaded)))


build = _Fit


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1] or "table.csv"
