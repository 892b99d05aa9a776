"""`trapdial play` in real time with 8 phones, and 24 strangers that hammer its pages, each from its own address.

The wheels of this machine are shared, so with and without strangers take turns, and the strangers' own work has the
lowest priority: on a real table they bring their own processors.
"""

from __future__ import annotations

import contextlib
import json
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from pi_app.journal.key_place import prepare_keys
from pi_app.pages import card_codes
from pi_app.settings.load import load
from pi_app.simulated.page_stream import PageError, exchange, game_of
from tests.pages.figures import Figures
from tests.pages.lanes.captures import SEATS
from tests.pages.namespaces import ADDRESS, Room, inside, room, run_in
from tests.pages.phone import HOLD, LET_GO, PATIENCE_S, Phone
from tests.pages.whole import TABLE
from tests.pages.wire import PORT

STRANGERS: Final = 24
WINDOW_S: Final = {True: 4.0, False: 20.0}
TURNS: Final = {True: 3, False: 9}
WITHIN: Final = 0.01
BEAT_S: Final = 5.5
ANSWER_S: Final = 1.0
FINGER_S: Final = 0.5
_HERE: Final = (ADDRESS, PORT)

TIMED: Final = """
import array, atexit, sys, time
from pi_app.play import feed
from pi_app.cli.main import main
seen = array.array("q")

def timed(kind):
    inner = kind.take
    def take(self):
        samples = inner(self)
        if samples:
            seen.append(time.monotonic_ns())
        return samples
    kind.take = take

timed(feed.InlineFeed)
timed(feed.ThreadFeed)
file = sys.argv.pop(1)
atexit.register(lambda: open(file, "wb").write(seen.tobytes()))
main()
"""
"""`trapdial`, with a note of the time of each scan."""


@dataclass(slots=True)
class Window:
    """What was measured while something went on: the scans in it are found afterwards."""

    began_ns: int
    ended_ns: int = 0
    scans: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return len(self.scans) / ((self.ended_ns - self.began_ns) / 1e9)

    @property
    def longest_ms(self) -> float:
        return max((b - a) / 1e6 for a, b in zip(self.scans, self.scans[1:], strict=False))


@contextlib.contextmanager
def playing(made: Room, folder: Path) -> Iterator[Mapping[str, bytes]]:
    """`trapdial play --simulated` in the table's namespace; yield the codes of its cards."""
    settings = folder / "trapdial.toml"
    settings.write_text(TABLE.read_text(encoding="utf-8"), encoding="utf-8")
    loaded, journal = load(settings), folder / "journal.db"
    ring = prepare_keys(journal, loaded.keys_place)
    codes = card_codes.renewed(SEATS, {})
    card_codes.keep(ring, card_codes.CardCodes(ADDRESS, codes))
    command = [sys.executable, "-c", TIMED, str(folder / "scans"), "play", "--simulated", "--settings", str(settings)]
    with (folder / "said").open("wb") as said:
        running = run_in(
            made.table, [*command, "--journal", str(journal)], stdin=subprocess.PIPE, stdout=said, stderr=said
        )
        try:
            yield codes
        finally:
            running.communicate(b"quit\n", timeout=PATIENCE_S)


def run(figures: Figures, *, short: bool) -> None:
    with room(len(SEATS) + STRANGERS) as made, tempfile.TemporaryDirectory() as name:
        folder, windows = Path(name), {"with": list[Window](), "without": list[Window]()}
        gaps: list[float] = []
        answers: list[float] = []
        with playing(made, folder) as codes:
            phones = _joined(made, codes)
            with _strangers(made) as strangers:
                for turn in range(2 * TURNS[short]):
                    which = "with" if turn % 2 else "without"
                    strangers.send(which == "with")
                    time.sleep(0.5)
                    windows[which].append(_watch(phones, WINDOW_S[short], gaps, answers))
                asked = strangers.asked()
            with inside(made.phones[0]):
                _, answer = exchange(_HERE, "GET", "/status.json")
            counts = json.loads(answer.partition(b"\r\n\r\n")[2])
            for phone in phones:
                phone.close()
        _cut(folder / "scans", [*windows["with"], *windows["without"]])
        _judge(figures, windows)
        figures.note(f"{STRANGERS} strangers asked {asked:,} times; the page process counted {counts}")
        figures.most("phones that were let in", counts["joined"], len(SEATS))
        figures.least("requests refused for their rate", counts["refused"], 1)
        figures.most("longest time between two frames at a phone", max(gaps), BEAT_S, " s")
        late = statistics.quantiles(answers, n=20)[-1]
        figures.most(f"finger to frame, {len(answers)} fingers, p95", late, ANSWER_S, " s")
        figures.note(f"finger to frame: median {statistics.median(answers):.3f} s, longest {max(answers):.3f} s")


