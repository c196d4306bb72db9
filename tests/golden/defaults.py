"""What somebody gets who sets no option, of one table with labels, truth values, numbers, durations and holes.

Every face is here as it is: estimators, the command, questions, drawn rows with numbers within bins, and filled holes.
"""

import datetime as dt
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from depnet import DependencyNetwork, DependencyNetworkClassifier
from tests.cli.entry import depnet as command

Row = dict[str, Any]
QUESTIONS: tuple[tuple[list[str], Row], ...] = (
    (["late"], {}),
    (["late"], {"rain": True, "hour": ">3"}),
    (["way", "late"], {"wait": dt.timedelta(seconds=400)}),
    (["km > 5"], {"late": True}),
)


def journeys(holes: float = 0.0) -> list[Row]:
    """How long journeys take and which of them are late, of how far, when and in what weather they are."""
    rng = random.Random(7)
    rows = []
    for _ in range(1_000):
        way, hour = ("foot", "bus", "train")[int(rng.random() * 3)], int(rng.random() * 8)
        km, rain, full = round(1 + 9 * rng.random(), 2), rng.random() < 0.3, rng.random() < 0.5
        seconds = int(60 * km + 20 * hour + 90 * rain + 30 * rng.random())
        late = 3 * rng.random() + 0.3 * km + 0.4 * hour + 1.5 * rain + full > 5.5
        row = {"way": way, "km": km, "hour": hour, "rain": rain, "full": full, "late": late}
        row["wait"] = dt.timedelta(seconds=seconds)
        rows.append({name: None if rng.random() < holes else value for name, value in row.items()})
    return rows


def default_outcomes(n_jobs: int) -> dict[str, bytes]:
    """Every outcome by its name."""
    given: dict[str, Any] = {"random_state": 0, "n_jobs": n_jobs}
    whole, holed = journeys(), journeys(holes=0.1)
    model = DependencyNetwork(**given).fit(whole)
    numbers = np.array([[row["km"], row["hour"], row["rain"]] for row in whole], dtype=np.float64)
    late = [row["late"] for row in whole]
    classifier = DependencyNetworkClassifier(**given).fit(numbers, late)
    gaps = np.array([[row["km"], row["hour"]] for row in holed], dtype=np.float64)
    asked = [model.query(targets, evidence, joint=len(targets) > 1) for targets, evidence in QUESTIONS]
    answers: list[Any] = [answer for each in asked for answer in (each.probabilities, each.combined)]
    with tempfile.TemporaryDirectory() as place:
        model.save(Path(place, "model.json"))
        DependencyNetwork(**given).fit(holed).save(Path(place, "holed.json"))
        return {
            "model: journeys, by default": _file(Path(place, "model.json")),
            "model: journeys with holes, by default": _file(Path(place, "holed.json")),
            "model: journeys, by the command": _file(_by_command(whole, Path(place), n_jobs)),
            "rows: journeys, drawn by default": "\n".join(map(repr, model.sample(300))).encode(),
            "rows: journeys, answers by default": np.concatenate(answers, axis=None).round(9).tobytes(),
            "rows: journeys, classes by default": classifier.predict_proba(numbers).round(9).tobytes(),
            "rows: journeys, filled by default": DependencyNetwork(**given)
            .fit(gaps)
            .impute(gaps)
            .round(9)
            .tobytes(),
        }


def _file(path: Path) -> bytes:
    """A model file but for its checksum, and held-out scores to nine digits: the last of a logarithm are NumPy's own."""
    document = json.loads(path.read_bytes())
    del document["checksum"]
    for network in (document, document["law"]):
        network["held_out"] = {name: round(value, 9) for name, value in network["held_out"].items()}
    return json.dumps(document).encode()


def _by_command(rows: list[Row], place: Path, n_jobs: int) -> Path:
    """The file that `depnet fit` writes, from one that Python's own texts make."""
    texts = ({**row, "wait": f"0 days {row['wait']!s:0>8}"} for row in rows)
    lines = [",".join(map(str, each)) for each in (rows[0], *(row.values() for row in texts))]
    Path(place, "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command("fit", place / "rows.csv", "-o", place / "command.json", "--seed", 0, "--jobs", n_jobs)
    return place / "command.json"
