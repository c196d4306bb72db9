"""Model files changed at random: what a fuzzer feeds the reader, and what must hold of all that it takes.

python -m tests.model.file.fuzzing 100000 --seed 1       # so many files, each within time and memory
"""

import argparse
import contextlib
import copy
import gzip
import importlib
import json
import random
import resource
import signal
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from depnet import Domain, Network, Variable
from depnet.data import Layout, decode
from depnet.data.binning.cut import given_bins
from depnet.data.table.columns import ColumnKind, FrameKind
from depnet.errors import ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.file import load_model
from depnet.model.mixture import components_of
from depnet.model.model import Model
from tests.model.file.networks import KINDS, model_of_all_kinds, save

SECONDS = 10
"""A small file that takes longer hangs."""

KINDS_OF_FRAMES = get_args(FrameKind)

NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e308, 1e-320, 2**31, 2**53, 2**63, 2**64, 10**30, "", "a", "split",
    "\x00", "\ud800", [], [[]], [0], {}, {"kind": "constant"}, {"kind": "lossless", "inputs": []}, [["merge", 0, 1]],
    [[1, 0]], [[0.5, 0.5]], 2**30, -(2**31), 256, 65_535, [0, 1], [1.5], float("inf"), 10**400, -(10**400),
    *KINDS_OF_FRAMES, *get_args(ColumnKind), "<i1", "Int8", "<U1", "object", "date32[day]", "category",
    {"time": "us", "zone": "UTC"}, {"categories": "String", "ordered": True, "index": None},
]  # fmt: skip

PARTS = ("boosted", "within", "layout", "domain")
"""Sections that are changed more often than their share of the file."""


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [place] if place else []
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        found += places(inner, (*place, key))
    return found


def _place(tree: Any, rng: random.Random) -> tuple[Any, ...]:
    """Anywhere, and now and then in the parts that are small beside the nodes."""
    anywhere = places(tree)
    small = [place for place in anywhere if place[0] == "law" and len(place) < 3]
    small += [place for place in anywhere if "order" in place or "held_out" in place]
    parts = [small, *([place for place in anywhere if name in place] for name in PARTS)]
    parts = [part for part in parts if part]
    return rng.choice(rng.choice(parts) if parts and rng.random() < 0.4 else anywhere)


def structurally_mutated(good: bytes, rng: random.Random) -> bytes:
    """A valid JSON text with a few values replaced, removed, copied, exchanged or nudged."""
    tree = json.loads(good)
    if rng.random() < 0.8:
        tree.pop("checksum", None)
    for _ in range(rng.choice([1, 1, 2, 4])):
        *above, key = _place(tree, rng)
        holder = tree
        for step in above:
            holder = holder[step]
        kind = rng.randrange(5)
        if kind == 0:
            holder[key] = copy.deepcopy(rng.choice(NASTY))  # which other changes may change again
        elif kind == 1:
            del holder[key]
        elif kind == 2 and isinstance(holder, list):
            holder.insert(key, holder[key])
        elif kind == 3 and isinstance(holder, list):
            other = rng.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        elif isinstance(holder[key], (int, float)):
            with contextlib.suppress(OverflowError):  # a whole number that no float holds, and a half
                holder[key] += rng.choice([1, -1, 0.5, 2**53])
        if not isinstance(tree, dict) or not places(tree):
            break
    number = rng.choice(["Infinity", "1e400", "1" + "0" * 400])  # a number past float64, or none
    return json.dumps(tree).replace("Infinity", number).encode()


def bytes_mutated(good: bytes, rng: random.Random) -> bytes:
    """The same text with bytes changed, dropped, doubled or cut off."""
    data = bytearray(good)
    for _ in range(rng.choice([1, 1, 3, 10])):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.choice(b'0123456789-.eE[]{},:"\\ tfnN\x00\xff')
        elif kind == 1:
            del data[at : at + rng.randrange(1, 30)]
        elif kind == 2:
            data[at:at] = data[at : at + rng.randrange(1, 30)]
        elif kind == 3 and rng.random() < 0.2:
            del data[at:]
        if not data:
            break
    return bytes(data)


def assert_sound(loaded: Model, path: Path) -> None:
    """All that networks promise holds, rows of the law become a frame, and all of it can be kept again."""
    for network in loaded.networks:
        for part in components_of(network):
            _assert_sound(part)
    assert loaded.law is None or loaded.law.ordered
    _assert_frame(loaded)
    save(loaded, path)
    assert load_model(path) == loaded


def _assert_frame(loaded: Model) -> None:
    """Rows are frames as the layout says, of values that their bins keep; what is drawn within bins is among them."""
    domain, rng = loaded.domain, np.random.default_rng(0)
    codes = _any_rows(domain)
    layout = loaded.layout or Layout.of(domain, "dicts")
    within = None if loaded.law is None else loaded.law.within
    assert len(decode(codes, domain, layout, rng=rng, within=within)) == len(codes)
    if within is None:
        return
    for i, numbers in within.draw(codes, domain, rng).items():
        bins = domain.variables[i].bins
        assert bins is not None
        for code, number in zip(codes[:, i].tolist(), numbers.tolist(), strict=True):
            assert code == len(bins) or number in bins.quantiles[code]


