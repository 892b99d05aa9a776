"""Everything that one table of players needs to run, read once from `trapdial.toml` into frozen values.

`parse` is pure: text in, `Settings` or every problem out. `load` puts a file in front of it. Which square
holds which trap table is a secret (S-9): nothing here prints it, and problems with a trap table name the
table's file but no square.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import Meta

from hardware.encoders import ENCODERS, STEPS_PER_TURN, EncoderKind
from pi_app.game import trap_table_file as tables
from pi_app.game.ruleset import Ruleset
from pi_app.game.ruleset import settled as settled_rules
from pi_app.game.trap_table import TRAP_IDS, TrapTable
from pi_app.game.trap_table_file import ParsedTable
from pi_app.settings import wiring as wiring
from pi_app.settings.hubs import HubSettings, check_hubs, read_hub
from pi_app.settings.wiring_section import LeadLength, WiringSettings
from pi_app.text.errors import UserFileError
from pi_app.text.suggest import did_you_mean, one_of
from pi_app.text.user_file import (
    Complaints,
    Problem,
    Severity,
    built,
    check_keys,
    errors_of,
    is_whole,
    read_text,
    read_toml,
    read_values,
    seen_as,
    short,
)

SAMPLE_PREFIX: Final = "sample:"

LANGUAGES: Final = ("en", "de", "es", "fr", "it")
"""Those of the trap sheet: one for each catalogue in `pi_app/text/locale`, and the source."""

Text = Annotated[str, Meta(min_length=1, max_length=200, description="a text")]
Name = Annotated[str, Meta(pattern=r"^\S(.{0,18}\S)?\Z", description="a text of 1 to 20 characters")]
Gpio = Annotated[int, Meta(ge=0, le=27, description="a GPIO number from 0 to 27")]
Language = Annotated[str, Meta(pattern=rf"^({'|'.join(LANGUAGES)})\Z", description=one_of(LANGUAGES))]
MuxAddress = Annotated[int, Meta(ge=0x70, le=0x77, description="a mux address from 0x70 to 0x77")]
Channel = Annotated[int, Meta(ge=0, le=7, description="a channel from 0 to 7")]
AnyChannel = Annotated[int, Meta(ge=0, le=15, description="a channel from 0 to 7, on a hub from 0 to 15")]
ScreenAddress = Annotated[Literal[0x3C, 0x3D], Meta(description="0x3C or 0x3D")]
EncoderChip = Literal["as5600", "as5600l", "mt6701", "as5048b", "seesaw"]
StepsPerClick = Annotated[int, Meta(ge=1, le=12, description="whole steps from 1 to 12")]
EncoderAddress = Annotated[int, Meta(ge=0x06, le=0x77, description="an address that its chip can have")]
ScreenChip = Literal["ssd1306", "sh1106"]
MemoryChip = Literal["24aa02uid", "24aa025e48"]
Colour = Literal["white", "red", "green", "blue", "yellow", "cyan", "magenta"]


def _ms(least: int, most: int) -> Meta:
    return Meta(ge=least, le=most, description=f"whole milliseconds from {least} to {most}")


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[table]: what holds for the whole table of players."""

    name: Annotated[str, Meta(pattern=r"^\S(.{0,38}\S)?\Z", description="a text of 1 to 40 characters")]
    language: Language = "en"
    roll: Annotated[Literal["table", "device"], Meta(description="'table' or 'device'")] = "table"
    rest_ms: Annotated[int, _ms(100, 10_000)] = 600
    gap_limit_ms: Annotated[int, _ms(5, 1_000)] = 35
    scan_hz: Annotated[int, Meta(ge=1, le=1_000, description="whole samples per second from 1 to 1000")] = 100
    max_cpu: Annotated[float, Meta(ge=0.05, le=4, description="a share of one core from 0.05 to 4")] = 0.25
    hold_ms: Annotated[int, _ms(100, 5_000)] = 400
    show_s: Annotated[float, Meta(ge=1, le=60, description="seconds from 1 to 60")] = 8.0
    journal: Text = "journal.db"
    calibration: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""
    contrast: Annotated[int, Meta(ge=0, le=0xFF, description="a brightness from 0x00 to 0xFF")] = 0x20
    shuffle: bool = False
    chests: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""
    spawn: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""


class ArtifactSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[artifacts]: the enchanted artifacts of this table, if it plays with any (AR-SET-1)."""

    pool: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""
    draw: Annotated[Literal["private", "public"], Meta(description="'private' or 'public'")] = "private"


class MuxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[[bus.NAME.mux]]: one TCA9548A."""

    address: MuxAddress
    reset_gpio: Gpio | None = None
    deselect_between: bool = False


class BusSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[bus.NAME]: one I2C adapter of the Pi, and the muxes on it."""

    device: Annotated[
        str, Meta(pattern=r"^/dev/i2c-(0|[1-9][0-9]{0,2})\Z", description="a device such as '/dev/i2c-1'")
    ]
    speed_hz: Annotated[
        int,
        Meta(ge=10_000, le=1_000_000, description="hertz from 10000 to 1000000, usually 100000 or 400000"),
    ] = 100_000
    timeout_ms: Annotated[
        int, Meta(ge=10, le=1_000, multiple_of=10, description="whole tens of milliseconds from 10 to 1000")
    ] = 20
    clear: bool = False
    scl_gpio: Gpio | None = None
    sda_gpio: Gpio | None = None
    power_gpio: Gpio | None = None
    power_active_high: bool = True
    power_off_ms: Annotated[int, _ms(50, 5_000)] = 300
    mux: tuple[MuxSettings, ...] = ()

    @property
    def lines(self) -> tuple[int, int] | None:
        """The pins of SCL and SDA, as the settings name them or as every Pi has them."""
        return wiring.lines_of(self.device, self.scl_gpio, self.sda_gpio)


class SquareSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[square.LABEL]: where its encoder hangs, on a bus or on a hub. Its trap table prints as `(sealed)`."""

    label: str
    bus: str | None
    mux: int | None
    channel: int | None
    chip: EncoderChip
    address: int
    steps_per_click: int
    invert: bool
    table: TrapTable
    memory: MemoryChip | None = None
    hub: str | None = None
    lead_m: float | None = None

    @property
    def kind(self) -> EncoderKind:
        """What is true of its encoder before anything is wired."""
        return ENCODERS[self.chip]

    @property
    def counts_per_turn(self) -> int:
        """Counts of its encoder in one turn of the dial."""
        if self.kind.absolute:
            return self.kind.counts_per_turn
        return self.steps_per_turn * self.kind.counts_per_turn // STEPS_PER_TURN

    @property
    def steps_per_turn(self) -> int:
        """What an encoder that counts steps counts in one turn of the dial."""
        return self.table.clicks * self.steps_per_click


class ScreenSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[seat.KEY.screen]: a seat's small screen."""

    bus: Text
    mux: MuxAddress | None = None
    channel: Channel | None = None
    chip: Annotated[ScreenChip, Meta(description="'ssd1306' or 'sh1106'")] = "ssd1306"
    address: ScreenAddress = 0x3C
    lead_m: LeadLength | None = None


class LampSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[seat.KEY.lamp]: a lamp of three colours on three pins. It speaks by blinking, always in the one `colour`:
    a colour that changed with what is said would be read across the room (S-6), and not by everyone."""

    red_gpio: Gpio
    green_gpio: Gpio
    blue_gpio: Gpio
    colour: Annotated[Colour, Meta(description="'white', 'red', 'green', 'blue', 'yellow', 'cyan' or 'magenta'")] = (
        "white"
    )
    common: Annotated[Literal["cathode", "anode"], Meta(description="'cathode' or 'anode'")] = "cathode"

    @property
    def gpios(self) -> tuple[int, int, int]:
        """Red, green, blue."""
        return (self.red_gpio, self.green_gpio, self.blue_gpio)


class SeatSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[seat.KEY]: one player's place. It has a lamp (of one colour: `lamp_gpio`, or of three: `lamp`), a screen, or
    both."""

    key: str
    name: str
    language: str
    button_gpio: int
    lamp_gpio: int | None
    screen: ScreenSettings | None
    lamp: LampSettings | None = None
    lead_m: float | None = None

    @property
    def gpios(self) -> tuple[int, ...]:
        """Every pin of this seat: its button's, then its lamp's."""
        single = () if self.lamp_gpio is None else (self.lamp_gpio,)
        return (self.button_gpio, *single, *(() if self.lamp is None else self.lamp.gpios))


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole of `trapdial.toml`, checked. `warnings` are what was noticed and not refused."""

    where: str
    table: TableSettings
    ruleset: Ruleset
    buses: Mapping[str, BusSettings]
    squares: Mapping[str, SquareSettings]
    seats: Mapping[str, SeatSettings]
    warnings: tuple[Problem, ...]
    artifacts: ArtifactSettings = field(default_factory=ArtifactSettings)
    hubs: Mapping[str, HubSettings] = field(default_factory=lambda: MappingProxyType({}))
    wiring: WiringSettings = field(default_factory=WiringSettings)

    @property
    def uses_samples(self) -> bool:
        """Some square holds a table of made-up numbers: every display must say SAMPLE."""
        return any(square.table.is_sample for square in self.squares.values())

    def beside(self, name: str) -> Path:
        """A file that the settings name, found from the folder of the settings file."""
        return Path(self.where).parent / name


ReadTable = Callable[[str], ParsedTable]
"""From what a square's `table` says to the table. Raises UserFileError if there is no text to check."""


