"""What `compare` found of two models, or of a model and a table, and how it is shown."""

import math
from dataclasses import dataclass

from depnet.inference.judge.marginals import Nearness
from depnet.notebook import Bar, Cell, beside, card, line, note
from depnet.notebook import table as html_table
from depnet.wording import some_of

SHOWN = 5
"""Links, marginals and names of each kind."""

LinkPair = tuple[str, str]
"""(source, target): the information source of the target's node reads the source."""


@dataclass(frozen=True, slots=True)
class Scored:
    """How well `by` predicts the rows of `rows_of`, each "first", "second" or "data": nats per row."""

    rows_of: str
    by: str
    mean: float
    standard_error: float
    """Of the mean, the rows taken as independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What `compare` found; print it. `gained`, `lost` and `kept` are None where there is only one model.

    Attributes:
        shared: variables with the same states on both sides.
        differing: variables that one side does not have, or has with other states.
        gained: links of the second that the first does not have, between shared variables.
        lost: links of the first that the second does not have.
        kept: links of both.
        scores: how well each model predicts the rows of each side, and those of "data".
        difference: of the rows of "data", the second's score less the first's, paired row by row.
        marginals: how near the rows of both sides are.

    >>> import numpy as np
    >>> from depnet import compare, learn, titanic
    >>> found = compare(learn(titanic(), smoothing=0.5), titanic(), rows=1000, rng=np.random.default_rng(0))
    >>> found.shared, found.gained
    (('class', 'sex', 'age', 'survived'), None)
    >>> round(found.score("data", "first"), 2)  # nats a row, of the table by the model
    -2.07
    """

    shared: tuple[str, ...]
    differing: tuple[str, ...]
    gained: tuple[LinkPair, ...] | None
    lost: tuple[LinkPair, ...] | None
    kept: tuple[LinkPair, ...] | None
    scores: tuple[Scored, ...]
    difference: Scored | None
    marginals: Nearness

    def score(self, rows_of: str, by: str) -> float:
        """The mean score of the rows of one side by one model.

        Args:
            rows_of: "first", "second" or "data".
            by: "first" or "second".

        Returns:
            Nats a row; nan where it was not taken.
        """
        found = [s.mean for s in self.scores if (s.rows_of, s.by) == (rows_of, by)]
        return found[0] if found else math.nan

    def __str__(self) -> str:
        lines = [f"{s.by} on the rows of {s.rows_of}: {s.mean:.4f} nats a row" for s in self.scores]
        if self.difference is not None:
            gain, error = self.difference.mean, self.difference.standard_error
            lines.append(f"second less first on the data: {gain:+.4f} ± {error:.4f}")
        lines += self._links_said()
        if self.differing:
            lines.append(f"not compared: {some_of(self.differing, SHOWN)}")
        lines.append(
            "marginals apart, total variation: "
            + ", ".join(
                f"{ways} {mean:.4f} (by chance {floor:.4f})"
                for ways, mean, _, floor in self.marginals.by_ways()
            )
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: scores, marginals beside what chance gives, and the links that only one of the two has."""
        scores = [[s.by, s.rows_of, f"{s.mean:.4f}", f"{s.standard_error:.4f}"] for s in self.scores]
        if self.difference is not None:
            gain = self.difference
            scores.append(
                ["second less first", gain.rows_of, f"{gain.mean:+.4f}", f"{gain.standard_error:.4f}"]
            )
        apart = [
            [ways, f"{mean:.4f}", f"{worst:.4f}", f"{floor:.4f}"]
            for ways, mean, worst, floor in self.marginals.by_ways()
        ]
        furthest = self.marginals.furthest(SHOWN)
        top = max((distance for _, distance in furthest), default=0.0) or 1.0
        far: list[list[Cell]] = [
            [name, Bar(distance / top), f"{distance:.4f}"] for name, distance in furthest
        ]
        parts = [
            html_table(["score of", "on the rows of", "nats a row", "± s.e."], scores, left=2),
            html_table(["marginals", "apart (mean)", "worst", "by chance"], apart),
            html_table(["furthest apart", "", "total variation"], far),
        ]
        notes = [note(f"not compared: {some_of(self.differing, SHOWN)}")] if self.differing else []
        return card("Comparison", beside(*parts), *map(line, self._links_said()), *notes)

    def _links_said(self) -> list[str]:
        """The links that only one of the two has, a line each way."""
        said = []
        for what, pairs in (("gained", self.gained), ("lost", self.lost)):
            if pairs is not None:
                some = some_of([f"{a} -> {b}" for a, b in pairs], SHOWN)
                said.append(f"links {what}: {len(pairs):,}{f' ({some})' if pairs else ''}")
        return said
