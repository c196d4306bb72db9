"""penalty="auto": chosen on held-out rows, pooled over nodes, the same for any order of rows."""

import math

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet import Aic, Dataset, DecisionGraph, Mdl, NoPenalty, learn, score
from depnet.errors import LearningError, ModelError
from depnet.learning.auto import Choice, copies_of
from depnet.learning.cost import Auto
from depnet.learning.grow import TrainingRows
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions
from depnet.learning.rows import held_out
from depnet.model.network import Network
from tests.narrowed import there
from tests.refusals import refuses


def noise_and_copies(rows: int, noise: int = 6, seed: int = 0) -> Dataset:
    """X0, a noisy copy X1 of it, and columns of noise: whoever splits on these overfits."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, size=(rows, 2 + noise))
    codes[:, 1] = codes[:, 0] ^ (rng.random(rows) < 0.05)
    return Dataset.from_codes(codes, [2] * (2 + noise))


def chosen(
    dataset: Dataset,
    auto: Auto = Auto(),  # noqa: B008
    validation: Dataset | None = None,
) -> tuple[Network, Choice]:
    network, choice = learn_with_choice(TrainingRows(dataset, validation=validation), LearnOptions(auto, 0.5))
    return network, there(choice)


def test_a_ladder_of_one_is_that_penalty() -> None:
    dataset = noise_and_copies(200)
    network = learn(dataset, penalty=Auto((Mdl(),), (1.0,)), smoothing=0.5)
    assert network.nodes == learn(dataset, penalty=Mdl(), smoothing=0.5).nodes
    held = learn(
        dataset, penalty=Auto((Mdl(),), (2.0,)), smoothing=0.5, validation=noise_and_copies(50, seed=1)
    )
    assert held.nodes == learn(dataset, penalty=Mdl(), smoothing=1.0).nodes


def test_noise_makes_it_choose_the_penalty_that_does_not_overfit() -> None:
    dataset = noise_and_copies(300)
    network, choice = chosen(dataset, Auto((NoPenalty(), Mdl()), (1.0,)))
    assert choice.pooled == (Mdl(), 0.5)
    assert choice.scores.shape == (8, 2, 1)
    assert all(p == Mdl() for p in choice.penalties)
    assert network.nodes == learn(dataset, penalty=Mdl(), smoothing=0.5).nodes
    _, fooled = chosen(dataset, Auto((NoPenalty(), Mdl()), (1.0,)), validation=dataset)
    with pytest.raises(AssertionError):  # mutant: the rows themselves are no judge
        assert fooled.pooled == (Mdl(), 0.5)


def test_every_score_is_that_of_its_candidate_on_the_rows_held_out() -> None:
    dataset, penalties, smoothings = noise_and_copies(100), (Mdl(), Aic()), (1.0, 4.0)
    _, choice = chosen(dataset, Auto(penalties, smoothings))
    for rung, penalty in enumerate(penalties):
        for s, smoothing in enumerate(smoothings):
            total = 0.0
            for rows, held in held_out(dataset):
                network = learn(rows, penalty=penalty, smoothing=0.5 * smoothing)
                total += score(network, held) * held.total
            assert choice.scores[:, rung, s].sum() == pytest.approx(total / 100, abs=1e-12)


def different_needs(rows: int, seed: int) -> Dataset:
    """X0 to X4 are noisy copies of one cause and gain from any split; X5 is noise and can only overfit."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, size=(rows, 6))
    codes[:, :5] = codes[:, :1] ^ (rng.random((rows, 5)) < 0.05)
    return Dataset.from_codes(codes, [2] * 6)


def prohibitive(parameters: int, rows: int) -> float:
    return 0.5 * parameters


def test_a_node_leaves_the_pool_where_it_is_surely_better() -> None:
    dataset, held = different_needs(200, 0), different_needs(1000, 1)

    generous = NoPenalty()
    auto = Auto((prohibitive, generous), (1.0,))
    network, choice = chosen(dataset, auto, validation=held)
    assert choice.pooled == (generous, 0.5)
    assert choice.penalties == (*[generous] * 5, prohibitive)
    by_parts, _ = chosen(dataset, Auto(auto.penalties, (1.0,), standard_errors=1.0))
    for found in (network, by_parts):
        assert [node.source.size > 1 for node in found.nodes] == [True] * 5 + [False]
    _, pooled = chosen(dataset, Auto(auto.penalties, (1.0,), standard_errors=1e9), validation=held)
    assert pooled.penalties == (generous,) * 6


def test_the_standard_error_is_that_of_the_rows_one_by_one() -> None:
    """The literal twin: the mean over held-out rows of what the node's own candidate gains, by its standard error."""
    dataset, held = different_needs(200, 0), different_needs(1000, 1)

    candidates = (prohibitive, NoPenalty())
    own, pooled = (learn(dataset, penalty=each, smoothing=0.5).nodes[5] for each in candidates)
    gains = own.log_theta(held) - pooled.log_theta(held)
    errors = gains.mean() / (gains.std() / math.sqrt(len(gains)))
    for factor, chosen_by_node in ((1 - 1e-9, prohibitive), (1 + 1e-9, candidates[1])):
        _, choice = chosen(dataset, Auto(candidates, (1.0,), factor * errors), validation=held)
        assert choice.penalties[5] == chosen_by_node


