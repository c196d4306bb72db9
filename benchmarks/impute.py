"""`python -m benchmarks impute`: 20 % of a table's cells hidden, and filled by depnet, its peers and the mode.

Every tool fits the table with its holes and fills them, in a process of its own with one thread (benchmarks/_imputers.py
says how each is used). Of hidden categories: accuracy and log-loss (nats); of hidden numbers: the interval score of 90 %
intervals (width, plus 20 times what the truth lies outside; lower is better) and the root mean square error, both in the
column's standard deviations; CPU seconds. To reach: a mean accuracy within 1 % of the best of the others, and a tenth of
the fastest peer's time.

Tables are cut to 1,000 rows and 20 columns at random (the class of a table of scikit-learn's stays), so that the peers
end: on all columns of bbc IterativeImputer fits ten thousand boosted models. `--columns 2000` takes them all. Tables of
fewer than 200 rows have few classes to hide: the figures are means over `--repeats` of them.
"""

import argparse
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from benchmarks._imputers import NUMBER, TOOLS, Failed, Filled, Over, Table, run
from benchmarks._tables import add_data, debd
from depnet.arrays import FloatArray

BINARY = ("nltcs", "msnbc", "plants", "tretail", "dna", "kosarek", "bbc")
BUNDLED = ("iris", "wine", "breast_cancer", "digits", "diabetes")
PEERS = ("IterativeImputer", "miceforest", "missForest")
HIDDEN = 0.2
FEW_ROWS = 200
MISSED = 20.0
"""2 / (1 - 0.9): what an interval score pays for a unit outside."""


@dataclass(frozen=True)
class Score:
    """Of one tool on one table; nan where it does not apply."""

    accuracy: float
    log_loss: float
    interval: float
    error: float
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


def table_of(name: str, folder: Path, rows: int, columns: int, rng: np.random.Generator) -> Table | None:
    if name in BUNDLED:
        table = bundled(name)
    elif (folder / f"{name}.train.data.gz").exists():
        codes = debd(folder, name).codes
        table = Table(codes.astype(float), (2,) * codes.shape[1])
    else:
        return None
    chosen = rng.permutation(len(table.values))[:rows]
    kept = table.values[chosen]
    varied = [i for i in range(kept.shape[1]) if len(np.unique(kept[:, i])) > 1]
    if len(varied) > columns:
        last = varied[-1]  # the class, where there is one
        varied = [*sorted(rng.choice(varied[:-1], columns - 1, replace=False).tolist()), last]
    return Table(kept[:, varied], tuple(table.states[i] for i in varied))


def hide(table: Table, rng: np.random.Generator) -> Table:
    """Cells hidden at random; every column keeps two different values at least, so that there is something to learn."""
    holed = np.where(rng.random(table.values.shape) < HIDDEN, np.nan, table.values)
    for i in range(holed.shape[1]):
        if len(np.unique(holed[~np.isnan(holed[:, i]), i])) < 2:
            holed[:, i] = table.values[:, i]
    return Table(holed, table.states)


