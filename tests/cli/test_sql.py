"""`depnet sql`: tables by their names, results shown and written, errors in one line."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.entry import answer, depnet, real


def test_a_result_is_shown_as_the_query_has_it(model: Path, table: Path) -> None:
    probability = "round(avg(depnet_probability('survived = Yes', titanic)), 3)"
    asked = f"SELECT sex, {probability} AS p FROM titanic GROUP BY ALL ORDER BY p"
    shown = depnet("sql", model, asked, "--data", table).stdout.decode()
    found = answer("sql", model, asked, "--data", table)["table"]
    assert [row["sex"] for row in found] == ["male", "female"]
    for row in found:
        assert f"{row['sex']}" in shown
        assert f"{row['p']}" in shown


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "csv.gz"])
def test_a_result_is_written_whole(model: Path, table: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    asked = "SELECT *, depnet_odd(t) AS odd, depnet_why(t) AS why FROM t"
    depnet("sql", model, asked, "--data", f"t={table}", "-o", out)
    readers = {"parquet": pd.read_parquet, "jsonl": lambda path: pd.read_json(path, lines=True)}
    found = readers.get(ending, pd.read_csv)(out)
    assert len(found) == 2201
    assert list(found.columns) == ["class", "sex", "age", "survived", "odd", "why"]
    depnet("sql", model, asked, "--data", f"t={table}", "-o", out, code=1)  # it exists
    printed = depnet("sql", model, "SELECT 1 AS one, NULL AS none", "-o", "-").stdout.decode()
    assert printed == "one,none\n1,\n"


def test_files_are_read_as_depnet_reads_them(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "some people.csv"
    file.write_bytes("sex;class;survived\nfemale;NA;Yes\n;1st;No\n".encode("utf-16"))
    asked = "SELECT sex, class, survived, depnet_most_likely('sex', t) AS likely FROM \"some people\" t"
    found = answer("sql", model, asked, "--data", file, "--encoding", "utf-16")["table"]
    assert [row["survived"] for row in found] == ["Yes", "No"]
    assert [row["class"] for row in found] == [None, "1st"]


WRONG = {
    "SELEC 1": "syntax error",
    "SELECT depnet_probability('survivd = Yes')": "there is no variable 'survivd'. Did you mean 'survived'?\n",
    "FROM nowhere": "nowhere does not exist",
    "SELECT depnet_probability('survived = Yes', {'sex': 'femal'})": "no state 'femal'. Did you mean 'female'",
}


@pytest.mark.parametrize("query", WRONG)
def test_errors_are_one_line(model: Path, query: str) -> None:
    assert WRONG[query] in depnet("sql", model, query, code=1).stderr.decode()


def test_many_rows_are_not_all_printed_and_the_process_ends_quietly(model: Path, tmp_path: Path) -> None:
    done = real("sql", model, "FROM depnet_sample(250, seed := 1)")
    assert "and 150 more rows; -o writes all" in done.stdout.decode()
    assert done.stderr == b""
    out = tmp_path / "report.json"
    out.write_bytes(real("sql", model, "FROM depnet_sample(250, seed := 1)", "--json").stdout)
    assert len(json.loads(out.read_text())["table"]) == 250
