"""What is written is written whole, over nothing unasked, and errors of the system say what to do."""

import resource
from pathlib import Path

import pytest

from depnet.cli.files import OutputError, is_model, save_text


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No space left on device"):
        save_text("text", "/dev/full", False)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = tmp_path / "large.txt"
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old[1]))
    try:
        with pytest.raises(
            OutputError, match=r"large\.txt was not written \(File too large\)\. Raise the limit"
        ):
            save_text("x" * 100_000, str(path), False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert list(tmp_path.iterdir()) == []


def test_models_are_told_from_tables(model: Path, table: Path, tmp_path: Path) -> None:
    import depnet

    assert is_model(str(model))
    assert not is_model(str(table))
    assert not is_model(str(tmp_path))
    assert not is_model("no-such-file")
    depnet.save(depnet.load(model), tmp_path / "m.json.gz")
    assert is_model(str(tmp_path / "m.json.gz"))
    (tmp_path / "torn.gz").write_bytes(b"\x1f\x8b")
    assert not is_model(str(tmp_path / "torn.gz"))
