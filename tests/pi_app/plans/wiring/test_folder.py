"""The folder with all files of a table."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from pi_app.plans.wiring.folder import SUMS, files, write
from pi_app.settings.load import EXAMPLES, example_path, load
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from tests.pi_app.plans.wiring.tables import read, text_of

SMALL = {"guide.md": b"one\n", "deep/plate.stl": b"two\n"}


def there(path: Path) -> dict[str, bytes]:
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_it_is_written_completely(tmp_path: Path) -> None:
    write(tmp_path / "out", SMALL)
    found = there(tmp_path / "out")
    assert {name: found[name] for name in SMALL} == SMALL
    assert found[SUMS].decode().splitlines()[0] == (
        "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a  deep/plate.stl"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_its_own_old_files_are_replaced(tmp_path: Path) -> None:
    write(tmp_path / "out", SMALL)
    write(tmp_path / "out", {"pins.md": b"new\n"})
    assert set(there(tmp_path / "out")) == {"pins.md", SUMS}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["notes.txt", "guide.md"])
def test_files_of_others_are_left_alone(tmp_path: Path, name: str) -> None:
    write(tmp_path / "out", SMALL)
    (tmp_path / "out" / name).write_bytes(b"- [x] soldered\n")
    before = there(tmp_path / "out")
    with pytest.raises(UserFileError) as refused:
        write(tmp_path / "out", {"guide.md": b"new\n"})
    assert str(refused.value) == (
        f"{tmp_path / 'out'} (folder): it has files that were changed by hand or came from elsewhere ({name}); "
        "nothing was written. Name a new folder with -o, or move these files."
    )
    assert there(tmp_path / "out") == before


def test_a_file_in_its_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"mine")
    with pytest.raises(UserFileError, match="came from elsewhere \\(out\\)"):
        write(tmp_path / "out", SMALL)
    assert (tmp_path / "out").read_bytes() == b"mine"


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "out", SMALL)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserFileError, match="\\(link\\)"):
        write(tmp_path / "out", SMALL)


def test_a_missing_parent_folder(tmp_path: Path) -> None:
    with pytest.raises(UserFileError) as refused:
        write(tmp_path / "no" / "out", SMALL)
    assert str(refused.value) == (
        f"{tmp_path / 'no/out'} (folder): it cannot be written (No such file or directory); its old files are "
        "unchanged. Check the parent folder, its permissions and the disk."
    )


@pytest.mark.parametrize("at", range(1, 4))
def test_a_full_disk_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """For each file."""
    write(tmp_path / "out", SMALL)
    before, calls = there(tmp_path / "out"), iter(range(1, 100))

    def full(fd: int) -> None:
        if next(calls) == at:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pi_app.plans.wiring.folder.os.fsync", full)
    with pytest.raises(UserFileError, match="No space left on device"):
        write(tmp_path / "out", {**SMALL, "pins.md": b"new"})
    assert there(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_rename_restores_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "out", SMALL)
    before, rename = there(tmp_path / "out"), Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(errno.EIO, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(UserFileError, match="Input/output error"):
        write(tmp_path / "out", {"guide.md": b"new"})
    assert there(tmp_path / "out") == before


# -------------------------------------------------------------------------------------------------- the content


@pytest.mark.parametrize("size", EXAMPLES)
def test_the_index_names_every_file(size: str) -> None:
    made = files(load(example_path(size)), "trapdial.toml")
    linked = re.findall(r"\]\(([^)]+)\)", made["README.md"].decode())
    assert sorted(linked) == sorted(set(made) - {"README.md"})


@pytest.mark.parametrize("size", EXAMPLES)
def test_links_lead_to_files_of_the_folder(size: str) -> None:
    made = files(load(example_path(size)), "trapdial.toml")
    for name, data in made.items():
        if name.endswith(".md"):
            for link in re.findall(r"\]\(([^)#]+)", data.decode()):
                assert link in made, f"{name}: {link}"


def swapped(text: str) -> Settings:
    return read(text.replace("SAMPLE-A", "SAMPLE-?").replace("SAMPLE-B", "SAMPLE-A").replace("SAMPLE-?", "SAMPLE-B"))


def test_nothing_reveals_which_table_is_where() -> None:
    """All players can see these files (S-9)."""
    text = text_of(8, 2)
    mixed = "\n".join(
        line.replace("SAMPLE-A", "SAMPLE-B") if place % 3 else line for place, line in enumerate(text.splitlines())
    )
    assert files(read(mixed), "trapdial.toml") == files(swapped(mixed), "trapdial.toml")
    assert b"SAMPLE" not in b"".join(files(read(mixed), "trapdial.toml").values())
