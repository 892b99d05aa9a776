"""`rooms.toml`: the wires as in `trapdial.toml`, and instead of squares and seats, rooms and players.

The wires are checked by the same rules. Below the game a room is a square whose dial has four positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from hardware.encoders import ENCODERS
from pi_app.game.events import Ruleset as TrapRules
from pi_app.game.trap_table import Face, TrapTable
from pi_app.rooms import events as ev
from pi_app.rooms.game import QUARTERS
from pi_app.settings import load as wires
from pi_app.settings.model import (
    BusSettings,
    EncoderAddress,
    Language,
    MuxAddress,
    MuxChannel,
    Name,
    Settings,
    ShortText,
    SquareSettings,
    TableSettings,
)
from pi_app.settings.wiring_checks import check_wiring
from pi_app.text.errors import UserFileError
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
    bus: ShortText
    pair: Annotated[int, Meta(ge=1, le=50, description="the number on its gear, from 1 to 50")]
    arrow: Annotated[Literal["clockwise", "counterclockwise"], Meta(description="'clockwise' or 'counterclockwise'")]
    mux: MuxAddress | None = None
    channel: MuxChannel | None = None
    chip: Annotated[
        Literal["as5600", "as5600l", "mt6701", "as5048b"],
        Meta(description="'as5600', 'as5600l', 'mt6701' or 'as5048b'"),
    ] = "as5600"
    address: EncoderAddress | None = None
    invert: bool = False


class _PlayerRow(msgspec.Struct, kw_only=True):
    name: Name
    language: Language | None = None


class _RulesRow(msgspec.Struct, kw_only=True):
    reveal: Annotated[Literal["zero", "stands"], Meta(description="'zero' or 'stands'")] = "zero"
    first_cycle: Annotated[Literal["both", "own"], Meta(description="'both' or 'own'")] = "both"


@dataclass(frozen=True, slots=True)
class RoomSettings:
    """The whole of a `rooms.toml`. `wires`: the settings that `play.build` uses; `languages`: those of the
    players, each once."""

    wires: Settings
    ruleset: ev.Ruleset
    rooms: tuple[ev.RoomSetup, ...]
    players: tuple[ev.PlayerSetup, ...]
    languages: tuple[str, ...]


NO_SETTINGS: Final = f"{NO_SUCH_FILE}, or write a file to start from with: trapdial rooms example > rooms.toml"


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
        raise UserFileError([str(problem).replace("[square.", "[room.") for problem in errors])
    return read


def _read(raw: Mapping[str, object], complaints: Complaints) -> RoomSettings | None:
    check_keys(raw, ("table", "rules", "bus", "room", "player"), "", complaints)
    table = wires.read_section(TableSettings, raw, "table", complaints)
    rules = wires.read_section(_RulesRow, raw, "rules", complaints)
    buses = {name: wires.read_bus(name, part, complaints) for name, part in wires.parts(raw, "bus", complaints)}
    rooms = {
        label: read_values(_RoomRow, part, f"[room.{label}]", complaints)
        for label, part in wires.parts(raw, "room", complaints, least=2)
    }
    players = {
        key: read_values(_PlayerRow, part, f"[player.{key}]", complaints)
        for key, part in wires.parts(raw, "player", complaints, least=2)
    }
    _check_names(rooms, players, complaints)
    check_wiring(table, buses, rooms, {}, complaints)
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
            seats=MappingProxyType({}),
            warnings=tuple(complaints.found),
        ),
        ruleset=ev.Ruleset(**msgspec.structs.asdict(built(_RulesRow, rules))),
        rooms=tuple(ev.RoomSetup(label=label, table=plan(row)) for label, row in rows.items()),
        players=tuple(ev.PlayerSetup(seat=key, name=row.name) for key, row in called.items()),
        languages=tuple(dict.fromkeys(row.language or settled.language for row in called.values())),
    )


def _check_names(rooms: Mapping[str, wires.Good], players: Mapping[str, wires.Good], complaints: Complaints) -> None:
    """Check that names are unique: commands find rooms and players by name, in any case."""
    labels: dict[str, str] = {}
    called: dict[str, str] = {}
    for label in rooms:
        wires.check_unique(f"[room.{label}]", "label", label, labels, complaints)
    for key, good in players.items():
        for what, word in (("key", key), ("name", str(good.get("name", key)))):
            wires.check_unique(f"[player.{key}]", what, word, called, complaints)


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
    )


def example() -> str:
    """Return the example table of eight rooms (D-ROT-14)."""
    return Path(__file__).parent.with_name("settings").joinpath("examples", "rooms-8.toml").read_text(encoding="utf-8")
