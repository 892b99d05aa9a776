"""SHA-256 from libsodium, which is loaded anyway: hashlib would load OpenSSL, 3.5 MB that a Pi cannot spare in play.

A verifier of a million entries calls `in_bulk` first; the hashes are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from nacl import bindings as sodium


class Hashed(Protocol):
    """The result of a hash function."""

    def digest(self) -> bytes:
        """Return the hash, 32 bytes."""


_hash: Callable[[bytes], bytes] = sodium.crypto_hash_sha256


def sha256(data: bytes) -> bytes:
    """Hash data to 32 bytes (FIPS 180-4)."""
    return _hash(data)


def bulk_hash() -> Callable[[bytes], Hashed]:
    """Return OpenSSL's hash function, for a loop in which each call counts."""
    import hashlib

    return hashlib.sha256


def sha256_of_each(texts: Iterable[bytes]) -> list[bytes]:
    """Hash many texts with OpenSSL."""
    hashed = bulk_hash()
    return [hashed(text).digest() for text in texts]


def in_bulk() -> None:
    """Use OpenSSL from now on, which takes half the time."""
    global _hash  # noqa: PLW0603 - one choice for the whole process, and it changes no hash
    import hashlib

    def quick(data: bytes) -> bytes:
        return hashlib.sha256(data).digest()

    _hash = quick
