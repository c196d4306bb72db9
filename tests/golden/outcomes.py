"""What must not change unasked: models and samples, as bytes, of fixed tables and seeds.

`golden.json`, beside this file, has their hashes, with enough beside each to see what changed. To change it on purpose
(a new default, another order of random words):

    python -m tests.golden.outcomes --write

and say in the changelog which outcomes changed, and why. A change that nobody meant is a bug.
"""

import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import depnet
from depnet import Dataset, Mdl, Network, RandomScan, SequentialScan, StructuralMdl
from depnet.sampling import Sampler
from tests.golden.defaults import default_outcomes

GOLDEN = Path(__file__).parent / "golden.json"


def table(rows: int, cardinalities: list[int], seed: int, weighted: bool = False) -> Dataset:
    """Columns that follow earlier ones. Python promises that `random()` stays the same; numpy promises less."""
    rng = random.Random(seed)
    codes = []
    for _ in range(rows):
        row: list[int] = []
        for i, k in enumerate(cardinalities):
            follows = i and rng.random() < 0.7
            row.append((row[int(rng.random() * i)] if follows else int(rng.random() * k)) % k)
        codes.append(row)
    weights = [int(rng.random() * 5) for _ in range(rows)] if weighted else None
    return Dataset.from_codes(codes, cardinalities, weights)


def model_of(network: Network) -> bytes:
    """The model file."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "model.json"
        depnet.save(network, path)
        return path.read_bytes()


MIXED = table(1_500, [2, 3, 2, 5, 4, 1, 2, 3], seed=1)
BINARY = table(400, [2] * 70, seed=2)
WEIGHTED = table(500, [3, 3, 2, 2, 300], seed=3, weighted=True)

MODELS: dict[str, tuple[Dataset, dict[str, Any]]] = {
    "Titanic": (depnet.titanic(), {"smoothing": 0.5}),
    "Titanic, auto": (depnet.titanic(), {"penalty": "auto", "smoothing": 0.5}),
    "mixed": (MIXED, {}),
    "mixed, structural": (MIXED, {"penalty": StructuralMdl(0.75, 1.0, 0.5 * Mdl()), "smoothing": 0.5}),
    "mixed, ordered": (MIXED, {"order": "auto", "penalty": "auto", "smoothing": 0.5}),
    "binary": (BINARY, {"smoothing": 0.5}),
    "weighted": (WEIGHTED, {"smoothing": 0.1}),
    "mixed, boosted": (MIXED, {"boost": depnet.Boost(stages=20)}),
    "Titanic, ordered, boosted by auto": (
        depnet.titanic(),
        {"order": "auto", "penalty": "auto", "smoothing": 0.5, "boost": "auto"},
    ),
    "weighted, ordered": (WEIGHTED, {"order": "auto", "smoothing": 0.1}),
}


def outcomes(n_jobs: int = 1, block_rows: int = 1_000) -> dict[str, bytes]:
    """Every outcome by its name. Threads and blocks of rows must not matter."""
    found, networks = default_outcomes(n_jobs), {}
    for name, (rows, options) in MODELS.items():
        networks[name] = depnet.learn(rows, n_jobs=n_jobs, **options).with_counts(rows)
        found[f"model: {name}"] = model_of(networks[name])
    drawn: list[tuple[str, str, dict[str, Any]]] = [
        ("Titanic", "random scan", {"scan": RandomScan()}),
        ("Titanic", "sequential scan", {"scan": SequentialScan()}),
        ("Titanic", "given", {"evidence": {"survived": "Yes", "class": ["1st", "2nd"]}}),
        ("mixed, structural", "random scan", {}),
        ("mixed, ordered", "random scan", {"scan": RandomScan()}),
        ("binary", "random scan", {}),
        ("binary", "few chains", {"chains": 3}),
        ("weighted", "sequential scan", {"scan": SequentialScan()}),
    ]
    for name, what, options in drawn:
        given = {"burn_in": 20, "thin": 2, **options}
        sampler = Sampler(networks[name], rng=np.random.default_rng(5), n_jobs=n_jobs, **given)
        blocks = [block.codes for block in sampler.blocks(1_000, block_rows)]
        found[f"rows: {name}, {what}"] = np.ascontiguousarray(np.concatenate(blocks)).tobytes()
    return found


def summary(name: str, content: bytes) -> dict[str, Any]:
    """The hash of an outcome, and what to look at when it is another."""
    digest = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    if name.startswith("rows"):
        return {**digest, "begins": content[:16].hex()}
    document = json.loads(content)
    network = document.get("law", document)
    return {
        **digest,
        "operations": [len(node["source"].get("operations", ())) for node in network["nodes"]][:20],
        "order": network.get("order"),
        "smoothing": sorted({node["table"].get("smoothing") for node in network["nodes"] if "table" in node}),
    }


def summaries(make: Callable[[], dict[str, bytes]] = outcomes) -> dict[str, dict[str, Any]]:
    """All outcomes, summed up."""
    return {name: summary(name, content) for name, content in make().items()}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in summaries().items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if "--write" in sys.argv:
        GOLDEN.write_text(text)
    else:
        print(text, end="")
