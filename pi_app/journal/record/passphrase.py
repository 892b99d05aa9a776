"""Key files that a passphrase encrypts.

Argon2id makes a key from the passphrase. That key encrypts the opener, 32 random bytes, in `passphrase.lock`. The
opener encrypts each key file (XChaCha20-Poly1305, bound to its name). A changed passphrase changes the lock only.

The passphrase comes from a file descriptor, a systemd credential, or the terminal, once per program.
"""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from pi_app.journal.record.keys import KEY_BYTES, SALT_BYTES, KeyFileError, seal, stretched, unseal
from pi_app.text.plain_file import read_plain
from pi_app.text.printed import shown

LOCK: Final = "passphrase.lock"

LOCKED: Final = "locked1 "
"""What an encrypted key file begins with; hex digits follow."""

PASSES: Final = 3
MEMORY_BYTES: Final = 128 * 2**20
"""For Argon2id: an eighth of the memory of a Pi 3, for a few seconds."""

MOST_PASSES, MOST_MEMORY_BYTES = 16, 256 * 2**20
"""What a lock, a file that others may have written, can make this program use."""

FROM_DESCRIPTOR: Final = "TRAPDIAL_PASSPHRASE_FD"
"""An environment variable: the number of an open file descriptor. Each passphrase is a line in it."""

CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
"""An environment variable of systemd: a folder with the credentials of a service."""

CREDENTIAL: Final = "trapdial-passphrase"

LONGEST_BYTES: Final = 1024
SHORTEST: Final = 8

_ABOUT: Final = b"trapdial passphrase 1"

_known: dict[str, bytes] = {}
"""The openers of this program's locks: a passphrase is asked for once."""


def forget() -> None:
    """Forget every passphrase that was given: the next use of a lock asks again."""
    _known.clear()


class _Lock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kdf: str
    passes: int
    memory: int
    salt: str
    opener: str


def new_lock(passphrase: str, opener: bytes | None = None) -> tuple[str, bytes]:
    """Return a lock for this passphrase, and its opener: a new one, or the one of an earlier lock."""
    opener = opener or os.urandom(KEY_BYTES)
    salt = os.urandom(SALT_BYTES)
    key = stretched(passphrase, salt, PASSES, MEMORY_BYTES)
    sealed = seal(key, _ABOUT, opener).hex()
    lock = _Lock(kdf="argon2id13", passes=PASSES, memory=MEMORY_BYTES, salt=salt.hex(), opener=sealed)
    text = msgspec.json.encode(lock).decode()
    _known[text] = opener
    return text, opener


def opener(folder: Path, text: str) -> bytes:
    """Return what decrypts the key files under this lock; ask for the passphrase the first time. Raises
    KeyFileError."""
    if text not in _known:
        lock = _read(folder, text)
        found = _tried(folder, lock, asked(folder))
        if found is None:
            seen = "has keys under another passphrase than this one"
            raise KeyFileError(folder, seen, "Try again with the right one; nothing was changed")
        _known[text] = found
    return _known[text]


def locked(opener: bytes, name: str, key: bytes) -> str:
    """Return the content of an encrypted key file."""
    return LOCKED + seal(opener, name.encode(), key).hex()


def unlocked(opener: bytes, name: str, text: str) -> bytes:
    """Return the key in an encrypted key file; nothing if it was changed or renamed."""
    try:
        return unseal(opener, name.encode(), bytes.fromhex(text.removeprefix(LOCKED))) or b""
    except ValueError:
        return b""


# ------------------------------------------------------------------------------------------------------------ asking


def asked(folder: Path) -> str:
    """Return the passphrase, without its end of line. Raises KeyFileError if there is no way to ask."""
    for source in (_from_descriptor, _from_credential):
        given = source(folder)
        if given is not None:
            return given
    return _typed(folder, f"Passphrase of the keys in {folder}: ")


