"""`learn(boost=...)`: nodes boosted, whatever the order of rows, threads and instruction sets."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from depnet import Boost, BoostedNode, Dataset, Network, learn, score, titanic
from depnet.errors import LearningError
from depnet.learning.boost import BoostRows, NodeGrower, all_tests
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import AutoBoost, LearnOptions, checked_boost
from depnet.model.stages import UNIT
from tests.interrupts import ctrl_c
from tests.narrowed import there
from tests.refusals import refuses

FEW = Boost(stages=12, leaves=4, rate=0.3)
QUICK = AutoBoost(candidates=(FEW, Boost(stages=12, leaves=8, rate=0.3)))


def votes(rows: int = 1_500, seed: int = 0) -> Dataset:
    """Nine columns of coins, and a last one that is 1 where most of them are: many small effects, and no high order."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, size=(rows, 9))
    likely = 1 / (1 + np.exp(-1.5 * (coins.sum(axis=1) - 4.5)))
    return Dataset.from_codes(np.column_stack([coins, rng.random(rows) < likely]), [2] * 10)


VOTES = votes()
FRESH = votes(seed=1)


def shuffled(dataset: Dataset) -> Dataset:
    return Dataset.from_codes(
        dataset.codes[np.random.default_rng(3).permutation(dataset.rows)], domain=dataset.domain
    )


def test_stages_say_what_one_graph_cannot() -> None:
    graph = learn(VOTES, penalty="auto", smoothing=0.5)
    stages = learn(VOTES, penalty="auto", smoothing=0.5, boost="auto")
    assert isinstance(stages.nodes[-1], BoostedNode)
    assert score(stages, FRESH) > score(graph, FRESH) + 0.02


def test_one_graph_stays_where_it_says_it_all() -> None:
    """An exclusive or of four: stages of half the variables at a time hardly begin on it."""
    rows = np.array(list(itertools.product([0, 1], repeat=4)) * 150)
    table = Dataset.from_codes(np.column_stack([rows, rows.sum(axis=1) % 2]), [2] * 5)
    network = learn(table, penalty="aic", smoothing=0.5, boost=AutoBoost(candidates=(FEW,)))
    assert score(network, table) >= score(learn(table, penalty="aic", smoothing=0.5), table) - 1e-9


@pytest.mark.parametrize("boost", [FEW, QUICK])
@pytest.mark.parametrize("order", [None, "auto"])
def test_the_order_of_rows_and_threads_do_not_matter(boost: Boost | AutoBoost, order: str | None) -> None:
    one = learn(VOTES, smoothing=0.5, boost=boost, order=order)
    assert any(node.boosted for node in one.nodes)
    assert learn(shuffled(VOTES), smoothing=0.5, boost=boost, order=order) == one
    assert learn(VOTES, smoothing=0.5, boost=boost, order=order, n_jobs=2) == one


def test_weights_are_repetitions() -> None:
    people = titanic()
    codes, counts = np.unique(people.codes, axis=0, return_counts=True)
    weighted = Dataset.from_codes(codes, domain=people.domain, weights=counts)
    assert learn(weighted, smoothing=0.5, boost=QUICK) == learn(people, smoothing=0.5, boost=QUICK)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_stages_are_added_to_a_share_of_what_the_graph_says(share: float) -> None:
    """log theta_0 = base + share (log theta of the graph - base), and one more stage than none is all that differs."""
    graphs = learn(VOTES, smoothing=0.5)
    boosted = learn(VOTES, smoothing=0.5, boost=replace(FEW, graph=share))
    graph, node = graphs.nodes[-1], boosted.nodes[-1]
    assert isinstance(node, BoostedNode)
    assert node.start == graph.source
    assert node.start.size > 1
    rates = np.log((np.bincount(VOTES.column(9)) + 0.5) / (VOTES.rows + 1.0))
    expected = rates + share * (np.log(graph.table.probabilities) - rates)
    apart = node.start_scores * UNIT - expected
    apart -= apart.mean(axis=1, keepdims=True)  # theta is of differences
    assert np.abs(apart).max() < 4 * UNIT
    assert score(boosted, VOTES) > score(graphs, VOTES)


def test_a_candidate_of_a_nodes_own_must_be_surely_better() -> None:
    """Two that differ by seeds alone, in effect: all nodes have the one that is best for them together."""
    near = (replace(FEW, share=0.9), replace(FEW, share=1.0))
    same = learn(VOTES, smoothing=0.5, boost=AutoBoost(candidates=near))
    ones = [learn(VOTES, smoothing=0.5, boost=AutoBoost(candidates=(each,))) for each in near]
    assert same in ones
    far = (replace(FEW, stages=1), FEW)  # the second is surely better, where anything is
    assert learn(VOTES, smoothing=0.5, boost=AutoBoost(candidates=far)) == learn(
        VOTES, smoothing=0.5, boost=AutoBoost(candidates=(FEW,))
    )


def test_roles_forbidden_links_and_an_order_hold() -> None:
    network = learn(
        VOTES, boost=FEW, roles={"X0": "input", "X9": "target"}, forbidden=[("X1", "X9"), ("X2", "X3")]
    )
    assert network.nodes[0].inputs == ()
    assert all(9 not in node.inputs for node in network.nodes)
    assert 1 not in network.nodes[9].inputs
    assert 2 not in network.nodes[3].inputs
    law = learn(VOTES, boost=FEW, order=[f"X{i}" for i in range(10)])
    assert all(j < i for i, node in enumerate(law.nodes) for j in node.inputs)
    assert law.nodes[9].inputs != ()


