"""The real station in the guest: the package's own units, with simulated chips and hands that are typed from outside.

A drop-in gives the table `--simulated` and a serial line in the place of a terminal; everything else is the package's.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal.record.heads import Head, read_head
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.station.guest.machine import Failed, Machine, Told
from tests.station.guest.meter import Need
from tests.station.guest.unit import uptime_s

UNIT: Final = "trapdial.service"
PAGES: Final = "trapdial-pages.service"
STATE: Final = "/var/lib/trapdial"
DROP_IN: Final = f"/etc/systemd/system/{UNIT}.d/stage.conf"
PROGRAM: Final = f"/opt/trapdial/current/bin/trapdial station play --simulated --journal {STATE}/journal.db"
DROP_IN_TEXT: Final = """# The stage's: chips and hands are simulated, and hands are typed on a serial line.
[Service]
ExecStart=
ExecStart=/bin/sh -c '{before}exec {program}'
StandardInput=file:/dev/ttyS1
StandardOutput=file:/dev/ttyS1
"""
SEATS: Final = ("P1", "P2")
"""The seats of the package's own settings, as a station calls them."""
SQUARES: Final = ("T01", "T02")

FACE: Final = re.compile(r"SIMULATED seat (\S+)\s*\| screen: (T\d+): .*SIMULATED\]$")
"""A face on a seat's screen: what was told to this seat alone, of this square."""
HEAD: Final = re.compile(r"TRAPDIAL1(?:\s[A-Z2-7]{2,10}\b)+")
INTERRUPTED: Final = "The last visit was interrupted"
HANDS: Final = "SIMULATED hands"

SNAPSHOT: Final = """
import contextlib, os, shutil, sqlite3, sys
state, to = sys.argv[1:]
def still_there(name, copy):  # the station removes drafts, and the keys of games that end
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(name, copy)
shutil.rmtree(to, ignore_errors=True)
os.makedirs(to)
source = sqlite3.connect(f"file:{state}/journal.db?mode=ro", uri=True)
copy = sqlite3.connect("/tmp/stage-copy.db")
source.backup(copy)
copy.close()
shutil.move("/tmp/stage-copy.db", f"{to}/journal.db")
if os.path.isdir(f"{state}/journal.db.keys"):  # from the first game on
    shutil.copytree(f"{state}/journal.db.keys", f"{to}/journal.db.keys", copy_function=still_there)
    os.chmod(f"{to}/journal.db.keys", 0o700)
"""


@dataclass(frozen=True, slots=True)
class Station:
    """The package's service."""

    unit: str = UNIT
    ready_within_s: float = 300.0
    well: str = "The station is ready."

    def simulate(self, machine: Machine, before: str = "") -> None:
        """Put simulated chips and hands in the place of wires. `before`: a shell's words that a start runs first."""
        text = DROP_IN_TEXT.format(before=before, program=PROGRAM)
        machine.must("mkdir", "-p", str(Path(DROP_IN).parent))
        machine.must("sh", "-c", f"cat > {DROP_IN} && systemctl daemon-reload", text=text)

    def lost(self, machine: Machine, told: Sequence[Told]) -> str | None:
        """Compare what was told with a copy of the running station's record, outside the guest."""
        journal = copied(machine)
        heads, faces = heads_in(told), faces_in(told)
        if not heads and not faces and is_new(journal):
            return None
        trouble = unsound(journal, heads)
        if trouble is not None:
            return trouble
        missing = faces - recorded(journal)
        if missing:
            (seat, square), times = missing.most_common(1)[0]
            return f"{times} of the faces of {square} that {seat} saw are not in the record"
        return None

    def newest(self, told: Sequence[Told]) -> str:
        """What is new for a reader: the number of lines that the table told, without the answers to hands."""
        lines = [line.text for line in told if line.text and not line.text.startswith(HANDS)]
        return f"line {len(lines)}: {lines[-1][:60]}" if lines else ""

    def odd_start(self, told: Sequence[Told]) -> str | None:
        times = sum(INTERRUPTED in line.text for line in told)
        return f"{times} interrupted games were said at one start" if times > 1 else None


