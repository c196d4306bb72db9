"""The rows that networks are learned from, and what learning may take.

- `some_rows`: some rows of a dataset, rows drawn again, and rows that are held out;
- `distinct`: the distinct rows of a table, by hashes; `contexts`: H(X_i | all other variables), from them;
- `work`: threads, time and leaves.
"""