# ------------------------------------------------------------------------------------------------ the doors


def parse(text: str, where: str, read_table: ReadTable) -> Settings | tuple[Problem, ...]:
    """The settings in a text, or, if anything is refused, all problems (warnings among them).

    `where` is the name that messages give, usually the path of the file.
    """
    complaints = Complaints(where)
    raw = read_toml(text, complaints)
    settings = None if raw is None else _read(raw, read_table, complaints)
    if settings is None or errors_of(complaints.found):
        return tuple(complaints.found)
    return settings


def check(path: Path) -> Settings | tuple[Problem, ...]:
    """`parse` for a file; trap tables are looked for beside it. Raises UserFileError if it has no text."""
    return parse(read_text(path), str(path), tables_beside(path.parent))


def load(path: Path) -> Settings:
    """The settings in a file. Raises UserFileError with every error in it."""
    read = check(path)
    if isinstance(read, Settings):
        return read
    raise UserFileError([str(problem) for problem in errors_of(read)])


def tables_beside(folder: Path) -> ReadTable:
    """Reads `sample:NAME` from what ships, and any other name as a file found from `folder`."""

    def read_table(source: str) -> ParsedTable:
        if source.startswith(SAMPLE_PREFIX):
            return tables.check(tables.sample_path(source.removeprefix(SAMPLE_PREFIX)))
        return tables.check(folder / source)

    return read_table


EXAMPLES: Final = ("2x2", "8x4", "16x4")
"""Squares x seats of the example files that ship."""


def example_path(size: str) -> Path:
    """Where the example of that size lies. Raises UserFileError for a size that does not ship."""
    if size not in EXAMPLES:
        raise UserFileError([f"example {size}: there is no such example; {did_you_mean(size, EXAMPLES)}"])
    return Path(__file__).with_name("examples") / f"table-{size}.toml"


# ---------------------------------------------------------------------------------------------- the reading


class _SquareRow(msgspec.Struct, kw_only=True):
    table: Text
    bus: Text | None = None
    hub: Text | None = None
    mux: MuxAddress | None = None
    channel: AnyChannel | None = None
    chip: Annotated[EncoderChip, Meta(description=one_of(ENCODERS))] = "as5600"
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
    screen: dict[str, Any] | None = None
    lead_m: LeadLength | None = None


Good = dict[str, object]
"""The good values of one section, by key."""


def speaking(settings: Settings, languages: Sequence[str]) -> Settings:
    """The same table, whose seats read these languages in turn, and everybody else the first."""
    table = msgspec.structs.replace(settings.table, language=languages[0])
    spoken = zip(settings.seats.items(), itertools.cycle(languages), strict=False)
    seats = {key: msgspec.structs.replace(seat, language=language) for (key, seat), language in spoken}
    return replace(settings, table=table, seats=MappingProxyType(seats))


def _read(raw: Mapping[str, object], read_table: ReadTable, complaints: Complaints) -> Settings | None:
    check_keys(raw, ("table", "ruleset", "bus", "hub", "square", "seat", "artifacts", "wiring"), "", complaints)
    table = read_section(TableSettings, raw, "table", complaints)
    ruleset = read_section(Ruleset, raw, "ruleset", complaints)
    artifacts = read_section(ArtifactSettings, raw, "artifacts", complaints)
    chosen = read_section(WiringSettings, raw, "wiring", complaints)
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
    trap_tables = _read_trap_tables(squares, read_table, complaints)
    _check_steps(squares, trap_tables, complaints)
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
        wiring=built(WiringSettings, chosen),
    )


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
        screen=None if row.screen is None else built(ScreenSettings, row.screen),
        lead_m=row.lead_m,
    )


def read_section(kind: type[msgspec.Struct], raw: Mapping[str, object], key: str, complaints: Complaints) -> Good:
    """The good values of the section [key]; complains of the others, and if it is no section."""
    part = raw.get(key, {})
    if not isinstance(part, dict):
        complaints.error("", seen_as(key, part), f"must be a section that begins with [{key}]")
        return {}
    return read_values(kind, part, f"[{key}]", complaints)


