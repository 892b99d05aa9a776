"""The durable record: one SQLite file, one row per event, on disk before anything is reported.

`writing` appends the rows that `chain` makes; `reading` decodes them; `rows` hands them to verifiers as they are.
`files` has the file's format, and `stamps` the times.
"""

from pi_app.journal.chain import INSERT, JournalRow, insert, transaction
from pi_app.journal.files import (
    APPLICATION_ID,
    ARCHIVE_ID,
    FORMAT,
    LOG_STEP,
    SCHEMA,
    UNREADABLE,
    JournalFileError,
    keys_of,
    lock,
    named,
)
from pi_app.journal.reading import Entry, open_game, public_part, read, running, running_game
from pi_app.journal.rows import RawJournal, contradictions, head, kept_head, logs, raw, verify
from pi_app.journal.stamps import Stamp, correction_of, machine_stamp
from pi_app.journal.writing import Journal, NotRecordedError, add

__all__ = [
    "APPLICATION_ID",
    "ARCHIVE_ID",
    "FORMAT",
    "INSERT",
    "LOG_STEP",
    "SCHEMA",
    "UNREADABLE",
    "Entry",
    "Journal",
    "JournalFileError",
    "JournalRow",
    "NotRecordedError",
    "RawJournal",
    "Stamp",
    "add",
    "contradictions",
    "correction_of",
    "head",
    "insert",
    "kept_head",
    "keys_of",
    "lock",
    "logs",
    "machine_stamp",
    "named",
    "open_game",
    "public_part",
    "raw",
    "read",
    "running",
    "running_game",
    "transaction",
    "verify",
]