def score(table: Table, holed: Table, filled: Filled) -> Score:
    right: list[FloatArray] = []
    losses: list[FloatArray] = []
    intervals: list[FloatArray] = []
    errors: list[FloatArray] = []
    has_laws = True
    for i, k in enumerate(table.states):
        truth = table.values[np.isnan(holed.values[:, i]), i]
        if not len(truth):
            continue
        if k == NUMBER:
            spread = table.values[:, i].std()
            low, high = filled.intervals[i].T
            outside = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
            intervals.append((high - low + MISSED * outside) / spread)
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
        mean(intervals),
        np.sqrt(mean(errors)),
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
    numbers = [
        f"accuracy {found.accuracy:.4f}" if found.accuracy == found.accuracy else "",
        f"log-loss {found.log_loss:.4f}" if found.log_loss == found.log_loss else "",
        f"interval score {found.interval:.3f}" if found.interval == found.interval else "",
        f"error {found.error:.3f}" if found.error == found.error else "",
    ]
    return f"  {tool:18} {found.seconds:9.2f} s  " + "  ".join(f"{text:21}" for text in numbers).rstrip()


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks impute", description=__doc__)
    add_data(parser)
    parser.add_argument("--tables", nargs="*", default=[*BINARY, *BUNDLED])
    parser.add_argument("--tools", nargs="*", default=list(TOOLS))
    parser.add_argument("--rows", type=int, default=1000, help="rows of a table, at most, chosen at random")
    parser.add_argument(
        "--columns", type=int, default=20, help="columns of a table, at most, chosen at random"
    )
    parser.add_argument("--limit", type=float, default=90.0, help="CPU seconds for a peer on a table")
    parser.add_argument("--repeats", type=int, default=5, help="how often small tables have cells hidden")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    accuracies: dict[str, dict[str, float]] = {}
    ratios: dict[str, tuple[float, bool]] = {}
    scores: dict[str, dict[str, Score]] = {}
    for name in options.tables:
        cases: list[tuple[Table, Table]] = []
        while len(cases) < 1 or (len(cases) < options.repeats and len(cases[0][0].values) < FEW_ROWS):
            rng = np.random.default_rng(options.seed + len(cases))
            table = table_of(name, options.data / "debd", options.rows, options.columns, rng)
            if table is None:
                break
            cases.append((table, hide(table, rng)))
        if not cases:
            print(f"{name}: not in {options.data / 'debd'}, left out")
            continue
        rows, columns = cases[0][0].values.shape
        holes = sum(int(np.isnan(holed.values).sum()) for _, holed in cases)
        print(f"{name}: {rows:,} x {columns}, {holes:,} holes in {len(cases)} tables", flush=True)
        found: dict[str, Score | Over | Failed] = {}
        for tool in options.tools:
            found[tool] = over_cases(
                tool, cases, 10 * options.limit if tool.startswith("depnet") else options.limit
            )
            print(shown(tool, found[tool]), flush=True)
        accuracies[name] = {
            tool: result.accuracy
            for tool, result in found.items()
            if isinstance(result, Score) and result.accuracy == result.accuracy
        }
        scores[name] = {tool: each for tool, each in found.items() if isinstance(each, Score)}
        ours = found.get("depnet")
        peers = [
            (result.seconds, isinstance(result, Over))
            for tool, result in found.items()
            if tool in PEERS and not isinstance(result, Failed)
        ]
        if isinstance(ours, Score) and peers:
            fastest = min(peers)
            ratios[name] = (fastest[0] / ours.seconds, fastest[1])
    verdicts(accuracies, ratios)
    beside(scores)
    return 0


def verdicts(accuracies: dict[str, dict[str, float]], ratios: dict[str, tuple[float, bool]]) -> None:
    """The two goals, with every table that did not reach one named."""
    print()
    for other in (*PEERS, "mode"):
        both = [(a["depnet"], a[other]) for a in accuracies.values() if "depnet" in a and other in a]
        if both:
            ours, theirs = np.mean(both, axis=0)
            verdict = "reached" if ours >= 0.99 * theirs else "MISSED"
            print(
                f"mean accuracy on {len(both)} tables: depnet {ours:.4f}, {other} {theirs:.4f} (within 1 %) {verdict}"
            )
    for name, (ratio, over) in ratios.items():
        verdict = "reached" if ratio >= 10 else "UNDECIDED" if over else "MISSED"
        print(
            f"{name}: the fastest peer took {'>=' if over else ''}{ratio:.1f} times as long (>= 10) {verdict}"
        )


def beside(scores: dict[str, dict[str, Score]]) -> None:
    """Means of every tool over the tables on which all that are judged ended, and the boosted model against the default."""
    tools = [tool for tool in TOOLS if any(tool in each for each in scores.values())]
    ended = [each for each in scores.values() if all(tool in each for tool in tools)]
    print(f"means over the {len(ended)} tables on which every tool ended, and CPU seconds in all:")
    for tool in tools:
        figures = np.array([astuple(each[tool]) for each in ended]).reshape(-1, 5)
        known = [column[~np.isnan(column)] for column in figures.T]
        means = [float(column.mean()) if len(column) else np.nan for column in known]
        print(shown(tool, Score(*[*means[:4], float(figures[:, 4].sum())])))
