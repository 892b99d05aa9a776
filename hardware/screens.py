"""Small screens, 128x64, on an I2C bus.

The usual libraries send a whole frame at once, which blocks the dials for 93 ms at 100 kHz. This driver sends
slices instead: transactions of at most 32 bytes after the control byte, one at a time, in the gaps of the
scan. `hardware.screen_kinds` has their kinds.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hardware.bus import Bus, Write, wire_bits
from hardware.clock import Clock
from hardware.errors import HardwareError, NoAnswer
from hardware.screen_kinds import COMMANDS, CONTRAST, NOTHING, OFF, ON, PIXELS, SCREENS, Window

WIDTH: Final = 128
PAGES: Final = 8
FRAME_BYTES: Final = WIDTH * PAGES
"""One bit per pixel: byte `page * 128 + column`, its lowest bit the top row of the page."""
BLANK: Final = bytes(FRAME_BYTES)

SLICE_BYTES: Final = 32
DIM: Final = 0x28
"""Contrast of a private screen under its hood (0x20 to 0x40 is dim; 0x7F is what the chips wake with)."""

PING_MS: Final = 250
"""How often an idle lit screen is pinged, to notice that it was pulled."""

FIRST_REST_MS: Final = 50
LONGEST_REST_MS: Final = 5_000

SHUT_TRIES: Final = 3

BETWEEN_PAYLOADS: Final = 4
"""What another payload costs beside its commands, in bytes: its address, and those of the pixels after it."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One queued slice: a payload of commands, or the frame's bytes from `first` to before `last`."""

    commands: bytes = b""
    first: int = 0
    last: int = 0


