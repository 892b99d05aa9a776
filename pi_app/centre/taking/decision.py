"""Decides what a centre does with a hand-over: commit and cosign it, or answer why not.

Pure, but for two look-ups in the store. The cosignature leaves the centre only after its commit is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from pi_app.centre.store.store import Commit, GameState, KeptGame, KeptRecord
from pi_app.centre.taking.known_record import HandedEntry, NotTakenError, Taken, taken
from pi_app.journal.record.checkpoints import (
    Checkpoint,
    cosign,
    cosigned_at,
    device_of,
    is_signed,
    read_checkpoint,
    record_key,
)
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.merkle import Tree
from pi_app.journal.record.notes import COSIGNS, SignedNote, VerifierKey, read_note, signatures_of

CLOCK_BEHIND_S: Final = 5
"""So far the centre's clock may be behind its latest cosignature of a record; it then names the same second again."""


@dataclass(frozen=True, slots=True)
class CentreKey:
    """The name and the key with which a centre cosigns."""

    name: str
    key: DeviceKey

    @property
    def verifier(self) -> VerifierKey:
        """What tables pin."""
        return VerifierKey(self.name, COSIGNS, self.key.public)


class HandoverRefusedError(Exception):
    """The answer to a hand-over that is not taken. `why`: a sentence for people; `size`: where to go on; `evidence`:
    the record's own key has signed what contradicts the entries here; `retry_s`: when to try again."""

    def __init__(
        self, status: HTTPStatus, why: str, *, size: int | None = None, evidence: bool = False, retry_s: int = 0
    ) -> None:
        self.status, self.why, self.size, self.evidence, self.retry_s = status, why, size, evidence, retry_s
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class ToCommit:
    """What is written, and the answer after that. `commit`: None if everything is here already. `cosignature`: a
    signature line; empty as long as a centre that was restored from a backup has not caught up with what it cosigned
    before."""

    commit: Commit | None
    cosignature: str


@dataclass(frozen=True, slots=True)
class LookUps:
    """What a decision asks the store: hashes of entries from one number to another, and games by name."""

    leaves: Callable[[int, int], Sequence[bytes]]
    games: Callable[[Collection[str]], Sequence[KeptGame]]


def decide(handed: HandOver, record: KeptRecord, centre: CentreKey, look: LookUps, now_s: int) -> ToCommit:
    """Return what is to be committed. Raises HandoverRefusedError."""
    if record.revoked:
        raise HandoverRefusedError(HTTPStatus.GONE, "This table was revoked: nothing more is taken from it.")
    new = _signed(handed)
    size = record.known.size
    if handed.first > size + 1 or handed.last < size:
        raise HandoverRefusedError(HTTPStatus.CONFLICT, f"Entries up to {size} are here.", size=size)
    _compare(handed, size, look)
    fresh = handed.entries[size + 1 - handed.first :]
    found = _checked(record, fresh, look)
    if found.known.root != new.root:
        why = f"The checkpoint of {new.size} entries has another root than the entries."
        raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True)
    since = _since(handed, record, centre, fresh)
    if not fresh and (known := _known_line(record, centre, new)):
        return ToCommit(None, known)
    note, line = record.cosigned, ""
    if since <= new.size:
        signature = cosign(centre.key, centre.name, handed.checkpoint.text, _time(record, centre, now_s))
        note, line = (
            SignedNote(handed.checkpoint.text, (*handed.checkpoint.signatures, signature)).written(),
            signature.line(),
        )
    commit = Commit(
        number=record.number,
        before=size,
        entries=fresh,
        taken=found,
        cosigned=note,
        at_s=now_s,
        behind=handed.more,
    )
    return ToCommit(commit, line)


def _known_line(record: KeptRecord, centre: CentreKey, new: Checkpoint) -> str:
    """Return the cosignature of this checkpoint if it was cosigned already, else nothing."""
    if not record.cosigned:
        return ""
    note = read_note(record.cosigned.encode())
    own = signatures_of(note.signatures, centre.verifier) if note.text == new.body() else []
    return own[0].line() if own else ""


