"""Every file that a user names is opened in one place, `pi_app.text.plain_file`: no other module opens one to read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPENER = "pi_app/text/plain_file.py"

REVIEWED: dict[str, tuple[str, list[str]]] = {
    "pi_app/centre/pages/shell.py": ("files of the package", ["read_text", "read_text"]),
    "pi_app/centre/readers_file.py": ("the folder of the settings, to lock it", ["open"]),
    "pi_app/centre/parquet.py": (
        "a database in memory; files and a folder that it writes",
        ["connect", "fdopen", "open"],
    ),
    "pi_app/centre/store/opening.py": ("an empty file beside the store, to lock it", ["open"]),
    "pi_app/centre/store/postgres.py": ("a PostgreSQL server, at its socket or over a network", ["connect"]),
    "pi_app/centre/store/sqlite.py": ("SQLite after `check_plain`", ["connect"]),
    "pi_app/cli/terminal.py": ("/dev/null, in place of a closed standard output", ["open"]),
    "pi_app/displays/terminal_driver.py": ("the terminal of standard output, again, so that it never blocks", ["open"]),
    "pi_app/journal/archive.py": ("SQLite on a file that `files` has checked", ["connect", "connect"]),
    "pi_app/journal/disk_trouble.py": ("a new file (O_EXCL), to try the disk", ["open"]),
    "pi_app/journal/files.py": (
        "the lock (the descriptor is checked), and SQLite after `check_plain`",
        ["connect", "open"],
    ),
    "pi_app/journal/cosigned.py": ("its own folder, to lock it", ["open"]),
    "pi_app/journal/past.py": ("its own folder, to lock it; the heads that it has written", ["open", "read_text"]),
    "pi_app/journal/record/key_folder.py": (
        "folders, step by step from the root; the kernel's list of mounts",
        ["open", "open", "open", "open", "open", "read_text"],
    ),
    "pi_app/journal/record/key_ring.py": (
        "keys by name in an open folder, checked as plain files; keys that it writes or overwrites with zeros",
        ["fdopen", "open", "open", "open", "open"],
    ),
    "pi_app/journal/record/passphrase.py": ("the terminal", ["open"]),
    "pi_app/journal/stamps.py": ("the kernel's boot id and clock", ["read_text", "read_text"]),
    "pi_app/pages/page/__init__.py": ("files of the package", ["read_text"]),
    "pi_app/pages/process/__main__.py": ("the table, at its socket", ["connect"]),
    "pi_app/plans/config_txt.py": ("the device tree below /sys", ["read_bytes"]),
    "pi_app/plans/printed/files.py": ("an archive that it writes", ["ZipFile"]),
    "pi_app/plans/printed/scad.py": ("a file of the package", ["read_text"]),
    "pi_app/plans/wiring/folder.py": ("a picture of the package; files that it writes", ["open", "read_text"]),
    "pi_app/rooms/settings.py": ("an example of the package", ["read_text"]),
    "pi_app/sender/client.py": ("a centre or a witness, over the network", ["connect", "connect"]),
    "pi_app/sender/confined.py": ("the kernel's figures of this process", ["open"]),
    "pi_app/settings/hub_keys.py": ("a hub's key: its kind, owner and mode are checked", ["open"]),
    "pi_app/simulated/streams.py": ("files that it writes", ["fdopen"]),
    "pi_app/station/package/contents.py": (
        "files of the source, which the package is made of; the wheels, whose sums are checked",
        [
            "read_bytes",
            "read_bytes",
            "read_bytes",
            "read_bytes",
            "read_bytes",
            "read_text",
            "read_text",
            "read_text",
        ],
    ),
    "pi_app/station/package/debian.py": ("an archive in memory", ["open"]),
    "pi_app/station/package/imager.py": (
        "an image that its builder names, and the same unpacked",
        ["open", "read_bytes"],
    ),
    "pi_app/station/package/signing.py": (
        "the builder's keys, which they name; packages and keys that it writes",
        ["fdopen", "read_bytes", "read_bytes", "read_bytes"],
    ),
    "pi_app/station/package/wheelhouse.py": (
        "files of the source; the wheels, whose sums are checked",
        ["read_bytes", "read_text", "read_text", "read_text"],
    ),
    "pi_app/station/public/feed.py": ("the station's socket", ["connect"]),
    "pi_app/station/troubles/ring.py": ("the ring in the state folder: its kind is checked", ["open"]),
    "pi_app/station/updates/deb_file.py": ("a package's copy on this disk; an archive in memory", ["open", "open"]),
    "pi_app/station/updates/minisign.py": ("the builder's key in the package", ["read_bytes"]),
    "pi_app/station/updates/refusals.py": ("its own word", ["read_text"]),
    "pi_app/station/updates/trees.py": (
        "the program's own folders and what it writes there; a payload's list, whose sum is compared",
        ["open", "open", "read_bytes", "read_text"],
    ),
    "pi_app/station/updates/trial.py": ("its own count", ["open", "read_text"]),
    "pi_app/station/updates/update.py": ("a package's copy that it writes", ["open"]),
    "pi_app/station/updates/wheels.py": (
        "wheels of a payload, whose sums are compared, and what it writes",
        ["ZipFile", "open", "open", "open", "read_text", "read_text"],
    ),
    "pi_app/text/pages.py": ("a page of the package", ["read_text"]),
    "pi_app/text/private_files.py": (
        "files that it writes, and folders to sync",
        ["fdopen", "open", "open", "open"],
    ),
    "pi_app/text/pseudo.py": ("the catalogue of the package", ["open"]),
    "pi_app/text/user_file.py": ("a new file", ["fdopen"]),
    "pi_app/workshop/bench/__init__.py": ("the kernel's description of the machine", ["read_text", "read_text"]),
    "pi_app/workshop/bench/centre/centre_process.py": (
        "what the centre that it started has printed; the kernel's figures of it",
        ["open", "read_text", "read_text", "read_text"],
    ),
    "pi_app/workshop/bench/centre/load.py": ("files that it writes", ["mmap", "open", "open"]),
    "pi_app/workshop/bench/latency.py": ("the kernel's list of mounts", ["read_text"]),
    "pi_app/workshop/bench/memory.py": ("the kernel's figures of this process", ["read_text"]),
    "pi_app/workshop/bench/pages_table.py": ("the kernel's figures of the page process", ["read_text"]),
    "pi_app/workshop/doctor/own_network.py": ("a name server, over the network", ["connect"]),
    "pi_app/workshop/extras.py": ("the package's metadata", ["read_text"]),
    "pi_app/workshop/hubs.py": ("the folder, to sync it", ["open"]),
}
"""Modules that open files themselves: which ones, and every call. None of them reads a user's file."""

