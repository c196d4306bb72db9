"""What a command writes: whole, over nothing unasked and over no file that is read; errors of the system say what to do."""

import os
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import depnet as library
from depnet.cli.files import OutputError, is_model, save_text
from depnet.cli.main import COMMANDS
from depnet.cli.main import depnet as whole
from tests.cli.entry import depnet, real, refused
from tests.data.files.test_write import small_files
from tests.narrowed import there
from tests.refusals import refuses


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_cannot_do_without_is_asked_for_before_it_begins(name: str) -> None:
    command = there(whole.get_command(click.Context(whole), name))
    needed = [each for each in command.params if each.required]
    for lacking in needed:
        words = [
            word
            for each in needed
            if each is not lacking
            for word in ([each.opts[0], "a"] if isinstance(each, click.Option) else ["a"])
        ]
        assert "Missing" in refused(name, *words, code=2), lacking.name


NAMES: dict[str, Callable[[Path, Path], None]] = {
    "itself": lambda _, __: None,
    "symbolic link": lambda old, new: new.symlink_to(old),
    "hard link": lambda old, new: new.hardlink_to(old),
    "relative": lambda old, new: new.symlink_to(os.path.relpath(old, new.parent)),
}
READ = {
    "fit": ["fit", "TABLE"],
    "update": ["update", "MODEL", "TABLE"],
    "score": ["score", "MODEL", "TABLE"],
    "impute": ["impute", "MODEL", "TABLE"],
    "query": ["query", "MODEL", "survived", "--each", "TABLE"],
    "export": ["export", "MODEL", "--format", "csv", "--data", "TABLE"],
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", READ)
def test_the_table_that_is_read_is_never_replaced(
    command: str, name: str, model: Path, table: Path, tmp_path: Path
) -> None:
    own = tmp_path / "table.csv"
    own.write_bytes(table.read_bytes())
    out = own if name == "itself" else tmp_path / "out.csv"
    NAMES[name](own, out)
    words = [{"TABLE": own, "MODEL": model}.get(word, word) for word in READ[command]]
    for force in ([], ["--force"]):
        assert "is an input of this command" in refused(*words, "-o", out, *force)
    assert "is an input of this command" in refused(
        *words, "-o", f"../{tmp_path.name}/{out.name}", "--force", cwd=tmp_path
    )
    assert own.read_bytes() == table.read_bytes()


@pytest.mark.parametrize("command", ["sample", "score", "impute", "query", "export"])
def test_nor_is_the_model_unless_it_is_updated(
    command: str, model: Path, table: Path, tmp_path: Path
) -> None:
    own = tmp_path / "model.json"
    own.write_bytes(model.read_bytes())
    words = {**READ, "sample": ["sample", "MODEL"]}[command]
    given = [{"TABLE": table, "MODEL": own}.get(word, word) for word in words]
    assert "is an input of this command" in refused(*given, "-o", own, "--force")
    assert own.read_bytes() == model.read_bytes()
    depnet("update", own, table, "-o", own, "--force")
    assert own.read_bytes() != model.read_bytes()


def test_nor_is_a_table_on_standard_input(table: Path, tmp_path: Path) -> None:
    own = tmp_path / "table.csv"
    own.write_bytes(table.read_bytes())

    def from_the_file() -> None:
        os.dup2(os.open(own, os.O_RDONLY), 0)

    said = refused("fit", "-", "-o", own, "--force", by=real, before=from_the_file)
    assert "is an input of this command" in said
    assert own.read_bytes() == table.read_bytes()


def test_nor_is_one_of_the_files_that_are_read_in_chunks(tmp_path: Path) -> None:
    own = tmp_path / "rows.parquet"
    own.write_bytes(b"PAR1")
    for source in (tmp_path, tmp_path / "*.parquet"):
        said = refused("fit", source, "--memory", "1GB", "-o", own, "--force")
        assert "is an input of this command" in said
    assert own.read_bytes() == b"PAR1"


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No space left on device"):
        save_text("text", "/dev/full", False)
    said = r"large\.txt was not written \(File too large\)\. Raise the limit .*ulimit -f"
    with small_files(4096):
        refuses(OutputError, said, save_text, "x" * 100_000, str(tmp_path / "large.txt"), False)
    assert list(tmp_path.iterdir()) == []


def test_models_are_told_from_tables(model: Path, table: Path, tmp_path: Path) -> None:
    assert is_model(str(model))
    assert not is_model(str(table))
    assert not is_model(str(tmp_path))
    assert not is_model("no-such-file")
    library.save(library.load(model), tmp_path / "m.json.gz")
    assert is_model(str(tmp_path / "m.json.gz"))
    (tmp_path / "torn.gz").write_bytes(b"\x1f\x8b")
    assert not is_model(str(tmp_path / "torn.gz"))
