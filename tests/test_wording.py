"""The name that somebody may have meant."""

from depnet.wording import nearest


def test_nearest_names() -> None:
    assert nearest("a", ["b"]) == "There is: 'b'."
    assert nearest("q", map(str, range(1000))).endswith("and 995 more.")
    assert nearest("name 9999", [f"name {i}" for i in range(10_000)]) == "Did you mean 'name 9999'?"
