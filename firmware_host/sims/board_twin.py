"""A simulated board: the hub's own firmware in a child process, behind a real pseudo-terminal.

The child has the terminal's master as its stdin and stdout, as a Pico's USB port is those of its REPL; the host opens
`port`, a link to the slave. The pins connect to simulated chips in this process. The cable powers the board, so pulling
it stops the firmware; a reset makes the port vanish for a moment, as on USB.

Not modelled: the speed and the buffers of USB (a host that does not read costs a line at once, not half a second), DTR,
a real REPL, flash, and anything that only `machine` of a real board has.
"""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import signal
import socket
import subprocess
import threading
import tty
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from firmware_host.sims.bad_wire import BadWire
from firmware_host.sims.firmware_process import BOOTLOADER, DIED, WATCHDOG, FirmwareProcess
from firmware_host.sims.i2c_blocks import I2cBlocks
from firmware_host.sims.interpreter import Interpreter, best
from hardware.adapter import Adapter

FIRMWARE = Path(__file__).resolve().parents[1]
ON_BOARD = Path(__file__).resolve().parent / "on_board"
PER_MUX = 8
POWER_ON, BY_WATCHDOG = 1, 3
"""Values of `machine.reset_cause` in the rp2 port."""


class BoardTwin:
    """A board, plugged in at once. Any thread may call its methods; its own thread uses the adapters."""

    def __init__(
        self,
        adapters: Sequence[Adapter],
        uid: str,
        dials: int,
        folder: Path,
        *,
        interpreter: Interpreter | None = None,
        wire: BadWire | None = None,
        mux_reset: int | None = None,
        key: bytes = b"",
    ) -> None:
        """`adapters`: one for I2C block 0, one for block 1; none: dials that creep by a formula, for tests of speed.

        `uid`: 16 hex digits. `dials`: 1 to 16 that are wired, eight per mux from 0x70 on. `folder`: holds the port's
        link and the board's files. `wire`: damages bytes both ways; Ctrl-C works only with one. `mux_reset`: the pin at
        the muxes' RESET. `key`: as `trapdial hub install` leaves it; empty: none.
        """
        if not 1 <= dials <= 2 * PER_MUX or len(bytes.fromhex(uid)) != 8:
            raise ValueError(f"a simulated board has 1 to 16 dials and an id of 16 hex digits, not {dials} and {uid!r}")
        self.uid, self.dials = uid, dials
        self.interpreter = interpreter or best()
        self.port = folder / f"hub-{uid}"
        self.starts = 0
        self.watchdog_resets = 0
        self.trouble: Exception | None = None
        """The first failure of the simulation itself; `close` raises it."""
        self._blocks = I2cBlocks(adapters)
        self._has_chips, self._key = bool(adapters), key
        self._bad_wire, self._mux_reset = wire, mux_reset
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._firmware: FirmwareProcess | None = None
        self._closed = False
        self.files = folder / f"board-{uid}"
        """The board's own files."""
        self._pins = folder / f"pins-{uid}"
        self._write_files()
        self.plug()

    def __enter__(self) -> BoardTwin:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    # --- the cable

    @property
    def plugged(self) -> bool:
        """Whether the firmware runs."""
        return self._firmware is not None

    @property
    def pid(self) -> int:
        """The child's process id. Raises ValueError while the cable is out."""
        if (firmware := self._firmware) is None:
            raise ValueError(f"board {self.uid} is not plugged in")
        return firmware.pid

    def wait(self, done: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until `done` is true, checked whenever the board starts or ends unasked; return False on a time-out."""
        with self._changed:
            return self._changed.wait_for(done, timeout_s)

    def pull(self) -> None:
        """Pull the cable: the board loses its power, and its port vanishes. Pulling twice is harmless."""
        with self._lock:
            firmware, self._firmware = self._firmware, None
            self.port.unlink(missing_ok=True)
        if firmware is not None:
            firmware.end()

    def plug(self) -> None:
        """Plug the cable in: the firmware starts, and the port is back under its name. Plugging twice is harmless."""
        with self._lock:
            if self._firmware is None and not self._closed:
                self._start(POWER_ON)

    def restart(self) -> None:
        """Pull the cable and plug it in again."""
        self.pull()
        self.plug()

    def freeze(self) -> None:
        """Stop the process; the watchdog resets it after eight seconds."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Continue a frozen process."""
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        """Switch off for good. Raises a failure of the simulation itself. Closing twice is harmless."""
        with self._lock:
            self._closed = True
        self.pull()
        for folder in (self.files, self._pins):
            shutil.rmtree(folder, ignore_errors=True)
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            raise trouble

    def _signal(self, number: signal.Signals) -> None:
        with self._lock, contextlib.suppress(ProcessLookupError):
            if self._firmware is not None:
                os.kill(self._firmware.pid, number)

    # --- the firmware's process

    def _write_files(self) -> None:
        """Write the board's files as the installer leaves them, with this board's wiring at the end of board.py.

        These are copies, because mpremote may change them.
        """
        for folder in (self.files, self._pins):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        shutil.copytree(FIRMWARE / "hub", self.files / "hub", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("boot.py", "main.py"):
            shutil.copy(FIRMWARE / "board" / name, self.files)
        muxes = tuple(0x70 + number for number in range(-(-self.dials // PER_MUX)))
        wiring = f"\nMUXES = {muxes}\nWIRED = range({self.dials})\nMUX_RESET = {self._mux_reset}\n"
        text = (FIRMWARE / "board" / "board.py").read_text(encoding="utf-8")
        (self.files / "board.py").write_text(text + wiring, encoding="utf-8")
        if self._key:
            (self.files / "hub.key").write_bytes(self._key)

    def _start(self, reset_cause: int) -> None:
        self.starts += 1
        with _Descriptors() as files:
            questions_in, questions_out = files.pipe()
            answers_in, answers_out = files.pipe()
            master, slave = files.add(*pty.openpty())
            tty.setraw(slave)
            os.set_blocking(master, False)
            child, relay = master, -1
            if self._bad_wire is not None:
                child, relay = files.pair()
            link = self.port.with_suffix(".new")
            link.unlink(missing_ok=True)
            link.symlink_to(os.ttyname(slave))
            self._write_setup(questions_out, answers_in, reset_cause)
            process = subprocess.Popen(
                (*self.interpreter.command, str(ON_BOARD / "launch.py")),
                stdin=child,
                stdout=child,
                stderr=subprocess.DEVNULL,
                cwd=self.files,
                env=os.environ | {self.interpreter.paths: f"{ON_BOARD}:{self._pins}:{self.files}"},
                pass_fds=(questions_out, answers_in),
                start_new_session=True,
            )
            kept = {questions_in, answers_out, slave, *((master, relay) if relay >= 0 else ())}
            ends = (questions_in, answers_out)
            files.keep(kept)
        self._firmware = FirmwareProcess(
            process, ends, tuple(kept), self._blocks, self._died, self._failed, self._bad_wire, (master, relay)
        )
        self._firmware.begin()
        link.replace(self.port)

    def _write_setup(self, questions: int, answers: int, reset_cause: int) -> None:
        lines = {
            "UID": bytes.fromhex(self.uid),
            "RESET_CAUSE": reset_cause,
            "QUESTIONS": questions,
            "ANSWERS": answers,
            "CHIPS": self._has_chips,
            "DIALS": self.dials,
            "MUX_RESET": self._mux_reset,
            "SPEEDUP": self.interpreter.speedup,
            "PACED": True,
        }
        text = "".join(f"{name} = {value!r}\n" for name, value in lines.items())
        (self._pins / "twin_setup.py").write_text(text, encoding="utf-8")

    def _died(self, firmware: FirmwareProcess, how: int) -> None:
        """Called in the process's own thread, at its end."""
        with self._lock:
            if self._firmware is not firmware:
                return
            self._firmware = None
            self.port.unlink(missing_ok=True)
            if how == WATCHDOG:
                self.watchdog_resets += 1
            if not self._closed and how not in (DIED, BOOTLOADER):
                self._start(BY_WATCHDOG if how == WATCHDOG else POWER_ON)
            self._changed.notify_all()

    def _failed(self, trouble: Exception) -> None:
        self.trouble = self.trouble or trouble


class _Descriptors:
    """Descriptors that are closed at the end, except those to keep."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> _Descriptors:
        return self

    def __exit__(self, *_: object) -> None:
        for number in self._open:
            with contextlib.suppress(OSError):
                os.close(number)

    def add(self, *numbers: int) -> Iterator[int]:
        self._open.update(numbers)
        return iter(numbers)

    def pipe(self) -> Iterator[int]:
        return self.add(*os.pipe())

    def pair(self) -> Iterator[int]:
        ours, theirs = socket.socketpair()
        numbers = ours.detach(), theirs.detach()
        for number in numbers:
            os.set_blocking(number, False)
        return self.add(*numbers)

    def keep(self, numbers: set[int]) -> None:
        self._open -= numbers
