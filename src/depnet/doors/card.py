"""The model card: what a model was learned from, how good it is, what it cannot do and what it reveals, in Markdown."""

from depnet.doors.sql import describe_columns
from depnet.fitting.summary import count_rows, law_nearness, plain_figures
from depnet.learning.links import links
from depnet.model.model import Model
from depnet.wording import plural

MOST_LINKS = 10
FEW_ROWS = 5
"""A value that fewer rows have may tell who they are."""

CANNOT = (
    "It says what goes together, not what causes what: an answer is what such rows look like, not what a change would do.",
    "It knows the rows that it was learned from. Of other people, places or times it says what those rows say.",
    "Rows are taken for independent of each other: it knows nothing of sequences, or of several rows of one person.",
    "A number beyond those of the table counts as the first or the last range of them.",
    "Columns that are not listed here were not learned from, and it knows nothing of them.",
)


def model_card(model: Model, name: str = "model") -> str:
    """The card of a model that is called `name`.

    >>> from depnet import learn, titanic
    >>> print(model_card(Model(learn(titanic(), order="auto")), "titanic").splitlines()[0])
    # Model card: titanic
    """
    rows, found = count_rows(model.network), links(model.network)
    learned = "an unknown number of rows" if rows is None else plural(rows, "row")
    if model.network.surveyed:
        learned = f"rows that count as {rows:,} by their weights"
    size = f"{plural(len(model.domain), 'column')}, {plural(len(found), 'link')} between them"
    near = None if model.law is None else law_nearness(model.law)
    figures = [line[0].upper() + line[1:] + "." for line in plain_figures(model.law, near)]
    unknown = ["Nothing was measured when it was learned. Compare it with rows of yours: `depnet compare`."]
    parts = [
        f"# Model card: {_escape(name)}",
        f"A depnet model of {learned}: {size}. It says what is likely, fills holes, draws new rows and finds odd ones.",
        "## What it was learned from",
        _table(
            ["column", "kind", "values", "from", "to", "missing"],
            [
                [c["name"], c["kind"], c["states"], c["least"], c["greatest"], _share(c["missing"])]
                for c in describe_columns(model)
            ],
        ),
        "## How good it is",
        *(figures or unknown),
        "Which column says something of which, the strongest first (in bits a row):",
        _table(
            ["from", "to", "strength"],
            [[x.source, x.target, f"{x.strength:.3f}"] for x in found[:MOST_LINKS]],
        ),
        "## What it cannot do",
        "\n".join(f"- {sentence}" for sentence in CANNOT),
        "## What it reveals",
        "\n".join(f"- {sentence}" for sentence in _reveals(model)),
    ]
    return "\n\n".join(parts) + "\n"


def _reveals(model: Model) -> list[str]:
    counts = model.counts
    said = ["The model file holds no rows. It holds every value listed above by name, and counts of rows."]
    if counts is None:
        return [
            *said,
            "Counts of single values are not kept, so it is not known here how rare its values are.",
        ]
    rare = sum(int(((own > 0) & (own < FEW_ROWS)).sum()) for own in counts.singles)
    if rare:
        few = f"{plural(rare, 'value')} of its columns came up in fewer than {FEW_ROWS} rows"
        said.append(f"{few}: who knows such a row may find it in answers and in drawn rows.")
    else:
        said.append(f"Every value came up in {FEW_ROWS} rows or more; combinations of values may be rarer.")
    if counts.pairs is not None:
        said.append("How often two values come together is kept, too, for every pair of columns.")
    return [
        *said,
        "Drawn rows are new, but may repeat a row of the table by chance, and rare ones more tellingly.",
    ]


def _share(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %" if share else "none"


def _table(head: list[str], rows: list[list[object]]) -> str:
    if not rows:
        return "There are none."
    lines: list[list[object]] = [[*head], ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(_escape("" if x is None else str(x)) for x in line) + " |" for line in lines
    )


def _escape(text: str) -> str:
    """A name that breaks no table, and is no link or markup."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "|[]<>`*_#\\" else sign for sign in flat)
