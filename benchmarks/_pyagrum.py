"""Bayesian networks that pyAgrum learns from the same rows: greedy hill climbing, BIC, exact inference, one thread."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray, IntArray

Answerer = Callable[[int, dict[int, int]], FloatArray]
"""The law of a target, given states of other variables."""


def labelled(codes: IntArray, cardinalities: Sequence[int]) -> Any:
    """The rows as a frame of text: columns X0, X1, ..., states s0, s1, ..."""
    pd = importlib.import_module("pandas")
    states = [np.array([f"s{x}" for x in range(k)], dtype=object) for k in cardinalities]
    return pd.DataFrame({f"X{i}": own[codes[:, i]] for i, own in enumerate(states)})


def learner(codes: IntArray, cardinalities: Sequence[int]) -> Any:
    """Ready to learn: `.learnBN()` is the network."""
    gum = importlib.import_module("pyagrum")
    template = gum.BayesNet()
    for i, k in enumerate(cardinalities):
        template.add(gum.LabelizedVariable(f"X{i}", "", [f"s{x}" for x in range(k)]))
    made = gum.BNLearner(labelled(codes, cardinalities), template)
    made.setNumberOfThreads(1)
    made.useGreedyHillClimbing()
    made.useScoreBIC()
    made.useSmoothingPrior(0.5)  # else a context that never occurs is an error
    return made


def answerer(network: Any) -> Answerer:
    """Exact inference in such a network."""
    gum = importlib.import_module("pyagrum")

    def answer(target: int, evidence: dict[int, int]) -> FloatArray:
        engine = gum.LazyPropagation(network)
        engine.setNumberOfThreads(1)
        engine.setEvidence({f"X{j}": x for j, x in evidence.items()})
        engine.setTargets({f"X{target}"})
        engine.makeInference()
        return np.asarray(engine.posterior(f"X{target}").toarray())

    return answer
