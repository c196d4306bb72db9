"""`depnet fit`: a model from a table, with --cluster or --memory from Parquet files that are read a chunk at a time."""

import contextlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import (
    JOBS,
    SEED,
    THEORY,
    Option,
    Run,
    choice,
    command,
    flag,
    gather,
    names_in,
    names_of,
    number,
    option,
    output,
    progress,
    this_run,
)
from depnet.cli.files import WHERE, check_output, check_table, save_model, text_options
from depnet.wording import pick, plural, some_of

if TYPE_CHECKING:
    from depnet.cluster.fit import CountedModel
    from depnet.data import Holed
    from depnet.data.table.left_out import LeftOut
    from depnet.fitting.fit import FitOptions, Fitted


def read_new(path: str, options: dict[str, Any]) -> "tuple[Holed, list[LeftOut]]":
    """A table to learn from, and the columns that nothing can be learned from; `options` are those of `depnet.read`."""
    from depnet.data.files.read import read
    from depnet.data.table.left_out import warn_left_out

    left: list[LeftOut] = []
    check_table(path)
    with progress("reading") as tell:
        table = read(path, progress=tell, left_out=left.extend, **this_run().dialect, **options)
    warn_left_out(left)
    return table, left


def _repeatable(name: str, read: Callable[[tuple[str, ...]], Any], metavar: str, text: str) -> Option:
    """An option that may be repeated; `read` turns its texts into one value."""

    def callback(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> Any:
        return read(texts)

    return option(name, text, multiple=True, metavar=metavar, callback=callback)


def _pairs(
    texts: tuple[str, ...], sign: str, cut: Callable[[str, str], Any], how: str
) -> list[tuple[str, str]]:
    """What stands before and after a sign, in each text."""
    pairs = [cut(text, sign) for text in texts]
    for text, pair in zip(texts, pairs, strict=True):
        if not all(pair):
            raise click.BadParameter(f"{text!r}: write {how}.")
    return [(first, second) for first, _, second in pairs]


def roles_of(texts: tuple[str, ...]) -> dict[str, str]:
    how = "NAME=target or NAME=input"
    roles = dict(_pairs(texts, "=", str.rpartition, how))
    for name, role in roles.items():
        if role not in ("target", "input"):
            raise click.BadParameter(f"'{name}={role}': write {how}.")
    return roles


def kinds_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """What `read` takes as kinds: a word, or values in their order, by column."""
    how = "NAME=number, or another kind, or NAME=low,medium,high"
    pairs = _pairs(texts, "=", str.rpartition, how)
    return {name: names_of(kind) if "," in kind else kind for name, kind in pairs}


def bins_of(texts: tuple[str, ...]) -> Any:
    """What `read` takes as bins: one choice for all numeric columns, or one a column."""
    named = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign and len(texts) > 1:
            raise click.BadParameter(f"{text!r} is for all columns: give it alone, or write NAME={value}.")
        if not sign:
            return _bins(value, text)
        named[name] = _bins(value, text)
    return named or "quantile"


def _bins(value: str, text: str) -> Any:
    def edge(part: str) -> Any:
        try:
            return float(part)
        except ValueError:
            return part.strip()  # a date, which the column's own kind reads

    if value in ("quantile", "categories"):
        return value
    if value.isdigit():
        return int(value)
    if "|" in value:
        return [edge(part) for part in value.split("|")]
    raise click.BadParameter(f"{text!r}: bins are a number, edges such as 0|18|65, quantile or categories.")


KINDS = _repeatable(
    "--kind kinds", kinds_of, "NAME=KIND",
    "What the column NAME is: number, category, ordered (or its values in order: low,medium,high), date, time, or skip; may "
    "be repeated.  [default: found in the table]",
)  # fmt: skip

new_table_options = gather(
    "chosen",
    choice(
        "--missing", "auto", "complete", "state", "error",
        text="Missing values: fill them in while learning (complete), make them a value of their own (state), or stop with "
        "an error; auto: a value of their own in columns whose gaps other columns predict, else filled in.",
    ),
    _repeatable(
        "--columns", lambda texts: names_in(texts) or None, "A,B,...", "Only these columns; may be repeated.  [default: all]"
    ),
    _repeatable("--without", names_in, "A,B,...", "All columns but these; may be repeated."),
    WHERE,
    _repeatable(
        "--bins", bins_of, "[NAME=]BINS",
        "Bins of numeric columns: how many (quantiles), or edges 0|18|65; for the column NAME, or for all.",
    ),
    KINDS,
    _repeatable("--keep", names_in, "A,B,...", "Also learn from these names, identifiers or row numbers."),
    number("--max-states", 1000, "Most values of a text column; the rarest become one, other.", least=2),
)  # fmt: skip
"""Which table is learned from: the command gets `chosen`, the arguments of `depnet.read`, but that `missing` is a fit's."""

learning_options = gather(
    "learning",
    option("--max-leaves", "At most this many groups of rows in the rules for a column.", type=click.IntRange(min=1)),
    number("--min-leaf-rows", 0, "At least this many rows in each group.", least=0),
    _repeatable(
        "--role roles", roles_of, "NAME=target|input",
        "A column that is only predicted (target), or never predicted (input); may be repeated.",
    ),
    _repeatable(
        "--forbid forbidden", lambda texts: _pairs(texts, ":", str.partition, "SOURCE:TARGET"), "SOURCE:TARGET",
        "TARGET must not be predicted from SOURCE; may be repeated.",
    ),
    option("--max-seconds", "Stop learning after this many seconds; keep what there is.", type=click.FloatRange(min=0)),
)  # fmt: skip
"""What learning may do: the command gets `learning`, the arguments of `depnet.learn`."""


NO_BOUND = "there is no FC-limit and no KL(data || law): they compare rows with each other, and these were only counted"


SECONDS = 10
"""That a scheduler may take to answer."""

NOT_IN_CHUNKS = {
    "--where": "whole files are read. Write the rows that you want to Parquet files of their own.",
    "--text": "the types of Parquet files are taken as they are. Write such columns as text.",
    "--weights": "survey weights are for a table that is read whole.",
}

MOST_COPIES = 5
"""At most this many columns that repeat others are named."""


@command("depnet fit table.csv -o model.json")
@click.argument("table")
@output("The model (.json, .json.gz).", required=True)
@choice(
    "--penalty", "auto", "mdl", "structural-mdl", "aic", "none",
    text="How much complexity costs; auto: chosen with rows held back, as is the smoothing.",
)  # fmt: skip
@number(
    "--smoothing",
    0.5,
    "How many rows are added to every count, so that nothing is impossible; --penalty auto tries multiples of it.",
    least=0,
)
@new_table_options
@learning_options
@option(
    "--order",
    "The order in which columns are predicted, each from those before it.  [default: auto]",
    metavar="auto|A,B,...",
    multiple=True,
)
@flag("--boost", "Predict columns by many small trees, if that helps on rows held back.")
@option(
    "--distil/--no-distil",
    "Let such a model teach the one that answers, if that helps on rows held back.",
    default=True,
)
@option(
    "--mixture",
    "How many joint models answer together, each with another order of the columns; auto: chosen with rows held back. "
    "Answers are nearer to the truth, and learning takes as many times as long.  [default: one model]",
    metavar="auto|N",
    callback=lambda _, __, text: int(text) if text and text.isdigit() else text,
)
@option(
    "--constraint",
    "What drawn rows and filled cells keep, beside what is found, such as 'arrival >= departure' or 'total = net + tax'; "
    "may be repeated.",
    metavar="TEXT",
    multiple=True,
)
@flag("--no-constraints", "Look for nothing in the table that drawn rows are to keep.")
@option("--cluster", "Read Parquet files on a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS")
@option(
    "--memory",
    "Read Parquet files in chunks and use no more memory than this, such as 8GB. From a larger table the structure is "
    "learned from a sample of the rows; then all rows are counted.",
    metavar="SIZE",
)
@THEORY
@SEED
@JOBS
@text_options
def fit(
    run: Run,
    table: str,
    penalty: str,
    smoothing: float,
    chosen: dict[str, Any],
    learning: dict[str, Any],
    order: tuple[str, ...],
    boost: bool,
    distil: bool,
    mixture: int | str | None,
    constraint: tuple[str, ...],
    no_constraints: bool,
    cluster: str | None,
    memory: str | None,
) -> None:
    """Learn a model from a table.

    Text, truth values and whole numbers with few values are taken as they are; other numbers and dates are put in bins.
    Names, identifiers and row numbers are left out (--kind or --keep keeps them). The same table always gives the
    same model.
    """
    from depnet.fitting.fit import FitOptions, Fitted, fit

    if chosen["columns"] and chosen["without"]:
        raise click.UsageError("--columns names what to read, --without what to leave out: give one of them.")
    options = FitOptions(
        penalty=penalty,
        smoothing=smoothing,
        missing=chosen["missing"],
        n_jobs=run.jobs,
        order="auto" if order in ((), ("auto",)) else tuple(names_in(order)),
        boost="auto" if boost else None,
        distil=distil,
        mixture=mixture,  # type: ignore[arg-type]  # checked there
        constraints=(*constraint, *(() if no_constraints else ("auto",))),
        **learning,
    )
    if chosen["missing"] in ("auto", "complete"):
        chosen["missing"] = "keep"
    found: Fitted | CountedModel
    left: Sequence[LeftOut]
    if cluster is not None or memory is not None:
        found, left = fit_from_chunks(table, options, chosen, run, cluster, memory)
    else:
        rows, left = read_new(table, chosen)
        total = options.steps(rows)
        with progress("learning") as tell:
            heard = None if tell is None else lambda done: tell(done, total)
            found = fit(rows, options, run.steady_rng, heard)
    save_model(found, run.place, run.force)
    if run.output == "-" and not run.as_json:
        return
    document, lines = _say(found)
    document["left_out"] = [pick(column, "name", "why") for column in left]
    details = [*document["details"], _size_line(found)] if run.theory else []
    run.answer(document, lines[0], *document["figures"], *lines[1:], *details, f"written: {run.output}")


def _say(found: "Fitted | CountedModel") -> tuple[dict[str, Any], list[str]]:
    """What is said of a fit: as JSON, and the lines around `figures` and `details`, which are among it."""
    from depnet.cli.show import law_document, law_proof, marginals_document, network_proof
    from depnet.data.table.variables import read_as
    from depnet.fitting.fit import Fitted
    from depnet.fitting.summary import exact_figures, law_nearness, plain_figures, sizes
    from depnet.learning.auto import copies_of
    from depnet.learning.certificate import certificate, law_certificate
    from depnet.model.constraints import say_constraints
    from depnet.model.score import score as row_score

    network, law = found.network, found.law
    near, size = law_nearness(law), sizes(network)
    rows = found.dataset.total if isinstance(found, Fitted) else found.rows
    if isinstance(found, Fitted) and found.table.surveyed:
        rows = found.table.rows
    document: dict[str, Any] = {"rows": rows, "variables": len(network.domain), **size}
    document |= {"marginals": marginals_document(near)}
    document |= {"figures": plain_figures(law, near), "details": exact_figures(law)}
    lines = [f"learned from {plural(rows, 'row')} of {plural(len(network.domain), 'column')}"]
    if isinstance(found, Fitted) and found.table.surveyed:
        document["effective_rows"] = found.dataset.total
        lines[0] += f", which count as {found.dataset.total:,} by their weights"
    if not isinstance(found, Fitted):
        from depnet.cluster.fit import entropy, score

        lines[0] += f": the structure from a sample of {found.sample:,} of them, every table from all"
        document["details"].append(NO_BOUND)
        of_network, of_law = ({"score": score(each), "entropy": entropy(each)} for each in (network, law))
        document |= {"sample": found.sample, **of_network, "law": {**law_document(law), **of_law}}
        return document, [*lines, _links_line(size)]
    completion = found.completion
    law_proven, proven = law_certificate(law, found.dataset), certificate(network, found.dataset)
    document["details"] += [each.said for each in (law_proven, proven) if each is not None]
    law_score = row_score(law, found.dataset) if law_proven is None else law_proven.score
    holes, rounds = int(completion.hidden.sum()), len(completion.rounds)
    states = [variable.name for variable in law.domain.variables if variable.missing is not None]
    document |= {
        "score": proven.score,
        **(network_proof(proven) or {}),
        "law": {**law_document(law), "score": law_score, **law_proof(law_proven)},
        "completion": {"holes": holes, "rounds": rounds, "settled": completion.converged, "states": states},
    }
    lines.append(_links_line(size))
    document["read_as"] = read_as(law.domain.variables)
    if document["read_as"]:
        lines.append(
            f"read from text: {', '.join(document['read_as'][:MOST_COPIES])} (--kind NAME=category keeps it as text)"
        )
    document["copies"] = [str(copy) for copy in copies_of(law)]
    if document["copies"]:
        lines.append("; ".join(document["copies"][:MOST_COPIES]))
    document["constraints"] = [str(each) for each in law.constraints]
    lines += say_constraints(law.domain, law.constraints)
    if states:
        lines.append(f"missing is a value of its own in {plural(len(states), 'column')}: {some_of(states)}")
    if holes:
        settled = "" if completion.converged else "; they did NOT settle"
        lines.append(
            f"{plural(holes, 'missing value')} filled in while learning, from the other cells of their rows{settled}"
        )
    return document, lines


def _links_line(size: dict[str, Any]) -> str:
    return f"{plural(size['links'], 'link')} between columns: depnet show lists them"


def _size_line(found: "Fitted | CountedModel") -> str:
    from depnet.fitting.summary import said_of_mixture, size_text, sizes
    from depnet.model.mixture import Mixture

    texts = [f"{plural(s['links'], 'link')}, {size_text(s)}" for s in map(sizes, (found.law, found.network))]
    law = f"law, {said_of_mixture(found.law)}" if isinstance(found.law, Mixture) else "law"
    return f"{law}: {texts[0]}; dependency network: {texts[1]}"


def fit_from_chunks(
    table: str,
    options: "FitOptions",
    chosen: dict[str, Any],
    run: "Run",
    address: str | None,
    memory: str | None,
) -> "tuple[Fitted | CountedModel, tuple[LeftOut, ...]]":
    """The model of `depnet fit`. What workers cannot do, or rows could not be fitted with, is refused before any start."""
    from depnet.cluster.fit import check_options, fit_chunks
    from depnet.cluster.source import files_of
    from depnet.cluster.table import TableRequest, Where
    from depnet.data.table.variables import StateOptions

    refused = {
        "--where": chosen["where"] is not None,
        **{f"--{name}": name in run.dialect for name in ("text", "weights")},
    }
    for name, why in NOT_IN_CHUNKS.items():
        if refused[name]:
            raise click.UsageError(f"{name} does not go with --cluster or --memory: {why}")
    if table == "-":
        raise click.UsageError(
            "--cluster and --memory read Parquet files, not standard input. Write it to a Parquet file first, "
            "or leave --cluster and --memory out."
        )
    check_output(run.output, run.force, files_of(table))
    states = {name: chosen[name] for name in ("bins", "missing", "max_states", "kinds")}
    keep = "all" if chosen["columns"] else chosen["keep"]
    request = TableRequest(table, chosen["columns"], chosen["without"], StateOptions(**states), keep)
    check_options(request, options)
    Where(None, memory)  # whose error is told before any worker starts
    with (
        contextlib.nullcontext() if address is None else connect(address) as client,
        progress("reading") as tell,
    ):
        count = None if tell is None else (lambda done, steps: tell(done, steps, "learning"))
        return fit_chunks(request, options, run.steady_rng, Where(client, memory), count)


@contextlib.contextmanager
def connect(address: str) -> Iterator[Any]:
    try:
        distributed: Any = importlib.import_module("distributed")  # which has no types
    except ImportError:
        raise click.ClickException(
            'a cluster needs Dask: pip install "depnet[cluster]"; then run this again.'
        ) from None
    try:
        client = distributed.Client(address, timeout=SECONDS)
    except (OSError, ValueError) as error:
        raise click.ClickException(
            f"--cluster {address}: no Dask scheduler answers ({error}). Start one with dask scheduler, "
            "and workers with dask worker."
        ) from None
    with client:
        yield client
