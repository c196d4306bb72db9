"""The law of an ordered network, Q(x) = product over i of theta_i(x_i | Y_i(x)): one law, with a density.

In reading order:

- `program`: passes that draw from it, weighted where something is known, and moves of states;
- `factors`: its tables as factors, and their products;
- `elimination`: sums and maxima of them over all variables but some; which variables an answer depends on; the mode;
- `draw`: drawing until an answer is good enough; weighted passes, resampled and moved; which levels of numbers an answer
  depends on, beside codes; rows given evidence.
"""
