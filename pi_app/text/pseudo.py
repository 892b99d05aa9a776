"""A language that nobody speaks: each message of the list in brackets, accented, and 40 % longer.

What a display shows of it without brackets was never marked for translation; what does not fit would not fit in some
real language either. It is made from the list of messages when it is asked for, and needs Babel (the `dev` extra).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_app.text.errors import BrokenInstallationError

LONGER: Final = 0.4
_ACCENTED: Final = str.maketrans("aceinouyACEINOUY", "àçéîñöüýÀÇÉÎÑÖÜÝ")
_KEPT: Final = re.compile(r"(\{[^{}]*\}|`[^`]*`)")
"""Placeholders and the names of keys stay as they are."""


def pseudo(messages: Path) -> Callable[[str], str]:
    """The translator; a message that is not in the list (a .pot file) stays as it is, without brackets. Raises
    BrokenInstallationError without Babel."""
    try:
        from babel.messages.pofile import read_po
    except ImportError as error:
        raise BrokenInstallationError(
            f"Babel, which reads the list of messages for the pseudo-language, cannot be loaded ({error}). "
            "Install it in Trapdial's environment: pip install babel."
        ) from error
    with messages.open("rb") as file:
        found = [message.id for message in read_po(file) if message.id]
    known = {each for ids in found for each in ([ids] if isinstance(ids, str) else ids)}
    return lambda message: bracketed(message) if message in known else message


def bracketed(message: str) -> str:
    """The message as a translation that is not one: `[Yöür türñ. ----]`, its blanks at both ends outside, its lines
    kept."""
    said = message.strip()
    before, after = message[: message.index(said)], message[message.index(said) + len(said) :]
    lines = ["".join(_changed(part) for part in _KEPT.split(line)) for line in said.split("\n")]
    lines[-1] += " ----" * round(LONGER * len(said) / len(" ----"))
    return f"{before}[{chr(10).join(lines)}]{after}"


def _changed(part: str) -> str:
    return part if _KEPT.fullmatch(part) else part.translate(_ACCENTED)
