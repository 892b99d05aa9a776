"""What must be the same on both machines. Every check returns what it found, as a sentence, or raises Differs."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final

from pi_app.settings.load import EXAMPLES
from tests.arm.machines import Machine, Ran

DEMO: Final = ("demo", "--auto", "--seed", "7", "--plain")
JOURNAL: Final = "journal.db"
HEAD: Final = re.compile(rb"TRAPDIAL1(?:\s[A-Z2-7]{2,10}\b)+")
"""A record's head, on one line or several: other keys, another head."""
EXAMPLE: Final = "pi_app/settings/examples/table-{}.toml"
VERIFIER: Final = "wiring_docs/journal_verifier.py"
OK, INTERRUPTED, DAMAGED = 0, 3, 4
DAMAGED_ENTRY: Final = 20

Check = Callable[[Machine, Machine, Path], str]


class Differs(Exception):
    """The machines differ, or one of them failed; the text says in what."""


def demo(here: Machine, there: Machine, folder: Path) -> str:
    """The seeded demo: what it prints, and what every viewer sees. Its journals stay, for `journals`."""
    lines = _same(here, there, lambda machine: play(machine, folder))["what it prints"].count(b"\n")
    return f"the demo's {lines} lines and every viewer's stream are the same bytes"


def play(machine: Machine, folder: Path) -> dict[str, bytes]:
    """Play the demo with a journal. Returns what it prints and streams, without the record's random head."""
    own = _folder(folder, "demo", machine)
    ran = _ended(machine, machine.trapdial(own, *DEMO, "--streams", "streams", "--journal", JOURNAL), OK)
    said = {"what it prints": ran.output, **contents(own / "streams")}
    return {name: HEAD.sub(b"(a head)", text) for name, text in said.items()}


def wiring(here: Machine, there: Machine, folder: Path) -> str:
    """The wiring folder of every example table."""

    def build(machine: Machine) -> dict[str, bytes]:
        own = _folder(folder, "wiring", machine)
        for size in EXAMPLES:
            settings = f"{machine.project}/{EXAMPLE.format(size)}"
            _ended(machine, machine.trapdial(own, "wiring", "-o", size, settings), OK)
        return contents(own)

    made = _same(here, there, build)
    return f"{len(made)} files of wiring, of {len(EXAMPLES)} tables, have the same checksums"


def journals(here: Machine, there: Machine, folder: Path) -> str:
    """A journal recorded on each, verified and replayed on both; and one with a changed byte, refused on both."""
    both = (here, there)
    names = [_recorded(machine, folder) for machine in both]
    entries = [damage(folder / name, folder / f"damaged-{name}") for name in names]

    def read(machine: Machine) -> dict[str, bytes]:
        said = {}
        for name in names:
            for what, ran in verified(machine, folder, name).items():
                said[f"{what}, {name}"] = _ended(machine, ran, OK, INTERRUPTED).output
            for what, ran in verified(machine, folder, f"damaged-{name}").items():
                said[f"{what}, damaged-{name}"] = _ended(machine, ran, DAMAGED).output
            said[f"replay, {name}"] = _ended(machine, machine.trapdial(folder, "replay", "--lines", name), OK).output
        return said

    _same(here, there, read)
    counted = " and ".join(map(str, entries))
    return f"journals of {counted} entries, one recorded on each: both verifiers and the replay agree on both"


CHECKS: Final[tuple[Check, ...]] = (demo, wiring, journals)


def damage(journal: Path, copy: Path) -> int:
    """Copy a journal with one changed byte in the public half of an entry. Returns how many entries there are."""
    _copied(journal, copy)
    with closing(sqlite3.connect(copy)) as opened, opened:
        (public,) = opened.execute("SELECT public FROM entries WHERE seq = ?", (DAMAGED_ENTRY,)).fetchone()
        changed = bytes(public)[:-2] + bytes([public[-2] ^ 1]) + bytes(public)[-1:]
        opened.execute("UPDATE entries SET public = ? WHERE seq = ?", (changed, DAMAGED_ENTRY))
        return int(opened.execute("SELECT count(*) FROM entries").fetchone()[0])


def verified(machine: Machine, folder: Path, name: str) -> Mapping[str, Ran]:
    """What each of the two verifiers says about a journal."""
    return {
        "trapdial journal verify": machine.trapdial(folder, "journal", "verify", name),
        "journal_verifier.py": machine.python(folder, f"{machine.project}/{VERIFIER}", name),
    }


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def difference(here: Mapping[str, bytes], there: Mapping[str, bytes]) -> str | None:
    """The first thing in which two machines differ, or None."""
    for name in sorted({*here, *there}):
        if name not in here or name not in there:
            return f"{name} exists on {'arm64' if name in there else 'amd64'} only"
        if here[name] != there[name]:
            return f"{name} differs: {_first_line(here[name], there[name])}"
    return None


def _first_line(here: bytes, there: bytes) -> str:
    lines, others = here.splitlines(), there.splitlines()
    at = next((n for n, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        return f"{len(here)} bytes on amd64, {len(there)} on arm64"
    return f"line {at + 1} is {lines[at][:200]!r} on amd64 and {others[at][:200]!r} on arm64"


def _same(here: Machine, there: Machine, made: Callable[[Machine], dict[str, bytes]]) -> dict[str, bytes]:
    """Make something on both machines at the same time; what amd64 made. Raises Differs."""
    with ThreadPoolExecutor(2) as threads:
        mine, theirs = threads.map(made, (here, there))
    found = difference(mine, theirs)
    if found is not None:
        raise Differs(found)
    if not mine:
        raise Differs("nothing was made on either machine")
    return mine


def _folder(folder: Path, name: str, machine: Machine) -> Path:
    own = folder / f"{name}-{machine.name}"
    own.mkdir()
    return own


def _recorded(machine: Machine, folder: Path) -> str:
    """The file name of a machine's journal, brought into this folder. Raises Differs if its demo recorded none."""
    journal, name = folder / f"demo-{machine.name}" / JOURNAL, f"{machine.name}.db"
    if not journal.exists():
        raise Differs(f"the demo on {machine.name} left no journal")
    _copied(journal, folder / name)
    return name


def _copied(journal: Path, copy: Path) -> None:
    shutil.copy(journal, copy)
    shutil.copytree(journal.with_name(f"{journal.name}.keys"), copy.with_name(f"{copy.name}.keys"))


def _ended(machine: Machine, ran: Ran, *codes: int) -> Ran:
    if ran.code in codes:
        return ran
    last = (ran.complaints or ran.output).decode(errors="replace").splitlines()[-8:]
    wanted = " or ".join(map(str, codes))
    raise Differs(f"a program ended on {machine.name} with exit code {ran.code}, not {wanted}:\n" + "\n".join(last))
