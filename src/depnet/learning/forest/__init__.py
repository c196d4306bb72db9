"""Forests: what numbers and categories are, given the values of the others, where bins are too coarse.

- `tree`: one tree with random tests, whose leaves keep rows;
- `column`: the trees of one column, their mean, their law, and what they say of rows they have not seen;
- `ridge`: what is linear in the other columns, and trees have left over;
- `law`: the law of a number, moved and calibrated.
"""
