"""Every function that docs/pictures.md names is there."""

import re
from pathlib import Path

import pytest

from depnet import pictures

DOCUMENT = (Path(__file__).parents[2] / "docs" / "pictures.md").read_text(encoding="utf-8")


def test_every_name_is_there() -> None:
    assert set(pictures.__all__) <= set(dir(pictures))
    for name in pictures.__all__:
        assert getattr(pictures, name).__doc__, name
    rows = re.findall(r"^\| (`.+?`) \|", DOCUMENT, flags=re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert len(names) >= 10
    assert names <= set(pictures.__all__)
    with pytest.raises(AttributeError, match="no attribute 'to_dott'"):
        pictures.to_dott  # type: ignore[attr-defined]  # noqa: B018
