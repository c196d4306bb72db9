"""Bad arguments: each error says who, what was expected, what came."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from depnet import ConditionalTable, ConstantSource, Dataset, Domain, Network, TableNode, geometry
from depnet.errors import DataError, DistributionError, DomainTooLargeError, ModelError
from depnet.geometry import FullConditionalManifold

P = np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.2]])

BAD_JOINTS: list[tuple[Any, str]] = [
    (2 * P, "p sums to 2; a distribution sums to 1. Divide it by its sum"),
    (P - [[0.2, 0.2, 0.2], [0.0, 0.0, 0.0]], "p[0, 0] is -0.1; probabilities are not negative"),
    (P * math.nan, "not finite"),
    (np.where(P > 0.2, math.inf, P), "not finite"),
    (np.where(P > 0.2, math.inf, -math.inf), "not finite"),
    (np.full(P.shape, 1e308), "not finite"),
    (np.zeros((2, 0)), "has the shape (2, 0)"),
    (1.0, "has the shape ()"),
    ([[0.5], [0.25, 0.25]], "a tensor of numbers"),
    ("half", "a tensor of numbers"),
]


@pytest.mark.parametrize(("bad", "message"), BAD_JOINTS)
def test_what_is_no_joint(bad: Any, message: str) -> None:
    manifold = FullConditionalManifold.of_joint(P, 0)
    calls: list[Callable[[], object]] = [
        lambda: geometry.entropy(bad),
        lambda: geometry.conditional_entropy(bad, 0),
        lambda: geometry.kl(bad, P),
        lambda: geometry.full_conditional(bad, 0),
        lambda: geometry.m_projection(bad, manifold),
        lambda: geometry.kl_to_manifold(bad, manifold),
        lambda: manifold.contains(bad),
        lambda: geometry.kl_by_evidence(bad, manifold, 1),
        lambda: geometry.full_conditional_divergence(bad, P),
        lambda: geometry.pseudo_log_likelihood(bad, P),
        lambda: geometry.fc_limit(bad, Network.from_joint(P)),
        lambda: geometry.orthogonality(bad, P, P),
    ]
    for call in calls:
        with pytest.raises(DistributionError, match=re.escape(message)):
            call()


def test_the_message_names_the_argument() -> None:
    with pytest.raises(DistributionError, match=r"^q sums to 2"):
        geometry.kl(P, 2 * P)
    with pytest.raises(DistributionError, match=r"^p1 sums to 2"):
        geometry.m_geodesic(P, 2 * P, 0.5)
    with pytest.raises(DistributionError, match=r"^r sums to 2"):
        geometry.orthogonality(P, P, 2 * P)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(DistributionError, match=re.escape("p has the shape (2, 3) and q (3, 2)")):
        geometry.kl(P, P.T)
    with pytest.raises(DistributionError, match=re.escape("p0 has the shape (2, 3) and p1 (3, 2)")):
        geometry.e_geodesic(P, P.T, 0.5)
    with pytest.raises(DistributionError, match="vectors of one space"):
        geometry.bregman_divergence(geometry.NEGATIVE_ENTROPY, P, P.T)
    with pytest.raises(
        DistributionError, match=re.escape("the network's domain has the cardinalities (2, 3)")
    ):
        geometry.fc_limit(P.T, Network.from_joint(P))
    with pytest.raises(DistributionError, match=re.escape("theta of shape (2, 3)")):
        geometry.m_projection(P.T, FullConditionalManifold.of_joint(P, 0))
    with pytest.raises(DistributionError, match="only axes of other variables"):
        geometry.m_projection(P, FullConditionalManifold([[1.0, 1.0, 1.0]], 0))
    with pytest.raises(DistributionError, match=re.escape("(2, 1, 3)")):
        geometry.m_projection(P.reshape(2, 1, 3), FullConditionalManifold.of_joint(P, 0))


@pytest.mark.parametrize(
    ("variable", "message"), [(2, "0..1"), (-1, "0..1"), ((0, 0), "distinct"), (0.5, "int or a tuple")]
)
def test_what_is_no_variable(variable: Any, message: str) -> None:
    for call in (geometry.full_conditional, geometry.conditional_entropy, FullConditionalManifold.of_joint):
        with pytest.raises(DistributionError, match=re.escape(message)):
            call(P, variable)


@pytest.mark.parametrize("variables", [(), (0, 1)])
def test_a_full_conditional_is_of_one_variable(variables: tuple[int, ...]) -> None:
    for call in (geometry.full_conditional, FullConditionalManifold.of_joint):
        with pytest.raises(DistributionError, match="of one variable; got the variables"):
            call(P, variables)


@pytest.mark.parametrize("weights", [(0.5, 0.4), (1.5, -0.5), (1.0,), (math.nan, 1.0), ((0.5, 0.5),)])
def test_what_are_no_weights(weights: Any) -> None:
    for call in (geometry.full_conditional_divergence, geometry.pseudo_log_likelihood):
        with pytest.raises(DistributionError, match="weights"):
            call(P, P, weights)
    with pytest.raises(DistributionError, match="weights"):
        geometry.fc_limit(P, Network.from_joint(P), weights)


def test_what_is_no_conditional_distribution() -> None:
    with pytest.raises(DistributionError, match=re.escape("it sums to 0.9 in some context")):
        FullConditionalManifold([[0.5, 0.4]], 1)
    with pytest.raises(DistributionError, match="least entry is -1"):
        FullConditionalManifold([[2.0, -1.0]], 1)
    with pytest.raises(DistributionError, match="one axis for each variable"):
        FullConditionalManifold(1.0, 0)


def test_a_manifold_keeps_its_own_read_only_theta() -> None:
    theta = np.array([[0.5, 0.5]])
    manifold = FullConditionalManifold(theta, 1)
    theta[0, 0] = 7.0
    assert manifold.theta.tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        manifold.theta[0, 0] = 7.0


def test_a_node_must_not_be_clamped_itself() -> None:
    manifold = FullConditionalManifold.of_joint(P, 0)
    with pytest.raises(DistributionError, match="variable 0 is clamped"):
        geometry.kl_by_evidence(P, manifold, (1, 0))
    with pytest.raises(DistributionError, match="variable 0 is clamped"):
        manifold.given({0: 1})
    with pytest.raises(DistributionError, match=re.escape("codes 0..2; got evidence 3")):
        manifold.given({1: 3})


def test_parameters_of_geodesics_are_finite() -> None:
    for geodesic in (geometry.m_geodesic, geometry.e_geodesic):
        wrong: list[Any] = [math.inf, math.nan, "half", None, 10**400]
        for lam in wrong:
            with pytest.raises(DistributionError, match="lam is a finite number; got"):
                geodesic(P, P, lam)


def test_negative_entropies_of_negative_numbers() -> None:
    for f in (geometry.NEGATIVE_ENTROPY, geometry.negative_conditional_entropy()):
        with pytest.raises(DistributionError, match="non-negative"):
            geometry.bregman_divergence(f, P, P - 0.2)


def test_what_is_no_number() -> None:
    wrong: Any = ["a", "b"]
    with pytest.raises(DistributionError, match="weights are 2 numbers c_i"):
        geometry.fc_limit(P, Network.from_joint(P), wrong)
    with pytest.raises(DistributionError, match="theta is a tensor of numbers"):
        FullConditionalManifold(wrong, 0)


def test_more_variables_than_a_tensor_has_axes() -> None:
    table = ConditionalTable.from_probabilities([[0.5, 0.5]])
    nodes = tuple(TableNode(i, ConstantSource(), table) for i in range(70))
    with pytest.raises(DomainTooLargeError, match=r"a tensor of 70 axes.* depnet\.certificate"):
        geometry.manifolds(Network(Domain.from_cardinalities([2] * 70), nodes))


def test_a_node_of_another_domain() -> None:
    node = Network.from_joint(P).nodes[0]
    with pytest.raises(ModelError, match="variable 1 to have 3 states"):
        FullConditionalManifold.of_node(node, (2, 2))
    with pytest.raises(DistributionError, match="a table of 2 states"):
        FullConditionalManifold.of_node(node, (4, 3))


def test_a_source_of_another_domain() -> None:
    source = Network.from_joint(P).nodes[0].source
    with pytest.raises(ModelError, match="variable 1 to have 3 states"):
        geometry.conditional_entropy(P.T, 0, given=source)


def test_empirical_needs_rows_and_a_small_domain() -> None:
    with pytest.raises(DataError, match="at least one"):
        geometry.empirical(Dataset.from_codes(np.zeros((0, 2), dtype=int), [2, 2]))
    with pytest.raises(DataError, match="at least one"):
        geometry.empirical(Dataset.from_codes([[0, 1]], [2, 2], weights=[0]))
    with pytest.raises(DomainTooLargeError, match=r"1\.1e\+12 joint states and needs 8 TiB"):
        geometry.empirical(Dataset.from_codes(np.zeros((3, 40), dtype=int), [2] * 40))
