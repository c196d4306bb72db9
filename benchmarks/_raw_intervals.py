"""90 % intervals for shares and means of the population that rows come from: how often they cover, and how wide they are.

The population is not at hand; held-out rows are, and their share or mean has noise of its own, which would be taken for a
fault of the interval. So an interval [l, u] of an answer a is read as what is known of the population's value: with a
standard normal z it is a + z (u - a) / 1.645 for z > 0, a + z (a - l) / 1.645 for z < 0. The held-out rows are asked for
what this foretells of them. Of a share, k of m rows are binomial given it: with F(k) their cumulative probability,
averaged over z, the truth is covered as far as [F(k - 1), F(k)] is in [.05, .95]. Of a mean t with standard error e (the
rows' standard deviation over sqrt(m)), it is covered where

    a - sqrt((a - l)^2 + (q e)^2) <= t <= a + sqrt((u - a)^2 + (q e)^2),

q being the 95 % quantile of Student's t. An interval that has the population's value in 9 of 10 cases then covers 9 of 10
truths, whatever m. (Simulated with Beta intervals, 2 to 300 rows learned from and half to three times as many held out,
shares of .005 to .5: 87.5 to 91 %, 89.7 % in the mean.) It shows little where held-out noise is large: judged is where
the standard error of the truth is under half the interval's width, and models learn from 70, 30 and 10 % of the rows (the
last not of tables under 3,000), so that the truth is often counted in more rows than the answer; elsewhere few answers
with few matching rows could be judged. Questions are drawn with 0-4, 5-29, 30-99 and 100 or more matching training rows
in turn, which depends on what is known alone, not on the target's values.

Widths are beside those of Wilson's interval, of means Student's t, from the matching rows alone, where there are 30 or more.
"""

import argparse
import math
from dataclasses import dataclass, field
from functools import partial
from statistics import NormalDist

import numpy as np

from benchmarks._frames import SMALL, SMALL_SPLITS, Frame, split_of
from benchmarks._raw_errors import COSTS, Costs, fitted
from benchmarks._raw_questions import KINDS, KNOWN, Drawer, Question, Rows, variable_of
from benchmarks._raw_tables import HOLED, raw_frame
from benchmarks._reach import at_least, at_most, head, line
from depnet import Domain, QueryResult

BANDS = ((0, 4), (5, 29), (30, 99), (100, 10**9))
BAND_NAMES = ("0-4", "5-29", "30-99", "100+")
LEARNED, LEARNED_SMALL = (0.7, 0.3, 0.1), (0.7, 0.3)
LEAST = 20
"""Held-out rows that answer a question."""
ASKED = 480
"""Questions to a table: so that 200 can be judged, as a rule."""
ATTEMPTS = 300
Z = 1.6448536269514722
NODES = np.array([NormalDist().inv_cdf((i + 0.5) / 40) for i in range(40)])
"""Of a standard normal variable, equally probable."""
CONFIDENT = 30


@dataclass
class Tally:
    """Of a table: whether each judged question was covered, with its band; widths beside those of counting."""

    asked: int = 0
    covered: list[tuple[int, float]] = field(default_factory=list)
    widths: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def share(self, band: int | None = None) -> float:
        """Of the judged questions (of a band), those that were covered; nan where there is none."""
        some = [covered for at, covered in self.covered if band in (None, at)]
        return float(np.mean(some)) if some else math.nan

    def count(self, band: int) -> int:
        """The judged questions of a band."""
        return sum(at == band for at, _ in self.covered)

    def ratio(self, kind: str) -> float:
        """The mean width over that of counting."""
        each = np.array(self.widths.get(kind, [])).reshape(-1, 2)
        return float(each[:, 0].mean() / each[:, 1].mean()) if len(each) else math.nan


@dataclass(frozen=True)
class Interval:
    """An answer with its ends, beside the held-out truth and what the training rows alone say."""

    answer: float
    low: float
    high: float
    truth: float
    error: float
    """The standard error of the truth."""
    rows: int
    """Those that the truth was counted in."""
    share: bool
    alone: float
    """The width of the interval that counts alone; nan where too few rows match."""

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low

    @property
    def judged(self) -> bool:
        """Is the noise of the truth small enough to say something?"""
        return self.error < self.width / 2 or self.error == 0

    @property
    def covers(self) -> float:
        """Is the truth where it was foretold? Of a share, a number from 0 to 1: counts are whole."""
        return self._covers_count() if self.share else float(self._covers_mean())

    def _covers_count(self) -> float:
        from scipy import special

        sides = np.where(NODES < 0, self.answer - self.low, self.high - self.answer)
        shares = np.clip(self.answer + sides * NODES / Z, 0.0, 1.0)
        count = round(self.truth * self.rows)
        below, upto = (
            float(special.bdtr(k, self.rows, shares).mean()) if k >= 0 else 0.0 for k in (count - 1, count)
        )
        if upto - below < 1e-12:
            return float(0.05 <= upto <= 0.95)
        return max(min(upto, 0.95) - max(below, 0.05), 0.0) / (upto - below)

    def _covers_mean(self) -> bool:
        noise = student(0.95, self.rows) * self.error
        below, above = (math.hypot(end - self.answer, noise) for end in (self.low, self.high))
        slack = 1e-9 * (1 + abs(self.truth))
        return self.answer - below - slack <= self.truth <= self.answer + above + slack


def wilson(share: float, n: int) -> float:
    """The width of Wilson's 90 % interval."""
    return 2 * Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))


