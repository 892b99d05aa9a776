"""What a table signs to be enrolled: the code, the centre and the centre's fresh challenge, as a text of its own kind.

So nothing else that a device has signed enrols it, whoever has that, and an enrolment at one centre is none at another.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.journal.record.checkpoints import device_of, origin_of
from pi_app.journal.record.keys import SIGNATURE_BYTES, DeviceKey, signed_by
from pi_app.journal.record.notes import LONGEST_NAME, VerifierKey

LONGEST_CODE: Final = 40
LONGEST_CHALLENGE: Final = 200

LOOK_ALIKE: Final = str.maketrans("018", "OIB")
_CHALLENGE: Final = re.compile(rf"[0-9a-f]{{32,{LONGEST_CHALLENGE}}}")


class Enrolment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a request. `code`: as it was typed; `signature`: in hex, by the device of the origin."""

    enrolment: Literal[1] = 1
    code: Annotated[str, Meta(max_length=LONGEST_CODE)]
    origin: Annotated[str, Meta(max_length=LONGEST_NAME)]
    challenge: Annotated[str, Meta(max_length=LONGEST_CHALLENGE)]
    signature: Annotated[str, Meta(pattern=rf"\A[0-9a-f]{{{2 * SIGNATURE_BYTES}}}\Z")]

    def is_signed(self, centre: VerifierKey) -> bool:
        """Return whether the origin's device has signed this enrolment for this centre."""
        device = device_of(self.origin)
        text = _enrolling(centre, self.code, self.challenge)
        return device is not None and signed_by(device, text, bytes.fromhex(self.signature))


def code_letters(code: str) -> str:
    """Return the letters of a code. Small letters, spaces and dashes do not matter, and 0, 1 and 8, which no code has,
    are the letters that look like them."""
    return "".join(letter for letter in code.upper() if letter.isascii() and letter.isalnum()).translate(LOOK_ALIKE)


def is_challenge(text: str) -> bool:
    """Return whether a centre may have made this challenge. A device signs no other."""
    return _CHALLENGE.fullmatch(text) is not None


def sign_enrolment(key: DeviceKey, centre: VerifierKey, code: str, challenge: str) -> Enrolment:
    """Sign an enrolment at a centre. Raises ValueError for a challenge that no centre makes: whoever answers is not to
    choose what else is signed."""
    if not is_challenge(challenge):
        raise ValueError("it is no challenge of a centre")
    letters = code_letters(code)[:LONGEST_CODE]
    signature = key.sign(_enrolling(centre, letters, challenge)).hex()
    return Enrolment(code=letters, origin=origin_of(key.public), challenge=challenge, signature=signature)


def read_enrolment(body: bytes) -> Enrolment:
    """Read the body of a request; it is not checked yet. Raises ValueError with the reason."""
    try:
        return _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _enrolling(centre: VerifierKey, code: str, challenge: str) -> bytes:
    return f"trapdial enrol 1\n{centre.text()}\n{code_letters(code)}\n{challenge}\n".encode()


_decoder: Final = msgspec.json.Decoder(Enrolment)
