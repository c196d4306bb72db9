"""Text in columns: every line fits, and nothing of the text is lost."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from depnet.cli.layout import fold, table_lines
from depnet.wording import shown_width

TEXTS = st.text(st.sampled_from("ab \u0301日本語xyz-0123"), max_size=60)


@given(TEXTS, st.integers(2, 30))
def test_folded_lines_fit_and_keep_every_character(text: str, width: int) -> None:
    lines = fold(text, width)
    assert all(shown_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_the_width_of_wide_and_of_combining_characters() -> None:
    assert shown_width("naïve") == 5
    assert shown_width(unicodedata.normalize("NFD", "naïve")) == 5
    assert shown_width("語") == 2


@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3), max_size=4), st.integers(20, 60))
def test_a_table_fits_where_its_columns_can(rows: list[list[str]], width: int) -> None:
    lines = table_lines(["name", "state", "p"], rows, [False, False, True], width)
    assert all(shown_width(line) <= width for line in lines)
    cells = "".join(sorted("".join("".join(row) for row in rows).replace(" ", "")))
    body = lines[1 + next(at for at, line in enumerate(lines) if line.startswith(" ─")) :]
    assert "".join(sorted("".join(body).replace(" ", ""))) == cells


def test_the_widest_column_gives_way() -> None:
    lines = table_lines(["state", "p"], [["a long label of many words", "0.25"]], [False, True], 24)
    assert lines == [
        "  state               p",
        " " + "─" * 23,
        "  a long label     0.25",
        "  of many words",
    ]
