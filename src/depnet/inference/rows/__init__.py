"""Many rows with holes: what is not known is asked given what is.

In reading order:

- `query`: `depnet.query_rows`: who answers, an ordered law or clamped inference; scores of rows with holes;
- `impute`: holes filled, by modes or by joint draws, also of a long table; which are filled where missing is a state.
"""
