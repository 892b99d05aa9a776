"""Records that are closed, in the folder `.past` beside the journal: `000001.db`, `000002.db`, each with its keys.

A record is put aside whole, with what witnesses cosigned of it, and a new one that continues it takes its name. Four
renames do that, each on disk before the next. The new keys wait in `.keys.next` until the others are away, so `recover`
sees which renames are left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from pi_app.journal.cosigned import cosigned_folder
from pi_app.journal.disk_trouble import advice
from pi_app.journal.files import PAST, JournalFileError
from pi_app.journal.record.heads import Head
from pi_app.journal.record.key_ring import KeyRing
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.last_head import read_kept
from pi_app.journal.record.limits import MOST_WITNESSES
from pi_app.journal.record.succession import vouched
from pi_app.text.private_files import make_folder, replace_file, sync_folder

HEADS: Final = "heads.txt"
"""The heads of records of which nothing else is left, the newest last."""

GONE: Final = ".gone"
"""The end of the name of a record that is being removed."""

_LOG: Final = re.compile(r"[0-9]{6}\.db")
_KEYS: Final = re.compile(r"([0-9]{6})\.db\.keys")


def past_of(path: Path) -> Path:
    """Return the folder of the past records of a journal."""
    return path.with_name(path.name + PAST)


def past_logs(path: Path) -> list[Path]:
    """Return the past records of a journal, the oldest first."""
    return sorted(each for each in _entries(past_of(path)) if _LOG.fullmatch(each.name))


def bytes_of(path: Path) -> int:
    """Return the bytes of a journal with everything beside it that belongs to it: its log, its past records."""
    beside = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
    return sum(map(_size, [*beside, *_entries(past_of(path))]))


def may_move(ring: KeyRing) -> bool:
    """Return whether a record with these keys can be put aside: they are beside it, and no passphrase locks them."""
    try:
        return ring.beside is None and not ring.is_locked
    except KeyFileError:
        return False


def too_large(path: Path) -> JournalFileError:
    """Return what is wrong with a record that is above its budget, and cannot be put aside."""
    seen = "uses more than its budget, and cannot be put aside: its keys are elsewhere, or a passphrase locks them"
    advice = "Keep the keys beside the journal without a passphrase, or move the journal away when no game is on"
    return JournalFileError.of(path, "file", seen, advice)


def put_aside(path: Path, ring: KeyRing, head: Head) -> bool:
    """Move a record that nobody has open to the past ones, and make the keys of the one that continues it. Return True.
    Raises JournalFileError; `recover` then completes it or takes it back."""
    try:
        make_folder(past_of(path))
        with _alone(path):
            _make_next_keys(path, ring, head)
            number = f"{_last_number(path) + 1:06}.db"
            _move(path, number)
    except (OSError, KeyFileError) as error:
        why = getattr(error, "strerror", None) or str(error)
        mend = advice(getattr(error, "errno", None))
        raise JournalFileError.of(path, "file", f"could not be put aside ({why})", mend) from error
    return True


def recover(path: Path) -> None:
    """Complete what a power cut interrupted when a record was put aside, or take it back if nothing was moved yet.
    Raises JournalFileError."""
    waiting = _next_keys(path)
    try:
        if not waiting.is_dir():
            return
    except OSError as error:
        seen = f"could not be opened ({error.strerror})"
        raise JournalFileError.of(path, "file", seen, "Choose another place with --journal") from error
    try:
        make_folder(past_of(path))  # its name may be lost although that of the new keys is not
        with _alone(path):
            if _keys(path).exists():
                shutil.rmtree(waiting)
                sync_folder(path.absolute().parent)
            elif waiting.is_dir():
                _move(path, f"{_last_number(path):06}.db")
    except OSError as error:
        seen = f"was being put aside, and that could not be completed ({error.strerror})"
        raise JournalFileError.of(path, "file", seen, advice(error.errno)) from error


def _move(path: Path, number: str) -> None:
    past, parent = past_of(path), path.absolute().parent
    for old, new in (
        (_keys(path), past / f"{number}.keys"),
        (path, past / number),
        (cosigned_folder(path), cosigned_folder(past / number)),
        (_next_keys(path), _keys(path)),
    ):
        if old.exists():
            os.rename(old, new)
            sync_folder(past)
            sync_folder(parent)


def _make_next_keys(path: Path, ring: KeyRing, head: Head) -> None:
    folder = _next_keys(path)
    if folder.is_dir():
        shutil.rmtree(folder)
    after = KeyRing(folder)
    device = after.device()
    after.keep_continues(msgspec.json.encode(vouched(ring.device(), head, device.public)).decode())
    codes = ring.card_codes()
    if codes is not None:
        after.keep_card_codes(codes)


def keep_head(path: Path, head: str) -> None:
    """Add the head of a record that is about to go to those that stay, on disk when this returns. Raises OSError."""
    file = past_of(path) / HEADS
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    kept = list(dict.fromkeys([*lines, head]))[-MOST_WITNESSES:]
    replace_file(file, "".join(f"{line}\n" for line in kept).encode())


def drop(path: Path, log: Path) -> None:
    """Remove a past record of a journal, but for its head. Raises JournalFileError; then call it again.

    It gets another name first, so that `finish_drops` knows it if the power fails before its keys and it are gone."""
    finish_drops(path)
    ring = KeyRing(log.with_name(log.name + ".keys"))
    try:
        with contextlib.suppress(KeyFileError):
            if (head := read_kept(ring).head) is not None:
                keep_head(path, head.text())
        os.rename(log, log.with_name(log.name + GONE))
        sync_folder(past_of(path))
        _remove(log)
    except OSError as error:
        raise JournalFileError.of(log, "file", f"could not be removed ({error.strerror})", advice(error.errno)) from (
            error
        )


def finish_drops(path: Path) -> None:
    """Remove what is left of past records that were being removed when the power failed. A disk that refuses keeps
    it."""
    for each in _entries(past_of(path)):
        if each.name.endswith(GONE) and _LOG.fullmatch(each.name.removesuffix(GONE)):
            with contextlib.suppress(OSError):
                _remove(each.with_name(each.name.removesuffix(GONE)))


def _remove(log: Path) -> None:
    """Remove a record that has its other name, that name last. Raises OSError."""
    for folder in (log.with_name(log.name + ".keys"), cosigned_folder(log)):
        shutil.rmtree(folder, ignore_errors=True)
    for end in ("-wal", "-shm"):
        log.with_name(log.name + end).unlink(missing_ok=True)
    sync_folder(log.parent)
    log.with_name(log.name + GONE).unlink(missing_ok=True)
    sync_folder(log.parent)


def _keys(path: Path) -> Path:
    return path.with_name(path.name + ".keys")


def _next_keys(path: Path) -> Path:
    return path.with_name(path.name + ".keys.next")


def _last_number(path: Path) -> int:
    """Return the number of the last past record, also of one of which only the keys are there yet; 0 without any."""
    names = [each.name for each in _entries(past_of(path))]
    return max((int(name[:6]) for name in names if _LOG.fullmatch(name) or _KEYS.fullmatch(name)), default=0)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other programs from moving the same record."""
    handle = os.open(past_of(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
