"""A second user of the machine reads the files that Trapdial writes: streams, recordings, drafts, the keys' folder.

He cannot: every file is for its owner alone, whatever the umask, also a file that was there before with another mode.
"""

from __future__ import annotations

import ast
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.text.private_files import emptied_file, make_folder, replace_file
from tests.layers import FILES, ROOT

WRITES_FOR_EVERYONE = {
    "pi_app/cli/completion.py": "the shell's own completions hold no secret",
    "pi_app/cli/docs_html.py": "pages of the documentation",
    "pi_app/plans/printed/folder.py": "models of printed parts",
    "pi_app/plans/printed/files.py": "models of printed parts, into memory",
    "pi_app/station/package/__main__.py": "the list of wheels, in the source",
    "pi_app/station/package/build.py": "the package, which everybody may have",
    "pi_app/station/package/debian.py": "the package, which everybody may have",
    "pi_app/station/package/wheelhouse.py": "wheels of the package, and a copy of the source",
    "pi_app/station/updates/deb_file.py": "the program's own wheels",
    "pi_app/station/package/signing.py": "public keys and signatures; the key itself is written as a new private file",
    "pi_app/station/updates/refusals.py": "why an update was refused, in one word",
    "pi_app/station/service/install.py": "links to units of the system",
    "pi_app/station/updates/trees.py": "the program's own folder, and the links that name it",
    "pi_app/station/updates/trial.py": "how many trials were cut",
    "pi_app/station/updates/update.py": "the program's own package",
    "pi_app/station/updates/wheels.py": "the program's own files",
    "pi_app/sender/confined.py": "how soon the kernel ends this process when memory is short",
    "pi_app/simulated/fleet.py": "simulated games in the demo's own temporary folder",
    "pi_app/plans/wiring/folder.py": "drawings of wires, which name no trap table",
    "pi_app/workshop/bench/centre/centre_process.py": "what a simulated centre prints, in the bench's temporary folder",
    "pi_app/workshop/bench/centre/load.py": "copied entries in the bench's own temporary folder",
    "pi_app/workshop/bench/hub.py": "a link to a pseudo-terminal in the bench's own temporary folder",
    "pi_app/workshop/bench/soak_table.py": "simulated games in the bench's own temporary folder",
    "pi_app/workshop/bench/wiring.py": "settings of the bench's own temporary folder",
    "firmware_host/sims/board_twin.py": "a simulated board's files",
    "firmware_host/sims/on_board/machine.py": "a simulated board's pipes",
    "pi_app/text/private_files.py": "the module that all others use",
}
"""Where the product writes files without `private_files`, and why that is no secret."""

OPENS_WHAT_IS_THERE = {
    "pi_app/journal/files.py": {"connect", "open"},  # the journal: created by `lock` with 0600, before SQLite opens it
    "pi_app/journal/archive.py": {"connect"},  # created by `new_file`, before SQLite opens it
    "pi_app/journal/record/key_ring.py": {"open"},  # overwrites a key file that is there with zeros
    "pi_app/journal/disk_trouble.py": {"open"},  # an empty probe, 0600
    "pi_app/centre/store/opening.py": {"open"},  # an empty file to lock, 0600
    "pi_app/centre/store/sqlite.py": {"connect"},  # created by `new_file`, before SQLite opens it
    "pi_app/cli/terminal.py": {"open"},  # /dev/null
    "pi_app/displays/terminal_driver.py": {"open"},  # the terminal itself
    "hardware/lights_out.py": {"open"},  # device files
    "hardware/i2c_device.py": {"open"},  # device files
}


def _mode(call: ast.Call, place: int) -> str:
    """The mode of a call of `open`, as text: every constant in it."""
    named = [word.value for word in call.keywords if word.arg == "mode"]
    given = named or call.args[place : place + 1]
    return "".join(str(node.value) for each in given for node in ast.walk(each) if isinstance(node, ast.Constant))


def _flags(call: ast.Call) -> set[str]:
    return {node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)}


WRITERS = {"write_text", "write_bytes", "touch", "mkdir", "makedirs", "mkfifo", "mknod", "copy", "copy2", "copyfile",
           "copytree", "copymode", "symlink_to", "symlink", "umask"}  # fmt: skip


def _writing(call: ast.Call) -> str | None:
    """The name of a call that writes a file or creates a folder; None for any other."""
    target = call.func
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    owner = target.value.id if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) else ""
    if owner == "os" and name == "open":
        return name if _flags(call) & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND"} else None
    if name == "open":
        mode = _mode(call, 0 if isinstance(target, ast.Attribute) else 1)
        return name if set(mode) & set("wax+") and set(mode) <= set("rwaxbt+U0") else None
    if name == "connect" and owner == "sqlite3":
        return name
    if name == "ZipFile":
        return name
    if name in WRITERS and not (name == "copy" and owner != "shutil"):
        return name
    return None


def _writes(file: str, source: str) -> Iterator[str]:
    if not any(f"{name}(" in source for name in (*WRITERS, "open", "connect", "ZipFile")):
        return  # most files need no parsing
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = _writing(node)
        if name is not None and name not in OPENS_WHAT_IS_THERE.get(file, ()):
            yield f"{file}:{node.lineno}: {name}"


