"""Kernels: ways to run the chains of a plan, the fastest that fits being chosen."""

from depnet.errors import ModelError
from depnet.sampling.kernels.base import Kernel, Randomness, State, Task, start_codes
from depnet.sampling.kernels.callback import CallbackKernel
from depnet.sampling.kernels.codes import CodesKernel
from depnet.sampling.plan import Plan

__all__ = [
    "CallbackKernel",
    "CodesKernel",
    "Kernel",
    "Randomness",
    "State",
    "Task",
    "choose_kernel",
    "start_codes",
]


def choose_kernel(plan: Plan, chains: int, name: str = "auto") -> Kernel:
    """The fastest kernel that can run the plan, or the one called `name`.

    The choice depends on the plan and on the number of chains, never on the machine: kernels draw
    different words for the same chain, so a seed's result would change with it.
    """
    if name not in ("auto", "codes", "callback"):
        raise ModelError(f"kernel is 'auto', 'codes' or 'callback'; got {name!r}.")
    if name == "callback" or not CodesKernel.fits(plan):
        return CallbackKernel(plan)
    return CodesKernel(plan)
