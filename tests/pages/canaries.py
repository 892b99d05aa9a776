"""The words that must never lie where a stranger could find them, and the places where these lanes look for them."""

from __future__ import annotations

import base64
import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pi_app.game.trap_words import CLEAR_EFFECT, EFFECTS, TRAP_NAMES
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES

LEAST: Final = 6
"""Letters of the shortest text that is searched for: a shorter one is found anywhere."""

_SKIPPED: Final = ("[vvar]", "[vsyscall]", "[vvar_vclock]")


def trap_texts() -> list[str]:
    """The traps' names and effects in every language."""
    messages = [*TRAP_NAMES.values(), *EFFECTS.values(), CLEAR_EFFECT]
    return sorted({words(language)(message) for language in LANGUAGES for message in messages})


def forms(text: str) -> list[bytes]:
    """How a text can lie in a file or in memory: UTF-8, UTF-16 and UTF-32, escaped in JSON, and in base64 at each of
    its three places (without the letters that depend on what stands beside it)."""
    plain = text.encode()
    found = [plain, text.encode("utf-16-le"), text.encode("utf-32-le")]
    if not text.isascii():
        found += [text.encode("latin-1", "replace"), text.encode("ascii", "backslashreplace")]
    for before in range(3):
        lettered = base64.b64encode(bytes(before) + plain)
        first, last = -(-before * 4 // 3), (before + len(plain)) // 3 * 4
        found.append(lettered[first:last])
    return [each for each in dict.fromkeys(found) if len(each) >= LEAST]


class Canaries:
    """Searches bytes for texts, in all their forms."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text_of: dict[bytes, str] = {}
        for text in texts:
            if len(text) >= LEAST:
                for form in forms(text):
                    self._text_of.setdefault(form, text)
        self._pattern = re.compile(_branches(sorted(self._text_of)), re.DOTALL)

    def __len__(self) -> int:
        return len(set(self._text_of.values()))

    def found_in(self, data: bytes) -> list[str]:
        """Return the texts that these bytes hold, each once."""
        return sorted({self._text_of[each] for each in self._pattern.findall(data)})


def _branches(forms: list[bytes]) -> bytes:
    """A pattern for these sorted forms in which each common beginning stands once: it takes seconds for a process's
    memory, and one with all forms side by side takes minutes."""
    if len(forms) == 1:
        return re.escape(forms[0])
    if not forms[0]:  # ends here; of two forms the longer one is found first
        rest = _branches(forms[1:])
        return b"(?:" + rest + b")?"
    groups = [(first, [each[1:] for each in those]) for first, those in itertools.groupby(forms, lambda each: each[:1])]
    parts = [re.escape(first) + _branches(rests) for first, rests in groups]
    return parts[0] if len(parts) == 1 else b"(?:" + b"|".join(parts) + b")"


def memory(process: int) -> Iterator[tuple[str, bytes]]:
    """Yield every readable piece of a process's memory with its name. Needs root."""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as inside:
        for line in Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines():
            where, access, *_ = line.split()
            name = line[73:].strip()
            if "r" not in access or name in _SKIPPED:
                continue
            begin, end = (int(each, 16) for each in where.split("-"))
            try:
                inside.seek(begin)
                yield f"{name or 'memory'} at {begin:x}", _read(inside.fileno(), end - begin)
            except (OSError, OverflowError):
                continue  # a mapping of a device, or beyond the end of its file


def _read(descriptor: int, size: int) -> bytes:
    pieces = []
    while size and (piece := os.read(descriptor, min(size, 1 << 24))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def open_files(process: int) -> Iterator[tuple[str, bytes]]:
    """Yield the content of every ordinary file that a process has open, and its arguments and environment."""
    for name in ("cmdline", "environ"):
        yield name, Path(f"/proc/{process}/{name}").read_bytes()
    for handle in Path(f"/proc/{process}/fd").iterdir():
        target = Path(os.readlink(handle))
        if target.is_absolute() and target.is_file():
            yield str(target), handle.read_bytes()


def files_under(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a folder, with its name: a browser's profile has caches, databases and sessions."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def hits(canaries: Canaries, places: Iterable[tuple[str, bytes]]) -> Mapping[str, list[str]]:
    """Return what was found, by its place."""
    return {name: found for name, data in places if (found := canaries.found_in(data))}
