"""One rule says what has an order, `Variable.scale`, and whatever compares states follows it: here for ordered labels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet import Dataset, Domain, Variable
from depnet.data.binning.bins import Bins
from depnet.data.frames.decode import numbers_of
from depnet.data.table.kinds import word_of
from depnet.errors import EvidenceError
from depnet.explorer.cards import has_ranges, is_histogram
from depnet.learning.boost import tests_of as splits_of
from depnet.learning.cuts import CutDomain
from depnet.model.conditions import interpret

SIZES = ("S", "M", "L", "XL", "2XL", "3XL", "4XL")
BINS = Bins((0, 18, 99), ((3, 9, 17), (30, 40)), "integer")


@pytest.mark.parametrize(
    ("variable", "scale"),
    [
        (Variable("age", BINS.labels, BINS), "number"),
        (Variable("rooms", (1, 2.5, 4)), "number"),
        (Variable("rooms", (1, 2, "(missing)"), missing="(missing)"), "number"),
        (Variable("rooms", (1, 2, 3), ordered=True), "number"),
        (Variable("survived", (0, 1)), "number"),
        (Variable("rank", (3, 2, 1), ordered=True), "ordered"),
        (Variable("size", SIZES, ordered=True), "ordered"),
        (Variable("size", (*SIZES, "(missing)"), missing="(missing)", ordered=True), "ordered"),
        (Variable("size", SIZES), "category"),
        (Variable("code", (3, 2, 1)), "category"),
        (Variable("yes", (False, True)), "category"),
        (Variable("rooms", (1, 2, "more")), "category"),
        (Variable("nothing", ("(missing)",), missing="(missing)"), "category"),
    ],
)
def test_the_scale_is_decided_once(variable: Variable, scale: str) -> None:
    assert variable.scale == scale
    assert variable.has_order is (scale != "category")
    assert (variable.levels() is None) is (scale != "number")
    assert is_histogram(variable) is (scale == "number" and len(variable.present_states) > 2)
    assert (numbers_of(variable) is None) is (
        scale != "number" or variable.present_states in ((0, 1), (1, 2))
    )


def of(ordered: bool) -> Variable:
    return Variable("size", (*SIZES, "(missing)"), missing="(missing)", ordered=ordered)


def test_ordered_labels_are_compared_in_evidence_and_others_are_not() -> None:
    assert interpret(of(True), ">=XL").weights().tolist() == [0, 0, 0, 1, 1, 1, 1, 0]
    with pytest.raises(EvidenceError, match="size"):
        interpret(of(False), ">=XL").weights()


def test_sources_cut_ordered_labels_and_tell_others_one_by_one() -> None:
    codes = np.repeat(np.arange(7), 30)[:, None]
    offered = {}
    for variable in (of(True), of(False), Variable("rooms", (1, 2, 3, 4, 5, 6, 7))):
        domain = Domain((variable,))
        cuts = CutDomain(domain, Dataset.from_codes(codes, domain=domain)).cuts
        offered[variable.scale] = {
            kind: [cut.at for cut in cuts if (cut.others == ()) is kind] for kind in (False, True)
        }
    single = [1, 2, 3, 4, 5, 6]
    assert offered["ordered"] == {False: [1, 2, 3, 4, 5, 6, 7], True: []}
    assert offered["category"] == {False: [1], True: single}  # the first state alone is the cut at 1
    assert offered["number"] == {False: single, True: single}


def test_stages_cut_ordered_labels_and_tell_others_one_by_one() -> None:
    counts = np.full(8, 30)
    assert {(test.low, test.high) for test in splits_of(of(True), 0, counts)} == {
        *((cut, 6) for cut in range(1, 7)),
        (7, 7),
    }
    assert {(test.low, test.high) for test in splits_of(of(False), 0, counts)} == {(k, k) for k in range(8)}


def frame(ordered: bool) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    size = rng.integers(0, 7, 400)
    large = np.where(rng.random(400) < 0.9, size >= 4, size < 4)
    sizes = pd.Categorical.from_codes(size, list(SIZES), ordered=ordered)
    return pd.DataFrame({"size": sizes, "large": np.where(large, "yes", "no")})


def test_a_cut_pays_where_a_split_into_all_states_does_not() -> None:
    rng = np.random.default_rng(0)
    place = rng.integers(0, 20, 60)
    high = np.where(rng.random(60) < 0.8, place >= 10, place < 10)
    for ordered in (True, False):
        letters = pd.Categorical.from_codes(place, list("abcdefghijklmnopqrst"), ordered=ordered)
        data = Dataset.from_frame(pd.DataFrame({"letter": letters, "high": high}))
        assert (0 in depnet.learn(data, cuts=True).nodes[1].inputs) is ordered


def test_text_and_page_keep_the_order(tmp_path: Path) -> None:
    for ordered in (True, False):
        model = depnet.DependencyNetwork(random_state=0).fit(frame(ordered))
        model.save(tmp_path / "m.json")
        loaded = depnet.DependencyNetwork.load(tmp_path / "m.json")
        for each in (model, loaded):
            size = each.network_.domain.variables[0]
            assert size.scale == ("ordered" if ordered else "category")
            assert has_ranges(size) is ordered
            assert word_of(size) == ("ordered" if ordered else "category")
            table = each.query("size", {"large": "yes"}).table("size")
            likeliest = np.argsort(-table.answer, kind="stable")[:4].tolist()
            assert likeliest != sorted(likeliest)
            assert list(table.order(4)) == (sorted(likeliest) if ordered else likeliest)
