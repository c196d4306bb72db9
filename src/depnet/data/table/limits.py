"""Which way a column takes, and how much is held at once: the constants of `data` that decide it.

The benchmark that would show the effect of each is named (`python -m benchmarks NAME`), none where there is none.
"""

MAX_COLUMNS = 250
"""Columns a query: more are no quicker (read)."""
PATTERN_COLUMNS = 25
"""The same where text is compared with patterns: ten times as many take a fifth longer (none)."""
SAMPLE = 1000
"""Rows that show what the text of a column may be; all others are then asked whether they are that, too (read)."""
SHORT_ROWS = 20_000
"""Up to here a table is short: to fetch its text takes less time than queries do (fit)."""
SHORT_CELLS = 2_000_000
"""Cells of a short table that are fetched at once (fit)."""
MANY_CUTS = 64
"""Above this many comparisons a number, bisection is quicker (read)."""
CACHED_NUMBERS = 1 << 16
"""Numbers that are compared with all cuts before the next ones: they stay in the processor's cache (read)."""
FEW_LABELS = 1_000
"""Labels of a column's first chunk that are written to Parquet by their places, at most: texts are slow (draws)."""

# How much memory?

DEFAULT_MEMORY = 10**9
"""Bytes that reading may use where nothing is said (read)."""
LEAST_MEMORY = 100 * 10**6
"""The least that may be said, and what a thread of the engine needs (read)."""
TEXT_MEMORY = 250 * 10**6
"""Bytes that loading a text file needs at least: its buffers of long lines, and a row group of Parquet (read)."""
COLUMN_MEMORY = 150_000
"""What one column of a text file takes on its way: some vectors of 2,048 texts (none)."""
NUMBER_MEMORY = 32
"""A number on its way: in the engine, in numpy, without its holes, sorted (read)."""
IN_MEMORY = 256 * 10**6
"""Bytes of numbers that a table keeps in memory beside its codes; more are kept in a file (read)."""
