"""How good drawn rows are in the words that people buy by, beside fresh real rows and shuffled columns.

As many drawn rows, real rows that the model has never seen, and rows whose columns were shuffled one by one are compared
with the rows learned from: fresh rows say what a perfect model would reach, shuffled ones what single columns alone do.
Without rows held out, half of the real rows stand for fresh ones; what a model tells of the rows learned from is not known.
"""

import itertools
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from depnet import notebook
from depnet.arrays import FloatArray, generator
from depnet.data.frames.decode import decode
from depnet.data.table.columns import Layout
from depnet.data.table.dataset import Holed
from depnet.data.table.kinds import Kinds
from depnet.data.table.variable import Variable
from depnet.errors import STEADY_SEED, DataError, outside
from depnet.inference.judge import boosters, resemblance
from depnet.inference.judge.closest import closest, guessed, nearer
from depnet.inference.judge.tables import Tables, open_table, read_tables
from depnet.model.evidence import Evidence, draw_holes
from depnet.model.mixture import AnyNetwork
from depnet.sampling import sample
from depnet.wording import nearest, plural, some_of, text_of_parts

MOST, MOST_FRESH, MOST_PAIRS = 20_000, 10_000, 2_000
"""Real rows, rows of each kind beside them, and pairs of columns."""
NEAREST, ATTACKED, KNOWN = 1_000, 500, 2_000
"""Rows whose closest one is looked for, rows that are attacked, and rows that an attacker has."""
MOST_ASKED, MOST_TAUGHT = 20, 8
"""Columns that an attacker asks for, and that are predicted, where none is named: the first ones."""
FEW = 100

MEASURES = {
    "column shapes": "Single columns are like the real ones to {:.1f} %{}.",
    "column pair trends": "Pairs of columns are like the real ones to {:.1f} %{}.",
    "detection": "Shown a drawn and a real row, a detector picks the drawn one in {:.0f} of 100 cases; 50 is guessing{}.",
    "distance to closest record": "Half of the drawn rows have a row learned from within {:.1f} % of the largest "
    "distance there is{}.",
    "nearer than real rows": "A drawn row is nearer to those learned from than a fresh real row in {:.0f} of 100 cases; "
    "50 is as near{}.",
    "closer to learned than to fresh": "{:.0f} of 100 drawn rows are closer to a row learned from than to as many fresh "
    "ones; up to 50 is chance{}.",
    "copies": "{:.1f} of 100 drawn rows equal a row learned from{}.",
    "disclosure": "Who knows all but one cell of a row learned from guesses it by drawn rows in {:.1f} of 100 cases{}.",
    "range coverage": "Drawn rows cover {:.1f} % of the range of numbers{}.",
    "category coverage": "Drawn rows have {:.1f} % of the categories{}.",
    "missing values": "Shares of missing values are like the real ones to {:.1f} %{}.",
    "accuracy": "Taught by drawn rows, a predictor of categories is right in {:.1f} of 100 fresh cases{}.",
    "variance explained": "Taught by drawn rows, a predictor of numbers explains {:.1f} % of their variance{}.",
}
"""All of them (docs/compare.md), and the sentences that say them."""


class Beside(NamedTuple):
    """A figure of drawn rows, and the same of fresh real rows and of shuffled columns; nan: it is not known."""

    drawn: float
    fresh: float
    shuffled: float


