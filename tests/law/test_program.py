"""Passes and moves of an ordered law are those of the slow twins, whatever the pieces and threads they are made in."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from depnet import Dataset, FunctionSource, Network, TableNode, TabulatedSource, learn, sample
from depnet.errors import DomainTooLargeError, SamplingError
from depnet.law import limits, program
from depnet.law.program import Law, law_of, words
from depnet.model import Evidence
from tests.isas import AVAILABLE
from tests.law.cases import assert_same_passes, compiled, evidence_of, given_tables, laws, some, without
from tests.reference import ordered
from tests.reference.sampling import drawn_state
from tests.reference.stages import node_theta
from tests.refusals import refuses
from tests.strategies import random_evidence, random_table, seeds

ROWS = 12
PASS_STREAM, MOVE_STREAM = 64, 80
"""Streams of the counter generator, as law_kernels.hpp has them: passes, moves."""


def random_words(rng: np.random.Generator, places: int, rows: int = ROWS) -> NDArray[np.uint32]:
    """Words [place, row], the smallest and the largest among them."""
    made = rng.integers(0, 2**32, size=(places, rows), dtype=np.uint64).astype(np.uint32)
    return np.where(rng.random(made.shape) < 0.1, rng.choice([0, 2**32 - 1], made.shape), made).astype(
        np.uint32
    )


@given(laws(), seeds, st.booleans())
def test_a_pass_is_the_slow_one(network: Network, seed: int, walked: bool) -> None:
    rng = np.random.default_rng(seed)
    order = ordered.order_of(network)
    weights = random_evidence(rng, network.domain.cardinalities, range(len(order)))
    asked = some(rng, len(order))
    taking = ordered.ancestors(network, asked)
    law, made = compiled(network, walked), random_words(rng, len(order))
    assert set(law.ancestors(asked)) == taking
    done = law.passes(ROWS, evidence_of(weights), variables=law.ancestors(asked), words=made)
    for r in range(ROWS):
        own = {i: int(made[place, r]) for place, i in enumerate(order)}
        state, weight = ordered.one_pass(network, own, weights, only=taking)  # type: ignore[arg-type]
        assert [int(done.codes[r, i]) for i in sorted(taking)] == [state[i] for i in sorted(taking)]
        if weight > 0:
            assert math.isclose(done.log_weights[r], math.log(weight), rel_tol=1e-12, abs_tol=1e-12)
        else:
            assert done.log_weights[r] == -math.inf
    assert done.codes.dtype == (np.uint16 if max(network.domain.cardinalities) > 256 else np.uint8)


@given(seeds)
def test_sources_of_every_kind(seed: int) -> None:
    """No inputs, all of them, and a table of leaves."""
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 3, size=6, dtype=np.int32)
    leaves[:3] = 0, 1, 2
    first = given_tables(([], [[0.3, 0.7]]), ([0], rng.dirichlet([1, 1, 1], 2).tolist()), ([], [[0.5, 0.5]]))
    tabulated = TableNode(2, TabulatedSource((0, 1), (2, 3), leaves, size=3), random_table(rng, 3, 2))
    network = replace(first, nodes=(*first.nodes[:2], tabulated))
    made = random_words(rng, 3)
    done = Law(network).passes(ROWS, words=made)
    for r in range(ROWS):
        state, _ = ordered.one_pass(network, made[:, r].tolist())
        assert done.codes[r].tolist() == list(state)


def learned(rows: int = 400, columns: int = 12) -> Network:
    """A law learned from a table whose columns hang together."""
    rng = np.random.default_rng(5)
    codes = np.zeros((rows, columns), dtype=np.int64)
    for i in range(columns):
        before = codes[:, max(0, i - 3) : i].sum(axis=1) if i else 0
        codes[:, i] = (before + (rng.random(rows) < 0.2) + (rng.random(rows) < 0.1)) % (2 + i % 3)
    cards = [2 + i % 3 for i in range(columns)]
    later = [(f"X{j}", f"X{i}") for i in range(columns) for j in range(i + 1, columns)]
    network = learn(Dataset.from_codes(codes, cards), forbidden=later, smoothing=0.5)
    return Network(network.domain, network.nodes, order=tuple(range(columns)))


LEARNED = learned()
KNOWN = Evidence({11: 1, 4: 2}, {7: np.array([0.2, 1.0, 0.5])})


@pytest.mark.parametrize("isa", AVAILABLE)
def test_the_same_draws_in_whatever_pieces(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "THREAD_CELLS", 0)
    law = Law(LEARNED)
    whole = law.passes(1000, KNOWN, seed=7, first=13)
    monkeypatch.setenv("DEPNET_ISA", isa)
    assert_same_passes(law, KNOWN, whole)
    walked = compiled(LEARNED, walked=True).passes(1000, KNOWN, seed=7, first=13)
    np.testing.assert_array_equal(walked.codes, whole.codes)
    own = words(7, PASS_STREAM, 0, len(LEARNED), 13, 1000)
    np.testing.assert_array_equal(law.passes(1000, KNOWN, words=own).codes, whole.codes)
    assert (law.passes(1000, KNOWN, seed=7, first=14).codes != whole.codes).any()


def test_the_same_draws_whoever_else_takes_part() -> None:
    law = law_of(LEARNED)
    whole = law.passes(500, seed=3).codes
    for asked in ([0], [3, 5], [11]):
        taking = law.ancestors(asked)
        np.testing.assert_array_equal(
            law.passes(500, variables=taking, seed=3).codes[:, taking], whole[:, taking]
        )
    ancestors = law.ancestors([5])
    others = [i for i in law.order if i not in ancestors]
    start = law.passes(500, variables=ancestors, seed=3).codes
    np.testing.assert_array_equal(law.passes(500, variables=others, seed=3, start=start).codes, whole)


@given(laws(max_variables=4), seeds, st.booleans(), st.booleans())
def test_moves_are_the_slow_ones(network: Network, seed: int, walked: bool, alike: bool) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    evidence = evidence_of(weights)
    law = compiled(network, walked)
    taking = law.ancestors(some(rng, len(cards)))
    rows, sweeps, first_row, first_sweep = 4, 2, 5, 3
    start = law.passes(rows, evidence, variables=taking, seed=seed).codes
    codes = np.ascontiguousarray(start, dtype=np.uint16)
    hidden = rng.random((1 if alike else rows, len(cards))) < 0.7
    hidden[:, [i for i in range(len(cards)) if i not in taking]] = False
    ends = np.cumsum(np.array(cards, dtype=np.int64))
    sums = np.zeros((rows, int(ends[-1])))
    impossible = law.moves(
        codes,
        hidden,
        evidence,
        variables=taking,
        sweeps=sweeps,
        seed=seed,
        first_row=first_row,
        first_sweep=first_sweep,
        cells=ends - np.array(cards, dtype=np.int64),
        sums=sums,
    )
    slow = without(network, [i for i in range(len(cards)) if i not in taking])
    for r in range(rows):
        open_here = [i for i in law.order if hidden[0 if alike else r, i]]
        each = len(open_here)
        own = words(seed, MOVE_STREAM, first_sweep * each, max(sweeps * each, 1), first_row + r, 1)[:, 0]
        state: Sequence[int] = start[r].tolist()
        stuck, total = 0, np.zeros(int(ends[-1]))
        for k, i in enumerate(open_here * sweeps):
            row = ordered.conditional_under_q(slow, state, i, weights)
            stuck += row is None
            if row is not None:
                total[ends[i] - cards[i] : ends[i]] += row
            state = ordered.gibbs_update(slow, state, i, int(own[k]), weights)
        assert codes[r].tolist() == list(state)
        assert impossible[r] == stuck
        np.testing.assert_allclose(sums[r], total, rtol=1e-10, atol=1e-12)


@given(laws(), seeds, st.booleans(), st.sampled_from([1, 3]))
def test_a_pass_of_rows_with_their_own_roles_is_the_slow_one(
    network: Network, seed: int, walked: bool, each: int
) -> None:
    """The mutant draws what is to be weighed."""
    rng = np.random.default_rng(seed)
    cards, order = network.domain.cardinalities, ordered.order_of(network)
    law = compiled(network, walked)
    roles = rng.integers(0, 3, size=(23, len(cards)), dtype=np.uint8)
    start = rng.integers(0, cards, size=(len(roles) * each, len(cards))).astype(np.uint16)
    each_row = np.repeat(roles, each, axis=0)
    done = law.passes(len(start), roles=each_row, seed=seed, first=5, start=start)
    codes, logs = done.codes, done.log_weights
    own = words(seed, PASS_STREAM, 0, len(order), 5, len(codes))
    for r, row in enumerate(start):
        state, log = row.tolist(), 0.0
        for place, i in enumerate(order):
            theta = list(node_theta(network.nodes[i], state))
            if roles[r // each, i] == program.DRAW:
                state[i] = drawn_state(theta, int(own[place, r]))
            elif roles[r // each, i] == program.WEIGH:
                log += math.log(theta[state[i]]) if theta[state[i]] > 0 else -math.inf
        assert codes[r].tolist() == state
        assert log == logs[r] or math.isclose(log, logs[r], rel_tol=1e-12, abs_tol=1e-12)
    mutant = law.passes(
        len(start), roles=np.where(each_row > 0, np.uint8(1), each_row), seed=seed, first=5, start=start
    )
    assert not mutant.log_weights.any()


def test_the_same_passes_of_rows_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "THREAD_CELLS", 0)
    law = law_of(LEARNED)
    roles = np.random.default_rng(1).integers(0, 3, size=(140, len(LEARNED)), dtype=np.uint8)
    one, many = (law.passes(140, roles=roles, seed=3, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.codes, many.codes)
    np.testing.assert_array_equal(one.log_weights, many.log_weights)


def test_the_same_moves_in_whatever_pieces() -> None:
    law = law_of(LEARNED)
    start = np.ascontiguousarray(law.passes(50, KNOWN, seed=2).codes, dtype=np.uint16)
    hidden = np.ones((1, len(LEARNED)), dtype=bool)
    hidden[0, list(KNOWN.clamped)] = False
    whole = start.copy()
    law.moves(whole, hidden, KNOWN, sweeps=6, seed=9)
    threads = start.copy()
    law.moves(threads, hidden, KNOWN, sweeps=6, seed=9, n_jobs=3)
    np.testing.assert_array_equal(threads, whole)
    pieces = start.copy()
    for begin, end in ((0, 1), (1, 20), (20, 50)):
        for first_sweep, sweeps in ((0, 2), (2, 4)):
            law.moves(
                pieces[begin:end],
                hidden,
                KNOWN,
                sweeps=sweeps,
                seed=9,
                first_row=begin,
                first_sweep=first_sweep,
            )
    np.testing.assert_array_equal(pieces, whole)
    walked = start.copy()
    compiled(LEARNED, walked=True).moves(walked, hidden, KNOWN, sweeps=6, seed=9)
    np.testing.assert_array_equal(walked, whole)
    assert (whole[:, 11] == 1).all()
    assert (whole[:, 4] == 2).all()


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    network = given_tables(([], [[0.3, 0.7]]), ([0], [[0.5, 0.5], [0.1, 0.9]]))
    called = TableNode(1, FunctionSource(lambda x: x[:, 0], (0,), 2), network.nodes[1].table)
    network = replace(network, nodes=(network.nodes[0], called))
    monkeypatch.setattr("depnet.model.sources.limits.MOST_WRITTEN", 1)
    refuses(DomainTooLargeError, "too many to write out", lambda: Law(network))
    for option in ({"burn_in": 5}, {"thin": 2}, {"chains": 4}):
        refuses(SamplingError, f"{next(iter(option))} belongs to chains", sample, LEARNED, 5, **option)
