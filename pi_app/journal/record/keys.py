"""Keys and libsodium: a game's key encrypts the sealed halves of its entries, the device's key signs heads.

`key_ring` has their files.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nacl import bindings as sodium
from nacl.exceptions import CryptoError

from pi_app.journal.record.sha import sha256

try:
    from nacl._sodium import ffi, lib
except ImportError:  # another version of PyNaCl
    ffi = lib = None

KEY_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_KEYBYTES
NONCE_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
TAG_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES
SIGNATURE_BYTES: Final = sodium.crypto_sign_BYTES
DEVICE_BYTES: Final = sodium.crypto_sign_PUBLICKEYBYTES
SALT_BYTES: Final = sodium.crypto_pwhash_SALTBYTES

SEALED_OVERHEAD: Final = NONCE_BYTES + TAG_BYTES


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


def stretched(passphrase: str, salt: bytes, passes: int, memory: int) -> bytes:
    """Make a key from a passphrase (Argon2id). Raises RuntimeError or MemoryError if that much memory is not free."""
    words = passphrase.encode("utf-8", "surrogateescape")
    return sodium.crypto_pwhash_alg(KEY_BYTES, words, salt, passes, memory, sodium.crypto_pwhash_ALG_ARGON2ID13)


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