def test_every_file_that_could_hold_a_secret_is_written_through_one_module() -> None:
    found = [
        each
        for file in FILES
        if file not in WRITES_FOR_EVERYONE
        for each in _writes(file, (ROOT / file).read_text(encoding="utf-8"))
    ]
    assert not found, "these write without pi_app.text.private_files:\n" + "\n".join(found)


def test_every_reviewed_place_still_writes() -> None:
    idle = [file for file in (*WRITES_FOR_EVERYONE, *OPENS_WHAT_IS_THERE) if file not in FILES]
    idle += [
        f"{file}: {name}"
        for file, names in OPENS_WHAT_IS_THERE.items()
        for name in names
        if name
        not in {_writing(node) for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.Call)}
    ]
    assert not idle


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "path.open('r+b')",
        "path.write_text('x')",
        "os.open(path, os.O_WRONLY)",
        "os.makedirs(path)",
        "path.mkdir(parents=True)",
        "shutil.copyfile(a, b)",
        "sqlite3.connect(path)",
    ],
)
def test_the_walk_finds_each_way_to_write(line: str) -> None:
    assert len(list(_writes("new.py", line))) == 1


@pytest.mark.parametrize("line", ["open(path)", "path.open('rb')", "os.open(path, os.O_RDONLY)", "game.open(labels)"])
def test_the_walk_passes_what_only_reads(line: str) -> None:
    assert not list(_writes("new.py", line))


@pytest.fixture
def everyone_reads() -> Iterator[None]:
    """A umask that takes nothing away, as some services have."""
    before = os.umask(0)
    yield
    os.umask(before)


def _open_to_others(folder: Path) -> list[str]:
    paths = [folder, *folder.rglob("*")]
    return [f"{path}: {stat.S_IMODE(path.stat().st_mode):o}" for path in paths if path.stat().st_mode & 0o077]


@pytest.mark.usefixtures("everyone_reads")
def test_a_demo_with_streams_leaves_nothing_for_others(tmp_path: Path) -> None:
    streams, journal = tmp_path / "a" / "streams", tmp_path / "game.db"
    streams.parent.mkdir(mode=0o700)
    done = CliRunner().invoke(
        main,
        ["demo", "--size", "2x2", "--auto", "--exposes", "1", "--streams", str(streams), "--journal", str(journal)],
    )
    assert done.exit_code == 0, done.output
    assert len(list(streams.iterdir())) == 5
    assert (tmp_path / "game.db.keys" / "device.key").exists()
    tmp_path.chmod(0o700)
    assert _open_to_others(tmp_path) == []


@pytest.mark.usefixtures("everyone_reads")
def test_pages_exports_archives_and_recordings_are_the_owners_alone(tmp_path: Path) -> None:
    journal, settings = tmp_path / "game.db", tmp_path / "trapdial.toml"

    def run(*words: object) -> None:
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code in (0, 3), done.output

    run("demo", "--size", "2x2", "--auto", "--exposes", "1", "--journal", journal)
    for name in ("page.html", "export.jsonl", "record.csv"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(0o666)
    run("audit", journal, "-o", tmp_path / "page.html")
    run("journal", "export", journal, "-o", tmp_path / "export.jsonl")
    run("journal", "merge", journal, "-o", tmp_path / "archive.db")
    emptied_file(settings)
    settings.write_text(CliRunner().invoke(main, ["settings", "example", "2x2"]).output)
    run("record", "-s", settings, "--simulated", "--seconds", "0.2", "--overwrite", "-o", tmp_path / "record.csv")
    settings.write_text(settings.read_text() + '\n[pages]\naddress = "10.77.0.1"\n')
    (tmp_path / "cards.svg").write_text("old")
    (tmp_path / "cards.svg").chmod(0o666)
    run("pages", "cards", "-s", settings, "-o", tmp_path / "cards")
    run("pages", "cards", "-s", settings, "--overwrite", "-o", tmp_path / "cards.svg")
    tmp_path.chmod(0o700)
    assert _open_to_others(tmp_path) == []


def test_a_file_planted_by_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / "public.jsonl"
    planted.write_text("his")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(PermissionError, match="it belongs to another user"):
        emptied_file(planted)
    assert planted.read_text() == "his"


def test_a_link_planted_in_a_streams_folder_is_not_followed(tmp_path: Path) -> None:
    folder, other = tmp_path / "streams", tmp_path / "other.txt"
    folder.mkdir()
    other.write_text("keep")
    (folder / "public.jsonl").symlink_to(other)
    done = CliRunner().invoke(main, ["demo", "--size", "2x2", "--auto", "--exposes", "1", "--streams", str(folder)])
    assert done.exit_code == 2
    assert done.stderr == (
        f"{folder} (folder for streams) cannot be written (Too many levels of symbolic links). "
        "Choose another with --streams.\n"
    )
    assert other.read_text() == "keep"


@pytest.mark.usefixtures("everyone_reads")
def test_every_new_folder_on_the_way_is_private(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b" / "c")
    tmp_path.chmod(0o700)
    assert _open_to_others(tmp_path) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        make_folder(tmp_path / "file")


@pytest.mark.usefixtures("everyone_reads")
def test_a_replaced_file_is_private_and_a_failed_one_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    replace_file(path, b"one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"two")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"one"]


def test_a_device_is_written_as_it_is(tmp_path: Path) -> None:
    os.close(emptied_file(Path("/dev/null")))
    assert Path("/dev/null").is_char_device()
