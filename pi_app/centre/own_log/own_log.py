"""Keeps the centre's own log: appends what was cosigned since, and has every checkpoint of it cosigned by others.

A database that was restored from a backup must not grow into a second history of its log. So nothing is appended before
every witness was asked what it has cosigned last, and nothing more once one of them names more than is here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from pi_app.centre.own_log.entries import OwnLogKey, entry_of
from pi_app.centre.own_log.tree import consistency, grown
from pi_app.centre.store.own_log_rows import KeptOwnLog, OwnLogBatch, OwnLogWitnessed
from pi_app.centre.store.store import CentreStore, StoreError
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.checkpoints import cosigned_at, is_signed, read_size
from pi_app.journal.record.merkle import EMPTY_ROOT, leaf_hash
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_note, read_signatures
from pi_app.journal.record.witness_protocol import AddCheckpoint
from pi_app.sender.client import CentreClient, CentreReply, UnreachableError
from pi_app.sender.pace import SendingPace

BATCH_S: Final = 300.0
"""So long at least between two batches: public witnesses are sized for some 288 checkpoints of a log in a day."""

STORE_S: Final = 10.0
"""After so long a database that could not be used is tried again."""

REFUSED_S: Final = 300.0
"""A refusal is for a person to mend: the witness is not asked again before this time."""

MOST_TRIES: Final = 3
"""So often a witness may name another size in a row."""

NEW_ORIGIN: Final = (
    "Nothing more is added, for the log would then have two histories. Write a new origin in [own_log] of centre.toml, "
    "one that was never used, and give its key to the witnesses (trapdial centre log key)."
)
RESTORED: Final = (
    "{witness} has cosigned {theirs} entries of the centre's own log {log}, and {ours} are here: the database was "
    "restored from a backup. " + NEW_ORIGIN
)
FORKED: Final = (
    "{witness} has cosigned other entries of the centre's own log {log} than those that are here: the database was "
    "restored from a backup, or its rows were changed. " + NEW_ORIGIN
)
FORGOTTEN: Final = (
    "{witness} says that it has cosigned {theirs} entries of {log}, and has cosigned {kept} before: its database was "
    "lost or restored. It no longer rules out a second history and is not asked again. Its owner has to retire it; "
    "take it from [own_log] of centre.toml. A new witness needs a new name and a new key."
)
UNKNOWN: Final = "{witness} does not know the log {log}. Give its owner the log's key: {key}"
NOT_TRUSTED: Final = "{witness} knows another key for the log {log}. Give its owner the right one: {key}"
OTHER_KEY: Final = "{witness} answers without its own signature: its key is not the one in centre.toml."
REFUSES: Final = "{witness} does not cosign the log {log}: {why}"
AWAY: Final = "{witness} could not be asked: {why}"
WAITS: Final = (
    " Nothing is added to the log {log} before it was asked once, for this database may be an old backup. If the "
    "witness is gone for good, take it from [own_log] of centre.toml."
)
KEY_CHANGED: Final = (
    "The centre's own log {log} was begun with another key than the centre has now. Put the old key back, or write a "
    "new origin in [own_log] of centre.toml."
)


@dataclass
class LogWitness:
    """A witness of the log, and where we are with it. `next_s`: when it is asked next; `clear`: it was asked since the
    centre began, and has not cosigned anything that is not here; `retired`: it has forgotten what it cosigned."""

    key: VerifierKey
    client: CentreClient
    pace: SendingPace = field(default_factory=SendingPace)
    next_s: float = 0.0
    clear: bool = False
    retired: bool = False


class OwnLog:
    """The log of a centre. Call `step` again and again, after the pause that it names."""

    def __init__(
        self,
        key: OwnLogKey,
        centre: CentreKey,
        store: CentreStore,
        reading: CentreStore,
        witnesses: Sequence[LogWitness],
    ) -> None:
        """`reading`: another connection to the same store."""
        self.key, self._centre, self.witnesses = key, centre, tuple(witnesses)
        self._rows, self._reading = store.own_log, reading
        self._batch_s = -math.inf
        self._away = self._other_key = ""

    @property
    def origin(self) -> str:
        """The log's origin."""
        return self.key.origin

    def hashes(self, level: int, first: int, last: int) -> Sequence[bytes]:
        """Return hashes of the tree. Raises StoreError."""
        return self._reading.own_log.hashes(self.origin, level, first, last)

    def entries(self, first: int, last: int) -> Sequence[bytes]:
        """Return entries from one place to before another. Raises StoreError."""
        return self._reading.own_log.entries(self.origin, first, last)

    def newest(self) -> dict[str, tuple[int, bytes]]:
        """Return place and hash of each table's newest entry, by the origin of its record. Raises StoreError."""
        return self._reading.own_log.newest(self.origin)

    def state(self) -> KeptOwnLog:
        """Return the log as it is. Raises StoreError."""
        return self._reading.own_log.state(self.origin)

    def troubles(self) -> list[str]:
        """Return what a person has to mend, as sentences. Raises StoreError."""
        kept = self.state().witnesses
        found = [kept.get(each.key.text(), OwnLogWitnessed()).trouble for each in self.witnesses]
        return [each for each in (self._away, self._other_key, *found) if each]

    def step(self, now_s: float) -> float:
        """Do what is due; return after how many seconds to come back."""
        try:
            for witness in self.witnesses:
                if now_s >= witness.next_s and not witness.retired:
                    self._ask(witness, now_s)
            if now_s >= self._batch_s and self._may_grow():
                if self._append():
                    self._wake(now_s)
                self._batch_s = now_s + BATCH_S
        except StoreError as error:
            self._away = str(error)
            return STORE_S
        self._away = ""
        due = [each.next_s for each in self.witnesses if not each.retired]
        due.append(self._batch_s if self._may_grow() else math.inf)
        return max(0.0, min(*due, now_s + BATCH_S) - now_s)

    def _may_grow(self) -> bool:
        return all(each.clear for each in self.witnesses)

    def _wake(self, now_s: float) -> None:
        """Have the new checkpoint cosigned. A witness that is away keeps its pause."""
        for witness in self.witnesses:
            if not witness.pace.failures or witness.next_s == math.inf:
                witness.next_s = now_s

    # ---------------------------------------------------------------------------------------------------- appending

    def _append(self) -> bool:
        """Append what has changed since; return whether there was something."""
        state = self.state()
        known = not state.note or is_signed(read_note(state.note.encode()), self.key.verifier)
        self._other_key = "" if known else KEY_CHANGED.format(log=self.origin)
        if not known:
            return False
        newest = self.newest()
        entries: list[tuple[str, bytes]] = []
        leaves: list[bytes] = []
        for record in self._reading.records():
            entry = entry_of(record.cosigned, self._centre.verifier)
            if entry is not None and newest.get(record.origin, (0, b""))[1] != (leaf := leaf_hash(entry)):
                entries.append((record.origin, entry))
                leaves.append(leaf)
        if not entries:
            return False
        hashes, root = grown(self.hashes, state.size, leaves)
        note = self.key.signed(state.size + len(entries), root).written()
        batch = OwnLogBatch(before=state.size, entries=entries, hashes=hashes, note=note)
        return self._rows.append(self.origin, batch)

    # ------------------------------------------------------------------------------------------------------ witnesses

    def _ask(self, witness: LogWitness, now_s: float) -> None:
        """Have the newest checkpoint cosigned, if it is not yet, and note when the witness is asked next."""
        old: int | None = None
        for _ in range(MOST_TRIES):
            old = self._ask_once(witness, old, now_s)
            if old is None:
                return
        self._refused(witness, REFUSES, now_s, why="it names another size again and again.")

    def _ask_once(self, witness: LogWitness, old: int | None, now_s: float) -> int | None:
        """Ask from a size on, or from what it has cosigned last; return from where to ask again, None if it is done."""
        state = self.state()
        kept = state.witnesses.get(witness.key.text(), OwnLogWitnessed())
        if old is None and witness.clear and kept.size == state.size:
            witness.next_s = math.inf
            return None
        old = min(kept.size, state.size) if old is None else old
        note = read_note(state.note.encode()) if state.note else self.key.signed(0, EMPTY_ROOT)
        asked = AddCheckpoint(old, tuple(consistency(self.hashes, old, state.size)), note)
        try:
            reply = witness.client.post("add-checkpoint", asked.written())
        except UnreachableError as error:
            self._unreachable(witness, str(error), now_s)
            return None
        theirs = _size_in(reply)
        if reply.status == HTTPStatus.OK:
            self._cosigned(witness, note, state.size, reply, now_s)
        elif reply.status == HTTPStatus.CONFLICT and theirs is not None:
            if old < theirs <= state.size:
                return theirs
            self._elsewhere(witness, theirs, state.size, kept.size, now_s)
        else:
            self._not_cosigned(witness, reply, state.size, now_s)
        return None

    def _cosigned(self, witness: LogWitness, note: SignedNote, size: int, reply: CentreReply, now_s: float) -> None:
        try:
            lines = [each for each in read_signatures(reply.body.decode()) if each.is_of(witness.key)]
        except ValueError:
            lines = []
        found = SignedNote(note.text, (*note.signatures, *lines))
        if cosigned_at(found, witness.key) is None:
            self._refused(witness, OTHER_KEY, now_s)
            return
        self._rows.keep_cosigned(self.origin, witness.key.text(), size, found.written())
        witness.clear, witness.next_s = True, now_s + witness.pace.cosigned()

    def _elsewhere(self, witness: LogWitness, theirs: int, asked: int, kept: int, now_s: float) -> None:
        """It has cosigned more than is here, less than it cosigned before, or another tree of the same size."""
        ours = self.state().size
        if theirs > ours:
            witness.clear = False
            self._refused(witness, RESTORED, now_s, theirs=theirs, ours=ours)
        elif theirs < kept:
            witness.clear = witness.retired = True
            self._refused(witness, FORGOTTEN, now_s, theirs=theirs, kept=kept)
        elif theirs > asked:
            witness.next_s = now_s  # another centre on this store has added entries meanwhile
        elif theirs == asked:
            witness.clear = False
            self._refused(witness, FORKED, now_s)
        else:
            self._refused(witness, REFUSES, now_s, why=f"it wants a proof from {theirs}, and rejects it.")

    def _not_cosigned(self, witness: LogWitness, reply: CentreReply, asked: int, now_s: float) -> None:
        """Understand a refusal that names no size."""
        match reply.status:
            case HTTPStatus.BAD_REQUEST | HTTPStatus.UNPROCESSABLE_ENTITY if not asked:
                # Some cosign no empty log. One that had cosigned entries of it would have named their number.
                witness.clear, witness.next_s = True, math.inf
            case HTTPStatus.CONFLICT | HTTPStatus.UNPROCESSABLE_ENTITY:
                witness.clear = False
                self._refused(witness, FORKED, now_s)
            case HTTPStatus.NOT_FOUND:
                witness.clear = True
                self._refused(witness, UNKNOWN, now_s)
            case HTTPStatus.FORBIDDEN:
                witness.clear = True
                self._refused(witness, NOT_TRUSTED, now_s)
            case status if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT) or status >= 500:
                self._unreachable(witness, f"it answers {status}.", now_s, reply.retry_s)
            case status:
                self._refused(witness, REFUSES, now_s, why=f"it answers {status}.")

    def _unreachable(self, witness: LogWitness, why: str, now_s: float, at_least_s: float = 0.0) -> None:
        witness.next_s = now_s + witness.pace.failed(at_least_s)
        words = AWAY if witness.clear else AWAY + WAITS
        self._keep(witness, words.format(witness=witness.key.name, log=self.origin, why=why))

    def _refused(self, witness: LogWitness, words: str, now_s: float, **more: object) -> None:
        witness.next_s = now_s + witness.pace.failed(REFUSED_S)
        named = {"witness": witness.key.name, "log": self.origin, "key": self.key.verifier.text(), **more}
        self._keep(witness, words.format(**named))

    def _keep(self, witness: LogWitness, words: str) -> None:
        self._rows.keep_trouble(self.origin, witness.key.text(), words)


def _size_in(reply: CentreReply) -> int | None:
    try:
        return read_size(reply.body.decode("ascii").strip())
    except ValueError:
        return None
