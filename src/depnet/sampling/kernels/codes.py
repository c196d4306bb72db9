"""The kernel for any network: tables over few inputs, decision graphs walked for the rest."""

from depnet._native import sampler as native
from depnet.arrays import CodeArray
from depnet.sampling.kernels.base import TILE, Randomness, State, Task, tiles_by_chain, tiles_by_variable
from depnet.sampling.plan.plan import Plan, impossible
from depnet.sampling.plan.program import RowFinder, native_nodes


class CodesKernel:
    """Codes in bytes, 64 chains at a time; any cardinality, either scan."""

    name = "codes"
    alignment = TILE
    updates_a_call = 2**22

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        finders = [finder for finder in plan.finders if isinstance(finder, RowFinder)]
        self.nodes = native_nodes(plan.variables, plan.rules, finders, plan.weights)

    @staticmethod
    def fits(plan: Plan) -> bool:
        """Every source has a native form."""
        return all(finder is not None for finder in plan.finders)

    def state(self, codes: CodeArray) -> State:
        """Tiles of 64 chains."""
        return tiles_by_chain(codes) if self.plan.random else tiles_by_variable(codes)

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        """Advance the chains."""
        place = native.codes(self.nodes, task.native(self.plan.random), *randomness.arguments, state, out)
        if place >= 0:
            raise impossible(self.plan, place)
