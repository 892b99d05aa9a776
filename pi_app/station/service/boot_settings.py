"""Chooses the settings of a station: from the card's boot partition, from /etc, or the last good ones.

An owner writes `trapdial.toml` and its trap tables on the boot partition with any computer. Whatever is there, the
station starts: with those settings if they are good, and else with the last good ones and a sentence that names the
line. Settings are good when they have no error, and last good when a table was ready with them. They are kept with
their files in one bundle in the state folder, which is replaced whole or not at all; the files beside it are written
again from the bundle at each start, so that a power cut leaves nothing half new.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pi_app.dials import calibration
from pi_app.settings import load as loading
from pi_app.settings import owner_files
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import SAMPLE_PREFIX, tables_beside
from pi_app.text.errors import UserFileError, problem
from pi_app.text.plain_file import read_plain
from pi_app.text.private_files import make_folder, replace_file, sync_folder
from pi_app.text.user_file import LARGEST_FILE_BYTES, Complaints, errors_of, read_text, read_toml

NAME: Final = "trapdial.toml"
BOOT: Final = (Path("/boot/firmware"), Path("/boot"))
"""Where Raspberry Pi OS mounts the card's FAT partition: since 2023, and before."""

ETC: Final = Path("/etc/trapdial")
FOLDERS: Final = (*BOOT, ETC)
"""Where settings are looked for, in this order."""

GOOD: Final = "settings.good"
TRIAL: Final = "settings.trial"
"""The bundles in the state folder: the last good settings, and those that are being tried."""

TRIES: Final = 2
"""So many starts of a boot may fail with new settings; then the last good ones run until the power comes on again. An
owner who pulls the plug while new settings are tried, or who mends the wiring that they describe, finds them tried once
more."""

LONGEST_BOOT: Final = 64
LONGEST_PATH: Final = 4_096
MOST_FILES: Final = 100
MOST_BYTES: Final = 8_000_000

_FILE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._ -]{0,99}\.(toml|pem|crt)\Z")
_JOURNAL: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\.db\Z")


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """Settings with the files that they name, by file name. `tries`: how many starts of the boot `boot`
    have begun with them. `mount`: the partition that they came from; empty if their folder was not one."""

    text: Annotated[str, Meta(max_length=LARGEST_FILE_BYTES)]
    files: Annotated[dict[str, str], Meta(max_length=MOST_FILES)] = {}
    tries: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    boot: Annotated[str, Meta(max_length=LONGEST_BOOT)] = ""
    mount: Annotated[str, Meta(max_length=LONGEST_PATH)] = ""

    def same_as(self, other: Bundle | None) -> bool:
        """Whether both are the same settings."""
        return other is not None and (self.text, self.files) == (other.text, other.files)


@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """The settings that a station runs with. `settings.where` is their copy in the state folder, and the journal is
    beside it. `source`: where they came from. `problems`: sentences about settings that are not used, if there are
    any. `trial`: whether no table was ready with them yet."""

    settings: Settings
    source: Path
    problems: tuple[str, ...] = ()
    trial: bool = False


def choose(state: Path, boot: str, folders: Sequence[Path] = FOLDERS) -> ChosenSettings:
    """Return the settings for this start. `boot`: the id of this boot. Raises UserFileError if there are neither good
    ones nor last good ones, with every error of the new ones."""
    good, path = _kept(state / GOOD), found_in(folders)
    problems = () if good is None else _gone(good, folders)
    if path is not None and not problems:
        try:
            new = msgspec.structs.replace(bundled(path, state), boot=boot[:LONGEST_BOOT])
            return _tried(new, path, state, good)
        except UserFileError as error:
            problems = error.problems
    if good is None:
        raise UserFileError(problems or [_nothing(folders)])
    unused = str(path) if path is not None else NAME
    instead = (problem(unused, "", "is not used", "The last good settings run instead"),) if problems else ()
    return ChosenSettings(_unpacked(good, state), state / NAME, (*problems, *instead))


def _gone(good: Bundle, folders: Sequence[Path]) -> tuple[str, ...]:
    """A sentence if the partition that the last good settings came from is not mounted: what lies in a folder that is
    looked at after it is not meant then."""
    if not good.mount or Path(good.mount) not in folders or _is_mount(Path(good.mount)):
        return ()
    advice = f"Put the card into a computer and check its boot partition, which has {NAME}"
    return (problem(str(Path(good.mount, NAME)), "", "the partition that it was on is not there", advice),)


