"""Pseudo-Gibbs sampling (Sec. 2.2 and 5): chains, many at once, their rows and their diagnostics.

In reading order: `plan` (network, scan and evidence, checked once), `chains` (random words by counter; how chains move, and
their rows), `mixing` (R-hat, effective sample size, standard error; the pilot that sets burn-in and thinning), `sampler`
(rows of a network's law, all at once or streamed; one chain, update by update).
"""

from depnet.sampling.mixing import (
    Diagnostics,
    Mixing,
    diagnose,
    effective_sample_size,
    split_r_hat,
    standard_error,
)
from depnet.sampling.sampler import Sampler, SamplingInterrupted, SamplingReport, sample, trace

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
