"""Three small tables with every kind of column, the same everywhere, and what SDMetrics 0.32.0 says of them.

The figures, of drawn rows and of fresh ones, are what `figures` of benchmarks/_sdmetrics.py printed for these tables as CSV.
"""

import datetime as dt
from typing import Any

ROWS = 48


def rows(side: int) -> list[dict[str, Any]]:
    """The rows of a side: 0 (learned from), 1 (drawn), 2 (held out)."""
    found = []
    for k in range(ROWS):
        a, b, c = (k * 17 + 5 * side) % 31, (k * 7 + 3 * side) % 13, (k * k + side) % 11
        found.append(
            {
                "age": None if k % (6 + side) == 0 else a + c / 4,
                "rooms": b + side,
                "day": dt.date(2024, 1, 1) + dt.timedelta(days=7 * c + a),
                "city": None
                if (k * (side + 1)) % 17 == 3
                else ("Ulm", "Bonn", "Kiel", "Trier")[(a + b) % (3 + side % 2)],
                "owner": (a * b) % 3 == 0,
            }
        )
    return found


SDMETRICS: dict[str, dict[Any, tuple[float, float | None]]] = {
    "column shapes": {
        "age": (0.910975609756, 0.925),
        "rooms": (0.875, 0.833333333333),
        "day": (0.645833333333, 0.75),
        "city": (0.488888888889, 0.911111111111),
        "owner": (0.958333333333, 0.958333333333),
    },
    "range coverage": {
        "age": (1.0, 0.991666666667),
        "rooms": (0.916666666667, 0.833333333333),
        "day": (0.862068965517, 0.781609195402),
    },
    "category coverage": {
        "city": (0.666666666667, 1.0),
        "owner": (1.0, 1.0),
    },
    "missing values": {
        "age": (0.979166666667, 0.958333333333),
        "rooms": (1.0, 1.0),
        "day": (1.0, 1.0),
        "city": (1.0, 1.0),
        "owner": (1.0, 1.0),
    },
    "column pair trends": {
        ("age", "rooms"): (0.900961679483, 0.93005417896),
        ("age", "day"): (0.976691115184, 0.909768943469),
        ("age", "city"): (0.458333333333, 0.583333333333),
        ("age", "owner"): (0.8125, 0.791666666667),
        ("rooms", "day"): (0.856575243038, 0.942670404551),
        ("rooms", "city"): (0.4375, 0.625),
        ("rooms", "owner"): (0.6875, 0.5),
        ("day", "city"): (0.041666666667, 0.395833333333),
        ("day", "owner"): (0.354166666667, 0.583333333333),
        ("city", "owner"): (0.520833333333, 0.916666666667),
    },
    "distance to closest record": {
        "": (0.110890804598, 0.096867816092),
    },
    "closer to learned than to fresh": {
        "": (0.541666666667, None),
    },
    "disclosure": {
        "age": (0.183453648807, 0.126925215988),
        "rooms": (0.127358405483, 0.071875),
        "day": (0.064484126984, 0.113503741629),
        "city": (0.352475198413, 0.328174603175),
        "owner": (0.538028348966, 0.499404043018),
    },
}
