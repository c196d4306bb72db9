"""docs/frames.md: its example runs, and its numbers are the code's."""

import re
from pathlib import Path

from depnet.data.binning.bins import MAX_QUANTILES
from depnet.data.binning.cut import MAX_BINS
from depnet.data.table.variables import ENOUGH, FEW_VALUES, MAX_STATES

TEXT = (Path(__file__).parents[3] / "docs" / "frames.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.S)
    exec(example, {})


def test_the_numbers_are_the_codes() -> None:
    assert f"at most `max_bins` ({MAX_BINS})" in TEXT
    assert f"A bin keeps at most {MAX_QUANTILES} of its values" in TEXT
    assert f"whole numbers, 3 to {FEW_VALUES} different ones" in TEXT
    assert f"`max_states={MAX_STATES}`" in TEXT
    assert f"text or categories with at least {ENOUGH} different values" in TEXT
