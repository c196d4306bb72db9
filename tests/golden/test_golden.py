"""The same data and seed give the same bytes: across threads, instruction sets, blocks, processes and versions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from depnet import DecisionGraph, learn, learn_parameters
from tests.cli.entry import real
from tests.golden.outcomes import GOLDEN, MIXED, model_of, outcomes, summaries
from tests.isas import AVAILABLE

FEWEST = AVAILABLE[-1]
"""The instruction set that is furthest from the one that the machine itself chooses, the first."""


def assert_golden(**options: int) -> None:
    found = summaries(lambda: outcomes(**options))
    assert found == json.loads(GOLDEN.read_text()), "if this was meant, see tests/golden/outcomes.py"


def test_outcomes_are_those_of_earlier_versions() -> None:
    assert_golden()


@pytest.mark.parametrize("isa", AVAILABLE[1:-1] or AVAILABLE[:1])
def test_threads_blocks_of_rows_and_instruction_sets_do_not_matter(
    isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPNET_ISA", isa)
    assert_golden(n_jobs=3, block_rows=77)


def test_another_process_gives_the_same_with_the_fewest_instructions() -> None:
    """One whose sets have another order than here."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden.outcomes"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": "1", "DEPNET_ISA": FEWEST},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(GOLDEN.read_text())


def test_the_command_gives_the_same_files_in_two_processes(tmp_path: Path) -> None:
    table, made = tmp_path / "titanic.csv", []
    real("example", "titanic", "-o", table)
    for jobs in (1, 2):
        model, rows = tmp_path / f"{jobs}.json", tmp_path / f"{jobs}.csv"
        real("fit", table, "-o", model, "--jobs", jobs, "--seed", 1)
        real("sample", model, "-n", 500, "--seed", 1, "--jobs", jobs, "-o", rows)
        made.append((model.read_bytes(), rows.read_bytes()))
    assert made[0] == made[1]


def test_one_operation_less_is_seen() -> None:
    """The mutant: the golden file tells a network from one that stopped a step earlier."""
    golden = json.loads(GOLDEN.read_text())["model: mixed"]
    network = learn(MIXED)
    i = int(np.argmax([node.source.size for node in network.nodes]))
    graph = network.nodes[i].source
    assert isinstance(graph, DecisionGraph)
    shorter = DecisionGraph(graph.operations[:-1], graph.cardinalities)
    sources = [shorter if k == i else node.source for k, node in enumerate(network.nodes)]
    mutant = learn_parameters(MIXED, sources).with_counts(MIXED)
    assert summaries(lambda: {"model: mixed": model_of(mutant)})["model: mixed"] != golden
