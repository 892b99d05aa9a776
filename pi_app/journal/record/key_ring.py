"""The key files of one journal, in a folder that only their owner may enter: `device.key`, and one file per game.

A game's key is published in the record when the game ends (S-13); the device's never. `last.head` in the same folder is
the last head that this device has written, and `card.codes` has the secrets of the phones' cards. With a passphrase
each key file is encrypted (`passphrase`).

The folder is beside the journal, or, if `[record] keys` names another place, there; then the folder beside the journal
has only the file `place`, so that every command finds the keys.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pi_app.journal.disk_trouble import advice
from pi_app.journal.record import passphrase
from pi_app.journal.record.key_folder import check_place_for_keys, open_key_folder
from pi_app.journal.record.keys import KEY_BYTES, DeviceKey, KeyFileError, device_key
from pi_app.text.private_files import make_folder, new_file, sync_folder

PLACE: Final = "place"
"""The file beside a journal that names the folder of its keys."""

DEVICE: Final = "device.key"
LAST_HEAD: Final = "last.head"
CARD_CODES: Final = "card.codes"
"""The join secrets of the phones' cards (`pi_app.pages.card_codes`)."""

CONTINUES: Final = "continues"
"""What the first entry of the record will say of the older one that it continues."""

_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_KEY_FILE: Final = re.compile(r"(device|game-[A-Za-z0-9][A-Za-z0-9_-]{0,63})\.key")
_DRAFT: Final = re.compile(r".+\.part")
_LONGEST_BYTES: Final = 4096
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

PUT_BACK: Final = "Put the file back from a copy"
AWAY: Final = "Plug in and mount the disk with the keys, then try again"


