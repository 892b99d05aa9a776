"""The troubles that a station can have: for each one sentence, what to do, its weight, and the lamps' pattern.

The staff page, the display, the sheet, `/status.json` and `trapdial doctor` all take their sentences from here. Pure:
`find` gets the facts of a moment and returns the troubles in them. `pi_app.station.troubles.facts` gathers the facts.
"""

from __future__ import annotations

import enum
import errno
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from pi_app.station.troubles.lamp_patterns import LampPattern
from pi_app.text.language import N_, Words, listed

SLOW_NS: Final = 2_000_000_000
"""A disk that takes longer than this to save one event is slow."""

PLACE_LETTERS: Final = 60
"""The longest place that is named."""


class Weight(enum.IntEnum):
    """How much a trouble matters to visitors."""

    NOTE = 1
    """They notice nothing."""
    LESS = 2
    """Something is missing, and they play on."""
    STOPS = 3
    """Nobody can play, or nothing is saved."""


@dataclass(frozen=True, slots=True)
class Advice:
    """`seen`: what is wrong, in one sentence, with `{place}` where it names a part. `do`: what to try first. Both are
    in English, and are translated when they are shown."""

    seen: str
    do: str
    weight: Weight
    lamp: LampPattern


_AGAIN: Final = N_("Unplug the station, count to ten, plug it in. If this stays, put in the other card.")
_STOPS, _LESS, _NOTE = Weight.STOPS, Weight.LESS, Weight.NOTE
_READY, _STAFF, _UNPLUG = LampPattern.READY, LampPattern.STAFF, LampPattern.UNPLUG


