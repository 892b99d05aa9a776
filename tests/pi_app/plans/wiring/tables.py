"""Settings for tests of the wiring: the examples, and random tables."""

from __future__ import annotations

from hypothesis import strategies as st

from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import Wiring
from pi_app.settings import load as reader
from pi_app.settings.load import parse
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import tables_beside
from pi_app.text.user_file import Problem


def example(size: str) -> Wiring:
    """The wiring of an example that ships."""
    return wired(reader.load(reader.example_path(size)))


def read(text: str) -> Settings:
    """Settings from a valid text."""
    path = reader.example_path("2x2")
    found = parse(text, "trapdial.toml", tables_beside(path.parent))
    assert isinstance(found, Settings), [str(problem) for problem in found if isinstance(problem, Problem)]
    return found


FREE_GPIOS = (5, 6, 7, 10, 11, 12, 13, 16, 18, 19, 20, 21, 24, 25, 26, 27)


def text_of(tiles: int, seats: int, *, hub_tiles: int = 0, more: str = "") -> str:
    """The settings of a table with these tiles behind muxes, seats with a lamp and a screen, and a hub."""
    lines = ['[table]\nname = "Any"', '[bus.dials]\ndevice = "/dev/i2c-1"\nspeed_hz = 400000']
    for mux in range(-(-tiles // 8)):
        reset = f"\nreset_gpio = {(17, 4)[mux]}" if mux < 2 else ""
        lines.append(f"[[bus.dials.mux]]\naddress = 0x{0x70 + mux:02X}{reset}")
    lines.append('[bus.screens]\ndevice = "/dev/i2c-6"\n[bus.others]\ndevice = "/dev/i2c-4"')
    for tile in range(tiles):
        lines.append(
            f'[square.T{tile:02d}]\nbus = "dials"\nmux = 0x{0x70 + tile // 8:02X}\nchannel = {tile % 8}\n'
            'table = "sample:SAMPLE-A"'
        )
    if hub_tiles:
        lines.append('[hub.west]\nport = "/dev/ttyACM0"')
    for tile in range(hub_tiles):
        lines.append(f'[square.H{tile:02d}]\nhub = "west"\nchannel = {tile}\ntable = "sample:SAMPLE-A"')
    for seat in range(seats):
        lines.append(
            f'[seat.S{seat}]\nname = "Seat {seat}"\nbutton_gpio = {FREE_GPIOS[2 * seat]}\n'
            f"lamp_gpio = {FREE_GPIOS[2 * seat + 1]}\n[seat.S{seat}.screen]\n"
            f'bus = "{("screens", "others")[seat // 2 % 2]}"\naddress = {("0x3C", "0x3D")[seat % 2]}'
        )
    return "\n".join(lines) + "\n" + more


@st.composite
def any_settings(draw: st.DrawFn) -> Settings:
    """Tables from one tile to sixty-four, one seat to four, with or without a hub."""
    chosen = draw(
        st.fixed_dictionaries(
            {
                "supply": st.sampled_from(["pi", "regulator"]),
                "lead_m": st.floats(0.1, 2).map(lambda metres: round(metres, 2)),
                "tile_pull_up_ohm": st.sampled_from([0, 4700, 10000]),
                "bus_pull_up_ohm": st.sampled_from([0, 2200, 4700]),
                "hot_plug": st.booleans(),
            }
        )
    )
    lines = [f"{key} = {_toml(value)}" for key, value in chosen.items()]
    tiles, seats = draw(st.integers(1, 64)), draw(st.integers(1, 4))
    return read(text_of(tiles, seats, hub_tiles=draw(st.integers(0, 16)), more="[wiring]\n" + "\n".join(lines) + "\n"))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
