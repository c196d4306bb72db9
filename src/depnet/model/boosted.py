r"""Boosted nodes: theta as an exponential family over many decision graphs (ours, beyond the paper).

.. math:: \theta_i(x \mid x_{-i}) \propto \exp\big(s_0[Y^0(x_{-i}), x] + \sum_m s_m[Y^m(x_{-i}), x]\big)

The first source Y^0 is the one-leaf source, whose scores are the base rates, or a learned decision graph; stages
(`depnet.model.stages`) are added to it. The information source of such a node is the tuple of all Y^m, still a
deterministic function of the other variables; its table is not free, but of this family. So everything that holds for every
theta_i holds for it: pseudo-Gibbs sampling, the manifold E(theta_i), Theorem 3. It has no table of counts, so Theorem 4's
counting does not apply. One stage with free scores is the paper's node.

The scores of a number's node may be those of the digits of its word instead of its states (`depnet.model.stages`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import ByFields, CodeArray, FloatArray, LeafArray, read_only, set_fields
from depnet.data.table.dataset import Dataset
from depnet.errors import DomainTooLargeError, ModelError, brief
from depnet.model.node import Node, TableNode, checked_variable, compile_source, is_looked_up
from depnet.model.sources.limits import CELLS_AT_ONCE, MOST_WRITTEN
from depnet.model.sources.restrict import KeptVariables, find_reached, restrict
from depnet.model.sources.source import (
    ConstantSource,
    InformationSource,
    JointStates,
    LosslessSource,
    checked_rows,
    how_many_joint_states,
    product_within,
)
from depnet.model.stages import MOST_SCORE, UNIT, DigitTree, Scores, Stages, digit_arrays, theta_of
from depnet.model.table import ConditionalTable

FARTHEST = 700.0
"""Nats: exp is computed of no more and of no less."""
BOUND_SLACK = 1e-9
"""A bound on probabilities is larger by this share than what it was computed as, which was rounded."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoostedNode(ByFields, Node):
    r"""A node whose theta adds up many small decision graphs: a first source with its scores, and stages added to it.

    .. math:: \theta_i(x \mid \cdot) \propto \exp \left(\sum_m s_m[Y_m, x]\right)

    Args:
        variable: i, the number of the variable.
        start: the first source.
        start_scores: [leaf, state] of the first source, in multiples of `stages.UNIT`.
        stages: the small decision graphs, with their scores.
        gains: what each of `inputs` told about the variable: nats a row of the rows that it was learned from.
        digits: where the scores in column v are of the logit of vertex v of this tree, and the last column is empty; None:
            where they are of the states.

    >>> from depnet import Boost, learn, titanic
    >>> node = learn(titanic(), boost=Boost(stages=10), smoothing=0.5).nodes[3]
    >>> node.boosted, node.inputs
    (True, (0, 1, 2))
    >>> node.probabilities(titanic().codes[:1]).round(2).tolist()
    [[0.42, 0.58]]
    """

    variable: int
    start: InformationSource
    start_scores: Any  # `Scores`, once it is made
    stages: Stages
    gains: Any = None  # a `FloatArray`, once it is made: zeros
    digits: DigitTree | None = None
    inputs: tuple[int, ...] = field(init=False)
    boosted: ClassVar[bool] = True

    def __post_init__(self) -> None:
        variable, start, stages, digits = (
            checked_variable(self.variable),
            self.start,
            self.stages,
            self.digits,
        )
        who = f"node {variable}"
        scores = read_only(np.array(self.start_scores, dtype=np.int32, order="C"))
        if scores.ndim != 2 or scores.shape != (start.size, stages.states):
            raise ModelError(
                f"{who}: its first source has {start.size} leaves and its stages {stages.states} states; the first scores "
                f"have the shape {scores.shape}."
            )
        if digits is not None and digits.states != stages.states:
            raise ModelError(
                f"{who}: it has {stages.states} states, and a tree of digits of {digits.states}."
            )
        most = stages.largest_sums().max(initial=0) + np.abs(scores.astype(np.int64)).max(initial=0)
        if most >= MOST_SCORE:
            raise ModelError(f"{who}: its scores sum to more than 1,000 nats.")
        inputs = tuple(sorted({*start.inputs, *stages.inputs}))
        if variable in inputs:
            raise ModelError(f"{who}: it reads variable {variable}, which the node itself updates.")
        gains = np.zeros(len(inputs)) if self.gains is None else np.array(self.gains, dtype=np.float64)
        if gains.shape != (len(inputs),) or not np.isfinite(gains).all():
            raise ModelError(
                f"{who}: it has {len(inputs)} inputs; expected one finite gain each, got {brief(self.gains)}."
            )
        set_fields(self, variable=variable, start_scores=scores, gains=read_only(gains), inputs=inputs)

    def __getattr__(self, name: str) -> NoReturn:
        """What a boosted node has in the place of one source and one table."""
        if name in ("source", "table"):
            what = "single information source" if name == "source" else "conditional table"
            raise ModelError(
                f"{self._who()} has no {what}. Ask node.probabilities(codes) and node.inputs, or node.start and node.stages "
                "for its first graph and what is added to it; node.tabulated(cardinalities) writes it out where its inputs "
                "are few."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _who(self) -> str:
        return f"node {self.variable} is boosted: it"

    @property
    def states(self) -> int:
        return self.stages.states

    @property
    def counts(self) -> None:
        return None

    @property
    def always_possible(self) -> NDArray[np.bool_]:
        return np.ones(self.states, dtype=bool)

    def scores(self, codes: CodeArray) -> Scores:
        """[N, |X_i|]: the sum of all scores for every row of `codes`, in multiples of `stages.UNIT`."""
        table = checked_rows(codes, self.inputs)
        kind = np.uint8 if table.dtype in (np.uint8, np.bool_) else np.uint16
        if (
            table.dtype not in (np.uint8, np.uint16, np.bool_)
            and table.size
            and not 0 <= table.min() <= table.max() < 2**16
        ):
            raise ModelError(
                f"{self._who()} is evaluated on codes from 0 to 65535; got {table.min()}..{table.max()}."
            )
        flat: CodeArray = np.asarray(table, dtype=kind, order="F")  # type: ignore[assignment]
        return self.stages.sums(flat, self.start_scores[self.start(flat)])

    def probabilities(self, codes: CodeArray) -> FloatArray:
        return self.theta(self.scores(codes))

    def theta(self, scores: Scores) -> FloatArray:
        """Theta [N, |X_i|] of summed scores: of the states, or of the digits of their words."""
        return theta_of(scores, self.digits)

    def own_probabilities(self, codes: CodeArray) -> FloatArray:
        size = max(1, CELLS_AT_ONCE // self.states)
        parts = [  # in pieces, as scores are of all states
            self.probabilities(part)[np.arange(len(part)), part[:, self.variable]]
            for part in (codes[at : at + size] for at in range(0, len(codes), size))
        ]
        return np.concatenate([np.zeros(0), *parts])

    def log_theta(self, dataset: Dataset) -> FloatArray:
        codes: CodeArray = np.asarray(dataset.codes, order="F")  # type: ignore[assignment]
        return np.asarray(np.log(self.own_probabilities(codes)))

    def largest_theta(self) -> FloatArray:
        """A bound on theta_i(x | .) for each state x: no row has more, whatever its codes are.

        The odds of x against another state are at most the largest of each stage, multiplied.
        """
        scores = np.concatenate([self.start_scores, self.stages.scores]).astype(np.int64)
        begins = np.concatenate(
            [[0], self.stages.begin[:-1] + np.arange(len(self.stages)) + len(self.start_scores)]
        )
        if self.digits is not None:
            least_logit, most_logit = (
                np.clip(end.reduceat(scores, begins).sum(axis=0)[:-1] * UNIT, -FARTHEST, FARTHEST)
                for end in (np.minimum, np.maximum)
            )
            theta = np.ones(self.states)
            for v, (low, middle, high) in enumerate(self.digits.vertices):
                theta[low:middle] /= 1 + np.exp(least_logit[v])
                theta[middle:high] /= 1 + np.exp(-most_logit[v])
            return np.minimum(theta * (1 + BOUND_SLACK), 1.0)
        most = np.empty(self.states)
        for x in range(self.states):
            # The sum over stages of the smallest score of each other state less that of x.
            least = np.minimum.reduceat(scores - scores[:, x : x + 1], begins).sum(axis=0)
            most[x] = 1.0 / np.exp(np.clip(least * UNIT, -FARTHEST, FARTHEST)).sum()
        return np.minimum(most * (1 + BOUND_SLACK), 1.0)

    def largest_mean(self, weights: FloatArray) -> float:
        # Most of the mass on the states of most weight, none of which can have more than its own bound.
        order = np.argsort(-weights, kind="stable")
        most = self.largest_theta()[order]
        before = np.minimum(np.cumsum(most) - most, 1.0)
        return float(np.minimum(most, 1.0 - before) @ weights[order])

    def open_inputs(self, fixed: Mapping[int, int]) -> frozenset[int]:
        first, _ = find_reached(self.start, {j: (code,) for j, code in fixed.items()})
        return first.union(self.stages.decided(fixed)[0].inputs)

    def restricted(self, number: int, fixed: Mapping[int, int], kept: KeptVariables) -> "BoostedNode":
        start, leaves = restrict(self.start, fixed, kept)
        stages, constant = self.stages.decided(fixed)
        renumbered = replace(stages, variable=kept.number[stages.variable].astype(np.int32))
        gains = {int(kept.number[j]): gain for j, gain in zip(self.inputs, self.gains.tolist(), strict=True)}
        inputs = sorted({*start.inputs, *renumbered.inputs})
        return BoostedNode(
            number,
            start,
            self.start_scores[leaves] + constant,
            renumbered,
            np.array([gains[j] for j in inputs]),
            self.digits,
        )

    def smoothed(self, smoothing: float) -> "BoostedNode":
        """There is nothing to smooth: an error."""
        raise ModelError(
            f"{self._who()} has no counts to smooth. No probability of it is 0; its scores were regularised when it was "
            "learned: fit again for other ones."
        )

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        self.start.check_domain(cardinalities)
        self.stages.check_domain(cardinalities)
        if self.states != cardinalities[self.variable]:
            raise ModelError(
                f"its scores are of {self.states} states, variable {self.variable} has {cardinalities[self.variable]}."
            )

    def written_out(self, states: JointStates) -> tuple[LeafArray, FloatArray]:
        theta = np.concatenate([self.probabilities(codes) for codes in states.parts()])
        return np.arange(len(theta), dtype=np.int32), theta

    def compile(self, compiled: native.Network, cardinalities: Sequence[int]) -> None:
        if is_looked_up(self.inputs, cardinalities):
            leaves, theta = self.written_out(JointStates(cardinalities, self.inputs))
            compiled.add_table(self.variable, np.array(self.inputs, dtype=np.int32), leaves)
            compiled.set_theta(theta)
        else:
            compile_source(self.start, self.variable, compiled, cardinalities)
            compiled.set_stages(self.stages.native, self.start_scores, digit_arrays(self.digits))

    def tabulated(self, cardinalities: Sequence[int]) -> TableNode:
        cards = [cardinalities[j] for j in self.inputs]
        if not product_within(cards, MOST_WRITTEN):
            raise DomainTooLargeError(
                f"{self._who()} reads {len(cards)} variables with {how_many_joint_states(cards)} joint states, too many to "
                f"write out as one table (at most {MOST_WRITTEN:,})."
            )
        _, theta = self.written_out(JointStates(cardinalities, self.inputs))
        source = LosslessSource(self.inputs, tuple(cards)) if self.inputs else ConstantSource()
        return TableNode(self.variable, source, ConditionalTable.from_probabilities(theta))

    def __repr__(self) -> str:
        return f"BoostedNode(variable={self.variable}, inputs={self.inputs}, stages={len(self.stages)})"