@pytest.mark.parametrize(("rows", "parts"), [(7, 5), (3, 3), (12_000, 3), (60_000, 1)])
def test_parts_hold_out_each_row_once_until_there_are_enough(rows: int, parts: int) -> None:
    dataset = noise_and_copies(rows)
    pairs = list(held_out(dataset))
    assert len(pairs) == parts
    for learned, held in pairs:
        assert learned.total + held.total == rows
        assert abs(held.total - rows / min(5, rows)) < 1
    if parts * (rows // 5) >= rows:
        together = np.concatenate(
            [np.repeat(h.codes, 1 if h.weights is None else h.weights, axis=0) for _, h in pairs]
        )
        assert sorted(map(tuple, together.tolist())) == sorted(map(tuple, dataset.codes.tolist()))


@pytest.mark.parametrize("seed", [0, 1])
def test_parts_of_weighed_rows_count_together_as_the_table_does(seed: int) -> None:
    """Of both seeds the rounded sizes of the five parts sum to one more, or one less."""
    rows = depnet.titanic()
    table = rows.weighed(np.random.default_rng(seed).gamma(2.0, size=rows.rows)).dataset()
    assert sum(part.total for _, part in held_out(table)) != table.total
    network = learn(table, penalty=Auto((Aic(),)), smoothing=0.5)
    assert there(network.held_out).rows == table.total


def test_options_go_through() -> None:
    dataset = noise_and_copies(150)
    told: list[tuple[int, int]] = []
    network = learn(
        dataset,
        penalty="auto",
        smoothing=0.5,
        max_leaves=1,
        progress=lambda done, nodes: told.append((done, nodes)),
    )
    assert all(isinstance(node.source, DecisionGraph) and node.source.size == 1 for node in network.nodes)
    assert told[-1] == (8, 8)
    assert told == sorted(told)
    assert learn(dataset, penalty="auto", smoothing=0.5, max_seconds=0.0).domain == dataset.domain


def test_bad_input() -> None:
    dataset = noise_and_copies(20)
    refuses(LearningError, "smoothing above 0", learn, dataset, penalty="auto")
    with pytest.raises(LearningError, match="ask for one, or leave validation out"):
        learn(dataset, penalty="mdl", validation=dataset)
    with pytest.raises(ModelError, match="validation: the rows have 1 variables"):
        learn(dataset, penalty="auto", smoothing=0.5, validation=Dataset.from_codes([[0]], [2]))
    empty = Dataset.from_codes(np.zeros((0, 8), dtype=int), [2] * 8)
    with pytest.raises(LearningError, match="validation has no rows"):
        learn(dataset, penalty="auto", smoothing=0.5, validation=empty)
    refuses(LearningError, "only one", learn, noise_and_copies(1), penalty="auto", smoothing=0.5)
    refuses(LearningError, "no rows", learn, empty, penalty="auto", smoothing=0.5)
    refuses(LearningError, "Auto needs", Auto, penalties=())
    refuses(LearningError, "Auto needs", Auto, smoothings=(0.0,))


def test_the_ladder_is_left_when_it_leads_nowhere() -> None:
    """Noise wants no splits: the strictest rung is best, and the generous ones are not tried."""
    rng = np.random.default_rng(0)
    noise = Dataset.from_codes(rng.integers(0, 2, size=(300, 10)), [2] * 10)
    _, choice = chosen(noise, Auto(patience=2))
    assert choice.scores.shape[1] < len(Auto().penalties)
    assert choice.pooled[0] in Auto().penalties[:4]


def people(exceptions: float = 0.0, states: int = 60, rows: int = 3000) -> pd.DataFrame:
    """A code, the name of that code but for some exceptions, the region of the code, and a number."""
    rng = np.random.default_rng(1)
    code = rng.choice(states, rows, p=rng.dirichlet(np.ones(states)))
    name = np.where(rng.random(rows) < exceptions, rng.integers(0, states, rows), code * 7 % states)
    region = rng.integers(0, 9, states)[code]
    return pd.DataFrame(
        {
            "opid": [f"OP{c:04d}" for c in code],
            "operator": [f"name {n}" for n in name],
            "region": [f"R{r}" for r in region],
            "age": rng.normal(40, 10, rows).round(),
        }
    )


def test_a_copy_is_found_said_and_kept_in_drawn_rows() -> None:
    frame = people()
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    (copy,) = model.copies_
    assert {copy.column, copy.of} == {"opid", "operator"}
    assert str(copy) == f"{copy.column} repeats {copy.of}"
    drawn = model.sample(20_000)
    names = frame.drop_duplicates("opid").set_index("opid")
    assert (drawn["operator"] == names["operator"].reindex(drawn["opid"]).to_numpy()).mean() >= 0.999
    assert (drawn["region"] == names["region"].reindex(drawn["opid"]).to_numpy()).mean() >= 0.99
    known = model.query("operator", {"opid": frame["opid"][0]})
    assert known.combined.max() > 0.999
    assert copies_of(model.network_) == (), "the paper's network keeps its penalty"


@pytest.mark.parametrize(("exceptions", "found"), [(0.002, 1), (0.2, 0)])
def test_few_exceptions_are_exceptions_and_many_are_not(exceptions: float, found: int) -> None:
    frame = people(exceptions)
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    assert len(model.copies_) == found


def test_columns_that_are_independent_are_no_copies() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.integers(0, 40, 2000).astype(str) for name in "ab"})
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    assert model.copies_ == ()
    assert [node.inputs for node in there(model.law_).nodes] == [(), ()]
