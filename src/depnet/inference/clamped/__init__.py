"""Clamped inference (Sec. 5): the law of a network's chain when known variables are held at their states.

In reading order:

- `relevance`: the part of the network that a question needs;
- `solved`: answers from exact laws;
- `sampled`: answers from chains, run until the standard errors are small enough;
- `starts`: where chains start;
- `chains`: chains of one row or of many, by the native batch;
- `estimates`: what chains say, how exactly, and whether they agree;
- `rows`: many rows with holes;
- `draws`: joint draws of their holes.
"""
