"""Pseudo-Gibbs sampling (Sec. 2.2 and 5): chains, many at once, their rows and their diagnostics.

In reading order: `words` (random words by counter, distributions as intervals of words), `plan` (network, scan and evidence,
checked once), `chains` (how chains move, and their rows), `sampler` (rows of a network's law, all at once or streamed),
`mixing` (the pilot that sets burn-in and thinning), `trace` (one chain, update by update), `diagnostics` (R-hat, effective
sample size, standard error).
"""

from depnet.sampling.diagnostics import (
    Diagnostics,
    diagnose,
    effective_sample_size,
    split_r_hat,
    standard_error,
)
from depnet.sampling.mixing import Mixing
from depnet.sampling.sampler import Sampler, SamplingInterrupted, SamplingReport, sample
from depnet.sampling.trace import trace

__all__ = [
    "Diagnostics",
    "Mixing",
    "Sampler",
    "SamplingInterrupted",
    "SamplingReport",
    "diagnose",
    "effective_sample_size",
    "sample",
    "split_r_hat",
    "standard_error",
    "trace",
]