def _any_rows(domain: Domain) -> NDArray[np.uint16]:
    cards = domain.cardinalities
    return np.random.default_rng(0).integers(0, cards, size=(20, len(cards)), dtype=np.uint16)


def _assert_sound(network: Network) -> None:
    cards = network.domain.cardinalities
    rows = _any_rows(network.domain)
    assert [node.variable for node in network.nodes] == list(range(len(cards)))
    for number, node in enumerate(network.nodes):
        source = node.start if isinstance(node, BoostedNode) else node.source
        for theta in (node.probabilities(rows), *(() if node.boosted else (node.table.probabilities,))):
            assert (theta >= 0).all()
            assert (np.abs(theta.sum(axis=1) - 1) < 1e-12).all()
            assert theta.shape[1] == cards[number]
        assert node.boosted or node.table.size == source.size
        leaves = source(rows)
        assert ((leaves >= 0) & (leaves < source.size)).all()
        allowed = set(range(len(cards))) - {number}
        if network.order is not None:
            allowed = set(network.order[: network.order.index(number)])
        assert set(node.inputs) <= allowed
    if network.order is not None:
        assert sorted(network.order) == list(range(len(cards)))
    if network.held_out is not None:
        assert network.held_out.rows >= 1
        assert np.isfinite([network.held_out.score, network.held_out.independent]).all()


def domain_with_bins(cards: list[int], rng: random.Random) -> Domain:
    """Plain variables, binned ones, ordered ones, and ones with a state for missing values or for all others."""
    variables = []
    for i, k in enumerate(cards):
        missing = k - 1 if rng.random() < 0.3 else None
        bins = None
        if (missing is None or k > 1) and rng.random() < 0.5:
            values = np.array([rng.randrange(50) for _ in range(20)])
            edges = [float("-inf"), *range(10, 10 * (k - (missing is not None)), 10), float("inf")]
            bins = given_bins(values, edges, rng.choice(["float", "integer", "date", "datetime", "duration"]))
        states = tuple(range(k)) if missing is not None or rng.random() < 0.7 else tuple("abc"[:k])
        variable = Variable(f"X{i}", states, bins, missing, rng.random() < 0.2)
        if bins is None and variable.present_states and rng.random() < 0.1:
            variable = replace(variable, other=variable.present_states[-1])
        variables.append(variable)
    return Domain(tuple(variables))


def save_any(path: Path, rng: random.Random) -> None:
    """A file of anything that one can hold, for fuzzers to change."""
    model = random_model(rng)
    kind = rng.choice([None, *KINDS_OF_FRAMES])
    save(replace(model, layout=None if kind is None else Layout.of(model.domain, kind)), path)


def random_model(rng: random.Random) -> Model:
    """Anything that a model file can hold but for a layout."""
    cards = [rng.randrange(1, 4) for _ in range(rng.randrange(1, 5))]
    numbers = np.random.default_rng(rng.randrange(2**32))
    return model_of_all_kinds(domain_with_bins(cards, rng), rng.choice(KINDS), numbers)


def fuzz(directory: Path, files: int, seed: int) -> tuple[int, int]:
    """Refused and accepted, of so many mutated files."""
    rng = random.Random(seed)
    signal.signal(signal.SIGPROF, _too_long)
    refused = accepted = 0
    path = directory / "m.json"
    for number in range(files):
        if number % 20 == 0:
            save_any(path, rng)
            good = path.read_bytes()
        content = structurally_mutated(good, rng) if rng.random() < 0.7 else bytes_mutated(good, rng)
        if rng.random() < 0.1:
            content = bytes_mutated(gzip.compress(content), rng)
        path.write_bytes(content)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of CPU time: others may use the machine
        try:
            loaded = load_model(path)
        except ModelFileError:
            refused += 1
        else:
            accepted += 1
            assert_sound(loaded, directory / "again.json")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return refused, accepted


def _too_long(signum: int, frame: FrameType | None) -> None:
    raise AssertionError(f"a file took more than {SECONDS} seconds of CPU time")


def main() -> None:
    """Fuzz, and say what came of it; the exit status is not 0 where anything broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begin, refused, accepted = time.perf_counter(), 0, 0
    for name in ("pandas", "polars", "pyarrow"):  # what they take is none of a file's
        importlib.import_module(name)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for part in range(-(-options.files // 1000)):
        seed = options.seed * 1_000_003 + part
        with tempfile.TemporaryDirectory() as place:
            counts = fuzz(Path(place), min(1000, options.files - 1000 * part), seed)
        refused, accepted = refused + counts[0], accepted + counts[1]
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024
    print(
        f"{refused + accepted:,} files: {refused:,} refused, {accepted:,} sound; {memory:,.0f} MB more than at the start, "
        f"{time.perf_counter() - begin:,.0f} s"
    )
    assert memory < 200, "too much memory"


if __name__ == "__main__":
    main()
