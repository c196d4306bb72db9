"""Run notebooks without Jupyter: the code cells of a document in order, in this process, and what each of them shows.

    python -m tests.notebooks.execute             write the outputs anew into notebooks/*.ipynb
    python -m tests.notebooks.execute --check     fail where the outputs there are other ones

A cell shows what it prints, the figures that it draws, and the value of its last line if that is an expression, in the rich
forms that the value offers, as Jupyter does. Beside the outputs a notebook keeps the digest of the code that gave them.
"""

import ast
import base64
import contextlib
import hashlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DOTS_AN_INCH = 72

Document = dict[str, Any]


def code_cells(document: Document) -> list[Document]:
    """The cells that have code, in order."""
    return [cell for cell in document["cells"] if cell["cell_type"] == "code"]


def code_digest(document: Document) -> str:
    """A digest of all code: outputs belong to it."""
    code = "\0".join("".join(cell["source"]) for cell in code_cells(document))
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def outputs_of(document: Document) -> Iterator[list[Document]]:
    """Run the code cells one after the other in one namespace: the outputs of each."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    _figures()  # what others have left open is no output of the notebook
    for number, cell in enumerate(code_cells(document), start=1):
        value, printed = _run("".join(cell["source"]), f"cell {number}", namespace)
        found: list[Document] = []
        if printed:
            found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed)})
        found += [_shown({"image/png": picture, "text/plain": "a figure"}) for picture in _figures()]
        if value is not None:
            found.append({**_shown(forms(value)), "execution_count": number, "output_type": "execute_result"})
        yield found


def _run(code: str, name: str, namespace: dict[str, Any]) -> tuple[Any, str]:
    """The value of the last line, if that is an expression, and all that was printed."""
    tree = ast.parse(code, name)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if last is not None:
        tree.body.pop()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, name, "exec"), namespace)
        value = None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    return value, printed.getvalue()


def forms(value: Any) -> dict[str, str]:
    """A value in every form that it offers to a notebook; one that has a face is named in text only."""
    offered = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
    found = {form: getattr(value, method)() for form, method in offered.items() if hasattr(value, method)}
    return {**found, "text/plain": f"<{type(value).__name__}>" if found else repr(value)}


def _figures() -> list[str]:
    """The figures that are open in pyplot, closed now, as PNG in base64."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot as plt

    pictures = []
    for number in plt.get_fignums():
        place = io.BytesIO()
        plt.figure(number).savefig(place, format="png", dpi=DOTS_AN_INCH, metadata={"Software": None})
        pictures.append(base64.b64encode(place.getvalue()).decode())
    plt.close("all")
    return pictures


def _shown(data: dict[str, str]) -> Document:
    whole = {form: text if form == "image/png" else _lines(text) for form, text in data.items()}
    return {"data": whole, "metadata": {}, "output_type": "display_data"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def executed(document: Document) -> str:
    """The text of the notebook with the outputs of its code as it is now."""
    for number, (cell, found) in enumerate(
        zip(code_cells(document), outputs_of(document), strict=True), start=1
    ):
        cell["execution_count"], cell["outputs"] = number, found
    document["metadata"]["depnet"] = {"code": code_digest(document)}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the outputs anew, or check them."""
    import matplotlib as mpl

    mpl.use("agg")
    stale = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        before = path.read_text(encoding="utf-8")
        after = executed(json.loads(before))
        if after != before:
            stale.append(path.name)
            if "--check" not in arguments:
                path.write_text(after, encoding="utf-8")
        print(
            f"{path.name}: {'as it was' if after == before else 'changed'}, {len(after.encode()) / 1000:.0f} kB"
        )
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
