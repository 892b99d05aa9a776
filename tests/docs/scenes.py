"""The doctor's lines in each scene of the builder's pages, made with twins and fake machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from firmware_host.hub import wire
from pi_app.cli.main import main
from pi_app.plans import config_txt
from pi_app.settings.load import load
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Check, machine
from tests.docs.reader import small_folder
from tests.pi_app.hosts import host, put
from tests.pi_app.hubs import TableWithHub, mixed
from tests.pi_app.workshop.doctor import hub_samples as hub
from tests.pi_app.workshop.doctor.looking import PI_4, SMALL, seen

Scene = Callable[[Path], Iterable[str]]
"""All lines of the doctor, run in the given folder."""


# ------------------------------------------------------------------------------------------ with the command itself


def command(words: str) -> Scene:
    """`trapdial doctor --simulated`, in a folder with the small example's settings."""

    def run(folder: Path) -> Iterable[str]:
        small_folder(folder)
        line = ["doctor", "--simulated", "--seconds", "0.1", "--settings", str(folder / "trapdial.toml")]
        return CliRunner().invoke(main, [*line, *words.split()]).output.splitlines()

    return run


WELL: Final = command("")


def fault(name: str) -> Scene:
    """One fault at T02."""
    return command(f"--fault T02={name}")


# -------------------------------------------------------------------------------------------------- with the twins


def twins(change: Callable[[SimulatedTable], None], table: Settings = SMALL) -> Scene:
    """The small example with a change to its twins."""

    def run(folder: Path) -> Iterable[str]:
        twin = SimulatedTable(table)
        change(twin)
        return told(seen(table, folder, twin))

    return run


def told(checks: Iterable[Check]) -> list[str]:
    return [str(check) for check in checks]


def screen_out(twin: SimulatedTable) -> None:
    twin.buses["screens"].wire.trunk.remove(twin.oleds["BEN"])


def reset_off(twin: SimulatedTable) -> None:
    twin.resets.clear()


def other_socket(twin: SimulatedTable) -> None:
    """Plug T02 into channel 5."""
    channels = twin.buses["dials"].muxes[0x70].channels
    encoder = twin.tiles["T02"].encoder
    channels[1].remove(encoder)
    channels[5].hang(encoder)


def encoder_on_the_trunk(twin: SimulatedTable) -> None:
    tile = twin.tiles["T02"]
    tile.segment.remove(tile.encoder)
    twin.buses["dials"].wire.trunk.hang(tile.encoder)


def wrong_bridge(folder: Path) -> Iterable[str]:
    """Only Ann has a screen, and its bridge is set to the other address."""
    small_folder(folder)
    file = folder / "trapdial.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index("[seat.BEN.screen]")], encoding="utf-8")
    settings = load(file)
    twin = SimulatedTable(settings)
    trunk = twin.buses["screens"].wire.trunk
    trunk.remove(twin.oleds["ANN"])
    trunk.hang(type(twin.oleds["ANN"])(0x3D))
    return told(seen(settings, folder, twin))


def stuck_button(folder: Path) -> Iterable[str]:
    twin = SimulatedTable(SMALL)

    def press(check: Check) -> None:
        if check.part == "lamp of seat BEN":
            twin.press("ANN")

    return told(seen(SMALL, folder, twin, press))


# ------------------------------------------------------------------------------------------------- with a machine


def pi(check: Callable[[Path], Iterable[Check]], **files: str | bytes) -> Scene:
    """A machine with these files below its root; `__` in a name is a slash, `_dot_` a dot."""

    def run(folder: Path) -> Iterable[str]:
        for name, content in files.items():
            put(folder, name.replace("__", "/").replace("_dot_", "."), content)
        return told(check(folder))

    return run


def _speed(folder: Path) -> Iterable[Check]:
    return config_txt.bus_speed(host(folder), "dials", "/dev/i2c-1", 100_000)


# -------------------------------------------------------------------------------------------------------- a hub


def _hub_samples(look: int) -> Scene:
    def run(_: Path) -> Iterable[str]:
        parts = hub.SameSamples(mixed())
        parts.samples = (0, 0, 0, look, 0, 0, 0, 0)
        return hub.said(parts, mixed())

    return run


SCENES: Final[Mapping[tuple[str, str], Scene]] = {
    ("mux", "all is well"): WELL,
    ("mux", "no power, or SDA and SCL swapped, or another address"): fault("mux-silent"),
    ("mux", "the white wire is off"): twins(reset_off),
    ("mux", "another chip has its address, or it is broken"): fault("mux-not-switched"),
    ("mux", "a channel stays open"): fault("two-channels-open"),
    ("mux", "an encoder hangs in front of it, on the bus itself"): twins(encoder_on_the_trunk),
    ("dial_tile", "all is well"): WELL,
    ("dial_tile", "its plug is out, or its supply is off"): fault("unplugged"),
    ("dial_tile", "no magnet, or one magnetised along its axis"): fault("magnet-missing"),
    ("dial_tile", "the gap is too wide"): fault("magnet-weak"),
    ("dial_tile", "the gap is too narrow"): fault("magnet-strong"),
    ("dial_tile", "its SDA touches ground"): fault("stuck-low"),
    ("dial_tile", "its plug is in another socket"): twins(other_socket),
    ("cable", "all is well"): WELL,
    ("cable", "a lead is off at one end"): fault("unplugged"),
    ("cable", "blue or yellow touches black"): fault("stuck-low"),
    ("cable", "it is plugged into another channel"): twins(other_socket),
    ("lamp_and_button", "all is well"): WELL,
    ("lamp_and_button", "the two wires of a button touch"): stuck_button,
    ("screen", "all is well"): WELL,
    ("screen", "its plug is out, or VCC and GND are swapped"): twins(screen_out),
    ("screen", "its bridge is at the other address"): wrong_bridge,
    ("pi", "a Pi 4"): pi(lambda folder: [machine.board(host(folder))], **{"proc__device-tree__model": PI_4}),
    ("pi", "its supply is good"): pi(lambda folder: machine.power(host(folder, "throttled=0x0\n"))),
    ("pi", "its supply is weak"): pi(lambda folder: machine.power(host(folder, "throttled=0x50005\n"))),
    ("pi", "you are not in the group"): pi(
        lambda folder: machine.groups(host(folder)), etc__group="i2c:x:998:\ngpio:x:997:\n"
    ),
    ("pi", "pip took the empty lgpio"): pi(lambda folder: machine.libraries(host(folder, module_bytes=lambda name: 0))),
    ("pi", "config.txt and the settings differ"): pi(
        _speed, boot__firmware__config_dot_txt="dtparam=i2c_arm_baudrate=400000\n"
    ),
    ("pi", "SPI has two of your pins"): pi(
        lambda folder: config_txt.spi_pins(host(folder), [8, 9]), boot__firmware__config_dot_txt="dtparam=spi=on\n"
    ),
    ("pi", "a Pi 3 or 4 whose bus follows the core's clock"): fault("slow-bus"),
    ("hub", "all is well"): lambda _: hub.said(TableWithHub(mixed()), mixed()),
    ("hub", "its cable is out"): lambda _: hub.said(hub.Pulled(mixed()), mixed()),
    ("hub", "the lead of T02 is off"): _hub_samples(wire.SILENT << 12),
    ("hub", "its mux has no power"): _hub_samples(wire.NO_MUX << 12),
    ("hub", "the magnet of T02 is too far"): _hub_samples(wire.TOO_WEAK << 12 | 5),
}
"""By page and situation."""
