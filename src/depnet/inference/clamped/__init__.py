"""Clamped inference (Sec. 5): the law of a network's chain when known variables are held at their states.

In reading order:

- `relevance`: the part of the network that a question needs;
- `answer`: answers, from exact laws where these are small;
- `sampled`: answers from chains, run until the standard errors are small enough;
- `chains`: chains of one row or of many, by the native batch: where they start, what they say, and whether they agree;
- `rows`: many rows with holes, and joint draws of their holes.
"""
