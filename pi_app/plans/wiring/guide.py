"""A guide for building this very table: only its parts, in the order in which one solders, with a check after each
step. As a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pi_app.plans.wiring.bus_map import config_txt
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import MEANING, Colour, Fitted, Lead, Part, PartKind, PartPin, Wiring
from pi_app.settings.load import Settings

Lines = Iterator[str]


def guide(wiring: Wiring, settings: Settings, file: str, failing: Sequence[str] = ()) -> str:
    """The page. `file`: the settings file as the builder calls it. `failing`: what was found before power that must not
    be built so, as whole sentences."""
    lines = [f"# Building {wiring.name}", "", *_stop(failing), *_preface(wiring)]
    for number, (title, told) in enumerate(_steps(wiring, settings, file), 1):
        lines += ["", f"## {number}. {title}", "", *told]
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
        yield "**Do not build this yet.** Change the settings first; what is found wrong with them:"
        yield ""
        yield from (f"- {words}" for words in failing)
        yield ""


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _preface(wiring: Wiring) -> Lines:
    yield "Made from the settings that run this table. Print it and tick off what is done. Beside it: the"
    yield "[drawing](wiring.svg), the [pins](pins.md), the [buses](buses.md), the [parts](parts.md), the"
    yield "[cables](cables.md), and what was [checked before power](checks.md)."
    yield ""
    yield "Everything runs on 3.3 V. Nothing goes to pin 2 or 4 of the Pi: they carry 5 V. Whenever wires are moved"
    yield "inside the box, the supply is out."
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
    """Where each wire of a lead goes, at both ends."""
    rows = tuple((wire.colour.value, _end(wiring, wire.near), _end(wiring, wire.far)) for wire in lead.wires)
    return TextTable(("wire", "from", "to"), rows).markdown()


def _end(wiring: Wiring, pin: PartPin) -> str:
    part = wiring.part(pin.part)
    if part.kind in (PartKind.PI, PartKind.HUB):
        return f"{part.name} pin {pin.name}, {pin.called}"
    return f"{part.name}, {pin.name}"


def _lead_of(wiring: Wiring, part: Part) -> Lead:
    """The lead at whose far end this part is."""
    return next(lead for lead in wiring.leads if any(wire.far.part == part.id for wire in lead.wires))


def _solder(fitted: Sequence[Fitted]) -> Lines:
    """A line for each kind of part that is soldered in one place."""
    by_kind: dict[tuple[str, str], list[Fitted]] = {}
    for each in fitted:
        why = each.why.partition(" of ")[0] if each.why.startswith("pull-up") else each.why
        by_kind.setdefault((each.value, why), []).append(each)
    for (value, why), own in by_kind.items():
        ends: dict[str, list[str]] = {}
        for one, other in (each.ends for each in own):
            ends.setdefault(_named(other), []).append(_named(one))
        told = "; ".join(f"{', '.join(ones)} to {other}" for other, ones in ends.items())
        yield _box(f"{len(own)} x {value}: {told} ({why}).")


def _named(pin: PartPin) -> str:
    return f"pin {pin.name} ({pin.called})" if pin.called else pin.name


# --------------------------------------------------------------------------------------------------------- steps


def _on_paper(wiring: Wiring, file: str) -> Lines:
    yield "Before anything is bought or soldered, look at what the program says of the plan."
    yield from _shell(f"trapdial settings check {file}", f"trapdial wiring {file} --check")
    yield "Every line with `!!` must go before you build; `??` is for you to look at."
    yield ""
    yield _box("Everything on the [parts list](parts.md) is there.")
    sheets = "[labels](labels_1.svg)" + (" and [lamp cards](lamp_cards_1.svg)" if wiring.of(PartKind.LAMP) else "")
    yield _box(f"The {sheets} are printed at 100 %.")
    yield _box("The comb of `wiring_docs/printed_parts.md` fits its magnet and its gaps; then the squares are printed.")


def _pi(wiring: Wiring, file: str) -> Lines:
    yield "No wires yet. Install Trapdial, as `wiring_docs/pi.md` says, and put these lines into"
    yield "`/boot/firmware/config.txt`:"
    yield ""
    yield "```ini"
    yield from config_txt(wiring).splitlines()
    yield "```"
    yield ""
    yield "Reboot the Pi, then ask:"
    yield from _shell(f"trapdial doctor --settings {file}")
    yield "- [ ] Each bus is `ok`: " + ", ".join(f"`{bus.name}`" for bus in wiring.buses if bus.device) + "."
    yield "- [ ] Every chip is still missing (`!!`). That is right: nothing is wired."


def _power(wiring: Wiring) -> Lines:
    yield "The Pi is off and its supply is out. Only red and black wires now."
    yield ""
    for part in wiring.of(PartKind.REGULATOR, PartKind.SWITCH):
        yield from _with_lead(wiring, _lead_of(wiring, part), f"{_capital(part.name)}: {part.set_to}.")
    feeds = [lead for lead in _feeds(wiring, "pi") if {wire.colour for wire in lead.wires} <= _POWER]
    for lead in feeds:
        yield from _with_lead(wiring, lead)
    if not feeds:
        yield _box("This table is small: every part takes its power from the Pi's own pins, without a strip.")
    yield _box("Meter on ohms, from 3.3 V to ground: not a short. Tens of ohms or less means a mistake; find it now.")
    yield _box("Supply in. Meter on volts: 3.2 to 3.4 V between red and black. Supply out.")


_POWER: Final = {Colour.RED, Colour.BLACK}


def _feeds(wiring: Wiring, host: str) -> list[Lead]:
    """The leads from this host to its strips."""
    strips = {part.id for part in wiring.of(PartKind.STRIP) if part.host == host}
    return [lead for lead in wiring.leads if lead.wires and {wire.far.part for wire in lead.wires} <= strips]


def _with_lead(wiring: Wiring, lead: Lead, before: str = "", solder: Sequence[Fitted] = ()) -> Lines:
    """A line to tick off for a lead, what is soldered with it, and its wires."""
    yield _box(f"{before} Lead **{lead.label}**, {lead.length_m:g} m:".strip())
    at_host = {wire.near for wire in lead.wires if wiring.part(wire.near.part).kind in (PartKind.PI, PartKind.HUB)}
    pull_ups = [each for each in wiring.fitted if each.ends[0] in at_host and each.why.startswith("pull-up")]
    yield from (f"  {line}" for line in _solder([*solder, *pull_ups]))
    yield ""
    yield _wires(wiring, lead)
    yield ""


def _bus_strips(wiring: Wiring, strips: Sequence[Part]) -> Lines:
    yield "Where more than one lead hangs on a bus, a strip joins them."
    yield ""
    for strip in strips:
        for lead in _feeds(wiring, strip.host):
            if lead.wires[0].far.part == strip.id:
                yield from _with_lead(wiring, lead)
        own = [each for each in wiring.fitted if any(end.part == strip.id for end in each.ends)]
        yield from (f"{line[:-1]}, between the {strip.name} and 3.3 V." for line in _solder(own))
    yield _box("Meter on ohms, supply out: SDA, SCL, 3.3 V and ground of each strip are not joined with one another.")
    if any(
        each.why.startswith("pull-up") for strip in strips for each in wiring.fitted if each.ends[0].part == strip.id
    ):
        yield _box("Supply in. Meter on volts: SDA and SCL at 3.2 to 3.4 V, held up by their pull-ups. Supply out.")


def _mux(wiring: Wiring, mux: Part, file: str) -> Lines:
    lead = _lead_of(wiring, mux)
    yield f"Supply out. Set its straps first: {mux.set_to}."
    yield ""
    own = [each for each in wiring.fitted if each.at == mux.name]
    yield from _solder(own)
    if any("pull-up" in each.why for each in own):
        yield "  Leave the pull-ups out where the tiles' boards carry their own; then write their value as"
        yield "  `tile_pull_up_ohm` into `[wiring]`, and 0 as `channel_pull_up_ohm`."
    yield from _with_lead(wiring, lead)
    yield from _ask(file)
    yield _box(f"The doctor says `ok` of {mux.name}, and still misses its tiles.")


def _ask(file: str, words: str = "Supply in, and ask:") -> Lines:
    yield ""
    yield words
    yield from _shell(f"trapdial doctor --settings {file}")


def _tiles(wiring: Wiring, tiles: Sequence[Part], file: str) -> Lines:
    yield "One tile, one look, then the next: two tiles on one lead would answer with nonsense, and a wrong lead is"
    yield "found at once. For each: straps, capacitors beside its chip, magnet glued in, lead, label at both ends."
    yield from _ask(file, "After each: supply in, and ask:")
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
    yield _box(f"The doctor says `ok` of encoder {tile.id}, and that its magnet is good.")
    yield ""


def _screens(wiring: Wiring, file: str) -> Lines:
    yield "Set the solder bridge on the back before you wire: two screens at one address show both seats' secrets."
    yield ""
    for screen in wiring.of(PartKind.SCREEN):
        lead = _lead_of(wiring, screen)
        yield from _with_lead(wiring, lead, f"{_capital(screen.name)}: {screen.set_to}.")
    yield from _ask(file)
    yield _box("The doctor says `ok` of every screen. Each is dark until its button is held in a game.")


def _seats(wiring: Wiring, file: str) -> Lines:
    yield "A button closes to ground. A lamp has its resistor in the lead's signal wire, at the Pi's end."
    yield ""
    for lead in (each for each in wiring.leads if each.label.startswith("S-")):
        own = {wire.far for wire in lead.wires}
        resistors = [each for each in wiring.fitted if each.ends[1] in own]
        yield from _with_lead(wiring, lead, f"{_capital(lead.far)}.", resistors)
    yield from _ask(file)
    yield _box("The doctor says `ok` of every button, also while you hold none.")
    yield _box("Whether a lamp shines only eyes can tell: it does in the first game. If not, turn it round.")


def _hub(wiring: Wiring, hub: Part, file: str) -> Lines:
    yield "The USB cable is out. The hub feeds its mux and its tiles from its own 3.3 V."
    yield ""
    for lead in _feeds(wiring, hub.id):
        yield from _with_lead(wiring, lead)
    strips = {part.id for part in wiring.of(PartKind.STRIP) if part.host == hub.id}
    yield from _solder([each for each in wiring.fitted if each.ends[0].part in strips])
    for mux in (each for each in wiring.of(PartKind.MUX) if each.host == hub.id):
        own = [each for each in wiring.fitted if each.at == mux.name]
        yield from _with_lead(wiring, _lead_of(wiring, mux), f"{_capital(mux.name)}: {mux.set_to}.", own)
    name = hub.id.removeprefix("hub ")
    yield "Meter on ohms between 3.3 V and ground, as for the Pi. Then plug in the USB cable and put the firmware on"
    yield "the board, as `wiring_docs/hub.md` says. RESET is wired, so its `board.py` says `MUX_RESET = 9`."
    yield from _shell(
        "trapdial hub list", "trapdial hub install --port /dev/ttyACM0", f"trapdial hub diag {name} --settings {file}"
    )
    yield _box("`diag` finds the mux. Then the tiles, one by one, with `diag` after each:")
    yield ""
    for tile in (each for each in wiring.of(PartKind.TILE) if each.host == hub.id):
        yield from _tile(wiring, tile)


def _play(settings: Settings, file: str) -> Lines:
    yield "Learn where the detents are, and play."
    yield from _shell(f"trapdial calibrate --settings {file}", f"trapdial play --settings {file}")
    if not settings.table.calibration:
        yield '- [ ] `calibration = "calibration.toml"` stands in `[table]`.'
    yield "- [ ] Turn each dial once while the others rest: only its own label answers. If another one does, two leads"
    yield "  are swapped; that is the one mistake that no program sees by itself."
    yield "- [ ] Each lamp and each screen was seen by its own player, and by nobody else."
