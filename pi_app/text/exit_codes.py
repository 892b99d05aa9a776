"""The exit codes of all commands (wiring_docs/exit_codes.md)."""

from __future__ import annotations

from typing import Final

FINE: Final = 0
"""Nothing was found, and everything was done."""

FOUND: Final = 1
"""Something was found: a finding, or a part that fails."""

UNUSABLE: Final = 2
"""A file or an option cannot be used."""

NO_END: Final = 3
"""The record is sound, and a game in it has no end."""

DAMAGED: Final = 4
"""The record is damaged or cut off."""

FORKED: Final = 5
"""The record is not what a witness saw."""

BUG: Final = 70
"""A bug, as in sysexits.h."""

BY_SIGNAL: Final = 128
"""Plus the number of the signal that ended the program, as in shells."""

CLOSED_OUTPUT: Final = BY_SIGNAL + 13
"""As if SIGPIPE had ended it: the output was closed."""
