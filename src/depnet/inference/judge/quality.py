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
from depnet.model.network import Network
from depnet.sampling import sample
from depnet.wording import nearest, plural, some_of

MOST, MOST_FRESH = 20_000, 10_000
"""Real rows, and rows of each kind beside them."""
MOST_PAIRS = 2_000
NEAREST, ATTACKED, KNOWN = 1_000, 500, 2_000
"""Rows whose closest one is looked for, rows that are attacked, and rows that an attacker has."""
MOST_ASKED, MOST_TAUGHT = 20, 8
"""Columns that an attacker asks for, and that are predicted, where none is named: the first ones."""
FEW = 100
FRESH, SHUFFLED = "fresh real rows", "shuffled columns"


class Beside(NamedTuple):
    """A figure of drawn rows, and the same of fresh real rows and of shuffled columns; nan: it is not known."""

    drawn: float
    fresh: float
    shuffled: float


SHAPES, PAIRS, RANGES = "column shapes", "column pair trends", "range coverage"
CATEGORIES, HOLES, DETECTION = "category coverage", "missing values", "detection"
DISTANCE, NEARER, COPIES = "distance to closest record", "nearer than real rows", "copies"
OVERFIT, GUESSED, HITS, EXPLAINED = (
    "closer to learned than to fresh",
    "disclosure",
    "accuracy",
    "variance explained",
)

