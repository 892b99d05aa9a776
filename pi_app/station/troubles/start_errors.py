"""Which trouble kept a station from starting, read from the error that ended the start. Pure."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Sequence
from typing import Final

from hardware.errors import BusStuck, NoBus, NoPins
from pi_app.journal.disk_trouble import refused_by
from pi_app.journal.files import JournalFileError
from pi_app.journal.record.keys import KeyFileError
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.errors import UserFileError, WiringRefusedError

_PORT: Final = re.compile(r"\[pages\]: (?:port|this user may not open port) ([0-9]+)")
_NO_ADDRESS: Final = re.compile(r"\[pages\]: .*(?:none that phones can reach|not an address of this machine)")
_PINS: Final = re.compile(r"\b(?:GPIO|lgpio|gpiochip|lamp of|button of|pins \()")
_MUX: Final = re.compile(r"\b(mux 0x[0-9A-F]{2})")
_BUS: Final = re.compile(r"\bbus ([\w-]+)")
_LINE: Final = re.compile(r"\bline [0-9]+|\[[\w.-]+\](?: [\w.-]+)?|\bseat [\w-]+")

_FILE: Final = "trapdial.toml"

_DISK: Final = {
    errno.ENOSPC: StationTrouble.DISK_FULL,
    errno.EDQUOT: StationTrouble.DISK_FULL,
    errno.EROFS: StationTrouble.DISK_READ_ONLY,
    errno.EIO: StationTrouble.DISK_READ_ONLY,
}


def trouble_of(error: BaseException) -> TroubleFound | None:
    """Return the trouble that an error of the start stands for; None for an error of another kind."""
    refused = refused_by(error)
    if refused in _DISK:
        return TroubleFound(_DISK[refused])
    for each in _chain(error):
        found = _own(each)
        if found is not None:
            return found
    return None


def mistake_in(problems: Sequence[str]) -> str:
    """Return where the settings that are not used have their mistake, such as `trapdial.toml line 12`; empty without
    problems."""
    return _place(problems[0]) if problems else ""


def _place(problem: str) -> str:
    found = _LINE.search(problem)
    return f"{_FILE} {found[0]}" if found else _FILE


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, the first cause first."""
    if error.__cause__ is not None:
        yield from _chain(error.__cause__)
    yield error


def _own(error: BaseException) -> TroubleFound | None:
    match error:
        case NoPins():
            return TroubleFound(StationTrouble.PINS_OUT)
        case BusStuck() | NoBus():
            return _wiring(f"bus {error.place}")
        case WiringRefusedError(problems=problems):
            return _wiring(problems[0])
        case KeyFileError():
            return TroubleFound(StationTrouble.KEYS_LOST)
        case JournalFileError():
            return TroubleFound(StationTrouble.RECORD_DAMAGED)
        case UserFileError(problems=problems):
            return _settings(problems[0])
    return None


def _wiring(problem: str) -> TroubleFound | None:
    if found := _MUX.search(problem):
        return TroubleFound(StationTrouble.MUX_MISSING, (found[1],))
    if _PINS.search(problem):
        return TroubleFound(StationTrouble.PINS_OUT)
    if found := _BUS.search(problem):
        return TroubleFound(StationTrouble.BUS_STUCK, (found[1],))
    return None


def _settings(problem: str) -> TroubleFound:
    if found := _PORT.search(problem):
        return TroubleFound(StationTrouble.PORT_TAKEN, (found[1],))
    if _NO_ADDRESS.search(problem):
        return TroubleFound(StationTrouble.NO_ADDRESS)
    return TroubleFound(StationTrouble.SETTINGS_BROKEN, (_place(problem),))
