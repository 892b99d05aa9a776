"""`trapdial play` in real time with 8 phones, 500 strangers that hammer its pages, each from its own address, and the
players of all seats that misbehave: four beside their phones, whose looks are measured, and four with their cards.

The wheels of this machine are shared, so with and without the crowd take turns, and the crowd's own work has the lowest
priority: on a real table they bring their own processors.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import msgspec

from pi_app.journal.key_place import prepare_keys
from pi_app.pages import card_codes
from pi_app.settings.load import load
from pi_app.simulated.page_stream import PageError, exchange, game_of
from tests.pages.figures import Figures
from tests.pages.lanes.captures import SEATS
from tests.pages.namespaces import ADDRESS, Room, add_addresses, inside, room, run_in
from tests.pages.phone import HOLD, LET_GO, PATIENCE_S, Phone
from tests.pages.strangers import Crowd, Household
from tests.pages.whole import TABLE
from tests.pages.wire import PORT

STRANGERS: Final = tuple(f"10.77.{1 + number // 250}.{1 + number % 250}" for number in range(500))
VISITORS: Final = tuple(f"10.77.8.{1 + number}" for number in range(8))
"""Each asks every four seconds: for the status, or for the staff's page."""

MEASURED: Final = SEATS[:4]
JOINING: Final = SEATS[4:]
"""Their players have the cards, and join again and again."""

WINDOW_S: Final = {True: 6.0, False: 20.0}
TURNS: Final = {True: 3, False: 9}
WITHIN: Final = 0.01
BEAT_S: Final = 5.5
OF_100: Final = {True: 95, False: 99}
"""The share of fingers that is judged: few fingers say nothing of the last in a hundred."""

LATER_MS: Final = 100.0
VISIT_S: Final = 1.0
FINGER_S: Final = 0.15
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
    looks: list[float] = field(default_factory=list)
    """From a finger to the frame that shows it, in seconds."""
    gaps: list[float] = field(default_factory=list)
    """Between two frames at a phone."""
    pages_s: float = 0.0
    """The page process's processor time."""

    @property
    def rate(self) -> float:
        return len(self.scans) / ((self.ended_ns - self.began_ns) / 1e9)

    @property
    def pages_share(self) -> float:
        """What the page process took of a processor."""
        return self.pages_s / ((self.ended_ns - self.began_ns) / 1e9)

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
    with room(len(SEATS) + 2) as made, tempfile.TemporaryDirectory() as name:
        folder, windows = Path(name), {"with": list[Window](), "without": list[Window]()}
        *_, crowd, visiting = made.phones
        add_addresses(crowd, STRANGERS)
        add_addresses(visiting, VISITORS)
        with playing(made, folder) as codes:
            phones = _joined(made, codes)
            visitors, pages = Visitors(visiting), _page_process(made)
            with _strangers(_crowd(made, codes, phones[0].game)) as strangers:
                visitors.start()
                for turn in range(2 * TURNS[short]):
                    which = "with" if turn % 2 else "without"
                    strangers.send(which == "with")
                    time.sleep(0.5)
                    visitors.which = which
                    took = _processor_s(pages)
                    windows[which].append(_watch(phones, WINDOW_S[short]))
                    windows[which][-1].pages_s = _processor_s(pages) - took
                    visitors.which = ""
                asked = strangers.asked()
            visitors.over.set()
            visitors.join()
            with inside(visiting):
                _, answer = exchange(_HERE, "GET", "/status.json")
            counts = json.loads(answer.partition(b"\r\n\r\n")[2])
            for phone in phones:
                phone.close()
        _cut(folder / "scans", [*windows["with"], *windows["without"]])
        figures.note(f"the crowd of {len(STRANGERS)} strangers and {len(SEATS)} players: {asked}")
        figures.note(f"the page process counted {counts}")
        figures.least("connections and requests refused", counts["refused"], 1)
        figures.most("strangers that were let in", asked.get("let in", 0), 0)
        _judge(figures, windows, OF_100[short])
        _judge_visits(figures, visitors.visits)


def _judge(figures: Figures, windows: Mapping[str, list[Window]], of_100: int) -> None:
    rate = {which: statistics.median(each.rate for each in found) for which, found in windows.items()}
    longest = {which: statistics.median(each.longest_ms for each in found) for which, found in windows.items()}
    looks = {which: [1_000 * look for each in found for look in each.looks] for which, found in windows.items()}
    late = {which: statistics.quantiles(found, n=100, method="inclusive")[of_100 - 1] for which, found in looks.items()}
    for which in windows:
        figures.note(
            f"{which} the crowd: {rate[which]:.2f} scans a second, longest gap {longest[which]:.1f} ms (medians of "
            f"windows); finger to frame, {len(looks[which])} fingers: median {statistics.median(looks[which]):.1f} ms, "
            f"p{of_100} {late[which]:.1f} ms, longest {max(looks[which]):.1f} ms; the page process took "
            f"{statistics.median(each.pages_share for each in windows[which]):.0%} of a processor"
        )
    figures.most("share of the scan rate that the crowd costs", 1 - rate["with"] / rate["without"], WITHIN)
    figures.most(f"finger to frame, p{of_100} later with the crowd", late["with"] - late["without"], LATER_MS, " ms")
    figures.most(
        "longest time between two frames at a phone",
        max(gap for found in windows.values() for each in found for gap in each.gaps),
        BEAT_S,
        " s",
    )
    figures.note(json.dumps({"scans_s": rate, "longest_gap_ms": longest, f"finger_p{of_100}_ms": late}))


