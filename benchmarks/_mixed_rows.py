"""Parquet and CSV files of mixed rows of any size, made by DuckDB a part at a time.

Thirty columns are 8 of floats, 7 of whole numbers and 15 of labels of 2 to 10 states; they follow two hidden numbers of the
row. Each further thirty have a hidden number of their own, and share the other.
"""

import sys
from pathlib import Path

BLOCK = 30
FLOATS, WHOLES = 8, 7


def mixed_columns(columns: int) -> dict[str, str]:
    """SQL of each column by its name, over the hidden numbers `y`, `z`, `z1`, ...; of fewer than thirty, evenly some."""
    found: dict[str, str] = {}
    for block in range(-(-columns // BLOCK)):
        every = _block(block)
        wanted = min(columns - block * BLOCK, BLOCK)
        step = BLOCK // wanted
        found |= dict(list(every.items())[: wanted * step : step])
    return found


def _block(block: int) -> dict[str, str]:
    own, behind = ("z", "") if block == 0 else (f"z{block}", f"_{block}")
    uniform = f"(hash(i * 31 + {{k}} + {1000 * block}) % 1000003)::DOUBLE / 1000003"
    columns = {}
    for k in range(FLOATS):
        radius = f"sqrt(-2 * ln(1e-6 + 0.9999 * {uniform.format(k=k)}))"
        normal = f"{radius} * cos(6.2831853 * {uniform.format(k=100 + k)})"
        columns[f"f{k}{behind}"] = (
            f"round(100 * ({('y', own)[k % 2]} * {1 + k % 3} + {normal} / 2), {2 + k % 3})"
        )
    for k in range(WHOLES):
        scatter = f"{5 * (k + 1)} * {uniform.format(k=20 + k)}"
        columns[f"i{k}{behind}"] = f"floor({('y', own)[k % 2]} * {10 * (k + 1) ** 2} + {scatter})::BIGINT"
    for k in range(BLOCK - FLOATS - WHOLES):
        state = f"floor(({('y', own, own)[k % 3]} + {uniform.format(k=40 + k)}) * {1 + k // 3})::INT"
        columns[f"c{k}{behind}"] = f"'state ' || {state}"
    return columns


def write_mixed(
    paths: list[Path], first: int, last: int, columns: int = BLOCK, *, holes: bool = False, threads: int = 1
) -> None:
    """Rows `first` to `last` - 1 to a file for each path, by its ending; with `holes` one cell in twenty is missing."""
    import duckdb

    made = mixed_columns(columns)
    if holes:
        made = {
            name: f"CASE WHEN hash(i * 97 + {at + 1000}) % 20 > 0 THEN {sql} END"
            for at, (name, sql) in enumerate(made.items())
        }
    hidden = ["(hash(i) % 1000)::DOUBLE / 1000 AS z", "(hash(i * 3 + 1) % 1000)::DOUBLE / 1000 AS y"]
    hidden += [
        f"(hash(i * 5 + {block}) % 1000)::DOUBLE / 1000 AS z{block}"
        for block in range(1, -(-columns // BLOCK))
    ]
    shown = ", ".join(f"{sql} AS {name}" for name, sql in made.items())
    rows = f"SELECT {shown} FROM (SELECT i, {', '.join(hidden)} FROM range({first}, {last}) t(i))"
    with duckdb.connect(config={"memory_limit": "2GB", "threads": threads}) as connection:
        for path in paths:
            options = "FORMAT parquet" if path.suffix == ".parquet" else "FORMAT csv, HEADER"
            connection.execute(f"COPY ({rows}) TO '{path}' ({options})")


if __name__ == "__main__":
    # In a process of its own: what it takes is no part of what is measured.
    where, begin, end, wide, kind = sys.argv[1:]
    write_mixed([Path(where)], int(begin), int(end), int(wide), holes=kind == "holes")
