"""The durable record: one SQLite file, one row per event, on disk before anything is told.

`writing` puts a game in, row by row as `chain` makes them; `reading` takes it out; `rows` hands it to verifiers,
unread. `files` knows what the file is, and `stamps` when something was.
"""

from pi_app.journal.chain import INSERT, Row, insert, transaction
from pi_app.journal.files import (
    APPLICATION_ID,
    ARCHIVE_ID,
    FORMAT,
    LOG_STEP,
    LONGEST_BYTES,
    SCHEMA,
    UNREADABLE,
    JournalFileError,
    keys_of,
    lock,
    named,
)
from pi_app.journal.reading import Entry, public_part, read, running, running_game
from pi_app.journal.rows import RawJournal, head, logs, raw, verify
from pi_app.journal.stamps import Stamp, correction_of, machine_stamp
from pi_app.journal.writing import Journal, NotRecordedError, add

__all__ = [
    "APPLICATION_ID",
    "ARCHIVE_ID",
    "FORMAT",
    "INSERT",
    "LOG_STEP",
    "LONGEST_BYTES",
    "SCHEMA",
    "UNREADABLE",
    "Entry",
    "Journal",
    "JournalFileError",
    "NotRecordedError",
    "RawJournal",
    "Row",
    "Stamp",
    "add",
    "correction_of",
    "head",
    "insert",
    "keys_of",
    "lock",
    "logs",
    "machine_stamp",
    "named",
    "public_part",
    "raw",
    "read",
    "running",
    "running_game",
    "transaction",
    "verify",
]
