"""Reads `trapdial.toml` into the frozen values of `pi_app.settings.model`.

`parse` is pure: it takes a text and returns `Settings`, or every problem. `load` reads the file first. Which square
holds which trap table is a secret (S-9): no message prints it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from hardware.encoders import ENCODERS
from hardware.screen_kinds import SCREENS
from pi_app.game.figures import HeroSetup
from pi_app.game.lamp_deal import LampKind
from pi_app.game.ruleset import settled as settled_rules
from pi_app.game.trap_table import TRAP_IDS, TrapTable
from pi_app.settings.centre_section import CentreSection, check_centre
from pi_app.settings.heroes import read_heroes
from pi_app.settings.hubs import HubSettings, check_hubs, read_hub
from pi_app.settings.model import (
    AnyChannel,
    ArtifactSettings,
    BusSettings,
    EncoderAddress,
    EncoderChip,
    Gpio,
    LampSettings,
    Language,
    MemoryChip,
    MuxAddress,
    MuxSettings,
    Name,
    ScreenSettings,
    SeatSettings,
    Settings,
    ShortText,
    SquareSettings,
    StepsPerClick,
    TableSettings,
)
from pi_app.settings.pages_section import PagesSettings, check_pages
from pi_app.settings.record_section import RecordSettings
from pi_app.settings.ruleset_section import read_ruleset
from pi_app.settings.seat_lamp import read_lamp
from pi_app.settings.sections import Good, parts, read_section, section
from pi_app.settings.station_section import StationSettings, check_station
from pi_app.settings.trap_tables import ReadTable, check_steps, read_trap_tables, tables_beside
from pi_app.settings.wiring_checks import check_wiring
from pi_app.settings.wiring_section import LeadLength, WiringSettings
from pi_app.text.errors import UserFileError
from pi_app.text.suggest import did_you_mean
from pi_app.text.user_file import (
    NO_SUCH_FILE,
    Complaints,
    Problem,
    built,
    check_keys,
    errors_of,
    is_whole,
    read_text,
    read_toml,
    read_values,
    seen_as,
)


def parse(text: str, where: str, read_table: ReadTable) -> Settings | tuple[Problem, ...]:
    """Return the settings in a text, or, if there is an error, all problems (warnings too).

    `where` is the name that messages give, usually the path of the file.
    """
    complaints = Complaints(where)
    raw = read_toml(text, complaints)
    settings = None if raw is None else _read(raw, read_table, complaints)
    if settings is None or errors_of(complaints.found):
        return tuple(complaints.found)
    return settings


NO_SETTINGS: Final = (
    f"{NO_SUCH_FILE}, or write a file to start from with: trapdial settings example 2x2 > trapdial.toml"
)


def check(path: Path) -> Settings | tuple[Problem, ...]:
    """`parse` a file, with its trap tables beside it. Raises UserFileError if it has no text."""
    return parse(read_text(path, NO_SETTINGS), str(path), tables_beside(path.parent))


def load(path: Path) -> Settings:
    """Return the settings in a file. Raises UserFileError with every error in it."""
    read = check(path)
    if isinstance(read, Settings):
        return read
    raise UserFileError([str(problem) for problem in errors_of(read)])


EXAMPLES: Final = ("starter", "2x2", "8x4", "16x4", "station")
"""The example files that ship: the starter, squares x seats, and a shop's table."""


def example_path(size: str) -> Path:
    """Return the path of that example. Raises UserFileError for one that does not ship."""
    if size not in EXAMPLES:
        raise UserFileError([f"example {size}: there is no such example; {did_you_mean(size, EXAMPLES)}"])
    return Path(__file__).with_name("examples") / f"table-{size}.toml"


def speaking(settings: Settings, languages: Sequence[str]) -> Settings:
    """Return the same table with these languages at its seats in turn, and the first one for everybody else."""
    table = msgspec.structs.replace(settings.table, language=languages[0])
    spoken = zip(settings.seats.items(), itertools.cycle(languages), strict=False)
    seats = {key: msgspec.structs.replace(seat, language=language) for (key, seat), language in spoken}
    return replace(settings, table=table, seats=MappingProxyType(seats))


# ---------------------------------------------------------------------------------------------- the sections


class _SquareRow(msgspec.Struct, kw_only=True):
    table: ShortText
    bus: ShortText | None = None
    hub: ShortText | None = None
    mux: MuxAddress | None = None
    channel: AnyChannel | None = None
    chip: EncoderChip = "as5600"
    address: EncoderAddress | None = None
    steps_per_click: StepsPerClick = 2
    invert: bool = False
    memory: Annotated[MemoryChip | None, Meta(description="'24aa02uid' or '24aa025e48'")] = None
    lead_m: LeadLength | None = None


