"""The rows that networks are learned from, tried on and held out of, wherever they lie.

- `learning_rows`: the one protocol that learning asks of rows;
- `prepared`: a dataset made ready to grow nodes from, once; `table`: rows of a dataset in memory;
- `part`: one part of the rows, and what a round of growing asks of it;
- `workers`: where parts are, in this process or elsewhere; `parts`: rows in many parts as one table;
- `some_rows`: some rows of a dataset, or rows drawn again;
- `distinct`: the distinct rows of a table, by hashes;
- `held_out`: which rows are held out, of a table and of parts alike;
- `contexts`: H(X_i | all other variables), from distinct rows;
- `paired_counts`: rows counted by two information sources at once;
- `pair_counts`: 2-way counts of variables, which an order is chosen by.
"""
