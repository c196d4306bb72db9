"""The elimination of single rows: one plan for all that have the same holes."""

import numpy as np
from numpy.typing import NDArray

from depnet.law.conditional import Conditional
from depnet.law.elimination import Elimination, EliminationPlan, network_plan
from depnet.model.evidence import Evidence
from depnet.model.network import Network

ROW_CELLS = 1 << 16
"""The cells of an elimination of one row, at most."""


class RowEliminations:
    """Eliminations of the rows of a network, their plans kept by the pattern of holes."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._plans: dict[tuple[bytes, bool], tuple[tuple[int, ...], EliminationPlan | None]] = {}

    def of(
        self, codes: NDArray[np.uint16], holes: NDArray[np.bool_], *, targets: bool = True
    ) -> Elimination | None:
        """The row's elimination, of all holes or (`targets=False`) of what is observed; None where it is too large."""
        network = self._network
        evidence = Evidence({int(i): int(codes[i]) for i in np.flatnonzero(~holes)}, {})
        key = (holes.tobytes(), targets)
        if key not in self._plans:
            if targets:
                asked = Conditional(network, evidence, tuple((i,) for i in np.flatnonzero(holes).tolist()))
            else:
                asked = Conditional.of_evidence(network, evidence)
            plan = network_plan(network, asked.variables, evidence, most_cells=ROW_CELLS)
            self._plans[key] = asked.variables, plan
        variables, plan = self._plans[key]
        return None if plan is None else Elimination.of(network, variables, evidence, plan)
