"""Every I2C address of a table: bus, mux, channel, address, chip."""

from __future__ import annotations

from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import Part, PartKind, Wiring


def bus_map(wiring: Wiring) -> TextTable:
    """One row per chip, muxes before the chips behind them."""
    rows = []
    for line in wiring.buses:
        on_it = [part for part in wiring.parts if (part.host, part.bus) == (line.host, line.name) and part.chips]
        for part in sorted(on_it, key=_place):
            for chip in part.chips:
                rows.append(
                    (
                        line.name if line.device else f"of {line.host}",
                        line.device,
                        f"{line.speed_hz // 1000} kHz",
                        "" if part.mux is None else f"0x{part.mux:02X}",
                        "" if part.channel is None else str(part.channel),
                        f"0x{chip.address:02X}",
                        chip.model,
                        part.name,
                    )
                )
    return TextTable(("bus", "device", "speed", "mux", "channel", "address", "chip", "part"), tuple(rows))


def _place(part: Part) -> tuple[int, int, int]:
    """Sort chips on the bus itself first, and muxes before their channels."""
    if part.kind is PartKind.MUX:
        return (part.chips[0].address, -1, 0)
    return (part.mux or 0, -1 if part.channel is None else part.channel, part.chips[0].address)


def config_txt(wiring: Wiring) -> str:
    """The lines of /boot/firmware/config.txt that switch this table's buses on."""
    return "".join(f"{line.config}\n" for line in wiring.buses if line.config)


def page(wiring: Wiring) -> str:
    """As a Markdown page."""
    lines = [f"# Buses of {wiring.name}", "", bus_map(wiring).markdown(), ""]
    lines += ["## In `/boot/firmware/config.txt`", "", "Then reboot the Pi.", "", "```ini"]
    lines += [config_txt(wiring).rstrip("\n"), "```", ""]
    return "\n".join(lines)
