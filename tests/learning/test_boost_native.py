"""The native booster is its slow twin, on every instruction set."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet._native import boost as native
from depnet.model.stages import Stages
from depnet.model.stages import Test as StageTest
from tests.isas import AVAILABLE
from tests.laws import assert_same_law
from tests.reference import boosting as twin
from tests.reference.boosting import Settings
from tests.refusals import refuses
from tests.strategies import seeds

NAT = 1 << 20
SETTINGS = Settings(
    stages=6, leaves=4, patience=3, rate=0.3, shrinkage=1.0, least_curvature=0.1, share=1.0, seed=5
)


class Rows(NamedTuple):
    """Rows of a node, as the native booster takes them."""

    codes: np.ndarray
    own: np.ndarray
    start: np.ndarray

    def literal(self) -> twin.NodeRows:
        return twin.NodeRows(self.codes.tolist(), self.own.tolist(), self.start.tolist())


class Case(NamedTuple):
    """What one node is boosted from."""

    tests: list[StageTest]
    settings: Settings
    rows: Rows
    readable: list[int]
    held: Rows | None


class Result(NamedTuple):
    """What the native booster returns, as lists: equal bits are equal lists."""

    begin: list[int]
    leaf: list[int]
    test: list[int]
    scores: list[int]
    gains: list[float]
    held_scores: list[float]
    complete: bool


def table_of(codes: np.ndarray, tests: list[StageTest]) -> native.BitTable:
    variable, low, high = np.array(tests, dtype=np.int64).reshape(-1, 3).T
    return native.BitTable(codes, variable.astype(np.int32), low.astype(np.uint16), high.astype(np.uint16))


def boosted(
    case: Case,
    *,
    table: native.BitTable | None = None,
    seconds: float | None = None,
    stop: native.Stop | None = None,
) -> Result:
    held = case.held
    found: Any = native.boost(
        table_of(case.rows.codes, case.tests) if table is None else table,
        native.Settings(**case.settings._asdict()),
        own=case.rows.own,
        start=case.rows.start,
        readable=case.readable,
        held_table=None if held is None else table_of(held.codes, case.tests),
        held_own=None if held is None else held.own,
        held_start=None if held is None else held.start,
        seconds=seconds,
        stop=native.Stop() if stop is None else stop,
    )
    *arrays, complete = found
    return Result._make([*(each.tolist() for each in arrays), complete])


def boosted_literally(case: Case) -> Result:
    grown = twin.boost(
        case.tests,
        case.settings,
        case.rows.literal(),
        variables=case.rows.codes.shape[1],
        readable=case.readable,
        held=None if case.held is None else case.held.literal(),
    )
    leaf, test = [split.leaf for split in grown.splits], [split.test for split in grown.splits]
    return Result(grown.begin, leaf, test, grown.scores, grown.gains, grown.held_scores, True)


def random_rows(
    rng: np.random.Generator, rows: int, cards: list[int], states: int, kind: type, spread: float
) -> Rows:
    """Rows whose state depends on the first variable and the last, and scores of some `spread` nats to start from."""
    codes = rng.integers(0, cards, size=(rows, len(cards)))
    told = np.maximum(codes[:, 0], codes[:, -1]) % states
    own = np.where(rng.random(rows) < 0.6, told, rng.integers(0, states, size=rows))
    start = np.rint(rng.normal(0.0, spread * NAT, size=(rows, states))).clip(-500 * NAT, 500 * NAT)
    return Rows(np.asfortranarray(codes, dtype=kind), own.astype(np.uint16), start.astype(np.int32))


def all_tests(cards: list[int]) -> list[StageTest]:
    """Every interval of the states of every variable, but not all its states."""
    return [
        StageTest(j, low, high)
        for j, k in enumerate(cards)
        for low in range(k)
        for high in range(low, k)
        if high - low + 1 < k
    ]


def random_case(
    seed: int,
    rows: int,
    cards: list[int],
    states: int,
    options: Settings,
    *,
    kind: type = np.uint8,
    spread: float = 1.0,
    held: int | None = None,
) -> Case:
    """Boosting of a variable that is not among the table's, from random rows."""
    rng = np.random.default_rng(seed)
    tests = all_tests(cards)
    return Case(
        tests,
        options,
        random_rows(rng, rows, cards, states, kind, spread),
        list(range(len(cards))),
        None if held is None else random_rows(rng, held, cards, states, kind, spread),
    )


