"""The law of an ordered network, Q(x) = product over i of theta_i(x_i | Y_i(x)): one law, with a density.

In reading order: `program` draws from it in one pass, with weights where something is known, and moves states;
`conditional` finds what an answer depends on; `elimination` conditions it exactly; `draw` makes rows given evidence.
"""