def student(level: float, n: int) -> float:
    """The quantile of Student's t, with n - 1 degrees of freedom."""
    from scipy import special

    return float(special.stdtrit(n - 1, level))


def interval_of(
    result: QueryResult, question: Question, learned: Rows, domain: Domain, rng: np.random.Generator
) -> tuple[Interval, int]:
    """The interval of an answer (of a category, of one of its states), and the training rows that match."""
    counted, n, spread = question.counted(learned, domain)
    m = question.rows
    if question.kind == "means":
        summary = result.numbers[question.target]
        assert summary.interval is not None
        low, high = summary.interval
        alone = 2 * student(0.95, n) * spread / math.sqrt(n) if n >= CONFIDENT else math.nan
        error = question.spread / math.sqrt(m)
        return Interval(summary.mean, low, high, float(question.truth[0]), error, m, False, alone), n
    at, place = 1, 0  # of a condition: True, whose share is the only one of the truth
    if question.kind == "categories":
        often, _ = learned.shares(variable_of(domain, question.target))
        at = place = int(rng.choice(len(often), p=often))
    answer = float(np.asarray(result.combined)[at])
    low, high = np.asarray(result.interval)[at]
    inside = min(max(answer, 0.5 / m), 1 - 0.5 / m)
    error = math.sqrt(inside * (1 - inside) / m)
    alone = wilson(float(counted[place]), n) if n >= CONFIDENT else math.nan
    return Interval(answer, low, high, float(question.truth[place]), error, m, True, alone), n


def intervals(options: argparse.Namespace) -> list[bool]:
    """Part 4: coverage by bands of matching rows, and widths."""
    names = [f"n {name}" for name in BAND_NAMES]
    head(["table", "asked", "judged", "covered", *names, "width, shares", "width, means", *COSTS])
    tallies = {name: _table(name, options) for name in options.tables if name in HOLED}
    if not tallies:
        return []
    every = Tally(covered=[each for tally in tallies.values() for each in tally.covered])
    mean = float(np.nanmean([tally.share() for tally in tallies.values()]))
    said = "90 % intervals: the share that covers"
    reached = [
        at_least(f"{said}, mean over tables", mean, 0.87),
        at_most(f"{said}, mean over tables", mean, 0.93),
    ]
    for band, name in enumerate(BAND_NAMES):
        if every.count(band):
            reached.append(at_least(f"{said}, n {name}, all tables", every.share(band), 0.8))
    for kind, alone in (("shares", "Wilson's"), ("means", "Student's")):
        ratio = float(np.nanmean([tally.ratio(kind) for tally in tallies.values()]))
        reached.append(at_most(f"{kind}: mean width over {alone}, n >= 30, mean over tables", ratio, 1.0))
    return reached


def _table(name: str, options: argparse.Namespace) -> Tally:
    frame = raw_frame(name)
    tally, costs = Tally(), Costs()
    shares = LEARNED if len(frame) >= SMALL else LEARNED_SMALL
    seeds = (1 if len(frame) >= SMALL else SMALL_SPLITS) if options.seeds is None else options.seeds
    for seed in range(seeds):
        for share in shares:
            parts = split_of(frame, seed, share)
            _split(*parts, seed, -(-ASKED // (seeds * len(shares))), tally, costs)
    bands = [f"{tally.share(band):.3f} ({tally.count(band)})" for band in range(len(BANDS))]
    widths = [f"{tally.ratio(kind):.3f}" for kind in ("shares", "means")]
    cells = [f"{tally.asked}", f"{len(tally.covered)}", f"{tally.share():.3f}", *bands, *widths]
    line([name, *cells, *costs.shown()])
    return tally


def _split(train: Frame, rest: Frame, seed: int, count: int, tally: Tally, costs: Costs) -> None:
    model, seconds = fitted(train, seed)
    costs.fits.append(seconds)
    learned, held_out = Rows(train), Rows(rest)
    rng = np.random.default_rng(seed)
    for question in _questions(learned, held_out, model.domain_, count, rng):
        result = costs.put(model, question)
        found, n = interval_of(result, question, learned, model.domain_, rng)
        tally.asked += 1
        if found.judged:
            band = next(at for at, band in enumerate(BANDS) if _within(band, n))
            tally.covered.append((band, found.covers))
        if found.alone == found.alone:
            kind = "means" if question.kind == "means" else "shares"
            tally.widths.setdefault(kind, []).append(
                (found.width / question.scale, found.alone / question.scale)
            )


def _within(band: tuple[int, int], n: int) -> bool:
    return band[0] <= n <= band[1]


def _questions(
    learned: Rows, held_out: Rows, domain: Domain, count: int, rng: np.random.Generator
) -> list[Question]:
    """Of every band, kind and number of known columns in turn; those that do not come up are left out."""
    found: list[Question] = []
    drawers = [Drawer(learned, held_out, domain, LEAST, rng, partial(_within, band)) for band in BANDS]
    turns = [(drawer, kind, k) for k in KNOWN for kind in KINDS for drawer in drawers]
    while turns and len(found) < count:
        for turn in list(turns):
            drawer, kind, k = turn
            drawn = None
            if drawer.targets[kind] and k < len(drawer.columns):
                drawn = next(filter(None, (drawer.drawn(kind, k) for _ in range(ATTEMPTS))), None)
            if drawn is None:
                turns.remove(turn)
            elif len(found) < count:
                found.append(drawn)
    return found