class StationTrouble(enum.Enum):
    """Each trouble. Its name in small letters is what `/status.json` and `/metrics` call it."""

    RECOVERY = Advice(
        N_("The station stopped several times in a row, so it shows only its staff page and nobody can play."),
        N_("Unplug the station, count to ten, plug it in. If it stops again, put in the other card."),
        _STOPS,
        _UNPLUG,
    )
    BUS_STUCK = Advice(
        N_("No dial on bus {place} can be read."),
        N_("Unplug the station, count to ten, plug it in. If this stays, unplug square after square until it ends."),
        _STOPS,
        _UNPLUG,
    )
    PINS_OUT = Advice(N_("The lamps and buttons cannot be used."), _AGAIN, _STOPS, _UNPLUG)
    DISK_READ_ONLY = Advice(
        N_("The memory card fails: it can no longer be written."),
        N_("Put in the other card, and keep this one for the owner."),
        _STOPS,
        _STAFF,
    )
    DISK_FULL = Advice(
        N_("The memory card is full or nearly full."),
        N_("Put in the other card, or ask the owner to make room on this one."),
        _STOPS,
        _STAFF,
    )
    KEYS_LOST = Advice(
        N_("The keys of the record are missing or are not the right ones."),
        N_("Put the disk or stick with the keys back in. Then unplug the station, count to ten, plug it in."),
        _STOPS,
        _STAFF,
    )
    RECORD_DAMAGED = Advice(
        N_("The record of the games is damaged."),
        N_("Put in the other card. Keep this one for the owner, and delete nothing on it."),
        _STOPS,
        _STAFF,
    )
    MUX_MISSING = Advice(
        N_("The board {place} fails, so the dials behind it cannot be read."),
        N_("Push its plugs in. Then unplug the station, count to ten, plug it in."),
        _LESS,
        _UNPLUG,
    )
    UNDER_VOLTAGE = Advice(
        N_("The power supply is too weak."),
        N_("Use the power supply that came with the station, in a socket of its own."),
        _LESS,
        _STAFF,
    )
    DIAL_UNREAD = Advice(
        N_("No answer from dial {place}."),
        N_("Push the plug of that square in, at both ends of its cable. The other squares play on."),
        _LESS,
        _STAFF,
    )
    MAGNET_WEAK = Advice(
        N_("The magnet of dial {place} is too weak, too strong or missing."),
        N_("Press the wheel of that square down until it sits straight."),
        _LESS,
        _STAFF,
    )
    SCREEN_OUT = Advice(
        N_("The screen of seat {place} is out."),
        N_("Push the plug of that screen in. Its lamp shows everything meanwhile."),
        _LESS,
        _STAFF,
    )
    PORT_TAKEN = Advice(
        N_("Phones cannot join: port {place} cannot be opened."),
        N_("Unplug the station, count to ten, plug it in. If this stays, the settings need another port."),
        _LESS,
        _STAFF,
    )
    ACCESS_POINT_DOWN = Advice(
        N_("Phones cannot join: the station's own Wi-Fi is off."),
        N_("Unplug the station, count to ten, plug it in. Visitors can play without phones."),
        _LESS,
        _STAFF,
    )
    NO_ADDRESS = Advice(
        N_("Phones cannot join: the station is in no network."),
        N_("Check the shop's Wi-Fi and the network cable. Visitors can play without phones."),
        _LESS,
        _STAFF,
    )
    PAGES_DOWN = Advice(
        N_("Phones cannot join: the page process does not answer."),
        N_("Wait one minute: it starts again on its own. If this stays, unplug the station, count to ten, plug it in."),
        _LESS,
        _STAFF,
    )
    SETTINGS_BROKEN = Advice(
        N_("The settings have a mistake ({place}), so the last good ones are used."),
        N_("Correct the file trapdial.toml on the card's boot partition, then plug the station in again."),
        _LESS,
        _STAFF,
    )
    TOO_HOT = Advice(
        N_("The station is too warm and runs slowly."),
        N_("Give it air: take away what lies on it, and keep it out of the sun."),
        _LESS,
        _STAFF,
    )
    UPDATE_BACK = Advice(
        N_("The update did not start, so the version before it runs again."),
        N_("Nothing to do today. Send a report to the owner."),
        _NOTE,
        _STAFF,
    )
    DISK_SLOW = Advice(
        N_("The memory card is slow: saving took longer than two seconds."),
        N_("Nothing to do today. If this comes often, put in the other card."),
        _NOTE,
        _STAFF,
    )
    CLOCK_WRONG = Advice(
        N_("The station does not know the time, so it stays open all day."),
        N_("Connect it to a network once. Visitors notice nothing."),
        _NOTE,
        _READY,
    )
    HAND_OVER_WAITS = Advice(
        N_("The record waits for {place}."),
        N_("Nothing to do today. If this stays for a day, send a report to the owner."),
        _NOTE,
        _READY,
    )

    @property
    def code(self) -> str:
        """The name for programs, such as `disk_full`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class TroubleFound:
    """One trouble now. `places`: the parts that have it, such as squares or seats; empty if it names none."""

    trouble: StationTrouble
    places: tuple[str, ...] = ()

    def seen(self, words: Words) -> str:
        """The sentence in a language."""
        return words(self.trouble.value.seen).format(place=self.place(words))

    def do(self, words: Words) -> str:
        """What to do, in a language."""
        return words(self.trouble.value.do)

    def place(self, words: Words) -> str:
        """The places in a language, such as `T02 and T04`, of at most PLACE_LETTERS letters."""
        text = listed(self.places, words)
        return text if len(text) <= PLACE_LETTERS else f"{text[: PLACE_LETTERS - 2]} …"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the program knows at one moment. Nothing of it depends on where a dial stands.

    `unread`: dials that give no angle, by square; the value names the board or the bus that is to blame, such as
    `mux 0x70` or `bus main`, or is empty. `magnets`: squares. `screens`: seats whose screen is out. `machine`: the
    names that `pi_app.play.power.troubles` gives. `refused`: why the disk refused the last event
    (`NotRecordedError.cause`), or empty. `write_ns`: how long the last event took to save. `needs_clock`: whether
    opening hours are set. `hand_over_waits`: the names of the centre and of witnesses that do not get what they should.
    `lasting`: what was found at the start."""

    unread: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    magnets: tuple[str, ...] = ()
    screens: tuple[str, ...] = ()
    machine: frozenset[str] = frozenset()
    refused: str = ""
    write_ns: int = 0
    keys_gone: bool = False
    pages_down: bool = False
    access_point_down: bool = False
    no_address: bool = False
    needs_clock: bool = False
    settings_mistake: str = ""
    recovery: bool = False
    update_back: bool = False
    hand_over_waits: tuple[str, ...] = ()
    lasting: tuple[TroubleFound, ...] = ()