class Screen:
    """One screen, sent in slices. The wanted picture is a state; the next slice follows from its
    difference to the chip's known content. The screen starts dark, whatever the chip showed before.

    Only `send_slice` raises; after a failure the screen rests, and is then woken from scratch and
    repainted automatically. `trouble` is the latest failure until a repaint has succeeded. A screen that is
    pulled while it shows something is noticed within PING_MS, and returns with the picture wanted by then.
    """

    def __init__(
        self, bus: Bus, chip: str, address: int, *, clock: Clock, speed_hz: int = 100_000, name: str = "screen"
    ) -> None:
        """`chip`: one of SCREENS. `speed_hz`: the bus's, for estimates. `name`: the part in messages (`screen of seat
        ANN`)."""
        self.trouble: HardwareError | None = None
        self._bus, self._kind, self._address, self._clock = bus, SCREENS[chip], address, clock
        self._speed_hz, self._name = speed_hz, name
        self._frame = BLANK
        self._light_wanted, self._contrast_wanted = False, DIM
        self._merge_gap = len(self._address_window(0, 1)) + BETWEEN_PAYLOADS
        self._rest_ms = FIRST_REST_MS
        self._rest_until_ns: int | None = None
        self._whole_at: dict[int, tuple[_Step, ...]] = {}
        self._forget()

    def _forget(self) -> None:
        """Assume that the chip has lost its settings and may show anything."""
        self._painting = False
        self._ram = bytearray(FRAME_BYTES)
        self._ram_known = False
        self._lit, self._off_due = True, False
        self._contrast: int | None = None
        self._steps: deque[_Step] = deque()
        self._after = 0
        self._sent_ns = 0

    # --- the wanted picture

    def show(self, frame: bytes, *, whole: bool) -> None:
        """Show this frame, lit, as soon as the gaps allow; it replaces what has not been sent yet.

        `whole` sends wake-up, contrast, all 1024 bytes and "on", always in the same slices whatever the
        frame and the chip hold, and the screen is off meanwhile: for a picture that must not be guessed from traffic
        or from half of it (S-6). Otherwise only the difference is sent. A screen that was dark is always
        sent whole: it was not pinged, so a re-plug would have gone unnoticed.
        Raises ValueError unless the frame has 1024 bytes.
        """
        if len(frame) != FRAME_BYTES:
            raise ValueError(f"a frame has {FRAME_BYTES} bytes, not {len(frame)}")
        self._frame = bytes(frame)
        if whole or not self._light_wanted:
            self._repaint()
        self._light_wanted = True

    def dark(self) -> None:
        """Turn off with the next slice, before all that waits; drop what was not sent."""
        self._light_wanted = self._painting = False
        self._off_due = self._lit  # also if another frame is asked for before this slice has left
        self._steps.clear()
        self._frame = bytes(self._ram) if self._ram_known else BLANK

    def shut(self) -> None:
        """Turn off now, even while it rests: the last call before its bus is closed, since a chip keeps its picture for
        as long as it has power. A failed transfer is retried. Raises nothing for the wire."""
        self.dark()
        for _ in range(SHUT_TRIES):
            with contextlib.suppress(HardwareError):
                self._bus.transfer((Write(self._address, OFF),))
                self._lit = self._off_due = False
                return

    def light(self, contrast: int) -> None:
        """Set the brightness, 0 to 255 (see DIM); it survives a re-plug. Raises ValueError outside."""
        if not 0 <= contrast <= 0xFF:
            raise ValueError(f"contrast runs from 0 to 255, not to {contrast}")
        self._contrast_wanted = contrast

    def had_no_power(self) -> None:
        """Wake it from scratch and repaint it, after a power cycle."""
        self._forget()

    # --- sending (`hardware.screen_gaps.SliceSource`)

    def waiting(self) -> bool:
        """Whether a slice should be sent now. False while it rests after a failure."""
        return not self._resting() and self._next() is not None

    def slice_cost_ns(self) -> int:
        """Time on the wire of the next slice, from its bits and the bus's nominal speed; 0 if none waits."""
        payload = None if self._resting() else self._next()
        if payload is None:
            return 0
        return wire_bits((Write(self._address, payload),)) * 1_000_000_000 // self._speed_hz

    def send_slice(self) -> None:
        """Send one slice, if any waits. If the wire fails, raise HardwareError and rest: 50 ms first,
        twice as long after each further failure, up to 5 s."""
        payload = None if self._resting() else self._next()
        if payload is None:
            return
        try:
            self._bus.transfer((Write(self._address, payload),))
        except HardwareError as error:
            raise self._failed(error) from error
        self._sent(payload)

    def _resting(self) -> bool:
        return self._rest_until_ns is not None and self._clock.now_ns() < self._rest_until_ns

    def _next(self) -> bytes | None:
        """The payload to send next, or None if the chip holds and shows what it should."""
        if self._off_due or (self._lit and not self._light_wanted):
            return OFF
        if not self._steps:
            self._plan()
        if self._steps:
            step = self._steps[0]
            return step.commands or PIXELS + self._frame[step.first : step.last]
        if self._light_wanted and not self._lit:
            return ON
        return NOTHING if self._ping_due() else None

    def _ping_due(self) -> bool:
        """Whether a screen that shows something may have been pulled unnoticed."""
        return self._light_wanted and self._clock.now_ns() - self._sent_ns >= PING_MS * 1_000_000

    def _plan(self) -> None:
        if not self._ram_known:
            self._repaint()
        elif self._contrast != self._contrast_wanted:
            self._steps.append(self._contrast_step())
        elif self._ram != self._frame:
            self._steps.extend(self._run(*self._next_difference()))

    def _sent(self, payload: bytes) -> None:
        """Record what the chip holds after it acknowledged this payload."""
        self._sent_ns = self._clock.now_ns()
        if payload == NOTHING:
            return
        if payload in (OFF, ON):
            self._lit, self._off_due = payload == ON, False
            return
        step = self._steps.popleft()
        if step.commands.startswith(CONTRAST):
            self._contrast = step.commands[-1]
        elif step.commands in self._kind.wake:
            self._lit = False  # the wake-up begins with "display off"
        elif not step.commands:
            self._ram[step.first : step.last] = payload[1:]
            self._after = step.last % FRAME_BYTES
            if step.last == FRAME_BYTES and not self._steps:
                self._painted()

    def _painted(self) -> None:
        """After the last byte of a repaint the whole RAM is known."""
        if self._painting:
            self._painting = False
            self._ram_known = True
            self.trouble, self._rest_ms, self._rest_until_ns = None, FIRST_REST_MS, None

    def _failed(self, error: HardwareError) -> HardwareError:
        self._rest_until_ns = self._clock.now_ns() + self._rest_ms * 1_000_000
        self._rest_ms = min(2 * self._rest_ms, LONGEST_REST_MS)
        self._forget()
        if not self._light_wanted:
            self._frame = BLANK
        if isinstance(error, NoAnswer):  # the bus knows an address, but not the seat
            error = NoAnswer(
                self._name,
                f"{self._bus.name} 0x{self._address:02X}",
                "did not answer",
                "Check its plug and its address (0x3C or 0x3D); it recovers automatically.",
            )
        self.trouble = error
        return error

    # --- steps

    def _repaint(self) -> None:
        self._painting = True
        wanted = self._contrast_wanted
        if wanted not in self._whole_at:  # the same steps for every frame, built once
            self._whole_at = {wanted: tuple(self._whole())}
        self._steps = deque(self._whole_at[wanted])

    def _contrast_step(self) -> _Step:
        return _Step(commands=CONTRAST + bytes((self._contrast_wanted,)))

    def _whole(self) -> Iterator[_Step]:
        yield from (_Step(commands=commands) for commands in self._kind.wake)
        yield self._contrast_step()
        if self._kind.whole:
            yield from self._run(0, FRAME_BYTES)
        else:
            for page in range(PAGES):
                yield from self._run(page * WIDTH, (page + 1) * WIDTH)

    def _run(self, first: int, last: int) -> Iterator[_Step]:
        """Address a window and fill it. A run stays within one page, or is the whole screen."""
        yield _Step(commands=COMMANDS + self._address_window(first, last))
        for at in range(first, last, SLICE_BYTES):
            yield _Step(first=at, last=min(at + SLICE_BYTES, last))

    def _address_window(self, first: int, last: int) -> bytes:
        page, column = divmod(first, WIDTH)
        last_page, last_column = divmod(last - 1, WIDTH)
        return self._kind.window(Window(page, column, last_page, last_column))

    def _next_difference(self) -> tuple[int, int]:
        """The next run that differs, from where the last one ended and round again: (first, before last).

        Equal bytes between two differences are included if addressing another run would cost more.
        """
        first = next(at for at in self._places() if self._frame[at] != self._ram[at])
        page_end = (first // WIDTH + 1) * WIDTH
        last = first
        for at in range(first + 1, page_end):
            if at - last > self._merge_gap + 1:
                break
            if self._frame[at] != self._ram[at]:
                last = at
        return first, last + 1

    def _places(self) -> Iterator[int]:
        """Every byte once, from the end of the last run and round again; equal pages are left out."""
        start_page = self._after // WIDTH
        yield from range(self._after, (start_page + 1) * WIDTH)
        for n in range(1, PAGES + 1):
            base = (start_page + n) % PAGES * WIDTH
            if self._frame[base : base + WIDTH] != self._ram[base : base + WIDTH]:
                yield from range(base, base + WIDTH)
