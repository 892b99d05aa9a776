"""The limits of everything that reads a record are told as the code has them."""

from __future__ import annotations

import re

from pi_app.audit import decode, files, signing
from pi_app.journal.record import limits
from tests.docs.pages import tables
from wiring_docs import journal_verifier as short

PAGE = "wiring_docs/journal_format.md"

IN_ORDER = (
    limits.LARGEST_JOURNAL,
    limits.LARGEST_BESIDE,
    limits.MOST_LOGS,
    limits.LONGEST_VALUE,
    limits.LONGEST_PUBLIC,
    limits.LARGEST_OPENINGS,
    limits.LONGEST_COMMITTED,
    limits.LARGEST_EXPORT,
    limits.LONGEST_LINE,
    limits.LONGEST_FIRST_LINE,
    limits.MOST_OLDER_HEADS,
    limits.MOST_STEPS,
    limits.LONGEST_HEAD,
    limits.LARGEST_HEADS,
    limits.MOST_WITNESSES,
    files.MOST_IN_PLAY,
    signing.LONGEST,
    decode.LARGEST_TRACE,
)


def number(words: str) -> int:
    """`2^33 bytes`, `1000`."""
    found = re.match(r"(\d+)(?:\^(\d+))?", words)
    assert found is not None, words
    base, power = int(found[1]), int(found[2] or 1)
    return int(base**power)


def test_the_table_of_limits_is_the_codes() -> None:
    (rows,) = tables(PAGE, "what", "most", "above it")
    assert tuple(number(row["most"]) for row in rows) == IN_ORDER


def test_every_limit_is_in_the_table() -> None:
    known = {value for name, value in vars(limits).items() if name.isupper()}
    assert known <= set(IN_ORDER)
    assert sum(name.isupper() for name in vars(limits)) == len(IN_ORDER) - 3


def test_the_second_verifier_has_the_same_limits() -> None:
    assert (short.MOST_FILE, short.MOST_BYTES, short.MOST_PUBLIC, short.MOST_OPENINGS, short.MOST_PROMISED) == (
        limits.LARGEST_JOURNAL,
        limits.LONGEST_VALUE,
        limits.LONGEST_PUBLIC,
        limits.LARGEST_OPENINGS,
        limits.LONGEST_COMMITTED,
    )
    assert (short.MOST_LOGS, short.MOST_HEAD) == (limits.MOST_LOGS, limits.LONGEST_HEAD)
    assert short.MOST_HEADS_FILE == limits.LARGEST_HEADS
