"""One question and its answer.

In reading order:

- `query`: `depnet.query`: who answers, an ordered law or clamped inference;
- `question`, `target`: what was asked, checked, and the answer put together, whoever found it;
- `part`, `spread`: what was found of tables of variables, and how the errors of states hang together;
- `result`, `table`, `remark`: the answer with its errors, table by table, and what a person should know of it;
- `numbers`: what it says of numbers: means and quantiles;
- `interval`: between what it lies in the population that the rows come from;
- `shown`: how it is shown: as text, in a notebook, as a frame;
- `observed`: what rows of a table say of it: their frequencies, and how many match the evidence;
- `small_counts`: the same with counts of few rows hidden;
- `most_probable`, `density`: the most probable state, and log-probabilities.
"""
