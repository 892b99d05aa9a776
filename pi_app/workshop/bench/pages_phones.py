"""Phones and strangers in a process of their own, so that they take nothing of the table's interpreter.

The bench sends words through a pipe; both ends read the kernel's monotonic clock, which is one for all processes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import select
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final

from pi_app.pages.messages import POST_BYTES
from pi_app.simulated.http_phone import HttpPhone, Shown
from pi_app.simulated.page_stream import Address, PageError, PageStream, exchange
from pi_app.text.errors import BrokenInstallationError

PATIENCE_S: Final = 60.0
BUSY_S: Final = 0.25
LAST: Final = 19
PHONE: Final = "127.0.1.{}"
STRANGER: Final = "127.0.2.{}"
"""Each has an address of its own, all of them of this machine alone."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a phone does: `do` is "tap", "hold", "let_go" or "stop"; "busy": phone after phone holds and lets go."""

    do: str
    seat: str = ""


@dataclass(frozen=True, slots=True)
class FaceOpened:
    """A frame with a face opened at a phone. `asked_ns`: when that phone's finger was last sent on its way. `cpu_ns`:
    the processor time of all phones since something came for them."""

    seat: str
    asked_ns: int
    opened_ns: int
    cpu_ns: int


@dataclass(slots=True)
class _Phones:
    """All phones, and what they saw. Each notes when its finger was sent on its way."""

    phones: dict[str, HttpPhone]
    pipe: Connection
    asked_ns: dict[str, int] = field(default_factory=dict)
    lit: set[str] = field(default_factory=set)
    busy: bool = False
    woke_ns: int = 0
    down: str = ""

    def came(self, seat: str, phone: HttpPhone, shown: Shown, at_ns: int) -> None:
        """Report a face when it appears, and that it is gone."""
        picture = shown.get("picture") or {}
        is_face = picture.get("kind") == "face"
        if is_face and seat not in self.lit:
            self.pipe.send(FaceOpened(seat, self.asked_ns.get(seat, 0), at_ns, time.process_time_ns() - self.woke_ns))
        (self.lit.add if is_face else self.lit.discard)(seat)

    def obey(self, word: Word) -> bool:
        """Do what the bench says; return False at its end."""
        if word.do == "stop":
            return False
        if word.do == "busy":
            self.busy = True
            return True
        phone = self.phones[word.seat]
        self.asked_ns[word.seat] = time.monotonic_ns()
        {"tap": phone.tap, "hold": phone.hold, "let_go": phone.let_go}[word.do]()
        return True

    def go_on(self) -> None:
        """While busy, lift the finger of one phone and put down that of the next one, now and then."""
        if not self.busy or time.monotonic_ns() < max(self.asked_ns.values(), default=0) + BUSY_S * 1e9:
            return
        seats = [*self.phones]
        if self.down:
            self.obey(Word("let_go", self.down))
        self.down = seats[(seats.index(self.down) + 1) % len(seats)] if self.down else seats[0]
        self.obey(Word("hold", self.down))

    def serve(self) -> None:
        """Read the streams and the pipe until the bench stops."""
        while True:
            waiting: list[Connection | HttpPhone] = [self.pipe, *self.phones.values()]
            ready, _, _ = select.select(waiting, [], [], BUSY_S if self.busy else 1.0)
            self.woke_ns = time.process_time_ns()
            self.go_on()
            for phone in self.phones.values():
                if phone in ready:
                    phone.take()
            if self.pipe in ready and not self.obey(self.pipe.recv()):
                return


def _phones(address: Address, codes: Mapping[str, bytes], pipe: Connection) -> None:
    """Join with all codes, say so, then obey. An error is sent instead."""
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        try:
            made = _Phones({}, pipe)
            for number, (seat, code) in enumerate(codes.items()):
                made.phones[seat] = HttpPhone(
                    address,
                    code,
                    origin=PHONE.format(number + 2),
                    came=partial(made.came, seat),
                )
                made.phones[seat].wait(lambda shown: True)
            pipe.send("ready")
            made.serve()
        except (PageError, ValueError) as error:
            pipe.send(str(error))


@contextlib.contextmanager
def phones(address: Address, codes: Mapping[str, bytes]) -> Iterator[Connection]:
    """Start a process with a phone for each code; yield the pipe to it. It sends "ready" once all have joined."""
    with _process(_phones, address, dict(codes)) as pipe:
        yield pipe


# ---------------------------------------------------------------------------------------------------- strangers


def _strangers(address: Address, count: int, pipe: Connection) -> None:
    """Ask without a code as fast as the page process answers, each stranger in a thread. Real strangers have processors
    of their own: these take only what the others leave."""
    os.nice(LAST)
    over, asked = threading.Event(), [0] * count
    crowd = [threading.Thread(target=_stranger, args=(address, number, over, asked)) for number in range(count)]
    for each in crowd:
        each.start()
    pipe.send("ready")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        pipe.recv()
    over.set()
    for each in crowd:
        each.join()
    with contextlib.suppress(OSError):
        pipe.send(sum(asked))


def _stranger(address: Address, number: int, over: threading.Event, asked: list[int]) -> None:
    """Ask for the page, to join, or to do something, as somebody without a code; keep the last stream open."""
    draw, stream = random.Random(f"stranger {number}"), None
    origin = STRANGER.format(number + 2)
    while not over.is_set():
        asked[number] += 1
        try:
            match draw.randrange(3):
                case 0:
                    exchange(address, "GET", "/", origin=origin)
                case 1:
                    if stream is not None:
                        stream.cut()
                    stream = PageStream(address, "/join", draw.randbytes(POST_BYTES), origin)
                case _:
                    exchange(address, "POST", "/up", draw.randbytes(POST_BYTES), origin=origin)
        except (PageError, OSError):
            over.wait(0.01)  # refused, or too many: a stranger tries again at once
    if stream is not None:
        stream.cut()


@contextlib.contextmanager
def strangers(address: Address, count: int) -> Iterator[Connection]:
    """Start a process of so many strangers; yield the pipe to it. They stop at any word, and send how often they
    asked."""
    with _process(_strangers, address, count) as pipe:
        yield pipe


@contextlib.contextmanager
def _process(target: Any, *arguments: Any) -> Iterator[Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.join(1.0)
        if process.is_alive():
            process.terminate()
            process.join(PATIENCE_S)


def received(pipe: Connection, what: str) -> Any:
    """Return the next message of a process. Raises BrokenInstallationError if none comes, or a sentence instead."""
    try:
        message = pipe.recv() if pipe.poll(PATIENCE_S) else "nothing"
    except EOFError:
        message = "it has ended"
    if isinstance(message, str) and message != "ready":
        raise BrokenInstallationError(f"simulated {what} (this machine) came to nothing: {message}. Try again.")
    return message