@composite
def options(draw: DrawFn) -> Settings:
    """What small tables are boosted with."""
    return Settings(
        stages=draw(st.sampled_from([6, 5, 4, 3, 1])),
        leaves=draw(st.sampled_from([6, 4, 3, 2])),
        patience=draw(st.integers(0, 3)),
        rate=draw(st.sampled_from([0.05, 0.3, 1.0])),
        shrinkage=draw(st.sampled_from([1e-6, 0.1, 1.0, 7.0])),
        least_curvature=draw(st.sampled_from([0.0, 0.01, 0.3])),
        share=draw(st.sampled_from([1.0, 0.7, 0.5, 0.3])),
        seed=draw(st.integers(0, 2**64 - 1)),
    )


@composite
def cases(draw: DrawFn) -> Case:
    """Small tables, with some of their tests and variables; scores near and far from 0."""
    cards = draw(st.lists(st.integers(2, 5), min_size=1, max_size=5))
    case = random_case(
        draw(seeds),
        draw(st.integers(1, 200) | st.sampled_from([60, 64, 128, 129, 200])),
        cards,
        draw(st.integers(2, 5)),
        draw(options()),
        kind=draw(st.sampled_from([np.uint8, np.uint16])),
        spread=draw(st.sampled_from([0.0, 0.3, 1.0, 4.0, 12.0, 200.0])),
        held=draw(st.none() | st.integers(0, 150)),
    )
    if draw(st.integers(0, 2)) == 2:
        some = draw(st.lists(st.sampled_from(case.tests), min_size=1, max_size=8))  # in any order, some twice
        readable = draw(st.lists(st.sampled_from(case.readable), min_size=1, unique=True))
        case = case._replace(tests=some, readable=readable)
    return case


@settings(max_examples=5 * settings().max_examples)  # they are small, and many grow nothing
@given(cases())
def test_the_booster_is_its_twin_on_every_instruction_set(case: Case) -> None:
    expected = boosted_literally(case)
    with pytest.MonkeyPatch.context() as patch:
        for isa in AVAILABLE:
            patch.setenv("DEPNET_ISA", isa)
            assert boosted(case) == expected, isa


@pytest.mark.parametrize("states", [2, 3, 5])
def test_the_booster_is_its_twin_where_there_is_much_to_grow(states: int) -> None:
    """Ten stages of up to eight leaves, with patience that does not end."""
    much = SETTINGS._replace(stages=10, leaves=8, patience=10, share=0.7, least_curvature=0.5)
    case = random_case(states, 200, [5, 3, 4], states, much, held=100, spread=0.3)
    found = boosted(case)
    assert found == boosted_literally(case)
    assert len(found.begin) == 11
    assert max(np.diff(found.begin)) == 7


