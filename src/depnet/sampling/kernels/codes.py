"""The kernel for any network: tables over few inputs, decision graphs and stages walked for the rest."""

from depnet._native import sampler as native
from depnet.arrays import CodeArray
from depnet.sampling.kernels.base import NativeKernel, State, tiles_by_chain, tiles_by_variable
from depnet.sampling.kernels.nodes import native_nodes, node_choice
from depnet.sampling.plan.plan import ChainPlan


class CodesKernel(NativeKernel):
    """Codes in bytes, 64 chains at a time; any cardinality, either scan."""

    name = "codes"
    updates_a_call = 2**22

    def _native(self, plan: ChainPlan) -> native.Nodes:
        finders = [finder for finder in plan.finders if finder is not None]
        return native_nodes(plan, finders, node_choice(plan))

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        """Every source has a native form; boosted nodes are walked chain by chain, as the random scan does anyway."""
        return all(f is not None and (plan.random or f.boosted is None) for f in plan.finders)

    def state(self, codes: CodeArray) -> State:
        """Tiles of 64 chains."""
        return tiles_by_chain(codes) if self.plan.random else tiles_by_variable(codes)
