"""What somebody does first with an installed depnet: fit a CSV, ask it, and see the table's own frequency.

Run in an environment that has depnet and nothing else (`scripts/package`; the wheels of other systems in CI). It also
counts what `pip install` has brought along.
"""

import importlib.metadata
import json
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_PACKAGES = 12


def main() -> None:
    """Try it, or end with an error."""
    import depnet

    assert "site-packages" in depnet.__file__, f"not the installed one: {depnet.__file__}"
    packages = sorted({d.name for d in importlib.metadata.distributions()} - {"pip", "setuptools", "wheel"})
    assert len(packages) <= MOST_PACKAGES, f"{len(packages)} packages: {packages}"
    with tempfile.TemporaryDirectory() as folder:
        table, model = str(Path(folder, "titanic.csv")), str(Path(folder, "model.json"))
        run("example", "titanic", "-o", table)
        run("fit", table, "-o", model)
        found = json.loads(
            run("query", model, "survived", "--given", "sex=female", "--data", table, "--json")
        )
    (target,) = found["targets"]
    share = found["probabilities"]["survived"][target["states"].index("Yes")]
    assert abs(share - 344 / 470) < 0.02, found  # 344 of 470 women survived
    print(
        f"depnet {depnet.__version__} and {len(packages) - 1} other packages; P(survived | female) = {share:.3f}"
    )


def run(*arguments: str) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "depnet", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
