"""Bad arguments: each error says who, what was expected, what came."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, Network, geometry
from depnet.errors import DataError, DistributionError, DomainTooLargeError, ModelError
from depnet.geometry import FullConditionalManifold
from depnet.geometry.size import check_dense
from tests.refusals import refuses
from tests.wide import of_constants

P = np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.2]])

BAD_JOINTS: list[tuple[Any, str]] = [
    (2 * P, "p sums to 2; a distribution sums to 1. Divide it by its sum"),
    (P - [[0.2, 0.2, 0.2], [0.0, 0.0, 0.0]], "p[0, 0] is -0.1; probabilities are not negative"),
    (P * math.nan, "not finite"),
    (np.where(P > 0.2, math.inf, P), "not finite"),
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
        refuses(DistributionError, re.escape(message), call)


@pytest.mark.parametrize(
    ("variable", "message"), [(2, "0..1"), (-1, "0..1"), ((0, 0), "distinct"), (0.5, "int or a tuple")]
)
def test_what_is_no_variable(variable: Any, message: str) -> None:
    for call in (geometry.full_conditional, geometry.conditional_entropy, FullConditionalManifold.of_joint):
        refuses(DistributionError, re.escape(message), call, P, variable)


@pytest.mark.parametrize("variables", [(), (0, 1)])
def test_a_full_conditional_is_of_one_variable(variables: tuple[int, ...]) -> None:
    for call in (geometry.full_conditional, FullConditionalManifold.of_joint):
        refuses(DistributionError, "of one variable; got the variables", call, P, variables)


@pytest.mark.parametrize("weights", [(0.5, 0.4), (1.5, -0.5), (1.0,), (math.nan, 1.0), ((0.5, 0.5),)])
def test_what_are_no_weights(weights: Any) -> None:
    for call in (geometry.full_conditional_divergence, geometry.pseudo_log_likelihood):
        refuses(DistributionError, "weights", call, P, P, weights)
    refuses(DistributionError, "weights", geometry.fc_limit, P, Network.from_joint(P), weights)


def test_a_manifold_keeps_its_own_read_only_theta() -> None:
    theta = np.array([[0.5, 0.5]])
    manifold = FullConditionalManifold(theta, 1)
    theta[0, 0] = 7.0
    assert manifold.theta.tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        manifold.theta[0, 0] = 7.0


def test_parameters_of_geodesics_are_finite() -> None:
    for geodesic in (geometry.m_geodesic, geometry.e_geodesic):
        wrong: list[Any] = [math.inf, math.nan, "half", None, 10**400]
        for lam in wrong:
            refuses(DistributionError, "lam is a finite number; got", geodesic, P, P, lam)


def test_negative_entropies_of_negative_numbers() -> None:
    for f in (geometry.NEGATIVE_ENTROPY, geometry.negative_conditional_entropy()):
        refuses(DistributionError, "non-negative", geometry.bregman_divergence, f, P, P - 0.2)


NETWORK, FIRST, WORDS = Network.from_joint(P), FullConditionalManifold.of_joint(P, 0), ["a", "b"]
WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    # the message names the argument
    (lambda: geometry.kl(P, 2 * P), DistributionError, "q sums to 2"),
    (lambda: geometry.m_geodesic(P, 2 * P, 0.5), DistributionError, "p1 sums to 2"),
    (lambda: geometry.orthogonality(P, P, 2 * P), DistributionError, "r sums to 2"),
    # shapes that do not fit
    (lambda: geometry.kl(P, P.T), DistributionError, "p has the shape (2, 3) and q (3, 2)"),
    (lambda: geometry.e_geodesic(P, P.T, 0.5), DistributionError, "p0 has the shape (2, 3) and p1 (3, 2)"),
    (
        lambda: geometry.bregman_divergence(geometry.NEGATIVE_ENTROPY, P, P.T),
        DistributionError,
        "vectors of one space",
    ),
    (lambda: geometry.fc_limit(P.T, NETWORK), DistributionError, "domain has the cardinalities (2, 3)"),
    (lambda: geometry.m_projection(P.T, FIRST), DistributionError, "theta of shape (2, 3)"),
    (
        lambda: geometry.m_projection(P, FullConditionalManifold([[1.0, 1.0, 1.0]], 0)),
        DistributionError,
        "only axes of other variables",
    ),
    (lambda: geometry.m_projection(P.reshape(2, 1, 3), FIRST), DistributionError, "(2, 1, 3)"),
    # what is no conditional distribution
    (lambda: FullConditionalManifold([[0.5, 0.4]], 1), DistributionError, "it sums to 0.9 in some context"),
    (lambda: FullConditionalManifold([[2.0, -1.0]], 1), DistributionError, "least entry is -1"),
    (lambda: FullConditionalManifold(1.0, 0), DistributionError, "one axis for each variable"),
    # a node must not be clamped itself
    (lambda: geometry.kl_by_evidence(P, FIRST, (1, 0)), DistributionError, "variable 0 is clamped"),
    (lambda: FIRST.given({0: 1}), DistributionError, "variable 0 is clamped"),
    (lambda: FIRST.given({1: 3}), DistributionError, "codes 0..2; got evidence 3"),
    # what is no number
    (lambda: geometry.fc_limit(P, NETWORK, WORDS), DistributionError, "weights are 2 numbers c_i"),
    (lambda: FullConditionalManifold(WORDS, 0), DistributionError, "theta is a tensor of numbers"),
    # of another domain, or one that is too large
    (lambda: geometry.manifolds(of_constants([2] * 70)), DomainTooLargeError, "a tensor of 70 axes"),
    (
        lambda: FullConditionalManifold.of_node(NETWORK.nodes[0], (2, 2)),
        ModelError,
        "variable 1 to have 3 states",
    ),
    (
        lambda: FullConditionalManifold.of_node(NETWORK.nodes[0], (4, 3)),
        DistributionError,
        "a table of 2 states",
    ),
    (
        lambda: geometry.conditional_entropy(P.T, 0, given=NETWORK.nodes[0].source),
        ModelError,
        "variable 1 to have 3 states",
    ),
    (lambda: geometry.empirical(Dataset.from_codes([], [2, 2])), DataError, "at least one"),
    (lambda: geometry.empirical(Dataset.from_codes([[0, 1]], [2, 2], [0])), DataError, "at least one"),
    (
        lambda: geometry.empirical(Dataset.from_codes(np.zeros((3, 40), dtype=int), [2] * 40)),
        DomainTooLargeError,
        "1,099,511,627,776 joint states and needs 8 TiB",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_wrong_arguments(call: Callable[[], object], error: type[Exception], message: str) -> None:
    refuses(error, re.escape(message), call)


def test_the_error_says_states_memory_limit_and_way_out() -> None:
    check_dense([2, 3], bytes_per_state=8, what="a joint", limit_bytes=48)
    with pytest.raises(DomainTooLargeError) as error:
        check_dense([2, 3], bytes_per_state=8, what="a joint", limit_bytes=47)
    assert str(error.value).startswith(
        "a joint over 2 variables has 6 joint states and needs 48 bytes, more than the limit of 47 bytes. "
    )
    assert "depnet.sample" in str(error.value)


@pytest.mark.parametrize(
    ("variables", "states", "memory"),
    [
        (40, "1,099,511,627,776", "8 TiB"),
        (1000, "about 10^301", "about 10^290 TiB"),
        (50_000, "about 10^15051", "about 10^15040 TiB"),
    ],
)
def test_the_guard_holds_at_any_number_of_variables(variables: int, states: str, memory: str) -> None:
    with pytest.raises(DomainTooLargeError, match="joint states") as error:
        check_dense([2] * variables, bytes_per_state=8, what="a joint")
    assert f"has {states} joint states and needs {memory}, more than the limit of 4 GiB" in str(error.value)


def test_more_axes_than_numpy_has() -> None:
    refuses(DomainTooLargeError, "axes", check_dense, [1] * 1000, bytes_per_state=8, what="a joint")