MEANINGS = {
    SHAPES: "how like the real ones single columns are; 1 is the same (KS and TV complement)",
    PAIRS: "the same of pairs of columns (correlation and contingency similarity)",
    RANGES: "the share of each number's real range that is covered",
    CATEGORIES: "the share of each column's real categories that occur",
    HOLES: "how like the real ones the shares of holes are; 1 is the same",
    DETECTION: "how often a detector picks the right one of a real and another row; 0.5 is guessing (AUC)",
    DISTANCE: "to the closest row learned from, median: the mean over columns of how far cells are apart, 0 to 1",
    NEARER: "how often a row is nearer to those learned from than a fresh real one; 0.5 is as near",
    OVERFIT: "the share of rows that are closer to one learned from than to any of as many fresh ones",
    COPIES: "the share of rows that equal one learned from",
    GUESSED: "how often an attacker who knows all but one cell of a row learned from guesses it by these rows",
    HITS: "how often boosting taught on these rows predicts a category of fresh rows",
    EXPLAINED: "the share of a number's variance that it predicts (R squared)",
}


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
    holes: Mapping[str, Beside]
    rows: int
    real_rows: int
    numbers: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]

    def __getitem__(self, measure: str) -> Beside:
        if measure not in MEANINGS:
            raise DataError(f"there is no measure {measure!r}. {nearest(measure, MEANINGS)}")
        figures = np.array([*self.each.get(measure, {}).values()]).reshape(-1, 3)
        known = ~np.isnan(figures)
        sums, counts = np.where(known, figures, 0).sum(axis=0), known.sum(axis=0)
        return Beside(*np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).tolist())

    @property
    def measures(self) -> tuple[str, ...]:
        """Those that are known of drawn rows."""
        return tuple(name for name in MEANINGS if not np.isnan(self[name].drawn))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in plain words."""
        said = [_sentence(name, self[name]) for name in SENTENCES if name in self.measures]
        more = {name: of.drawn - of.fresh for name, of in self.each.get(GUESSED, {}).items()}
        if more and max(more.values()) > 3 * math.sqrt(
            0.5 / min(ATTACKED, self.real_rows)
        ):  # standard errors
            worst = max(more, key=lambda name: more[name])
            said.append(
                f"What drawn rows give away most is {worst}: {100 * more[worst]:.1f} more cases in 100."
            )
        return (*said, *self.notes)

    def __str__(self) -> str:
        lines = [f"{name:32}{_shown(self[name])}" for name in self.measures]
        return "\n".join([*self.sentences, f"{'':32}   drawn   fresh  shuffled", *lines])

    def _repr_html_(self) -> str:
        """For notebooks: the sentences, and a table of all measures."""
        rows = [[name, *(f"{figure:.3f}" for figure in self[name])] for name in self.measures]
        heads = ["", "drawn rows", FRESH, SHUFFLED]
        return notebook.card(
            "Quality of drawn rows", *map(notebook.line, self.sentences), notebook.table(heads, rows)
        )


def _shown(beside: Beside) -> str:
    return "  ".join("     –" if np.isnan(figure) else f"{figure:6.3f}" for figure in beside)


SENTENCES = {
    SHAPES: "Single columns are like the real ones to {:.1f} %{}.",
    PAIRS: "Pairs of columns are like the real ones to {:.1f} %{}.",
    DETECTION: "Shown a drawn and a real row, a detector picks the drawn one in {:.0f} of 100 cases; 50 is guessing{}.",
    NEARER: "A drawn row is nearer to those learned from than a fresh real row in {:.0f} of 100 cases; 50 is as near{}.",
    COPIES: "{:.1f} of 100 drawn rows equal a row learned from{}.",
    GUESSED: "Who knows all but one cell of a row learned from guesses it by drawn rows in {:.1f} of 100 cases{}.",
    RANGES: "Drawn rows cover {:.1f} % of the range of numbers{}.",
    CATEGORIES: "Drawn rows have {:.1f} % of the categories{}.",
    HOLES: "Shares of missing values are like the real ones to {:.1f} %{}.",
    HITS: "Taught by drawn rows, a predictor of categories is right in {:.1f} of 100 fresh cases{}.",
    EXPLAINED: "Taught by drawn rows, a predictor of numbers explains {:.1f} % of their variance{}.",
}


def _sentence(name: str, beside: Beside) -> str:
    others = zip(("real rows" if name in (HITS, EXPLAINED) else FRESH, SHUFFLED), beside[1:], strict=True)
    digits = 0 if "{:.0f}" in SENTENCES[name] else 1
    more = [f"{who}: {max(100 * of, 0.0):.{digits}f}" for who, of in others if not np.isnan(of)]
    return SENTENCES[name].format(max(100 * beside.drawn, 0.0), f" ({', '.join(more)})" if more else "")


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
    sides = [drawn, real] if held_out is None else [drawn, real, held_out]
    most = [MOST_FRESH, MOST, MOST_FRESH][: len(sides)]
    tables = read_tables(sides, most, rng, variables=variables, kinds=kinds, weights=weights)
    made, learned, *rest = tables.rows  # in an order of chance
    if rest:
        fresh = rest[0]
    elif len(learned) > 1:
        fresh, learned = learned[: len(learned) // 2][:MOST_FRESH], learned[len(learned) // 2 :]
    else:
        raise DataError("quality: one real row says nothing of others. Give more rows, or held_out=.")
    count = min(len(made), len(fresh))
    shuffled = np.column_stack([rng.permutation(column) for column in learned.T])
    three = [some[:count] for some in (made, fresh, shuffled)]
    again = learned[:count]
    each = {**_by_column(tables, learned, three), PAIRS: _by_pair(tables, learned, three, rng)}
    others = (three[0], again, three[2])
    aucs = (boosters.auc(three[1], some, tables.numeric) for some in others)
    each[DETECTION] = {"": Beside(*aucs)}
    if rest:
        asked = _columns_of(tables, "sensitive", sensitive, range(len(tables.names)))[:MOST_ASKED]
        each |= _closeness(tables, learned, three)
        each[GUESSED] = _disclosure(tables, learned, three, asked)
    for i in _columns_of(tables, "target", target, _predictable(tables, learned)):
        figures = (boosters.taught(some, three[1], tables.numeric, i) for some in others)
        each.setdefault(EXPLAINED if tables.numeric[i] else HITS, {})[tables.names[i]] = Beside(*figures)
    shares = [np.isnan(some).mean(axis=0) for some in (learned, *three[:2])]
    holes = {
        name: Beside(*map(float, of)) for name, *of in zip(tables.names, *shares, strict=True) if any(of)
    }
    numbers = tuple(itertools.compress(tables.names, tables.numeric))
    notes = tuple(_notes(tables, min(count, len(learned)), bool(rest)))
    return Quality(each, holes, count, len(learned), numbers, tables.left_out, notes)


def quality_of(
    law: Network,
    real: Any,
    held_out: Any = None,
    *,
    rng: np.random.Generator,
    weights: str | None = None,
    **options: Any,
) -> Quality:
    """`quality` of rows drawn from a law; `real` are those that it was learned from, and `options` those of `quality`."""
    sides = [open_table(each) for each in (real, held_out) if each is not None]
    if law.surveyed and weights is None and not isinstance(real, Holed):
        said = "the model was learned with weights, and the real rows count alike (weights=)."
        warnings.warn(said, UserWarning, stacklevel=outside())
    rows, domain = min(MOST_FRESH, max(sides[-1].rows, 1)), law.domain
    drawn = sample(law, rows, rng=rng)
    made = decode(
        drawn.codes,
        domain,
        Layout.of(domain, "dicts"),
        rng=rng,
        within=law.within if law.order is not None else None,
        hidden=draw_holes(law, Evidence.parse(domain, None), rows, rng),
        numbers=drawn.values,
    )
    variables = dict(zip(domain.names, domain.variables, strict=True))
    return quality(made, real, held_out, weights=weights, variables=variables, rng=rng, **options)


def _by_column(
    tables: Tables, learned: FloatArray, three: Sequence[FloatArray]
) -> dict[str, dict[Any, Beside]]:
    found: dict[str, dict[Any, Beside]] = {}
    for i, name in enumerate(tables.names):
        number = tables.numeric[i]
        measures = {
            SHAPES: resemblance.ks_complement if number else resemblance.tv_complement,
            RANGES if number else CATEGORIES: resemblance.range_coverage
            if number
            else resemblance.category_coverage,
            HOLES: resemblance.missing_similarity,
        }
        for measure, of in measures.items():
            figures = Beside(*(of(learned[:, i], some[:, i]) for some in three))
            found.setdefault(measure, {})[name] = figures
    if not any(np.isnan(some).any() for some in (learned, *three)):
        del found[HOLES]
    return found


def _by_pair(
    tables: Tables, learned: FloatArray, three: Sequence[FloatArray], rng: np.random.Generator
) -> dict[Any, Beside]:
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


def _closeness(
    tables: Tables, learned: FloatArray, three: Sequence[FloatArray]
) -> dict[str, dict[Any, Beside]]:
    """What distances to the closest row learned from say."""
    near = [some[:NEAREST] for some in three]
    apart = [closest(some, learned, tables.numeric) for some in near]
    rows = min(len(learned), len(three[1]))
    sides = (learned[:rows], three[1][:rows])
    to = [[closest(some, side, tables.numeric) for side in sides] for some in (near[0], near[2])]
    over = [float((own < other).mean()) for own, other in to]
    return {
        DISTANCE: {"": Beside(*(float(np.median(each)) for each in apart))},
        NEARER: {"": Beside(*(nearer(each, apart[1]) for each in apart))},
        OVERFIT: {"": Beside(over[0], np.nan, over[1])},
        COPIES: {"": Beside(*(float((each == 0).mean()) for each in apart))},
    }


def _disclosure(
    tables: Tables, learned: FloatArray, three: Sequence[FloatArray], asked: list[int]
) -> dict[Any, Beside]:
    rows, *known = (_states(tables, some, learned, right=True) for some in (learned, *three))
    rates = [guessed(rows[:ATTACKED], some[:KNOWN], asked) for some in known]
    return {tables.names[i]: Beside(*map(float, of)) for i, *of in zip(asked, *rates, strict=True)}


def _columns_of(
    tables: Tables, who: str, names: str | Iterable[str] | None, usual: Iterable[int]
) -> list[int]:
    """The places of the columns that are named."""
    if names is None:
        return [*usual]
    wanted = [names] if isinstance(names, str) else [*names]
    for name in wanted:
        if name not in tables.names:
            raise DataError(f"{who}: there is no column {name!r}. {nearest(name, tables.names)}")
    return [tables.names.index(name) for name in wanted]


def _predictable(tables: Tables, learned: FloatArray) -> list[int]:
    """The first columns that can be predicted in a short time."""
    sizes = [len(np.unique(column[~np.isnan(column)])) for column in learned.T]
    found = [
        i for i, size in enumerate(sizes) if size > 1 and (tables.numeric[i] or size <= boosters.MOST_CLASSES)
    ]
    return found[:MOST_TAUGHT] if len(tables.names) > 1 else []


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