def copied(machine: Machine) -> Path:
    """A copy of the record with its keys, made while the station runs. It is outside the guest."""
    machine.must("python3", "-I", "-c", SNAPSHOT, STATE, "/host/record")
    folder = machine.share / "record"
    return folder / "journal.db"


def is_new(journal: Path) -> bool:
    """Whether no game was played yet: a verification says of such a record that it holds no entry."""
    damage = jn.verify(journal, []).damage
    return damage is not None and damage.seq == 0


def unsound(journal: Path, heads: Iterable[Head]) -> str | None:
    """What a verification finds wrong, with the heads that were told as witnesses; None if nothing."""
    verdict = jn.verify(journal, list(heads))
    if verdict.damage is not None:
        return f"the record is damaged: {verdict.damage}"
    if verdict.against:
        return f"the record does not continue a head that was told: {verdict.against[0]}"
    return None


def faces_in(told: Sequence[Told]) -> Counter[tuple[str, str]]:
    """How often each seat saw each square's face."""
    found = (FACE.search(line.text) for line in told)
    return Counter((match[1], match[2]) for match in found if match)


def heads_in(told: Sequence[Told]) -> list[Head]:
    return [read_head(match[0]) for line in told for match in HEAD.finditer(line.text)]


def recorded(journal: Path) -> Counter[tuple[str, str]]:
    """How often each seat learned or looked at each square, by the record."""
    found: Counter[tuple[str, str]] = Counter()
    for entry in jn.read(journal, MAGE_KNIGHT):
        event = entry.event
        if isinstance(event, ev.Turned | ev.Exposed | ev.Looked) and event.seat is not None:
            found[event.seat, event.square] += 1
    return found


class Robot:
    """Hands that play without end: each seat in turn taps, turns a dial and looks. Use it as a context manager."""

    def __init__(self, machine: Machine, pause_s: float = 1.0) -> None:
        self._machine, self._pause_s = machine, pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._play, name="robot", daemon=True)

    def __enter__(self) -> Robot:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _play(self) -> None:
        turn = 0
        while True:
            seat, square = SEATS[turn % len(SEATS)], SQUARES[turn % len(SQUARES)]
            for line in (f"sim tap {seat}", f"sim turn {square} {turn % 5 + 1}", f"sim hold {seat} 1"):
                if self._stop.wait(self._pause_s):
                    return
                self._machine.type(line)
            if self._stop.wait(2 * self._pause_s):
                return
            turn += 1


def must_be_installed(machine: Machine, package: Path) -> Need:
    """Install the package with one command and no network; return what it took. Raises Failed."""
    shutil.copyfile(package, machine.share / package.name)
    found = machine.run("sh", "-c", "tail -n +2 /proc/net/route; command -v gcc cc ld tcc clang").out.split()
    if found:
        raise Failed(f"the guest has a network or a compiler, so an installation proves nothing here: {found[0]}")
    began_s = uptime_s(machine)
    machine.must("apt-get", "install", "-y", "-q", f"/host/{package.name}", seconds=900)
    return machine.need(began_s, uptime_s(machine))


SHOWN: Final = """
import json, socket, urllib.request
feed = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
feed.settimeout(30)
feed.connect("/run/trapdial/public.sock")
public = json.loads(feed.makefile().readline())
status = json.load(urllib.request.urlopen("http://127.0.0.1/status.json", timeout=30))
codes = [each["code"] for each in status["station"]["troubles"]]
print(json.dumps([public["trouble"].get("en", ""), status["station"]["lamp"], *codes]))
"""


@dataclass(frozen=True, slots=True)
class PeopleSee:
    """What the station shows people: the sentence on the public display, the lamps' pattern, the status's troubles."""

    sentence: str
    lamp: str
    troubles: tuple[str, ...]


def people_see(machine: Machine) -> PeopleSee:
    """Ask the public display's feed and the status page, in the guest. Raises Failed."""
    sentence, lamp, *troubles = json.loads(machine.must("python3", "-I", "-c", SHOWN, seconds=90))
    return PeopleSee(sentence, lamp, tuple(troubles))
