"""`depnet fit --cluster` and `--memory`: what is refused, and before what; models are those of tests/cluster."""

import sys
from pathlib import Path

import pytest

from depnet.cli.fit import NOT_IN_CHUNKS
from tests.cli.entry import depnet, refused
from tests.cluster.tables import mixed_table

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of pandas, of the oddly mixed table
CLUSTER = ["--cluster", "tcp://127.0.0.1:9"]


def test_chunks_give_the_model_of_whole_files(tmp_path: Path) -> None:
    mixed_table(900, seed=6).to_parquet(tmp_path / "table.parquet", row_group_size=300)
    fit = ["fit", tmp_path / "table.parquet", "--penalty", "structural-mdl"]
    done = depnet(*fit, "--memory", "1GB", "-o", tmp_path / "chunks.json")
    assert done.stdout.startswith(b"learned from 900 rows of 6 columns")
    depnet(*fit, "-o", tmp_path / "one.json")
    assert (tmp_path / "chunks.json").read_bytes() == (tmp_path / "one.json").read_bytes()


@pytest.mark.parametrize("option", NOT_IN_CHUNKS)
def test_what_workers_cannot_do_is_refused(option: str, tmp_path: Path) -> None:
    message = refused("fit", tmp_path, *CLUSTER, option, "alive", "-o", tmp_path / "m.json", code=2)
    assert f"{option} does not go with --cluster or --memory" in message
    assert NOT_IN_CHUNKS[option].split(". ")[-1].split(" --")[0] in message


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A Parquet file, beside files that are not."""
    frame = mixed_table(60, seed=6)
    for name, some in (("rows", frame), ("none", frame[:0])):
        some.to_parquet(tmp_path / f"{name}.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_json(tmp_path / "rows.json", orient="records")
    frame.to_csv(tmp_path / "named.parquet", index=False)
    (tmp_path / "uneven").mkdir()
    frame.to_parquet(tmp_path / "uneven" / "a.parquet")
    frame[["port", "class"]].to_parquet(tmp_path / "uneven" / "b.parquet")
    return tmp_path / "rows.parquet"


LATE = {
    "rows.csv": "rows.csv cannot be read as Parquet, the only format that is read in chunks",
    "rows.json": "Convert it to Parquet first, or learn from it in one process: depnet fit without a cluster",
    "named.parquet": "named.parquet cannot be read as Parquet",
    "missing.parquet": "there is no such file, and no Parquet file in or like it. Name a file",
    "none.parquet": "learning a network needs at least one row; there are none",
    "uneven": "b.parquet has the columns ['port', 'class']",
    "rows.parquet --columns far": "there is no column 'far'. Did you mean 'fare'",
    "rows.parquet --without far": "there is no column 'far'. Did you mean 'fare'",
    "rows.parquet --bins far=3": "bins: there is no column 'far'. Did you mean 'fare'",
    "rows.parquet --keep far": "keep: there is no column 'far'. Did you mean 'fare'",
    "rows.parquet --role far=target": "roles: there is no variable 'far'. Did you mean 'fare'",
    "rows.parquet --forbid far:port": "forbidden: there is no variable 'far'. Did you mean 'fare'",
    "rows.parquet --forbid port:port": "needs no forbidding",
    "rows.parquet --order far,port": "order: there is no variable 'far'. Did you mean 'fare'",
    "rows.parquet --order fare,port,fare": "'fare' is there twice",
    "rows.parquet --order fare,port --role port=input": "inputs come first",
    "rows.parquet --smoothing 0": "rows that are held out",
}
"""What the files and the options say by themselves."""


@pytest.mark.parametrize("words", LATE)
def test_what_could_not_be_fitted_is_refused_before_any_of_dask(
    words: str, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, *options = words.split()
    fit = ["fit", rows.with_name(table), *options, "-o", rows.with_name("m.json")]
    monkeypatch.setitem(sys.modules, "distributed", None)  # to import it would be another error
    for where in (CLUSTER, ["--memory", "1GB"]):
        assert LATE[words] in refused(*fit, *where)


def test_a_bound_on_memory_is_a_size(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused("fit", rows, *CLUSTER, "--memory", "much", "-o", rows.with_name("m.json"))
    assert "memory is a size of at least 100 MB" in said


def test_standard_input_is_not_for_a_cluster(tmp_path: Path) -> None:
    said = refused("fit", "-", *CLUSTER, "-o", tmp_path / "m.json", code=2)
    assert "read Parquet files, not standard input" in said


def test_no_such_cluster(rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depnet.cli.fit.SECONDS", 1)
    message = refused("fit", rows, *CLUSTER, "-o", tmp_path / "m.json")
    assert "no Dask scheduler answers" in message
