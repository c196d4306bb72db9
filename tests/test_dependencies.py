"""What `pip install depnet` takes: few packages."""

from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts.try_installed import MOST_PACKAGES


def installed_with(name: str) -> set[str]:
    """A package and all that pip would install with it, without extras."""
    found: set[str] = set()
    left = [name]
    while left:
        at = canonicalize_name(left.pop())
        if at in found:
            continue
        found.add(at)
        wanted = map(Requirement, metadata.requires(at) or [])
        left += [each.name for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]
    return found


def test_the_core_is_few_packages() -> None:
    packages = installed_with("depnet")
    assert {"depnet", "numpy", "duckdb", "threadpoolctl"} <= packages
    assert len(packages) <= MOST_PACKAGES, sorted(packages)
