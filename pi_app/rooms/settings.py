"""`rooms.toml`: the wires as in `trapdial.toml`, and instead of squares and seats, rooms and players.

The wires are checked by the same rules. Below the game a room is a square whose dial has four positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from hardware.encoders import ENCODERS
from pi_app.game.events import Ruleset as TrapRules
from pi_app.game.trap_table import Face, TrapTable
from pi_app.rooms import events as ev
from pi_app.rooms.state import QUARTERS
from pi_app.settings.hubs import HubSettings, check_hubs, read_hub
from pi_app.settings.load import check_unique, read_bus
from pi_app.settings.model import (
    AnyChannel,
    BusSettings,
    EncoderAddress,
    EncoderChip,
    Gpio,
    Language,
    MuxAddress,
    Name,
    ScreenSettings,
    SeatSettings,
    Settings,
    ShortText,
    SquareSettings,
    TableSettings,
)
from pi_app.settings.record_section import RecordSettings
from pi_app.settings.sections import Good, parts, read_section
from pi_app.settings.wiring_checks import check_wiring
from pi_app.text.errors import UserFileError
from pi_app.text.suggest import one_of
from pi_app.text.user_file import (
    NO_SUCH_FILE,
    Complaints,
    built,
    check_keys,
    errors_of,
    read_text,
    read_toml,
    read_values,
)

FOUR_POSITIONS: Final = TrapTable(
    name="a room",
    provenance="transcribed",
    clicks=QUARTERS,
    faces=tuple(Face(position=position, kind="clear") for position in range(QUARTERS)),
)
"""A room has no trap; the wiring takes the number of clicks from a trap table."""


class _RoomRow(msgspec.Struct, kw_only=True):
    pair: Annotated[int, Meta(ge=1, le=50, description="the number on its gear, from 1 to 50")]
    arrow: Annotated[Literal["clockwise", "counterclockwise"], Meta(description="'clockwise' or 'counterclockwise'")]
    bus: ShortText | None = None
    hub: ShortText | None = None
    mux: MuxAddress | None = None
    channel: AnyChannel | None = None
    chip: EncoderChip = "as5600"
    address: EncoderAddress | None = None
    invert: bool = False


class _PlayerRow(msgspec.Struct, kw_only=True):
    name: Name
    language: Language | None = None
    button_gpio: Gpio | None = None
    screen: dict[str, Any] | None = None


class _RulesRow(msgspec.Struct, kw_only=True):
    reveal: Annotated[Literal["zero", "stands"], Meta(description="'zero' or 'stands'")] = "zero"
    first_cycle: Annotated[Literal["both", "own"], Meta(description="'both' or 'own'")] = "both"
    combat_cards: Annotated[
        list[Annotated[int, Meta(ge=0, le=9)]], Meta(description="a list of whole numbers from 0 to 9")
    ] = []
    other_sources: Annotated[
        list[ev.OtherSource], Meta(description="a list of some of " + ", ".join(map(repr, ev.OTHER_SOURCES)))
    ] = msgspec.field(default_factory=lambda: [*ev.OTHER_SOURCES])


class _CharacterRow(msgspec.Struct, kw_only=True):
    speed: Annotated[int, Meta(ge=1, le=20, description="squares from 1 to 20 (D-MOV-1)")]
    combat: Annotated[int, Meta(ge=0, le=20, description="a combat value from 0 to 20 (D-CMB-2)")]


class _ObjectRow(msgspec.Struct, kw_only=True):
    activated: bool = False
    attack: Annotated[int, Meta(ge=0, le=9, description="from 0 to 9")] = 0
    defence: Annotated[int, Meta(ge=0, le=9, description="from 0 to 9")] = 0


COMBAT_CARDS: Final = 9
"""Combat cards of each player (D-CRD-6)."""


@dataclass(frozen=True, slots=True)
class RoomSettings:
    """The whole of a `rooms.toml`. `wires`: the settings that `play.build` uses; `languages`: those of the
    players, each once."""

    wires: Settings
    ruleset: ev.Ruleset
    rooms: tuple[ev.RoomSetup, ...]
    players: tuple[ev.PlayerSetup, ...]
    languages: tuple[str, ...]
    characters: tuple[ev.CharacterSetup, ...] = ()
    objects: tuple[ev.ObjectSetup, ...] = ()


NO_SETTINGS: Final = f"{NO_SUCH_FILE}, or write a file to start from with: trapdial rooms example > rooms.toml"


NO_PAGES: Final = "a table of rooms has no pages for phones, and opens no port; remove this section"


def load(path: Path) -> RoomSettings:
    """Return the settings in a file. Raises UserFileError with every error in it."""
    return parse(read_text(path, NO_SETTINGS), str(path))


def parse(text: str, where: str) -> RoomSettings:
    """Return the settings in a text. Raises UserFileError with every error in it."""
    complaints = Complaints(where)
    raw = read_toml(text, complaints)
    read = None if raw is None else _read(raw, complaints)
    errors = errors_of(complaints.found)
    if read is None or errors:
        raise UserFileError([_of_rooms(str(problem)) for problem in errors])
    return read


def _of_rooms(problem: str) -> str:
    """Return a complaint about wires with the words of this file."""
    return (
        problem.replace("[square.", "[room.")
        .replace("[seat.", "[player.")
        .replace("no square hangs on it", "no room hangs on it")
    )


def _read(raw: Mapping[str, object], complaints: Complaints) -> RoomSettings | None:
    if "pages" in raw:
        complaints.error("[pages]", "", NO_PAGES)
    raw = {key: part for key, part in raw.items() if key != "pages"}
    check_keys(raw, ("table", "rules", "record", "bus", "hub", "room", "player", "character", "object"), "", complaints)
    table = read_section(TableSettings, raw, "table", complaints)
    rules = read_section(_RulesRow, raw, "rules", complaints)
    record = read_section(RecordSettings, raw, "record", complaints)
    hubs = {name: read_hub(name, part, complaints) for name, part in parts(raw, "hub", complaints, least=0)}
    least = 0 if hubs else 1
    buses = {name: read_bus(name, part, complaints) for name, part in parts(raw, "bus", complaints, least)}
    rooms = {label: _read_room(label, part, complaints) for label, part in parts(raw, "room", complaints, least=2)}
    characters = _tokens(_CharacterRow, "character", raw, complaints)
    objects = _tokens(_ObjectRow, "object", raw, complaints)
    players = {key: _read_player(key, part, complaints) for key, part in parts(raw, "player", complaints, least=2)}
    seated = {key: good for key, good in players.items() if "screen" in good and "button_gpio" in good}
    _check_names(rooms, players, complaints)
    _check_tokens(players, characters, objects, complaints)
    _check_combat_cards(rules, complaints)
    check_wiring(table, buses, rooms, seated, complaints)
    check_hubs(hubs, rooms, complaints)
    if errors_of(complaints.found):
        return None
    called = {key: built(_PlayerRow, good) for key, good in players.items()}
    settled = built(TableSettings, table)
    rows = {label: built(_RoomRow, good) for label, good in rooms.items()}
    _check_pairs(rows, complaints)
    return RoomSettings(
        wires=Settings(
            where=complaints.file,
            table=settled,
            ruleset=TrapRules(),
            buses=MappingProxyType({name: built(BusSettings, good) for name, good in buses.items()}),
            squares=MappingProxyType({label: _square(label, row) for label, row in rows.items()}),
            seats=MappingProxyType({key: _seat(key, called[key], settled.language) for key in seated}),
            warnings=tuple(complaints.found),
            hubs=MappingProxyType({name: built(HubSettings, good) for name, good in hubs.items()}),
            record=built(RecordSettings, record),
        ),
        ruleset=_ruleset(built(_RulesRow, rules)),
        rooms=tuple(ev.RoomSetup(label=label, table=plan(row)) for label, row in rows.items()),
        players=tuple(ev.PlayerSetup(seat=key, name=row.name) for key, row in called.items()),
        languages=tuple(dict.fromkeys(row.language or settled.language for row in called.values())),
        characters=tuple(_character(kind, built(_CharacterRow, good)) for kind, good in characters.items()),
        objects=tuple(_object(name, built(_ObjectRow, good)) for name, good in objects.items()),
    )


def _read_room(label: str, part: Mapping[str, object], complaints: Complaints) -> Good:
    place = f"[room.{label}]"
    if not part.keys() & {"bus", "hub"}:
        complaints.error(place, "", "names no `bus` and no `hub`; its dial hangs on one of them")
    good = read_values(_RoomRow, part, place, complaints)
    chip = str(good.get("chip", "as5600"))
    if not ENCODERS[chip].absolute:
        fit = one_of(name for name, kind in ENCODERS.items() if kind.absolute)
        complaints.error(place, f"chip = {chip!r}", f"it only counts steps; a room's encoder is {fit}")
    return good


def _read_player(key: str, part: Mapping[str, object], complaints: Complaints) -> Good:
    """Read a player's name, and the button and screen with which combat cards are chosen."""
    place = f"[player.{key}]"
    good = read_values(_PlayerRow, part, place, complaints)
    screen = good.get("screen")
    if isinstance(screen, dict):
        good["screen"] = read_values(ScreenSettings, screen, f"[player.{key}.screen]", complaints)
    if len(part.keys() & {"button_gpio", "screen"}) == 1:
        complaints.error(place, "", "has a button or a screen alone; a combat card is chosen with both")
    return good


