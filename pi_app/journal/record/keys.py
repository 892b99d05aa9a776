"""Keys and libsodium: a game's key encrypts the sealed halves of its entries, the device's key signs heads.

The keys are in a folder that only their owner may enter: `device.key`, and one file per game. A game's key is published
in the record when the game ends (S-13); the device's never. `last.head` in the same folder is the last head that this
device has written.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nacl import bindings as sodium
from nacl.exceptions import CryptoError

from pi_app.journal.disk_trouble import advice
from pi_app.journal.record.sha import sha256
from pi_app.text.plain_file import read_plain

try:
    from nacl._sodium import ffi, lib
except ImportError:  # another version of PyNaCl
    ffi = lib = None

KEY_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_KEYBYTES
NONCE_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
TAG_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES
SIGNATURE_BYTES: Final = sodium.crypto_sign_BYTES
DEVICE_BYTES: Final = sodium.crypto_sign_PUBLICKEYBYTES

SEALED_OVERHEAD: Final = NONCE_BYTES + TAG_BYTES

LONGEST_FILE: Final = 4096
"""The most bytes of a key file, or of one with a head."""

_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class KeyFileError(Exception):
    """A key file cannot be used. `place` is the file, `seen` the problem, `advice` what to do."""

    def __init__(self, place: Path, seen: str, advice: str) -> None:
        self.place, self.seen, self.advice = place, seen, advice
        super().__init__(f"{place} {seen}. {advice}.")


# ------------------------------------------------------------------------------------------------- the secret half


def seal(key: bytes, public: bytes, text: bytes) -> bytes:
    """Encrypt `text` (XChaCha20-Poly1305, after a new nonce) and bind it to the public half of its entry."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(text, public, nonce, key)


def unseal_by_pynacl(key: bytes, public: bytes, sealed: bytes) -> bytes | None:
    """Decrypt a sealed half; None if the key or the public half does not fit, or it was changed."""
    if len(sealed) < SEALED_OVERHEAD:
        return None
    nonce, box = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
    try:
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(box, public, nonce, key)
    except CryptoError:
        return None


def unseal_by_libsodium(key: bytes, public: bytes, sealed: bytes) -> bytes | None:
    """Do the same in half the time, for records of a million entries: PyNaCl's wrapper costs more than the call."""
    size = len(sealed) - SEALED_OVERHEAD
    if size < 0 or len(key) != KEY_BYTES or not (isinstance(sealed, bytes) and isinstance(public, bytes)):
        return None
    text = _room("unsigned char[]", size)
    wrong = _decrypt(text, _NULL, _NULL, sealed[NONCE_BYTES:], size + TAG_BYTES, public, len(public), sealed, key)
    return None if wrong else bytes(_buffer(text, size))


if lib is None:
    unseal = unseal_by_pynacl
else:
    unseal = unseal_by_libsodium
    _room = ffi.new_allocator(should_clear_after_alloc=False)
    _decrypt, _buffer, _NULL = lib.crypto_aead_xchacha20poly1305_ietf_decrypt, ffi.buffer, ffi.NULL


def key_commitment(key: bytes) -> str:
    """Commit to a game's key, in hex: with it a sealed half decrypts to one text only."""
    return sha256(b"trapdial key 1\n" + key).hex()


# ------------------------------------------------------------------------------------------------------- the device


@dataclass(frozen=True, slots=True)
class DeviceKey:
    """A device's signing key. `public` identifies the device: 32 bytes."""

    public: bytes
    _secret: bytes

    def __repr__(self) -> str:
        return f"DeviceKey({self.public.hex()})"

    @property
    def seed(self) -> bytes:
        """The 32 secret bytes of the key."""
        return self._secret[:KEY_BYTES]

    def sign(self, message: bytes) -> bytes:
        """Make an Ed25519 signature of 64 bytes."""
        return sodium.crypto_sign(message, self._secret)[:SIGNATURE_BYTES]