def _is_mount(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return folder.is_mount()
    return False


def accepted(state: Path, chosen: ChosenSettings) -> None:
    """A table was ready with these settings: they are the last good ones from now on. A disk that refuses this leaves
    the older ones."""
    if chosen.trial:
        with contextlib.suppress(OSError):
            (state / TRIAL).replace(state / GOOD)
            sync_folder(state)


def _tried(new: Bundle, path: Path, state: Path, good: Bundle | None) -> ChosenSettings:
    """Return the settings of a file that has no error. Raises UserFileError if no table was ready with them."""
    if new.same_as(good):
        return ChosenSettings(_unpacked(new, state), path)
    before = _kept(state / TRIAL)
    tries = before.tries if before is not None and new.same_as(before) and new.boot == before.boot else 0
    if tries >= TRIES and good is not None:
        seen = f"has no error, but since the power came on, the table has failed to start with it {tries} times"
        raise UserFileError.at(
            str(path), "", seen, "Check the wiring that it describes, or change it; then unplug the station"
        )
    _keep(state / TRIAL, msgspec.structs.replace(new, tries=tries + 1))
    return ChosenSettings(_unpacked(new, state), path, trial=True)


# ------------------------------------------------------------------------------------------------------- reading


def found_in(folders: Sequence[Path]) -> Path | None:
    """Return the first settings file of these folders, whatever it is."""
    return next((folder / NAME for folder in folders if _is_there(folder / NAME)), None)


def _is_there(path: Path) -> bool:
    """Whether there is something, also if it cannot be read: on a damaged partition, a file that its owner has written
    is not taken for one that was deleted."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True


def _nothing(folders: Sequence[Path]) -> str:
    seen = f"there are no settings in {' or '.join(map(str, folders))}"
    return problem("station", "", seen, f"Write {NAME} on the card's boot partition: trapdial settings example station")


def bundled(path: Path, state: Path) -> Bundle:
    """Read a settings file with the files that it names and that are beside it; a calibration may be in the state
    folder. Raises UserFileError with every error, each with its line or section."""
    text = read_text(path)
    settings = _parsed(text, path)
    owner_files.read(settings)
    names = {*_tables(text), *_owned(settings)}
    files = {name: read_text(path.parent / name) for name in sorted(names) if _is_there(path.parent / name)}
    wrong = [*_misplaced(settings, names, state), *_no_calibration(settings, files, state)]
    if wrong:
        raise UserFileError(wrong)
    return Bundle(text=text, files=files, mount=str(path.parent) if _is_mount(path.parent) else "")


def _parsed(text: str, path: Path) -> Settings:
    read = loading.parse(text, str(path), tables_beside(path.parent))
    if isinstance(read, Settings):
        return read
    raise UserFileError([str(each) for each in errors_of(read)])


def _tables(text: str) -> Iterator[str]:
    """The trap tables that a sound settings text names."""
    raw: Mapping[str, Any] = read_toml(text, Complaints("")) or {}
    for square in raw["square"].values():
        if not square["table"].startswith(SAMPLE_PREFIX):
            yield square["table"]


def _owned(settings: Settings) -> list[str]:
    """The other files that settings name."""
    authority = "" if settings.centre is None else settings.centre.authority
    named = (
        *(settings.table.chests, settings.table.spawn, settings.artifacts.pool, settings.table.calibration),
        authority,
    )
    return [name for name in named if name and not name.startswith(SAMPLE_PREFIX)]


def _misplaced(settings: Settings, names: set[str], state: Path) -> Iterator[str]:
    """A problem for each file that would leave the state folder, or take another file's place there. A table's name is
    a secret. The journal may be named with the path of the state folder: other commands then find it from any place."""
    where, journal = settings.where, Path(settings.table.journal)
    name = journal.name if journal.parent == state else settings.table.journal
    if any(name == NAME or not _FILE.match(name) for name in names):
        seen = "it names a file that is not beside it, or whose name does not end in .toml"
        yield problem(where, "", seen, "Put each trap table beside it, with a name such as table_1.toml")
    if not _JOURNAL.match(name):
        seen = f"journal = {settings.table.journal!a} is no plain file name"
        yield problem(where, "[table]", seen, 'Leave it out, or write a name such as "journal.db"')


def _no_calibration(settings: Settings, files: Mapping[str, str], state: Path) -> Iterator[str]:
    """A problem for a calibration that is missing, or that is none."""
    name = settings.table.calibration
    where = f"{settings.where} [table]"
    if not name:
        return
    try:
        calibration.load(files[name] if name in files else read_text(state / name), name)
    except UserFileError as error:
        yield from (f"{where} calibration: {each}" for each in error.problems)


# ------------------------------------------------------------------------------------------------- in the state folder


def _kept(path: Path) -> Bundle | None:
    """Return a bundle of the state folder; None if it is missing, cut off, or no such file."""
    try:
        kept = msgspec.json.decode(read_plain(path, MOST_BYTES), type=Bundle)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return kept if all(name != NAME and _FILE.match(name) for name in kept.files) else None


def _keep(path: Path, bundle: Bundle) -> None:
    """Write a bundle, whole or not at all. Raises UserFileError."""
    try:
        make_folder(path.parent)
        replace_file(path, msgspec.json.encode(bundle))
    except OSError as error:
        raise _unwritable(path.parent, error) from error


def _unpacked(bundle: Bundle, state: Path) -> Settings:
    """Write what differs of a bundle's files into the state folder, the settings last, and read them there. Raises
    UserFileError."""
    try:
        for name, text in (*bundle.files.items(), (NAME, bundle.text)):
            data = text.encode()
            if _now(state / name) != data:
                replace_file(state / name, data)
    except OSError as error:
        raise _unwritable(state, error) from error
    return loading.load(state / NAME)


def _now(path: Path) -> bytes | None:
    with contextlib.suppress(OSError):
        return read_plain(path, 4 * LARGEST_FILE_BYTES)
    return None


def _unwritable(state: Path, error: OSError) -> UserFileError:
    seen = f"the folder for the station's state cannot be written ({error.strerror})"
    return UserFileError.at(str(state), "", seen, "Check its owner, and whether the disk is full or read-only")
