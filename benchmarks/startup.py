"""How long it takes to begin: `import depnet` and `depnet --help`, over a bare interpreter.

CPU seconds of a new process each, the median of several; wall-clock seconds stand beside them. What is to be reached is
in REACH. A query on a small model shows what an answer costs from a shell.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks._timing import command_seconds

REACH = {"import depnet": 0.3, "depnet --help": 0.6}
"""CPU seconds over a bare interpreter, at most."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks startup", description=__doc__)
    parser.add_argument("--times", type=int, default=11, help="processes of each (default: 11)")
    times = parser.parse_args(arguments).times
    depnet = [sys.executable, "-c", "from depnet.cli import main; main()"]
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model.json")
        learn = "import depnet, sys; depnet.save(depnet.learn(depnet.titanic(), smoothing=0.5), sys.argv[1])"
        subprocess.run([sys.executable, "-c", learn, model], check=True)
        commands = {
            "python": [sys.executable, "-c", "pass"],
            "import depnet": [sys.executable, "-c", "import depnet"],
            "depnet --help": [*depnet, "--help"],
            "depnet query": [*depnet, "query", model, "survived", "--given", "sex=female"],
            "depnet query --json": [*depnet, "query", model, "survived", "--given", "sex=female", "--json"],
        }
        for command in commands.values():
            command_seconds(command, 1)  # compiled, and in the file cache
        found = {name: command_seconds(command, times) for name, command in commands.items()}
    bare = found["python"]
    print(f"{'':22}{'CPU s':>8}{'over python':>13}{'wall s':>9}{'over python':>13}   to reach")
    reached = True
    for name, (cpu, wall) in found.items():
        limit = REACH.get(name)
        verdict = "" if limit is None else f"   < {limit} {'yes' if cpu - bare[0] < limit else 'NO'}"
        reached &= limit is None or cpu - bare[0] < limit
        print(f"{name:22}{cpu:8.3f}{cpu - bare[0]:13.3f}{wall:9.3f}{wall - bare[1]:13.3f}{verdict}")
    return 0 if reached else 1
