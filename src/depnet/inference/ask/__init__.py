"""One question.

- `query`: who answers it, an ordered law or clamped inference; log-probabilities, the mode;
- `by`: the same question for every group of a table;
- `explain`: what an answer rests on;
- `information`: how much columns tell of each other;
- `intervene`: what is likely where a column is set.
"""