def test_settings_hold() -> None:
    node = learn(VOTES, boost=Boost(stages=7, leaves=3)).nodes[9]
    assert isinstance(node, BoostedNode)
    assert len(node.stages) == 7
    assert np.diff(node.stages.begin).max() == 2
    assert node.gains.min() > 0
    small = learn(VOTES, boost=FEW, max_leaves=2).nodes[9]
    assert isinstance(small, BoostedNode)
    assert np.diff(small.stages.begin).max() == 1


def test_a_column_of_one_state_and_none_to_read() -> None:
    table = Dataset.from_codes([[0, 0], [1, 0]] * 50, [2, 1])
    network = learn(table, boost=QUICK)
    assert not any(node.boosted for node in network.nodes)
    assert not learn(Dataset.from_codes([[0], [1]] * 50, [2]), boost=FEW).nodes[0].boosted


def test_numbers_are_split_at_cuts_and_states_one_by_one() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, size=2_000)
    y = (rng.random(2_000) < np.where(x >= 5, 0.9, 0.1)).astype(int)
    plain = Dataset.from_codes(np.column_stack([x, y]), [8, 2])
    assert all(isinstance(state, int) for state in plain.domain.variables[0].states), "numbers have an order"
    node = learn(plain, boost=Boost(stages=3, leaves=2, rate=1.0)).nodes[1]
    assert isinstance(node, BoostedNode)
    assert (5, 7) in set(zip(node.stages.low.tolist(), node.stages.high.tolist(), strict=True))


def test_nodes_that_stay_graphs_have_the_smoothing_that_was_asked_for() -> None:
    hurried = learn(VOTES, boost=QUICK, max_seconds=0.0, order="auto")
    assert not any(node.boosted for node in hurried.nodes), "no time leaves graphs"
    assert hurried.nodes[0].table.smoothing == 0.0
    assert learn(VOTES, boost=QUICK, max_seconds=0.0, smoothing=0.3).nodes[0].table.smoothing == 0.3


def test_progress_counts_to_the_nodes() -> None:
    told: list[tuple[int, int]] = []
    learn(VOTES, smoothing=0.5, boost=QUICK, progress=lambda done, nodes: told.append((done, nodes)))
    assert told[-1] == (10, 10)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_ctrl_c_ends_it() -> None:
    slow = Boost(stages=100_000, leaves=32, rate=1e-4)
    for jobs in (1, 2):
        with ctrl_c(after=0.3) as pressing:
            pressing.begin()
            with pytest.raises(KeyboardInterrupt):
                learn(VOTES, boost=slow, n_jobs=jobs)
            assert pressing.since < 20, "a tenth of a second on an idle machine"


def test_trials_are_of_the_chosen_nodes() -> None:
    """The laws of the trials, by which what a law is worth is judged, are boosted where the law is."""
    options = LearnOptions(penalty="auto", smoothing=0.5, boost=QUICK, order="auto")
    law, choice = learn_with_choice(VOTES, options)
    for tried in there(choice).tried:
        assert [node.boosted for node in tried.nodes] == [node.boosted for node in law.nodes]
    graphs = learn(VOTES, penalty="auto", smoothing=0.5, order="auto")
    assert there(law.held_out).score > there(graphs.held_out).score


@pytest.mark.parametrize(
    ("given", "message"),
    [("best", r'boost is None .* "auto" .* got \'best\''), (3, "or a depnet.Boost; got 3")],
)
def test_what_is_no_boost(given: object, message: str) -> None:
    refuses(LearningError, message, checked_boost, given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": 0}, "stages is a whole number of at least 1"),
        ({"leaves": 257}, "leaves is at most 256; got 257"),
        ({"rate": 0.0}, "rate is a number above 0 and of at most 1; got 0"),
        ({"share": 1.5}, "share is a number above 0 and of at most 1; got 1.5"),
        ({"shrinkage": 0.0}, "shrinkage is a number above 0; got 0"),
        ({"least_curvature": float("nan")}, "least_curvature is a number of at least 0; got nan"),
        ({"rate": True}, "rate is a number"),
        ({"runs": 101}, "runs is at most 100; got 101"),
    ],
)
def test_what_is_no_setting(options: dict[str, float], message: str) -> None:
    refuses(LearningError, message, Boost, **options)


def test_runs_are_averaged() -> None:
    """Scores of several runs are the mean of theirs: theta is the geometric mean, in proportion."""
    grower = NodeGrower(BoostRows.of(VOTES, all_tests(VOTES)), 9, None, range(9))
    settings = replace(FEW, runs=3)
    alone = [grower.node(there(grower.grow(settings, run=run))) for run in range(3)]
    logs = np.array([np.log(one.probabilities(VOTES.codes)) for one in alone])
    assert all(np.abs(logs[0] - other).max() > 0.01 for other in logs[1:])
    mean = np.exp(logs.mean(axis=0))
    together = learn(VOTES, smoothing=0.5, boost=settings).nodes[-1]
    expected = mean / mean.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(together.probabilities(VOTES.codes), expected, atol=1e-4)


def test_held_out_rows_of_ones_own() -> None:
    network = learn(VOTES, smoothing=0.5, boost=QUICK, validation=FRESH)
    assert isinstance(network, Network)
    assert any(node.boosted for node in network.nodes)
    with pytest.raises(LearningError, match="ask for one, or leave validation out"):
        learn(VOTES, smoothing=0.5, boost=FEW, validation=FRESH)
