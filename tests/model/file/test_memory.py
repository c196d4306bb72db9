"""Files made to cost memory: what they take is never more than was foreseen, and is refused past the limit."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import depnet
from depnet.errors import ModelFileError
from depnet.model.file.memory import MAX_MEMORY, Budget

LENGTH = 40_000  # more than the buffer of a read costs, which is not the file's


def filled(unit: str) -> str:
    """So many copies of a unit that the file has its length."""
    return ",".join([unit] * (LENGTH // (len(unit) + 1)))


def numbered(unit: Callable[[int], str]) -> str:
    return ",".join(map(unit, range(LENGTH // (len(unit(0)) + 4))))


def unread(values: str) -> str:
    """In a field that no reader knows."""
    return f'{{"format": "depnet network", "version": 1, "x": [{values}]}}'


def document(variables: str, nodes: str, more: str = "", version: int = 1) -> str:
    """Each node on a line of its own, as `save` writes them."""
    by_lines = ",\n".join(json.dumps(node) for node in json.loads(f"[{nodes}]"))
    return (
        f'{{"format": "depnet network", "version": {version}, "domain": {{"variables": [{variables}]}},'
        f'\n"nodes": [\n{by_lines}\n]{more}, "checksum": "x"}}'
    )


TWO = '{"name": "A", "states": [0, 1]}, {"name": "B", "states": [0, 1]}'
ONES = '{"name": "A", "states": [0]}, {"name": "B", "states": [0]}'


def wide(source: str, rows: str, law: bool = False) -> str:
    """As many variables, each with a node (and another of the law), as the length has room for."""
    number = LENGTH // (len(node(source, rows)) * (1 + law) + 40)
    variables = ",".join(f'{{"name": "{i:x}", "states": [0, 1]}}' for i in range(number))
    nodes = ",".join(node(source, rows, i) for i in range(number))
    if not law:
        return document(variables, nodes)
    order = ", ".join(map(str, reversed(range(number))))
    lines = nodes.replace(',{"variables"', ',\n{"variables"')
    held_out = '"held_out": {"rows": 1, "score": 0, "independent": 0}'
    return document(
        variables, nodes, f', "law": {{"order": [{order}], {held_out},\n"nodes": [\n{lines}\n]}}', 3
    )


def node(source: str, rows: str, variable: int = 0) -> str:
    return (
        f'{{"variables": [{variable}], "source": {source}, "table": {{"smoothing": 0, "counts": [{rows}]}}}}'
    )


def graph(operations: str) -> str:
    return f'{{"kind": "decision graph", "operations": [{operations}]}}'


def boosted(scores: str, variable: int = 0, tests: str = "", begin: str = "0", splits: str = "") -> str:
    """A node of one state, or of as many as there are scores, from base rates of 0 on."""
    other = 1 - variable if tests else 0
    tested = ", ".join([str(other)] * (tests.count(",") + 1)) if tests else ""
    return (
        f'{{"variables": [{variable}], "source": {{"kind": "constant"}}, "boosted": {{"start_scores": [0], "gains": '
        f'[{"0.5" if splits else ""}], "variable": [{tested}], "low": [{tests}], "high": [{tests}], "begin": [{begin}], '
        f'"leaf": [{splits}], "test": [{splits}], "scores": [{scores}]}}}}'
    )


def alone(first: str) -> str:
    """A boosted node of the first of two variables of one state."""
    return document(ONES, first + "," + node(tabulated(1), "[1]", 1), version=4)


def tabulated(size: int) -> str:
    return f'{{"kind": "tabulated", "inputs": [], "size": {size}, "leaves": [0]}}'


COSTLY = {
    "empty lists": unread(filled("[]")),
    "short lists": unread(filled("[0]")),
    "nested lists": unread(filled("[" * 300 + "]" * 300)),
    "empty objects": unread(filled("{}")),
    "small objects": unread(filled('{"": 0}')),
    "fields twice": unread(filled('{"": 0, "": 0}')),
    "nested objects": unread(filled('{"a": ' * 200 + "0" + "}" * 200)),
    "NaN": unread(filled("NaN")),
    "whole numbers": unread(filled("300")),
    "floats": unread(filled("1.5")),
    "strings": unread(filled('"ab"')),
    "one wide character": '{"x": "\U0001f600' + "a" * LENGTH + '"}',
    "fields": '{"x": {' + numbered(lambda i: f'"{i}": 0') + "}}",
    "a name of wide characters": document(
        ONES.replace("A", "\U0001f600" * 30_000),
        node(tabulated(1), "[1]") + "," + node(tabulated(1), "[1]", 1),
    ),
    "labels": document('{"name": "A", "states": [' + numbered(lambda i: str(10**9 + i)) + "]}", "0"),
    "variables": document(numbered(lambda i: f'{{"name": "{i:x}", "states": [0]}}'), "0"),
    "bins": document(
        numbered(
            lambda i: (
                f'{{"name": "{i:x}", "states": [0], "bins": '
                '{"kind": "float", "edges": [null, null], "quantiles": [[0.5]]}}'
            )
        ),
        "0",
        version=2,
    ),
    "nodes": wide('{"kind": "tabulated", "inputs": [], "size": 2, "leaves": [1]}', "[1, 0], [0, 1]"),
    "graphs": wide(graph(""), "[1, 0]"),
    "constant nodes": wide('{"kind": "constant"}', "[1, 0]"),
    "a law and a network": wide('{"kind": "constant"}', "[1, 0]", law=True),
    "graphs of a law and a network": wide(graph(""), "[1, 0]", law=True),
    "an order": document(ONES, "0", f', "law": {{"order": [{filled("300")}], "nodes": []}}', 3),
    "an order of nothing": document(
        ONES, "0", f', "law": {{"order": [{filled("[]")}],\n"nodes": [\n0\n]}}', 3
    ),
    "held-out rows": document(ONES, "0", f', "held_out": {{"rows": [{filled("1.5")}]}}', 3),
    "a wide character beside nodes": document(ONES, "0", f', "x": "\U0001f600{"a" * LENGTH}"', 3),
    "a wide character in a node": document(ONES, f'"\U0001f600{"a" * LENGTH}"').replace(
        "\\ud83d\\ude00", "\U0001f600"
    ),
    "operations": document(
        ONES, node(graph(filled('["split", 0, 1]')), "[1]") + "," + node(tabulated(1), "[1]", 1)
    ),
    "leaves": document(TWO, node(tabulated(7_500), filled("[1, 0]")[: 7_500 * 7 - 1])),
    "rows of one number": document(ONES, node(tabulated(12_000), ",".join(["[1]"] * 12_000))),
    "rows of floats and whole numbers": document(
        ONES,
        node(tabulated(12_000), ",".join(["[1.0]"] * 11_999 + ["[1]"])).replace(
            '"smoothing": 0, "counts"', '"probabilities"'
        ),
    ),
    "boosted nodes": document(
        ",".join(f'{{"name": "{i:x}", "states": [0]}}' for i in range(500)),
        ",".join(boosted("", i) for i in range(500)),
        version=4,
    ),
    "stages of one leaf": alone(boosted(filled("0"), begin=filled("0") + ", 0")),
    "stages of one leaf, larger": alone(
        boosted(filled("300"), begin=",".join(["0"] * (filled("300").count(",") + 2)))
    ),
    "splits": alone(
        boosted(
            ",".join(["0"] * 40_400),
            tests="0",
            begin=",".join(map(str, range(0, 40_001, 100))),
            splits=",".join(["0"] * 40_000),
        )
    ),
    "tests that no split names": alone(
        boosted("0", tests=",".join(["0"] * 20_000), begin="0, 1", splits="0")
    ),
    "scores that are lists": alone(boosted(filled("[]"))),
    "gains": alone(boosted("").replace('"gains": []', f'"gains": [{filled("1.5")}]')),
    "2-way counts": document(
        ",".join(f'{{"name": "{i}", "states": [0]}}' for i in range(250)),
        ",".join(node('{"kind": "constant"}', "[1]", i) for i in range(250)),
        f', "counts": {{"singles": [{",".join(["[1]"] * 250)}], "pairs": [{",".join(["[1]"] * 31_125)}]}}',
    ),
}


def loaded(path: Path, **options: Any) -> str:
    """The message, or that there is none."""
    try:
        depnet.load(path, **options)
    except ModelFileError as error:
        return str(error)
    return "loaded"


LAYOUTS = [
    (case, layout) for case in COSTLY for layout in ("by lines", "in one piece")[: 1 + ("\n" in COSTLY[case])]
]


@pytest.mark.parametrize(("case", "layout"), LAYOUTS)
def test_no_file_takes_more_memory_than_foreseen(
    case: str, layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = COSTLY[case] if layout == "by lines" else COSTLY[case].replace("\n", " ")
    (tmp_path / "m.json").write_text(content, encoding="utf-8")
    loaded(tmp_path / "m.json", max_memory=2**40)  # what is made once is not the file's
    foreseen = 0

    def check(self: Budget, more: int) -> None:
        nonlocal foreseen
        foreseen = max(foreseen, self.used + more)

    monkeypatch.setattr(Budget, "check", check)
    tracemalloc.start()
    loaded(tmp_path / "m.json")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken <= foreseen + 20_000, f"{taken:,} bytes, where {foreseen:,} were foreseen"
    monkeypatch.undo()
    assert "could take" in loaded(tmp_path / "m.json", max_memory=foreseen - 1)


def assert_refused_within_the_limit(path: Path) -> None:
    tracemalloc.start()
    message = loaded(path)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "more than 200 MB. If you trust it, load it with depnet.load(path, max_memory=...)" in message
    assert taken < MAX_MEMORY


def test_the_largest_hostile_file_takes_less_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(
        unread(",".join(["[]"] * (20 * 2**20)))
    )  # 63 MB, which would become 2 GB
    assert_refused_within_the_limit(tmp_path / "m.json")


def test_the_widest_hostile_files_take_less_than_the_limit(tmp_path: Path) -> None:
    """One wide character makes a text of 28 MB take 112: neither it nor a line of it is copied."""
    many = "a" * 28_000_000
    for x, line in ((f"\U0001f600{many}", "0"), ("\U0001f600", f'"{many}"'), ("", f'"\U0001f600{many}"')):
        (tmp_path / "m.json").write_text(
            document(ONES, "0", f', "x": "{x}"', 3).replace("\n0\n", f"\n{line}\n"),
            encoding="utf-8",
        )
        assert_refused_within_the_limit(tmp_path / "m.json")


def test_a_large_network_takes_little_more_than_itself(tmp_path: Path) -> None:
    """100,000 leaves: each node is read, made and forgotten as text before the next."""
    rows = ", ".join(["[12, 3456]"] * 1_000)
    nodes = ",".join(node(tabulated(1_000), rows, i) for i in range(100))
    variables = ",".join(f'{{"name": "{i}", "states": [0, 1]}}' for i in range(100))
    content = document(variables, nodes).replace(', "checksum": "x"', "")
    (tmp_path / "m.json").write_text(content)
    tracemalloc.start()
    network = depnet.load(tmp_path / "m.json")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = sum(each.table.probabilities.nbytes * 2 for each in network.nodes)
    assert kept == 100 * 1_000 * 2 * 16
    assert taken < kept + 3 * len(content)
