from pathlib import Path
from typing import Any

import pytest

import depnet.cluster
from depnet import Boost, Dataset, Mdl, StructuralMdl
from depnet.cluster import learn, learn_both
from depnet.errors import DataError, LearningError
from depnet.learning.choose.ladder import Auto
from depnet.learning.grow.rounds import Round
from tests.cluster.clusters import stay_in_parts
from tests.cluster.tables import assert_same_network, mixed_table, write_parts


@pytest.fixture(autouse=True)
def in_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tables are small, and would all fit in memory."""
    if "gathered" not in request.node.name:
        stay_in_parts(monkeypatch)


class StopError(Exception):
    pass


def stop(done: int, nodes: int) -> None:
    if done == 3:
        raise StopError


@pytest.mark.parametrize("parts", [1, 3])
def test_rows_on_disk_give_the_network_of_rows_in_memory(tmp_path: Path, parts: int) -> None:
    frame = mixed_table(3000, seed=1)
    write_parts(frame, tmp_path, parts)
    expected = depnet.learn(Dataset.from_frame(frame), smoothing=0.5)
    rounds: list[Round] = []
    found = learn(tmp_path, memory="1GB", rows_per_part=700, smoothing=0.5, report=rounds.append)
    assert_same_network(found, expected)
    assert rounds[-1].done + rounds[-1].live <= len(found.nodes)
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))


def test_rows_that_fit_in_memory_are_gathered(tmp_path: Path) -> None:
    frame = mixed_table(900, seed=1)
    write_parts(frame, tmp_path, 3)
    data = Dataset.from_frame(frame)
    rounds: list[Round] = []
    options: dict[str, Any] = {"smoothing": 0.5, "boost": Boost(stages=5)}
    network, law = learn_both(tmp_path, memory="1GB", report=rounds.append, **options)
    assert not rounds
    assert network == depnet.learn(data, **options)
    assert law == depnet.learn(data, order="auto", **options)


@pytest.mark.parametrize("penalty", [StructuralMdl(), Auto((StructuralMdl(), Mdl()), (0.5, 2.0))])
def test_numbers_may_be_split_at_cuts(tmp_path: Path, penalty: Any) -> None:
    frame = mixed_table(1500, seed=12)
    write_parts(frame, tmp_path, 3, row_group=200)
    options: dict[str, Any] = {"penalty": penalty, "smoothing": 0.5, "cuts": True}
    data = Dataset.from_frame(frame)
    network, law = learn_both(tmp_path, memory="1GB", rows_per_part=300, **options)
    assert_same_network(network, depnet.learn(data, **options))
    assert_same_network(law, depnet.learn(data, order="auto", **options))
    without = depnet.learn(data, penalty=penalty, smoothing=0.5)
    assert [node.source for node in network.nodes] != [node.source for node in without.nodes]


@pytest.mark.parametrize("rows", [3000, 26_000])  # several parts are held out, and one
def test_the_penalty_is_chosen_as_in_memory(tmp_path: Path, rows: int) -> None:
    frame = mixed_table(rows, seed=7)
    write_parts(frame, tmp_path, 3)
    expected = depnet.learn(Dataset.from_frame(frame), penalty="auto", smoothing=0.5)
    rounds: list[Round] = []
    done: list[tuple[int, int]] = []
    found = learn(
        tmp_path,
        memory="0.32GB",
        rows_per_part=rows // 4,
        penalty="auto",
        smoothing=0.5,
        report=rounds.append,
        progress=lambda *told: done.append(told),
    )
    assert_same_network(found, expected)
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))  # of all fits together
    assert done == sorted(done)
    assert done[-1] == (6, 6)
    with pytest.raises(LearningError, match="smoothing above 0"):
        learn(tmp_path / "not even looked at", memory="1GB", penalty="auto")


def test_a_choice_that_was_stopped_goes_on_from_its_file(tmp_path: Path) -> None:
    frame = mixed_table(1000, seed=8)
    (tmp_path / "rows").mkdir()
    write_parts(frame, tmp_path / "rows", 2)
    ladder = Auto((Mdl(), StructuralMdl()), (1.0,))
    options: dict[str, Any] = {
        "memory": "1GB",
        "penalty": ladder,
        "smoothing": 0.5,
        "resume": tmp_path / "resume",
    }

    with pytest.raises(StopError):
        learn(tmp_path / "rows", progress=stop, **options)
    kept = (tmp_path / "resume").read_bytes()
    found = learn(tmp_path / "rows", **options)
    assert_same_network(found, depnet.learn(Dataset.from_frame(frame), penalty=ladder, smoothing=0.5))
    resumed = (tmp_path / "resume").read_bytes()
    assert resumed.startswith(kept)
    learn(tmp_path / "rows", **{**options, "resume": tmp_path / "at once"})
    assert resumed.count(b"\n") == (tmp_path / "at once").read_bytes().count(b"\n") > kept.count(b"\n")


def test_options_are_those_of_learn(tmp_path: Path) -> None:
    frame = mixed_table(2000, seed=2)
    write_parts(frame, tmp_path, 2)
    options: dict[str, Any] = {
        "penalty": StructuralMdl(),
        "max_leaves": 5,
        "roles": {"alive": "target"},
        "forbidden": [("port", "fare")],
    }
    expected = depnet.learn(Dataset.from_frame(frame, bins={"fare": [-20, 0, 5, 30]}), **options)
    found = learn(str(tmp_path / "*.parquet"), memory="1GB", bins={"fare": [-20, 0, 5, 30]}, **options)
    assert_same_network(found, expected)


@pytest.mark.parametrize("penalty", [StructuralMdl(), Auto((StructuralMdl(), Mdl()), (0.5, 2.0))])
def test_an_order_is_that_of_learn(tmp_path: Path, penalty: Any) -> None:
    frame = mixed_table(900, seed=8)
    write_parts(frame, tmp_path, 3, row_group=100)
    options: dict[str, Any] = {
        "penalty": penalty,
        "smoothing": 0.5,
        "roles": {"port": "input", "alive": "target"},
        "forbidden": [("fare", "class")],
        "order": "auto",
    }
    expected = depnet.learn(Dataset.from_frame(frame), **options)
    found = learn(tmp_path, memory="1GB", rows_per_part=200, **options)
    assert found.order is not None
    assert_same_network(found, expected)


def test_both_networks_of_one_reading(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    frame = mixed_table(900, seed=9)
    write_parts(frame, rows, 2)
    data = Dataset.from_frame(frame)
    done: list[tuple[int, int]] = []
    network, law = learn_both(
        rows, memory="1GB", resume=tmp_path / "fit", progress=lambda *told: done.append(told), smoothing=0.5
    )
    assert_same_network(network, depnet.learn(data, smoothing=0.5))
    assert_same_network(law, depnet.learn(data, smoothing=0.5, order="auto"))
    assert done == [(k, 12) for k in range(1, 13)]
    again = learn_both(rows, memory="1GB", resume=tmp_path / "fit", smoothing=0.5)
    assert again == (network, law)
    with pytest.raises(LearningError, match="order is None"):
        learn_both(rows, memory="1GB", order="names")


def test_columns_are_chosen_and_missing_values_may_be_a_state(tmp_path: Path) -> None:
    frame = mixed_table(500, seed=3)
    frame.loc[[3, 77], "port"] = None
    write_parts(frame, tmp_path, 2)
    with pytest.raises(DataError, match="column 'port', row 3: the value is missing"):
        learn(tmp_path, memory="1GB")
    chosen = ["port", "class"]
    expected = depnet.learn(Dataset.from_frame(frame[chosen], missing="state"))
    assert_same_network(learn(tmp_path, memory="1GB", columns=chosen, missing="state"), expected)


def test_a_resumed_fit_ends_in_the_same_network(tmp_path: Path) -> None:
    frame = mixed_table(2000, seed=4)
    (tmp_path / "rows").mkdir()
    write_parts(frame, tmp_path / "rows", 2)
    expected = depnet.learn(Dataset.from_frame(frame))
    file = tmp_path / "resume"

    with pytest.raises(StopError):
        learn(tmp_path / "rows", memory="1GB", resume=file, progress=stop)
    kept = file.read_bytes()
    assert kept.count(b"\n") == 1 + 3
    done: list[int] = []
    found = learn(tmp_path / "rows", memory="1GB", resume=file, progress=lambda d, _: done.append(d))
    assert_same_network(found, expected)
    assert file.read_bytes().startswith(kept)
    assert done == [4, 5, 6]


def test_bad_calls_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"cluster\.learn has no option 'penalti'\. Did you mean 'penalty'"):
        learn(tmp_path, penalti="mdl")
    with pytest.raises(TypeError, match="blocks was removed"):
        learn_both(tmp_path, blocks=None)
    with pytest.raises(AttributeError, match=r"learn_parts was removed; depnet\.cluster\.learn"):
        _ = depnet.cluster.learn_parts  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="either client="):
        learn(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        learn(tmp_path / "nothing", memory="1GB")
    with pytest.raises(ValueError, match="2GB"):
        learn(tmp_path / "nothing*", memory="much")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="not read as Parquet"):
        learn(tmp_path / "table.csv", memory="1GB")
    write_parts(mixed_table(50, seed=5), tmp_path, 1)
    with pytest.raises(DataError, match="there is no column 'clas'"):
        learn(tmp_path, memory="1GB", columns=["clas"])
    with pytest.raises(ValueError, match=r"more than 0\.3GB"):
        learn(tmp_path, memory="100MB")
