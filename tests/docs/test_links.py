"""The links of the documentation site are followed, and what leads nowhere is found; `scripts/test` builds the site."""

from pathlib import Path

import pytest

from tests.docs.links import wrong_links


def site(folder: Path, body: str, style: str = "") -> list[str]:
    (folder / "page.html").write_text("<h1 id='top'>x</h1>", encoding="utf-8")
    (folder / "style.css").write_text(style, encoding="utf-8")
    (folder / "index.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
    return wrong_links(folder.resolve())


@pytest.mark.parametrize(
    "body",
    [
        "<a href='page.html#top'>there</a>",
        "<a href='https://example.org/'>another site may be linked to</a>",
        "<a href='#here' id='here'>itself</a>",
        "<link rel='stylesheet' href='style.css?v=1'>",
        "<img src='data:image/png;base64,AA=='>",
        "<link rel='canonical' href='https://example.org/page.html'>",
    ],
)
def test_what_is_there_is_right(tmp_path: Path, body: str) -> None:
    assert site(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<a href='gone.html'>x</a>", "leads to gone.html, which is not there"),
        ("<a href='page.html#gone'>x</a>", "has no such place"),
        ("<img src='gone.png'>", "which is not there"),
        ("<script src='https://cdn.example.org/a.js'></script>", "which is elsewhere"),
        ("<link rel='stylesheet' href='//fonts.example.org/a.css'>", "which is elsewhere"),
    ],
)
def test_mutants_are_found(tmp_path: Path, body: str, said: str) -> None:
    (found,) = site(tmp_path, body)
    assert said in found


def test_mutant_a_style_that_needs_a_font_from_elsewhere(tmp_path: Path) -> None:
    (found,) = site(tmp_path, "", "@font-face { src: url('https://fonts.example.org/a.woff2') }")
    assert "which is elsewhere" in found
    assert site(tmp_path, "", "body { background: url(data:image/svg+xml;utf8,x) }") == []