def _seat(key: str, row: _PlayerRow, language: str) -> SeatSettings:
    return SeatSettings(
        key=key,
        name=row.name,
        language=row.language or language,
        button_gpio=row.button_gpio or 0,
        lamp_gpio=None,
        screen=built(ScreenSettings, row.screen or {}),
    )


def _tokens(
    kind: type[msgspec.Struct], section: str, raw: Mapping[str, object], complaints: Complaints
) -> dict[str, Good]:
    return {
        name: read_values(kind, part, f"[{section}.{name}]", complaints)
        for name, part in parts(raw, section, complaints, least=0)
    }


def _check_tokens(
    players: Mapping[str, Good],
    characters: Mapping[str, Good],
    objects: Mapping[str, Good],
    complaints: Complaints,
) -> None:
    """Check that commands can tell players, characters and objects apart, in any case."""
    seen: dict[str, str] = {}
    for key, good in players.items():
        seen |= dict.fromkeys((key.casefold(), str(good.get("name", key)).casefold()), f"[player.{key}]")
    for section, names in (("character", characters), ("object", objects)):
        for name in names:
            check_unique(f"[{section}.{name}]", "name", name, seen, complaints)


def _check_combat_cards(rules: Good, complaints: Complaints) -> None:
    """Check that there are nine, one of them +0 (D-CMB-4, D-CRD-6)."""
    cards, followed = rules.get("combat_cards"), rules.get("other_sources", ev.OTHER_SOURCES)
    if not isinstance(cards, list) or not cards:
        return
    if len(cards) != COMBAT_CARDS and isinstance(followed, list | tuple) and "D-CRD-6" in followed:
        reason = (
            f"a player has {COMBAT_CARDS} combat cards (D-CRD-6, from another source); `other_sources` leaves it out"
        )
        complaints.error("[rules]", f"combat_cards = {cards}", reason)
    if cards.count(0) != 1:
        complaints.error("[rules]", f"combat_cards = {cards}", "one card, and only one, is +0 (D-CMB-4)")


