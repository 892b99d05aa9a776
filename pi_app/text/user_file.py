"""Read a TOML file that a person wrote, and find every problem in it at once.

Settings and trap tables are such files. Only `read_text` and `write_new` use the disk. A wrong value is reported with
its key; an unknown key gets a suggestion.
"""

from __future__ import annotations

import enum
import functools
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

import msgspec

from pi_app.text.errors import UserFileError
from pi_app.text.lengths import most_bytes, text_bytes
from pi_app.text.plain_file import NotPlainError, open_plain
from pi_app.text.printed import shown
from pi_app.text.private_files import new_file
from pi_app.text.suggest import did_you_mean

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")

LARGEST_FILE_BYTES: Final = 1_000_000
LONGEST_LINE: Final = 4_000
"""Longer than any line that a person writes. It also keeps the TOML reader from taking minutes for one long key."""

MOST_UNKNOWN_KEYS: Final = 20
"""With more unknown keys in one section the file is of another kind: the rest is only counted."""


class Severity(enum.Enum):
    """How much a problem matters: an error makes the file unusable, the others do not."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file: the place, what was seen there, and the reason."""

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
    """Return the problems that make the file unusable."""
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)


# ------------------------------------------------------------------------------------------ bytes to text


NO_SUCH_FILE: Final = "there is no such file; check the name and the folder"


def read_text(path: Path, missing: str = NO_SUCH_FILE) -> str:
    """Read a small UTF-8 file. Raises UserFileError for anything else; `missing`: what to say of a file that is not
    there."""
    try:
        with open_plain(path) as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except NotPlainError as trouble:
        raise refused(path, f"it is {trouble}; name a TOML file") from None
    except FileNotFoundError:
        raise refused(path, missing) from None
    except PermissionError:
        raise refused(path, "this user may not read it; check its owner and mode with ls -l") from None
    except (OSError, ValueError) as trouble:
        raise refused(path, f"it cannot be read ({trouble}); check the name and the disk") from None
    text = text_of(data)
    if isinstance(text, NotText):
        raise refused(path, text.reason)
    return text


