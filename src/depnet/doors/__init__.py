"""Doors: a model asked from SQL, from another program, by an assistant. Every door reads questions with the library's own
words, answers rows together, and says what is wrong in the library's own sentences.

- `rows`: a model asked about all rows of a frame at once, for every door; `documents`: answers as JSON
- `sql`: functions and macros in DuckDB
- `server`, `guard`, `deadlines`: a server, what it lets in, and how long it waits; the page has the same
- `served`: a model that others ask; `requests`: what it is asked and says, as types; `api`: the HTTP API
- `tools`: tools of an assistant; `card`: the model card
"""
