"""The update that the staff ask for: what the stick has, who signed it, and the order to install just that.

The table reads the signature alone, which is short. The service manager's program, which may write to the program's
own folders, reads and checks the package, and keeps the reason if it refuses.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.host import Host
from pi_app.station.staff.stick import PACKAGE, packages
from pi_app.station.updates.minisign import PublicKey
from pi_app.station.updates.refusals import PackageRefusedError, Refusal, last_refusal
from pi_app.station.updates.trees import on_trial
from pi_app.station.updates.trust import Trust, read_signature
from pi_app.text.errors import UserFileError
from pi_app.text.language import N_, Words
from pi_app.text.private_files import replace_file

OFFER: Final = N_(
    "Version {version} is on the stick, signed by the builder of this station (key {key}). Version {program} runs now."
)
INSTALL: Final = N_("Install version {version}")
UPDATE_BEGINS: Final = N_("The update begins. In two minutes look here for the number of the version that runs.")
NO_PACKAGE: Final = N_("There is no USB stick with a Trapdial package. Plug one in, wait ten seconds, and try again.")
NOT_ASKED: Final = N_("The update could not begin. Unplug the station, count to ten, plug it in, and try again.")
ON_TRIAL: Final = N_("An update is being tried out. Wait two minutes, and try again.")
LAST: Final = N_("The last update from a stick was refused.")
SEVERAL: Final = N_("The stick has several packages: {names}. Leave only the right one on it, and try again.")
REFUSED: Final = {
    Refusal.UNSIGNED: N_("The package has no signature. Copy the file whose name ends in .minisig to the stick too."),
    Refusal.NO_BUILDER: N_("This station does not know its builder, so no stick can update it. Ask the owner."),
    Refusal.OTHER_SIGNER: N_("Somebody else signed this package, not the builder of this station. Ask the owner."),
    Refusal.DAMAGED: N_("The package is damaged. Copy it and the file .minisig to the stick again."),
    Refusal.OTHER_MACHINE: N_("This package is not for this machine. Ask the owner for the right one."),
    Refusal.OLDER: N_("This version is older than the one that runs. Only the owner can go back to it."),
    Refusal.SEVERAL: N_("The stick has several packages. Leave only the right one on it, and try again."),
    Refusal.CHANGED: N_("The stick has another package now. Look again at what is on it."),
    Refusal.FAILED: N_("The update cannot be installed. Send a report to the owner."),
}
MOST_NAMES: Final = 3


@dataclass(frozen=True, slots=True)
class Offer:
    """What the page shows of a stick. `token`: confirms this package and no other; empty if there is none to install,
    and then `button` is empty too."""

    sentence: str
    token: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StickUpdate:
    """Updates of one station. `request`: the file that asks the service manager; `home`: of the trees; `builder`: whose
    packages are installed; `program`: the version that runs."""

    host: Host
    request: Path
    home: Path
    builder: Callable[[], PublicKey | None]
    program: str

    def offer(self, words: Words) -> Offer:
        """Return what a stick has to install, or why nothing on it can be."""
        on_sticks = packages(self.host)
        if not on_sticks:
            return Offer(words(NO_PACKAGE))
        if len(on_sticks) > 1:
            names = [package.name for package in on_sticks[:MOST_NAMES]]
            more = ", …" if len(on_sticks) > MOST_NAMES else ""
            return Offer(words(SEVERAL).format(names=", ".join(names) + more))
        try:
            signature = read_signature(on_sticks[0], Trust(self.builder()))
        except PackageRefusedError as refused:
            return Offer(words(REFUSED[refused.why]))
        except UserFileError:
            return Offer(words(REFUSED[Refusal.DAMAGED]))
        named = PACKAGE.fullmatch(signature.file_name)
        if named is None:
            return Offer(words(REFUSED[Refusal.DAMAGED]))
        sentence = words(OFFER).format(version=named[1], key=signature.number, program=self.program)
        token = base64.b64encode(signature.signed).decode()
        return Offer(sentence, token, words(INSTALL).format(version=named[1]))

    def begin(self, token: str, words: Words) -> str:
        """Ask for the update that the staff have confirmed; return a sentence about it."""
        if on_trial(self.home):
            return words(ON_TRIAL)
        offer = self.offer(words)
        if not offer.token:
            return offer.sentence
        if not hmac.compare_digest(offer.token.encode(), token.encode()):
            return words(REFUSED[Refusal.CHANGED])
        try:
            replace_file(self.request, token.encode())
        except OSError:
            return words(NOT_ASKED)
        return words(UPDATE_BEGINS)

    def last(self, words: Words) -> str:
        """Return why the last update that was asked for was refused; empty if it was not."""
        why = last_refusal(self.home)
        return "" if why is None else f"{words(LAST)} {words(REFUSED[why])}"