def write_new(path: Path, text: str) -> None:
    """Write a new file whole, or not at all. Only its owner may read it. It is on disk when this returns.

    Raises UserFileError if the name is taken (no file is ever overwritten) or the disk refuses.
    """
    check_is_new(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            draft = Path(folder) / "draft"
            with os.fdopen(new_file(draft), "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            _give_name(draft, path)
    except OSError as trouble:
        raise refused(path, f"it cannot be written ({trouble.strerror}); check the folder and the disk") from None


def check_is_new(path: Path) -> None:
    """Raises UserFileError if the name is taken, or its folder is missing or not writable."""
    if os.path.lexists(path):
        raise refused(path, "exists already and is never overwritten; give another name")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise refused(path, "its folder is missing or not writable; create it, or give another name")


def _give_name(draft: Path, path: Path) -> None:
    """Use a hard link, which fails if the name was taken meanwhile; on a disk without links (FAT) rename."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise refused(path, "was created by another program meanwhile; give another name") from None
    except OSError:
        check_is_new(path)
        draft.replace(path)


def refused(path: Path, reason: str) -> UserFileError:
    """Make the error for a file that is wrong as a whole."""
    return UserFileError([f"{path}: {reason}"])


@dataclass(frozen=True, slots=True)
class NotText:
    """The reason why some bytes are not the text of a settings file or a trap table."""

    reason: str


def text_of(data: bytes) -> str | NotText:
    """Decode UTF-8 of at most 1 MB without binary zeros. A byte-order mark is dropped."""
    if len(data) > LARGEST_FILE_BYTES:
        return NotText("it is larger than 1 MB; a file of this kind has a few thousand characters")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return NotText("it is written in UTF-16; save it again as UTF-8")
    if b"\0" in data:
        return NotText("it contains binary zeros, so it is not a text file; name a TOML file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = data.count(b"\n", 0, trouble.start) + 1
        return NotText(f"line {line} is not UTF-8 text; save it again as UTF-8, or name a TOML file")


def load_with(parse: Callable[[str, str], tuple[T, tuple[Problem, ...]]], path: Path) -> T:
    """What `parse` makes of a file's text and name. Raises UserFileError with every error of the file."""
    value, problems = parse(read_text(path), str(path))
    if errors := errors_of(problems):
        raise UserFileError([str(problem) for problem in errors])
    return value


# ---------------------------------------------------------------------------------------- text to sections


def read_toml(text: str, complaints: Complaints) -> dict[str, object] | None:
    """Return the sections of a TOML text, or None after one complaint about the place where it is not TOML."""
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
        complaints.error("", "", "it contains a number with far too many digits; write an ordinary number")
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
    """Write `channel = 9` as in the file: addresses in hex, texts in quotes, long ones cut."""
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
    """Complain about every unknown key, with a suggestion."""
    choices = list(known)
    unknown = [key for key in raw if key not in choices]
    for key in unknown[:MOST_UNKNOWN_KEYS]:
        complaints.error(place, "", f"there is no key {short(key)}; {did_you_mean(key, choices)}")
    if (more := len(unknown) - MOST_UNKNOWN_KEYS) > 0:
        complaints.error(place, "", f"and {more} more unknown keys")


def short(key: str) -> str:
    """Write a key for a message: in quotes, a long one cut."""
    words = ascii(key)
    return words if len(words) <= 60 else words[:57] + "...'"


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


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
    """Return the valid values of one section, by key, checked one by one against the fields of `kind`.

    A field's `msgspec.Meta(description=...)` is the end of the sentence "must be ...". Fields in `elsewhere` are known
    keys that another function reads. Texts must be printable, because displays and messages show them; those in
    `many_lines` may have several lines. `explain` may return a better reason for a refused value. A field with a
    default may be missing.
    """
    skipped = set(elsewhere)
    fields = [field for field in _fields(kind) if field.name not in skipped]
    check_keys(raw, [*(field.name for field in fields), *skipped], place, complaints)
    hints = {field.name: field.type for field in fields}
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
            continue
        characters = _most_characters(hints[each.name])
        if isinstance(value, str) and characters and text_bytes(value) > most_bytes(characters):
            complaints.error(place, seen_as(each.name, value), _too_many_bytes(value, most_bytes(characters)))
            del good[each.name]
    return good


def read_sections(
    kind: type[S], raw: Mapping[str, object], key: str, most: int, complaints: Complaints, *, needed: bool = True
) -> tuple[S, ...]:
    """The values of all [[key]] sections, in order, without those that have a problem. There may be up to `most`."""
    rows = raw.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        complaints.error(key, "", f"must be sections that begin with [[{key}]]")
    elif needed and not rows:
        complaints.error(key, "", f"there are no {key}s; write one [[{key}]] section for each")
    elif len(rows) > most:
        complaints.error(f"[[{key}]]", f"{len(rows)} times", f"there is room for {most}")
    else:
        goods = [read_values(kind, row, f"[[{key}]] {number}", complaints) for number, row in enumerate(rows, 1)]
        return tuple(built(kind, good) for good in goods if is_whole(kind, good))
    return ()


def _is_printable(text: str, many_lines: bool) -> bool:
    seen = text.replace("\n", "") if many_lines else text
    return seen.isprintable() and shown(seen) == seen


def built(kind: type[S], good: Mapping[str, Any]) -> S:
    """Make the struct from the valid values, with defaults for missing ones."""
    return kind(**good)


def is_whole(kind: type[msgspec.Struct], good: Mapping[str, object]) -> bool:
    """Return whether every field without a default has a valid value."""
    return all(each.name in good for each in _fields(kind) if each.required)


def _too_many_bytes(text: str, most: int) -> str:
    found = text_bytes(text)
    return f"has {found} bytes, and at most {most} fit (an emoji takes 4, a Chinese or Thai character 3); shorten it"


def _most_characters(hint: object) -> int | None:
    """Return how many characters a text may have; None if its field has no limit."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            for meta in part.__metadata__:
                if isinstance(meta, msgspec.Meta) and meta.max_length is not None:
                    return meta.max_length
    return None


def requirement(hint: object) -> str:
    """The end of the sentence "must be ..." for a field."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            for meta in part.__metadata__:
                if isinstance(meta, msgspec.Meta) and meta.description:
                    return meta.description
    return "true or false" if hint is bool else "a text"
