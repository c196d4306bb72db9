"""What is learned by which way, from which rows and columns: the constants that decide it for `learning` and `fitting`.

Settings of what is grown (rates, leaves, strengths, priors) are said beside it, and so is how much is done at once.
The benchmark that would show the effect of each is named (`python -m benchmarks NAME`), none where there is none.
"""

# What is sure?

SURE = 2.0
"""The standard errors by which held-out rows must gain by something before it is taken in place of what is simpler: graphs
that are taught, a function node, a line beside a forest, bins of y itself (likelihood, regress, impute)."""

# Which rows?

FEW_ROWS = 10
"""Of fewer rows none can be held out, and nothing is chosen by them (none)."""
PARTS = 5
"""The data is held out in so many parts (likelihood)."""
HELD_OUT_ROWS = 5_000
"""Parts are held out until these rows were: one part of a large table, all of a small one (likelihood, learn)."""
TRIAL_ROWS = 100_000
"""No more rows than this are divided: the others take part in no trial (learn)."""
EQUAL_PARTS_ROWS = 10_000_000
"""Up to this many rows the parts are equal in size; beyond, each distinct row is divided at random (none)."""
MOST_TIMES = 16
"""Rows are repeated up to this many times on average: single rows are counted as bits, about that much faster (learn)."""
MOST_BYTES = 1 << 30
"""The most memory of the codes of repeated rows (none)."""
KEPT_ROWS = 4_000_000
"""Tables up to this size keep their distinct rows, since a fit asks for them five times (fit)."""
WITHIN_ROWS, WITHIN_FEWEST_ROWS, WITHIN_LEVELS = 50_000, 10_000, 1_500_000
"""Rows that trees of places within bins are grown from: in a wide table fewer, of as many levels in all (fit)."""

CLASS_ROWS = 20_000
"""Distinct rows that hidden classes start from, at most: to tell classes apart takes no more (likelihood)."""

# When is anything boosted, and when does it teach?

SMALL_STEP_ROWS = 5_000
"""Up to this many rows steps are smaller: a step on few rows is noisier, and there is time for more of them (boosted)."""
BOOSTED_ROWS = 100_000_000
"""Rows, weights included, that can be boosted at all (none)."""
PILOTS = 16
"""Nodes that every way of boosting is tried on first (quality, likelihood)."""
VERTEX_ROWS, VERTEX_ONES = 40, 5
"""A vertex of a number's digits that fewer rows reach has no stages, nor one whose digit hardly ever differs (boosted)."""
TAUGHT_ROWS, TAUGHT_CELLS = 100, 1 << 28
"""A table that has a teacher has no fewer rows, which hardly judge one, and no more cells, each row by its weight (fit)."""
TEACHER_ROWS = 20_000
"""That a teacher learns from, at most (likelihood, fit)."""
JUDGED_ROWS = 1_500
"""Held-out rows that choose stages and judge students, about: of small tables all parts, of large ones the first (fit)."""

# Which columns, states and cells?

IDENTIFIER_STATES = 50
"""A column with more states than this, most of them in one row only, is reported, and has no say in pooled scores (none)."""
ORDER_STATES = 64
"""A variable of more states is counted with neighbours put together: an order needs no tables of a billion cells (learn)."""
BAND_CELLS = 1 << 22
"""Cells of 2-way tables that are held at once, or those of one variable (learn)."""
MOST_CUTS = 7
"""The cuts of each variable, evenly spread over its edges: 7 of them separate eighths of the rows (likelihood, learn)."""
ALONE_STATES = 6
"""From here on the states of a category that most rows have are offered alone (likelihood)."""
MOST_ALONE, ALONE_ROWS = 15, 20
"""The most states of a category that are offered alone, and the fewest rows of such a state (likelihood)."""
COPY_STATES, COPY_CELLS = 8, 1 << 20
"""The fewest states of both columns of which one may be a function of the other (of fewer, a graph can pay for the split),
and the most cells of its table (likelihood)."""
EXCEPTIONS, COPY_ROWS = 0.005, 1_000
"""The share of rows, at most, that are exceptions to a function; and rows that are looked at first (likelihood, learn)."""
GUESSED_STATES = 4
"""Of a number that has a linear guess (likelihood)."""
WITHIN_READ = 30
"""Variables that trees of places within bins read: of more, those that the law ties to the number (fit)."""
ROWS_A_CELL = 5
"""Conditional mutual information is given where the inputs' joint table has this many rows a cell or more (none)."""
SEARCHED_STATES = 1 << 20
"""The joint domain is searched for recurrent classes up to this many states (none)."""
LOSSLESS_CELLS = 1 << 20
"""The lossless source is proposed where its table has at most this many cells (none)."""
