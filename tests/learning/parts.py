"""Tables whose rows lie in parts, in this process; and hashes of rows that collide."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from depnet import Dataset, Network
from depnet.learning.choose.auto import learn_rows
from depnet.learning.grow.node_specs import first_specs
from depnet.learning.options import LearnOptions
from depnet.learning.rows.part import Part
from depnet.learning.rows.parts import PartedRows
from depnet.learning.rows.some_rows import some_rows
from depnet.learning.rows.workers import LocalWorkers
from tests.strategies import datasets


@st.composite
def parted(draw: st.DrawFn, max_rows: int = 200) -> tuple[Dataset, list[np.ndarray]]:
    """A table of at least two rows, and the numbers of the rows of each part, some of them empty."""
    dataset = draw(datasets(max_rows=max_rows, weighted=draw(st.booleans())).filter(lambda d: d.total > 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cuts = np.sort(rng.integers(0, dataset.rows + 1, draw(st.integers(0, 5))))
    return dataset, np.split(rng.permutation(dataset.rows), cuts)


def parts_of(dataset: Dataset, rows: list[np.ndarray], options: LearnOptions | None = None) -> PartedRows:
    """The rows of a table in parts, in this process."""
    specs = first_specs(dataset.domain, options or LearnOptions())
    parts = [Part(some_rows(dataset, some), specs, number) for number, some in enumerate(rows)]
    return PartedRows(LocalWorkers(), parts, dataset.domain, specs, dataset.total)


def learn_parts(dataset: Dataset, rows: list[np.ndarray], **options: Any) -> Network:
    asked = LearnOptions(**options)
    return learn_rows(parts_of(dataset, rows, asked), asked)[0]


def weak_words(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Words of few bits instead of 64 for the first three seeds."""
    default_rng = np.random.default_rng

    class Weak:
        def __init__(self, seed: int) -> None:
            self.rng, self.seed = default_rng(seed), seed
            self.shuffle = self.rng.shuffle

        def integers(self, low: int, high: int, size: tuple[int, int], dtype: type) -> np.ndarray:
            words = self.rng.integers(low, high, size=size, dtype=dtype)
            if self.seed < 3:
                words[0] %= 2**bits
            return words

    monkeypatch.setattr("numpy.random.default_rng", Weak)
