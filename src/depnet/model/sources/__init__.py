"""Information sources Y_i: what a node knows of the other variables (Sec. 2.1 and 4.5).

- `source`: the protocol; the constant, the lossless and a user's own function
- `operations`, `decision_graph`: splits and merges, and the learned source that they record
- `tabulated`: a function written out; `enumerate`: all joint states of inputs, and their leaves
- `restrict`: a source where some variables are fixed
- `replay`: operations replayed on rows
"""