_LABELS: Final = {"bus": 20, "hub": 20, "square": 6, "seat": 12, "room": 6, "player": 12}
"""The longest name that each kind of section may have."""


def parts(
    raw: Mapping[str, object], key: str, complaints: Complaints, least: int = 1
) -> Iterable[tuple[str, Mapping[str, object]]]:
    """The sections [key.NAME] with a proper name; complains of the others, and if there are fewer than `least`."""
    sections = raw.get(key, {})
    if not isinstance(sections, dict) or len(sections) < least:
        there = "only one" if isinstance(sections, dict) and sections else "no"
        wanted = "one" if least == 1 else f"{least}"
        complaints.error("", "", f"there is {there} [{key}.NAME] section; there must be at least {wanted}")
        return
    for name, part in sections.items():
        if not re.fullmatch(rf"[A-Za-z0-9]{{1,{_LABELS[key]}}}", name):
            reason = f"its name must be 1 to {_LABELS[key]} letters and digits"
            complaints.error(f"[{key}.{short(name)[1:-1]}]", "", reason)
        elif not isinstance(part, dict):
            complaints.error(f"[{key}.{name}]", "", f"must be a section that begins with [{key}.{name}]")
        else:
            yield name, part


def read_bus(name: str, raw: Mapping[str, object], complaints: Complaints) -> Good:
    """The good values of [bus.NAME] and of its muxes; complains of the others."""
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
    """A section that hangs a chip somewhere. If that place is garbled, nothing more is said of it."""
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
    lamp = good.get("lamp")
    if isinstance(lamp, dict):
        good["lamp"] = read_values(LampSettings, lamp, f"[seat.{key}.lamp]", complaints)
        if "lamp_gpio" in raw:
            complaints.error(place, "", "has both lamp_gpio and a lamp of three colours; a seat has one lamp")
    screen = good.get("screen")
    if isinstance(screen, dict):
        good["screen"] = _read_placed(ScreenSettings, screen, f"[seat.{key}.screen]", complaints)
    if not raw.keys() & {"screen", "lamp", "lamp_gpio"}:
        complaints.error(place, "", "has neither a lamp nor a screen; a seat needs one of them at least")
    return good


SOUNDS: Final = ("buzzer_gpio", "buzzer", "beeper_gpio", "speaker_gpio", "sound")


def _refuse_sound(raw: Mapping[str, object], place: str, complaints: Complaints) -> None:
    for name in SOUNDS:
        if name in raw:
            reason = (
                "everyone at the table hears a sound, and what it tells is for one player alone (S-6); "
                "take a lamp or a screen"
            )
            complaints.error(place, seen_as(name, raw[name]), reason)


def _explain_chip(kind: type[msgspec.Struct], key: str, value: object) -> str | None:
    if key == "chip" and isinstance(value, str):
        return f"this version does not drive it; {did_you_mean(value, _CHIPS[kind])}"
    return None


_CHIPS: Final[Mapping[type[msgspec.Struct], tuple[str, ...]]] = {
    _SquareRow: get_args(EncoderChip),
    ScreenSettings: get_args(ScreenChip),
}


# ----------------------------------------------------------------------------------------------- the checks


_TELLING: Final = frozenset(word for trap in TRAP_IDS for word in trap.split("_") if word != "of")
_TELLING_TOO: Final = frozenset({"clear", "empty", "safe", "x"})


def _check_labels(squares: Mapping[str, Good], complaints: Complaints) -> None:
    """A label is seen by all, so it must not tell what lies under it, and no two may look alike."""
    seen: dict[str, str] = {}
    for label in squares:
        if label.rstrip("0123456789").casefold() in _TELLING | _TELLING_TOO:
            reason = "this label tells what might lie under it; take one that says nothing, such as T01"
            complaints.error(f"[square.{label}]", "", reason)
        check_twin(f"[square.{label}]", "label", label, seen, complaints)


_VIEWERS: Final = frozenset({"public", "referee", "log"})


def _check_seats(seats: Mapping[str, Good], complaints: Complaints) -> None:
    keys: dict[str, str] = {}
    names: dict[str, str] = {}
    for key, good in seats.items():
        place, name = f"[seat.{key}]", good.get("name")
        check_twin(place, "key", key, keys, complaints)
        if isinstance(name, str):
            check_twin(place, "name", name, names, complaints)
        for word in {key.casefold(), str(name).casefold()} & _VIEWERS:
            complaints.error(place, "", f"nobody may be called {word!r}: displays and records use that word")


