"""Labels are text whatever is in them."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import FilePayload, Page, expect

import depnet
from depnet import Dataset, Domain, Variable
from tests.explorer.browser import explorer

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = "<img src=x onerror='window.hacked = 1'>"
A, B = f"a {SCRIPT}", f"b {IMAGE}"
LINK = "[x](javascript:alert(1)) {{ 7 * 7 }} :a"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of a model whose names and labels are markup."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(0)
    domain = Domain(
        (Variable(A, (SCRIPT, IMAGE)), Variable(B, (LINK, "=1+1")), Variable(":c", (IMAGE, SCRIPT, "plain")))
    )
    first = rng.integers(0, 2, (400, 1))
    codes = np.concatenate(
        [first, first ^ (rng.random((400, 1)) < 0.2), rng.integers(0, 3, (400, 1))], axis=1
    )
    table = Dataset.from_codes(codes, domain=domain)
    depnet.save(depnet.learn(table, smoothing=0.5).with_counts(table), folder / "hostile.json")
    depnet.write(table, folder / "hostile.csv")
    with explorer([folder / "hostile.json", "--data", folder / "hostile.csv"]) as url:
        yield url


def nothing_ran(page: Page) -> None:
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main script, main img[src=x]").count() == 0


def test_ask_shows_markup_as_text(page: Page, hostile: str) -> None:
    page.goto(f"{hostile}")
    expect(page.locator(".depnet-state-label").filter(has_text=SCRIPT).first).to_be_visible()
    page.locator(".depnet-state-label").filter(has_text=IMAGE).first.click()
    expect(page.locator('[aria-label="Evidence"]')).to_contain_text(IMAGE)
    expect(page.locator(".depnet-marginal-name").filter(has_text=IMAGE)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/\?"))  # the address follows what is shown
    page.reload()
    expect(page.locator('[aria-label="Evidence"]')).to_contain_text(IMAGE)
    page.locator("[data-menu]").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Given:")
    nothing_ran(page)


@pytest.mark.parametrize(
    "path",
    [
        "",
        f"rules/network?{urlencode({'.variable': A})}",
        f"rules/network?{urlencode({'.mode': 'matrix', '.first': A, '.second': B})}",
        f"rules?{urlencode({'.variable': A})}",
        "rows",
        f"?{urlencode({A: IMAGE, '.vs': urlencode({A: SCRIPT, IMAGE: 'x'})})}",
    ],
)
def test_other_views_show_markup_as_text(page: Page, hostile: str, path: str) -> None:
    page.goto(hostile + path)
    expect(page.locator(".depnet-main").get_by_text("<img src=x").first).to_be_attached()
    if "matrix" in path:
        expect(page.get_by_label("Two columns together")).to_contain_text("either alone")
    elif path.startswith("rules/network"):
        page.get_by_role("listbox").press("Enter")
        expect(page.get_by_role("dialog", name=A, exact=True)).to_contain_text(SCRIPT)
    elif path.startswith("ask"):
        expect(page.get_by_text("In what it is compared with: ")).to_contain_text(IMAGE)
        expect(page.get_by_text(f"given {A} = {SCRIPT}")).to_be_visible()
    nothing_ran(page)


def test_fit_shows_markup_as_text(page: Page, hostile: str) -> None:
    page.goto(f"{hostile}fit")
    content = f'"{SCRIPT}",b\n"{IMAGE}",1\nx,2\n'.encode()
    table: FilePayload = {
        "name": "<img src=x onerror=alert(1)>.csv",
        "mimeType": "text/csv",
        "buffer": content,
    }
    page.locator("input[type=file]").set_input_files(files=[table])
    expect(page.get_by_text("<img src=x onerror=alert(1)>.csv: 2 rows")).to_be_visible()
    lines = page.locator(".depnet-table tbody tr")
    expect(lines.first).to_contain_text(SCRIPT)
    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/m/**")
    nothing_ran(page)
