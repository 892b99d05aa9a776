"""Entries of a record as JSON lines with proofs: first a signed head, with the proofs that it continues older heads of
witnesses, then each entry with both halves, its leaf hash, and the proof that the leaf is under the head.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.export_lines import ExportLines, TooMuchError
from pi_app.journal.record.heads import Head, read_head
from pi_app.journal.record.limits import LONGEST_FIRST_LINE, MOST_LOGS, MOST_OLDER_HEADS, MOST_STEPS
from pi_app.journal.record.merkle import HASH_BYTES, proves_consistency, proves_inclusion
from pi_app.journal.record.row_checks import RecordSoFar, WrongRowError, check_part, read_part
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.sealed_halves import OpensEvent, open_up
from pi_app.journal.record.verdict import Damage, GameSeen, RecordState, RecordVerdict
from pi_app.text.language import count_entries
from pi_app.text.printed import shown

EXPORT: Final = 1
"""The version of the lines."""


class OlderHead(msgspec.Struct, frozen=True, kw_only=True):
    """A witness's head as text, and its consistency proof in hex."""

    head: str
    consistency: tuple[str, ...]


class HeadLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line: the head, as text, of the record of the entries below."""

    export: int
    head: str
    continues: tuple[OlderHead, ...] = ()


class DeletedRun(msgspec.Struct, frozen=True, kw_only=True):
    """Deleted entries in a row: the number of the first, and their hashes in hex, one after the other."""

    first: int
    leaves: str


class HandedOnLine(HeadLine, frozen=True, kw_only=True, omit_defaults=True):
    """The first line as a centre reads it, with what a hand-over needs beside the entries. `checkpoint`: the head as a
    note that the device has signed; `cosigned`: the notes that witnesses have cosigned; `deleted`: what stands in no
    line. A verifier of exports needs none of them."""

    checkpoint: str = ""
    cosigned: tuple[str, ...] = ()
    deleted: tuple[DeletedRun, ...] = ()


@dataclass(frozen=True, slots=True)
class HandedOn:
    """What an export hands on to a centre."""

    checkpoint: str
    cosigned: tuple[str, ...]
    deleted: tuple[DeletedRun, ...]


class EntryLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: `public` is text, `sealed` is in base64, `leaf` and `proof` are in hex."""

    seq: int
    public: str
    sealed: str
    leaf: str
    proof: tuple[str, ...]


_head_decoder = msgspec.json.Decoder(HeadLine)
_entry_decoder = msgspec.json.Decoder(EntryLine)


def head_line(
    head: Head, continues: Iterable[tuple[Head, Sequence[bytes]]] = (), handed: HandedOn | None = None
) -> bytes:
    """Encode the first line. `continues`: older heads, each with its consistency proof; `handed`: what a centre needs.
    Hashes of deleted entries are left out if the line would be too long with them."""
    older = tuple(
        OlderHead(head=old.text(), consistency=tuple(step.hex() for step in proof)) for old, proof in continues
    )
    if handed is not None:
        whole = HandedOnLine(
            export=EXPORT,
            head=head.text(),
            continues=older,
            checkpoint=handed.checkpoint,
            cosigned=handed.cosigned,
            deleted=handed.deleted,
        )
        line = msgspec.json.encode(whole) + b"\n"
        short = msgspec.structs.replace(whole, deleted=())
        return line if len(line) <= LONGEST_FIRST_LINE else msgspec.json.encode(short) + b"\n"
    return msgspec.json.encode(HeadLine(export=EXPORT, head=head.text(), continues=older)) + b"\n"


