"""An estimate of the mixing time: a pilot run whose autocorrelation sets burn-in and thinning.

128 chains start from the nodes' marginals and run until the second half of the run is ten times longer
than the slowest state indicator's integrated autocorrelation time tau (in sweeps), and no indicator's split
R-hat is larger than tau explains; a run that never gets there is given tau of at least a tenth of its
second half. A chain forgets its start like exp(-2t / tau) or faster: burn-in is 10 tau, thinning 2 tau.
What no single variable shows (a slow joint move, a mode that no chain has met) stays hidden.

A variable of many states is looked at by the quantiles of its codes, 1(X_i >= q) of `MOST_GROUPS` groups of neighbouring
states that are drawn about equally often: an indicator takes a number for every draw, those of 5,000 states would take
gigabytes, and each of them alone hardly shows that a chain stays among one half of the states.
"""

import math
import warnings
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, IntArray
from depnet.errors import MixingWarning
from depnet.model.network import is_compilable
from depnet.sampling.chains import ChainRows
from depnet.sampling.diagnostics import autocorrelation_time, split_r_hat, state_indicators
from depnet.sampling.plan import ChainPlan

PILOT_CHAINS = 128
"""Chains of the pilot run."""
FIRST_SWEEPS = 128
MOST_SWEEPS = 4096
MOST_CELLS = 2**27
FEWEST_CHAINS = 8
"""The same of a network of very many variables, at least."""
MOST_GROUPS = 64
"""The indicators of one variable, at most."""
LONGER = 10
"""How many times longer than tau the kept half of the pilot is when it may stop."""
R_HAT_MARGIN = 3.0
"""Means of D draws vary by tau / D of the draws' variance, so R-hat is about sqrt(1 + tau / D); three times
that share is taken to mean that chains differ for good, as those of a chain that goes round in a circle do."""


@dataclass(frozen=True, slots=True)
class Mixing:
    """The pilot's result. `time` is tau in sweeps, that of the slowest `variable`; `r_hat` the largest of all."""

    time: float
    variable: str
    r_hat: float
    sweeps: int
    chains: int
    settled: bool

    @property
    def burn_in(self) -> int:
        """Sweeps after which a chain has forgotten its start."""
        return math.ceil(10 * self.time)

    @property
    def thin(self) -> int:
        """Sweeps between rows that are nearly independent."""
        return math.ceil(2 * self.time)


def estimate_mixing(plan: ChainPlan, seed: int) -> Mixing:
    """Run the pilot; a run that does not settle is reported, and warned of."""
    chains = _chains(plan.variables)
    most = min(MOST_SWEEPS, max(FIRST_SWEEPS, MOST_CELLS // (chains * plan.variables)))
    if not is_compilable(plan.network):
        most = min(most, 4 * FIRST_SWEEPS)
    pilot = ChainRows(plan, chains, burn_in=0, thin=1, seed=seed)
    rows: CodeArray = np.empty((plan.variables, most, chains), dtype=plan.dtype)
    done, wanted = 0, FIRST_SWEEPS
    while True:
        while done < wanted:
            part = pilot.record(wanted - done).reshape(plan.variables, -1, chains)
            rows[:, done : done + part.shape[1]] = part
            done += part.shape[1]
        mixing = _measured(plan, rows[:, done // 2 : done], done)
        if mixing.settled or done == most:
            break
        wanted = min(2 * done, most)
    if not mixing.settled:
        warnings.warn(
            f"the pilot run did not settle in {done} sweeps: {mixing.variable!r} has an autocorrelation time of "
            f"{mixing.time:.3g} sweeps (R-hat {mixing.r_hat:.3g}). Rows may depend on where the chains started; "
            "give burn_in and thin yourself, smooth the tables, or learn an ordered law, which needs no chains: "
            'learn(dataset, order="auto").',
            MixingWarning,
            stacklevel=4,
        )
    return mixing


def _chains(variables: int) -> int:
    """Chains of the pilot: fewer where even the first sweeps of all of them would take more than `MOST_CELLS` codes."""
    return max(FEWEST_CHAINS, min(PILOT_CHAINS, MOST_CELLS // (FIRST_SWEEPS * variables)))


def grouped(codes: CodeArray, states: int) -> IntArray:
    """Codes of `MOST_GROUPS` groups of neighbouring states, each drawn about equally often.

    >>> np.bincount(grouped(np.arange(1000)[None, :], 1000)[0]).tolist()[:3]
    [16, 16, 15]
    """
    drawn = np.bincount(codes.reshape(-1), minlength=states)
    before = np.cumsum(drawn) - drawn
    group: IntArray = before * MOST_GROUPS // codes.size  # of each state: the quantile at which it begins
    group = np.minimum(group, MOST_GROUPS - 1)  # states after the last that was drawn
    return group[codes]


def _measured(plan: ChainPlan, rows: CodeArray, sweeps: int) -> Mixing:
    slowest, time, r_hat, agree = plan.order[0], 1.0, 1.0, True
    kept = rows.shape[1]
    for i in sorted(plan.order):
        states = plan.network.domain.cardinalities[i]
        if states > MOST_GROUPS:
            draws = np.asarray(
                grouped(rows[i].T, states)[:, :, None] >= np.arange(1, MOST_GROUPS), dtype=np.float64
            )
        else:
            draws = state_indicators(rows[i].T, range(states))
        draws = draws[:, :, 1:] if draws.shape[2] == 2 else draws  # the other state mirrors it
        own = autocorrelation_time(draws)
        disagreement = split_r_hat(draws)
        agree &= bool((disagreement**2 <= 1 + R_HAT_MARGIN * np.maximum(own, 1) / (kept // 2)).all())
        r_hat = max(r_hat, float(disagreement.max()))
        if own.max() > time:
            slowest, time = i, float(own.max())
    settled = LONGER * time <= kept and agree
    if not settled:
        time = max(time, kept / LONGER)
    return Mixing(time, plan.network.domain.variables[slowest].name, r_hat, sweeps, rows.shape[2], settled)
