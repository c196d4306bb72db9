"""Pseudo-Gibbs sampling (Sec. 2.2 and 5): chains, many at once, their rows and their diagnostics.

In reading order: `plan` (network, scan and evidence, checked once), `chains` (random words by counter; how chains move, and
their rows), `mixing` (R-hat and autocorrelation times; the pilot that sets burn-in and thinning), `sampler`
(rows of a network's law, all at once or streamed; one chain, update by update), `events` (rows in an event).
"""

from depnet.sampling.mixing import Mixing as Mixing
from depnet.sampling.sampler import Sampler as Sampler
from depnet.sampling.sampler import SamplingInterrupted as SamplingInterrupted
from depnet.sampling.sampler import SamplingReport as SamplingReport
from depnet.sampling.sampler import sample as sample
from depnet.sampling.sampler import trace as trace