@pytest.mark.parametrize("isa", AVAILABLE)
def test_ties_go_to_the_lowest_leaf(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows: no rounding is random. The first variable splits hits 16 : 4, and each half is then split 5 : 1."""
    monkeypatch.setenv("DEPNET_ISA", isa)
    cells = {(0, 0): 10, (0, 1): 6, (1, 0): 4, (1, 1): 0}  # hits among ten rows each
    codes = np.array([cell for cell in cells for _ in range(10)], dtype=np.uint8, order="F")
    own = np.array([int(r < hits) for hits in cells.values() for r in range(10)], dtype=np.uint16)
    rows = Rows(codes, own, np.zeros((40, 2), dtype=np.int32))
    tests = [StageTest(0, 1, 1), StageTest(1, 1, 1)]
    case = Case(tests, SETTINGS._replace(stages=1), rows, [0, 1], None)
    found = boosted(case)
    assert found == boosted_literally(case)
    assert (found.leaf, found.test) == ([0, 0, 1], [0, 1, 1])


@pytest.mark.parametrize("seed", range(5))
def test_ties_go_to_the_lowest_test(seed: int) -> None:
    """Of copies of a variable the first is split on, in whatever order they are drawn."""
    case = random_case(1, 200, [3], 3, SETTINGS._replace(seed=seed))
    copies = case.rows._replace(codes=np.asfortranarray(np.repeat(case.rows.codes, 4, axis=1)))
    case = case._replace(rows=copies, tests=all_tests([3] * 4), readable=[2, 0, 3, 1])
    found = boosted(case)
    assert found == boosted_literally(case)
    assert found.gains[0] > 0.0
    assert found.gains[1:] == [0.0] * 3


@pytest.mark.parametrize("isa", AVAILABLE)
def test_rows_that_pass_few_tests_are_counted_by_lists(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves of few rows go through the lists of their tests, not through bits; the sums are the same."""
    monkeypatch.setenv("DEPNET_ISA", isa)
    many = SETTINGS._replace(leaves=16, stages=4, least_curvature=0.0)
    case = random_case(2, 160, [2] * 12, 2, many, held=20)
    sparse = np.asfortranarray((np.random.default_rng(0).random((160, 12)) < 0.1).astype(np.uint8))
    ones = [StageTest(j, 1, 1) for j in range(12)]
    case = case._replace(rows=case.rows._replace(codes=sparse), tests=ones, readable=list(range(12)))
    found = boosted(case)
    assert found == boosted_literally(case)
    assert len(found.leaf) > 20, "small leaves are split, too"


NOTHING: dict[str, dict[str, Any]] = {
    "no stages": {"settings": SETTINGS._replace(stages=0)},
    "one leaf": {"settings": SETTINGS._replace(leaves=1)},
    "no share of the variables": {"settings": SETTINGS._replace(share=0.0)},
    "more curvature than there is": {"settings": SETTINGS._replace(least_curvature=1e9)},
    "no tests": {"tests": []},
    "no variable that may be read": {"readable": []},
}


@pytest.mark.parametrize("why", NOTHING)
def test_nothing_to_grow(why: str) -> None:
    case = random_case(0, 100, [3, 4], 3, SETTINGS, held=30)._replace(**NOTHING[why])
    found = boosted(case)
    assert found == boosted_literally(case)
    assert found[:5] == ([0], [], [], [], [0.0, 0.0])
    assert len(found.held_scores) == 1


def test_no_rows_are_no_stages() -> None:
    case = random_case(0, 0, [3, 4], 3, SETTINGS, held=0)
    assert boosted(case) == Result([0], [], [], [], [0.0, 0.0], [0.0], True)


LARGE = [
    pytest.param(700, 2, id="more than one block of words"),
    pytest.param(700, 4, id="the same, of four states"),
    pytest.param(40_000, 2, id="more words than are counted at a time"),
    pytest.param(40_000, 3, id="the same, of three states"),
]


@pytest.mark.parametrize(("rows", "states"), LARGE)
def test_instruction_sets_agree_on_more_rows(rows: int, states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the twin can take; up to 256 leaves a stage."""
    many = SETTINGS._replace(stages=3, leaves=256, least_curvature=0.2)
    case = random_case(1, rows, [5, 2, 9, 4], states, many, held=rows // 3)
    found = []
    for isa in AVAILABLE:
        monkeypatch.setenv("DEPNET_ISA", isa)
        found.append(boosted(case))
    assert found == found[:1] * len(AVAILABLE)
    assert max(np.diff(found[0].begin)) > 20
    stages_of(case, found[0])


def stages_of(case: Case, found: Result) -> Stages:
    """As a node has them; it is an error if they do not fit together."""
    flat = np.array(case.tests, dtype=np.int64).reshape(-1, 3)
    return Stages(
        flat[:, 0].astype(np.int32),
        flat[:, 1].astype(np.uint16),
        flat[:, 2].astype(np.uint16),
        np.array(found.begin, dtype=np.int32),
        np.array(found.leaf, dtype=np.uint16),
        np.array(found.test, dtype=np.int32),
        np.array(found.scores, dtype=np.int32).reshape(-1, case.rows.start.shape[1]),
    )


@given(seeds, st.integers(2, 4))
def test_the_scores_held_out_are_those_of_the_stages(seed: int, states: int) -> None:
    """The rows of `held_scores` go to the leaves that the stages, as a model has them, send them to."""
    case = random_case(seed, 150, [3, 4], states, SETTINGS, held=90)
    assert case.held is not None
    found = boosted(case)
    stages = stages_of(case, found)
    for m, score in enumerate(found.held_scores):
        sums = stages.first(m).sums(case.held.codes, case.held.start)
        assert twin.log_score(sums.tolist(), case.held.own.tolist()) == score


@given(seeds, st.integers(0, 3))
def test_patience_ends_growing(seed: int, patience: int) -> None:
    """After `patience` stages that are no better than the best before, or the first worse one; not before."""
    impatient = SETTINGS._replace(stages=40, rate=1.0, patience=patience)
    case = random_case(seed, 60, [3, 4], 2, impatient, held=50)
    scores = boosted(case).held_scores
    best = int(np.argmax(scores))
    assert len(scores) - 1 - best <= max(patience, 1)
    longer = boosted(case._replace(settings=case.settings._replace(patience=40))).held_scores
    assert longer[: len(scores)] == scores


def test_a_stage_that_scores_the_same_is_no_better() -> None:
    case = random_case(1, 100, [3, 4], 2, SETTINGS._replace(patience=2), held=0)
    found = boosted(case)
    assert found == boosted_literally(case)
    assert found.held_scores == [0.0] * 3, "the start, and two stages"


# Threads, deadlines, and being told to stop.


def test_threads_grow_what_one_grows() -> None:
    """Many boosters at a time read one table."""
    cases = [random_case(3, 3000, [4, 3, 5], 3, SETTINGS._replace(seed=seed, share=0.5)) for seed in range(8)]
    alone = [boosted(case) for case in cases]
    table = table_of(cases[0].rows.codes, cases[0].tests)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda case: boosted(case, table=table), cases)) == alone
    assert len({tuple(found.scores) for found in alone}) > 4, "the seed matters"


def long_case(stages: int = 10**6) -> Case:
    """That would take hours."""
    endless = SETTINGS._replace(stages=stages, leaves=32, rate=1e-3, patience=10**6)
    return random_case(4, 20_000, [5, 5, 5], 3, endless, held=200)


def test_a_deadline_gives_the_first_stages() -> None:
    found = boosted(long_case(), seconds=0.3)
    stages = len(found.begin) - 1
    assert not found.complete
    assert stages > 0, "something was grown"
    assert found == boosted(long_case(stages))._replace(complete=False), "the gains, too, of whole stages"


def test_no_time_is_no_stage() -> None:
    found = boosted(long_case(), seconds=0.0)
    assert found[:4] == ([0], [], [], [])
    assert found.gains == [0.0] * 3
    assert len(found.held_scores) == 1
    assert not found.complete


def test_another_thread_stops_it() -> None:
    stop = native.Stop()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    try:
        refuses(InterruptedError, "another thread ended this fit", boosted, long_case(), stop=stop)
    finally:
        timer.join()
    with pytest.raises(InterruptedError):  # what was told to stop stays so
        boosted(long_case(), stop=stop)


# What it is for.


def test_two_scores_step_as_one_logit() -> None:
    """The difference of two states' scores takes the Newton step of a logit: rate * G / (H + lambda / 2)."""
    options = SETTINGS._replace(stages=1, leaves=2, rate=0.7, shrinkage=3.0)
    case = random_case(8, 500, [2], 2, options, spread=0.8)
    found = boosted(case)
    y = case.rows.codes[:, 0] == case.tests[found.test[0]].low
    logit = (case.rows.start[:, 1] - case.rows.start[:, 0]) / NAT
    p = 1.0 / (1.0 + np.exp(-logit))
    scores = np.array(found.scores).reshape(2, 2)
    for leaf, members in enumerate([~y, y]):
        G = (case.rows.own - p)[members].sum()
        H = (p * (1.0 - p))[members].sum()
        assert (scores[leaf, 1] - scores[leaf, 0]) / NAT == pytest.approx(0.7 * G / (H + 1.5), abs=1e-5)
        assert scores[leaf].sum() == 0


# Rounding at random.

DRAWS = 99_968
"""A multiple of 128."""
WORDS = [twin.random_word(0x1234_5678_9ABC_DEF0, r) for r in range(DRAWS)]
HIGH = np.array([word >> 16 for word in WORDS], dtype=np.float32) / np.float32(2**16)
LOW = np.array([word % 2**16 for word in WORDS], dtype=np.float32) / np.float32(2**16)


def rounded_law(value: int, largest: int, top: int, uniform: np.ndarray) -> tuple[list[int], list[float]]:
    """How often a value is rounded up and down, and how often it should be: so that its mean is what it is."""
    exact = value * top / largest
    whole = int(exact)
    found = [twin.rounded(value, largest, top, u) for u in uniform]
    assert set(found) <= {whole, whole + 1}
    up = sum(found) - whole * len(found)
    return [len(found) - up, up], [1 - (exact - whole), exact - whole]


@pytest.mark.parametrize(
    ("value", "largest", "top"),
    [(123_456, 2**24 - 1, 15), (9_000_000, 2**24 - 1, 15), (60_000, 70_001, 15), (1_500_000, 2**22, 7)],
)
def test_rounding_is_right_on_average(value: int, largest: int, top: int) -> None:
    """False alarms: 1e-9. An error of 0.022 in the mean of a rounded value is seen."""
    for uniform in (HIGH, LOW):
        counts, law = rounded_law(value, largest, top, uniform)
        assert_same_law(counts, law, detects_l1=0.044)


def test_a_mutant_that_rounds_with_two_bits_is_seen() -> None:
    counts, law = rounded_law(123_456, 2**24 - 1, 15, np.floor(HIGH * 4) / np.float32(4))
    refuses(AssertionError, "L1 distance", assert_same_law, counts, law, detects_l1=0.044)


def up_together(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How often a probability of 2.3 and a curvature of 1.6 are rounded to each of four pairs."""
    up = [twin.rounded(23, 150, 15, u) == 3 for u in first]
    bent_up = [twin.rounded(16, 70, 7, v) == 2 for v in second]
    return np.bincount(2 * np.array(up) + np.array(bent_up), minlength=4)


def test_a_row_rounds_its_two_values_independently() -> None:
    """And neighbours theirs. False alarms: 1e-9; an L1 error of 0.044 is seen."""
    law = [0.7 * 0.4, 0.7 * 0.6, 0.3 * 0.4, 0.3 * 0.6]
    assert_same_law(up_together(HIGH, LOW), law, detects_l1=0.044)
    assert_same_law(up_together(HIGH[0::2], LOW[1::2]), law, detects_l1=0.062)
    for step in (1, 64):  # the words of neighbours, and of rows of neighbouring words
        pairs = np.arange(DRAWS).reshape(-1, 2 * step)
        first, second = pairs[:, :step].ravel(), pairs[:, step:].ravel()
        assert_same_law(up_together(HIGH[first], HIGH[second]), law, detects_l1=0.062)
    with pytest.raises(AssertionError, match="L1 distance"):  # the mutant: one number for both
        assert_same_law(up_together(HIGH, HIGH), law, detects_l1=0.044)


def test_stages_round_anew() -> None:
    """One row's words in the stages of many seeds are as good as random. False alarms: 1e-9; detects L1 0.1."""
    keys = [twin.mixed(twin.mixed(seed, stage), 2) for seed in range(2000) for stage in range(12)]
    words = [twin.random_word(key, 77) for key in keys]
    for bits in ([word >> 29 for word in words], [word % 8 for word in words]):
        assert_same_law(np.bincount(bits, minlength=8), np.full(8, 1 / 8), detects_l1=0.1)
