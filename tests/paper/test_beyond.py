"""What is ours, at small size; identities with mutants."""

import numpy as np
import pytest

from depnet import RandomScan, SequentialScan, stationary
from depnet.geometry import fc_limit, full_conditional, full_conditional_divergence, manifolds
from depnet.paper.beyond import couplings, overfit, sequential, tightness
from depnet.paper.beyond.bound import measured
from depnet.paper.beyond.overfit import FLIP, chain_rows, true_log_conditionals
from depnet.paper.beyond.sequential import random_network, worst_law


def test_couplings_show_the_spread_and_the_papers_place() -> None:
    report = couplings(0, 2, values=(0.5, 1.0, 1.4), sizes={"S": 1000})
    assert [r["coupling"] for r in report.rows] == [0.5, 1.0, 1.4]
    weak, middle, strong = report.rows
    assert weak["fc_limit"] > middle["fc_limit"] > strong["fc_limit"]
    assert weak["fc_place"] == 0.0
    assert strong["undetermined"] == 2  # zeros: no unique pi at this coupling without smoothing
    assert strong["fc"] is None


def test_tightness_is_a_ratio_of_at_most_1() -> None:
    case = {"varied": "n", "value": 4, "family": "RB4-5", "rows": 500, "cardinality": 3}
    line = measured(case, range(3))
    assert 0 < line["low"] <= line["ratio"] <= line["high"] <= 1 + 1e-9
    assert {r["varied"] for r in tightness(0, 1, largest=300).rows} == {"N (Ising4x3)", "N (RB12-21)"}


def test_the_slack_of_the_bound_is_linear_in_p() -> None:
    rng = np.random.default_rng(5)
    network = random_network(rng, 3)
    q = stationary(network, SequentialScan())
    slack = sum(np.log(full_conditional(q, s.variable)) - np.log(s.theta) for s in manifolds(network)) / 3
    p = rng.dirichlet(np.ones(8)).reshape(2, 2, 2)
    gap = fc_limit(p, network) - full_conditional_divergence(p, q)
    assert np.isclose(gap, (p * slack).sum(), rtol=0, atol=1e-10)
    pi = stationary(network, RandomScan())
    with pytest.raises(AssertionError):  # another law has another slack
        assert np.isclose(
            fc_limit(p, network) - full_conditional_divergence(p, pi), (p * slack).sum(), rtol=0, atol=1e-6
        )
    # for pi of the random scan it is nowhere negative: Theorem 3, state by state
    own = sum(np.log(full_conditional(pi, s.variable)) - np.log(s.theta) for s in manifolds(network))
    assert np.min(own) > -1e-9
    worst = worst_law(network)
    assert worst.max() == 1.0
    assert np.isclose(
        fc_limit(worst, network) - full_conditional_divergence(worst, q), np.min(slack), rtol=0, atol=1e-9
    )


def test_sequential_report() -> None:
    report = sequential(0, 6)
    assert report.holds
    beyond = {(r["networks"], r["variables"], r["p"]): r["sequential_beyond"] for r in report.rows}
    assert beyond["random tables", 2, "worst"] == 0
    assert beyond["random tables", 4, "worst"] > 0.8


def test_true_full_conditionals_of_the_chain() -> None:
    codes = np.array([[0, 0, 1], [1, 1, 1]])
    stay, flip = 1 - FLIP, FLIP
    expected_first = [stay / (stay + flip), stay * flip / (stay * flip + flip * stay), flip / (flip + stay)]
    assert np.allclose(
        np.exp(true_log_conditionals(codes.astype(float)))[0], expected_first, rtol=1e-12, atol=0
    )
    middle = stay * stay / (stay * stay + flip * flip)
    assert np.allclose(
        np.exp(true_log_conditionals(codes.astype(float)))[1], [stay, middle, stay], rtol=1e-12, atol=0
    )
    data = chain_rows(np.random.default_rng(0), 6, 20_000)
    same = (data.codes[:, 1:] == data.codes[:, :-1]).mean(axis=0)
    assert np.allclose(same, stay, rtol=0, atol=0.02)


def test_mdl_overfits_wide_tables_and_naming_operations_stops_it() -> None:
    report = overfit(0, 1, widths=(8, 60), lengths=(200,))
    loss = {(r["variables"], r["penalty"]): r["loss"] for r in report.rows}
    assert loss[60, "MDL"] > 5 * loss[8, "MDL"]
    assert loss[60, "MDL + names"] < loss[60, "MDL"] / 2
    training = {(r["variables"], r["penalty"]): r["train"] for r in report.rows}
    assert training[60, "MDL"] < -0.05  # better than the truth on its own rows
