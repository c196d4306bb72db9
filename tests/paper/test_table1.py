"""Table 1 at full size, with the paper's numbers in the distribution over seeds."""

import math

import pytest

from depnet import Dataset
from depnet.paper.learned import PAPER, record, table1


def test_one_seed_is_of_the_size_of_the_papers_numbers() -> None:
    report = table1()
    assert report.holds
    assert [r["data"] for r in report.records] == list(PAPER)
    for line in report.records:
        assert list(line) == ["data", "rows", "seed", "fc", "fc_limit"]
        assert_near_paper(line["data"], line["fc"], line["fc_limit"])
    assert {r["data"]: r["rows"] for r in report.records} == {
        "Ising4x3S": 1_000, "Ising4x3L": 100_000, "RB12-21S": 1_000, "RB12-21L": 100_000,
    }  # fmt: skip
    with pytest.raises(AssertionError):  # the numbers of another data set are far
        assert_near_paper("Ising4x3L", report.records[0]["fc"], report.records[0]["fc_limit"])


def assert_near_paper(name: str, fc: float, limit: float) -> None:
    """Within a factor of 2.2 of the paper's: what other samples and other random networks make (50 seeds: 2.6)."""
    for ours, paper in zip((fc, limit), PAPER[name], strict=True):
        assert 1 / 2.2 < ours / paper < 2.2


def test_another_coupling_gives_other_numbers() -> None:
    strong = table1(coupling=0.2, families=["Ising4x3"], sizes={"L": 100_000})
    with pytest.raises(AssertionError):
        assert_near_paper("Ising4x3L", strong.records[0]["fc"], strong.records[0]["fc_limit"])


def test_the_same_seed_gives_the_same_table() -> None:
    small = {"families": ["Ising2x2", "RB4-4"], "sizes": {"S": 200}}
    assert table1(3, **small).records == table1(3, **small).records  # type: ignore[arg-type]  # a dict of options
    assert table1(3, **small).records != table1(4, **small).records  # type: ignore[arg-type]  # the same


def test_several_seeds_show_the_papers_place() -> None:
    report = table1(seeds=3)
    assert report.holds
    assert len(report.records) == 12
    by_name = {(r["data"], r["quantity"]): r for r in report.rows}
    line = by_name["RB12-21S", "FC_lim(p^D)"]
    own = sorted(r["fc_limit"] for r in report.records if r["data"] == "RB12-21S")
    assert (line["least"], line["median"], line["greatest"]) == tuple(own)
    assert line["place"] == sum(v < 1.6e-1 for v in own) / 3


@pytest.mark.long
def test_fifty_seeds() -> None:
    report = table1(seeds=50)
    assert report.holds
    for name in PAPER:
        for key, paper in zip(("fc", "fc_limit"), PAPER[name], strict=True):
            values = report.series(key, data=name)
            assert 1 / 1.2 < sorted(values)[0] / paper < 1.2 or min(values) < paper < max(values) * 1.1


def test_a_chain_without_a_unique_law_has_no_fc() -> None:
    # two variables that are always equal, without smoothing: each state stays for ever
    line = record("copies", Dataset.from_codes([[0, 0], [1, 1]], [2, 2], [500, 500]), seed=0)
    assert line["fc"] is None
    assert math.isclose(line["fc_limit"], 0.0, abs_tol=1e-12)