def entry_line(seq: int, public: bytes, sealed: bytes, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """Encode one entry."""
    line = EntryLine(
        seq=seq,
        public=public.decode(),
        sealed=base64.b64encode(sealed).decode(),
        leaf=leaf.hex(),
        proof=tuple(step.hex() for step in proof),
    )
    return msgspec.json.encode(line) + b"\n"


def wanted(games: Iterable[GameSeen], names: Collection[str]) -> list[range]:
    """Return the entries of these games: all from the first to the last of each."""
    return [range(game.first, game.last + 1) for game in games if game.game in names and not game.deleted]


# ---------------------------------------------------------------------------------------------------------- verify


class _WrongAt(WrongRowError):
    """An entry other than the last one read is wrong."""

    def __init__(self, seq: int, seen: str) -> None:
        self.seq = seq
        super().__init__(seen)


@dataclass(slots=True)
class _Section:
    """One head with the entries below it, as far as they are read."""

    head: Head
    seen: RecordSoFar
    continues: tuple[Head, ...] = ()
    """Older heads of the same record, proven."""
    count: int = 0
    damage: Damage | None = None
    last: int = 0
    begun: tuple[str, int] | None = None
    """The game that began last, and where its first line begins in the file."""


@dataclass(slots=True)
class _Above:
    """What stands under the heads above the present one."""

    roots: dict[tuple[bytes, int], bytes] = field(default_factory=dict)
    """By device and number of entries."""
    games: set[tuple[bytes, str]] = field(default_factory=set)


def verify_export(lines: ExportLines, read_event: OpensEvent | None = None) -> Iterator[RecordVerdict]:
    """Verify an export, with one verdict for each head in it. `size` is that of the head's record, `exported` the
    number of its entries here; `continues` has the sizes of the older heads that it is proven to continue.

    A game that is here twice is damage, and so is a second head of one device over as many other entries. Raises
    TooMuchError.
    """
    section: _Section | None = None
    above, heads = _Above(), 0
    for line in lines:
        begun = _begun(line, above)
        if begun is not None:
            if section is not None:
                above.games |= {(section.head.device, game) for game in section.seen.games}
                yield _verdict(section)
            section, heads = begun, heads + 1
            if heads > MOST_LOGS:
                raise TooMuchError(f"line {lines.number}", f"is head {heads}, and {MOST_LOGS:,} are read at most")
        elif section is None:
            yield _no_verdict("does not begin with a head (line 1)")
            return
        elif section.damage is None:
            try:
                _take(section, line, lines, above, read_event)
            except _WrongAt as wrong:
                section.damage = Damage(wrong.seq, str(wrong))
            except WrongRowError as wrong:
                section.damage = Damage(section.last, str(wrong))
    yield _no_verdict("is empty") if section is None else _verdict(section)


def _begun(line: bytes, above: _Above) -> _Section | None:
    if len(line) > LONGEST_FIRST_LINE:
        return None
    try:
        found = _head_decoder.decode(line)
        head = read_head(found.head)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError):
        return None
    if found.export != EXPORT:
        return None
    older = found.continues[:MOST_OLDER_HEADS]
    continues = tuple(filter(None, (_continued(each, head) for each in older)))
    section = _Section(head, RecordSoFar(device=head.device), continues)
    if len(found.continues) > MOST_OLDER_HEADS:
        section.damage = Damage(0, f"begins with more than {MOST_OLDER_HEADS} older heads")
    elif len(continues) != len(older):
        section.damage = Damage(0, "begins with an older head that its own is not proven to continue")
    elif above.roots.setdefault((head.device, head.size), head.root) != head.root:
        section.damage = Damage(0, "has a second head of this device over as many entries, and they are other ones")
    return section


def _continued(older: OlderHead, head: Head) -> Head | None:
    """Return an older head, if the record is proven to continue it."""
    try:
        if len(older.consistency) > MOST_STEPS + 1:
            return None
        old, proof = read_head(older.head), [bytes.fromhex(step) for step in older.consistency]
    except ValueError:
        return None
    proven = all(len(step) == HASH_BYTES for step in proof) and proves_consistency(
        proof, old.size, head.size, old.root, head.root
    )
    return old if proven and old.device == head.device else None


def _no_verdict(seen: str) -> RecordVerdict:
    return RecordVerdict(RecordState.DAMAGED, 0, b"", None, damage=Damage(0, seen), exported=0)


def _entry(line: bytes) -> tuple[EntryLine, bytes, bytes]:
    """Return a line, and its public and its sealed half."""
    try:
        entry = _entry_decoder.decode(line)
        return entry, entry.public.encode(), base64.b64decode(entry.sealed, validate=True)
    except (msgspec.MsgspecError, UnicodeError, binascii.Error, ValueError, RecursionError) as error:
        raise WrongRowError("is followed by a line that cannot be read") from error


