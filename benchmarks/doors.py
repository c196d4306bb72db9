"""Rows a second in SQL and requests a second over HTTP, each beside calling Python directly.

A model of ten columns, five numbers and five categories, learned from 5,000 rows; SQL asks one probability of each of
many complete rows, which hardly repeat each other, Python's `query_rows` the same of their codes. Over HTTP, clients ask
`depnet serve` of a model of the Titanic's table, on this machine, one query each at a time (exact, so that the door is what
takes time); beside it `depnet.query` in a loop. Every answer is checked.
Memory of the server is told after a first round and at the end: it is to stay level.
"""

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

import depnet
from benchmarks._timing import timed
from depnet.data.table.encode import encode

REACH = 2.0
"""CPU seconds of 100,000 rows in SQL, at most."""
CLASSES = ("1st", "2nd", "3rd", "Crew")


def table(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(rows, 3))
    numbers = {f"x{i}": hidden @ rng.normal(size=3) + rng.normal(size=rows) for i in range(5)}
    places = [
        np.clip(hidden[:, i % 3] + 0.5 * rng.normal(size=rows) + 2.5, 0, 4).astype(int) for i in range(5)
    ]
    return pd.DataFrame(numbers | {f"c{i}": np.array(list("abcde"))[each] for i, each in enumerate(places)})


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks doors", description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=100_000, help="rows asked about in SQL (default: 100,000)"
    )
    parser.add_argument(
        "--requests", type=int, default=1_000, help="requests of all clients (default: 1,000)"
    )
    parser.add_argument("--clients", type=int, default=20, help="clients at once (default: 20)")
    parser.add_argument("--processes", type=int, default=2, help="processes that answer them (default: 2)")
    chosen = parser.parse_args(arguments)
    frame = table(chosen.rows)
    model = depnet.DependencyNetwork(random_state=0).fit(frame.iloc[:5_000])
    reached = of_sql(model, frame)
    with tempfile.TemporaryDirectory() as folder:
        titanic = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())
        of_http(titanic, Path(folder), chosen.requests, chosen.clients, chosen.processes)
    return 0 if reached else 1


def of_sql(model: depnet.DependencyNetwork, frame: pd.DataFrame) -> bool:
    law = model.law_
    assert law is not None

    def direct() -> Any:
        coded = encode(frame, model.domain_, values=False)
        hidden = np.array(coded.hidden)
        hidden[:, model.domain_.index("c2")] = True
        return depnet.query_rows(law, coded.codes, hidden, targets=["c2"], n_jobs=1).probabilities["c2"][:, 1]

    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        depnet.register(connection, model)
        connection.register("rows", frame)
        asked = "SELECT depnet_probability('c2 = b', rows) AS p FROM rows"
        said, in_sql = timed(lambda: connection.sql(asked).fetchnumpy()["p"])
    found, in_python = timed(direct)
    np.testing.assert_allclose(said, found, atol=1e-12)
    reached = in_sql * 100_000 / len(frame) <= REACH
    for name, seconds in (("SQL", in_sql), ("query_rows", in_python)):
        print(
            f"{name:12} {len(frame):,} rows in {seconds:.2f} CPU s: {len(frame) / seconds:,.0f} rows a CPU second"
        )
    print(f"to reach: 100,000 rows in {REACH} CPU s: {'yes' if reached else 'NO'}")
    return reached


def of_http(
    model: depnet.DependencyNetwork, folder: Path, requests: int, clients: int, processes: int
) -> None:
    law = model.law_
    assert law is not None
    questions = [{"targets": ["survived"], "given": {"sex": "female", "class": each}} for each in CLASSES]

    def answer(question: dict[str, Any]) -> list[float]:
        asked = depnet.query(law, question["targets"], question["given"], rng=np.random.default_rng(0))
        return [float(share) for share in np.asarray(asked.probabilities)]

    right = [answer(question) for question in questions]
    began = time.perf_counter()
    for turn in range(requests // 10):
        answer(questions[turn % 4])
    alone = (time.perf_counter() - began) / (requests // 10)
    model.save(folder / "model.json")
    words = ["serve", str(folder / "model.json"), "--port", "0", "--processes", str(processes)]
    server = subprocess.Popen([sys.executable, "-m", "depnet", *words], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())
        assert found is not None
        port = int(found[1])

        def client(number: int) -> int:
            connection, refused = http.client.HTTPConnection("127.0.0.1", port, timeout=120), 0
            for turn in range(requests // clients):
                which = (number + turn) % 4
                body = json.dumps(questions[which])
                connection.request("POST", "/api/query", body, {"content-type": "application/json"})
                reply = connection.getresponse()
                said = json.loads(reply.read())
                refused += reply.status == 503
                assert reply.status == 503 or said["probabilities"]["survived"] == right[which], said
            connection.close()
            return refused

        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(client, range(clients)))  # loaded, and warm
            first, began = _memory(server.pid), time.perf_counter()
            refused = sum(pool.map(client, range(clients)))
            seconds = time.perf_counter() - began
        print(
            f"HTTP         {clients} clients, {processes} processes: {requests / seconds:,.0f} requests a second",
            end="",
        )
        print(
            f" ({refused} told to come again), every answer right; memory {first} MB, then {_memory(server.pid)} MB"
        )
        print(f"depnet.query in a loop: {1 / alone:,.0f} a second")
    finally:
        server.terminate()
        server.wait()


def _memory(process: int) -> int:
    """Megabytes of a process and of those that it started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    found = 0
    for each in (str(process), *children):
        status = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{each}/status").read_text())
        found += 0 if status is None else int(status[1])
    return round(found / 1024)
