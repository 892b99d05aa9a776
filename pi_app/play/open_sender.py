"""Starts the process that hands the record over, if [centre] in the settings asks for it, and asks pinned witnesses.

It reports their trouble.
A table without [centre] and without a witness to ask never imports this: nothing leaves it then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pi_app.journal import JournalFileError, Stamp, keys_of
from pi_app.journal.cosigned import PinnedWitness, asks_witnesses, cosigner_key, pin, pinned
from pi_app.journal.record.keys import KeyFileError
from pi_app.play.witnessed_clock import WitnessedClock
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders, SenderSays, kept_said
from pi_app.sender.web_address import web_address
from pi_app.settings.model import Settings
from pi_app.text.language import N_, Words

HAND_OVER: Final = N_("hand-over: {said}")
AGAIN: Final = N_("hand-over: it works again.")
NOT_CONFINED: Final = N_(
    "hand-over: this system has no Landlock, so the process that talks to the centre could open other files of this "
    "user, also the key of the running game. Play goes on."
)


def sender_orders(settings: Settings, journal: Path) -> SenderOrders | None:
    """Return what is to be handed over of this journal, or that only witnesses are asked; None without either."""
    if settings.centre is None:
        return SenderOrders(journal=str(journal.absolute())) if asks_witnesses(journal) else None
    centre = settings.centre
    authority = settings.beside(centre.authority).absolute() if centre.authority else ""
    return SenderOrders(
        journal=str(journal.absolute()), address=web_address(centre.address), key=centre.key, authority=str(authority)
    )


@contextlib.contextmanager
def handing_over(settings: Settings, journal: Path) -> Iterator[None]:
    """Hand the record over in a process of its own until the end, if the settings name a centre, and ask witnesses.
    Nothing here waits for it, and no trouble of its is raised."""
    orders = sender_orders(settings, journal)
    if orders is None:
        yield
        return
    pin_centre(journal, orders.key)
    keeper = SenderKeeper(orders, lambda: seed_of(journal))
    try:
        yield
    finally:
        keeper.close()


def witnessed_stamp(settings: Settings, journal: Path, machine: Callable[[], Stamp]) -> Callable[[], Stamp]:
    """Return what gives the time of entries: the machine, but no date that the settings' centre shows to be past."""
    if settings.centre is None:
        return machine
    return WitnessedClock(journal, cosigner_key(settings.centre.key), machine)


def pin_centre(journal: Path, key: str) -> None:
    """Pin the centre, if there is one, as a witness, so that `trapdial journal verify` names it; a witness of this name
    that is pinned stays as it is. A disk that refuses it changes nothing for play."""
    with contextlib.suppress(JournalFileError, ValueError):
        if key and cosigner_key(key).name not in {each.verifier.name for each in pinned(journal)}:
            pin(journal, PinnedWitness(key=key))


def seed_of(journal: Path) -> bytes:
    """Return the seed of the device's key if its file is encrypted with a passphrase, which was asked for; else
    nothing."""
    with contextlib.suppress(KeyFileError):
        ring = keys_of(journal)
        key = ring.known_device() if ring.is_locked else None
        return b"" if key is None else key.seed
    return b""


class SenderNotices:
    """Reports each trouble of the hand-over once, and once when all are over."""

    def __init__(self, journal: Path, words: Words) -> None:
        self._journal, self._words = journal, words
        self._reported = SenderSays()

    def poll(self) -> Sequence[str]:
        """Return what changed since the last call."""
        said = kept_said(self._journal)
        if said is None:
            return ()
        notices = []
        if not said.confined and self._reported.confined:
            notices.append(self._words(NOT_CONFINED))
        sentences, before = said.sentences(self._words), self._reported.sentences(self._words)
        notices += [self._words(HAND_OVER).format(said=each) for each in sentences if each not in before]
        if before and not sentences:
            notices.append(self._words(AGAIN))
        self._reported = said
        return notices