class KeyRing:
    """The keys of one journal, each a file with mode 0600 in a folder with mode 0700."""

    def __init__(self, folder: Path, beside: Path | None = None) -> None:
        """Do not touch the disk yet. `beside`: the folder that names this one, if the keys are in another place."""
        self.folder, self.beside = folder, beside
        self._lock = ""

    # ------------------------------------------------------------------------------------------------- the keys

    def device(self) -> DeviceKey:
        """Return this device's key; create it on first use. Raises KeyFileError."""
        return self.known_device() or device_key(self._make(DEVICE))

    def known_device(self) -> DeviceKey | None:
        """Return this device's key; None if there is none yet. Raises KeyFileError."""
        seed = self._read(DEVICE)
        return None if seed is None else device_key(seed)

    @property
    def has_device(self) -> bool:
        """Whether this device has a key, which may be encrypted. Raises KeyFileError."""
        return self._text(DEVICE) is not None

    def forget(self, game: str) -> None:
        """Overwrite and delete a game's key. Raises KeyFileError."""
        name = _file_of(game)
        if name is not None:
            self._wipe(name)

    def new_game(self, game: str) -> bytes:
        """Create a key for a new game, on disk when this returns. Raises KeyFileError."""
        name = _file_of(game)
        if name is None:
            raise KeyFileError(self.folder, f"cannot hold a key for a game named {game!r}", "Use letters and digits")
        return self._make(name)

    def game(self, game: str) -> bytes | None:
        """Return a game's key; None if it is not here. Raises KeyFileError for a file that is not a key."""
        name = _file_of(game)
        return None if name is None else self._read(name)

    def put_back(self, device: DeviceKey, games: Mapping[str, bytes]) -> None:
        """Write the keys in memory whose files are gone. Raises KeyFileError."""
        if self.known_device() is None:
            self._write_key(DEVICE, device.seed)
        for game, key in games.items():
            name = _file_of(game)
            if name is not None and self._read(name) is None:
                self._write_key(name, key)

    def drop(self, game: str) -> None:
        """Delete a game's key. Raises KeyFileError."""
        name = _file_of(game)
        if name is None:
            return
        with self._opened(name, "be changed") as folder:
            if folder is not None:
                _unlink(name, folder)

    def remember(self, head: str) -> None:
        """Keep the head of the record, on disk when this returns. Raises KeyFileError."""
        self._write(LAST_HEAD, head)

    def remembered(self) -> str | None:
        """Return the head that was kept last; None if there is none. Raises KeyFileError."""
        return self._text(LAST_HEAD)

    def set_aside_remembered(self) -> Path | None:
        """Give a file with the head that cannot be read another name; return its path, None if that cannot be."""
        with contextlib.suppress(KeyFileError), self._opened(LAST_HEAD, "be changed") as folder:
            if folder is not None:
                os.rename(LAST_HEAD, aside := f"{LAST_HEAD}.damaged", src_dir_fd=folder, dst_dir_fd=folder)
                return self.folder / aside
        return None

    def keep_continues(self, text: str) -> None:
        """Keep what the first entry will say of an older record, on disk when this returns. Raises KeyFileError."""
        self._write(CONTINUES, text)

    def continues(self) -> str | None:
        """Return what the record's first entry says of an older one; None for the first record. Raises KeyFileError."""
        return self._text(CONTINUES)

    def keep_card_codes(self, text: str) -> None:
        """Keep the text with the codes of the phones' cards, on disk when this returns. Raises KeyFileError."""
        self._write(CARD_CODES, text.strip(), wipe=True)

    def card_codes(self) -> str | None:
        """Return the text with the codes of the phones' cards; None if there is none. Raises KeyFileError."""
        return self._text(CARD_CODES)

    # -------------------------------------------------------------------------------------------- the passphrase

    @property
    def is_locked(self) -> bool:
        """Whether the key files are encrypted with a passphrase. Raises KeyFileError."""
        return self._lock_text() is not None

    def open_lock(self) -> None:
        """Ask for the passphrase, if there is one and it was not asked for. Raises KeyFileError for a wrong one."""
        lock = self._lock_text()
        if lock is not None:
            passphrase.opener(self.folder, lock)

    def set_passphrase(self, new: str) -> None:
        """Encrypt every key file with a passphrase, or change the one that there is. Raises KeyFileError.

        After an interruption every file can still be read; call this again.
        """
        lock = self._lock_text()
        opener = None if lock is None else passphrase.opener(self.folder, lock)
        self._lock, opener = passphrase.new_lock(new, opener)
        self._write(passphrase.LOCK, self._lock)
        for name in self._key_files():
            self._write_key(name, self._read(name) or b"", wipe=True)
        for name in self._files(_DRAFT):  # of a write that lost its power
            self._wipe(name)

    def remove_passphrase(self) -> None:
        """Write every key file without encryption. Raises KeyFileError."""
        for name in self._key_files():
            self._write(name, (self._read(name) or b"").hex())
        self._wipe(passphrase.LOCK)
        self._lock = ""

    # -------------------------------------------------------------------------------------------- another place

    def move_to(self, folder: Path) -> KeyRing:
        """Move the keys to another folder, and name it beside the journal. Raises KeyFileError.

        The files here are deleted only when all are there; after an interruption call this again.
        """
        beside = self.beside or self.folder
        there = ring_at(folder, beside)
        there.create()
        if there.known_device() is not None and there._text(DEVICE) != self._text(DEVICE):
            raise KeyFileError(folder, "holds the keys of another journal", "Name another folder")
        own = (passphrase.LOCK, *self._key_files(), LAST_HEAD, CARD_CODES, CONTINUES)
        names = [name for name in own if self._text(name) is not None]
        for name in names:
            there._write(name, self._text(name) or "")
        if there.beside is not None:
            KeyRing(beside).point_to(folder)
        for name in names:
            self._wipe(name)
        if there.beside is None:
            there._wipe(PLACE)
        return there

    def _wipe(self, name: str) -> None:
        """Overwrite and delete a file."""
        with self._opened(name, "be changed") as folder:
            if folder is not None:
                _overwrite(name, folder)
                _unlink(name, folder)

    def point_to(self, folder: Path) -> None:
        """Write beside the journal where its keys are. Raises KeyFileError."""
        self._write(PLACE, str(folder))

    def create(self) -> None:
        """Create the folder, if it is missing. Raises KeyFileError."""
        self._create(self.folder, "be created")

    def _create(self, place: Path, what: str) -> None:
        try:
            check_place_for_keys(self.folder)
            make_folder(self.folder)
        except OSError as error:
            raise _failed(place, what, error) from error

    # ---------------------------------------------------------------------------------------------------- files

    def _key_files(self) -> list[str]:
        return self._files(_KEY_FILE)

    def _files(self, pattern: re.Pattern[str]) -> list[str]:
        with self._opened(DEVICE, "be read") as folder:
            return [] if folder is None else sorted(filter(pattern.fullmatch, os.listdir(folder)))

    @contextlib.contextmanager
    def _opened(self, name: str, what: str) -> Iterator[int | None]:
        """Open the folder for a file in it; None if there is no folder. Raises KeyFileError."""
        try:
            if self.beside is not None:
                os.close(open_key_folder(self.beside))
            folder = open_key_folder(self.folder)
        except FileNotFoundError as error:
            if self.beside is not None:
                raise KeyFileError(self.folder, "is not there, and it has the keys", AWAY) from error
            yield None
            return
        except OSError as error:
            raise _failed(self.folder / name, what, error) from error
        try:
            yield folder
        except OSError as error:
            raise _failed(self.folder / name, what, error) from error
        finally:
            os.close(folder)

    def _text(self, name: str) -> str | None:
        with self._opened(name, "be read") as folder:
            try:
                return None if folder is None else _small_text(name, folder)
            except FileNotFoundError:
                return None
            except UnicodeDecodeError as error:
                raise KeyFileError(self.folder / name, "could not be read (it is no text)", PUT_BACK) from error

    def _lock_text(self) -> str | None:
        lock = self._text(passphrase.LOCK)
        self._lock = lock or self._lock
        return lock

    def _read(self, name: str) -> bytes | None:
        text = self._text(name)
        if text is None:
            return None
        if text.startswith(passphrase.LOCKED):
            lock = self._lock_text()
            if lock is None:
                seen = f"is encrypted with a passphrase, and {passphrase.LOCK} is missing beside it"
                raise KeyFileError(self.folder / name, seen, PUT_BACK)
            key = passphrase.unlocked(passphrase.opener(self.folder, lock), name, text)
        else:
            try:
                key = bytes.fromhex(text)
            except ValueError:
                key = b""
        if len(key) != KEY_BYTES:
            raise KeyFileError(self.folder / name, "holds no key", PUT_BACK)
        return key

    def _make(self, name: str) -> bytes:
        key = os.urandom(KEY_BYTES)
        self._write_key(name, key)
        return key

    def _write_key(self, name: str, key: bytes, *, wipe: bool = False) -> None:
        """Write a key file, encrypted if there is a passphrase; also if its lock was lost with the folder."""
        lock = self._lock_text()
        if lock is None and self._lock:
            lock = self._lock
            self._write(passphrase.LOCK, lock)
        text = key.hex() if lock is None else passphrase.locked(passphrase.opener(self.folder, lock), name, key)
        self._write(name, text, wipe=wipe)

    def _write(self, name: str, text: str, *, wipe: bool = False) -> None:
        """Write a file whole or not at all: under another name, synced, renamed, and both folders synced. `wipe`:
        overwrite the old content."""
        if self.beside is None:
            self._create(self.folder / name, "be written")
        with self._opened(name, "be written") as folder:
            if folder is None:
                raise _failed(self.folder / name, "be written", FileNotFoundError(2, os.strerror(2)))
            _replace(name, text, folder, self.folder.parent, wipe=wipe)


