"""Information sources grown by splits and merges, all nodes of a network.

- `node_specs`: the nodes to learn, with what each may read;
- `nodes`: the one loop over nodes, with progress, a time limit and a file to resume from;
- `native`: the native learner of a table in memory; `parallel`: its nodes on many threads;
- `rounds`: growing from counts, where the rows lie in parts;
- `journal`: a file of lines that grows; `resume`: the one that a killed fit goes on from;
- `cuts`: splits of binned variables at an edge; `cut_learner`: networks with cuts, for a mean over many.
"""