class _SeatRow(msgspec.Struct, kw_only=True):
    name: Name
    button_gpio: Gpio
    language: Language | None = None
    lamp_gpio: Gpio | None = None
    lamp: dict[str, Any] | None = None
    lamp_code: Annotated[LampKind | None, Meta(description="'public', 'dealt' or 'once'")] = None
    screen: dict[str, Any] | None = None
    lead_m: LeadLength | None = None
    heroes: Annotated[list[Any], Meta(description="a list of names or tables")] | None = None


SECTIONS: Final = (
    *("table", "ruleset", "bus", "hub", "square", "seat", "artifacts", "wiring", "record", "pages", "station"),
    "centre",
)
"""The kinds of sections that a table's settings may have."""


def _read(raw: Mapping[str, object], read_table: ReadTable, complaints: Complaints) -> Settings | None:
    if (other := _other_kind(raw)) is not None:
        complaints.error("", "", other)
        return None
    check_keys(raw, SECTIONS, "", complaints)
    table = read_section(TableSettings, raw, "table", complaints)
    ruleset = read_ruleset(section(raw, "ruleset", complaints), complaints)
    artifacts = read_section(ArtifactSettings, raw, "artifacts", complaints)
    wiring = read_section(WiringSettings, raw, "wiring", complaints)
    record = read_section(RecordSettings, raw, "record", complaints)
    pages = read_section(PagesSettings, raw, "pages", complaints)
    check_pages(pages, complaints)
    station = read_section(StationSettings, raw, "station", complaints)
    check_station(station, complaints)
    centre = read_section(CentreSection, raw, "centre", complaints) if "centre" in raw else {}
    check_centre(centre, complaints)
    hubs = {name: read_hub(name, part, complaints) for name, part in parts(raw, "hub", complaints, least=0)}
    least = 0 if hubs else 1
    buses = {name: read_bus(name, part, complaints) for name, part in parts(raw, "bus", complaints, least)}
    squares = {
        label: _read_placed(_SquareRow, part, f"[square.{label}]", complaints)
        for label, part in parts(raw, "square", complaints)
    }
    seats = {key: _read_seat(key, part, complaints) for key, part in parts(raw, "seat", complaints)}
    _check_labels(squares, complaints)
    _check_seats(seats, complaints)
    check_wiring(table, buses, squares, seats, complaints)
    check_hubs(hubs, squares, complaints)
    trap_tables = read_trap_tables(squares, read_table, complaints)
    check_steps(squares, trap_tables, complaints)
    if errors_of(complaints.found):
        return None
    settled = built(TableSettings, table)
    return Settings(
        where=complaints.file,
        table=settled,
        ruleset=settled_rules(ruleset),
        buses=MappingProxyType({name: built(BusSettings, good) for name, good in buses.items()}),
        squares=MappingProxyType({label: _square(label, good, trap_tables) for label, good in squares.items()}),
        seats=MappingProxyType({key: _seat(key, good, settled.language) for key, good in seats.items()}),
        warnings=tuple(complaints.found),
        artifacts=built(ArtifactSettings, artifacts),
        hubs=MappingProxyType({name: built(HubSettings, good) for name, good in hubs.items()}),
        wiring=built(WiringSettings, wiring),
        record=built(RecordSettings, record),
        pages=built(PagesSettings, pages) if "pages" in raw else None,
        station=built(StationSettings, station) if "station" in raw else None,
        centre=built(CentreSection, centre) if "centre" in raw else None,
    )


def _other_kind(raw: Mapping[str, object]) -> str | None:
    """Return what to do with a file of another kind; None for a table's settings."""
    if "square" in raw or "seat" in raw:
        return None
    if "face" in raw:
        return "this is a trap table, not a table's settings; check it with `trapdial tables check`"
    if "room" in raw:
        return "these are the settings of rotating rooms; play them with `trapdial rooms play -s`"
    return None


def _square(label: str, good: Good, trap_tables: Mapping[str, TrapTable]) -> SquareSettings:
    row = built(_SquareRow, good)
    return SquareSettings(
        label=label,
        bus=row.bus,
        mux=row.mux,
        channel=row.channel,
        chip=row.chip,
        address=ENCODERS[row.chip].address if row.address is None else row.address,
        steps_per_click=row.steps_per_click,
        invert=row.invert,
        table=trap_tables[row.table],
        memory=row.memory,
        hub=row.hub,
        lead_m=row.lead_m,
    )


def _seat(key: str, good: Good, language: str) -> SeatSettings:
    row = built(_SeatRow, good)
    return SeatSettings(
        key=key,
        name=row.name,
        language=row.language or language,
        button_gpio=row.button_gpio,
        lamp_gpio=row.lamp_gpio,
        lamp=None if row.lamp is None else built(LampSettings, row.lamp),
        lamp_code=row.lamp_code,
        screen=None if row.screen is None else built(ScreenSettings, row.screen),
        lead_m=row.lead_m,
        heroes=() if row.heroes is None else tuple(row.heroes),
    )


