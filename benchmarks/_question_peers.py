"""The same questions put to others, in a process of their own that ends itself at a limit of CPU seconds:
the questions it has answered by then are judged.

pyAgrum: a Bayesian network learned by greedy hill climbing with BIC, then exact inference; it cannot learn from holes, so
it gets the rows as depnet completed them. LightGBM: for each question a classifier of the target, trained on the columns
that are known in it (bins as numbers, categories as such, holes as they are).
"""

import contextlib
import importlib
import multiprocessing
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np

from benchmarks import _pyagrum
from benchmarks._coded import Coded
from benchmarks._questions import Question
from depnet.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Problem:
    """What a peer learns from, and what it is asked."""

    learned: Coded
    completed: IntArray
    asked: Sequence[Question]


def by_pyagrum(problem: Problem) -> Iterator[FloatArray]:
    network = _pyagrum.learner(problem.completed, problem.learned.domain.cardinalities).learnBN()
    answer = _pyagrum.answerer(network)
    for question in problem.asked:
        yield answer(question.target, dict(question.evidence))


def by_lightgbm(problem: Problem) -> Iterator[FloatArray]:
    return (_classified(problem, question) for question in problem.asked)


def _classified(problem: Problem, question: Question) -> FloatArray:
    lightgbm = importlib.import_module("lightgbm")
    learned, given = problem.learned, list(question.evidence)
    rows = learned.known[:, question.target]
    inputs = np.where(learned.known[rows][:, given], learned.codes[rows][:, given], np.nan)
    target = learned.codes[rows, question.target]
    found = np.zeros(learned.domain.cardinalities[question.target])
    if len(np.unique(target)) == 1:
        found[target[0]] = 1.0
        return found
    model = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1)
    categories = [place for place, j in enumerate(given) if learned.domain.variables[j].bins is None]
    model.fit(inputs, target, categorical_feature=categories)
    asked = np.array([list(question.evidence.values())], dtype=float)
    found[model.classes_] = model.predict_proba(asked)[0]
    return found


PEERS: dict[str, Callable[[Problem], Iterator[FloatArray]]] = {"pyAgrum": by_pyagrum, "LightGBM": by_lightgbm}


class Started:
    """A peer at work on some problems."""

    def __init__(self, peer: str, problems: Sequence[Problem], seconds: float) -> None:
        context = multiprocessing.get_context("spawn")  # OpenMP does not survive a fork
        self._answers, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(peer, problems, seconds, theirs))
        self._process.start()
        theirs.close()

    def answers(self) -> list[FloatArray]:
        """To the questions of all problems, in their order, as far as the time lasted."""
        found: list[FloatArray] = []
        with contextlib.suppress(EOFError):
            while True:
                found.append(self._answers.recv())
        self._process.join()
        if self._process.exitcode not in (0, -signal.SIGPROF):
            raise RuntimeError(f"a peer ended with {self._process.exitcode}; its message is above.")
        return found


def _work(peer: str, problems: Sequence[Problem], seconds: float, answers: Connection) -> None:
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever it is doing
    signal.setitimer(signal.ITIMER_PROF, seconds)
    for problem in problems:
        for answer in PEERS[peer](problem):
            answers.send(answer)
