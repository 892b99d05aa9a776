"""Which record of a table is handed over next: its past ones in order, then the one that is being written."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pi_app.journal import JournalFileError, keys_of, raw
from pi_app.journal.cosigned import cosigned, of_record
from pi_app.journal.past import past_logs
from pi_app.journal.record.checkpoints import cosigned_at
from pi_app.journal.record.heads import head_in
from pi_app.journal.record.keys import KeyFileError, device_key
from pi_app.journal.record.notes import VerifierKey
from pi_app.journal.rows import device_in
from pi_app.sender.outbox import Outbox


def next_record(journal: Path, centre: VerifierKey | None, left_out: Collection[str] = ()) -> Path:
    """Return the first past record that the centre has not cosigned whole; the journal itself if there is none.
    `left_out`: names of past records that cannot be handed over now. A record that follows another one is enrolled by
    that, so the order matters."""
    if centre is not None:
        for log in past_logs(journal):
            if log.name not in left_out and not is_handed_over(log, centre):
                return log
    return journal


def is_handed_over(path: Path, centre: VerifierKey) -> bool:
    """Return whether a centre has cosigned a whole record. One that cannot be read is not."""
    try:
        with raw(path) as rows:
            last = rows.last()
    except JournalFileError:
        return False
    return cosigned_size(path, centre) >= last


def cosigned_size(path: Path, witness: VerifierKey) -> int:
    """Return how many entries a witness has cosigned of the record in a file, as far as this table knows."""
    if not path.exists():
        return 0
    notes = of_record(cosigned(path), device_in(path))
    return max((head_in(note).size for note in notes if cosigned_at(note, witness) is not None), default=0)


def outbox_of(path: Path, seed: bytes = b"") -> Outbox | None:
    """Return the outbox of a record; None if it has no entry or no key yet. `seed`: of the device's key, if its file is
    encrypted. Raises JournalFileError."""
    try:
        ring = keys_of(path)
        if not path.exists() or not ring.has_device:
            return None
        locked = ring.is_locked
        key = device_key(seed) if locked and seed else None if locked else ring.known_device()
    except KeyFileError as error:
        raise JournalFileError([str(error)]) from error
    if key is None:
        advice = "Let `trapdial play` hand it over, which asks for the passphrase"
        raise JournalFileError.of(ring.folder, "keys", "is locked with a passphrase", advice)
    outbox = Outbox(path, key)
    return outbox if outbox.last() else None