def signed_by(device: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether this device signed the message."""
    if len(device) != DEVICE_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    try:
        sodium.crypto_sign_open(signature + message, device)
    except CryptoError:
        return False
    return True


def device_key(seed: bytes) -> DeviceKey:
    """Derive the key from 32 secret bytes."""
    public, secret = sodium.crypto_sign_seed_keypair(seed)
    return DeviceKey(public, secret)


# --------------------------------------------------------------------------------------------------------- key files


class KeyRing:
    """The keys of one journal, each a file of 64 hex digits with mode 0600 in a folder with mode 0700."""

    def __init__(self, folder: Path) -> None:
        """Do not touch the disk yet."""
        self.folder = folder

    def device(self) -> DeviceKey:
        """Return this device's key; create it on first use. Raises KeyFileError."""
        return self.known_device() or device_key(self._make(self._of_device))

    def known_device(self) -> DeviceKey | None:
        """Return this device's key; None if there is none yet. Raises KeyFileError."""
        seed = self._read(self._of_device)
        return None if seed is None else device_key(seed)

    @property
    def has_device(self) -> bool:
        """Whether this device has a key."""
        return (self.folder / "device.key").exists()

    def forget(self, game: str) -> None:
        """Overwrite and delete a game's key. Raises KeyFileError."""
        path = self._of_game(game)
        try:
            if path is not None and path.exists():
                with path.open("r+b", buffering=0) as file:
                    file.write(bytes(path.stat().st_size))
                    os.fsync(file.fileno())
        except OSError as error:
            raise _failed(self.folder, "be changed", error) from error
        self.drop(game)

    def new_game(self, game: str) -> bytes:
        """Create a key for a new game, on disk when this returns. Raises KeyFileError."""
        path = self._of_game(game)
        if path is None:
            raise KeyFileError(self.folder, f"cannot hold a key for a game named {game!r}", "Use letters and digits")
        return self._make(path)

    def game(self, game: str) -> bytes | None:
        """Return a game's key; None if it is not here. Raises KeyFileError for a file that is not a key."""
        path = self._of_game(game)
        return None if path is None else self._read(path)

    def put_back(self, device: DeviceKey, games: Mapping[str, bytes]) -> None:
        """Write the keys in memory whose files are gone. Raises KeyFileError."""
        if self.known_device() is None:
            self._write(self._of_device, device.seed.hex())
        for game, key in games.items():
            path = self._of_game(game)
            if path is not None and self._read(path) is None:
                self._write(path, key.hex())

    def drop(self, game: str) -> None:
        """Delete a game's key. Raises KeyFileError."""
        path = self._of_game(game)
        try:
            if path is not None:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise _failed(self.folder, "be changed", error) from error

    def remember(self, head: str) -> None:
        """Keep the head of the record, on disk when this returns. Raises KeyFileError."""
        self._write(self._of_record, head)

    def remembered(self) -> str | None:
        """Return the head that was kept last; None if there is none. Raises KeyFileError."""
        return self._text(self._of_record)

    @property
    def _of_device(self) -> Path:
        return self.folder / "device.key"

    @property
    def _of_record(self) -> Path:
        return self.folder / "last.head"

    def _of_game(self, game: str) -> Path | None:
        """Return the file of a game's key; None for a name, from an untrusted file, that could leave the folder."""
        return self.folder / f"game-{game}.key" if _SAFE_NAME.fullmatch(game) else None

    def _text(self, path: Path) -> str | None:
        try:
            return read_plain(path, LONGEST_FILE).decode("ascii").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise _failed(path, "be read", error) from error

    def _read(self, path: Path) -> bytes | None:
        text = self._text(path)
        if text is None:
            return None
        try:
            key = bytes.fromhex(text)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise KeyFileError(path, "holds no key", "Put the file back from a copy")
        return key

    def _make(self, path: Path) -> bytes:
        key = os.urandom(KEY_BYTES)
        self._write(path, key.hex())
        return key

    def _write(self, path: Path, text: str) -> None:
        """Write a file whole or not at all: under another name, synced, renamed, and both folders synced."""
        part = path.with_suffix(".part")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            part.rename(path)
            _sync_folder(self.folder)
            _sync_folder(self.folder.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise _failed(path, "be written", error) from error


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _failed(path: Path, what: str, error: OSError | UnicodeDecodeError) -> KeyFileError:
    if isinstance(error, OSError):
        return KeyFileError(path, f"could not {what} ({error.strerror})", advice(error.errno))
    return KeyFileError(path, f"could not {what} (it is no text)", "Put the file back from a copy")
