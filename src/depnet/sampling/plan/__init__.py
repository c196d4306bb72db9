"""Network, scan and evidence made ready for chains.

In reading order: `words` (random words by counter), `thresholds` (distributions as intervals of words), `plan` (network,
scan and evidence, checked once), `reducible` (whether the chain has one law).
"""
