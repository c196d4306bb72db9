"""Many readers at once, each with evidence of its own; the long test for a minute.

Every reader clamps and takes back states at random, one question after another, and now and then closes its page and
opens another by a link. Each answer is compared with `depnet.query` of that reader's evidence: a posterior of somebody
else's evidence, or of the reader's own evidence of before, is wrong.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import aiohttp
import numpy as np
import pytest

import depnet
from depnet import Network
from tests.explorer.browser import SECONDS, run_apart
from tests.explorer.cases import wide
from tests.explorer.reader import Posterior, Reader
from tests.explorer.watched import Watched, watched
from tests.narrowed import by_name

VARIABLES = 8
QUESTIONS_A_PAGE = 12
Held = tuple[tuple[int, int], ...]
"""The evidence, as pairs of variable and code."""


@dataclass
class Report:
    """What was asked, what was wrong, and the server's memory, in MB, every half second."""

    questions: int = 0
    pages: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)
    evidences: set[Held] = field(default_factory=set)

    def growth(self) -> float:
        """The most memory of the second half, as a share of the most of the first half."""
        half = len(self.resident) // 2
        return max(self.resident[half:]) / max(self.resident[:half])

    def lines(self) -> str:
        typical, late = np.quantile(self.seconds, [0.5, 0.99])
        return (
            f"{self.questions:,} questions on {self.pages:,} pages, {len(self.evidences):,} different evidences, "
            f"{len(self.wrong)} wrong; seconds an answer: median {typical:.3f}, 99 % {late:.3f}, "
            f"most {max(self.seconds):.3f}; server's memory in MB: first {self.resident[0]:.0f}, "
            f"last {self.resident[-1]:.0f}, most {max(self.resident):.0f}, "
            f"second half to first half {self.growth():.3f}"
        )


class Expected:
    """What `depnet.query` says to evidence."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.of = cache(self._of)

    def _of(self, held: Held) -> Posterior:
        variables = self.network.domain.variables
        evidence = {variables[i].name: variables[i].states[code] for i, code in held}
        names = [variable.name for variable in variables]
        found = by_name(
            depnet.query(self.network, names, evidence, method="exact", joint=False).probabilities
        )
        return {name: np.asarray(law).tolist() for name, law in found.items()}

    def agrees(self, held: Held, posterior: Posterior) -> bool:
        """Is this the posterior of that evidence? The page has six digits, and the target a card of its own."""
        right = self.of(held)
        return len(right.keys() - posterior.keys()) == 1 and all(
            np.allclose(law, right[name], rtol=0, atol=1e-6) for name, law in posterior.items()
        )


async def read(
    reader_number: int, url: str, expected: Expected, going: Callable[[], bool], report: Report
) -> None:
    """One reader, page after page."""
    rng = np.random.default_rng(reader_number)
    variables = expected.network.domain.variables
    held: dict[int, int] = {}

    def check(posterior: Posterior, began: float) -> None:
        key = tuple(sorted(held.items()))
        report.seconds.append(time.monotonic() - began)
        report.questions += 1
        report.evidences.add(key)
        if not expected.agrees(key, posterior):
            report.wrong.append(f"reader {reader_number} held {key} and got {posterior}")

    async with aiohttp.ClientSession() as http:
        while going():
            reader = Reader(url, http)
            link = [(variables[i].name, str(variables[i].states[code])) for i, code in held.items()]
            try:
                began = time.monotonic()
                check(await reader.open(link), began)
                report.pages += 1
                for _ in range(QUESTIONS_A_PAGE):
                    i = int(rng.integers(len(variables)))
                    code = int(rng.integers(variables[i].cardinality))
                    if held.get(i) == code:
                        del held[i]
                    elif i in held or len(held) < len(variables) - 1:
                        held[i] = code
                    else:
                        continue
                    began = time.monotonic()
                    check(await reader.clamp(variables[i].name, code), began)
                    if not going():
                        break
            except Exception as error:  # whatever it is, it is a failure of the load test
                report.wrong.append(f"reader {reader_number}: {error!r}")
            finally:
                await reader.close()


async def load(server: Watched, network: Network, clients: int, seconds: float) -> Report:
    """`clients` readers for these seconds, and on a busy machine until each has asked a few questions."""
    report, expected = Report(), Expected(network)
    until = time.monotonic() + seconds

    def going() -> bool:
        few = report.questions <= 3 * clients and not report.wrong
        return time.monotonic() < until + (SECONDS if few else 0)

    readers = [asyncio.create_task(read(k, server.url, expected, going, report)) for k in range(clients)]
    while not all(reader.done() for reader in readers):
        report.resident.append(server.resident())
        await asyncio.sleep(0.5)
    await asyncio.gather(*readers)
    return report


def run(clients: int, seconds: float, folder: Path) -> tuple[Report, tuple[int, int], str]:
    """The report; the sessions and clients that are left a while after all pages were closed; what the server said."""
    network, law = wide(VARIABLES)
    depnet.save(network, folder / "model.json", law=law)
    with watched([folder / "model.json"], folder) as server:
        report = run_apart(lambda: load(server, law, clients, seconds), seconds + 3 * SECONDS)
        with contextlib.suppress(AssertionError):
            server.wait_for_pages(0)
        return report, server.alive(), server.said()


@pytest.mark.parametrize(
    ("clients", "seconds", "growth"), [(6, 5.0, 1.3), pytest.param(20, 60.0, 1.1, marks=pytest.mark.long)]
)
def test_each_reader_gets_the_posterior_of_its_own_evidence(
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    clients: int,
    seconds: float,
    growth: float,
) -> None:
    report, left, said = run(clients, seconds, tmp_path)
    record_property(f"explorer, {clients} readers for {seconds:.0f} s", report.lines())
    assert report.wrong == []
    assert report.questions > 2 * clients
    assert len(report.evidences) > clients
    assert "Traceback" not in said
    assert left == (0, 0)
    assert report.growth() < growth  # at first there is still something to be made
