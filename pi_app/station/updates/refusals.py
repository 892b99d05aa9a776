"""Why a package is not installed: as a sentence for a terminal, and as a word for the staff page."""

from __future__ import annotations

import contextlib
from enum import StrEnum
from pathlib import Path
from typing import Self

from pi_app.station.updates.trees import REFUSED
from pi_app.text.errors import UserFileError


class Refusal(StrEnum):
    """Why a package is not installed."""

    UNSIGNED = "unsigned"
    NO_BUILDER = "no-builder"
    OTHER_SIGNER = "other-signer"
    DAMAGED = "damaged"
    OTHER_MACHINE = "other-machine"
    OLDER = "older"
    SEVERAL = "several"
    CHANGED = "changed"
    FAILED = "failed"


class PackageRefusedError(UserFileError):
    """A package is not installed. `why`: the reason, for the staff page."""

    why: Refusal = Refusal.FAILED

    @classmethod
    def because(cls, why: Refusal, file: str, seen: str, advice: str) -> Self:
        """Make the error; `seen` and `advice` have no full stop at the end."""
        error = cls.at(file, "", seen, advice)
        error.why = why
        return error


def note_refusal(home: Path, why: Refusal | None) -> None:
    """Keep the reason for the staff page; None: forget the last one. A disk that refuses keeps nothing."""
    with contextlib.suppress(OSError):
        if why is None:
            (home / REFUSED).unlink(missing_ok=True)
        else:
            (home / REFUSED).write_text(why, encoding="ascii")


def last_refusal(home: Path) -> Refusal | None:
    """Return why the last update that the staff asked for was refused; None if it was not."""
    with contextlib.suppress(OSError, ValueError):
        return Refusal((home / REFUSED).read_text(encoding="ascii"))
    return None