READERS = {"read_text", "read_bytes", "open", "fdopen", "connect", "TarFile", "ZipFile", "mmap"}
OWN = {"webbrowser.open", "self._opener.open", "self._muxes.open"}
"""Methods of that name that open no file."""


def opened(tree: ast.AST) -> Iterator[str]:
    """Every call that may open a file, by its last name: `open` of `os.open` and of `path.open`, `read_text`."""
    own_names = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pi_app")
        for name in node.names
    } | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        last = name.rpartition(".")[2]
        if last in READERS and name not in OWN and name not in own_names:
            yield last


def test_users_files_are_opened_in_one_place() -> None:
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("pi_app/**/*.py")
    }
    maybe = re.compile(rf"\b(?:{'|'.join(READERS)})\(")
    found = {file: sorted(opened(ast.parse(text))) for file, text in sorted(texts.items()) if maybe.search(text)}
    assert found.pop(OPENER) == ["fdopen", "open"]
    assert {file: calls for file, calls in found.items() if calls} == {
        file: calls for file, (_, calls) in REVIEWED.items()
    }


def test_what_opens_a_file_is_seen() -> None:
    code = "open(a)\np.open('rb')\np.read_text()\nos.open(p, 0)\nsqlite3.connect(p)\nwebbrowser.open(u)\nread_text(p)\n"
    assert list(opened(ast.parse(code))) == ["open", "open", "read_text", "open", "connect", "read_text"]
    through = "from pi_app.text.user_file import read_text\nread_text(p)\n"
    assert list(opened(ast.parse(through))) == []
