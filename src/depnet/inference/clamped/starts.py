"""Where clamped chains start: far apart, so that modes are met from all sides, and at rows of the data where there are any.

Chains that all start in one region, such as near the product of the marginals, agree with each other long before they
have seen the others: an R-hat near 1 then says nothing. Rows of the data lie in the modes that matter; uniformly random
states fall into whatever modes draw them; and where more of one variable means more of another, all chains lie between
those that start with every variable at its first state, and at its last.
"""

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.dataset import Dataset, Holed
from depnet.inference.answer.observed import matching
from depnet.inference.clamped.relevance import Reduced
from depnet.model.evidence import Evidence
from depnet.model.network import Network

QUESTION_CHAINS = 64
"""Chains of a question."""


def matching_rows(
    reduced: Reduced, known: Evidence, data: Dataset | Holed | None, rng: np.random.Generator
) -> NDArray[np.uint16] | None:
    """[row, reduced variable]: rows of the data to start chains at; None where there are none.

    Rows that match the evidence where some do, else any; drawn by their weights.
    """
    if data is None or data.total == 0:
        return None
    weights = np.ones(data.rows) if data.weights is None else data.weights.astype(np.float64)
    matched = weights * matching(known, data)
    if matched.sum() > 0:
        weights = matched
    chosen = rng.choice(data.rows, size=QUESTION_CHAINS // 2, p=weights / weights.sum())
    return np.stack([data.column(i)[chosen] for i in reduced.variables], axis=1).astype(np.uint16)


def start_states(
    network: Network,
    evidence: Evidence,
    chains: int,
    rng: np.random.Generator,
    rows: NDArray[np.uint16] | None = None,
    of_each: int | None = None,
) -> NDArray[np.uint16]:
    """[chain, variable]: uniformly random among the states that the evidence allows; the first half at `rows`.

    Of the last quarter (of each `of_each` chains, where they are many rows'), every other chain has all first states, the
    others all last ones. Where a row has a state that
    the evidence does not allow, that variable's start is random, too.
    """
    each = chains if of_each is None else of_each
    places = np.arange(chains)
    ends = places[places % each >= each - each // 4]
    codes = np.empty((chains, len(network.domain)), dtype=np.uint16)
    for i, k in enumerate(network.domain.cardinalities):
        if i in evidence.clamped:
            codes[:, i] = evidence.clamped[i]
            continue
        allowed = np.flatnonzero(evidence.tilts[i]) if i in evidence.tilts else np.arange(k)
        codes[:, i] = rng.choice(allowed, size=chains)
        codes[ends, i] = np.where(ends % 2, allowed[-1], allowed[0])
        if rows is not None:
            here = rows[:chains, i]
            fits = np.isin(here, allowed)
            codes[: len(here), i][fits] = here[fits]
    return codes
