"""Whose packages a station installs: those that its builder signed. A package itself is not read here."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.station.updates import minisign
from pi_app.station.updates.refusals import PackageRefusedError, Refusal
from pi_app.text.plain_file import read_plain, refusal

BY_HAND: Final = "Install the package with `sudo apt install ./FILE.deb` if you trust who made it"
_REQUEST_BYTES: Final = 100


@dataclass(frozen=True, slots=True)
class Trust:
    """Which packages are installed: those that `builder` signed; None: none. `asked`: only the package with this
    signature, which the staff have confirmed; `older`: also a version before the one that runs."""

    builder: minisign.PublicKey | None
    asked: bytes | None = None
    older: bool = False


def read_signature(package: Path, trust: Trust) -> minisign.Signature:
    """Return the signature beside a package, whose trusted comment this builder has signed.

    Raises PackageRefusedError if there is none that is trusted; the package itself is not read."""
    if trust.builder is None:
        seen = "this program was built without a builder's key, so it can trust no package"
        raise PackageRefusedError.because(Refusal.NO_BUILDER, str(package), seen, BY_HAND)
    file = package.with_name(package.name + minisign.SUFFIX)
    try:
        signature = minisign.read_signature(read_plain(file, minisign.MOST_BYTES))
    except minisign.NotMinisignError as why:
        advice = "Sign the package again with `make deb` or minisign, and copy both files"
        raise PackageRefusedError.because(Refusal.DAMAGED, str(file), str(why), advice) from None
    except FileNotFoundError:
        seen, advice = "the package has no signature beside it", f"Copy {file.name} there too"
        raise PackageRefusedError.because(Refusal.UNSIGNED, str(package), seen, advice) from None
    except OSError as trouble:
        raise refusal(str(file), trouble, "Copy it again") from None
    if signature.number != trust.builder.number:
        seen = f"it is signed with the key {signature.number}, and this station's builder has {trust.builder.number}"
        raise PackageRefusedError.because(Refusal.OTHER_SIGNER, str(package), seen, BY_HAND)
    if not minisign.is_comment_signed(signature, trust.builder):
        seen = "it is damaged, or was changed after it was signed"
        raise PackageRefusedError.because(Refusal.DAMAGED, str(file), seen, "Copy it again from where it was made")
    return signature


def read_request(file: Path) -> bytes:
    """Return the signature of the package that the staff have confirmed. Raises PackageRefusedError."""
    try:
        return base64.b64decode(read_plain(file, _REQUEST_BYTES), validate=True)
    except (OSError, binascii.Error):
        seen, advice = "it does not say which package was confirmed", "Ask for the update on the staff page again"
        raise PackageRefusedError.because(Refusal.FAILED, str(file), seen, advice) from None
