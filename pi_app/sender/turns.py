"""One record in the hands of its sender: the centre's turn, and a turn for each witness that is asked."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.journal.cosigned import WITNESSES, cosigner_key, pinned
from pi_app.journal.record.notes import VerifierKey
from pi_app.sender.client import CentreClient
from pi_app.sender.confined import RESOLVER, files_of
from pi_app.sender.orders import SenderOrders, SenderTrouble
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.records import is_handed_over
from pi_app.sender.sender import RecordSender, SenderStep
from pi_app.sender.web_address import port_of
from pi_app.sender.witness_asker import WitnessAsker
from pi_app.text.language import N_

PATIENCE: Final = 3
"""After this many failures in a row, inform the staff."""

PATIENCE_S: Final = 60.0
"""Or this long after the first of them began."""

LATE_S: Final = 5.0
"""A past record that the centre has does not wait longer than this for a witness."""

WAITS: Final = N_("Entries wait on this table and are not handed over: {why}")
WAITS_SINCE: Final = N_("Entries have waited on this table since {since} and are not handed over: {why}")
WITNESS_WAITS: Final = N_("Witness {name} was not reached: {why}")
WITNESS_WAITS_SINCE: Final = N_("Witness {name} has not answered since {since}: {why}")


@dataclass(frozen=True, slots=True)
class TurnState:
    """How a turn stands after a step. `due_s`: of the next one. `size`: entries that are cosigned. `refused`: whether a
    person must mend what it met. `since`: when the first of the failures in a row began, on the clock of `due_s` and in
    POSIX seconds; None after a success."""

    due_s: float = 0.0
    size: int = 0
    refused: bool = False
    trouble: SenderTrouble | None = None
    since: tuple[float, int] | None = None


@dataclass
class SenderTurn:
    """Something that is done again and again, with pauses. `name`: of the witness that it asks, empty for the centre.
    `date_s`: the date in POSIX seconds, 0 for a machine that does not know it."""

    step: Callable[[], SenderStep]
    pace: SendingPace
    name: str = ""
    state: TurnState = TurnState()
    now_s: Callable[[], float] = time.monotonic
    date_s: Callable[[], int] = lambda: 0
    began_s: float | None = None
    """When the step that runs began; None between two."""

    def take(self) -> None:
        """Do it once, and note how it stands."""
        self.began_s, date_s = self.now_s(), self.date_s()
        done, now_s = self.step(), self.now_s()
        since = None if not self.pace.failures else self.state.since or (self.began_s, date_s)
        self.state = TurnState(
            now_s + done.pause_s, done.size, done.trouble is not None, self._trouble(done, since, now_s), since
        )
        self.began_s = None

    def is_late(self) -> bool:
        """Return whether the step that runs takes long, or the last one failed."""
        began_s = self.began_s
        return self.state.since is not None or (began_s is not None and self.now_s() - began_s > LATE_S)

    def _trouble(self, done: SenderStep, since: tuple[float, int] | None, now_s: float) -> SenderTrouble | None:
        if done.trouble is not None:
            return SenderTrouble(sentence=done.trouble, why=done.why[:400], name=self.name[:400])
        if since is None or (self.pace.failures < PATIENCE and now_s - since[0] < PATIENCE_S):
            return None
        known = (WITNESS_WAITS_SINCE if self.name else WAITS_SINCE) if since[1] else ""
        sentence = known or (WITNESS_WAITS if self.name else WAITS)
        return SenderTrouble(sentence=sentence, why=done.why[:400], name=self.name[:400], since_s=since[1])


@dataclass
class RecordTurns:
    """The turns of one record. `ports`: those that are connected to. `centre`: its key, if it is handed over to one."""

    path: Path
    turns: Sequence[SenderTurn]
    ports: frozenset[int]
    centre: VerifierKey | None
    watched: tuple[Path, ...] = ()
    _first: tuple[int, ...] = field(init=False)
    _stepped: threading.Event = field(default_factory=threading.Event)
    _error: BaseException | None = None

    def __post_init__(self) -> None:
        self._first = tuple(map(_number_of, self.watched))

    def begin(self, pause: Callable[[float], None] = time.sleep) -> None:
        """Take each turn in a thread of its own: whoever holds one delays no other. They end with the process. `pause`
        waits for so many seconds."""
        for turn in self.turns:
            threading.Thread(target=self._take, args=(turn, pause), name=turn.name or "centre", daemon=True).start()

    def wait(self, most_s: float) -> None:
        """Wait until a step of a turn is done, so long at most. Raises what stopped a turn."""
        self._stepped.wait(most_s)
        self._stepped.clear()
        if self._error is not None:
            raise self._error

    def _take(self, turn: SenderTurn, pause: Callable[[float], None]) -> None:
        try:
            while self._error is None:
                pause(max(0.0, turn.state.due_s - turn.now_s()))
                turn.take()
                self._stepped.set()
        except BaseException as error:  # noqa: BLE001 - the process ends with it, and is started again
            self._error = error
            self._stepped.set()

    @property
    def has_moved(self) -> bool:
        """Whether another record is there, or another file that this process may not open."""
        now = tuple(map(_number_of, self.watched))
        return (
            not now
            or now[0] != self._first[0]
            or any(number not in (0, first) for number, first in zip(now, self._first, strict=True))
        )

    @property
    def troubles(self) -> tuple[SenderTrouble, ...]:
        """The troubles now: the centre's, then those of witnesses."""
        return tuple(turn.state.trouble for turn in self.turns if turn.state.trouble is not None)

    @property
    def is_done(self) -> bool:
        """Whether the centre and each witness that answers have cosigned the whole record, which grows no more."""
        return (
            self.centre is not None
            and is_handed_over(self.path, self.centre)
            and all(turn.state.size >= self.turns[0].state.size or turn.is_late() for turn in self.turns)
        )

    @property
    def is_refused(self) -> bool:
        """Whether the centre, or the record itself, refuses the hand-over until a person mends it."""
        return any(turn.state.refused for turn in self.turns if not turn.name)


def turns_of(
    path: Path,
    orders: SenderOrders,
    outbox: Outbox,
    client: Callable[[str], CentreClient],
    now_s: Callable[[], float] = time.monotonic,
    date_s: Callable[[], int] = lambda: 0,
) -> RecordTurns:
    """Return the turns of a record. `client`: posts to an address. `date_s`: the date in POSIX seconds, 0 if unknown.
    Raises JournalFileError if the pinned witnesses cannot be read, ValueError for a wrong key."""
    journal = Path(orders.journal)
    centre = cosigner_key(orders.key) if orders.key else None
    witnesses = [each for each in pinned(journal) if each.address and each.verifier != centre]
    turns: list[SenderTurn] = []
    size: Callable[[], int] = outbox.last
    if centre is not None:
        sender = RecordSender(outbox, client(orders.address), centre)
        begins = TurnState(due_s=now_s() + (sender.pace.began() if orders.spread else 0))
        first = SenderTurn(sender.step, sender.pace, "", begins, now_s, date_s)
        turns.append(first)
        size = lambda: first.state.size  # noqa: E731
    for each in witnesses:
        asker = WitnessAsker(outbox, client(each.address), each.verifier, size)
        turns.append(SenderTurn(asker.step, asker.pace, each.verifier.name, TurnState(), now_s, date_s))
    ports = {port_of(each.address) for each in witnesses} | ({port_of(orders.address)} if centre is not None else set())
    watched = (*files_of(path), journal.with_name(journal.name + WITNESSES), RESOLVER)
    return RecordTurns(path, turns, frozenset(ports), centre, watched)


def _number_of(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
