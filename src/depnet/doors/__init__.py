"""Doors: a model asked from SQL, from another program, by an assistant. Every door reads questions with the library's own
words, answers rows together, and says what is wrong in the library's own sentences.

- `rows`: a model asked about all rows of a frame at once, for every door
- `sql`: functions and macros in DuckDB
"""

from depnet.doors.sql import register

__all__ = ["register"]
