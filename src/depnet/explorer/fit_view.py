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
    MAX_BYTES,
    MAX_SECONDS,
    MISSING,
    PENALTIES,
    UploadedTable,
    learn_model,
    model_file,
    read_table,
)
from depnet.explorer.parts import bar, button, card, note, progress, select, warning
from depnet.explorer.session import Session

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
            self.columns = select([], "Columns", self._show_count, multiple=True, with_input=True)
            with bar():
                button("All columns", self._all_columns, "flat dense")
                self.counted = note("")
            self.penalty = select(PENALTIES, "Penalty: what complexity costs", value="auto")
            self.missing = select(MISSING, "Missing values", value="auto")
            self.boost = ui.checkbox("Boost: add many small graphs to a node where it predicts better")
            self.boost.props("dense")
            with bar():
                self.learn = button("Learn", self._learn, "unelevated")
                self.stop = button("Stop", lambda: self.stopping.press(), "outline")
                self.stop.set_enabled(False)
            with bar() as self.working:
                self.bar = progress("Nodes learned")
                self.said = note("").classes("depnet-said").props('role="status"')
            self.working.set_visibility(False)
            self.learn_notes = ui.element("div").props('aria-live="polite"')
            note(
                f"Learning ends after {MAX_SECONDS:.0f} s at the latest. Holes that other columns tell of are "
                "states of their columns, all others are unknown values, as depnet fit has it."
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
            table = await self.session.work(read_table, name, content, self.encoding.value)
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
        self.table = table
        names = table.rows.domain.names
        likely = [i for i, name in enumerate(names) if name not in table.unlikely]
        holes = int(table.rows.hidden.sum())
        missing = f", {holes:,} values missing" if holes else ""
        self.read_said.text = f"{table.name}: {table.rows.rows:,} rows, {len(names):,} columns{missing}."
        variables = enumerate(table.rows.domain.variables)
        self.columns.set_options(
            {i: f"{v.name} ({v.cardinality:,} states)" for i, v in variables}, value=likely
        )
        self._show_count()
        self.learn_notes.clear()
        if table.unlikely:
            with self.learn_notes:
                shown = ", ".join(table.unlikely[:5])
                note(f"Left out, since nothing can be learned from an identifier: {shown}.")
        self.choices.set_visibility(True)

    def _all_columns(self) -> None:
        if self.table is not None:
            self.columns.value = list(range(len(self.table.rows.domain)))

    def _show_count(self) -> None:
        if self.table is not None:
            chosen = len(self.columns.value or [])
            self.counted.text = f"{chosen:,} of {len(self.table.rows.domain):,} chosen"
            self.columns.props["display-value"] = self.counted.text
            self.columns.update()

    def _show_progress(self) -> None:
        done, steps = self.nodes
        self.bar.value = done / max(steps, 1)
        self.said.text = f"{done:,} of {steps:,} nodes"

    async def _learn(self) -> None:
        table = self.table
        if table is None:
            return
        self.stopping = self.session.stop()
        names = [table.rows.domain.names[i] for i in self.columns.value or []]
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
        self.session.client.open(self.session.url("/", key=self.session.shelf.keep(loaded)))


build = _Fit


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1] or "table.csv"
