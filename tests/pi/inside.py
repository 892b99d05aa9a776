"""On the board: run the unmodified program as a user does, and report what it said beside what is true.

Each report is one line on the console, `PI {...}`; `tests.pi.checks` reads them.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.journal import read
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi.hand import GOOD_FIELD, Dial, Hands, Pins

PROJECT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = Path("/tmp/table")
PROGRAM: Final = (sys.executable, "-m", "pi_app.cli.entry")
PATIENCE_S: Final = 60.0
BUTTONS: Final = {"ANN": 16, "BEN": 26}
LAMPS: Final = {"ANN": 20, "BEN": 21}
NAMES: Final = {"ANN": "Ann", "BEN": "Ben"}
I2C: Final = Path("/sys/bus/i2c/devices")

FIELDS: Final = {"T01": (0, GOOD_FIELD), "T02": (1, (0x20, 120)), "T03": (2, (0x30, 128)), "T05": (4, (0x00, 128))}
"""Squares with a chip: channel, STATUS and gain. T04, on channel 3, has none."""
TURNS: Final = (("ANN", "T01", 3), ("BEN", "T02", -4), ("ANN", "T03", 6))
"""The game: who claims, which dial, how many clicks (counter-clockwise positive). Clockwise is against the rules."""

SEATS: Final = "".join(
    f'[seat.{seat}]\nname = "{NAMES[seat]}"\nbutton_gpio = {BUTTONS[seat]}\nlamp_gpio = {LAMPS[seat]}\n'
    for seat in BUTTONS
)
OUR_MUX: Final = '[bus.dials]\ndevice = "/dev/i2c-1"\n[[bus.dials.mux]]\naddress = 0x70\n'


def main() -> None:
    FOLDER.mkdir()
    install()
    pins = Pins()
    for gpio in BUTTONS.values():
        pins.release(gpio)  # a button has a pull-up, which QEMU's pins have not
    report("booted", seconds=float(Path("/proc/uptime").read_text(encoding="ascii").split()[0]))
    doctor_with_our_mux(pins)
    with kernel_mux() as devices:
        settings = by_the_kernel(devices)
        dials = {label: Dial(n, int(device[9:])) for n, (label, device) in enumerate(devices.items())}
        hands = Hands(dials)
        hands.start()
        doctor("doctor_kernel_mux", settings)
        calibrated(settings, hands, dials["T01"])
        played(settings, hands, pins)
        hands.end()


def install() -> None:
    """Tell Python the program's version, as pip would."""
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    about = Path(f"/opt/site/trapdial-{version}.dist-info")
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: trapdial\nVersion: {version}\n", encoding="utf-8")


def report(step: str, **found: Any) -> None:
    print("PI", json.dumps({"step": step, **found}), flush=True)


def doctor_with_our_mux(pins: Pins) -> None:
    """The program switches the mux. Ben's button is held; the magnets are as `FIELDS` has them."""
    squares = {
        label: f'bus = "dials"\nmux = 0x70\nchannel = {n}' for n, label in enumerate(f"T0{n}" for n in range(1, 6))
    }
    for number, (channel, field) in enumerate(FIELDS.values()):
        dial = Dial(number, 1, channel)
        dial.set_field(*field)
        dial.close()
    pins.press(BUTTONS["BEN"])
    doctor("doctor", written("ours.toml", OUR_MUX, squares))
    pins.release(BUTTONS["BEN"])


def doctor(step: str, settings: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [*PROGRAM, "doctor", "-s", str(settings), "--json"], capture_output=True, text=True, cwd=FOLDER, timeout=300
    )
    lines = done.stdout.splitlines()
    parts = [json.loads(line) for line in lines if line.startswith("{")]
    report(step, code=done.returncode, seconds=time.monotonic() - began, parts=parts, complaints=done.stderr)


@contextlib.contextmanager
def kernel_mux() -> Iterator[dict[str, str]]:
    """The kernel's driver takes the mux: each channel is a bus of its own, and the kernel keeps users of it apart."""
    (I2C / "i2c-1/new_device").write_text("pca9548 0x70\n", encoding="ascii")
    yield {f"T0{n + 1}": f"/dev/{(I2C / f'1-0070/channel-{n}').resolve().name}" for n in range(3)}
    (I2C / "i2c-1/delete_device").write_text("0x70\n", encoding="ascii")


def by_the_kernel(devices: dict[str, str]) -> Path:
    for number, device in enumerate(devices.values()):
        dial = Dial(number, int(device[9:]))
        dial.set_field(*GOOD_FIELD)
        dial.close()
    buses = "".join(f'[bus.{label.lower()}]\ndevice = "{device}"\n' for label, device in devices.items())
    return written("trapdial.toml", buses, {label: f'bus = "{label.lower()}"' for label in devices})


