"""`progress=True`: a bar by tqdm, or as the command draws it; or a callback of one's own."""

import subprocess
import sys

import pytest

import depnet
from depnet.threads import show_progress

PROGRAM = """
import sys
{before}
import depnet
model = depnet.DependencyNetwork(random_state=0, penalty="mdl").fit(depnet.titanic(), progress=True)
model.sample(1000, progress=True)
assert "tqdm" in sys.modules or {without}
"""


@pytest.mark.parametrize("without", [False, True], ids=["tqdm", "without tqdm"])
def test_fit_and_sample_say_how_far_they_are(without: bool) -> None:
    hidden = "import importlib.util as u\n"
    hidden += "real = u.find_spec; u.find_spec = lambda name: name != 'tqdm' and real(name) or None"
    before = hidden if without else ""
    program = PROGRAM.format(before=before, without=without)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert "learning" in done.stderr
    assert "drawing rows" in done.stderr
    assert without or "8/8" in done.stderr, "the nodes of both networks"


def test_nothing_is_said_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    depnet.learn(depnet.titanic())
    with show_progress("work", False) as tell:
        assert tell is None
    assert capsys.readouterr().err == ""


def test_a_callback_is_passed_on() -> None:
    seen: list[tuple[int, int]] = []
    depnet.learn(depnet.titanic(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)
