"""One cluster for all tests that kill none of its workers (`tests/conftest.py` keeps them together)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.clusters import two_workers


@pytest.fixture(scope="package")
def dask_client() -> Iterator[Any]:
    """Of a Dask cluster of two processes, gone after these tests: it is never quite idle."""
    with two_workers() as client:
        yield client
