"""Kernels: ways to run the chains of a plan, the fastest that fits being chosen.

In reading order: `base` (what every kernel does, and the one for any network), `packed` (a chain's state in a few words),
`callback` (sources in Python).
"""

from depnet.errors import SamplingError
from depnet.sampling.kernels.base import CodesKernel, Kernel, Randomness, State, Task, start_codes
from depnet.sampling.kernels.callback import CallbackKernel
from depnet.sampling.kernels.packed import PackedKernel
from depnet.sampling.plan.plan import ChainPlan

__all__ = [
    "CallbackKernel",
    "CodesKernel",
    "Kernel",
    "PackedKernel",
    "Randomness",
    "State",
    "Task",
    "choose_kernel",
    "start_codes",
]

KERNELS: dict[str, type[PackedKernel | CodesKernel | CallbackKernel]] = {
    "packed": PackedKernel,
    "codes": CodesKernel,
    "callback": CallbackKernel,
}


def choose_kernel(plan: ChainPlan, name: str = "auto") -> Kernel:
    """The fastest kernel that can run the plan, or the one called `name`.

    All kernels run the same chains. At 12 binary variables `packed` makes 3 times as many site updates a second as `codes`
    in one chain of the sequential scan, 4 times as many in one of the random scan and 7 times as many in 4,096
    (`python -m benchmarks sample`).
    """
    if name != "auto":
        if name not in KERNELS or not KERNELS[name].fits(plan):
            fitting = ", ".join(repr(other) for other, kind in KERNELS.items() if kind.fits(plan))
            raise SamplingError(f"kernel {name!r} cannot run this network and scan; these can: {fitting}.")
        return KERNELS[name](plan)
    return next(kind(plan) for kind in KERNELS.values() if kind.fits(plan))
