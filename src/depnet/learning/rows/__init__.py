"""The rows that networks are learned from, tried on and held out of.

- `training`: a dataset, and what learning makes of it, once;
- `some_rows`: some rows of a dataset, or rows drawn again;
- `distinct`: the distinct rows of a table, by hashes;
- `held_out`: which rows are held out;
- `contexts`: H(X_i | all other variables), from distinct rows;
- `pair_counts`: 2-way counts of variables, which an order is chosen by.
"""
