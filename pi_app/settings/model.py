"""The settings of one table of players, as frozen values. They are read in `pi_app.settings.load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from hardware.encoders import ENCODERS, STEPS_PER_TURN, EncoderKind
from hardware.screen_kinds import SCREENS
from pi_app.game.figures import HeroSetup
from pi_app.game.lamp_deal import LampKind
from pi_app.game.ruleset import Ruleset
from pi_app.game.trap_table import TrapTable
from pi_app.settings.centre_section import CentreSection
from pi_app.settings.hubs import HubSettings
from pi_app.settings.pages_section import PagesSettings
from pi_app.settings.record_section import RecordSettings
from pi_app.settings.station_section import StationSettings
from pi_app.settings.wiring import lines_of
from pi_app.settings.wiring_section import LeadLength, WiringSettings
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of
from pi_app.text.user_file import Problem

ShortText = Annotated[str, Meta(min_length=1, max_length=200, description="a text")]
Name = Annotated[str, Meta(pattern=r"^\S(.{0,18}\S)?\Z", max_length=20, description="a text of 1 to 20 characters")]
Gpio = Annotated[int, Meta(ge=0, le=27, description="a GPIO number from 0 to 27")]
Language = Annotated[str, Meta(pattern=rf"^({'|'.join(LANGUAGES)})\Z", description=one_of(LANGUAGES))]
MuxAddress = Annotated[int, Meta(ge=0x70, le=0x77, description="a mux address from 0x70 to 0x77")]
MuxChannel = Annotated[int, Meta(ge=0, le=7, description="a channel from 0 to 7")]
AnyChannel = Annotated[int, Meta(ge=0, le=15, description="a channel from 0 to 7, on a hub from 0 to 15")]
ScreenAddress = Annotated[Literal[0x3C, 0x3D], Meta(description="0x3C or 0x3D")]
EncoderChip = Annotated[str, Meta(pattern=rf"^({'|'.join(ENCODERS)})\Z", description=one_of(ENCODERS))]
StepsPerClick = Annotated[int, Meta(ge=1, le=12, description="whole steps from 1 to 12")]
EncoderAddress = Annotated[int, Meta(ge=0x06, le=0x77, description="an address that its chip can have")]
ScreenChip = Annotated[str, Meta(pattern=rf"^({'|'.join(SCREENS)})\Z", description=one_of(SCREENS))]
MemoryChip = Literal["24aa02uid", "24aa025e48"]
LedColour = Literal["white", "red", "green", "blue", "yellow", "cyan", "magenta"]


def _ms(least: int, most: int) -> Meta:
    return Meta(ge=least, le=most, description=f"whole milliseconds from {least} to {most}")


JOURNAL: Final = "journal.db"
"""The journal of settings that name none."""


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[table]: settings of the whole table."""

    name: Annotated[str, Meta(pattern=r"^\S(.{0,38}\S)?\Z", max_length=40, description="a text of 1 to 40 characters")]
    language: Language = "en"
    roll: Annotated[Literal["table", "device"], Meta(description="'table' or 'device'")] = "table"
    rest_ms: Annotated[int, _ms(100, 10_000)] = 600
    gap_limit_ms: Annotated[int, _ms(5, 1_000)] = 35
    scan_hz: Annotated[int, Meta(ge=1, le=1_000, description="whole samples per second from 1 to 1000")] = 100
    max_cpu: Annotated[float, Meta(ge=0.05, le=4, description="a share of one core from 0.05 to 4")] = 0.25
    hold_ms: Annotated[int, _ms(100, 5_000)] = 400
    show_s: Annotated[float, Meta(ge=1, le=60, description="seconds from 1 to 60")] = 8.0
    journal: ShortText = JOURNAL
    calibration: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""
    contrast: Annotated[int, Meta(ge=0, le=0xFF, description="a brightness from 0x00 to 0xFF")] = 0x20
    shuffle: bool = False
    chests: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""
    spawn: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""


class ArtifactSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[artifacts]: the enchanted artifacts of this table, if it plays with any (AR-SET-1)."""

    pool: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""
    draw: Annotated[Literal["public", "private"], Meta(description="'public' or 'private'")] = "public"
    """Who reads a drawn token. The artifact rules reveal it (AR-REF-1)."""


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
        """The pins of SCL and SDA: those that the settings name, or those of every Pi."""
        return lines_of(self.device, self.scl_gpio, self.sda_gpio)


class SquareSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[square.LABEL]: its encoder, on a bus or on a hub. Its trap table prints as `(sealed)`."""

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
        """The fixed properties of its encoder."""
        return ENCODERS[self.chip]

    @property
    def counts_per_turn(self) -> int:
        """Counts of its encoder in one turn of the dial."""
        if self.kind.absolute:
            return self.kind.counts_per_turn
        return self.steps_per_turn * self.kind.counts_per_turn // STEPS_PER_TURN

    @property
    def steps_per_turn(self) -> int:
        """Steps of an encoder that counts steps, in one turn of the dial."""
        return self.table.clicks * self.steps_per_click


class ScreenSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[seat.KEY.screen]: a seat's small screen."""

    bus: ShortText
    mux: MuxAddress | None = None
    channel: MuxChannel | None = None
    chip: ScreenChip = "ssd1306"
    address: ScreenAddress = 0x3C
    lead_m: LeadLength | None = None


class LampSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[seat.KEY.lamp]: a lamp of three colours on three pins. It blinks in one `colour` only: everyone in the room
    could read a colour that changes with the message (S-6), except the colour-blind."""

    red_gpio: Gpio
    green_gpio: Gpio
    blue_gpio: Gpio
    colour: Annotated[LedColour, Meta(description="'white', 'red', 'green', 'blue', 'yellow', 'cyan' or 'magenta'")] = (
        "white"
    )
    common: Annotated[Literal["cathode", "anode"], Meta(description="'cathode' or 'anode'")] = "cathode"

    @property
    def gpios(self) -> tuple[int, int, int]:
        """Red, green, blue."""
        return (self.red_gpio, self.green_gpio, self.blue_gpio)


class SeatSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[seat.KEY]: one player's devices. A seat has a lamp (`lamp_gpio` of one colour, or `lamp` of three), a screen, or
    both."""

    key: str
    name: str
    language: str
    button_gpio: int
    lamp_gpio: int | None
    screen: ScreenSettings | None
    lamp: LampSettings | None = None
    lead_m: float | None = None
    heroes: tuple[HeroSetup, ...] = ()
    lamp_code: LampKind | None = None

    @property
    def has_lamp(self) -> bool:
        """Whether the seat has a lamp, of any kind."""
        return self.lamp_gpio is not None or self.lamp is not None

    @property
    def lamp_kind(self) -> LampKind:
        """How the lamp's patterns get their meaning: as set; by default the screen keeps it, if there is one."""
        if not self.has_lamp:
            return "public"
        return self.lamp_code or ("public" if self.screen is None else "once")

    @property
    def gpios(self) -> tuple[int, ...]:
        """Every pin of this seat: its button's, then its lamp's."""
        single = () if self.lamp_gpio is None else (self.lamp_gpio,)
        return (self.button_gpio, *single, *(() if self.lamp is None else self.lamp.gpios))


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole of `trapdial.toml`, checked. `warnings` are the problems that do not prevent a game."""

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
    record: RecordSettings = field(default_factory=RecordSettings)
    pages: PagesSettings | None = None
    """Where phones find their seats' pages; None: no port is open."""
    station: StationSettings | None = None
    """How a demo station treats its visitors; None: this table is none."""
    centre: CentreSection | None = None
    """Where the record is handed over; None: nowhere."""

    @property
    def uses_samples(self) -> bool:
        """Whether a square holds a table of made-up numbers: every display must then say SAMPLE."""
        return any(square.table.is_sample for square in self.squares.values())

    @property
    def keys_place(self) -> Path | None:
        """The folder that [record] names for the keys; None if they are beside the journal."""
        return self.beside(self.record.keys) if self.record.keys else None

    def beside(self, name: str) -> Path:
        """Return the path of a file that the settings name, relative to the settings file."""
        return Path(self.where).parent / name