def _judge_visits(figures: Figures, visits: list[Visit]) -> None:
    for path in PATHS:
        with_crowd = [visit.seconds for visit in visits if visit.path == path and visit.which == "with"]
        tries = max(visit.tries for visit in visits if visit.path == path)
        figures.most(f"{path} with the crowd, longest of {len(with_crowd)}", max(with_crowd), VISIT_S, " s")
        figures.note(f"{path}: median {statistics.median(with_crowd):.3f} s, at most {tries} tries")
    figures.note(json.dumps({"visits": [msgspec.to_builtins(visit) for visit in visits if visit.tries > 1]}))


# -------------------------------------------------------------------------------------------------------- visitors

PATHS: Final = ("/status.json", "/staff", "/metrics")


class Visit(msgspec.Struct, frozen=True):
    """One answer with status 200, and how long it took with all tries. `which`: with or without the crowd."""

    which: str
    path: str
    seconds: float
    tries: int


class Visitors(threading.Thread):
    """A few who ask for the status and for the staff's page, now and then, each from its own address."""

    def __init__(self, namespace: str) -> None:
        super().__init__(daemon=True)
        self._namespace = namespace
        self.which = ""
        """What is measured now; empty: nothing."""
        self.over = threading.Event()
        self.visits: list[Visit] = []

    def run(self) -> None:
        with inside(self._namespace):
            for origin, path in zip(itertools.cycle(VISITORS), itertools.cycle(PATHS), strict=False):
                if self.over.wait(4.0 / len(VISITORS)):
                    return
                which, began, tries = self.which, time.monotonic(), 1
                while not self._gets(path, origin) and time.monotonic() - began < PATIENCE_S:
                    tries += 1
                    time.sleep(0.05)
                if which and which == self.which:
                    self.visits.append(Visit(which, path, round(time.monotonic() - began, 4), tries))

    @staticmethod
    def _gets(path: str, origin: str) -> bool:
        try:
            return exchange(_HERE, "GET", path, origin=origin)[0] == 200
        except PageError:
            return False


# ---------------------------------------------------------------------------------------------------------- phones


def _page_process(made: Room) -> int:
    """The number of the page process."""
    told = subprocess.run(["ip", "netns", "pids", made.table], capture_output=True, text=True, check=True).stdout
    (process,) = (
        number for number in told.split() if b"pi_app.pages.process" in Path(f"/proc/{number}/cmdline").read_bytes()
    )
    return int(process)


def _processor_s(process: int) -> float:
    """The processor time that a process has taken, in seconds."""
    words = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _joined(made: Room, codes: Mapping[str, bytes]) -> list[Phone]:
    found = []
    for namespace, seat in zip(made.phones, MEASURED, strict=False):
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


def _watch(phones: list[Phone], seconds: float) -> Window:
    """Let a phone hold and let go now and then, and read all streams. A phone whose stream ended comes back."""
    window, draw = Window(time.monotonic_ns()), random.Random()
    over, next_finger = time.monotonic() + seconds, time.monotonic() + 0.3
    last = dict.fromkeys(phones, time.monotonic())
    holds, down, asked = phones[0], False, 0.0
    while (now := time.monotonic()) < over or asked or down:
        if not asked and now > next_finger:
            holds, down, asked = holds if down else draw.choice(phones), not down, now
            holds.post(HOLD if down else LET_GO)
        for phone in select.select([phone for phone in phones if phone.is_open], [], [], 0.05)[0]:
            if phone.take():
                now = time.monotonic()
                window.gaps.append(now - last[phone])
                last[phone] = now
                if phone is holds and asked and phone.shown["held"] is down:
                    window.looks.append(now - asked)
                    asked, next_finger = 0.0, now + FINGER_S * draw.uniform(0.5, 1.5)
            elif not phone.is_open:
                phone.resume()
        if asked and now - asked > PATIENCE_S:
            raise PageError("a finger was not shown")
    window.gaps.extend(time.monotonic() - each for each in last.values())
    window.ended_ns = time.monotonic_ns()
    return window


def _cut(file: Path, windows: list[Window]) -> None:
    scans = array("q")
    scans.frombytes(file.read_bytes())
    for window in windows:
        window.scans = [at for at in scans if window.began_ns <= at <= window.ended_ns]


# ------------------------------------------------------------------------------------------------------- strangers


@dataclass(slots=True)
class _Process:
    """The strangers' process, from outside."""

    process: subprocess.Popen[bytes]
    answers: IO[bytes]

    def send(self, hammer: bool) -> None:
        self.process.send_signal(signal.SIGCONT if hammer else signal.SIGSTOP)

    def asked(self) -> dict[str, int]:
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGTERM)
        counts: dict[str, int] = json.loads(self.answers.readline() or b"{}")
        return counts


def _crowd(made: Room, codes: Mapping[str, bytes], game: bytes) -> Crowd:
    households = []
    for number, seat in enumerate(SEATS):
        own, other = f"10.77.0.{10 + number}", f"10.77.4.{10 + number}"
        add_addresses(made.phones[number], [other])
        code = codes[seat].hex() if seat in JOINING else ""
        households.append(Household(made.phones[number], (own, other), code))
    return Crowd(made.phones[len(SEATS)], STRANGERS, tuple(households), game.hex())


@contextlib.contextmanager
def _strangers(crowd: Crowd) -> Iterator[_Process]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.pages.strangers"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode(crowd) + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    try:
        yield _Process(process, process.stdout)
    finally:
        process.kill()
        process.wait()
