"""Network, scan and evidence made ready for chains.

In reading order: `words` (random words by counter), `thresholds` (distributions as intervals of words), `rule` (what a node
does once evidence is known), `row_finder` (how it finds its row of thresholds), `plan` (all of it, checked once),
`reducible` (whether the chain has one law).
"""
