"""Chains run for users.

In reading order: `sampler` (rows of a network's law, all at once or streamed), `mixing` (the pilot that sets burn-in and
thinning), `trace` (one chain, update by update), `diagnostics` (R-hat, effective sample size, standard error),
`interrupted` (Ctrl-C keeps what was drawn).
"""
