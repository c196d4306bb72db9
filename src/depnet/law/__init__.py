"""The law of an ordered network, Q(x) = product over i of theta_i(x_i | Y_i(x)): one law, with a density.

In reading order:

- `limits`: every constant that decides between exact and drawn answers, and when drawing stops;
- `program`: passes that draw from it, weighted where something is known, and moves of states; which variables and levels
  of numbers an answer depends on;
- `elimination`: its tables as factors; sums and maxima of their products over all variables but some; the mode;
- `draw`: drawing until an answer is good enough; weighted passes, resampled and moved; rows given evidence;
- `constraints`: rows that are made to keep what the table's do;
- `mixture`: rows of a mixture of ordered networks.
"""
