"""Learning from rows that are read a chunk at a time: by the workers of a Dask cluster, or by this process.

- `fit`: `learn`, the network of `depnet.learn` from such rows, and what `depnet fit --cluster` does;
- `source`: the chunks of Parquet files, or of a Dask data frame;
- `places`: where the chunks are worked on: by workers, or in this process;
- `table`: a table after its first pass, its rows or a sample of them in one place, and tables counted over all rows.
"""

from depnet.cluster.fit import learn as learn
