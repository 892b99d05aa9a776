"""A building guide for one table: only its parts, in the order of soldering, with a check after each step, as a
Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pi_app.plans.wiring.bus_map import config_txt
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import MEANING, Colour, Fitted, Lead, Part, PartKind, PartPin, Wiring
from pi_app.settings.model import Settings

Lines = Iterator[str]


def guide(wiring: Wiring, settings: Settings, file: str, failing: Sequence[str] = ()) -> str:
    """The page. `file`: the settings file's name. `failing`: the failed checks before power, as sentences."""
    lines = [f"# Building {wiring.name}", "", *_stop(failing), *_preface(wiring)]
    for number, (title, body) in enumerate(_steps(wiring, settings, file), 1):
        lines += ["", f"## {number}. {title}", "", *body]
    return "\n".join(lines).rstrip() + "\n"


def _steps(wiring: Wiring, settings: Settings, file: str) -> Iterator[tuple[str, Lines]]:
    def of_pi(kind: PartKind) -> list[Part]:
        return [part for part in wiring.of(kind) if part.host == "pi"]

    yield "On paper", _on_paper(wiring, file)
    yield "The Pi", _pi(wiring, file)
    yield "Power", _power(wiring)
    if strips := [part for part in of_pi(PartKind.STRIP) if part.bus and not part.id.endswith("switched strip")]:
        yield "Strips of the buses", _bus_strips(wiring, strips)
    for mux in of_pi(PartKind.MUX):
        yield _capital(mux.name), _mux(wiring, mux, file)
    if tiles := of_pi(PartKind.TILE):
        yield "The tiles, one by one", _tiles(wiring, tiles, file)
    if wiring.of(PartKind.SCREEN):
        yield "The screens", _screens(wiring, file)
    yield "Buttons and lamps", _seats(wiring, file)
    for hub in wiring.of(PartKind.HUB):
        yield _capital(hub.name), _hub(wiring, hub, file)
    yield "Calibrate and play", _play(settings, file)


def _stop(failing: Sequence[str]) -> Lines:
    if failing:
        yield "**Do not build this yet.** Change the settings first. They have these problems:"
        yield ""
        yield from (f"- {words}" for words in failing)
        yield ""


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _preface(wiring: Wiring) -> Lines:
    yield "Generated from this table's settings. Print it and tick off each step. The other files: the"
    yield "[drawing](wiring.svg), the [pins](pins.md), the [buses](buses.md), the [parts](parts.md), the"
    yield "[cables](cables.md), and the [checks before power](checks.md)."
    yield ""
    yield "Everything runs on 3.3 V. Connect nothing to pins 2 and 4 of the Pi: they carry 5 V. Unplug the supply"
    yield "before you move wires inside the box."
    yield ""
    used = {wire.colour for lead in wiring.leads for wire in lead.wires}
    yield TextTable(
        ("wire", "carries"), tuple((colour.value, MEANING[colour]) for colour in MEANING if colour in used)
    ).markdown()


def _box(words: str) -> str:
    return f"- [ ] {words}"


def _shell(*lines: str) -> Lines:
    yield ""
    yield "```sh"
    yield from lines
    yield "```"
    yield ""


def _wires(wiring: Wiring, lead: Lead) -> str:
    """The pins at both ends of each wire of a lead."""
    rows = tuple((wire.colour.value, _end(wiring, wire.near), _end(wiring, wire.far)) for wire in lead.wires)
    return TextTable(("wire", "from", "to"), rows).markdown()


def _end(wiring: Wiring, pin: PartPin) -> str:
    part = wiring.part(pin.part)
    if part.kind in (PartKind.PI, PartKind.HUB):
        return f"{part.name} pin {pin.name}, {pin.called}"
    return f"{part.name}, {pin.name}"


def _lead_of(wiring: Wiring, part: Part) -> Lead:
    """The lead whose far end is at this part."""
    return next(lead for lead in wiring.leads if any(wire.far.part == part.id for wire in lead.wires))


def _solder(fitted: Sequence[Fitted]) -> Lines:
    """A line for each kind of component in one place."""
    by_kind: dict[tuple[str, str], list[Fitted]] = {}
    for each in fitted:
        why = each.why.partition(" of ")[0] if each.why.startswith("pull-up") else each.why
        by_kind.setdefault((each.value, why), []).append(each)
    for (value, why), own in by_kind.items():
        ends: dict[str, list[str]] = {}
        for one, other in (each.ends for each in own):
            ends.setdefault(_named(other), []).append(_named(one))
        pins = "; ".join(f"{', '.join(ones)} to {other}" for other, ones in ends.items())
        yield _box(f"{len(own)} x {value}: {pins} ({why}).")


def _named(pin: PartPin) -> str:
    return f"pin {pin.name} ({pin.called})" if pin.called else pin.name


