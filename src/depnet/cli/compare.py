"""`depnet compare`: two models, or a model and a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, command
from depnet.cli.table_options import UNKNOWN, WHERE, text_options
from depnet.wording import some_of

if TYPE_CHECKING:
    from depnet.inference.compare import Comparison

SHOWN = 20


@command(
    "depnet compare old.json new.json --data test.csv",
    "depnet compare model.json test.csv",
)
@click.argument("model")
@click.argument("other")
@click.option("--data", metavar="TABLE", help="With two models: score both on these rows.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="Rows drawn to stand for a model's law.",
)
@WHERE
@UNKNOWN
@SCAN
@SEED
@JOBS
@text_options
def compare(
    model: str,
    other: str,
    data: str | None,
    rows: int,
    where: str | None,
    unknown: str,
    scan: str,
    seed: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Two models, or a model and a table, side by side.

    How well each predicts the other's rows, which links were gained and lost, and how far 1- and 2-way marginals
    lie apart, beside the distance that chance alone would give.
    """
    from depnet.cli.command import emit, generator, scan_of
    from depnet.cli.files import is_model, load_model
    from depnet.cli.tables import read_complete
    from depnet.inference.compare import compare

    network = load_model(model)
    rng, used = generator(seed)
    options: dict[str, Any] = {"rows": rows, "scan": scan_of(scan), "rng": rng, "n_jobs": jobs}
    if is_model(other):
        table = None if data is None else read_complete(data, network.domain, where=where, unknown=unknown)
        found = compare(network, load_model(other), table, **options)
    elif data is not None:
        raise click.UsageError("--data is for two models; the table to compare with is the second argument.")
    else:
        table = read_complete(other, network.domain, where=where, unknown=unknown)
        found = compare(network, table, **options)
    names = {"first": model, "second": other, "data": data if is_model(other) else other}
    if as_json:
        emit(_document(found, names, used))
    else:
        _show(found, names)


def _document(found: "Comparison", names: dict[str, str | None], seed: int) -> dict[str, Any]:
    near = found.marginals
    worst = {ways: far for ways, _, far, _ in near.by_ways()}
    links = {what: getattr(found, what) for what in ("gained", "lost", "kept")}
    difference = found.difference
    return {
        "first": names["first"],
        "second": names["second"],
        "shared_variables": found.shared,
        "differing_variables": found.differing,
        "scores": [
            {"rows_of": s.rows_of, "by": s.by, "mean": s.mean, "standard_error": s.standard_error}
            for s in found.scores
        ],
        "difference": None
        if difference is None
        else {"mean": difference.mean, "standard_error": difference.standard_error},
        "links": None
        if found.gained is None
        else {what: [{"source": a, "target": b} for a, b in pairs or ()] for what, pairs in links.items()},
        "marginals": {
            "unit": "total variation",
            "per_variable": dict(zip(near.names, near.singles.tolist(), strict=True)),
            "one_way": {"mean": near.one_way, "worst": worst["1-way"]},
            "two_way": {"mean": near.two_way, "worst": worst.get("2-way", float("nan"))},
            "floor": {"one_way": near.floor_one_way, "two_way": near.floor_two_way},
            "rows": near.rows,
        },
        "seed": seed,
    }


def _show(found: "Comparison", names: dict[str, str | None]) -> None:
    from depnet.cli.render import show_lines, show_table

    show_table(
        ["rows of", "scored by", "nats a row", "± s.e."],
        [
            [str(names[s.rows_of]), str(names[s.by]), f"{s.mean:.4f}", f"{s.standard_error:.4f}"]
            for s in found.scores
        ],
        title="pseudo-log-likelihood, the nearer to 0 the better",
        left=2,
    )
    if found.difference is not None:
        d = found.difference
        show_lines(f"second less first on {names['data']}: {d.mean:+.4f} ± {d.standard_error:.4f} nats a row")
    if found.gained is not None and found.lost is not None and found.kept is not None:
        show_lines(f"links: {len(found.kept):,} in both")
        for what, pairs in (("gained", found.gained), ("lost", found.lost)):
            show_lines(f"  {what}: {some_of([f'{a} -> {b}' for a, b in pairs], SHOWN) or 'none'}")
    rows = [
        [ways, f"{mean:.4f}", f"{worst:.4f}", f"{floor:.4f}"]
        for ways, mean, worst, floor in found.marginals.by_ways()
    ]
    show_table(["marginals", "mean", "worst", "by chance"], rows, title="total variation")
    furthest = found.marginals.furthest()
    show_lines("furthest apart: " + ", ".join(f"{name} {far:.4f}" for name, far in furthest))
    if found.differing:
        show_lines(
            f"not compared, since one side lacks them or has other states: {', '.join(found.differing)}"
        )
