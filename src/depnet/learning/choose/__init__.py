"""What the rows choose: the penalty and smoothing, and the order of an ordered network.

- `auto`: learning with a given penalty or with one chosen on held-out rows, and `tune`;
- `ladder`: the penalties and smoothings to choose from; `trials`: their scores, and what follows from them;
- `order`: the order "auto"; `forest`: the trees of most information, which that order walks along.
"""
