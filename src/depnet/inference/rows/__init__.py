"""Many rows with holes: what is not known is asked given what is.

In reading order:

- `query`: `depnet.query_rows`: who answers, an ordered law or clamped inference;
- `impute`: holes filled, by modes or by joint draws, also of a long table, a chunk of rows at a time;
- `to_fill`: which holes are filled where missing is a state, and by what law;
- `holed_score`: scores of rows with holes.
"""
