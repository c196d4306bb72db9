"""One question and its answer.

In reading order:

- `query`: `depnet.query`: who answers, an ordered law or clamped inference;
- `question`: what was asked, checked, and the answer put together, whoever found it;
- `result`: the answer with its errors, and how it is shown;
- `observed`, `support`: what rows of a table say of it: their frequencies, and how many match the evidence;
- `small_counts`: the same with counts of few rows hidden;
- `most_probable`, `density`: the most probable state, and log-probabilities.
"""
