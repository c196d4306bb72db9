"""One seed for the suite, --quick and --long for less and more of it, one worker for what shares a browser or a cluster."""

import gc
import signal
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

TESTS = Path(__file__).parent
TOGETHER = ("tests/explorer/", "tests/cluster/")
"""Whose tests go to one worker each: there is one browser with a server a model, and one cluster."""
HALVES = ("tests/explorer/", "tests/explorer/test_n")
"""Those of the browser take longest: two workers have half of the files each, and a browser each."""

settings.register_profile(
    "short",
    deadline=None,  # machines are small and noisy: no test is timed
    derandomize=True,  # the same examples everywhere; --long draws new ones
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("quick", settings.get_profile("short"), max_examples=5)
settings.register_profile("long", settings.get_profile("short"), derandomize=False, max_examples=2000)

WHOLE = (
    "cli",  # commands in processes of their own
    "cluster",
    "data/files/test_read.py",
    "docs/test_pages.py",
    "estimators/test_sklearn_checks.py",
    "explorer",  # a browser
    "golden",
    "inference/clamped/test_coverage.py",  # answers to hundreds of questions, counted
    "inference/ordered/test_coverage.py",
    "model/file/test_hostile.py",  # memory of processes of their own
    "model/file/test_memory.py",
    "paper",
    "pictures/test_report.py",
    "sampling/test_laws.py",
    "test_examples.py",
)
"""What `--quick` leaves out: what tests the whole rather than a part."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long", action="store_true", help="also run tests marked long, with many more examples"
    )
    parser.addoption("--quick", action="store_true", help="unit tests only, with few examples")


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background ignores Ctrl-C, and tests that send it would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    profile = "long" if config.getoption("--long") else "quick" if config.getoption("--quick") else "short"
    settings.load_profile(profile)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = config.getoption("--quick") and any(collection_path == TESTS / name for name in WHOLE)
    return True if left_out else None  # None: others may say


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    long = [item for item in items if "long" in item.keywords]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if "long" not in item.keywords]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All that is imported meanwhile stays: the garbage collector need not look through it, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Or the native core would say at the end that it was not cleared."""
    gc.unfreeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Figures that tests measured (`record_property`), where they can be seen."""
    reports = terminalreporter.getreports("passed")
    figures = [figure for report in reports for figure in getattr(report, "user_properties", ())]
    if figures:
        terminalreporter.section("measured")
        for name, value in figures:
            terminalreporter.write_line(f"{name}: {value}")


@pytest.hookimpl(optionalhook=True)  # xdist's, where it is in use
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "LoadScopeScheduling | None":
    """Tests go to workers one by one, but those of `TOGETHER` to one, and these first: they take longest.

    (What `--dist loadgroup` is for; xdist 3.8 writes the group into a place that pytest 9.2 no longer reads.)
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(HALVES[0]):
                return f"{HALVES[0]}{nodeid < HALVES[1]}"
            return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid)

    return Together(config, log)
