"""Every way of counting and every instruction set grows the same network.

Tables too large for the brute-force twin: rows with the weight 1 are counted one variable at a time, rows
without weights in bits, as masks and as lists; tests/learning compares both with the twin on small tables.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Aic, Dataset, Mdl, Network, StructuralMdl, learn
from tests.isas import AVAILABLE
from tests.strategies import seeds


def related_table(rng: np.random.Generator, rows: int, cards: list[int]) -> np.ndarray:
    """Columns that depend on one or two earlier ones."""
    codes = np.zeros((rows, len(cards)), dtype=np.int64)
    for i, k in enumerate(cards):
        seen = codes[:, rng.integers(0, i, 2)].sum(axis=1) if i else 0
        noise = rng.choice(k, size=rows, p=rng.dirichlet(np.full(k, 0.4)))
        codes[:, i] = (seen + noise) % k
    return codes


SHAPES = {
    "binary, one word a row": (3000, [2] * 12),
    "binary, two words a row": (1500, [2] * 70),
    "four words a row": (700, [2] * 50 + [4] * 30),
    "whole vectors a row": (250, [2] * 2 + [9] * 40),
    "mixed": (3000, [2, 3, 5, 2, 20, 7, 2, 1, 12, 4]),
    "mixed, many bits": (600, [20] * 15 + [2] * 10),
    "a vector and a word a row": (1500, [2] * 12 + [20] * 29),
    "a vector and four words a row": (900, [2] * 12 + [17] * 45),
    "several chunks of rows": (20_000, [5] * 4 + [20] * 28),
    "many states": (2000, [2, 40, 3, 300, 2, 5]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("isa", AVAILABLE)
def test_bits_count_what_single_variables_count(
    shape: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPNET_ISA", isa)
    rows, cards = SHAPES[shape]
    codes = related_table(np.random.default_rng(3), rows, cards)
    in_bits = learn(Dataset.from_codes(codes, cards), penalty=0.7 * Mdl())
    one_by_one = learn(
        Dataset.from_codes(codes, cards, weights=np.ones(rows, dtype=int)), penalty=0.7 * Mdl()
    )
    assert in_bits == one_by_one
    assert max(node.source.size for node in in_bits.nodes) > 3, "something was learned"


@settings(max_examples=15)
@given(seeds, st.integers(200, 3000), st.sampled_from([Mdl(), Aic(), StructuralMdl(0.5, 0.5)]))
def test_instruction_sets_agree(seed: int, rows: int, penalty: Mdl | Aic | StructuralMdl) -> None:
    rng = np.random.default_rng(seed)
    cards = [int(k) for k in rng.choice([1, 2, 2, 2, 3, 4, 9], size=int(rng.integers(2, 14)))]
    dataset = Dataset.from_codes(related_table(rng, rows, cards), cards)
    networks: list[Network] = []
    with pytest.MonkeyPatch.context() as patch:
        for isa in AVAILABLE:
            patch.setenv("DEPNET_ISA", isa)
            networks += [learn(dataset, penalty=penalty), learn(dataset, penalty=penalty, min_leaf_rows=5)]
    assert networks[0::2] == networks[:1] * len(AVAILABLE)
    assert networks[1::2] == networks[1:2] * len(AVAILABLE)


def test_an_unknown_instruction_set_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPNET_ISA", "mmx")
    with pytest.raises(ValueError, match="DEPNET_ISA is avx512, avx2 or portable; got mmx"):
        learn(Dataset.from_codes([[0, 1]], [2, 2]))


def test_the_portable_kernels_are_always_there() -> None:
    assert "portable" in AVAILABLE


@pytest.mark.long
@given(seeds, st.integers(1, 40_000))
def test_large_tables(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    cards = [int(k) for k in rng.choice([2, 2, 2, 3, 10], size=int(rng.integers(2, 30)))]
    codes = related_table(rng, rows, cards)
    weighted = Dataset.from_codes(codes, cards, weights=np.ones(rows, dtype=int))
    assert learn(Dataset.from_codes(codes, cards)) == learn(weighted)
