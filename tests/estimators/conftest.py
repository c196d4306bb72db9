"""Small forests, for tests of what estimators take and give."""

import pytest


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TREES", "FEW_TREES", "TREES_OF_STATES"):
        monkeypatch.setattr(f"depnet.fitting.forests.{name}", 10)
