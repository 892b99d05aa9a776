"""Beside a journal: the witnesses that its owner has pinned, and what each of them has cosigned last.

`journal.db.witnesses` has names, keys and addresses. `notes` in the folder `journal.db.cosigned` has the newest
cosigned checkpoint of each witness; the folder goes with its record when that is put aside, so a past record keeps its
witnesses. It is a folder of its own so that a process may write there and nowhere else (`pi_app.sender`). Neither is a
secret, and either may be gone: then the witnesses themselves still know what they saw.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.journal.disk_trouble import advice
from pi_app.journal.files import PAST, JournalFileError
from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
from pi_app.journal.record.heads import Head, head_in
from pi_app.journal.record.notes import COSIGNS, LONGEST_NOTE, SignedNote, VerifierKey, read_note, read_vkey
from pi_app.text.plain_file import NotPlainError, read_plain
from pi_app.text.private_files import make_folder, replace_file

WITNESSES: Final = ".witnesses"
COSIGNED: Final = ".cosigned"
NOTES: Final = "notes"

MOST_PINNED: Final = 16
MOST_BYTES: Final = 2**20
LONGEST_ADDRESS: Final = 400


class PinnedWitness(msgspec.Struct, frozen=True, kw_only=True):
    """A witness: its key as a vkey, and the address under which it cosigns; empty if it is not asked from here."""

    key: Annotated[str, Meta(max_length=1_000)]
    address: Annotated[str, Meta(max_length=LONGEST_ADDRESS)] = ""

    @property
    def verifier(self) -> VerifierKey:
        """Its key. Raises ValueError with the reason."""
        return cosigner_key(self.key)


def cosigner_key(vkey: str) -> VerifierKey:
    """Read the key of a witness. Raises ValueError with the reason."""
    key = read_vkey(vkey)
    if key.kind != COSIGNS:
        raise ValueError("it is the key of a log, and not that of a witness: a witness's key is of type 04")
    return key


@dataclass(frozen=True, slots=True)
class Vouched:
    """A witness saw the entries of a head. `time_s`: when, in POSIX seconds, by the witness's own clock."""

    witness: str
    head: Head
    time_s: int


class _Pinned(msgspec.Struct, frozen=True, kw_only=True):
    witnesses: Annotated[tuple[PinnedWitness, ...], Meta(max_length=MOST_PINNED)] = ()


class _Cosigned(msgspec.Struct, frozen=True, kw_only=True):
    notes: Annotated[tuple[Annotated[str, Meta(max_length=LONGEST_NOTE)], ...], Meta(max_length=MOST_PINNED)] = ()


# ------------------------------------------------------------------------------------------------------- witnesses


def pinned(path: Path) -> tuple[PinnedWitness, ...]:
    """Return the witnesses that are pinned for a journal; a past record has those of its journal. Raises
    JournalFileError if their file cannot be read: a damaged one must not look like none."""
    file, folder = path.with_name(path.name + WITNESSES), path.absolute().parent
    if folder.name.endswith(PAST) and not file.exists():
        file = folder.with_name(folder.name.removesuffix(PAST) + WITNESSES)
    try:
        found = msgspec.json.decode(read_plain(file, MOST_BYTES), type=_Pinned).witnesses
        for each in found:
            cosigner_key(each.key)
    except FileNotFoundError:
        return ()
    except (NotPlainError, OSError) as error:
        raise _unreadable(file, str(getattr(error, "strerror", None) or error)) from error
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _unreadable(file, str(error)) from error
    return found


def asks_witnesses(path: Path) -> bool:
    """Return whether a pinned witness is asked from here. If their file cannot be read, it is: the process that asks
    them says what is wrong with it."""
    try:
        return any(each.address for each in pinned(path))
    except JournalFileError:
        return True


def _unreadable(file: Path, why: str) -> JournalFileError:
    mend = "Put it back from a copy, or delete it and pin the witnesses again: trapdial journal witness add"
    return JournalFileError.of(file, "file", f"has no witnesses that can be read ({why})", mend)


