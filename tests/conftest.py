"""One seed for the suite, --long for what takes minutes, and one worker for the tests that share a browser."""

import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

TOGETHER = "tests/explorer/"

settings.register_profile(
    "short",
    deadline=None,  # machines are small and noisy: no test is timed
    derandomize=True,  # the same examples everywhere; --long draws new ones
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("long", settings.get_profile("short"), derandomize=False, max_examples=2000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long", action="store_true", help="also run tests marked long, with many more examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background ignores Ctrl-C, and tests that send it would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("long" if config.getoption("--long") else "short")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:  # a browser on a busy machine: what fails once is run again, and said
        if item.nodeid.startswith(TOGETHER):
            item.add_marker(pytest.mark.flaky(reruns=2))
    if config.getoption("--long"):
        return
    long = [item for item in items if "long" in item.keywords]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if "long" not in item.keywords]


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
    """Tests go to workers one by one, but those of the explorer to one: there is one browser, one server a model.

    (What `--dist loadgroup` is for; xdist 3.8 writes the group into a place that pytest 9.2 no longer reads.)
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class OneBrowser(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return TOGETHER if nodeid.startswith(TOGETHER) else nodeid

    return OneBrowser(config, log)
