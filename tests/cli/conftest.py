"""A table and a model of it, in files."""

import csv
from pathlib import Path

import pytest

import depnet


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "titanic.csv"
    people = depnet.titanic()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(people.domain.names)
        for row in people.codes.tolist():
            writer.writerow([v.states[code] for v, code in zip(people.domain.variables, row, strict=True)])
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of it, learned by the paper's penalty: the network and the law."""
    path = tmp_path_factory.mktemp("model") / "model.json"
    people = depnet.titanic()
    network, law = (
        depnet.learn(people, smoothing=0.5, order=order).with_counts(people) for order in (None, "auto")
    )
    depnet.save(network, path, law)
    return path


@pytest.fixture(scope="session")
def lawless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with the paper's network alone."""
    path = tmp_path_factory.mktemp("lawless") / "model.json"
    people = depnet.titanic()
    depnet.save(depnet.learn(people, smoothing=0.5).with_counts(people), path)
    return path
