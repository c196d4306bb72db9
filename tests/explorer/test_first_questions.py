"""Questions to begin with are of variables that tell most."""

import numpy as np

from depnet import Variable
from depnet.data.binning.bins import Bins
from depnet.explorer.first_questions import first_questions, telling_state
from depnet.pictures.graph.dependency import Arrow, DependencyGraph


def test_the_strongest_first_then_one_that_is_not_tied_to_it() -> None:
    variables = [Variable(name, ("no", "yes")) for name in "abcd"]
    arrows = (Arrow(0, 1, 0.9), Arrow(0, 2, 0.3), Arrow(1, 3, 0.1))
    priors = {name: np.array([0.8, 0.2]) for name in "abcd"}
    graph = DependencyGraph(("a", "b", "c", "d"), arrows)
    assert first_questions(variables, graph, priors) == [("a", ("yes",)), ("d", ("yes",))]
    near = DependencyGraph(("a", "b", "c", "d"), arrows[:1])
    assert first_questions(variables, near, priors) == [("a", ("yes",)), ("b", ("yes",))]
    assert first_questions(variables, DependencyGraph(("a", "b", "c", "d"), ()), priors) == []


def test_of_a_number_the_top_quarter() -> None:
    bins = Bins(tuple(range(9)), tuple((k,) for k in range(8)), "integer")
    assert telling_state(Variable("n", bins.labels, bins), np.full(8, 1 / 8)) == ">=6"
