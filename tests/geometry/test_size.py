import pytest

from depnet.errors import DomainTooLargeError
from depnet.geometry.size import check_dense


def test_what_fits_passes() -> None:
    check_dense([2] * 20, bytes_per_state=8, what="a joint")
    check_dense([2, 3], bytes_per_state=8, what="a joint", limit_bytes=48)


def test_the_error_says_states_memory_limit_and_way_out() -> None:
    with pytest.raises(DomainTooLargeError) as error:
        check_dense([2, 3], bytes_per_state=8, what="a joint", limit_bytes=47)
    assert str(error.value).startswith(
        "a joint over 2 variables has 6 joint states and needs 48 bytes, more than the limit of 47 bytes. "
    )
    assert "depnet.sample" in str(error.value)


@pytest.mark.parametrize(
    ("variables", "states", "memory"),
    [(40, "1.1e+12", "8 TiB"), (1000, "1.1e+301", "7.8e+289 TiB"), (50_000, "3.2e+15051", "2.3e+15040 TiB")],
)
def test_the_guard_holds_at_any_number_of_variables(variables: int, states: str, memory: str) -> None:
    with pytest.raises(DomainTooLargeError, match="joint states") as error:
        check_dense([2] * variables, bytes_per_state=8, what="a joint")
    assert f"has {states} joint states and needs {memory}, more than the limit of 4 GiB" in str(error.value)


def test_more_axes_than_numpy_has() -> None:
    with pytest.raises(DomainTooLargeError, match="axes"):
        check_dense([1] * 1000, bytes_per_state=8, what="a joint")