def _ruleset(row: _RulesRow) -> ev.Ruleset:
    return ev.Ruleset(
        reveal=row.reveal,
        first_cycle=row.first_cycle,
        combat_cards=tuple(sorted(row.combat_cards)),
        other_sources=tuple(rule for rule in ev.OTHER_SOURCES if rule in row.other_sources),
    )


def _character(kind: str, row: _CharacterRow) -> ev.CharacterSetup:
    return ev.CharacterSetup(kind=kind, speed=row.speed, value=row.combat)


def _object(name: str, row: _ObjectRow) -> ev.ObjectSetup:
    return ev.ObjectSetup(name=name, activated=row.activated, attack=row.attack, defence=row.defence)


def _check_names(rooms: Mapping[str, Good], players: Mapping[str, Good], complaints: Complaints) -> None:
    """Check that names are unique: commands find rooms and players by name, in any case."""
    labels: dict[str, str] = {}
    called: dict[str, str] = {}
    for label in rooms:
        check_unique(f"[room.{label}]", "label", label, labels, complaints)
    for key, good in players.items():
        for what, word in (("key", key), ("name", str(good.get("name", key)))):
            check_unique(f"[player.{key}]", what, word, called, complaints)


def plan(row: _RoomRow) -> ev.RoomPlan:
    """Return the print of a room."""
    return ev.RoomPlan(pair=row.pair, arrow=1 if row.arrow == "clockwise" else -1)


def _check_pairs(rows: Mapping[str, _RoomRow], complaints: Complaints) -> None:
    """Check that the rooms of a pair turn in opposite directions (D-ROT-4, D-AUD-10)."""
    for label, row in rows.items():
        others = {name: other for name, other in rows.items() if other.pair == row.pair and name != label}
        if len(others) != 1:
            reason = f"{len(others)} other rooms have this number; a pair is two rooms (D-ROT-4)"
            complaints.error(f"[room.{label}]", f"pair = {row.pair}", reason)
        for name, other in others.items():
            if other.arrow == row.arrow and len(others) == 1:
                reason = f"[room.{name}] is its pair and has the same arrow; they turn opposite ways (D-AUD-10)"
                complaints.error(f"[room.{label}]", f"arrow = {row.arrow!r}", reason)


def _square(label: str, row: _RoomRow) -> SquareSettings:
    return SquareSettings(
        label=label,
        bus=row.bus,
        mux=row.mux,
        channel=row.channel,
        chip=row.chip,
        address=ENCODERS[row.chip].address if row.address is None else row.address,
        steps_per_click=1,
        invert=row.invert,
        table=FOUR_POSITIONS,
        hub=row.hub,
    )


def example() -> str:
    """Return the example table of eight rooms (D-ROT-14)."""
    return Path(__file__).parent.with_name("settings").joinpath("examples", "rooms-8.toml").read_text(encoding="utf-8")
