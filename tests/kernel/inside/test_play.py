"""The unmodified programs, as a user at a Pi starts them: `trapdial doctor` and `trapdial play`."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.journal import read
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.kernel.inside.host import PATIENCE_S, Host, refuse_with, until

TABLE = Path(__file__).resolve().parents[1] / "table.toml"
TRAPDIAL = str(Path(sys.executable).with_name("trapdial"))
LAMP = 20


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The stage's table without the parts for the drivers' checks, as a player's own file."""
    text = TABLE.read_text(encoding="utf-8").replace("/tmp/kernel-stage", str(tmp_path))
    for name in ("bus.kernels", "bus.spare", "bus.banged", *(f"square.T0{n}" for n in range(3, 8))):
        text = re.sub(rf"^\[{name}\]\n(?:(?!\[[a-z]).*\n)*", "", text, flags=re.MULTILINE)
    file = tmp_path / "trapdial.toml"
    file.write_text(text, encoding="utf-8")
    return file


def doctor(settings: Path, *words: str) -> tuple[int, list[str]]:
    words = (TRAPDIAL, "doctor", "--settings", str(settings), "--seconds", "0.5", *words)
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_the_doctor_finds_every_part(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = doctor(settings)
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    assert code == 0
    assert [line for line in lines if line.startswith("!!")] == []
    for part in ("pins (GPIO): can be used, by lgpio", "lamp of seat ANN (GPIO20)", "button of seat BEN (GPIO26)"):
        assert [line for line in lines if part in line]


def test_the_doctor_names_the_silent_tile_and_the_stuck_button(settings: Path, host: Host) -> None:
    host("strike", "T02", "unplugged")
    host("press", "BEN")
    try:
        code, lines = doctor(settings, "--json")
    finally:
        host("mend", "T02", "unplugged")
        host("release", "BEN")
    failing = [check for check in map(json.loads, lines) if check["sign"] == "!!"]
    assert code == 1
    assert {check["part"] for check in failing} >= {"button of seat BEN"}
    assert [check for check in failing if "T02" in check["part"] + check["place"] + check["seen"]]
    assert not [check for check in failing if "T01" in check["part"] + check["place"] + check["seen"]]


class Playing:
    """`trapdial play` in a process of its own, and its output."""

    def __init__(self, settings: Path) -> None:
        self.process = subprocess.Popen(
            [TRAPDIAL, "play", "--settings", str(settings), "--new"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=settings.parent,
            env={"PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1", "PYTHONPATH": _python_path()},
        )
        self._queued: queue.Queue[str] = queue.Queue()
        self.lines: list[str] = []
        self._from = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queued.put(line.rstrip("\n"))

    def has_printed(self, words: str) -> bool:
        while not self._queued.empty():
            self.lines.append(self._queued.get())
        return any(words in line for line in self.lines[self._from :])

    def forget_what_was_printed(self) -> None:
        """Let `wait_for` look only at what is printed from now on."""
        self.has_printed("")
        self._from = len(self.lines)

    def wait_for(self, words: str, seconds: float = PATIENCE_S) -> None:
        until(lambda: self.has_printed(words), words, seconds)

    def wait_for_silence(self) -> None:
        """Wait for a second without output."""
        lines = -1
        while len(self.lines) > lines:
            lines = len(self.lines)
            time.sleep(1.0)
            self.has_printed("")

    @contextlib.contextmanager
    def prints_more_of(self, words: str) -> Iterator[None]:
        """Run the block, then wait until the program prints one more line with these words."""

        def count() -> int:
            self.has_printed(words)
            return sum(words in line for line in self.lines)

        before = count()
        yield
        try:
            until(lambda: count() > before, f"one more line about {words}")
        except AssertionError:
            print("\n".join(self.lines))
            raise

    def quit(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write("quit\n")
        self.process.stdin.flush()
        return self.process.wait(20)


def _python_path() -> str:
    return os.environ.get("PYTHONPATH", "")


@pytest.fixture
def playing(settings: Path) -> Iterator[Playing]:
    at = Playing(settings)
    yield at
    if at.process.poll() is None:
        at.quit()
    for pipe in (at.process.stdin, at.process.stdout):
        assert pipe is not None
        pipe.close()


def lit_full(host: Host) -> bool:
    return bool(host("screen", "ANN")["lit_pixels"] == 2048)


GAP_LIMIT_S = 0.035
"""`table.gap_limit_ms`: a dial that was not read for longer may have moved unseen."""


class Stalls:
    """A thread that sleeps briefly again and again, and notes when the machine let it oversleep."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        woke = time.monotonic()
        while not self._ends.wait(0.005):
            self.longest_s = max(self.longest_s, time.monotonic() - woke)
            woke = time.monotonic()

    def end(self) -> None:
        self._ends.set()
        self._thread.join()


def claim_turn_and_hold(playing: Playing, host: Host) -> int:
    """Ann taps, turns T01 by three clicks and holds her button until T01 is exposed. Return her lamp's edges before.

    A machine that stood still meanwhile may end her claim; her screen then asks her to start again, and she does. On a
    machine that ran on, the first hold must do."""
    stalls = Stalls()
    try:
        for _ in range(5):
            playing.forget_what_was_printed()
            try:
                return _claimed_turned_held(playing, host)
            except AssertionError:
                if stalls.longest_s < GAP_LIMIT_S:
                    print("\n".join(playing.lines))
                    raise
            host("release", "ANN")
            time.sleep(0.3)
    finally:
        stalls.end()
    raise AssertionError("\n".join(["The machine stood still, and five turns of five failed.", *playing.lines]))


def _claimed_turned_held(playing: Playing, host: Host) -> int:
    host("press", "ANN")
    time.sleep(0.1)
    host("release", "ANN")
    playing.wait_for("Ann is about to turn a dial.", 5)
    until(lambda: host("screen", "ANN")["lit"], "Ann's screen says that she may turn", 5)
    rests_in_s = host("turn", "T01", 3, 200.0)
    playing.wait_for("turns the dial of T01.", 5)
    time.sleep(rests_in_s)
    edges = len(host("edges_of", LAMP))
    host("press", "ANN")
    playing.wait_for("T01: exposed by Ann.", 5)
    return edges


def test_a_whole_exposed_trap(playing: Playing, settings: Path, host: Host) -> None:
    """Press to claim, turn, hold: the claimer's screen shows the face, the lamp flashes, the log announces it."""
    playing.wait_for("concealed.")
    time.sleep(0.3)
    before = claim_turn_and_hold(playing, host)
    until(lambda: lit_full(host), "Ann's screen shows the face, with as many pixels as any face has")
    assert host("screen", "BEN")["lit_pixels"] == 0
    until(lambda: len(host("edges_of", LAMP)) - before >= 4, "the lamp flashes")
    host("release", "ANN")
    until(lambda: not host("screen", "ANN")["lit"], "the face goes when the button is released")

    playing.wait_for_silence()
    with playing.prints_more_of("| T02:"):
        host("strike", "T02", "unplugged")
    with playing.prints_more_of("| T02:"):
        host("mend", "T02", "unplugged")
    assert playing.quit() == 0
    journal = settings.parent / "journal.db"
    motions = [entry.event.motion for entry in read(journal, MAGE_KNIGHT) if isinstance(entry.event, ev.Turned)]
    assert motions[-1].to_position == host("position", "T01")
    for motion in motions:
        assert motion.from_position is not None
        assert motion.to_position is not None
        on = (motion.to_position - motion.from_position) % 12
        assert motion.clicks in (on, None), "on a machine that stood still it is unknown, never wrong"
    replay(journal)


def test_the_game_and_the_doctor_cannot_share_a_bus(playing: Playing, settings: Path) -> None:
    playing.wait_for("concealed.")
    code, lines = doctor(settings)
    assert code == 1
    assert [line for line in lines if line.startswith("!!  bus dials")] == [
        "!!  bus dials (/dev/i2c-0): is in use by a game or another trapdial. "
        "End that one first. Nothing was read, so it was not disturbed."
    ]


def test_with_a_driver_that_reports_no_errors_a_pulled_tile_is_still_no_angle(
    playing: Playing, settings: Path, host: Host
) -> None:
    refuse_with(0)
    playing.wait_for("concealed.")
    playing.wait_for_silence()
    with playing.prints_more_of("| T01:"):
        host("strike", "T01", "unplugged")
    with playing.prints_more_of("| T01:"):
        host("mend", "T01", "unplugged")
    assert playing.quit() == 0
    assert not [
        entry for entry in read(settings.parent / "journal.db", MAGE_KNIGHT) if isinstance(entry.event, ev.Turned)
    ]
