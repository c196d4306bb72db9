"""Kernels: ways to run the chains of a plan, the fastest that fits being chosen.

In reading order: `base` (what every kernel does), `nodes` (a plan handed to the native core), `codes` (any network),
`packed` (a chain's state in a few words), `sliced` (binary networks, one bit a chain), `callback` (sources in Python).
"""

from depnet.errors import SamplingError
from depnet.sampling.kernels.base import Kernel, Randomness, State, Task, start_codes
from depnet.sampling.kernels.callback import CallbackKernel
from depnet.sampling.kernels.codes import CodesKernel
from depnet.sampling.kernels.packed import PackedKernel
from depnet.sampling.kernels.sliced import SlicedKernel
from depnet.sampling.plan.plan import ChainPlan

__all__ = [
    "CallbackKernel",
    "CodesKernel",
    "Kernel",
    "PackedKernel",
    "Randomness",
    "SlicedKernel",
    "State",
    "Task",
    "choose_kernel",
    "start_codes",
]

KERNELS: dict[str, type[SlicedKernel | PackedKernel | CodesKernel | CallbackKernel]] = {
    "sliced": SlicedKernel,
    "packed": PackedKernel,
    "codes": CodesKernel,
    "callback": CallbackKernel,
}
SLICED_CHAINS = 256
"""The fewest chains for which bit slices pay."""


def choose_kernel(plan: ChainPlan, chains: int, name: str = "auto") -> Kernel:
    """The fastest kernel that can run the plan, or the one called `name`.

    The choice depends on the plan and on the number of chains, never on the machine: the sliced kernel
    makes other words for a chain than the others do, so a seed's rows would change with it.
    """
    if name != "auto":
        if name not in KERNELS or not KERNELS[name].fits(plan):
            fitting = ", ".join(repr(other) for other, kind in KERNELS.items() if kind.fits(plan))
            raise SamplingError(f"kernel {name!r} cannot run this network and scan; these can: {fitting}.")
        return KERNELS[name](plan)
    if chains >= SLICED_CHAINS and SlicedKernel.fits(plan):
        return SlicedKernel(plan)
    if (
        chains >= 8
        and not plan.random
        and CodesKernel.fits(plan)
        and max(plan.network.domain.cardinalities) > 2
    ):
        return CodesKernel(plan)  # a node's loop over the chains' bytes is as fast as gathering bits
    return next(kind(plan) for kind in (PackedKernel, CodesKernel, CallbackKernel) if kind.fits(plan))
