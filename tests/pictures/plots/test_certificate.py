"""The certificate drawn and reported: of a network, of a law, and where there is no bound."""

from dataclasses import replace

import numpy as np
import pytest

from depnet import Certificate, ConstantSource, Dataset, certificate, learn, learn_parameters, titanic
from depnet.pictures import plot_certificate
from depnet.pictures.report.sections import certificate_section, proven_tile

DATA = titanic()
LAW = replace(learn_parameters(DATA, [ConstantSource()] * 4, smoothing=0.5), order=(0, 1, 2, 3))
ROWS = Dataset.from_codes([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 0]], [2, 2, 2], weights=[22, 8, 2, 8])


def of_network() -> Certificate:
    return certificate(learn(DATA, smoothing=0.5), DATA)


def of_law() -> Certificate:
    return certificate(LAW, DATA)


def without() -> Certificate:
    """Zeros in tables: the chain leaves a state of the rows for good."""
    return certificate(learn(ROWS), ROWS)


def test_a_plot_says_what_is_proven() -> None:
    pytest.importorskip("matplotlib")
    said = {of_network: "FC(data ‖ model) ≤", of_law: "KL(data ‖ law) =", without: "no bound on FC"}
    for found, title in said.items():
        (axes,) = plot_certificate(found()).axes
        assert axes.get_title().startswith(title)
        assert ("law" in axes.get_xlabel()) == (found is of_law)


def test_a_report_says_what_is_proven() -> None:
    network, law, none = of_network(), of_law(), without()
    assert f"FC(data ‖ model) ≤ {network.fc_limit:.6g} nats per row" in certificate_section(network)
    assert f"KL(data ‖ law) = {law.kl:.6g} nats per row" in certificate_section(law)
    assert "H(X|before)" in certificate_section(law)
    assert "for good, a state that the rows have" in certificate_section(none)
    assert "≤" not in certificate_section(none)


def test_a_tile_has_one_number() -> None:
    network, law = of_network(), of_law()
    assert proven_tile(network)[0] == f"{network.fc_limit:.4g}"
    assert proven_tile(law)[0] == f"{law.kl / np.log(2):.4g}"
    assert proven_tile(without())[0] == "none"