# --------------------------------------------------------------------------------------------------------- steps


def _on_paper(wiring: Wiring, file: str) -> Lines:
    named = "" if file == "trapdial.toml" else f" -s {file}"
    yield "Before you buy or solder anything, check the plan with the program."
    yield from _shell(f"trapdial settings check{named}", f"trapdial wiring{named} --check")
    yield "Resolve every line with `!!` before you build; check the lines with `??` yourself."
    yield ""
    yield _box("You have everything on the [parts list](parts.md).")
    sheets = "[labels](labels_1.svg)" + (" and [lamp cards](lamp_cards_1.svg)" if wiring.of(PartKind.LAMP) else "")
    yield _box(f"You printed the {sheets} at 100 %.")
    yield _box("The comb of `wiring_docs/printed_parts.md` fits magnet and gauge, and the squares are printed.")


def _pi(wiring: Wiring, file: str) -> Lines:
    yield "Connect no wires yet. Install Trapdial as in `wiring_docs/pi.md`, and add these lines to"
    yield "`/boot/firmware/config.txt`:"
    yield ""
    yield "```ini"
    yield from config_txt(wiring).splitlines()
    yield "```"
    yield ""
    yield "Reboot the Pi, then run:"
    yield from _shell(f"trapdial doctor --settings {file}")
    yield "- [ ] Each bus is `ok`: " + ", ".join(f"`{bus.name}`" for bus in wiring.buses if bus.device) + "."
    yield "- [ ] Every chip is still missing (`!!`). That is right: nothing is wired yet."


def _power(wiring: Wiring) -> Lines:
    yield "Switch the Pi off and unplug its supply. Connect only red and black wires now."
    yield ""
    for part in wiring.of(PartKind.REGULATOR, PartKind.SWITCH):
        yield from _with_lead(wiring, _lead_of(wiring, part), f"{_capital(part.name)}: {part.set_to}.")
    feeds = [lead for lead in _feeds(wiring, "pi") if {wire.colour for wire in lead.wires} <= _POWER]
    for lead in feeds:
        yield from _with_lead(wiring, lead)
    if not feeds:
        yield _box("This table is small: the Pi's own pins power every part, without a strip.")
    yield _box("Meter on ohms, from 3.3 V to ground: no short. Tens of ohms or less means a mistake; find it now.")
    yield _box("Plug the supply in. Meter on volts: 3.2 to 3.4 V between red and black. Unplug it.")


_POWER: Final = {Colour.RED, Colour.BLACK}


def _feeds(wiring: Wiring, host: str) -> list[Lead]:
    """The leads from this host to its strips."""
    strips = {part.id for part in wiring.of(PartKind.STRIP) if part.host == host}
    return [lead for lead in wiring.leads if lead.wires and {wire.far.part for wire in lead.wires} <= strips]


def _with_lead(wiring: Wiring, lead: Lead, before: str = "", solder: Sequence[Fitted] = ()) -> Lines:
    """A box to tick for a lead, its components, and its wires."""
    yield _box(f"{before} Lead **{lead.label}**, {lead.length_m:g} m:".strip())
    at_host = {wire.near for wire in lead.wires if wiring.part(wire.near.part).kind in (PartKind.PI, PartKind.HUB)}
    pull_ups = [each for each in wiring.fitted if each.ends[0] in at_host and each.why.startswith("pull-up")]
    yield from (f"  {line}" for line in _solder([*solder, *pull_ups]))
    yield ""
    yield _wires(wiring, lead)
    yield ""


def _bus_strips(wiring: Wiring, strips: Sequence[Part]) -> Lines:
    yield "If a bus has more than one lead, a strip joins them."
    yield ""
    for strip in strips:
        for lead in _feeds(wiring, strip.host):
            if lead.wires[0].far.part == strip.id:
                yield from _with_lead(wiring, lead)
        own = [each for each in wiring.fitted if any(end.part == strip.id for end in each.ends)]
        yield from (f"{line[:-1]}, between the {strip.name} and 3.3 V." for line in _solder(own))
    yield _box(
        "Meter on ohms, supply unplugged: SDA, SCL, 3.3 V and ground of each strip are not connected to each other."
    )
    if any(
        each.why.startswith("pull-up") for strip in strips for each in wiring.fitted if each.ends[0].part == strip.id
    ):
        yield _box("Plug the supply in. Meter on volts: the pull-ups hold SDA and SCL at 3.2 to 3.4 V. Unplug it.")


