"""The kernel for any network: tables over few inputs, decision graphs and stages walked for the rest."""

from depnet.arrays import CodeArray
from depnet.sampling.kernels.base import TILE, Randomness, State, Task, tiles_by_chain, tiles_by_variable
from depnet.sampling.kernels.nodes import native_nodes, node_choice
from depnet.sampling.plan.plan import ChainPlan, impossible


class CodesKernel:
    """Codes in bytes, 64 chains at a time; any cardinality, either scan."""

    name = "codes"
    alignment = TILE
    updates_a_call = 2**22

    def __init__(self, plan: ChainPlan) -> None:
        self.plan = plan
        finders = [finder for finder in plan.finders if finder is not None]
        self.nodes = native_nodes(plan, finders, node_choice(plan))

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        """Every source has a native form; boosted nodes are walked chain by chain, as the random scan does anyway."""
        return all(f is not None and (plan.random or f.boosted is None) for f in plan.finders)

    def state(self, codes: CodeArray) -> State:
        """Tiles of 64 chains."""
        return tiles_by_chain(codes) if self.plan.random else tiles_by_variable(codes)

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        """Advance the chains."""
        place = self.nodes.run(task, randomness.native(), state, out)
        if place >= 0:
            raise impossible(self.plan, place)
