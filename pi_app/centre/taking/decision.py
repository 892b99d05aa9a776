"""Decides what a centre does with a hand-over: commit and cosign it, or answer why not.

Pure, but for two look-ups in the store. The cosignature leaves the centre only after its commit is on disk.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NoReturn

import msgspec

from pi_app.centre.store.store import CentreStore, Closing, Commit, GameState, KeptGame, KeptRecord
from pi_app.centre.taking.known_record import KnownRecord, NotTakenError, Taken, taken
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import (
    TIME_BYTES,
    Checkpoint,
    cosign,
    cosigned_at,
    device_of,
    is_signed,
    origin_of,
    read_checkpoint,
    record_key,
)
from pi_app.journal.record.handover import HandedEntry, HandOver
from pi_app.journal.record.heads import Head, read_head
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.merkle import Tree
from pi_app.journal.record.notes import COSIGNS, KEY_ID_BYTES, SignedNote, VerifierKey, read_note
from pi_app.text.language import count_entries

CLOCK_BEHIND_S: Final = 5
"""So far the centre's clock may be behind its latest cosignature of a record; it then names the same second again."""

STEP_BACK: Final = 500
"""A table whose next entry does not follow what is here is asked for so many entries before it, as many as it hands
over at once: their checkpoint shows whether the record has two histories."""

_DASH: Final = "— "

