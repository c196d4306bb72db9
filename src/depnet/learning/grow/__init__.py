"""Information sources grown by splits and merges, all nodes of a network.

- `node_specs`: the nodes to learn, with what each may read;
- `nodes`: the one loop over nodes, with progress and a time limit;
- `native`: the native learner of a table in memory; `parallel`: its nodes on many threads;
- `cuts`: splits of variables with an order at a cut; `cut_learner`: networks with cuts, for a mean over many.
"""
