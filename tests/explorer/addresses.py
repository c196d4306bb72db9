"""What an address says: it follows the page, a moment after what is shown."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page


def query_of(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


def expect_query(page: Page, expected: dict[str, list[str]]) -> None:
    """The address comes to say this and nothing else."""
    page.wait_for_url(lambda address: query_of(address) == expected, wait_until="commit")


def expect_in_query(page: Page, name: str, value: str) -> None:
    """The address comes to say this of `name`."""
    page.wait_for_url(lambda address: query_of(address).get(name) == [value], wait_until="commit")
