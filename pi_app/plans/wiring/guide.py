"""A building guide for one table: only its parts, in the order of soldering, with a check after each step, as a
Markdown page."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pi_app.plans.wiring import guide_squares
from pi_app.plans.wiring.bus_map import config_txt
from pi_app.plans.wiring.guide_lines import (
    Lines,
    ask,
    box,
    capital,
    lead_of,
    page,
    shell,
    solder,
    with_lead,
    with_settings,
)
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import MEANING, Colour, Lead, Part, PartKind, Wiring
from pi_app.settings.model import Settings
from pi_app.text.printed import shown


def guide(
    wiring: Wiring, settings: Settings, file: str, failing: Sequence[str] = (), there: Collection[str] = ()
) -> str:
    """The page. `file`: the settings file's name. `failing`: the failed checks before power, as sentences. `there`: the
    names of the other files in its folder."""
    file = shlex.quote(shown(file))
    lines = [f"# Building {wiring.name}", "", *_stop(failing), *_preface(wiring)]
    for number, (title, body) in enumerate(_steps(wiring, settings, file, there), 1):
        lines += ["", f"## {number}. {title}", "", *body]
    return "\n".join(lines).rstrip() + "\n"


def _steps(wiring: Wiring, settings: Settings, file: str, there: Collection[str]) -> Iterator[tuple[str, Lines]]:
    def of_pi(kind: PartKind) -> list[Part]:
        return [part for part in wiring.of(kind) if part.host == "pi"]

    yield "On paper", _on_paper(wiring, file)
    yield "The Pi", _pi(wiring, file)
    if any(tile.model in guide_squares.MAGNETIC for tile in wiring.of(PartKind.TILE)):
        clicks = [square.table.clicks for square in settings.squares.values()]
        title = "The squares" if len(clicks) > 1 else "The square"
        yield title, guide_squares.squares(wiring, there, clicks, file)
    yield "The leads", guide_squares.leads(wiring)
    yield "Power", _power(wiring)
    if strips := [part for part in of_pi(PartKind.STRIP) if part.bus and not part.id.endswith("switched strip")]:
        yield "Strips of the buses", _bus_strips(wiring, strips)
    for mux in of_pi(PartKind.MUX):
        yield capital(mux.name), _mux(wiring, mux, file)
    if tiles := of_pi(PartKind.TILE):
        yield "The tiles, one by one" if len(tiles) > 1 else "The tile", guide_squares.tiles(wiring, tiles, file)
    if wiring.of(PartKind.SCREEN):
        yield "The screens", _screens(wiring, file)
    yield "Buttons and lamps", _seats(wiring, file)
    for hub in wiring.of(PartKind.HUB):
        yield capital(hub.name), _hub(wiring, hub, file)
    yield "Calibrate and play", _play(settings, file)


def _stop(failing: Sequence[str]) -> Lines:
    if failing:
        yield "**Do not build this yet.** Change the settings first. They have these problems:"
        yield ""
        yield from (f"- {words}" for words in failing)
        yield ""


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


# --------------------------------------------------------------------------------------------------------- steps


def _on_paper(wiring: Wiring, file: str) -> Lines:
    named = with_settings(file)
    yield "Before you buy or solder anything, check the plan with the program."
    yield from shell(f"trapdial settings check{named}", f"trapdial wiring{named} --check")
    yield "Resolve every line with `!!` before you build; check the lines with `??` yourself."
    yield ""
    yield box("You have everything on the [parts list](parts.md).")
    lamps = ", [lamp cards](lamp_cards_1.svg)" if wiring.of(PartKind.LAMP) else ""
    sheets = f"[labels](labels_1.svg){lamps} and [the table's words](table_words.svg)"
    yield box(f"You printed the {sheets} at 100 %, and the bar on each page measures 50 mm.")


def _pi(wiring: Wiring, file: str) -> Lines:
    yield f"Connect no wires yet. Install Trapdial as in {page('pi')}, and add these lines to"
    yield "`/boot/firmware/config.txt`:"
    yield ""
    yield "```ini"
    yield from config_txt(wiring).splitlines()
    yield "```"
    yield ""
    yield "Reboot the Pi, then run:"
    yield from shell(f"trapdial doctor --settings {file}")
    yield "- [ ] Each bus is `ok`: " + ", ".join(f"`{bus.name}`" for bus in wiring.buses if bus.device) + "."
    yield "- [ ] Every chip is still missing (`!!`). That is right: nothing is wired yet."


def _power(wiring: Wiring) -> Lines:
    made = wiring.of(PartKind.REGULATOR, PartKind.SWITCH)
    feeds = [lead for lead in _feeds(wiring, "pi") if {wire.colour for wire in lead.wires} <= _POWER]
    if not made and not feeds:
        yield "This table is small: the Pi's own pins power every part, without a strip. There is nothing to wire yet."
        yield ""
        yield box("Plug the supply in. Meter on volts, black on pin 6 and red on pin 1: 3.2 to 3.4 V. Unplug it.")
        return
    yield "Switch the Pi off and unplug its supply. Connect only red and black wires now."
    yield ""
    for part in made:
        yield from with_lead(wiring, lead_of(wiring, part), f"{capital(part.name)}: {part.set_to}.")
    for lead in feeds:
        yield from with_lead(wiring, lead)
    yield box("Meter on ohms, from 3.3 V to ground: no short. Tens of ohms or less means a mistake; find it now.")
    yield box("Plug the supply in. Meter on volts: 3.2 to 3.4 V between red and black. Unplug it.")


_POWER: Final = {Colour.RED, Colour.BLACK}


def _feeds(wiring: Wiring, host: str) -> list[Lead]:
    """The leads from this host to its strips."""
    strips = {part.id for part in wiring.of(PartKind.STRIP) if part.host == host}
    return [lead for lead in wiring.leads if lead.wires and {wire.far.part for wire in lead.wires} <= strips]


def _bus_strips(wiring: Wiring, strips: Sequence[Part]) -> Lines:
    yield "If a bus has more than one lead, a strip joins them."
    yield ""
    for strip in strips:
        for lead in _feeds(wiring, strip.host):
            if lead.wires[0].far.part == strip.id:
                yield from with_lead(wiring, lead)
        own = [each for each in wiring.fitted if any(end.part == strip.id for end in each.ends)]
        yield from (f"{line[:-1]}, between the {strip.name} and 3.3 V." for line in solder(own))
    yield box(
        "Meter on ohms, supply unplugged: SDA, SCL, 3.3 V and ground of each strip are not connected to each other."
    )
    if any(
        each.why.startswith("pull-up") for strip in strips for each in wiring.fitted if each.ends[0].part == strip.id
    ):
        yield box("Plug the supply in. Meter on volts: the pull-ups hold SDA and SCL at 3.2 to 3.4 V. Unplug it.")


def _mux(wiring: Wiring, mux: Part, file: str) -> Lines:
    lead = lead_of(wiring, mux)
    yield f"Unplug the supply. Set its straps first: {mux.set_to}."
    yield ""
    own = [each for each in wiring.fitted if each.at == mux.name]
    yield from solder(own)
    if any("pull-up" in each.why for each in own):
        yield "  Leave the pull-ups out if the tiles' boards have their own; then set their value as"
        yield "  `tile_pull_up_ohm` in `[wiring]`, and `channel_pull_up_ohm` to 0."
    yield from with_lead(wiring, lead)
    yield from ask(file)
    yield box(f"The doctor reports {mux.name} as `ok`, and its tiles as missing.")


def _screens(wiring: Wiring, file: str) -> Lines:
    yield "Set the solder bridge on the back before you wire a screen: two screens with one address show both seats'"
    yield "secrets."
    yield ""
    for screen in wiring.of(PartKind.SCREEN):
        lead = lead_of(wiring, screen)
        yield from with_lead(wiring, lead, f"{capital(screen.name)}: {screen.set_to}.")
    yield from ask(file)
    yield box("The doctor reports every screen as `ok`. Each is dark until its button is held in a game.")


def _seats(wiring: Wiring, file: str) -> Lines:
    yield "A button closes to ground. A lamp has its resistor in the lead's signal wire, at the Pi's end; its long leg"
    yield f"is +. More: {page('lamp_and_button')}."
    yield ""
    yield from guide_squares.hoods(wiring)
    for lead in (each for each in wiring.leads if each.label.startswith("S-")):
        own = {wire.far for wire in lead.wires}
        resistors = [each for each in wiring.fitted if each.ends[1] in own]
        yield from with_lead(wiring, lead, f"{capital(lead.far)}.", resistors)
    yield from ask(file)
    yield box("The doctor reports every button as `ok` while you press none.")
    yield box("From the other seats you can see no lamp" + (" and no screen" if wiring.of(PartKind.SCREEN) else "")
              + ". Check each lamp by eye in the first game; if it stays dark, reverse it.")  # fmt: skip


def _hub(wiring: Wiring, hub: Part, file: str) -> Lines:
    yield "Unplug the USB cable. The hub powers its mux and its tiles from its own 3.3 V."
    yield ""
    for lead in _feeds(wiring, hub.id):
        yield from with_lead(wiring, lead)
    strips = {part.id for part in wiring.of(PartKind.STRIP) if part.host == hub.id}
    yield from solder([each for each in wiring.fitted if each.ends[0].part in strips])
    for mux in (each for each in wiring.of(PartKind.MUX) if each.host == hub.id):
        own = [each for each in wiring.fitted if each.at == mux.name]
        yield from with_lead(wiring, lead_of(wiring, mux), f"{capital(mux.name)}: {mux.set_to}.", own)
    name = hub.id.removeprefix("hub ")
    yield "Measure ohms between 3.3 V and ground, as for the Pi. Then plug in the USB cable and put the firmware on the"
    yield f"board, as in {page('hub')}. RESET is wired, so set `MUX_RESET = 9` in its `board.py`."
    yield from shell(
        "trapdial hub list", "trapdial hub install --port /dev/ttyACM0", f"trapdial hub diag {name} --settings {file}"
    )
    yield box("`diag` finds the mux. Then connect the tiles one by one, with `diag` after each:")
    yield ""
    if not any(tile.host == "pi" for tile in wiring.of(PartKind.TILE)):
        yield from guide_squares.capacitors()
        yield ""
    for tile in (each for each in wiring.of(PartKind.TILE) if each.host == hub.id):
        yield from guide_squares.tile(wiring, tile)


def _play(settings: Settings, file: str) -> Lines:
    yield "Calibrate the detents, then play."
    yield from shell(f"trapdial calibrate --settings {file}", f"trapdial play --settings {file}")
    if not settings.table.calibration:
        yield box(
            '`calibrate` asked whether to write `calibration = "calibration.toml"` into `[table]`, and you said yes.'
        )
    if len(settings.squares) > 1:
        yield box(
            "Turn each dial once while the others rest: only its own label answers. If another one does, two leads"
        )
        yield "  are swapped; this is the one mistake that no program can find."
    if settings.pages is not None:
        yield box(f"Each player has a card for a phone, from `trapdial pages cards --settings {file}`. The sheet")
        yield "  [phone_cards_1.svg](phone_cards_1.svg) shows the cards without their codes, which are secret."
    seen = "each lamp and each screen" if any(seat.screen for seat in settings.seats.values()) else "each lamp"
    yield box(f"Only its own player was able to see {seen}.")