def _mux(wiring: Wiring, mux: Part, file: str) -> Lines:
    lead = _lead_of(wiring, mux)
    yield f"Unplug the supply. Set its straps first: {mux.set_to}."
    yield ""
    own = [each for each in wiring.fitted if each.at == mux.name]
    yield from _solder(own)
    if any("pull-up" in each.why for each in own):
        yield "  Leave the pull-ups out if the tiles' boards have their own; then set their value as"
        yield "  `tile_pull_up_ohm` in `[wiring]`, and `channel_pull_up_ohm` to 0."
    yield from _with_lead(wiring, lead)
    yield from _ask(file)
    yield _box(f"The doctor reports {mux.name} as `ok`, and its tiles as missing.")


def _ask(file: str, words: str = "Plug the supply in and run:") -> Lines:
    yield ""
    yield words
    yield from _shell(f"trapdial doctor --settings {file}")


def _tiles(wiring: Wiring, tiles: Sequence[Part], file: str) -> Lines:
    yield "Connect and check one tile at a time: two tiles on one lead would answer with nonsense, and you find a wrong"
    yield "lead at once. For each: straps, capacitors beside its chip, magnet glued in, lead, label at both ends."
    yield from _ask(file, "After each tile, plug the supply in, run this, and unplug it again:")
    for tile in tiles:
        yield from _tile(wiring, tile)


def _tile(wiring: Wiring, tile: Part) -> Lines:
    lead = _lead_of(wiring, tile)
    yield f"### {_capital(tile.name)}"
    yield ""
    chips = " and ".join(f"{chip.model} at 0x{chip.address:02X}" for chip in tile.chips)
    yield _box(f"{chips}{'; ' + tile.set_to if tile.set_to else ''}.")
    yield from _solder([each for each in wiring.fitted if each.at == tile.name])
    yield from _with_lead(wiring, lead)
    yield _box(f"The doctor reports encoder {tile.id} as `ok`, with a good magnet.")
    yield ""


def _screens(wiring: Wiring, file: str) -> Lines:
    yield "Set the solder bridge on the back before you wire a screen: two screens with one address show both seats'"
    yield "secrets."
    yield ""
    for screen in wiring.of(PartKind.SCREEN):
        lead = _lead_of(wiring, screen)
        yield from _with_lead(wiring, lead, f"{_capital(screen.name)}: {screen.set_to}.")
    yield from _ask(file)
    yield _box("The doctor reports every screen as `ok`. Each is dark until its button is held in a game.")


def _seats(wiring: Wiring, file: str) -> Lines:
    yield "A button closes to ground. A lamp has its resistor in the lead's signal wire, at the Pi's end."
    yield ""
    for lead in (each for each in wiring.leads if each.label.startswith("S-")):
        own = {wire.far for wire in lead.wires}
        resistors = [each for each in wiring.fitted if each.ends[1] in own]
        yield from _with_lead(wiring, lead, f"{_capital(lead.far)}.", resistors)
    yield from _ask(file)
    yield _box("The doctor reports every button as `ok` while you press none.")
    yield _box("Check each lamp by eye in the first game. If it stays dark, reverse it.")


def _hub(wiring: Wiring, hub: Part, file: str) -> Lines:
    yield "Unplug the USB cable. The hub powers its mux and its tiles from its own 3.3 V."
    yield ""
    for lead in _feeds(wiring, hub.id):
        yield from _with_lead(wiring, lead)
    strips = {part.id for part in wiring.of(PartKind.STRIP) if part.host == hub.id}
    yield from _solder([each for each in wiring.fitted if each.ends[0].part in strips])
    for mux in (each for each in wiring.of(PartKind.MUX) if each.host == hub.id):
        own = [each for each in wiring.fitted if each.at == mux.name]
        yield from _with_lead(wiring, _lead_of(wiring, mux), f"{_capital(mux.name)}: {mux.set_to}.", own)
    name = hub.id.removeprefix("hub ")
    yield "Measure ohms between 3.3 V and ground, as for the Pi. Then plug in the USB cable and put the firmware on the"
    yield "board, as in `wiring_docs/hub.md`. RESET is wired, so set `MUX_RESET = 9` in its `board.py`."
    yield from _shell(
        "trapdial hub list", "trapdial hub install --port /dev/ttyACM0", f"trapdial hub diag {name} --settings {file}"
    )
    yield _box("`diag` finds the mux. Then connect the tiles one by one, with `diag` after each:")
    yield ""
    for tile in (each for each in wiring.of(PartKind.TILE) if each.host == hub.id):
        yield from _tile(wiring, tile)


def _play(settings: Settings, file: str) -> Lines:
    yield "Calibrate the detents, then play."
    yield from _shell(f"trapdial calibrate --settings {file}", f"trapdial play --settings {file}")
    if not settings.table.calibration:
        yield '- [ ] `calibration = "calibration.toml"` is in `[table]`.'
    yield "- [ ] Turn each dial once while the others rest: only its own label answers. If another one does, two leads"
    yield "  are swapped; this is the one mistake that no program can find."
    yield "- [ ] Only its own player was able to see each lamp and each screen."
