"""Several networks of one completed table: how they spread, and how they predict rows not seen."""

import numpy as np
import pytest

from depnet import Dataset, Network, learn
from depnet.fitting.complete import complete_and_learn
from depnet.fitting.ensemble import out_of_bag_scores, plausible_networks
from tests.fitting.holes import domain_of, drawn_rows, holed_of, learned


def test_plausible_networks_spread_as_resampled_rows_do() -> None:
    """The share of X0 = 0 over 60 networks: its standard deviation is that of N rows, sqrt(p q / N), within 40 %.

    A sample's standard deviation of 60 normal values is off by 40 % in fewer than 1e-4 of all seeds.
    """
    rng = np.random.default_rng(4)
    codes = drawn_rows(rng)[:1000]
    done = complete_and_learn(holed_of(codes, np.zeros(codes.shape, dtype=bool)), learned)

    def one_leaf(rows: Dataset) -> Network:
        return learn(rows, max_leaves=1)

    networks, tables = plausible_networks(done, one_leaf, 60, rng=rng)
    assert len(tables) == 60
    assert np.array_equal(tables[-1], codes)  # nothing was hidden
    shares = [float(network.nodes[0].table.probabilities[0, 0]) for network in networks]
    p = float((codes[:, 0] == 0).mean())
    assert np.std(shares, ddof=1) == pytest.approx(np.sqrt(p * (1 - p) / 1000), rel=0.4)
    with pytest.raises(ValueError, match="number of networks"):
        plausible_networks(done, learned, 0, rng=rng)


def test_out_of_bag_scores_are_those_of_rows_not_drawn() -> None:
    """Against a literal twin: rows, networks and nodes in loops, hidden cells left out."""
    rng = np.random.default_rng(6)
    codes = drawn_rows(rng)[:40]
    hidden = rng.random(codes.shape) < 0.2
    done = complete_and_learn(holed_of(codes, hidden), learned, rounds=1, rng=rng)
    found = out_of_bag_scores(done, learned, 3, rng=np.random.default_rng(8))
    again = np.random.default_rng(8)
    tables = [again.multinomial(40, np.full(40, 1 / 40)) for _ in range(3)]
    rows = done.dataset.codes
    networks = [
        learned(Dataset.from_codes(np.repeat(rows, times, axis=0), domain=domain_of())) for times in tables
    ]
    for i in range(4):
        logs = []
        for r in range(40):
            unseen = [net for net, times in zip(networks, tables, strict=True) if times[r] == 0]
            if unseen and not hidden[r, i]:
                nodes = [net.nodes[i] for net in unseen]
                thetas = [
                    node.table.probabilities[node.source(rows[r : r + 1])[0], rows[r, i]] for node in nodes
                ]
                logs.append(np.log(np.mean(thetas)))
        assert found[i] == pytest.approx(np.mean(logs), rel=1e-12)
