"""Information sources Y_i: what a node knows of the other variables (Sec. 2.1 and 4.5).

- `limits`: what is written out, looked up or kept: the constants of `model` that decide it
- `joint_states`: all joint states of some variables, as rows of codes
- `source`: the protocol; the constant, the lossless, a user's own function, and one written out as the leaves of all joint
  states of its inputs
- `decision_graph`: splits and merges, and the learned source that they record
- `restrict`: a source where some variables are fixed
"""
