"""Clamped inference (Sec. 5): the law of a network's chain when known variables are held at their states.

In reading order:

- `relevance`: the part of the network that a question needs;
- `chains`: chains of one row or of many, by the native batch: where they start, what they say, and whether they agree;
  answers from them, run until the standard errors are small enough;
- `answer`: answers, from exact laws where these are small; many rows with holes, and joint draws of their holes.
"""