def pin(path: Path, witness: PinnedWitness) -> None:
    """Pin a witness, in place of one with the same name. Raises JournalFileError, and ValueError for a wrong key or too
    many witnesses."""
    name = witness.verifier.name
    others = [each for each in pinned(path) if each.verifier.name != name]
    if len(others) >= MOST_PINNED:
        raise ValueError(f"{MOST_PINNED} witnesses are pinned, and there can be no more")
    _write(path.with_name(path.name + WITNESSES), msgspec.json.encode(_Pinned(witnesses=(*others, witness))))


def unpin(path: Path, name: str) -> bool:
    """Forget a witness; return whether it was there. What it cosigned stays. Raises JournalFileError."""
    before = pinned(path)
    left = tuple(each for each in before if each.verifier.name != name)
    if len(left) != len(before):
        _write(path.with_name(path.name + WITNESSES), msgspec.json.encode(_Pinned(witnesses=left)))
    return len(left) != len(before)


# --------------------------------------------------------------------------------------------------- cosignatures


def cosigned_folder(path: Path) -> Path:
    """Return the folder beside a journal that has what witnesses cosigned of it."""
    return path.with_name(path.name + COSIGNED)


def cosigned(path: Path) -> tuple[SignedNote, ...]:
    """Return the cosigned checkpoints of a journal; none if their file is missing or damaged: a witness cosigns
    again."""
    try:
        kept = msgspec.json.decode(read_plain(cosigned_folder(path) / NOTES, MOST_BYTES), type=_Cosigned)
        return tuple(read_note(text.encode()) for text in kept.notes)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return ()


def keep_cosigned(path: Path, note: SignedNote, witness: VerifierKey) -> bool:
    """Keep what a witness has cosigned, if it is newer than what it cosigned before; return whether it was. Raises
    ValueError if the record's device or the witness has not signed it, JournalFileError if the disk refuses it."""
    if cosigned_at(note, witness) is None:
        raise ValueError(f"{witness.name} has not cosigned it")
    with _alone(cosigned_folder(path)):
        return _keep_newer(path, note, witness)


def _keep_newer(path: Path, note: SignedNote, witness: VerifierKey) -> bool:
    head = head_in(note)
    others, before = [], 0
    for each in cosigned(path):
        if cosigned_at(each, witness) is None or head_in(each).device != head.device:
            others.append(each)
        else:
            before = max(before, read_checkpoint(each.text).size)
    if before >= head.size:
        return False
    kept = [each.written() for each in (*others, note)][-MOST_PINNED:]
    _write(cosigned_folder(path) / NOTES, msgspec.json.encode(_Cosigned(notes=tuple(kept))))
    return True


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep others from changing the cosignatures meanwhile: each witness is asked in a thread of its own, and another
    program may hand the record over. Raises JournalFileError."""
    try:
        make_folder(folder)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritten(folder, error) from error
    try:
        with contextlib.suppress(OSError):  # a disk of a network that has no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def of_record(notes: Sequence[SignedNote], device: bytes | None) -> tuple[SignedNote, ...]:
    """Return the notes about the record of a device; all of them if it names none. A record that was put aside by hand
    may have left its own behind, which say nothing of the next one."""
    return tuple(note for note in notes if device in (None, head_in(note).device))


def newest_cosigned(path: Path, device: bytes) -> Head | None:
    """Return the newest head of a device's record that its witnesses have cosigned; None if there is none."""
    heads = [head_in(note) for note in of_record(cosigned(path), device)]
    return max(heads, key=lambda head: head.size, default=None)


def vouched_for(notes: Sequence[SignedNote], witnesses: Sequence[VerifierKey]) -> Iterator[Vouched]:
    """Yield what each witness says of its newest checkpoint; notes of other witnesses say nothing here."""
    for witness in witnesses:
        found = []
        for note in notes:
            with contextlib.suppress(ValueError):
                if (time_s := cosigned_at(note, witness)) is not None:
                    found.append(Vouched(witness.name, head_in(note), time_s))
        if found:
            yield max(found, key=lambda each: each.head.size)


def _write(file: Path, data: bytes) -> None:
    try:
        make_folder(file.parent)
        replace_file(file, data)
    except OSError as error:
        raise _unwritten(file, error) from error


def _unwritten(file: Path, error: OSError) -> JournalFileError:
    return JournalFileError.of(file, "file", f"could not be written ({error.strerror or error})", advice(error.errno))
