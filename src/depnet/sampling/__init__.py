"""Pseudo-Gibbs sampling (Sec. 2.2 and 5): chains, many at once, their rows and their diagnostics.

In reading order: `plan` (network, scan and evidence made ready), `kernels` (ways to run chains), `run` (what users call).
"""

from depnet.sampling.run.diagnostics import (
    Diagnostics,
    diagnose,
    effective_sample_size,
    split_r_hat,
    standard_error,
)
from depnet.sampling.run.interrupted import SamplingInterrupted
from depnet.sampling.run.mixing import Mixing
from depnet.sampling.run.sampler import Sampler, SamplingReport, sample
from depnet.sampling.run.trace import trace

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
