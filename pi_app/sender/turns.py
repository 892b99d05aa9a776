"""One record in the hands of its sender: the centre's turn, and a turn for each witness that is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.journal.cosigned import WITNESSES, cosigner_key, pinned
from pi_app.journal.record.notes import VerifierKey
from pi_app.sender.client import CentreClient
from pi_app.sender.confined import RESOLVER, files_of
from pi_app.sender.orders import SenderOrders
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.records import is_handed_over
from pi_app.sender.sender import RecordSender, SenderStep
from pi_app.sender.web_address import port_of
from pi_app.sender.witness_asker import WitnessAsker
from pi_app.text.language import N_

PATIENCE: Final = 3
"""After so many failures in a row, about a minute, the staff is informed."""

WAITS: Final = N_("Entries wait on this table and are not handed over: {why}")
WITNESS_WAITS: Final = N_("Witness {name} was not reached: {why}")


@dataclass
class SenderTurn:
    """Something that is done again and again, with pauses. `name`: of the witness that it asks, empty for the
    centre."""

    step: Callable[[], SenderStep]
    pace: SendingPace
    name: str = ""
    due_s: float = 0.0
    trouble: tuple[str, str] = ("", "")
    size: int = 0
    refused: bool = False
    """Whether a person must mend what the last step met."""

    def take(self, now_s: float) -> None:
        """Do it once, and note when it is due again, and its trouble."""
        done = self.step()
        self.due_s, self.size, self.refused = now_s + done.pause_s, done.size, done.trouble is not None
        if done.trouble is not None:
            self.trouble = (done.trouble, done.why)
        elif self.pace.failures < PATIENCE:
            self.trouble = ("", "")
        else:
            self.trouble = (WITNESS_WAITS if self.name else WAITS, done.why)


@dataclass
class RecordTurns:
    """The turns of one record. `ports`: those that are connected to. `centre`: its key, if it is handed over to one."""

    path: Path
    turns: Sequence[SenderTurn]
    ports: frozenset[int]
    centre: VerifierKey | None
    watched: tuple[Path, ...] = ()
    _first: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._first = tuple(map(_number_of, self.watched))

    @property
    def has_moved(self) -> bool:
        """Whether another record is there, or another file that this process may not open."""
        now = tuple(map(_number_of, self.watched))
        return (
            not now
            or now[0] != self._first[0]
            or any(number not in (0, first) for number, first in zip(now, self._first, strict=True))
        )

    def take(self, now_s: float) -> float:
        """Take the turns that are due; return when the next one is."""
        for turn in self.turns:
            if turn.due_s <= now_s:
                turn.take(now_s)
        return min((turn.due_s for turn in self.turns), default=float("inf"))

    @property
    def trouble(self) -> tuple[str, str, str]:
        """The first trouble: its sentence, why, and the name of a witness; all empty without any."""
        return next(((*turn.trouble, turn.name) for turn in self.turns if turn.trouble[0]), ("", "", ""))

    @property
    def is_done(self) -> bool:
        """Whether the centre and each witness that answers have cosigned the whole record, which grows no more."""
        return (
            self.centre is not None
            and is_handed_over(self.path, self.centre)
            and all(turn.size >= self.turns[0].size or turn.pace.failures for turn in self.turns)
        )

    @property
    def is_refused(self) -> bool:
        """Whether the centre, or the record itself, refuses the hand-over until a person mends it."""
        return any(turn.refused for turn in self.turns if not turn.name)


def turns_of(
    path: Path, orders: SenderOrders, outbox: Outbox, client: Callable[[str], CentreClient], now_s: float
) -> RecordTurns:
    """Return the turns of a record. `client`: posts to an address. Raises JournalFileError if the pinned witnesses
    cannot be read, ValueError for a wrong key."""
    journal = Path(orders.journal)
    centre = cosigner_key(orders.key) if orders.key else None
    witnesses = [each for each in pinned(journal) if each.address and each.verifier != centre]
    turns: list[SenderTurn] = []
    size: Callable[[], int] = outbox.last
    if centre is not None:
        sender = RecordSender(outbox, client(orders.address), centre)
        first = SenderTurn(sender.step, sender.pace, due_s=now_s + (sender.pace.began() if orders.spread else 0))
        turns.append(first)
        size = lambda: first.size  # noqa: E731
    for each in witnesses:
        asker = WitnessAsker(outbox, client(each.address), each.verifier, size)
        turns.append(SenderTurn(asker.step, asker.pace, each.verifier.name))
    ports = {port_of(each.address) for each in witnesses} | ({port_of(orders.address)} if centre is not None else set())
    watched = (*files_of(path), journal.with_name(journal.name + WITNESSES), RESOLVER)
    return RecordTurns(path, turns, frozenset(ports), centre, watched)


def _number_of(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
