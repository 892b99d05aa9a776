"""The builder's key, in minisign's own files: made once, kept outside of the source, and what signs the packages.

A key that `minisign -G -W` made does too. It has no passphrase, so that `make deb` asks nothing: whoever can read the
file can make packages that stations install.
"""

from __future__ import annotations

import base64
import binascii
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nacl import bindings as sodium

from pi_app.station.package.wheelhouse import ROOT, CannotBuildError
from pi_app.station.updates.minisign import SUFFIX, NotMinisignError, PublicKey, format_number, new_hash, read_key
from pi_app.text.private_files import make_folder, new_file

PLACE: Final = "TRAPDIAL_BUILDER_KEY"
"""The variable with the key's place."""
_HEAD: Final = b"Ed\0\0B2" + bytes(32 + 8 + 8)
"""Before the number of a key without a passphrase: how it is made, encrypted and checked, and a salt and limits."""
_WHOLE: Final = len(_HEAD) + 8 + 64 + 32


@dataclass(frozen=True, slots=True)
class BuilderKey:
    """What signs packages: the key's number as minisign prints it, its eight bytes, and libsodium's secret key."""

    number: str
    id: bytes
    secret: bytes

    @property
    def public_text(self) -> bytes:
        """The file of the public key."""
        data = base64.b64encode(b"Ed" + self.id + self.secret[32:])
        return f"untrusted comment: minisign public key {self.number}\n".encode() + data + b"\n"


def key_place() -> Path:
    """Return where the builder's key is, unless an option names another place."""
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Path(os.environ.get(PLACE) or config / "trapdial" / "builder.key")


def open_key(file: Path) -> BuilderKey:
    """Read a builder's key. Raises CannotBuildError."""
    _check_place(file)
    try:
        data = base64.b64decode(file.read_bytes().splitlines()[1], validate=True)
    except (IndexError, binascii.Error):
        raise CannotBuildError(f"{file}: this is no secret key of minisign. Name one.") from None
    except OSError as why:
        raise CannotBuildError(f"{file}: this key cannot be read ({why.strerror}). Name a key of minisign.") from None
    if data[2:4] == b"Sc":
        advice = f"minisign -C -W -s {file}"
        raise CannotBuildError(f"{file}: this key has a passphrase. Take it off a copy with: {advice}")
    if len(data) != _WHOLE or data[:6] != _HEAD[:6]:
        raise CannotBuildError(f"{file}: this is no secret key of minisign. Name one.")
    number, secret = data[len(_HEAD) :][:8], data[len(_HEAD) + 8 :][:64]
    if sodium.crypto_sign_seed_keypair(secret[:32])[0] != secret[32:]:
        seen = "this key is damaged: its two halves do not belong together"
        raise CannotBuildError(f"{file}: {seen}. Take another copy of it.")
    return BuilderKey(format_number(number), number, secret)


def _check_place(file: Path) -> None:
    if file.resolve().is_relative_to(ROOT):
        raise CannotBuildError(f"{file}: the builder's key lies in the source. Move it to a place of your own.")


def make_key(file: Path) -> BuilderKey:
    """Make a new builder's key, which only its owner may read, and its public key beside it.

    Raises CannotBuildError if it cannot be written, or is there already."""
    _check_place(file)
    _, secret = sodium.crypto_sign_keypair()
    key = BuilderKey(format_number(number := os.urandom(8)), number, secret)
    data = base64.b64encode(_HEAD + number + secret + bytes(32))
    try:
        make_folder(file.parent)
        with os.fdopen(new_file(file), "wb") as opened:
            opened.write(b"untrusted comment: minisign encrypted secret key\n" + data + b"\n")
        file.with_suffix(".pub").write_bytes(key.public_text)
    except OSError as why:
        raise CannotBuildError(f"{file}: the builder's key cannot be written ({why.strerror}).") from None
    return key


def read_public(file: Path) -> tuple[PublicKey, bytes]:
    """Return a public key and its file's text. Raises CannotBuildError."""
    try:
        text = file.read_bytes()
        return read_key(text), text
    except (OSError, NotMinisignError) as why:
        seen = getattr(why, "strerror", None) or why
        raise CannotBuildError(f"{file}: this is no public key of minisign ({seen}). Name one.") from None


def sign(package: Path, key: BuilderKey, epoch: int) -> Path:
    """Write the signature beside a package, the same bytes each time; `epoch`: its time, in seconds since 1970."""
    digest = new_hash()
    digest.update(package.read_bytes())
    signed = _signed(digest.digest(), key)
    comment = f"timestamp:{epoch}\tfile:{package.name}\thashed".encode()
    lines = [
        f"untrusted comment: signature from minisign secret key {key.number}".encode(),
        base64.b64encode(b"ED" + key.id + signed),
        b"trusted comment: " + comment,
        base64.b64encode(_signed(signed + comment, key)),
    ]
    file = package.with_name(package.name + SUFFIX)
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    return file


def _signed(text: bytes, key: BuilderKey) -> bytes:
    return sodium.crypto_sign(text, key.secret)[:64]
