"""CONTRIBUTING, the README and the citation name things that there are."""

import ast
import re
from pathlib import Path

import click
import pytest

import depnet
from depnet import pictures
from depnet.cli.main import depnet as command
from depnet.data.binning.bins import MAX_QUANTILES
from depnet.data.binning.cut import MAX_BINS
from depnet.data.table.left_out import ENOUGH
from depnet.data.table.variables import FEW_VALUES, MAX_STATES

ROOT = Path(__file__).parent.parent


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def gold_standards(contributing: str) -> list[str]:
    """The file in the last cell of each row of the table of layers."""
    return re.findall(r"\| `([\w/.]+)` \|$", contributing, flags=re.MULTILINE)


def check_gold_standards(contributing: str) -> None:
    files = gold_standards(contributing)
    assert len(files) >= 7
    for file in files:
        assert (ROOT / file).is_file() or (ROOT / "src" / "depnet" / file).is_file(), f"there is no {file}"


def test_gold_standard_files_exist() -> None:
    check_gold_standards(text("CONTRIBUTING.md"))


def test_mutant_a_file_that_is_not_there() -> None:
    with pytest.raises(AssertionError, match=r"there is no geometry/projection\.py"):
        check_gold_standards(
            text("CONTRIBUTING.md").replace("geometry/manifold.py", "geometry/projection.py")
        )


def test_every_package_has_a_row() -> None:
    table = text("CONTRIBUTING.md")
    for package in (ROOT / "src" / "depnet").glob("*/__init__.py"):
        assert f"`{package.parent.name}/`" in table, (
            f"CONTRIBUTING does not name the layer {package.parent.name}"
        )


def not_said(package: Path) -> list[str]:
    """The modules and packages inside one that its docstring does not name."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    inside = [each.stem for each in package.glob("*.py") if not each.stem.startswith("_")]
    inside += [each.parent.name for each in package.glob("*/__init__.py") if each.parent.name != "_native"]
    return [name for name in inside if not re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize(
    "package", sorted((ROOT / "src" / "depnet").glob("**/*/__init__.py")), ids=lambda path: path.parent.name
)
def test_every_package_says_what_is_inside(package: Path) -> None:
    assert not_said(package.parent) == []


def named_files(page: str) -> list[str]:
    """Files in backticks: `data/files/read.py`, or `read.py` where the folder was said before."""
    return re.findall(r"`([\w/*]+\.[ch]?py?p?)`", page)


def check_named_files(page: str) -> None:
    package = ROOT / "src" / "depnet"
    files = named_files(page)
    assert len(files) >= 50
    for file in files:
        assert list(package.glob(file if "/" in file else f"**/{file}")), f"there is no {file}"


def test_files_of_the_four_ways_exist() -> None:
    check_named_files(text("docs/architecture.md"))


def test_mutant_a_file_on_no_way() -> None:
    with pytest.raises(AssertionError, match=r"there is no learning/learnt\.py"):
        check_named_files(text("docs/architecture.md").replace("learning/learn.py", "learning/learnt.py"))


def test_one_version() -> None:
    (version,) = re.findall(r'^version = "(.+)"$', text("pyproject.toml"), flags=re.MULTILINE)
    assert version == depnet.__version__
    assert f"\n## {version}" in text("CHANGELOG.md")


PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
]
ONLY_ON_THE_SITE = ("docs/changelog.md", "docs/contributing.md")
"""They include the files of these names, which lie beside the folder."""


def test_every_page_can_be_found_from_the_readme() -> None:
    """The pages of the API, on the site, from their first one."""
    for page in PAGES[2:]:
        if page in ONLY_ON_THE_SITE or (page.startswith("docs/api/") and page != "docs/api/index.md"):
            continue
        assert f"({page})" in text("README.md"), f"README does not lead to {page}"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text(name)):
        if "://" not in target:
            assert ((ROOT / name).parent / target).exists(), f"{name} links to {target}"


def test_every_picture_that_is_named_is_there() -> None:
    for name in pictures.__all__:
        assert getattr(pictures, name).__doc__, name
    rows = re.findall(r"^\| (`.+?`) \|", text("docs/pictures.md"), flags=re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert len(names) >= 10
    assert names <= set(pictures.__all__) <= set(dir(pictures))
    with pytest.raises(AttributeError, match="no attribute 'to_dott'"):
        pictures.to_dott  # type: ignore[attr-defined]  # noqa: B018


def test_every_figure_of_the_theory_exists_and_every_file_is_shown() -> None:
    figures = list((ROOT / "docs" / "figures").iterdir())
    shown = set(re.findall(r"\]\((figures/[^)]+)\)", text("docs/theory.md")))
    assert shown == {f"figures/{path.name}" for path in figures}
    assert sum(path.stat().st_size for path in figures) < 2_000_000


def test_every_command_of_the_theory_exists() -> None:
    group = command.get_command(click.Context(command), "paper")
    assert isinstance(group, click.Group)
    assert set(re.findall(r"depnet paper (\w+)", text("docs/theory.md"))) == set(group.commands)


def test_the_numbers_of_frames_are_the_codes() -> None:
    page = text("docs/frames.md")
    assert f"at most `max_bins` ({MAX_BINS})" in page
    assert f"A bin keeps at most {MAX_QUANTILES} of its values" in page
    assert f"whole numbers, 3 to {FEW_VALUES} different ones" in page
    assert f"`max_states={MAX_STATES}`" in page
    assert f"text or categories with at least {ENOUGH} different values" in page


def test_every_dependency_has_its_reason() -> None:
    (line,) = re.findall(r"^dependencies = \[(.+)\]$", text("pyproject.toml"), flags=re.MULTILINE)
    reasons = text("CHANGELOG.md").split("### Dependencies")[1]
    for dependency in re.findall(r'"([\w-]+)', line):
        assert dependency in reasons, f"the changelog gives no reason for {dependency}"
