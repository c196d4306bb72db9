"""What an answer says of numbers: equal to sums over all values, and within its standard errors of the exact one."""

import datetime as dt
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Dataset, Domain, Network, Variable, query
from depnet.data.binning.bins import Bins
from depnet.data.binning.times import HOUR
from depnet.errors import InferenceError
from depnet.inference.answer.numbers import LEVELS, NumberSummary, shown, with_error, worth_of_mean
from depnet.inference.answer.part import Spread, margins
from depnet.inference.ordered.weighted import move_passes
from depnet.law.program import Conditional
from depnet.model import Evidence
from tests.data.binning.test_levels import laws
from tests.law.cases import given_tables
from tests.narrowed import there
from tests.reference import numbers as slow
from tests.refusals import refuses

SEEDS = 100
NEAR, FAR = 2.0, 4.0


def summary_of(bins: Bins, p: np.ndarray, spread: Spread | None = None) -> NumberSummary:
    return there(NumberSummary.of(Variable("x", bins.labels, bins), p, spread or Spread(np.zeros(len(p)))))


@given(laws())
def test_exact_numbers_are_those_of_all_values_also_where_some_are_missing(
    law: tuple[Bins, list[int]],
) -> None:
    bins, counts = law
    literal = slow.law_of(bins.quantiles, counts)
    p = np.array(counts) / sum(counts)
    found = summary_of(bins, p)
    assert found.mean == pytest.approx(float(slow.mean(literal)), abs=1e-9)
    assert found.standard_deviation == pytest.approx(math.sqrt(slow.variance(literal)), abs=1e-6)
    assert found.above(3.5)[0] == pytest.approx(float(slow.above(literal, 3.5)))
    errors = [
        found.mean_error,
        found.standard_deviation_error,
        found.above(3.5)[1],
        *found.quantile_errors.values(),
    ]
    assert not any(errors)
    variable = Variable("x", (*bins.labels, "gone"), bins, "gone")
    some = there(NumberSummary.of(variable, np.append(p / 4, 0.75), Spread(np.zeros(len(p) + 1))))
    assert some.present == pytest.approx(0.25)
    assert some.mean == pytest.approx(found.mean)
    assert some.quantiles == found.quantiles
    assert NumberSummary.of(variable, np.append(0 * p, 1.0), Spread(np.zeros(len(p) + 1))) is None


# A number that known readers tell of, as every seed draws it: twelve bins, and weights that depend on it.

BINS = Bins(
    tuple(range(0, 130, 10)),
    tuple(tuple(10 * k + np.sort(np.random.default_rng(k).random(32) * 10)) for k in range(12)),
)
P = np.random.default_rng(1).dirichlet(np.full(12, 3.0))
UP = np.linspace(0.05, 0.9, 12)


def numbered(network: Network) -> Network:
    """The same with the bins on the first variable."""
    variables = (Variable("x", BINS.labels, BINS), *network.domain.variables[1:])
    return Network(Domain(variables), network.nodes, order=network.order)


LAW = numbered(
    given_tables(([], [P.tolist()]), ([0], [[1 - u, u] for u in UP]), ([0], [[u, 1 - u] for u in UP[::-1]]))
)
KNOWN = {"X1": 1, "X2": 0}

Ask = Callable[[int], depnet.QueryResult]


def by_passes(seed: int) -> depnet.QueryResult:
    return query(LAW, "x", KNOWN, method="sample", tolerance=0.01, rng=np.random.default_rng(seed))


def of_a_joint(seed: int) -> depnet.QueryResult:
    rng = np.random.default_rng(seed)
    return query(LAW, ["X2", "x"], {"X1": 1}, joint=True, method="sample", tolerance=0.01, rng=rng)


def distances(ask: Ask, exact: NumberSummary, seeds: int = SEEDS) -> np.ndarray:
    """[seed, functional]: how far mean, standard deviation, a share and quantiles are from the exact ones, in errors."""
    found = []
    for seed in range(seeds):
        said = there(ask(seed).summary("x", of="probabilities"))
        pairs = [
            (said.mean - exact.mean, said.mean_error),
            (said.standard_deviation - exact.standard_deviation, said.standard_deviation_error),
            (said.above(60)[0] - exact.above(60)[0], said.above(60)[1]),
            *((said.quantiles[a] - exact.quantiles[a], said.quantile_errors[a]) for a in LEVELS),
        ]
        found.append([abs(d) / e if e else (0.0 if d == 0 else math.inf) for d, e in pairs])
    return np.array(found)


