"""Networks for a mean over many: tables of one domain, where sources may also split variables with an order at a cut."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from depnet.data import Dataset
from depnet.learning.grow.cuts import CutDomain
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.options import LearnOptions
from depnet.learning.penalty import Penalty
from depnet.learning.rows.training import TrainingRows
from depnet.learning.work import Work
from depnet.model.network import Network


@dataclass(frozen=True, eq=False)
class CutLearner:
    """Learns networks of tables of one domain, with a penalty and a pseudo-count for each node.

    With a `share` below 1 a category's source may read only that share of the variables, drawn anew for each table (where
    there are cuts to read): for a mean over networks, which then do not all lean on the same few of many correlated numbers.
    """

    specs: Sequence[NodeSpec]
    penalties: Sequence[Penalty]
    smoothings: Sequence[float]
    share: float = 1.0
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    n_jobs: int | None = 1
    options: LearnOptions = field(default_factory=lambda: LearnOptions(cuts=True))
    """The limits of nodes."""
    max_seconds: float | None = None
    with_cuts: CutDomain | None = None
    """Of the domain, where there are many tables of it."""

    def __call__(self, dataset: Dataset) -> Network:
        """The network of these rows."""
        rows, specs = TrainingRows(dataset, self.with_cuts), self.specs
        if rows.with_cuts.cuts:
            specs = [self._sharing(spec, dataset) for spec in specs]
        work = Work.of(self.n_jobs, self.max_seconds)
        return learn_nodes(rows, specs, self.penalties, self.options, work).smoothed(self.smoothings)

    def _sharing(self, spec: NodeSpec, dataset: Dataset) -> NodeSpec:
        """The node with its share of the variables, and their cuts."""
        if self.share >= 1 or dataset.domain.variables[spec.target].bins is not None:
            return spec
        dropped = np.flatnonzero(self.rng.random(len(dataset.domain)) >= self.share).tolist()
        return replace(spec, barred=spec.barred.union(dropped))