def written(name: str, buses: str, squares: dict[str, str]) -> Path:
    table = '[table]\nname = "Pi stage"\njournal = "journal.db"\n'
    tiles = "".join(
        f'[square.{label}]\n{place}\nchip = "as5600"\ntable = "sample:SAMPLE-A"\n' for label, place in squares.items()
    )
    path = FOLDER / name
    path.write_text(table + buses + tiles + SEATS, encoding="utf-8")
    return path


class Running:
    """The program, and what it has printed."""

    def __init__(self, *words: str) -> None:
        self.log = FOLDER / f"{words[0]}.log"
        self._words, self._from = words, 0
        with self.log.open("wb") as file:
            self.process = subprocess.Popen(
                [*PROGRAM, *words],
                cwd=FOLDER,
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )

    @property
    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def wait_for(self, words: str) -> None:
        """Wait until it has printed these words, after those that the last call waited for."""
        self._until(lambda: words in self._new or self.process.poll() is not None, words)
        if words not in self._new:
            raise SystemExit(f"trapdial {self._words[0]} ended with {self.process.returncode}:\n{self.printed}")
        self._from = self.printed.index(words, self._from) + len(words)

    @property
    def _new(self) -> str:
        return self.printed[self._from :]

    def ended(self) -> int:
        self._until(lambda: self.process.poll() is not None, "its end")
        return self.process.wait()

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                self.process.kill()
                raise SystemExit(f"trapdial {self._words[0]}: waited {PATIENCE_S:.0f} s for {what}:\n{self.printed}")
            time.sleep(0.02)


def calibrated(settings: Path, hands: Hands, dial: Dial) -> None:
    """Calibrate T01: once round, with 0.6 s from click to click."""
    began = time.monotonic()
    running = Running("calibrate", "-s", str(settings), "--square", "T01", "--yes")
    running.wait_for("T01: press Enter when it stands at its start mark")
    running.type("")
    time.sleep(1.0)
    hands.turn("T01", dial.hand.clicks, 600.0)
    code = running.ended()
    file = FOLDER / "calibration.toml"
    learnt = tomllib.loads(file.read_text(encoding="utf-8"))["squares"] if file.exists() else {}
    report(
        "calibrate",
        code=code,
        seconds=time.monotonic() - began,
        printed=running.printed,
        centres=learnt.get("T01", {}).get("centres", []),
        truth=[dial.centre(detent) for detent in range(dial.hand.clicks)],
    )


def played(settings: Path, hands: Hands, pins: Pins) -> None:
    """A game with three claims; then the journal, read by the program's own replay and audit."""
    began = time.monotonic()
    running = Running("play", "-s", str(settings))
    running.wait_for("T03: concealed.")
    truth, lamps = [], {}
    for seat, label, clicks in TURNS:
        time.sleep(1.0)
        _tap(pins, BUTTONS[seat])
        running.wait_for(f"{NAMES[seat]} is about to turn a dial.")
        took_s = hands.turn(label, clicks)
        truth.append({"seat": seat, "square": label, "clicks": clicks, "seconds": took_s})
        running.wait_for(f"{NAMES[seat]} turns the dial of {label}.")
        time.sleep(1.0)
        pins.press(BUTTONS[seat])
        running.wait_for(f"{label}: exposed by {NAMES[seat]}.")
        lamps[f"{seat} {label}"] = pins.flashes(LAMPS[seat], 10.0)
        pins.release(BUTTONS[seat])
    time.sleep(1.0)
    running.type("end")
    running.type("quit")
    code = running.ended()
    journal = FOLDER / "journal.db"
    turned = [
        {"seat": entry.event.seat, "square": entry.event.square, **_motion(entry.event.motion)}
        for entry in read(journal, MAGE_KNIGHT)
        if isinstance(entry.event, ev.Turned)
    ]
    replay(journal)
    report("play", code=code, seconds=time.monotonic() - began, printed=running.printed, turned=turned, truth=truth)
    report("lamps", edges=lamps)
    for step, *words in (("verify", "journal", "verify"), ("audit", "audit", "--json")):
        done = subprocess.run([*PROGRAM, *words, str(journal)], capture_output=True, text=True, cwd=FOLDER, timeout=300)
        report(step, code=done.returncode, printed=done.stdout, complaints=done.stderr, truth=truth)


def _motion(motion: ev.Motion) -> dict[str, Any]:
    return {
        "clicks": motion.clicks,
        "samples": motion.samples,
        "longest_gap_ms": motion.longest_gap_ns / 1e6,
    }


def _tap(pins: Pins, gpio: int) -> None:
    pins.press(gpio)
    time.sleep(0.15)
    pins.release(gpio)


if __name__ == "__main__":
    main()