def check_twin(place: str, what: str, word: str, seen: dict[str, str], complaints: Complaints) -> None:
    """Complains of a word that was `seen` elsewhere, small letters or capitals; it is remembered with its place."""
    first = seen.setdefault(word.casefold(), place)
    if first != place:
        complaints.error(place, seen_as(what, word), f"is already the {what} of {first}; choose another")


def check_wiring(
    table: Good,
    buses: Mapping[str, Good],
    squares: Mapping[str, Good],
    seats: Mapping[str, Good],
    complaints: Complaints,
) -> None:
    """Complains of whatever cannot be wired as these sections say."""
    wires = wiring.wires_of(buses)
    wiring.check_wires(wires, complaints)
    chips = wiring.chips_of(squares, seats, wires, complaints)
    wiring.check_clashes(chips, complaints)
    wiring.check_screens(chips, complaints)
    wiring.check_pins(wiring.pins_of(wires, seats), wires, complaints)
    wiring.check_pace(table, wires, chips, complaints)
    wiring.check_memories(table, squares, complaints)


def _read_trap_tables(
    squares: Mapping[str, Good], read_table: ReadTable, complaints: Complaints
) -> dict[str, TrapTable]:
    """Each trap table once. Who holds what is a secret (S-9), and so is what is in a table: errors name the square and
    no table, warnings neither, and both leave it to `tables check` to list what is wrong."""
    sources = {label: str(good["table"]) for label, good in squares.items() if "table" in good}
    found: dict[str, TrapTable] = {}
    bad: dict[str, str] = {}
    warned = 0
    for source in dict.fromkeys(sources.values()):
        try:
            checked = read_table(source)
        except UserFileError as refused:
            bad[source] = _without_name(refused, source)
            continue
        if checked.table is not None:
            found[source] = checked.table
            warned += _count(checked, Severity.WARNING)
        else:
            bad[source] = f"its trap table has errors; `trapdial tables check` lists them, and {tables.FORMAT_PAGE}"
    bad |= _same_names(found)
    for label, source in sources.items():
        if source in bad:
            complaints.error(f"[square.{label}]", "table", bad[source])
    if warned:
        reason = f"{_counted(warned, 'warning')} in the trap tables; `trapdial tables check` lists them"
        complaints.warning("", "", reason)
    if any(table.is_sample for table in found.values()):
        reason = "SAMPLE tables are in use; their numbers are made up, and every display says so"
        complaints.warning("", "", reason)
    return found


def _without_name(refused: UserFileError, source: str) -> str:
    """Why there is nothing to read, without the name that stands there."""
    if source.startswith(SAMPLE_PREFIX):
        return f"there is no sample table of this name; there is {one_of(tables.SAMPLES)}"
    reasons = (problem.partition(f"{source}: ")[2] or "its trap table cannot be read" for problem in refused.problems)
    return f"{'; '.join(reasons)}; {tables.FORMAT_PAGE}"


def _check_steps(squares: Mapping[str, Good], found: Mapping[str, TrapTable], complaints: Complaints) -> None:
    """An encoder that counts steps must count as many as its dial's clicks make in one turn."""
    for label, good in squares.items():
        kind = ENCODERS[str(good.get("chip", "as5600"))]
        table = found.get(str(good.get("table")))
        place, per_click = f"[square.{label}]", good.get("steps_per_click", 2)
        if kind.absolute:
            if "steps_per_click" in good:
                reason = "only a seesaw counts steps; leave it out"
                complaints.error(place, f"steps_per_click = {per_click}", reason)
        elif table is not None and isinstance(per_click, int) and table.clicks * per_click != STEPS_PER_TURN:
            made = f"{table.clicks} clicks make {table.clicks * per_click} steps in a turn"
            reason = f"{made}; the boards 4991 and 5880 have {STEPS_PER_TURN}"
            complaints.warning(place, f"steps_per_click = {per_click}", reason)


def _count(checked: ParsedTable, severity: Severity) -> int:
    return sum(problem.severity is severity for problem in checked.problems)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _same_names(found: Mapping[str, TrapTable]) -> dict[str, str]:
    """The journal and `tables show` know a trap table by its name: those that differ and have one name, with why."""
    by_name: dict[str, TrapTable] = {}
    return {
        source: "its trap table has the name of another one and differs; give each table a name of its own"
        for source, table in found.items()
        if by_name.setdefault(table.name, table) != table
    }