REVOKED: Final = "This table was revoked: nothing more is taken from it."
CONTINUES_REVOKED: Final = "The record that this one continues was revoked: nothing more is taken."
NOT_ITS_ENTRIES: Final = "Nothing was taken: the entries are not those of the checkpoint."


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
    the record's own key has signed what contradicts the entries here; `seq`: the entry that differs; `ours`: the note
    of this centre that it contradicts, if that is not the newest one; `about`: the record that it contradicts, if that
    is another one; `retry_s`: when to try again."""

    def __init__(
        self,
        status: HTTPStatus,
        why: str,
        *,
        size: int | None = None,
        evidence: bool = False,
        seq: int | None = None,
        ours: str = "",
        about: KeptRecord | None = None,
        retry_s: int = 0,
    ) -> None:
        self.status, self.why, self.size, self.evidence, self.retry_s = status, why, size, evidence, retry_s
        self.seq, self.ours, self.about = seq, ours, about
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class ToCommit:
    """What is written, and the answer after that. `commit`: None if everything is here already. `cosignature`: a
    signature line; empty while the centre's clock is in doubt, and as long as a centre that was restored from a backup
    has not caught up with what it cosigned before."""

    commit: Commit | None
    cosignature: str


@dataclass(frozen=True, slots=True)
class LookUps:
    """What a decision asks the store: hashes of entries from one number to another, games by name, and a record by its
    origin."""

    leaves: Callable[[int, int], Sequence[bytes]]
    games: Callable[[Collection[str]], Sequence[KeptGame]]
    record: Callable[[str], KeptRecord | None]

    @classmethod
    def of(cls, store: CentreStore, number: int) -> LookUps:
        """Look up in a store what concerns the record with this number."""
        return cls(
            lambda first, last: [row[3] for row in store.rows(number, first, last)],  # type: ignore[misc]
            lambda names: store.games(number, names),
            store.record,
        )


class StoreNeededError(Exception):
    """A decision needs the store, which may keep it waiting."""


def _asks_store(*_: object) -> NoReturn:
    raise StoreNeededError


NOTHING_ASKED: Final = LookUps(_asks_store, _asks_store, _asks_store)


def decide(
    handed: HandOver,
    record: KeptRecord,
    centre: CentreKey,
    look: LookUps,
    now_s: int,
    *,
    cosigns: bool = True,
    present: bool = False,
) -> ToCommit:
    """Return what is to be committed. `cosigns`: whether the date may be signed. `present`: whether the table itself
    hands over, now; else its entries are taken, and it is not seen. Raises HandoverRefusedError."""
    if record.revoked:
        raise HandoverRefusedError(HTTPStatus.GONE, REVOKED)
    new = _signed(handed)
    size = record.known.size
    if handed.first > size + 1:
        raise _go_on_after(size, size)
    _compare(handed, new, size, look)
    if handed.last < size:
        raise _go_on_after(size, size)
    fresh = handed.entries[size + 1 - handed.first :]
    try:
        found = _checked(record, fresh, look)
    except HandoverRefusedError as refused:
        if size and fresh and handed.first == size + 1 and not _follows(fresh[0], record.known.before):
            raise _go_on_after(size - STEP_BACK, size) from refused
        raise
    if found.known.root != new.root:
        if fresh:
            raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, NOT_ITS_ENTRIES)
        why = f"The checkpoint of {count_entries(new.size)} has another root than the entries."
        raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True)
    _check_closed(record, found.known)
    latest = _latest(record.cosigned, centre)
    since = _since(handed, record, centre, fresh, 0 if latest is None else latest.size)
    if latest is not None and not fresh and latest.text == handed.checkpoint.text and latest.line:
        return ToCommit(None, latest.line)
    note, line = "", ""
    before_s = 0 if latest is None else latest.time_s
    if cosigns and since <= new.size and now_s >= before_s - CLOCK_BEHIND_S:
        signature = cosign(centre.key, centre.name, handed.checkpoint.text, max(now_s, before_s, 1))
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
        at_s=now_s if present else record.seen_s,
        behind=handed.more if present else max(0, record.behind - len(fresh)),
        closed=record.closed,
        enrols=record if record.is_new else None,
        closes=_closes(record, found.known, look),
    )
    return ToCommit(commit, line)


@dataclass(frozen=True, slots=True)
class _OwnNote:
    """The newest note that this centre has cosigned: its text, its size, and this centre's line below it with its time;
    empty and 0 if another key has cosigned it."""

    text: str
    size: int
    line: str
    time_s: int


def _latest(cosigned: str, centre: CentreKey) -> _OwnNote | None:
    """Read a note of the centre's own store, which was written here and needs no check: this is a tenth of what
    `read_note` takes."""
    if not cosigned:
        return None
    text, _, below = cosigned.rpartition("\n\n")
    start, key_id, time_s = f"{_DASH}{centre.name} ", centre.verifier.key_id, 0
    line = next((each for each in reversed(below.splitlines(keepends=True)) if each.startswith(start)), "")
    if line:
        data = base64.b64decode(line[len(start) :])
        time_s = int.from_bytes(data[KEY_ID_BYTES : KEY_ID_BYTES + TIME_BYTES], "big")
        line = line if data[:KEY_ID_BYTES] == key_id else ""
    return _OwnNote(f"{text}\n", int(text.split("\n", 2)[1]), line, time_s if line else 0)


def cosigned_time(cosigned: str, name: str) -> int:
    """Return the time below a note that the centre of this name has cosigned, POSIX seconds; 0 if there is none."""
    start = f"{_DASH}{name} "
    line = next((each for each in reversed(cosigned.splitlines()) if each.startswith(start)), "")
    data = base64.b64decode(line[len(start) :])
    return int.from_bytes(data[KEY_ID_BYTES : KEY_ID_BYTES + TIME_BYTES], "big")


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
        why = f"The checkpoint is of {count_entries(new.size)}, and the last one handed over is {handed.last}."
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, why)
    return new


def _go_on_after(wanted: int, size: int) -> HandoverRefusedError:
    return HandoverRefusedError(HTTPStatus.CONFLICT, f"Entries up to {size} are here.", size=max(0, wanted))


def _follows(entry: HandedEntry, before: str) -> bool:
    """Whether an entry names this hash as that of the entry before it. One that cannot be read is refused later."""
    try:
        return entry[0] is None or rec.read_public(entry[0]).before == before
    except msgspec.MsgspecError:
        return True


def _compare(handed: HandOver, new: Checkpoint, size: int, look: LookUps) -> None:
    """Compare the entries that are here already. Raises HandoverRefusedError for other ones.

    Only a checkpoint is signed, so other entries alone prove nothing: whoever saw a hand-over can change one. They are
    evidence if the checkpoint is over them, or if it is over none that are here. If neither is certain because the
    entries differ further back, the table is asked for those."""
    again = handed.entries[: max(0, size + 1 - handed.first)]
    if not again:
        return
    here = look.leaves(handed.first, handed.first + len(again) - 1)
    differing = (
        seq for seq, (mine, (*_, theirs)) in enumerate(zip(here, again, strict=True), handed.first) if mine != theirs
    )
    seq = next(differing, None)
    if seq is None:
        return
    earlier = look.leaves(1, handed.first - 1) if handed.first > 1 else ()
    is_over_them = _root(earlier, [leaf for *_, leaf in handed.entries]) == new.root
    if is_over_them or (handed.last <= size and _root(earlier, here) != new.root):
        why = f"Entry {seq} differs from the one that was handed over before: this record has two histories."
        raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True, seq=seq)
    if handed.last > size and handed.first > 1:
        raise _go_on_after(handed.first - 1 - STEP_BACK, size)
    raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, NOT_ITS_ENTRIES)


def _root(*parts: Sequence[bytes]) -> bytes:
    tree = Tree()
    for leaves in parts:
        tree.extend(leaves)
    return tree.root()


def _checked(record: KeptRecord, fresh: Sequence[HandedEntry], look: LookUps) -> Taken:
    try:
        found = taken(record.known, fresh)
    except NotTakenError as error:
        raise HandoverRefusedError(HTTPStatus.BAD_REQUEST, f"Nothing was taken: {error}.") from error
    _check_games(found, look)
    return found


def _check_closed(record: KeptRecord, known: KnownRecord) -> None:
    """Raise HandoverRefusedError for what was played, and signed, in a record that another one continues."""
    if record.closed and known.played > record.closed:
        why = (
            f"Entry {known.played:,} was written after its own device had closed this record: another one continues it "
            f"after entry {record.closed:,}."
        )
        raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True, seq=known.played)


def _closes(record: KeptRecord, known: KnownRecord, look: LookUps) -> Closing | None:
    """Return what is closed because this record begins now, and continues it. Raises HandoverRefusedError."""
    if known.follows == record.known.follows:
        return None
    head = read_head(known.follows)
    older = check_older(head, look.record)
    return None if older is None or not head.size else Closing(older.origin, head.size, older.known.size)


def check_older(head: Head, record_of: Callable[[str], KeptRecord | None]) -> KeptRecord | None:
    """Return the enrolled record that another one continues, if it is enrolled. Raises HandoverRefusedError if it was
    revoked: a new key is no way back in. Raises StoreError."""
    older = record_of(origin_of(head.device))
    if older is not None and older.revoked:
        raise HandoverRefusedError(HTTPStatus.GONE, CONTINUES_REVOKED)
    return older


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


def _since(handed: HandOver, record: KeptRecord, centre: CentreKey, fresh: Sequence[HandedEntry], size: int) -> int:
    """Return the size that this centre has cosigned last: `size`, or a larger one after a restore. Raises
    HandoverRefusedError if the entries are others than it cosigned."""
    if not handed.since or handed.since == record.cosigned:
        return size
    try:
        note = read_note(handed.since.encode())
        seen = read_checkpoint(note.text)
    except ValueError:
        return size
    if seen.origin != handed.origin or seen.size <= record.known.size or cosigned_at(note, centre.verifier) is None:
        return size
    if seen.size <= handed.last:
        tree = Tree.of(record.known.size, record.known.peaks)
        tree.extend([leaf for *_, leaf in fresh[: seen.size - record.known.size]])
        if tree.root() != seen.root:
            why = f"Entry {seen.size:,} or one before it differs from what this centre has cosigned."
            raise HandoverRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, evidence=True, ours=handed.since)
    return max(size, seen.size)
