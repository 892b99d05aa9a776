"""A table without a game: real seats, keys and page process, as fast as they go.

A lane decides what each phone is shown. Everything from there on is the product's own: the seal, the link, the page
process, HTTP and the kernel's TCP. Each step waits until every phone has its frame, so that two runs of one plan are
comparable packet by packet.
"""

from __future__ import annotations

import random
import select
import time
from collections.abc import Callable, Sequence
from typing import Final

from pi_app.pages import sealing
from pi_app.pages.joining import Kind, PhoneSeats, Post
from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen
from pi_app.pages.messages import Admitted, Counts, Dropped, Frames, Knock, Left, Posted, Refused, Setup
from tests.pages.namespaces import ADDRESS, Room, inside
from tests.pages.phone import PATIENCE_S, Phone

PORT: Final = 80

Batch = list[tuple[str, int, bytes]]
"""The seat, the stream and the frame, in the order in which they are sent."""


class WireTable:
    """Seats on a real page process. `plain`: what the frame of a seat says now, padded to the one length."""

    def __init__(
        self, made: Room, seats: Sequence[str], plain: Callable[[str, bool], bytes], *, demo: bool = True
    ) -> None:
        """`plain` gets a seat, and whether its finger is down. `demo`: with a demo's rates, 1,000 requests a second."""
        with inside(made.table):
            setup = Setup(hosts=(ADDRESS,), address=f"http://{ADDRESS}/", demo=demo)
            self.link = ProcessLink(setup, listen(ADDRESS, PORT))
        self.names = tuple(seats)
        self.seats = PhoneSeats(seats)
        self.phones = {
            seat: Phone(name, (ADDRESS, PORT), self.seats.new_code(seat), opens=False)
            for seat, name in zip(seats, made.phones, strict=True)
        }
        self.counts: Counts | None = None
        self.held: set[str] = set()
        self.draw = random.SystemRandom()
        self.change: Callable[[Batch], Batch] = lambda batch: batch
        """A planted leak: changes what is sent."""
        self._plain = plain
        self.number = 0
        """Of the newest frames."""
        self.admitted = 0
        """Streams that were admitted."""

    def open(self) -> None:
        """Wait for the page process, and join with every phone."""
        self.wait_for_process()
        for phone in self.phones.values():
            phone.join()
            self.until(lambda phone=phone: phone.session is not None)  # type: ignore[misc]
            self.tell()

    def wait_for_process(self) -> None:
        """Wait until the page process says that it is well."""
        until = time.monotonic() + PATIENCE_S
        while self.counts is None and time.monotonic() < until:
            self.pump()
            time.sleep(0.01)

    def close(self) -> None:
        for phone in self.phones.values():
            phone.close()
        self.link.close()

    def pump(self) -> list[tuple[str, Post]]:
        """Take what the page process sends; return the gestures."""
        posts = []
        for message in self.link.take():
            match message:
                case Knock(conn, kind, body):
                    self._knocked(conn, kind, body)
                case Posted(body):
                    if (posted := self.seats.posted(body)) is not None:
                        seat, post = posted
                        posts.append((seat, post))
                        (self.held.add if post is Post.HOLD else self.held.discard)(seat)
                case Left(conn):
                    self.seats.left(conn)
                case Counts():
                    self.counts = message
        return posts

    def until(self, wanted: Callable[[], bool]) -> None:
        """Go on until something is so. Raises TimeoutError."""
        until = time.monotonic() + PATIENCE_S
        while not wanted():
            self.pump()
            self._drain(0.0005)
            if time.monotonic() > until:
                raise TimeoutError(f"the lane waited {PATIENCE_S:g} s for a phone; {self.link.last_words}")

    def gesture(self, seat: str, kind: int, *, round_s: float = 0.0) -> None:
        """A phone posts; the table takes it and tells everybody. `round_s`: it does so in rounds, as a real table: the
        post comes at any moment of one, the next makes the frames, and the one after that sends them."""
        ends = time.monotonic() + self.draw.uniform(0.0, round_s)
        self.phones[seat].post(kind)
        until = time.monotonic() + PATIENCE_S
        _sleep_until(ends)
        while not self.pump():
            if time.monotonic() > until:
                raise TimeoutError("a post did not reach the table")
            ends += round_s
            _sleep_until(ends)
        made = self.batch()
        _sleep_until(ends + round_s)
        self.tell(made)

    def tell(self, made: Batch | None = None) -> None:
        """Send everybody a frame, and wait until each phone has it."""
        sent = self.change(self.batch() if made is None else made)
        expected = {seat: self.phones[seat].events + 1 for seat, _, _ in sent}
        self.send(sent)
        until = time.monotonic() + PATIENCE_S
        while any(self.phones[seat].events < count for seat, count in expected.items()):
            self._drain(0.5)
            if time.monotonic() > until:
                raise TimeoutError(f"a frame did not reach its phone; {self.link.last_words}")

    def send(self, made: Batch | None = None) -> None:
        """Send everybody a frame, and do not wait."""
        batch = self.batch() if made is None else made
        self.link.send(Frames(tuple((conn, frame) for _, conn, frame in batch)))

    def batch(self) -> Batch:
        """Make all frames, then draw their order."""
        self.number += 1
        made = []
        for seat, conn in self.seats.connected.items():
            session = self.seats.session(seat)
            assert session is not None
            made.append((seat, conn, sealing.seal_frame(session, self.number, self._plain(seat, seat in self.held))))
        self.draw.shuffle(made)
        return made

    def _knocked(self, conn: int, kind: object, body: bytes) -> None:
        which: Kind = "join" if kind == "join" else "stream"
        admission = self.seats.knock(conn, which, body, time.monotonic_ns())
        if admission is None:
            self.link.send(Refused(conn, self.seats.refusal(which, body)))
            return
        if admission.replaced_conn is not None:
            self.link.send(Dropped(admission.replaced_conn, "twice" if admission.resumed else "moved"))
        self.link.send(Admitted(conn, admission.greeting, self.names.index(admission.seat)))
        self.admitted += 1

    def _drain(self, wait_s: float) -> None:
        is_open = {phone.fileno(): phone for phone in self.phones.values() if phone.is_open}
        for handle in select.select(list(is_open), [], [], wait_s)[0]:
            is_open[handle].take()


def _sleep_until(moment_s: float) -> None:
    rest_s = moment_s - time.monotonic()
    if rest_s > 0:
        time.sleep(rest_s)
