"""The pictures of the explorer in README and docs: every view of an example model, taken by Chromium.

The Titanic table, and for a network with more to see the breast cancer table that comes with scikit-learn.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_breast_cancer

import depnet
from depnet.fitting.fit import FitOptions, fit_law
from tests.explorer.browser import ARGUMENTS, chromium, explorer
from tests.explorer.cases import titanic_files

MOST_BYTES = 200_000
SIZE = (1280, 820)


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for model, table, pictures in (
            (*titanic_files(Path(scratch)), TITANIC),
            (*_cancer(Path(scratch)), CANCER),
        ):
            with explorer([model.name, "--data", table.name], folder=Path(scratch)) as url:
                for name, path in pictures.items():
                    context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]})
                    page = context.new_page()
                    page.goto(url + path)
                    page.wait_for_selector(".depnet-card")
                    page.wait_for_timeout(2500)
                    if path == "fit":
                        _drop(page)
                    _save(page.screenshot(), folder / f"{name}.png")
                    context.close()
        browser.close()


def _cancer(scratch: Path) -> tuple[Path, Path]:
    frame = load_breast_cancer(as_frame=True)
    table = frame.data.assign(diagnosis=frame.target.map(dict(enumerate(frame.target_names))))
    table.to_csv(scratch / "breast-cancer.csv", index=False)
    data = depnet.read(scratch / "breast-cancer.csv", bins=4)
    assert isinstance(data, depnet.Dataset)  # without holes
    law = fit_law(data, FitOptions())
    network = depnet.learn(data, smoothing=0.5).with_counts(data)
    depnet.save(network, scratch / "breast-cancer.json", law=law)
    return scratch / "breast-cancer.json", scratch / "breast-cancer.csv"


def _drop(page: Page) -> None:
    """The fit view, with a table in it."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "people.csv"
        depnet.write(depnet.titanic(), table)
        page.locator("input[type=file]").set_input_files(table)
        page.wait_for_timeout(2500)


TITANIC = {
    "explorer-rules": "rules?.variable=survived",
    "explorer-rows": "rows?.row=1",
    "explorer-fit": "fit",
}
CANCER = {
    "explorer-network": "rules/network?.variable=diagnosis",
    "explorer-explore": "?diagnosis=malignant&.target=mean+radius",
    "explorer-target": "target?.target=diagnosis&.state=malignant",
    "explorer-versus": "?diagnosis=malignant&.vs=rest",
    "explorer-matrix": "rules/network?.mode=matrix",
}


def _save(png: bytes, path: Path) -> None:
    """In a palette: flat colours lose nothing, and the file is a quarter."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(192, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
