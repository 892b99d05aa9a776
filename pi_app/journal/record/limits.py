"""The most of everything that a reader of records takes. `wiring_docs/journal_format.md` has them as a table.

A real record is far below each of them. What is above is refused before it costs memory or time.
"""

from __future__ import annotations

from typing import Final

LARGEST_JOURNAL: Final = 2**33
"""Bytes of a journal or an archive: some four million entries."""

LONGEST_VALUE: Final = 2**24
"""Bytes of one value in a row. The longest of a real game is a hundredth of that."""

LONGEST_PUBLIC: Final = 2**20
"""Bytes of a public half."""

LONGEST_COMMITTED: Final = 2**21
"""Bytes of one value in a sealed half that a commitment is to: a trap table, the rules, the dials' positions."""

LARGEST_OPENINGS: Final = 2**24
"""Bytes of the public halves of all `started` and `game deleted` entries of a record together, for some ten thousand
games: what they promise is kept in memory."""

MOST_LOGS: Final = 1000
"""Records in one archive, and heads in one export."""

LARGEST_EXPORT: Final = 2**32
"""Bytes of an export."""

LONGEST_LINE: Final = 2**24
"""Bytes of a line of an export."""

LONGEST_FIRST_LINE: Final = 2**20
"""Bytes of a line with a head."""

MOST_OLDER_HEADS: Final = 256
"""Older heads that one head continues."""

MOST_STEPS: Final = 64
"""Hashes in a proof; no tree of so many entries as eight bytes can count needs more. A consistency proof may have one
more."""

LONGEST_HEAD: Final = 4096
"""Characters of a head as text, with its spaces and line ends."""

LARGEST_HEADS: Final = 2**20
"""Bytes of a file with heads, such as a phone hands over."""

MOST_WITNESSES: Final = 1000
"""Heads that one command compares."""

LARGEST_BESIDE: Final = 2**33
"""Bytes of the file ending in `-wal` beside a journal."""
