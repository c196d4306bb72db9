"""Follows every link of a built site: `python -m tests.docs.links site` says which lead nowhere, and exits with 1.

A link to another site is let be, but nothing that a page needs to be shown (scripts, styles, pictures, fonts) may come
from one.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NEEDED = {
    ("script", "src"),
    ("link", "href"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
}
"""Tags and attributes by which a page fetches what it needs; of a <link> with the relation of a mere link, not."""
MERE_LINKS = {
    "canonical",
    "next",
    "prev",
    "index",
    "search",
    "author",
    "help",
    "license",
    "contents",
    "copyright",
}


class Page(HTMLParser):
    """The addresses that a page names, those of what it needs to be shown, and the places that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.needed: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places.update(given[name] for name in ("id", "name") if name in given)
        for name in ("href", "src", "data"):
            if name in given and (tag != "object" or name == "data"):
                self.addresses.append(given[name])
                if (tag, name) in NEEDED and given.get("rel") not in MERE_LINKS:
                    self.needed.append(given[name])


def is_elsewhere(address: str) -> bool:
    """Is it on another site? `data:` and `mailto:` are not."""
    return bool(urlsplit(address).netloc) or address.startswith("//")


def needed_by_style(text: str) -> list[str]:
    """What a style sheet fetches."""
    return re.findall(r"""(?:url\(|@import\s+)["']?([^"')\s;]+)""", text)


def wrong_links(site: Path) -> list[str]:
    """A line for each link that leads nowhere, and for each thing needed from elsewhere."""
    pages = {page: Page(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}
    wrong = []
    for page, content in pages.items():
        name = page.relative_to(site)
        wrong += [f"{name} needs {each}, which is elsewhere" for each in content.needed if is_elsewhere(each)]
        for address in content.addresses:
            parts = urlsplit(address)
            if parts.scheme or is_elsewhere(address):
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.is_file():
                wrong.append(f"{name} leads to {address}, which is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                wrong.append(f"{name} leads to {address}, but {target.name} has no such place")
    for style in sorted(site.rglob("*.css")):
        needed = needed_by_style(style.read_text(encoding="utf-8"))
        name = style.relative_to(site)
        wrong += [f"{name} needs {each}, which is elsewhere" for each in needed if is_elsewhere(each)]
    return wrong


def main() -> None:
    site = Path(sys.argv[1]).resolve()
    wrong = wrong_links(site)
    print(*wrong, sep="\n")
    pages = len(list(site.rglob("*.html")))
    print(f"{site.name}: {pages} pages, {len(wrong)} links that lead nowhere")
    sys.exit(bool(wrong) or not pages)


if __name__ == "__main__":
    main()
