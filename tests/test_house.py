"""The house stays within its budget of lines: tests/house.py counts, CONTRIBUTING.md has the budget."""

import ast
from pathlib import Path

from tests import house


def test_every_package_stays_within_its_budget_of_lines() -> None:
    lines, budget = house.lines_by_package(), house.budget_by_package()
    assert lines.keys() == budget.keys()
    over = {name: (lines[name], budget[name]) for name in lines if lines[name] > budget[name]}
    assert not over, f"more lines than CONTRIBUTING.md allows (a new mechanism replaces an old one): {over}"


def test_code_is_counted_without_docstrings_comments_and_blank_lines(tmp_path: Path) -> None:
    python = tmp_path / "a.py"
    heading, body = (
        '"""A module.\n\nSays more.\n"""\n\n# why\n',
        'def f() -> int:\n    """One."""\n    return 1\n',
    )
    python.write_text(heading + 'x = """two\nlines"""\n\n\n' + body)
    native = tmp_path / "a.hpp"
    native.write_text("// why\n/* two\nlines */\nint f() {\n\n  return 1; // one\n}\n")
    assert [house.count_lines(python), house.count_code(python)] == [13, 4]
    assert [house.count_lines(native), house.count_code(native)] == [7, 3]


def test_checks_give_nothing_back_and_checked_values_are_given_back() -> None:
    for path in house.SOURCE.rglob("*.py"):
        for found in ast.walk(ast.parse(path.read_text())):
            if isinstance(found, ast.FunctionDef) and (name := found.name.lstrip("_")).startswith(
                ("check_", "checked_")
            ):
                gives = found.returns is not None and ast.unparse(found.returns) != "None"
                assert gives == name.startswith("checked_"), f"{path}: {found.name}"