@dataclass(frozen=True, slots=True, eq=False)
class Quality:
    """What `quality` found; print it. `found["detection"].drawn` is a figure, of columns or pairs their mean.

    Attributes:
        each: by the measure's name, its figures: of columns by their names, of pairs by both, else one by "".
        holes: of each column with holes, the shares of them in real, drawn and fresh rows.
        rows: how many drawn rows were compared.
        real_rows: with how many rows learned from.
        numbers: the columns that are numbers or times; all others are categories.
        left_out: columns that were not compared, since one side lacks them.
        notes: what was not measured, and why.

    >>> import numpy as np, depnet
    >>> people = depnet.titanic()
    >>> drawn = depnet.sample(depnet.learn(people, order="auto"), 500, rng=np.random.default_rng(0))
    >>> found = depnet.quality(drawn, people)
    >>> found["column shapes"].drawn > 0.95, found["detection"].shuffled > 0.6
    (True, True)
    """

    each: Mapping[str, Mapping[Any, Beside]]
    holes: Mapping[str, tuple[float, ...]]
    rows: int
    real_rows: int
    numbers: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]

    def __getitem__(self, measure: str) -> Beside:
        if measure not in MEASURES:
            raise DataError(f"there is no measure {measure!r}. {nearest(measure, MEASURES)}")
        figures = np.array([*self.each.get(measure, {}).values()]).reshape(-1, 3)
        sums, counts = np.nansum(figures, axis=0), (~np.isnan(figures)).sum(axis=0)
        return Beside(*np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).tolist())

    @property
    def measures(self) -> tuple[str, ...]:
        """Those that are known of drawn rows."""
        return tuple(name for name in MEASURES if not np.isnan(self[name].drawn))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in plain words."""
        said = [_sentence(name, self[name]) for name in self.measures]
        more = {name: of.drawn - of.fresh for name, of in self.each.get("disclosure", {}).items()}
        worst = max(more, key=lambda name: more[name], default="")
        three_errors = 3 * math.sqrt(0.5 / min(ATTACKED, self.real_rows))
        if more and more[worst] > three_errors:
            said.append(
                f"What drawn rows give away most is {worst}: {100 * more[worst]:.1f} more cases in 100."
            )
        return (*said, *self.notes)

    def __str__(self) -> str:
        return text_of_parts(self.sentences)

    def _repr_html_(self) -> str:
        return notebook.card("Quality of drawn rows", *notebook.html_of_parts(self.sentences))


def _sentence(name: str, beside: Beside) -> str:
    sides = (
        "real rows" if name in ("accuracy", "variance explained") else "fresh real rows",
        "shuffled columns",
    )
    digits = 0 if "{:.0f}" in MEASURES[name] else 1
    drawn, *others = (max(100 * figure, 0.0) for figure in beside)
    said = [f"{who}: {of:.{digits}f}" for who, of in zip(sides, others, strict=True) if not np.isnan(of)]
    return MEASURES[name].format(drawn, f" ({', '.join(said)})" if said else "")


def quality(
    drawn: Any,
    real: Any,
    held_out: Any = None,
    *,
    target: str | Iterable[str] | None = None,
    sensitive: str | Iterable[str] | None = None,
    kinds: Kinds | None = None,
    weights: str | None = None,
    variables: Mapping[str, Variable] | None = None,
    rng: np.random.Generator | None = None,
) -> Quality:
    """How good drawn rows are: shapes, pair trends, detection, distances, disclosure, coverage, utility (docs/compare.md).

    Args:
        drawn: rows that were made, of any kind of frame (or a `Dataset`), by whatever made them.
        real: the rows that were learned from.
        held_out: real rows that were not; None: half of the real rows stand for them, and what drawn rows tell of the rows
            learned from is not measured.
        target: a column, or several, that are predicted from the others; None: the first eight with at most 20 categories.
        sensitive: columns that an attacker wants to guess; None: each of the first 20.
        kinds: what columns are, by name, as in `DependencyNetwork`, where it is not what the real rows look like.
        weights: the name of the column of survey weights in the real tables: of these, rows are kept in proportion to them.
        variables: what columns are, as a model knows it.
        rng: the generator of what is taken at random; None: the same each time.

    Returns:
        A `Quality`; print it, or make a page of it with `depnet.pictures.quality_report`.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> found = depnet.quality(people, people)
    >>> found["column shapes"].drawn > 0.95, found["detection"].drawn < 0.6
    (True, True)
    """
    rng = generator(np.random.default_rng(STEADY_SEED) if rng is None else rng)
    sides = {"drawn": drawn, "real": real} | ({} if held_out is None else {"fresh": held_out})
    tables = read_tables([*sides.values()], (MOST_FRESH, MOST, MOST_FRESH), rng, variables, kinds, weights)
    made, learned, *rest = tables.rows  # in an order of chance
    if not rest and len(learned) < 2:
        raise DataError("quality: one real row says nothing of others. Give more rows, or held_out=.")
    half = len(learned) // 2
    fresh, learned = (rest[0], learned) if rest else (learned[:half][:MOST_FRESH], learned[half:])
    count, names = min(len(made), len(fresh)), tables.names
    shuffled = np.column_stack([rng.permutation(column) for column in learned.T])
    three = [made[:count], fresh[:count], shuffled[:count]]
    each = {**_by_column(tables, learned, three), "column pair trends": _by_pair(tables, learned, three, rng)}
    if rest:
        asked = _places(names, "sensitive", sensitive, range(len(names)))[:MOST_ASKED]
        each |= _closeness(tables, learned, three)
        each["disclosure"] = _disclosure(tables, learned, three, asked)
    three[1] = learned[:count]  # from here on fresh rows are what is told from these, and predicted
    aucs = [boosters.auc(fresh[:count], some, tables.numeric) for some in three]
    each["detection"] = {"": Beside(*aucs)}
    for i in _places(names, "target", target, _predictable(tables, learned)):
        taught = Beside(*(boosters.taught(some, fresh[:count], tables.numeric, i) for some in three))
        each.setdefault("variance explained" if tables.numeric[i] else "accuracy", {})[names[i]] = taught
    shares = [np.isnan(some).mean(axis=0).tolist() for some in (learned, made[:count], fresh[:count])]
    holes = {name: tuple(of) for name, *of in zip(names, *shares, strict=True) if any(of)}
    numbers = tuple(itertools.compress(names, tables.numeric))
    notes = tuple(_notes(tables, min(count, len(learned)), bool(rest)))
    return Quality(each, holes, count, len(learned), numbers, tables.left_out, notes)


def quality_of(
    law: AnyNetwork,
    real: Any,
    held_out: Any = None,
    *,
    rng: np.random.Generator,
    weights: str | None = None,
    **options: Any,
) -> Quality:
    """`quality` of rows drawn from a law; `real` are those that it was learned from, and `options` those of `quality`."""
    if law.surveyed and weights is None and not isinstance(real, Holed):
        said = "the model was learned with weights, and the real rows count alike (weights=)."
        warnings.warn(said, UserWarning, stacklevel=outside())
    domain, rows = law.domain, min(MOST_FRESH, open_table(real if held_out is None else held_out).rows)
    drawn = sample(law, max(rows, 1), rng=rng)
    hidden = draw_holes(law, Evidence.parse(domain, None), drawn.rows, rng)
    how: Any = {"rng": rng, "within": law.within, "numbers": drawn.values}
    made = decode(drawn.codes, domain, Layout.of(domain, "dicts"), hidden=hidden, **how)
    variables = dict(zip(domain.names, domain.variables, strict=True))
    return quality(made, real, held_out, weights=weights, variables=variables, rng=rng, **options)


Figures = dict[Any, Beside]


def _by_column(tables: Tables, learned: FloatArray, three: Sequence[FloatArray]) -> dict[str, Figures]:
    found: dict[str, Figures] = {}
    for i, name in enumerate(tables.names):
        of_number = resemblance.ks_complement, "range coverage", resemblance.range_coverage
        of_category = resemblance.tv_complement, "category coverage", resemblance.category_coverage
        shape, coverage, covered = of_number if tables.numeric[i] else of_category
        for measure, of in (("column shapes", shape), (coverage, covered)):
            figures = Beside(*(of(learned[:, i], some[:, i]) for some in three))
            found.setdefault(measure, {})[name] = figures
    if any(np.isnan(some).any() for some in (learned, *three)):
        real, *others = (np.isnan(some).mean(axis=0) for some in (learned, *three))
        alike = zip(tables.names, *(1 - np.abs(real - other) for other in others), strict=True)
        found["missing values"] = {name: Beside(*map(float, of)) for name, *of in alike}
    return found


def _by_pair(
    tables: Tables, learned: FloatArray, three: Sequence[FloatArray], rng: np.random.Generator
) -> Figures:
    states = [_states(tables, some, learned) for some in (learned, *three)]
    found, pairs = {}, [*itertools.combinations(range(len(tables.names)), 2)]
    for k in np.sort(rng.permutation(len(pairs))[:MOST_PAIRS]):
        pair = [*pairs[k]]
        both = bool(tables.numeric[pair].all())
        like = resemblance.correlation_similarity if both else resemblance.contingency_similarity
        real, *others = (some[:, pair] for some in ((learned, *three) if both else states))
        found[tables.names[pair[0]], tables.names[pair[1]]] = Beside(*(like(real, some) for some in others))
    return found


def _states(tables: Tables, rows: FloatArray, real: FloatArray, *, right: bool = False) -> Any:
    columns = zip(rows.T, real.T, tables.numeric, strict=True)
    return np.column_stack([resemblance.states_of(*column, right=right) for column in columns])


def _closeness(tables: Tables, learned: FloatArray, three: Sequence[FloatArray]) -> dict[str, Figures]:
    """What distances to the closest row learned from say."""
    apart = [closest(some[:NEAREST], learned, tables.numeric) for some in three]
    rows = min(len(learned), len(three[1]))
    some = [closest(three[0][:NEAREST], side[:rows], tables.numeric) for side in (learned, three[1])]
    figures = {
        "distance to closest record": [float(np.median(each)) for each in apart],
        "nearer than real rows": [nearer(each, apart[1]) for each in apart],
        "closer to learned than to fresh": [float((some[0] < some[1]).mean()), np.nan, np.nan],
        "copies": [float((each == 0).mean()) for each in apart],
    }
    return {measure: {"": Beside(*of)} for measure, of in figures.items()}


def _disclosure(
    tables: Tables, learned: FloatArray, three: Sequence[FloatArray], asked: list[int]
) -> Figures:
    rows, *known = (_states(tables, some, learned, right=True) for some in (learned, *three))
    rates = [guessed(rows[:ATTACKED], some[:KNOWN], asked) for some in known]
    return {tables.names[i]: Beside(*map(float, of)) for i, *of in zip(asked, *rates, strict=True)}


def _places(
    names: Sequence[str], who: str, asked: str | Iterable[str] | None, usual: Iterable[int]
) -> list[int]:
    """The places of the columns that are asked for."""
    wanted = [asked] if isinstance(asked, str) else [*(asked or ())]
    for name in wanted:
        if name not in names:
            raise DataError(f"{who}: there is no column {name!r}. {nearest(name, names)}")
    return [*usual] if asked is None else [names.index(name) for name in wanted]


def _predictable(tables: Tables, learned: FloatArray) -> list[int]:
    """The first columns that can be predicted in a short time."""
    sizes = [len(np.unique(column[~np.isnan(column)])) for column in learned.T]
    few = [
        number or size <= boosters.MOST_CLASSES for number, size in zip(tables.numeric, sizes, strict=True)
    ]
    found = [i for i, size in enumerate(sizes) if size > 1 and few[i]]
    return found[:MOST_TAUGHT] if len(sizes) > 1 else []


def _notes(tables: Tables, count: int, held_out: bool) -> Iterable[str]:
    """What a reader has to know of the figures."""
    if not held_out:
        yield (
            "No rows were held out: half of the real rows stand for fresh ones, and what drawn rows tell of the rows "
            "learned from is not measured."
        )
    if count < FEW:
        yield f"Only {plural(count, 'row')} on a side: figures vary much by chance; look at those of fresh rows."
    if tables.left_out:
        yield f"Not compared, since one side lacks them: {some_of(tables.left_out)}."
