"""Which way a node is asked, and what is written out or kept: every constant of `model` that decides it.

The benchmark that would show the effect of each is named (`python -m benchmarks NAME`), none where there is none.
"""

TABLE_STATES = 2**12
"""The joint states of the inputs of a decision graph or of a boosted node that is written out as a table, at most: a look-up
is quicker than a walk or a sum (sample, against its lines "walking"). From 2^10 to 2^12 chains gain 3 to 18 % and passes a
few; 2^14 gives chains 5 to 38 % more, for four times the memory of every table."""
MOST_WRITTEN = 2**22
"""The same of a function, which cannot be walked, and of a node that is asked for as a table: beyond it, a network with such
a function is neither drawn from nor asked by draws (none)."""
MAX_TABULATED = 2**20
"""The same of a function that is written to a file (none)."""
MAX_CELLS = 2**28
"""Cells of a table that is counted: 2 GiB of counts is where a source is no longer one to tabulate (none)."""
MAX_PAIR_CELLS = 1_000_000
"""With more cells than this the 2-way counts are left out: a model file should stay small (none)."""
MOST_DIGIT_STATES = 256
"""The most states of a number whose stages have scores of one digit each in a file (none)."""
MOST_PRODUCTS = 64
"""An event of more disjoint products is answered by draws (none)."""
CELLS_AT_ONCE = 2**22
"""Codes or scores that are held at once where work is done in pieces (none)."""
