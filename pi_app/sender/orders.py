"""What the sender's process is told, what it says, and the file in which the table's staff finds its trouble."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.journal.record.words import when
from pi_app.text.language import Words
from pi_app.text.plain_file import read_plain
from pi_app.text.private_files import replace_file

SENDING: Final = ".sending"
"""The end of the name of the file beside a journal that says how the hand-over goes."""

AGAIN: Final = 0
LEFT_OUT: Final = 3
"""How the process ends: another record or other files are there; or this past record cannot be handed over now."""

MOST_BYTES: Final = 65_536
"""Of what it says at once: MOST_TROUBLES of the longest."""

MOST_TROUBLES: Final = 8

Said = Annotated[str, Meta(max_length=400)]


class SenderOrders(msgspec.Struct, frozen=True, kw_only=True):
    """What to hand over. `address` and `key`: of the centre, both empty without one. `authority`: a file with the
    certificate that signs the centre's, or empty. `left_out`: past records that cannot be handed over now. `seed`: of
    the device's key in hex, if its file is encrypted. `spread`: whether the first try waits a random while, since a
    power cut may have switched many tables on together."""

    journal: str
    address: str = ""
    key: str = ""
    authority: str = ""
    left_out: tuple[str, ...] = ()
    seed: str = ""
    spread: bool = True

    def __repr__(self) -> str:
        return f"SenderOrders({self.journal})"


class SenderTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why the centre, or the witness with this `name`, does not get what it should. `sentence`: an English one for the
    staff, which is translated before its blanks `{why}`, `{name}` and `{since}` are filled. `since_s`: since when, in
    POSIX seconds, if the sentence says that."""

    sentence: Said
    why: Said = ""
    name: Said = ""
    since_s: Annotated[int, Meta(ge=0, le=2**53)] = 0

    def text(self, words: Words) -> str:
        """The trouble in a language. What came over a network is printed as letters alone."""
        try:
            said = words(self.sentence).format(why=self.why, name=self.name, since=when(self.since_s))
        except (LookupError, ValueError, AttributeError):
            said = self.why
        return "".join(letter for letter in said if letter.isprintable())


class SenderSays(msgspec.Struct, frozen=True, kw_only=True):
    """How it goes now. `troubles`: the centre's, then those of witnesses. `confined`: whether the process can open no
    other file than it needs. `left_out`: a past record that it gives up for now."""

    troubles: Annotated[tuple[SenderTrouble, ...], Meta(max_length=MOST_TROUBLES)] = ()
    confined: bool = True
    left_out: Said = ""

    def sentences(self, words: Words) -> tuple[str, ...]:
        """Return each trouble in a language."""
        return tuple(each.text(words) for each in self.troubles)


_decoder: Final = msgspec.json.Decoder(SenderSays)


def said_in(line: bytes) -> SenderSays | None:
    """Return what a line of the sender's process says; None for anything else."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def sending_file(journal: Path) -> Path:
    """Return the file that says how the hand-over of a journal goes."""
    return journal.with_name(journal.name + SENDING)


def keep_said(journal: Path, said: SenderSays | None) -> None:
    """Write how it goes, or remove what was written. Raises OSError."""
    if said is None:
        sending_file(journal).unlink(missing_ok=True)
    else:
        replace_file(sending_file(journal), msgspec.json.encode(said))


def kept_said(journal: Path) -> SenderSays | None:
    """Return how the hand-over of a journal goes; None if nothing is handed over, or it cannot be read."""
    try:
        return said_in(read_plain(sending_file(journal), MOST_BYTES))
    except OSError:
        return None
