"""One seed for the suite, and --long for what takes minutes."""

import pytest
from hypothesis import HealthCheck, settings

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
    settings.load_profile("long" if config.getoption("--long") else "short")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
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
