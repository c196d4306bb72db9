"""Links as a table of comma-separated values."""

import csv
import io
from collections.abc import Sequence

from depnet.learning.links.links import Link

COLUMNS = (
    "source",
    "target",
    "node",
    "strength",
    "mutual_information",
    "conditional_information",
    "frequency",
)


def links_csv(found: Sequence[Link]) -> str:
    r"""CSV text of the links that `depnet.links` found, in bits, in their order; what is not known is empty.

    Names are as the table had them, quoted where need be.

    >>> from depnet.learning.links.links import Link
    >>> print(links_csv([Link("a, b", ("c",), 2, 0, 0.5, None, None, None)]))
    source,target,node,strength,mutual_information,conditional_information,frequency
    "a, b",c,2,0.5,,,
    <BLANKLINE>
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for link in found:
        numbers = (link.strength, link.mutual_information, link.conditional_information, link.frequency)
        writer.writerow(
            [
                link.source,
                link.targets[0],
                link.node,
                *("" if x is None else repr(float(x)) for x in numbers),
            ]
        )
    return out.getvalue()
