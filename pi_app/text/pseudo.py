"""A pseudo-language for tests: each message of the list in brackets, accented, and 40 % longer.

A text without brackets on a display is not marked for translation; a text that does not fit would not fit in some real
language either. It is made from the list of messages on demand, and needs Babel (the `dev` extra).
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
"""Placeholders and the names of keys are kept."""


def pseudo(messages: Path) -> Callable[[str], str]:
    """Return the translator; a message that is not in the list (a .pot file) stays as it is. Raises
    BrokenInstallationError without Babel."""
    try:
        from babel.messages.pofile import read_po
    except ImportError as error:
        raise BrokenInstallationError(
            f"Babel, which reads the list of messages for the pseudo-language, cannot be loaded ({error}). "
            "It is a developers' tool: `make install-dev` in the folder of the source installs it."
        ) from error
    with messages.open("rb") as file:
        found = [message.id for message in read_po(file) if message.id]
    known = {each for ids in found for each in ([ids] if isinstance(ids, str) else ids)}
    return lambda message: bracketed(message) if message in known else message


def bracketed(message: str) -> str:
    """Write the message as `[Yöür türñ. ----]`; keep the blanks at both ends outside, and the lines."""
    said = message.strip()
    before, after = message[: message.index(said)], message[message.index(said) + len(said) :]
    lines = ["".join(_changed(part) for part in _KEPT.split(line)) for line in said.split("\n")]
    lines[-1] += " ----" * round(LONGER * len(said) / len(" ----"))
    return f"{before}[{chr(10).join(lines)}]{after}"


def _changed(part: str) -> str:
    return part if _KEPT.fullmatch(part) else part.translate(_ACCENTED)
