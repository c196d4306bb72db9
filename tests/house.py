"""How large the house is: `python -m tests.house` prints it, tests/test_house.py holds it to its budget.

Lines are all lines of .py, .cpp, .hpp, .js and .css files; lines of code are those that are neither blank nor comment nor
part of a docstring. The ways are the modules of depnet in which a command calls a function, counted in a process of its own.
"""

import ast
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "depnet"
ENDINGS = {".py", ".cpp", ".hpp", ".js", ".css"}
FOUNDATION = "foundation"  # modules that stand beside the packages

WAYS = {
    "fit": ["fit", "table.csv", "-o", "again.json"],
    "query": ["query", "model.json", "survived", "--given", "sex=female", "--data", "table.csv"],
    "sample": ["sample", "model.json", "-n", "100", "-o", "drawn.csv"],
    "impute": ["impute", "model.json", "holes.csv", "-o", "full.csv"],
}

RUN = """
import inspect, sys, threading
called = set()
def note(frame, event, argument):
    if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a function's body, not a class's or a module's
        called.add(frame.f_code.co_filename)
sys.setprofile(note)
threading.setprofile(note)
from depnet.cli.main import main
try:
    main()
finally:
    sys.setprofile(None)
    print("MODULES", *sorted(f for f in called if "/depnet/" in f and not f.endswith("__init__.py")), file=sys.stderr)
"""


def source_files(folder: Path = SOURCE) -> list[Path]:
    """Every file of the source that counts, in a fixed order."""
    return sorted(f for f in folder.rglob("*") if f.suffix in ENDINGS)


def count_lines(file: Path) -> int:
    """All lines of a file."""
    return len(file.read_text(encoding="utf-8").splitlines())


def count_code(file: Path) -> int:
    """Lines that are neither blank, nor comment, nor docstring."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return len(_python_code(text))
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group().count("\n"), text, flags=re.DOTALL)
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())


def _python_code(text: str) -> set[int]:
    skipped = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node):
            docstring = node.body[0]
            lines.difference_update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return lines


def lines_by_package() -> Counter[str]:
    """All lines of each package of depnet; the modules beside them count as one more."""
    lines: Counter[str] = Counter()
    for file in source_files():
        parts = file.relative_to(SOURCE).parts
        lines[parts[0] if len(parts) > 1 else FOUNDATION] += count_lines(file)
    return lines


def budget_by_package() -> dict[str, int]:
    """The budget of lines in CONTRIBUTING.md, a row for each package."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `?(\w+)/?`? \| ([\d,]+) \|$", text, flags=re.MULTILINE)
    return {name: int(lines.replace(",", "")) for name, lines in rows}


def mutual_imports() -> list[tuple[str, str]]:
    """Pairs of packages and sub-packages whose modules import each other both ways."""
    modules = {_module_name(file): file for file in SOURCE.rglob("*.py")}
    edges = {
        (_package(name, modules), _package(imported, modules))
        for name, file in modules.items()
        if file.name not in ("__init__.py", "__main__.py")
        for imported in _imports(file, modules)
    }
    return sorted((a, b) for a, b in edges if a < b and (b, a) in edges)


def _module_name(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _package(module: str, modules: dict[str, Path]) -> str:
    return module if modules[module].name == "__init__.py" else module.rpartition(".")[0]


def _imports(file: Path, modules: dict[str, Path]) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in modules else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found & modules.keys()


def native_modules() -> list[str]:
    """The extension modules that CMakeLists.txt builds."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^depnet_native\((\w+)", text, flags=re.MULTILINE)


def modules_on_the_way(names: list[str] | None = None) -> dict[str, int]:
    """In how many modules of depnet each command calls a function, on a small table."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        _run(["example", "titanic", "-o", "table.csv"], folder)
        _run(["fit", "table.csv", "-o", "model.json"], folder)
        rows = (Path(folder) / "table.csv").read_text(encoding="utf-8").splitlines()
        holed = [rows[0], *("," + row.split(",", 1)[1] for row in rows[1:50])]
        (Path(folder) / "holes.csv").write_text("\n".join(holed) + "\n", encoding="utf-8")
        for name in names or WAYS:
            found[name] = _run(WAYS[name], folder)
    return found


def _run(arguments: list[str], folder: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    counted = re.search(r"^MODULES (.*)$", done.stderr, flags=re.MULTILINE)
    if counted is None or done.returncode:
        raise RuntimeError(
            f"depnet {' '.join(arguments)} ended with {done.returncode}: {done.stderr[-2000:]}"
        )
    return len(counted.group(1).split())


def main() -> None:
    """Print the size of the house beside its budget."""
    files, budget, lines = source_files(), budget_by_package(), lines_by_package()
    for name in sorted(lines):
        print(f"{name:12} {lines[name]:7,} of {budget.get(name, 0):7,}")
    code = sum(count_code(file) for file in files)
    print(
        f"{'src':12} {lines.total():7,} of {sum(budget.values()):7,} lines; {code:,} of code in {len(files)} files"
    )
    tests = list((ROOT / "tests").rglob("*.py"))
    print(f"{'tests':12} {sum(map(count_lines, tests)):7,} lines; {sum(map(count_code, tests)):,} of code")
    print("native modules:", *native_modules())
    for first, second in mutual_imports():
        print(f"import each other: {first}, {second}")
    print("modules on the way:", ", ".join(f"{name} {count}" for name, count in modules_on_the_way().items()))


if __name__ == "__main__":
    main()
