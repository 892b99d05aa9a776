"""What an export hands on to a centre that no network reaches, and what comes back from there on the same stick."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from pi_app.journal.cosigned import MOST_BYTES, cosigned, keep_cosigned, pinned
from pi_app.journal.files import JournalFileError, keys_of
from pi_app.journal.past import past_logs
from pi_app.journal.record.checkpoints import cosigned_at, signed_checkpoint
from pi_app.journal.record.export import DeletedRun, HandedOn
from pi_app.journal.record.heads import Head, head_in
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.limits import MOST_LOGS
from pi_app.journal.record.notes import LONGEST_NOTE, SignedNote, read_note
from pi_app.journal.record.runs import RawRow
from pi_app.text.plain_file import NotPlainError, read_plain


def handed_on(path: Path, head: Head, rows: Iterable[RawRow]) -> HandedOn:
    """Return what goes with the entries of a journal. Raises JournalFileError without the key of the device that wrote
    it: a centre takes nothing that the table itself has not signed."""
    try:
        key = keys_of(path).known_device()
    except KeyFileError as error:
        raise JournalFileError([str(error)]) from error
    if key is None or key.public != head.device:
        seen = "has no key of its device beside it, and a centre takes only what the table has signed"
        raise JournalFileError.of(path, "file", seen, "Export it at the table that wrote it")
    note = signed_checkpoint(key, head.size, head.root).written()
    return HandedOn(note, tuple(each.written() for each in cosigned(path)), tuple(_deleted(rows, head.size)))


def _deleted(rows: Iterable[RawRow], size: int) -> list[DeletedRun]:
    """Return the deleted entries, in runs."""
    runs: list[tuple[int, list[bytes]]] = []
    for seq, public, _, leaf, _ in rows:
        if public is None and isinstance(seq, int) and isinstance(leaf, bytes) and seq <= size:
            if not runs or runs[-1][0] + len(runs[-1][1]) != seq:
                runs.append((seq, []))
            runs[-1][1].append(leaf)
    return [DeletedRun(first=first, leaves=b"".join(leaves).hex()) for first, leaves in runs]


class _Notes(msgspec.Struct, frozen=True, kw_only=True):
    notes: Annotated[tuple[Annotated[str, Meta(max_length=LONGEST_NOTE)], ...], Meta(max_length=MOST_LOGS)]


def notes_text(notes: Iterable[str]) -> str:
    """Write notes as the file that goes back to a table."""
    return msgspec.json.encode(_Notes(notes=tuple(notes))).decode() + "\n"


def read_notes(file: Path) -> list[SignedNote]:
    """Read such a file. Raises JournalFileError."""
    advice = "Take the file that `trapdial centre take` has written beside the export"
    try:
        found = msgspec.json.decode(read_plain(file, MOST_BYTES), type=_Notes)
        return [read_note(each.encode()) for each in found.notes]
    except NotPlainError as error:
        raise JournalFileError.of(file, "file", f"is {error}", error.advice) from error
    except OSError as error:
        raise JournalFileError.of(file, "file", f"cannot be read ({error.strerror})", "Check the name") from error
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise JournalFileError.of(file, "file", f"has no cosignatures that can be read ({error})", advice) from error


def take_cosigned(path: Path, notes: Iterable[SignedNote]) -> list[tuple[str, Path, Head, bool]]:
    """Keep notes that witnesses have cosigned, each beside its record: the journal or a past one. Return for each the
    witness, the record, the head, and whether it was newer than what was there. Raises JournalFileError, also if no
    pinned witness has cosigned one of them."""
    records = {device: each for each in (*past_logs(path), path) if (device := _device(each))}
    witnesses = [each.verifier for each in pinned(path)]
    taken = []
    for note in notes:
        try:
            head = head_in(note)
        except ValueError as error:
            raise _not_taken(path, f"is brought a checkpoint that cannot be used: {error}") from error
        record = records.get(head.device)
        if record is None:
            raise _not_taken(path, "is brought a checkpoint of another table's record")
        own = [each for each in witnesses if cosigned_at(note, each) is not None]
        if not own:
            known = ", ".join(each.name for each in witnesses) or "none"
            raise _not_taken(path, f"is brought a checkpoint that no pinned witness has cosigned (pinned: {known})")
        taken += [(each.name, record, head, keep_cosigned(record, note, each)) for each in own]
    return taken


def _device(record: Path) -> bytes | None:
    with contextlib.suppress(KeyFileError):
        key = keys_of(record).known_device()
        return None if key is None else key.public
    return None


def _not_taken(path: Path, seen: str) -> JournalFileError:
    advice = "Take the file that this table's own centre wrote, and pin that centre: trapdial journal witness add"
    return JournalFileError.of(path, "file", seen, advice)
