"""Phones in a game that is played twice: what each was sent and when, and gestures that are made on them instead of at
the buttons."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from pi_app.journal.record.heads import read_head
from pi_app.pages import sealing
from pi_app.pages.messages import (
    NO_GAME,
    Admitted,
    Dropped,
    Frames,
    FromPages,
    Knock,
    Left,
    NamedGame,
    Posted,
    Refused,
    ToPages,
)
from pi_app.play.phones import TablePages
from pi_app.simulated import actions
from pi_app.simulated.phone import PhoneSession, knock
from pi_app.simulated.script import DemoScript

HELD_NS = 400_000_000
SECRET_KINDS = ("die", "face", "card")

Told = Callable[[bool, str, object], None]
"""Takes whether it is the seat's secret, the viewer, and what was sent."""


class _Phone:
    """A phone that holds one seat, under the number of its stream."""

    def __init__(self, seat: str, conn: int, finish: Callable[[bytes], PhoneSession]) -> None:
        self.seat, self.conn, self.finish = seat, conn, finish
        self.session: PhoneSession | None = None


class TwinPhones:
    """A link without a process. `told` gets everything that phones are sent, in order: opened, because only a picture
    that is secret may differ between twins; its kind, its time and all lengths may not."""

    trouble: str | None = None

    def __init__(self, seed: int, seats: Sequence[str]) -> None:
        self.draw = random.Random(f"phones {seed}")
        self.cards = {seat: self.draw.randbytes(16) for seat in seats}
        self.joined = [seat for seat in seats if self.draw.random() < 0.75] or [*seats[:1]]
        self.told: Told = lambda secret, viewer, what: None
        self._own = random.Random(f"keys {seed}").randbytes
        self._waiting: deque[FromPages] = deque()
        self._phones: dict[int, _Phone] = {}
        self._of: dict[str, _Phone] = {}
        self._conns = 0
        self.faces = 0
        self._game = NO_GAME

    def pages(self) -> TablePages:
        draw = random.Random(f"order {self.draw.random()}")
        return TablePages(self, "10.77.0.1", self.cards, pick=draw.randrange)

    # ------------------------------------------------------------------------------------------------- as a link

    def take(self) -> list[FromPages]:
        return [self._waiting.popleft() for _ in range(min(16, len(self._waiting)))]

    def send(self, message: ToPages) -> None:
        match message:
            case Admitted(conn, greeting):
                phone = self._phones[conn]
                phone.session = phone.session or phone.finish(greeting)
                self.told(False, "pages", ("admitted", conn, len(greeting)))
            case Refused(conn, word) | Dropped(conn, word):
                self.told(False, "pages", (type(message).__name__, conn, word))
            case Frames(frames):
                self.told(False, "pages", ("frames", [(conn, len(frame), frame[:8]) for conn, frame in frames]))
                for conn, frame in frames:
                    self._open(self._phones[conn], frame)
            case NamedGame(game):
                self._game = game
            case _:
                raise AssertionError(message)

    def close(self) -> None:
        """Nothing is open."""

    def _open(self, phone: _Phone, frame: bytes) -> None:
        assert phone.session is not None
        said = phone.session.open_frame(frame)
        assert said is not None
        picture: dict[str, Any] | None = said.pop("picture")
        kind = None if picture is None else picture["kind"]
        if kind in SECRET_KINDS:
            if not said["held"]:
                self.told(False, "without a finger", kind)
            self.faces += 1
            self.told(True, f"page {phone.seat}", picture)
            picture = {"kind": kind}
        said["head"] = f"{len(said['head'])} letters of a head of {read_head(said['head']).size} entries"
        said["qr"] = said["qr"] and said["qr"]["size"]
        self.told(False, f"page {phone.seat}", msgspec.json.encode((said, picture)))

    # ----------------------------------------------------------------------------------------------- as players

    def join(self, seat: str) -> None:
        """Scan the seat's card with a new phone."""
        self._conns += 1
        body, finish = knock(self.cards[seat], self._own, game=self._game)
        self._of[seat] = self._phones[self._conns] = _Phone(seat, self._conns, finish)
        self._waiting.append(Knock(self._conns, "join", body))

    def come_back(self, seat: str) -> None:
        """Lose the stream, and open another."""
        phone = self._of.get(seat)
        if phone is None or phone.session is None:
            return
        self._waiting.append(Left(phone.conn))
        self._conns += 1
        phone.conn = self._conns
        self._phones[phone.conn] = phone
        self._waiting.append(Knock(phone.conn, "stream", phone.session.resume()))

    def post(self, seat: str, kind: int) -> None:
        phone = self._of.get(seat)
        if phone is not None and phone.session is not None:
            self._waiting.append(Posted(phone.session.post(kind)))

    def plan(self, script: DemoScript) -> tuple[DemoScript, list[tuple[int, Callable[[], None]]]]:
        """Move some gestures of these seats from the buttons to the phones, and do a few at both; and let phones come
        back and change."""
        kept: list[tuple[int, actions.TableAction]] = []
        done: list[tuple[int, Callable[[], None]]] = []
        pressed: dict[str, int] = {}
        for at_ns, act in script.actions:
            if isinstance(act, actions.Press) and act.seat in self.joined:
                pressed[act.seat] = at_ns
            elif isinstance(act, actions.Release) and act.seat in pressed:
                self._gesture(act.seat, pressed.pop(act.seat), at_ns, kept, done)
            else:
                kept.append((at_ns, act))
        for _ in range(self.draw.randint(1, 4)):
            step = self.draw.choice((self.come_back, self.come_back, self.join))
            done.append((self.draw.randint(0, script.end_ns), partial(step, self.draw.choice(self.joined))))
        kept.sort(key=lambda action: action[0])
        return DemoScript(tuple(kept), script.end_ns), done

    def _gesture(
        self,
        seat: str,
        from_ns: int,
        to_ns: int,
        kept: list[tuple[int, actions.TableAction]],
        done: list[tuple[int, Callable[[], None]]],
    ) -> None:
        place = self.draw.choice(("button", "phone", "phone", "both"))
        if place != "phone":
            kept += [(from_ns, actions.Press(seat)), (to_ns, actions.Release(seat))]
        if to_ns - from_ns < HELD_NS:
            if place == "phone":
                done.append((to_ns, partial(self.post, seat, sealing.TAP)))
        elif place != "button":
            later_ns = self.draw.randint(-300, 900) * 1_000_000 if place == "both" else 0
            done.append((from_ns + HELD_NS + later_ns, partial(self.post, seat, sealing.HOLD)))
            done.append((to_ns + later_ns, partial(self.post, seat, sealing.LET_GO)))
