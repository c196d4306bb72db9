"""Boosted nodes learned from rows (ours, beyond the paper): stages of decision graphs, each one Newton step.

- `settings`: what a node is boosted with, and what `boost="auto"` chooses from
- `rows`: rows as bits, in an order of their own, and the tests that stages may split on
- `node`: one node, stage after stage; `digits`: a number's node, digit by digit
- `choose`: for each node one graph or stages, and which, by held-out rows
- `learn`: the nodes of a network, on many threads
"""
