"""Pseudo-Gibbs sampling (Sec. 2.2 and 5): chains, many at once, their rows and their diagnostics."""

from depnet.sampling.arviz import to_arviz
from depnet.sampling.diagnostics import (
    Diagnostics,
    diagnose,
    effective_sample_size,
    split_r_hat,
    standard_error,
)
from depnet.sampling.expectation import Expectation, expectation
from depnet.sampling.interrupted import SamplingInterrupted
from depnet.sampling.mixing import Mixing
from depnet.sampling.sampler import Sampler, SamplingReport, sample
from depnet.sampling.trace import trace

__all__ = [
    "Diagnostics",
    "Expectation",
    "Mixing",
    "Sampler",
    "SamplingInterrupted",
    "SamplingReport",
    "diagnose",
    "effective_sample_size",
    "expectation",
    "sample",
    "split_r_hat",
    "standard_error",
    "to_arviz",
    "trace",
]