def read_bus(name: str, raw: Mapping[str, object], complaints: Complaints) -> Good:
    """Return the valid values of [bus.NAME] and of its muxes; report the others."""
    place = f"[bus.{name}]"
    good = read_values(BusSettings, raw, place, complaints, elsewhere=["mux"])
    rows = raw.get("mux", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        complaints.error(place, seen_as("mux", rows), f"must be sections that begin with [[bus.{name}.mux]]")
        return good
    many = len(rows) > 1
    muxes = [
        read_values(MuxSettings, row, f"[[bus.{name}.mux]]{f' {number}' if many else ''}", complaints)
        for number, row in enumerate(rows, 1)
    ]
    good["mux"] = tuple(built(MuxSettings, mux) for mux in muxes if is_whole(MuxSettings, mux))
    return good


def _read_placed(kind: type[msgspec.Struct], raw: Mapping[str, object], place: str, complaints: Complaints) -> Good:
    """Read a section that connects a chip. Without a valid mux or channel its bus is left out: one report is enough."""
    good = read_values(kind, raw, place, complaints, explain=partial(_explain_chip, kind))
    if kind is _SquareRow and "bus" not in raw and "hub" not in raw:
        complaints.error(place, "", "names no `bus` and no `hub`; its dial hangs on one of them")
    if any(key in raw and key not in good for key in ("mux", "channel")):
        good.pop("bus", None)
        good.pop("hub", None)
    return good


def _read_seat(key: str, raw: Mapping[str, object], complaints: Complaints) -> Good:
    place = f"[seat.{key}]"
    _refuse_sound(raw, place, complaints)
    silent = {name: value for name, value in raw.items() if name not in SOUNDS}
    good = read_values(_SeatRow, silent, place, complaints)
    if isinstance(heroes := good.get("heroes"), list):
        good["heroes"] = read_heroes(heroes, place, complaints)
    read_lamp(raw, good, place, complaints)
    screen = good.get("screen")
    if isinstance(screen, dict):
        good["screen"] = _read_placed(ScreenSettings, screen, f"[seat.{key}.screen]", complaints)
    return good


SOUNDS: Final = ("buzzer_gpio", "buzzer", "beeper_gpio", "speaker_gpio", "sound")


def _refuse_sound(raw: Mapping[str, object], place: str, complaints: Complaints) -> None:
    for name in SOUNDS:
        if name in raw:
            reason = (
                "everyone at the table hears a sound, and its message is for one player alone (S-6); "
                "take a lamp or a screen"
            )
            complaints.error(place, seen_as(name, raw[name]), reason)


def _explain_chip(kind: type[msgspec.Struct], key: str, value: object) -> str | None:
    if key == "chip" and isinstance(value, str):
        return f"this version does not drive it; {did_you_mean(value, _CHIPS[kind])}"
    return None


_CHIPS: Final[Mapping[type[msgspec.Struct], tuple[str, ...]]] = {
    _SquareRow: (*ENCODERS,),
    ScreenSettings: (*SCREENS,),
}


# -------------------------------------------------------------------------------------------- labels and names


_TELLING: Final = frozenset(word for trap in TRAP_IDS for word in trap.split("_") if word != "of")
_TELLING_TOO: Final = frozenset({"clear", "empty", "safe", "x"})


def _check_labels(squares: Mapping[str, Good], complaints: Complaints) -> None:
    """Refuse a label that hints at what lies under it, because everybody sees it, and two labels that look alike."""
    seen: dict[str, str] = {}
    for label in squares:
        if label.rstrip("0123456789").casefold() in _TELLING | _TELLING_TOO:
            reason = "this label hints at what lies under it; choose a neutral one, such as T01"
            complaints.error(f"[square.{label}]", "", reason)
        check_unique(f"[square.{label}]", "label", label, seen, complaints)


_VIEWERS: Final = frozenset({"public", "referee", "log"})


def _check_seats(seats: Mapping[str, Good], complaints: Complaints) -> None:
    keys: dict[str, str] = {}
    names: dict[str, str] = {}
    taken = {word.casefold(): f"[seat.{key}]" for key, good in seats.items() for word in (key, str(good.get("name")))}
    for key, good in seats.items():
        place, name = f"[seat.{key}]", good.get("name")
        heroes = good.get("heroes")
        for number, hero in enumerate(heroes if isinstance(heroes, tuple) else (), 1):
            if isinstance(hero, HeroSetup):
                check_unique(f"{place} Hero {number}", "name", hero.name, taken, complaints)
        check_unique(place, "key", key, keys, complaints)
        if isinstance(name, str):
            check_unique(place, "name", name, names, complaints)
        for word in {key.casefold(), str(name).casefold()} & _VIEWERS:
            complaints.error(place, "", f"no seat may be called {word!r}: displays and records use that word")


def check_unique(place: str, what: str, word: str, seen: dict[str, str], complaints: Complaints) -> None:
    """Refuse a word that is in `seen`, in small letters or capitals; add it there with its place."""
    first = seen.setdefault(word.casefold(), place)
    if first != place:
        complaints.error(place, seen_as(what, word), f"is already the {what} of {first}; choose another")