def _take(section: _Section, line: bytes, lines: ExportLines, above: _Above, read_event: OpensEvent | None) -> None:
    entry, public, sealed = _entry(line)
    try:
        leaf, proof = bytes.fromhex(entry.leaf), [bytes.fromhex(step) for step in entry.proof[: MOST_STEPS + 1]]
    except ValueError as error:
        raise WrongRowError("is followed by a line that cannot be read") from error
    before, section.last = section.last, max(section.last, entry.seq)
    if entry.seq <= before:
        raise _WrongAt(entry.seq, "is out of order")
    if len(leaf) != HASH_BYTES or rec.leaf(public, sealed) != leaf:
        raise WrongRowError("does not match its hash")
    if not proves_inclusion(proof, leaf, entry.seq - 1, section.head.size, section.head.root):
        raise WrongRowError("is not proven to be under the head")
    part = read_part(public)
    if entry.seq != before + 1:
        _gap(section, before + 1, part)
    check_part(section.seen, entry.seq, part, public, len(sealed))
    if (section.head.device, part.game) in above.games:
        raise WrongRowError(f"is of game {shown(part.game)}, which stands under a head above as well")
    section.seen.before = leaf.hex()
    section.count += 1
    _open(section, part, lines, read_event)


def _gap(section: _Section, missing: int, part: rec.PublicPart) -> None:
    """Allow a gap between two games; raise WrongRowError for one within a game."""
    game = section.seen.games.get(part.game)
    if game is not None and not game.ended:
        raise _WrongAt(missing, "is missing")
    section.seen.before = part.before


def _open(section: _Section, part: rec.PublicPart, lines: ExportLines, read_event: OpensEvent | None) -> None:
    """Open the sealed halves of a game at its end: read its lines again."""
    if part.kind == rec.STARTED:
        section.begun = part.game, lines.at
    elif part.kind == rec.ENDED and section.begun is not None and section.begun[0] == part.game:
        rows = _halves(part.game, lines.again(section.begun[1]))
        damage = open_up({part.game: section.seen.games[part.game]}, rows, read_event)
        section.begun = None
        if damage is not None:
            raise _WrongAt(damage.seq, damage.seen)


def _halves(game: str, lines: Iterable[bytes]) -> Iterator[RawRow]:
    """Yield the halves of a game's entries, from lines that were checked before."""
    for line in lines:
        entry, public, sealed = _entry(line)
        if read_part(public).game == game:
            yield entry.seq, public, sealed, None, None


def _verdict(section: _Section) -> RecordVerdict:
    head, games = section.head, tuple(section.seen.games.values())
    older = sorted({each.size: each.root for each in section.continues}.items())
    damage = section.damage or (None if section.count else Damage(0, "holds no entry"))
    state = RecordState.WHOLE if games and all(game.ended for game in games) else RecordState.INTERRUPTED
    last = max((game.last for game in games if not game.deleted), default=0)
    return RecordVerdict(
        state if damage is None else RecordState.DAMAGED,
        head.size,
        head.root,
        head.device,
        games,
        damage,
        signature=head.signature,
        exported=section.count,
        continues=tuple(size for size, _ in older),
        older_roots=tuple(root for _, root in older),
        follows=section.seen.follows,
        played=0 if damage else last,
    )


def compared(verdict: RecordVerdict, witnesses: Sequence[Head]) -> RecordVerdict:
    """Compare the verdict on a head and its entries with the heads of witnesses. A witness counts only if it saw as
    many entries as the head, or an older head that it continues, is over."""
    known = dict(zip(verdict.continues, verdict.older_roots, strict=True)) | {verdict.size: verdict.root}
    mine = [(n, seen) for n, seen in enumerate(witnesses, 1) if seen.device == verdict.device and seen.size in known]
    against = tuple(
        f"Witness {number} saw {count_entries(seen.size)}: other ones than those that "
        f"{'this head is over' if seen.size == verdict.size else 'this record begins with'}."
        for number, seen in mine
        if seen.root != known[seen.size]
    )
    return dataclasses.replace(
        verdict,
        state=RecordState.FORKED if against else verdict.state,
        against=against,
        witnesses=len(witnesses),
        good_until=max((seen.size for _, seen in mine if seen.root == known[seen.size]), default=0),
    )