def asked_new(folder: Path) -> str:
    """Return a new passphrase, typed twice at a terminal. Raises KeyFileError if it is too short or differs."""
    given = _from_descriptor(folder)
    if given is None:
        given = _typed(folder, f"New passphrase for the keys in {folder}: ")
        if _typed(folder, "The same again: ") != given:
            raise KeyFileError(folder, "was given two passphrases that differ", "Try again; nothing was changed")
    if len(given) < SHORTEST:
        seen = f"was given a passphrase of fewer than {SHORTEST} characters"
        raise KeyFileError(folder, seen, "Take a longer one, such as five words; nothing was changed")
    return given


def _typed(folder: Path, prompt: str) -> str:
    if not _has_terminal():
        seen = "needs its passphrase, and there is no terminal to ask at"
        advice = f"Give it as the credential {CREDENTIAL} (trapdial docs secrets), or in ${FROM_DESCRIPTOR}"
        raise KeyFileError(folder, seen, advice)
    try:
        return getpass.getpass(shown(prompt))
    except UnicodeError:
        seen = "was given a passphrase that is not text in UTF-8"
        raise KeyFileError(folder, seen, "Type it again; nothing was changed") from None
    except EOFError:
        raise KeyFileError(folder, "needs its passphrase, and none was typed", "Type it, then Enter") from None


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    return True


def _from_descriptor(folder: Path) -> str | None:
    number = os.environ.get(FROM_DESCRIPTOR)
    if not number:
        return None
    line = b""
    try:
        while not line.endswith(b"\n") and len(line) <= LONGEST_BYTES and (more := os.read(int(number), 1)):
            line += more
    except (OSError, ValueError, OverflowError):
        seen = f"needs its passphrase, and ${FROM_DESCRIPTOR} is no open file descriptor"
        raise KeyFileError(folder, seen, f"Open it, such as {FROM_DESCRIPTOR}=3 3< FILE") from None
    return _line(folder, line, f"${FROM_DESCRIPTOR}")


def _from_credential(folder: Path) -> str | None:
    place = os.environ.get(CREDENTIALS)
    if not place:
        return None
    try:
        return _line(folder, read_plain(Path(place) / CREDENTIAL, LONGEST_BYTES), f"credential {CREDENTIAL}")
    except FileNotFoundError:
        return None
    except OSError as error:
        seen = f"needs its passphrase, and the credential {CREDENTIAL} cannot be read ({error.strerror})"
        raise KeyFileError(folder, seen, "Check the service's LoadCredential") from None


def _line(folder: Path, data: bytes, source: str) -> str:
    try:
        text = data.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        text = ""
    if not text or len(data) > LONGEST_BYTES or "\n" in text:
        seen = f"needs its passphrase, and {source} is not one line of text of at most {LONGEST_BYTES} bytes"
        raise KeyFileError(folder, seen, "Write the passphrase there, and nothing else")
    return text


# ------------------------------------------------------------------------------------------------------ the lock file


def _read(folder: Path, text: str) -> _Lock:
    try:
        lock = msgspec.json.decode(text.encode(), type=_Lock)
        bytes.fromhex(lock.salt + lock.opener)
    except (msgspec.MsgspecError, ValueError):
        raise KeyFileError(folder / LOCK, "holds no lock", "Put the file back from a copy") from None
    whole = lock.kdf == "argon2id13" and len(bytes.fromhex(lock.salt)) == SALT_BYTES
    if not whole or not 1 <= lock.passes <= MOST_PASSES or not 8192 <= lock.memory <= MOST_MEMORY_BYTES:
        seen = "asks for another way to stretch a passphrase than this program knows"
        raise KeyFileError(folder / LOCK, seen, "Put the file back from a copy")
    return lock


def _tried(folder: Path, lock: _Lock, passphrase: str) -> bytes | None:
    try:
        key = stretched(passphrase, bytes.fromhex(lock.salt), lock.passes, lock.memory)
    except (MemoryError, RuntimeError):
        seen = f"needs {lock.memory >> 20} MB of memory to check its passphrase, and they are not free"
        raise KeyFileError(folder, seen, "Close other programs, then try again") from None
    return unseal(key, _ABOUT, bytes.fromhex(lock.opener))
