"""Information sources Y_i: what a node knows of the other variables (Sec. 2.1 and 4.5).

- `source`: the protocol; the constant, the lossless, a user's own function; all joint states of inputs, and a function
  written out as their leaves
- `decision_graph`: splits and merges, and the learned source that they record
- `restrict`: a source where some variables are fixed
"""
