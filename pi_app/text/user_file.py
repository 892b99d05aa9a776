"""A TOML file that a person wrote, read so that every problem in it is found at once.

Settings and trap tables are both such files. Only `read_text` and `write_new` touch a disk.
Values that fail are reported by key with what was seen; a key that nobody knows gets a guess.
"""

from __future__ import annotations

import enum
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from pi_app.text.errors import UserFileError
from pi_app.text.suggest import did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

LARGEST_FILE_BYTES: Final = 1_000_000
LONGEST_LINE: Final = 4_000
"""A line that no person writes. Also keeps the TOML reader from taking minutes over one endless key."""

MOST_UNKNOWN_KEYS: Final = 20
"""That many unknown keys in one section and the file is another kind of file: the rest is only counted."""


class Severity(enum.Enum):
    """How much a problem matters: an error refuses the file, the others do not."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: where it stands, what was seen there, and why that will not do."""

    severity: Severity
    file: str
    place: str
    seen: str
    reason: str

    def __str__(self) -> str:
        where = " ".join(part for part in (self.file, self.place, self.seen) if part)
        return f"{where}: {self.reason}"


@dataclass(slots=True)
class Complaints:
    """Collects the problems of one file."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def error(self, place: str, seen: str, reason: str) -> None:
        self._add(Severity.ERROR, place, seen, reason)

    def warning(self, place: str, seen: str, reason: str) -> None:
        self._add(Severity.WARNING, place, seen, reason)

    def information(self, place: str, seen: str, reason: str) -> None:
        self._add(Severity.INFORMATION, place, seen, reason)

    def _add(self, severity: Severity, place: str, seen: str, reason: str) -> None:
        self.found.append(Problem(severity, self.file, place, seen, reason))


def errors_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Only the problems that refuse the file."""
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)


# ------------------------------------------------------------------------------------------ bytes to text


def read_text(path: Path) -> str:
    """The text of a small UTF-8 file. Raises UserFileError with one clear message for anything else."""
    try:
        if path.exists() and not path.is_file():
            raise refused(path, "is not a plain file; name a TOML file")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        raise refused(path, "there is no such file; check the name and the folder") from None
    except PermissionError:
        raise refused(path, "this user may not read it; check its owner and mode with ls -l") from None
    except (OSError, ValueError) as trouble:
        raise refused(path, f"it cannot be read ({trouble}); check the name and the disk") from None
    text = text_of(data)
    if isinstance(text, NotText):
        raise refused(path, text.reason)
    return text