def _judge(figures: Figures, windows: Mapping[str, list[Window]]) -> None:
    rate = {which: statistics.median(each.rate for each in found) for which, found in windows.items()}
    longest = {which: statistics.median(each.longest_ms for each in found) for which, found in windows.items()}
    figures.note(f"scans a second, median of windows: {rate['without']:.2f} without strangers, {rate['with']:.2f} with")
    figures.most("share of the scan rate that strangers cost", 1 - rate["with"] / rate["without"], WITHIN)
    figures.note(
        f"longest gap, median of windows: {longest['without']:.1f} ms without strangers, {longest['with']:.1f} with"
    )


def _joined(made: Room, codes: Mapping[str, bytes]) -> list[Phone]:
    found = []
    for namespace, seat in zip(made.phones, SEATS, strict=False):
        phone = Phone(namespace, _HERE, codes[seat])
        until = time.monotonic() + PATIENCE_S
        while not phone.shown and time.monotonic() < until:
            with contextlib.suppress(OSError, PageError):
                if not phone.is_open:
                    with inside(namespace):
                        phone.game = game_of(_HERE)
                    phone.join()
                select.select([phone], [], [], 0.2)
                phone.take()
            if not phone.shown:
                time.sleep(0.2)
        assert phone.shown, f"{seat} did not join: {phone.words}"
        found.append(phone)
    return found


def _watch(phones: list[Phone], seconds: float, gaps: list[float], answers: list[float]) -> Window:
    """Let a phone hold and let go now and then, and read all streams."""
    window, draw = Window(time.monotonic_ns()), random.Random()
    over, next_finger = time.monotonic() + seconds, time.monotonic() + 0.3
    last = dict.fromkeys(phones, time.monotonic())
    holds, waits, asked = phones[0], False, 0.0
    kind = HOLD
    while (now := time.monotonic()) < over or waits or kind == LET_GO:
        if now > next_finger and not waits:
            holds = draw.choice(phones) if kind == HOLD else holds
            waits, asked, next_finger = True, now, now + FINGER_S
            holds.post(kind)
            kind = LET_GO if kind == HOLD else HOLD
        for phone in select.select(phones, [], [], 0.05)[0]:
            if phone.take():
                now = time.monotonic()
                gaps.append(now - last[phone])
                last[phone] = now
                if phone is holds and waits:
                    answers.append(now - asked)
                    waits = False
    gaps.extend(time.monotonic() - each for each in last.values())
    window.ended_ns = time.monotonic_ns()
    return window


def _cut(file: Path, windows: list[Window]) -> None:
    scans = array("q")
    scans.frombytes(file.read_bytes())
    for window in windows:
        window.scans = [at for at in scans if window.began_ns <= at <= window.ended_ns]


# ------------------------------------------------------------------------------------------------------- strangers


@dataclass(slots=True)
class _Crowd:
    """The strangers' process, from outside."""

    process: subprocess.Popen[bytes]
    answers: IO[bytes]

    def send(self, hammer: bool) -> None:
        self.process.send_signal(signal.SIGCONT if hammer else signal.SIGSTOP)

    def asked(self) -> int:
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGTERM)
        return int(self.answers.readline() or b"0")


@contextlib.contextmanager
def _strangers(made: Room) -> Iterator[_Crowd]:
    names = made.phones[len(SEATS) :]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.pages.strangers", *names], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield _Crowd(process, process.stdout)
    finally:
        process.kill()
        process.wait()