def ring_at(folder: Path, beside: Path) -> KeyRing:
    """Return the keys in `folder`, of a journal whose usual folder is `beside`."""
    return KeyRing(folder, None if folder == beside.absolute() else beside)


def key_ring(beside: Path) -> KeyRing:
    """Return the keys of a journal: in `beside`, or in the place that a file in `beside` names."""
    try:
        handle = os.open(beside, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return KeyRing(beside)
    try:
        place = _small_text(PLACE, handle)
    except (OSError, UnicodeDecodeError):
        return KeyRing(beside)
    finally:
        os.close(handle)
    return KeyRing(Path(place), beside)


def _file_of(game: str) -> str | None:
    """Return the file of a game's key; None for a name, from an untrusted file, that could leave the folder."""
    return f"game-{game}.key" if _SAFE_NAME.fullmatch(game) else None


def _small_text(name: str, folder: int) -> str:
    handle = os.open(name, _READ, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(22, "it is not a plain file")
        return os.read(handle, _LONGEST_BYTES).decode("utf-8").strip()
    finally:
        os.close(handle)


def _replace(name: str, text: str, folder: int, parent: Path, *, wipe: bool) -> None:
    part = f"{name}.part"
    if _unlink(part, folder):
        os.fsync(folder)  # what a power cut left of an older one is gone for good before a new one has its name
    old = None
    try:
        handle = new_file(part, folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            old = os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder) if wipe else None
        os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        _sync_folders(folder, parent)
        if old is not None:
            _zero(old)
    except OSError:
        with contextlib.suppress(OSError):
            _unlink(part, folder)
        raise
    finally:
        if old is not None:
            os.close(old)


def _zero(handle: int) -> None:
    os.write(handle, bytes(os.fstat(handle).st_size))
    os.fsync(handle)


def _overwrite(name: str, folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        handle = os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            _zero(handle)
        finally:
            os.close(handle)


def _unlink(name: str, folder: int) -> bool:
    """Remove a file; return whether it was there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


def _sync_folders(folder: int, parent: Path) -> None:
    os.fsync(folder)
    with contextlib.suppress(PermissionError):  # a place where disks are mounted may not be listed
        sync_folder(parent)


def _failed(path: Path, what: str, error: OSError) -> KeyFileError:
    return KeyFileError(path, f"could not {what} ({error.strerror})", advice(error.errno))
