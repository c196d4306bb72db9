"""A small model of every part that a file can hold, as the document of its file, to be spoiled."""

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

import depnet
from depnet import ConditionalTable, ConstantSource, Dataset, DecisionGraph, Domain, Network, Split, Variable
from depnet.data import Bins, Layout
from depnet.data.frames.within import PlaceTrees, Within
from depnet.model import stages as staged
from depnet.model.boosted import BoostedNode
from depnet.model.marginals import HeldOut
from depnet.model.model import Model
from tests.boosted import stages_of
from tests.model.file.networks import save

AGES = Bins((-math.inf, 18, 65, math.inf), ((3, 9, 17), (30, 40), (70,)), "integer")
DAYS = Bins((0, 31, 59), ((1, 2), (40,)), "date")
DOMAIN = Domain(
    (
        Variable("age", (*AGES.labels, "(missing)"), AGES, "(missing)"),
        Variable("day", DAYS.labels, DAYS),
        Variable("sex", ("female", "male")),
        Variable("survived", (False, True)),
        Variable("class", ("low", "middle", "high"), ordered=True),
    )
)
CARDS = DOMAIN.cardinalities
ORDER = (2, 3, 0, 1, 4)
ROWS = Dataset.from_codes(np.random.default_rng(0).integers(0, CARDS, size=(200, 5)), domain=DOMAIN)


def boosted() -> BoostedNode:
    """The class, from a decision graph of the sex on."""
    stages = stages_of(
        [
            ([(0, staged.Test(0, 1, 2)), (1, staged.Test(3, 0, 0))], [[1, -1, 0], [2, -2, 0], [-30, 30, 0]]),
            ([], [[5, -5, 0]]),
            ([(0, staged.Test(0, 0, 0))], [[7, -7, 0], [8, -8, 0]]),
        ],
        3,
    )
    start = DecisionGraph((Split(0, 2),), CARDS)
    return BoostedNode(4, start, [[100, -100, 0], [-200, 200, 0]], stages, [0.25, 0.125, 0.5])


def network() -> Network:
    """A node of every kind."""
    sources: list[depnet.InformationSource] = [
        ConstantSource(),
        DecisionGraph((Split(0, 0), depnet.Merge(0, 3), Split(1, 3)), CARDS),
        depnet.TabulatedSource.of(depnet.FunctionSource(lambda x: x.sum(axis=1), (0, 1), 5), CARDS),
        depnet.LosslessSource((1, 2), (2, 2)),
        ConstantSource(),
    ]
    learned = depnet.learn_parameters(ROWS, sources, smoothing=0.5).with_counts(ROWS)
    given = ConditionalTable.from_probabilities(learned.nodes[3].table.probabilities)
    nodes = (*learned.nodes[:3], depnet.TableNode(3, learned.nodes[3].source, given), boosted())
    return Network(DOMAIN, nodes, learned.counts, None, HeldOut(100, -2.5, -3.0))


def law() -> Network:
    """Each variable knows the one before it."""
    before = dict(zip(ORDER[1:], ORDER, strict=False))
    sources = [DecisionGraph((Split(0, before[i]),) if i in before else (), CARDS) for i in range(5)]
    learned = depnet.learn_parameters(ROWS, sources, smoothing=0.5).with_counts(ROWS)
    numbers = ([0, -1, -1], [2, -1, -1], [0, 0, 0], [1, 0, 1], [256, 0, 0, 0, 128, 128])
    trees = PlaceTrees(0, *(np.array(each, dtype=np.int32) for each in numbers))
    within = Within(DOMAIN, ORDER, (trees,))
    held_out = HeldOut(100, -2.25, -3.0, 42.0, 25.0, 12.0)
    return Network(DOMAIN, learned.nodes, learned.counts, ORDER, held_out, within)


def model() -> Model:
    return Model(network(), law(), Layout.of(DOMAIN, "pandas"))


def document(path: Path) -> Any:
    """What the file says, without the checksum, which would tell of any change."""
    save(model(), path)
    read = json.loads(path.read_text())
    del read["checksum"]
    return read


def put(document: Any, place: str, value: Any) -> None:
    """Make `value` stand at a place such as nodes[1].table; an ellipsis: remove what stands there."""
    *above, last = (int(each) if each.isdigit() else each for each in re.findall(r"\w+", place))
    for step in above:
        document = document[step]
    if value is ...:
        del document[last]
    elif isinstance(document, list) and last == len(document):
        document.append(value)
    else:
        document[last] = copy.deepcopy(value)


NUMBERS = ("-1e999", "1e999", "NaN", "-Infinity")
"""Written as numbers where a document has them as strings."""


def text_of(document: Any) -> str:
    text = json.dumps(document)
    for number in NUMBERS:
        text = text.replace(f'"{number}"', number)
    return text