def find(facts: Facts) -> tuple[TroubleFound, ...]:
    """Return the troubles, each once, the one that matters most first."""
    found: dict[StationTrouble, tuple[str, ...]] = {}
    for each in (*facts.lasting, *_parts(facts), *_disk(facts), *_machine(facts), *_phones(facts)):
        before = found.get(each.trouble, ())
        found[each.trouble] = (*before, *(place for place in each.places if place not in before))
    return tuple(TroubleFound(trouble, found[trouble]) for trouble in sorted(found, key=_rank))


def lamp(found: Iterable[TroubleFound]) -> LampPattern:
    """Return the pattern of the lamps: of the trouble that asks for most."""
    patterns = {each.trouble.value.lamp for each in found}
    return next((each for each in (_UNPLUG, _STAFF) if each in patterns), _READY)


def _rank(trouble: StationTrouble) -> tuple[int, int]:
    return -trouble.value.weight, [*StationTrouble].index(trouble)


def _parts(facts: Facts) -> Iterator[TroubleFound]:
    for square, blamed in facts.unread.items():
        kind, _, name = blamed.partition(" ")
        match kind:
            case "bus":
                yield TroubleFound(StationTrouble.BUS_STUCK, (name,))
            case "":
                yield TroubleFound(StationTrouble.DIAL_UNREAD, (square,))
            case _:
                yield TroubleFound(StationTrouble.MUX_MISSING, (blamed,))
    if facts.magnets:
        yield TroubleFound(StationTrouble.MAGNET_WEAK, facts.magnets)
    if facts.screens:
        yield TroubleFound(StationTrouble.SCREEN_OUT, facts.screens)


def _disk(facts: Facts) -> Iterator[TroubleFound]:
    kind, _, number = facts.refused.partition(" ")
    if facts.keys_gone or (kind == "keys" and number not in (*FULL, *READ_ONLY)):
        yield TroubleFound(StationTrouble.KEYS_LOST)
    elif "disk full" in facts.machine or number in FULL:
        yield TroubleFound(StationTrouble.DISK_FULL)
    elif facts.refused or facts.machine & {"disk read-only", "disk gone"}:
        yield TroubleFound(StationTrouble.DISK_READ_ONLY)
    elif facts.write_ns >= SLOW_NS:
        yield TroubleFound(StationTrouble.DISK_SLOW)


FULL: Final = (str(errno.ENOSPC), str(errno.EDQUOT))
"""The numbers in a refusal's cause for a disk without room."""

READ_ONLY: Final = (str(errno.EROFS), str(errno.EIO))
"""Those for a disk that cannot be written."""


def _machine(facts: Facts) -> Iterator[TroubleFound]:
    if "throttled bit 0" in facts.machine:
        yield TroubleFound(StationTrouble.UNDER_VOLTAGE)
    elif facts.machine & {"heat", "throttled bit 1", "throttled bit 2", "throttled bit 3"}:
        yield TroubleFound(StationTrouble.TOO_HOT)
    if "date" in facts.machine and facts.needs_clock:
        yield TroubleFound(StationTrouble.CLOCK_WRONG)
    if facts.settings_mistake:
        yield TroubleFound(StationTrouble.SETTINGS_BROKEN, (facts.settings_mistake,))
    if facts.recovery:
        yield TroubleFound(StationTrouble.RECOVERY)
    if facts.update_back:
        yield TroubleFound(StationTrouble.UPDATE_BACK)
    if facts.hand_over_waits:
        yield TroubleFound(StationTrouble.HAND_OVER_WAITS, facts.hand_over_waits)


def _phones(facts: Facts) -> Iterator[TroubleFound]:
    """A station without a network has no other trouble with phones to name."""
    if facts.access_point_down:
        yield TroubleFound(StationTrouble.ACCESS_POINT_DOWN)
    elif facts.no_address:
        yield TroubleFound(StationTrouble.NO_ADDRESS)
    elif facts.pages_down:
        yield TroubleFound(StationTrouble.PAGES_DOWN)