def _signed(handed: HandOver) -> Checkpoint:
    """Return the checkpoint of a hand-over. Raises HandoverRefusedError if it is another's or not signed."""
    try:
        new = read_checkpoint(handed.checkpoint.text)
    except ValueError as error:
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, f"The checkpoint cannot be read: {error}.") from error
    device = device_of(handed.origin)
    if device is None or new.origin != handed.origin or new.extensions:
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, "The checkpoint is not of the record that is handed over.")
    if not is_signed(handed.checkpoint, record_key(device)):
        raise HandoverRefusedError(HTTPStatus.FORBIDDEN, "The checkpoint is not signed by the record's device.")
    if new.size != handed.last:
        why = f"The checkpoint is of {new.size} entries, and the last one handed over is {handed.last}."
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, why)
    return new


def _compare(handed: HandOver, size: int, look: LookUps) -> None:
    """Compare the entries that are here already. Raises HandoverRefusedError for other ones."""
    again = handed.entries[: max(0, size + 1 - handed.first)]
    if not again:
        return
    here = look.leaves(handed.first, handed.first + len(again) - 1)
    for seq, (mine, (*_, theirs)) in enumerate(zip(here, again, strict=True), handed.first):
        if mine != theirs:
            why = f"Entry {seq} is another one than the one that was handed over before: this record has two histories."
            raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True)


def _checked(record: KeptRecord, fresh: Sequence[HandedEntry], look: LookUps) -> Taken:
    try:
        found = taken(record.known, fresh)
    except NotTakenError as error:
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, f"Nothing was taken: {error}.") from error
    _check_games(found, look)
    return found


def _check_games(found: Taken, look: LookUps) -> None:
    """Check what concerns entries far back: a game begins once, and a deletion names its entries."""
    deleted = {each.game: each for each in found.deleted}
    names = [name for name in (*found.begun, *deleted) if name]
    for game in look.games(names) if names else ():
        if game.game in found.begun:
            seen = f"entry {found.begun[game.game]} begins a game that has begun before"
        elif (game.first, game.last) != (
            deleted[game.game].first,
            deleted[game.game].last,
        ) or game.state is GameState.ON:
            seen = f"it records the deletion of other entries than those of the game {game.game}"
        else:
            continue
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, f"Nothing was taken: {seen}.")


def _since(handed: HandOver, record: KeptRecord, centre: CentreKey, fresh: Sequence[HandedEntry]) -> int:
    """Return the size that this centre has cosigned last, which may be larger than what is here after a restore. Raises
    HandoverRefusedError if the entries are others than it cosigned."""
    latest = read_checkpoint(read_note(record.cosigned.encode()).text).size if record.cosigned else 0
    if not handed.since:
        return latest
    try:
        note = read_note(handed.since.encode())
        seen = read_checkpoint(note.text)
    except ValueError:
        return latest
    if cosigned_at(note, centre.verifier) is None or seen.origin != handed.origin or seen.size <= record.known.size:
        return latest
    if seen.size <= handed.last:
        tree = Tree.of(record.known.size, record.known.peaks)
        tree.extend([leaf for *_, leaf in fresh[: seen.size - record.known.size]])
        if tree.root() != seen.root:
            why = f"The first {seen.size} entries are others than those that this centre has cosigned."
            raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True)
    return max(latest, seen.size)


def _time(record: KeptRecord, centre: CentreKey, now_s: int) -> int:
    """Return the time of a cosignature: never before the last one. Raises HandoverRefusedError if the clock is back."""
    before = 0
    if record.cosigned:
        before = cosigned_at(read_note(record.cosigned.encode()), centre.verifier) or 0
    if now_s < before - CLOCK_BEHIND_S:
        why = "The centre's clock is behind its own latest cosignature. Set it right."
        raise HandoverRefusedError(HTTPStatus.SERVICE_UNAVAILABLE, why, retry_s=60)
    return max(now_s, before, 1)
