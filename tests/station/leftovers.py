"""What is left of a group after a reset: its canary words in the memory, the screens, the pages and the files of a
station.

    python -m tests.station.leftovers            # 0 canaries
    python -m tests.station.leftovers --plant    # one is kept on purpose, and found

A child process plays a whole visit on a simulated table, with a phone at one seat; this one then reads the child's
memory. The canaries are the phone's keys and code, the seat's frames and the public sentences of that game. The child
keeps them masked, and drops the simulated phone before the reset ends. What the C library frees is overwritten with
`station.leftovers.SCRUBBED`, as in the service.
"""

from __future__ import annotations

import argparse
import base64
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pi_app.station.service.leftovers import SCRUBBED

MASK: Final = 0x5A
KEPT: list[bytes] = []
"""Where a planted leak keeps its canary."""


def masked(data: bytes) -> str:
    return bytes(byte ^ MASK for byte in data).hex()


def unmasked(text: str) -> bytes:
    return bytes(byte ^ MASK for byte in bytes.fromhex(text))


# ---------------------------------------------------------------------------------------------------- the child


def visit(folder: Path, *, plant: bool) -> dict[str, str]:
    """Play a visit to its end, and say its canaries. The station goes on until a line comes."""
    from pi_app.pages.link import MemoryLink
    from pi_app.play.phones import TablePages
    from pi_app.settings.station_section import StationSettings
    from pi_app.station.visits.visit import State
    from tests.pi_app.phones_at_table import Phones, code_on
    from tests.pi_app.station.at_station import AtStation, a_station

    phones = Phones()
    phones.link = MemoryLink()
    phones.pages = TablePages(phones.link, "10.77.0.1")
    at = AtStation(folder / "journal.db", a_station(station=StationSettings(idle_s=30)), phones.pages)
    at.run(1.5)
    at.tap("ANN")
    at.press("ANN")
    at.let_go("ANN")
    at.press("ANN")  # nothing to see yet but the code for a phone
    code = code_on(at, "ANN")  # type: ignore[arg-type]
    at.let_go("ANN")
    found = {"code": masked(code), "link": masked(base64.b32encode(code).rstrip(b"=")[:20])}
    phones.run = at.run
    phone = phones.join(code)
    session: Any = phone.session
    found |= {"down": masked(session.keys.down), "up": masked(session.keys.up)}
    found["record's copy"] = masked(base64.b64encode(session.keys.down)[:40])
    at.rolls.append(3)
    phone.tap()
    at.turn("T01", 3)
    phone.hold()
    phone.let_go()
    said = " ".join(("T01:", "exposed", "by", "P1."))  # as a constant it would be in memory for good
    found["sentence"] = masked(said.encode())
    assert any(said in state.lines for state in at.public)
    if plant:
        KEPT.append(session.keys.down)
    del code, phone, session, said
    at.until(State.THANKS)
    at.wait(0.1)
    at.pictures.clear()
    at.screens.clear()
    at.public.clear()
    phones.phones.clear()
    phones.finishing.clear()
    del phones
    at.until(State.ATTRACT)
    at.public.clear()
    at.run(2)
    gc.collect()
    found["screens"] = json.dumps([sum(map(int.bit_count, oled.ram)) for oled in at.table.oleds.values()])
    print(json.dumps(found), flush=True)
    sys.stdin.readline()
    at.close()
    return found


# --------------------------------------------------------------------------------------------------- the parent


def memory(pid: int) -> Iterator[tuple[str, bytes]]:
    """Every readable and writable part of a process's memory, with its name."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as mem:
        for line in maps:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw\S* \S+ \S+ \S+ *(.*)", line)
            if found is None:
                continue
            first, last = int(found[1], 16), int(found[2], 16)
            try:
                mem.seek(first)
                yield found[3] or hex(first), mem.read(last - first)
            except (OSError, ValueError):
                continue


def search(folder: Path, *, plant: bool = False) -> Mapping[str, list[str]]:
    """Return where each canary was found; nothing for a station that leaves nothing."""
    command = [sys.executable, "-m", "tests.station.leftovers", "--child", str(folder), *(["--plant"] if plant else [])]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **SCRUBBED}
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        said = json.loads(child.stdout.readline())
        screens = json.loads(said.pop("screens"))
        canaries = {name: unmasked(text) for name, text in said.items()}
        found: dict[str, list[str]] = {name: [] for name in canaries}
        for place, data in (*memory(child.pid), *_files(folder)):
            for name, canary in canaries.items():
                if canary in data:
                    found[name].append(place)
        found["screens"] = [f"{lit} pixels lit" for lit in screens if lit > 8192 * 0.2]
        child.stdin.write("\n")
        child.stdin.flush()
    finally:
        child.stdin.close()
        child.wait(timeout=60)
        child.stdout.close()
    return {name: places for name, places in found.items() if places}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file but the sealed record and its keys."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.relative_to(folder).parts[0].startswith("journal.db"):
            yield str(file), file.read_bytes()


def main() -> None:
    """Print what was found."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--plant", action="store_true")
    given.add_argument("--child", type=Path)
    asked = given.parse_args()
    if asked.child is not None:
        visit(asked.child, plant=asked.plant)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = search(Path(folder), plant=asked.plant)
    for name, places in found.items():
        sys.stdout.write(f"{name}: {', '.join(places)}\n")
    sys.stdout.write(f"{len(found)} canaries left\n")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
