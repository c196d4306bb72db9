"""Ctrl-C while sampling: what was drawn so far is not lost."""

from depnet.data import Dataset


class SamplingInterrupted(KeyboardInterrupt):
    """Ctrl-C during a draw; `drawn` holds the rows that were finished.

    >>> try:
    ...     raise SamplingInterrupted(Dataset.from_codes([[0], [1]], [2]))
    ... except KeyboardInterrupt as stop:
    ...     stop.drawn.rows
    2
    """

    def __init__(self, drawn: Dataset) -> None:
        rows = f"{drawn.rows:,} row{'' if drawn.rows == 1 else 's'}"
        super().__init__(f"interrupted after {rows}; what was drawn is in the exception's .drawn")
        self.drawn = drawn
