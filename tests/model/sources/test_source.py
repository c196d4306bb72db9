"""Information sources: nothing, everything, a user's function, and that function written out."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import DecisionGraph, FunctionSource, InformationSource, LosslessSource, TabulatedSource
from depnet.errors import ModelError
from tests.model.sources.test_decision_graph import all_rows
from tests.refusals import refuses
from tests.strategies import cardinalities, random_source, seeds


def up(codes: np.ndarray) -> np.ndarray:
    return np.asarray(codes.sum(axis=1))


def test_every_kind_is_an_information_source() -> None:
    graph = DecisionGraph((depnet.Split(0, 1),), (2, 3))
    tabulated = TabulatedSource((1,), (3,), np.array([0, 0, 1]), 2)
    for source in (
        depnet.ConstantSource(),
        LosslessSource((1,), (3,)),
        FunctionSource(up, (1,), 3),
        graph,
        tabulated,
    ):
        assert isinstance(source, InformationSource)
        source.check_domain((2, 3))
        assert source(np.zeros((0, 2), dtype=int)).shape == (0,)
        assert source([[1, 2]]).dtype == np.int32


@given(cardinalities())
def test_the_lossless_source_is_one_to_one_and_row_major(cards: tuple[int, ...]) -> None:
    source = LosslessSource(tuple(range(len(cards))), cards)
    assert source(all_rows(cards)).tolist() == list(range(math.prod(cards))) == list(range(source.size))


def test_the_lossless_source_is_guarded_where_its_size_would_overflow() -> None:
    assert LosslessSource(tuple(range(30)), (2,) * 30).size == 2**30
    said = r"31 inputs would have 2,147,483,648 leaves, more than 2,147,483,647"
    refuses(ModelError, said, LosslessSource, tuple(range(31)), (2,) * 31)
    refuses(ModelError, r"about 10\^48165 leaves", LosslessSource, tuple(range(10_000)), (65_535,) * 10_000)
    widest = LosslessSource((0, 1, 2), (65_535, 32_767, 1))
    assert widest([[65_534, 32_766, 0]]).tolist() == [widest.size - 1]


@pytest.mark.parametrize(
    ("inputs", "cards", "message"),
    [
        ((1, 0), (2, 2), "ascending order"),
        ((0, 0), (2, 2), "ascending order"),
        ((-1,), (2,), "ascending order"),
        ((0.5,), (2,), r"ascending order; got \(0\.5,\)"),
        ((True,), (2,), "ascending order"),
        (None, (2,), "ascending order; got None"),
        ((0, 1), (2,), "for each of its 2 inputs"),
        ((0,), (0,), "at least 1"),
        ((0,), (2.5,), "at least 1"),
    ],
)
def test_what_is_not_a_lossless_source(inputs: Any, cards: Any, message: str) -> None:
    refuses(ModelError, message, LosslessSource, inputs, cards)
    refuses(ModelError, message, TabulatedSource, inputs, cards, np.array([0, 0]), 1)


@pytest.mark.parametrize(
    "source", [LosslessSource((1,), (3,)), TabulatedSource((1,), (3,), np.array([0, 1, 1]), 2)]
)
@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, 3]], r"variable 1 has the codes 0\.\.2; got 3\.\.3"),
        ([[0, -1]], "variable 1 has the codes"),
        (np.array([[0, 258]], dtype=np.uint16), "variable 1 has the codes"),
        ([[0]], "reads variable 1 is evaluated on rows"),
        ([0, 1], r"shape \(2,\)"),
        ([[0, 0.5]], "integer codes; got float64"),
    ],
)
def test_codes_that_are_not_of_the_domain(source: InformationSource, codes: Any, message: str) -> None:
    refuses(ModelError, message, source, codes)


def test_sources_say_when_they_are_of_another_domain() -> None:
    for source in (LosslessSource((1,), (3,)), TabulatedSource((1,), (3,), np.array([0, 1, 1]), 2)):
        with pytest.raises(ModelError, match="takes variable 1 to have 3 states; the domain has 2"):
            source.check_domain((3, 2))
        refuses(ModelError, "no such variable", source.check_domain, (3,))
    with pytest.raises(ModelError, match="reads variable 4; the domain has 2 variables"):
        FunctionSource(up, (4,), 2).check_domain((2, 2))
    with pytest.raises(ModelError, match=r"recorded on the cardinalities \(2, 3\); the domain has \(2, 2\)"):
        DecisionGraph((), (2, 3)).check_domain((2, 2))


def test_a_function_sees_only_its_inputs() -> None:
    seen: list[list[int]] = []

    def function(codes: np.ndarray) -> np.ndarray:
        seen.extend(codes.tolist())
        return up(codes)

    assert FunctionSource(function, (0, 2), 5)([[1, 9, 3], [0, 9, 1]]).tolist() == [4, 1]
    assert seen == [[1, 3], [0, 1]]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.sum(axis=1) + 0.5, r"must return 2 integers, one a row; got shape \(2,\) of float64"),
        (lambda x: x, r"shape \(2, 2\)"),
        (lambda x: 0, r"shape \(\)"),
        (lambda x: None, "of object"),
        (lambda x: x.sum(axis=1) - 5, r"returned -5, outside 0\.\.2 \(size=3\)"),
        (lambda x: x.sum(axis=1) + 3, r"returned 3, outside 0\.\.2 \(size=3\)"),
    ],
)
def test_what_a_function_may_not_return(function: Any, message: str) -> None:
    refuses(ModelError, message, FunctionSource(function, (0, 1), 3), [[0, 0], [1, 1]])


def test_what_is_not_a_function_source() -> None:
    refuses(ModelError, "needs a function; got 3", FunctionSource, 3, (0,), 2)
    for size in (0, -1, 2**31, 2.0, True):
        refuses(ModelError, "1 to 2,147,483,647 leaves", FunctionSource, up, (0,), size)
    refuses(ModelError, "evaluated on rows", FunctionSource(up, (3,), 2), [[0]])
    # booleans are leaves
    assert FunctionSource(lambda x: x[:, 0] > 0, (0,), 2)([[1], [0]]).tolist() == [1, 0]


@given(cardinalities(), seeds)
def test_a_source_written_out_is_the_same_function(cards: tuple[int, ...], seed: int) -> None:
    source = random_source(np.random.default_rng(seed), cards, ())
    tabulated = TabulatedSource.of(source, cards)
    rows = all_rows(cards)
    assert tabulated(rows).tolist() == source(rows).tolist()
    assert (tabulated.inputs, tabulated.size) == (source.inputs, source.size)
    assert tabulated == TabulatedSource.of(tabulated, cards)
    assert hash(tabulated) == hash(TabulatedSource.of(tabulated, cards))


def test_a_source_is_written_out_in_chunks() -> None:
    cards = (2,) * 12 + (1,) * 4000
    source = FunctionSource(up, tuple(range(12)), 13)
    assert TabulatedSource.of(source, cards).leaves.sum() == 12 * 2**11


def test_a_large_function_is_not_written_out() -> None:
    said = "function of 21 inputs has 2,097,152 joint input states; at most 1,048,576"
    refuses(ModelError, said, TabulatedSource.of, FunctionSource(up, tuple(range(21)), 22), (2,) * 21)


@pytest.mark.parametrize(
    ("leaves", "size", "message"),
    [
        ([0, 1], 2, r"needs 3 integers, the leaf of every joint state; got shape \(2,\)"),
        ([0.0, 1.0, 1.0], 2, "of float64"),
        ([0, 1, 2], 2, r"joint state 2 of a tabulated source has the leaf 2, outside 0\.\.1"),
        ([0, -1, 1], 2, "joint state 1 .* has the leaf -1"),
        ([0, 0, 0], 0, "1 to 2,147,483,647 leaves; got size=0"),
        ([0, 0, 0], True, "got size=True"),
    ],
)
def test_what_is_not_a_tabulated_source(leaves: Any, size: Any, message: str) -> None:
    refuses(ModelError, message, TabulatedSource, (1,), (3,), np.array(leaves), size)