def write_new(path: Path, text: str) -> None:
    """Write a file that was not there before: whole and on disk, or not at all. Only its owner may read it.

    Raises UserFileError if the name is taken (nothing is ever written over) or the disk refuses.
    """
    check_is_new(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            draft = Path(folder) / "draft"
            draft.touch(mode=0o600)
            with draft.open("wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            _give_name(draft, path)
    except OSError as trouble:
        raise refused(path, f"it cannot be written ({trouble.strerror}); check the folder and the disk") from None


def check_is_new(path: Path) -> None:
    """Raises UserFileError if the name is taken, or its folder is missing or may not be written."""
    if os.path.lexists(path):
        raise refused(path, "is already there and is never written over; give another name")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise refused(path, "its folder is missing or may not be written; make it, or give another name")


def _give_name(draft: Path, path: Path) -> None:
    """A hard link fails if the name is taken meanwhile. Some disks (FAT) have none: there a rename must do."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise refused(path, "was made by somebody else meanwhile; give another name") from None
    except OSError:
        check_is_new(path)
        draft.replace(path)


def refused(path: Path, reason: str) -> UserFileError:
    """The error for a file that is wrong as a whole."""
    return UserFileError([f"{path}: {reason}"])


@dataclass(frozen=True, slots=True)
class NotText:
    """Why some bytes are not the text of a settings file or a trap table."""

    reason: str


def text_of(data: bytes) -> str | NotText:
    """Bytes as text: UTF-8 of at most 1 MB without binary zeros. A byte-order mark is dropped."""
    if len(data) > LARGEST_FILE_BYTES:
        return NotText("it is larger than 1 MB; a file of this kind has a few thousand characters")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return NotText("it is written in UTF-16; save it again as UTF-8")
    if b"\0" in data:
        return NotText("it holds binary zeros, so it is not a text file; name a TOML file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = data.count(b"\n", 0, trouble.start) + 1
        return NotText(f"line {line} is not UTF-8 text; save it again as UTF-8, or name a TOML file")


# ---------------------------------------------------------------------------------------- text to sections


def read_toml(text: str, complaints: Complaints) -> dict[str, object] | None:
    """The sections of a TOML text, or None after one complaint that says where it breaks off."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            complaints.error(f"line {number}", "", f"is longer than {LONGEST_LINE} characters; break it up")
            return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as trouble:
        complaints.error(*_broken(str(trouble), text))
    except RecursionError:
        complaints.error("", "", "lists or tables are nested too deep; no setting needs more than two levels")
    except ValueError:
        complaints.error("", "", "it holds a number with far too many digits; write an ordinary number")
    return None


_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_TWICE = re.compile(r"Cannot (overwrite|declare|mutate|define)|[Dd]uplicate|twice")


def _broken(words: str, text: str) -> tuple[str, str, str]:
    at = _AT_LINE.search(words)
    line = int(at[1]) if at else text.rstrip().count("\n") + 1
    if _TWICE.search(words):
        return f"line {line}", "", "this key or section already stands further up; keep one of the two"
    if at is None:
        return f"line {line}", "", "the file ends in the middle of something; was it cut off?"
    return f"line {line}, column {at[2]}", "", "this is not TOML; look for a missing quote, bracket or ="


# --------------------------------------------------------------------------------------- sections to values


def seen_as(key: str, value: object) -> str:
    """`channel = 9`, as it stood in the file: addresses in hex, texts in quotes, long ones cut."""
    if isinstance(value, bool):
        return f"{key} = {str(value).lower()}"
    if isinstance(value, int) and key in ("address", "mux") and 0 <= value <= 0xFF:
        return f"{key} = 0x{value:02X}"
    if isinstance(value, dict):
        return f"{key} (a section)"
    if isinstance(value, list):
        return f"{key} (a list)"
    if not isinstance(value, (str, int, float)):
        return f"{key} = {value}"
    words = ascii(value)
    return f"{key} = {words if len(words) <= 60 else words[:57] + '...'}"


def check_keys(raw: Mapping[str, object], known: Iterable[str], place: str, complaints: Complaints) -> None:
    """Complain of every key that nobody knows, each with a guess."""
    choices = list(known)
    unknown = [key for key in raw if key not in choices]
    for key in unknown[:MOST_UNKNOWN_KEYS]:
        complaints.error(place, "", f"there is no key {short(key)}; {did_you_mean(key, choices)}")
    if (more := len(unknown) - MOST_UNKNOWN_KEYS) > 0:
        complaints.error(place, "", f"and {more} more unknown keys")


def short(key: str) -> str:
    """A key as a message names it: in quotes, a long one cut."""
    words = ascii(key)
    return words if len(words) <= 60 else words[:57] + "...'"


def read_values(
    kind: type[msgspec.Struct],
    raw: Mapping[str, object],
    place: str,
    complaints: Complaints,
    *,
    elsewhere: Iterable[str] = (),
    many_lines: Iterable[str] = (),
    explain: Callable[[str, object], str | None] = lambda key, value: None,
) -> dict[str, object]:
    """The good values of one section, by key, checked one by one against the fields of `kind`.

    A field's `msgspec.Meta(description=...)` is the end of the sentence "must be ...". Fields named in
    `elsewhere` are read by somebody else: they are known keys and nothing more is said of them here.
    Texts stand on displays and in messages, so they are printable; those in `many_lines` may have lines.
    `explain` may know a better reason for a refused value. A field with a default may be missing.
    """
    skipped = set(elsewhere)
    fields = [field for field in msgspec.structs.fields(kind) if field.name not in skipped]
    check_keys(raw, [*(field.name for field in fields), *skipped], place, complaints)
    hints = get_type_hints(kind, include_extras=True)
    good: dict[str, object] = {}
    for each in fields:
        wanted = requirement(hints[each.name])
        if each.name not in raw:
            if each.required:
                complaints.error(place, "", f"{each.name!r} is missing; it must be {wanted}")
            continue
        value = raw[each.name]
        if isinstance(value, str) and not _is_printable(value, each.name in many_lines):
            complaints.error(place, seen_as(each.name, value), "must be made of printable characters")
            continue
        try:
            good[each.name] = msgspec.convert(value, hints[each.name])
        except msgspec.ValidationError:
            reason = explain(each.name, value) or f"must be {wanted}"
            complaints.error(place, seen_as(each.name, value), reason)
    return good


def _is_printable(text: str, many_lines: bool) -> bool:
    return (text.replace("\n", "") if many_lines else text).isprintable()


def built(kind: type[S], good: Mapping[str, Any]) -> S:
    """The struct made of the good values, and of defaults for those that are missing."""
    return kind(**good)


def is_whole(kind: type[msgspec.Struct], good: Mapping[str, object]) -> bool:
    """Whether every field that has no default got a good value."""
    return all(each.name in good for each in msgspec.structs.fields(kind) if each.required)


def requirement(hint: object) -> str:
    """The end of the sentence "must be ..." for a field."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            for meta in part.__metadata__:
                if isinstance(meta, msgspec.Meta) and meta.description:
                    return meta.description
    return "true or false" if hint is bool else "a text"