@pytest.mark.parametrize("ask", [by_passes, of_a_joint])
def test_two_standard_errors_cover_the_exact_numbers(ask: Ask) -> None:
    """Of right errors 95 % are within two; fewer than 86 of 100 come once in ten thousand. They are not idle, either."""
    known = {"X1": 1} if ask is of_a_joint else KNOWN
    exact = there(query(LAW, "x", known, method="exact").summary())
    far = distances(ask, exact)
    assert (far <= NEAR).sum(axis=0).min() >= 86
    assert far[:, :3].max() <= FAR  # a quantile's error goes by the values that happen to lie near it
    assert far[:, :3].mean() >= 0.35  # of right ones 0.8: errors no more than about twice too large


def test_errors_of_states_alone_say_something_else() -> None:
    """Without batches there is only the bound, which is far too large; and all states together have hardly an error."""
    said = by_passes(0)
    spread = said.spreads["x"]
    g = np.arange(12.0) - float(np.arange(12.0) @ np.asarray(said.probabilities))
    assert Spread(spread.errors).error(g) > 1.8 * spread.error(g) > 0
    assert spread.error(np.ones(12)) < 0.15 * Spread(spread.errors).error(np.ones(12))


def test_moved_passes_have_batches() -> None:
    asked = Conditional(LAW, Evidence.parse(LAW.domain, {"X1": 1}), ((0, 2),))
    found = there(move_passes(asked, 0.02, 5, math.inf, lambda: False))
    own, _ = margins(found.sums.deviations()[0].reshape(-1, 12, 2))
    spread = Spread.of(np.sqrt((own**2).sum(axis=0)), own)
    exact = np.asarray(query(LAW, "x", {"X1": 1}, method="exact").probabilities)
    g = np.arange(12.0) - float(np.arange(12.0) @ exact)
    assert 0 < abs(g @ found.sums.laws()[0].reshape(12, 2).sum(axis=1)) < 4 * spread.error(g)
    assert spread.error(g) < Spread(spread.errors).error(g)


def test_combined_has_the_laws_share_of_the_error_and_the_table_none() -> None:
    rows = Dataset.from_codes(np.zeros((30, 3), dtype=int), domain=LAW.domain)
    said = query(
        LAW, "x", {"X1": 0}, data=rows, method="sample", tolerance=0.02, rng=np.random.default_rng(0)
    )
    law, joined, table = (there(said.summary(of=of)) for of in ("probabilities", "combined", "observed"))
    share = said.worth / (30 + said.worth)
    assert joined.mean == pytest.approx(share * law.mean + (1 - share) * table.mean)
    assert joined.mean_error < law.mean_error
    assert (table.mean_error, said.numbers["x"].mean) == (0.0, joined.mean)


def test_dates_are_dates() -> None:
    days = Bins((0, 10, 20), ((0, 4), (10, 14)), "date")
    found = summary_of(days, np.array([0.5, 0.5]))
    assert found.mean == dt.date(1970, 1, 8)
    assert found.median == dt.date(1970, 1, 5)
    assert found.standard_deviation == dt.timedelta(days=math.sqrt(29))
    assert found.above("1970-01-11") == (0.25, 0.0)
    assert str(found) == "mean 1970-01-08, median 1970-01-05, 5 % to 95 %: 1970-01-01 to 1970-01-15"
    moments = Bins((0, 10**9), ((0, 10**8),), "datetime")
    assert summary_of(moments, np.ones(1)).mean == dt.datetime(1970, 1, 1, 0, 0, 50)


def test_durations_are_durations() -> None:
    waits = Bins((0, 2 * HOUR, 4 * HOUR), ((0, HOUR), (2 * HOUR, 3 * HOUR)), "duration")
    found = summary_of(waits, np.array([0.5, 0.5]))
    assert found.mean == dt.timedelta(minutes=90)
    assert found.median == dt.timedelta(hours=1)
    assert found.above("2h") == found.above(dt.timedelta(hours=2)) == (0.25, 0.0)
    assert str(found) == "mean 1.5 hours, median 1 hours, 5 % to 95 %: 0 s to 3 hours"


def test_the_largest_floats_have_a_mean_and_a_deviation() -> None:
    wide = Bins((-math.inf, 0, math.inf), ((-1.7e308,), (1.7e308,)), "float")
    found = summary_of(wide, np.array([0.5, 0.5]))
    assert found.mean == 0
    assert found.standard_deviation == pytest.approx(1.7e308)


def test_what_is_shown() -> None:
    assert shown(0.00001234) == "1.234e-05"
    assert with_error(dt.date(2024, 2, 29), dt.timedelta(hours=36)) == "2024-02-29 ± 1.5 days"
    assert with_error(3.14159, 0.00123) == "3.142 ± 0.0012"
    assert shown(dt.datetime(2024, 2, 29)) == "2024-02-29"
    assert shown(dt.timedelta(minutes=90)) == "1.5 hours"


def test_questions_about_numbers_that_cannot_be_answered() -> None:
    people = query(depnet.learn(depnet.titanic(), smoothing=0.5), ["sex", "survived"])
    refuses(InferenceError, "name one of them: sex, survived", lambda: people.summary())
    refuses(InferenceError, "'sex' is not a number", lambda: people.summary("sex"))
    refuses(InferenceError, "was not asked for", lambda: people.summary("class"))
    assert people.numbers == {}
    found = query(LAW, "x").numbers["x"]
    assert found.quantile(0.5) == (found.median, 0.0)
    refuses(InferenceError, "between 0 and 1", lambda: found.quantile(50))
    refuses(InferenceError, "expected a number", lambda: found.above("much"))
    assert query(LAW, "x").summary(of="observed") is None


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(1, 500), st.integers(3, 1000))
def test_a_mean_is_joined_by_one_over_the_variances(v: float, of_law: float, s: float, n: int) -> None:
    """The mean of n rows has the variance v / n, the law's V / s: no other weight has less, as a mutant's shows."""

    def variance(weight: float) -> float:
        return (n * v + weight**2 * of_law / s) / (n + weight) ** 2

    worth = worth_of_mean(s, n, math.sqrt(v), math.sqrt(of_law))
    assert worth <= s
    assert worth == pytest.approx(s * min(1.0, v / of_law + 1 / n))
    best = s * v / of_law
    assert variance(best) <= min(variance(worth), variance(2 * best), variance(best / 2)) * (1 + 1e-9)
    if best < s:
        assert variance(worth) <= variance(s) * (1 + 1e-9)


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(1, 500), st.integers(1, 1000), st.floats(0, 1e3))
def test_a_law_that_is_far_from_many_rows_counts_for_less(
    v: float, of_law: float, s: float, n: int, apart: float
) -> None:
    near, far = (worth_of_mean(s, n, math.sqrt(v), math.sqrt(of_law), d) for d in (0.0, apart))
    assert 0 < far <= near
    own = (v + of_law / n) / n
    if apart**2 <= 4 * (
        own + (v + of_law / n) / near
    ):  # as far as two standard errors: nothing is wrong with it
        assert far == near
    elif n >= 100 and apart**2 > 100 * (own + of_law / s):
        assert far < near


def test_what_all_matching_rows_share_is_not_blurred() -> None:
    """A rare label with one number of its own: the law, whose leaves are coarser, says another mean."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 60, 4000)
    distance = np.where(label == 0, 4983.0, rng.normal(900 + 10 * label, 300).round())
    frame = [{"to": f"x{k}", "distance": d} for k, d in zip(label.tolist(), distance.tolist(), strict=True)]
    model = depnet.DependencyNetwork(random_state=0, penalty="mdl").fit(frame)
    found = model.query("distance", {"to": "x0"})
    law, both, seen = (there(found.summary(of=way)) for way in ("probabilities", "combined", "observed"))
    assert seen.standard_deviation < 1e-9
    assert abs(law.mean - 4983) > 50
    assert abs(both.mean - 4983) < 0.02 * abs(law.mean - 4983)
    n = found.rows_of("distance")
    by_shares = (n * seen.mean + found.worth * law.mean) / (n + found.worth)  # the mutant
    assert abs(by_shares - 4983) > 0.05 * abs(law.mean - 4983)
    assert both.interval is not None
    assert both.interval[0] < 4983 < both.interval[1] + 1
