"""The parts to buy and to print, with what to ask a shop for; and the cables to make."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from hardware.encoders import ENCODERS
from pi_app.plans.printed.square import CLAMP_SCREW_LENGTH, SCREW_LENGTH
from pi_app.plans.printed.weights import ASSUMED, filament
from pi_app.plans.wiring.order import LATCHED_CABLE, PLAIN_CABLE, SUPPLIES, TOOLS, order
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import Lead, Part, PartKind, Wiring

MAGNETIC: Final = tuple(kind.part for kind in ENCODERS.values() if kind.absolute)
TVS_LINES: Final = 4
"""Lines of one protection array."""

COLUMNS: Final = ("how many", "part", "order", "for", "note", "price")

SECTIONS: Final = ("Boards", "Seats", "Squares", "To print", "To solder", "Cables and plugs", "Tools")


class PartRow(NamedTuple):
    """One line of the list. `number`: how many, or grams. `part`: its name in all files. `order`: what to ask for, if
    `order(part)` does not say it."""

    section: str
    number: str
    part: str
    use: str
    note: str = ""
    order: str = ""


def rows_of(wiring: Wiring) -> list[PartRow]:
    """Everything to buy and to print, section by section."""
    found = [*_boards(wiring), *_squares(wiring), *_fitted(wiring), *_cables(wiring), *_plugs(wiring), *_tools()]
    return sorted(found, key=lambda row: SECTIONS.index(row.section))


def parts_list(wiring: Wiring) -> TextTable:
    """All sections as one table, for a spreadsheet. The builder fills in the price."""
    rows = tuple((row.section, *_cells(row)) for row in rows_of(wiring))
    return TextTable(("section", *COLUMNS), (*rows, ("", "", "sum", "", "", "", "")))


def _cells(row: PartRow) -> tuple[str, ...]:
    return row.number, row.part, row.order or order(row.part), row.use, row.note, ""


def _boards(wiring: Wiring) -> Iterator[PartRow]:
    pi = wiring.part("pi")
    yield PartRow("Boards", "1", pi.model, "the table")
    yield PartRow("Boards", "1", "power supply of the Pi", "the table", "with a short, thick cable", SUPPLIES[pi.model])
    yield PartRow("Boards", "1", "microSD card", "Raspberry Pi OS Lite, 64-bit, and the journal")
    for part in wiring.of(PartKind.REGULATOR, PartKind.SWITCH):
        yield PartRow("Boards", "1", part.model, part.name, part.set_to)
    if hubs := wiring.of(PartKind.HUB):
        yield PartRow("Boards", str(len(hubs)), hubs[0].model, _names(hubs), "with MicroPython 1.25 or later")
    if muxes := wiring.of(PartKind.MUX):
        straps = "; ".join(dict.fromkeys(mux.set_to for mux in muxes))
        yield PartRow("Boards", str(len(muxes)), "TCA9548A board", _names(muxes), straps)
    yield from _encoders(wiring)
    yield from _grouped("Boards", wiring.of(PartKind.SCREEN), "")
    yield from _grouped("Seats", wiring.of(PartKind.BUTTON), "closes while it is pressed")
    yield from _grouped("Seats", wiring.of(PartKind.LAMP), "in a tube or under a hood")
    for strip in wiring.of(PartKind.STRIP):
        ends = Counter(end.name for lead in wiring.leads for wire in lead.wires for end in (wire.near, wire.far)
                       if end.part == strip.id)  # fmt: skip
        rails = ", ".join(f"{rail}: {count} terminals" for rail, count in ends.items())
        yield PartRow("Cables and plugs", "1", "terminal strip", strip.name, rails)


def _encoders(wiring: Wiring) -> Iterator[PartRow]:
    tiles = wiring.of(PartKind.TILE)
    for model in dict.fromkeys(tile.model for tile in tiles):
        own = [tile for tile in tiles if tile.model == model]
        straps = "; ".join(dict.fromkeys(tile.set_to for tile in own if tile.set_to))
        yield PartRow("Boards", str(len(own)), f"{model} board", _names(own), straps)
    memories = [chip.model for tile in tiles for chip in tile.chips[1:]]
    for model, count in Counter(memories).items():
        yield PartRow("Boards", str(count), model, "a tile each", "on the encoder's lead, with 100 nF beside it")


def _squares(wiring: Wiring) -> Iterator[PartRow]:
    """Magnets, screws and filament: a square each, and a hood for each seat."""
    tiles, screens = wiring.of(PartKind.TILE), wiring.of(PartKind.SCREEN)
    hoods = len({part.name.rpartition(" ")[2] for part in wiring.of(PartKind.SCREEN, PartKind.LAMP)})
    magnetic = [tile for tile in tiles if tile.model in MAGNETIC]
    if magnetic:
        note = "magnetised across, not along its axis: both look the same"
        yield PartRow("Squares", str(len(magnetic)), "magnet, disc 6 x 2.5 mm, N35H", "a dial each", note)
    long, short = f"screw M2.5 x {SCREW_LENGTH}, countersunk", f"screw M2.5 x {CLAMP_SCREW_LENGTH}, pan head"
    yield PartRow("Squares", str(4 * len(tiles)), long, "four close a square", "brass or steel; it cuts its own thread")
    yield PartRow("Squares", str(2 * len(tiles)), short, "two hold a square's cable", "brass or steel")
    if screens:
        yield PartRow("Squares", str(4 * len(screens)), "screw M2 x 8 with nut", "four hold a screen to its hood")
    yield PartRow("To print", str(len(tiles)), "printed trap square", _names(tiles), ", ".join(MOVING))
    yield PartRow("To print", str(hoods), "printed hood", "a seat each", "keeps lamp and screen from the others")
    yield PartRow("To print", "1", "printed comb and gauge", "your printer", "print and try them first")
    used = filament(len(tiles), hoods)
    yield PartRow("To print", f"{used.pla} g", "PLA filament, 1.75 mm", "the parts above", ASSUMED)
    kinds = "dials, flexures and the gauge"
    yield PartRow("To print", f"{used.petg} g", "PETG filament, 1.75 mm", kinds, f"{ASSUMED}; PLA would creep")


MOVING: Final = ("top plate", "dial", "flexure", "carrier", "base", "clamp")


def _tools() -> Iterator[PartRow]:
    yield from (PartRow("Tools", "1", what, use) for what, use in TOOLS)


def _grouped(section: str, parts: Iterable[Part], note: str) -> Iterator[PartRow]:
    by_model: dict[str, list[Part]] = {}
    for part in parts:
        by_model.setdefault(part.model, []).append(part)
    for model, own in by_model.items():
        told = [f"0x{address:02X} at {_names(there)}" for address, there in _by_address(own).items()]
        yield PartRow(section, str(len(own)), model, _names(own), "; ".join([note] * bool(note) + told))


def _by_address(parts: Iterable[Part]) -> dict[int, list[Part]]:
    found: dict[int, list[Part]] = {}
    for part in parts:
        for chip in part.chips:
            found.setdefault(chip.address, []).append(part)
    return found


def _fitted(wiring: Wiring) -> Iterator[PartRow]:
    counted: dict[tuple[str, str], list[str]] = {}
    for each in wiring.fitted:
        kind = each.why.partition(" of ")[0].partition(" may ")[0] if "pull-up" in each.why else each.why
        use = "pull-ups" if kind == "pull-up" else _use(each.why)
        counted.setdefault((each.value, use), []).append(each.at)
    for (value, use), places in counted.items():
        count, where = str(len(places)), ", ".join(_counted(places))
        if use == "pull-ups":
            yield PartRow("To solder", count, value, use, f"{where}; none where a board carries its own")
        elif value.startswith("TVS"):
            arrays = str(math.ceil(len(places) / TVS_LINES))
            yield PartRow("To solder", arrays, f"TVS array for {TVS_LINES} lines, 3.3 V", use, f"{len(places)} lines")
        elif value.endswith("F"):
            yield PartRow("To solder", count, value, use, f"{where}; none where a board carries its own")
        else:
            yield PartRow("To solder", count, value, use, where)


def _use(why: str) -> str:
    if why.startswith("limits the current"):
        return "lamps, in series"
    if "may be plugged" in why:
        return "lines of tiles that are plugged while the table runs, in series"
    if why.startswith("takes static"):
        return "lines of tiles, against static"
    return {"keeps RESET high": "RESET, to 3.3 V", "keeps its supply steady": "tiles, from 3.3 V to ground"}[why]


def _counted(places: Iterable[str]) -> list[str]:
    """Places with their counts; all tiles together, since each has the same."""
    found = Counter(places)
    tiles = [place for place in found if place.startswith("tile ")]
    told = [f"{count} at {place}" for place, count in found.items() if place not in tiles]
    return told + (["one at each tile"] if tiles else [])


def _names(parts: Iterable[Part]) -> str:
    """Names in short, such as `seats ANN, BEN`; labels that count up become `T01 to T08`."""
    names = [part.name for part in parts]
    heads = {name.rpartition(" ")[0] for name in names}
    if len(heads) == 1 and len(names) > 1:
        head = heads.pop()
        plural = head.replace("seat", "seats") if " of " in head else ""
        return f"{plural} {runs([name.rpartition(' ')[2] for name in names])}".strip()
    return runs(names)


def runs(names: Sequence[str]) -> str:
    """Names with commas; three or more that count up become `T01 to T08`."""
    told: list[str] = []
    start = 0
    for place in range(1, len(names) + 1):
        if place < len(names) and _follows(names[place - 1], names[place]):
            continue
        run = names[start:place]
        told += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
        start = place
    return ", ".join(told)


def _follows(one: str, other: str) -> bool:
    head, digits = one.rstrip("0123456789"), one[len(one.rstrip("0123456789")) :]
    return bool(digits) and other == f"{head}{int(digits) + 1:0{len(digits)}d}"


# -------------------------------------------------------------------------------------------------------- cables


def _cables(wiring: Wiring) -> Iterator[PartRow]:
    lengths: dict[tuple[str, float], list[Lead]] = {}
    for lead in wiring.leads:
        lengths.setdefault((cores(lead), lead.length_m), []).append(lead)
    for (kind, metres), own in sorted(lengths.items()):
        plugged = any(_is_plugged(lead) for lead in own)
        cable = "" if own[0].usb else LATCHED_CABLE if plugged else PLAIN_CABLE
        labels = runs([lead.label for lead in own])
        note = "with a latch at the far end" if plugged else ""
        yield PartRow("Cables and plugs", str(len(own)), f"{kind}, {metres:g} m", labels, note, cable)


def _is_plugged(lead: Lead) -> bool:
    """Whether a lead leaves the box, and so has a plug."""
    return lead.label.startswith(("D-", "O-", "S-"))


def _plugs(wiring: Wiring) -> Iterator[PartRow]:
    """A plug and a socket for each lead that leaves the box; those of seats do not fit those of tiles."""
    counted = Counter(
        (lead.label.startswith("S-"), len(lead.wires)) for lead in wiring.leads if _is_plugged(lead) and not lead.usb
    )
    for (of_seat, pins), count in sorted(counted.items()):
        kind = f"JST-SM, {pins} pins" if of_seat else f"JST-XH, {pins} pins (2.5 mm)"
        use = "seats" if of_seat else "tiles and screens"
        other = "another latched kind that does not fit the tiles'" if of_seat else "RJ-11, or another latched kind"
        name = f"plug with its socket, {pins} pins, for {use}"
        yield PartRow("Cables and plugs", str(count), name, "a lead each", "", f"{kind}, with crimps; or {other}")
    pi = wiring.part("pi")
    yield PartRow("Cables and plugs", "1", "socket of 2 x 20 pins, 2.54 mm", pi.name)


def cores(lead: Lead) -> str:
    """The cable of a lead."""
    if lead.usb:
        return "USB cable that carries data, micro-B"
    return f"lead of {len(lead.wires)} wires"


def cable_list(wiring: Wiring) -> TextTable:
    """Every lead: label, ends, length, cable, wires, and twisted pairs."""
    rows = tuple(
        (
            lead.label,
            lead.near,
            lead.far,
            f"{lead.length_m:g} m",
            cores(lead),
            ", ".join(wire.colour.value for wire in lead.wires),
            "; ".join(f"{one.value} with {other.value}" for one, other in lead.twisted),
        )
        for lead in wiring.leads
    )
    return TextTable(("lead", "from", "to", "length", "cable", "wires", "twisted"), rows)


def metres_of_wire(wiring: Wiring) -> TextTable:
    """The length of wire of each colour, plus a tenth for the ends."""
    total: Counter[str] = Counter()
    for lead in wiring.leads:
        for wire in lead.wires:
            total[wire.colour.value] += round(lead.length_m * 1100)
    return TextTable(("wire", "length"), tuple((colour, f"{mm / 1000:.1f} m") for colour, mm in total.items()))


def totals(tables: Mapping[str, Wiring]) -> TextTable:
    """How many of each part, and how much filament and wire, for several tables side by side."""
    counts: dict[str, dict[str, str]] = {}
    for section in SECTIONS[:-1]:
        for name, wiring in tables.items():
            for row in rows_of(wiring):
                if row.section == section and not row.part.startswith(("lead of", "printed comb")):
                    _add_up(counts.setdefault(row.part, {}), name, row.number)
    for name, wiring in tables.items():
        metres = sum(float(length.removesuffix(" m")) for _, length in metres_of_wire(wiring).rows)
        counts.setdefault("wire, all colours", {})[name] = f"{metres:.0f} m"
    rows = tuple((part, *(own.get(name, "") for name in tables)) for part, own in counts.items())
    return TextTable(("part", *tables), rows)


def _add_up(own: dict[str, str], name: str, count: str) -> None:
    """Add a count, such as `2` or `31 g`, to that of a table."""
    number, _, unit = count.partition(" ")
    before = own.get(name, "0").partition(" ")[0]
    own[name] = f"{int(before) + int(number)} {unit}".strip()


def parts_page(wiring: Wiring) -> str:
    """As a Markdown page, with a table for each section."""
    lines = [f"# Parts of {wiring.name}", "", *_PREFACE]
    rows = rows_of(wiring)
    for section in dict.fromkeys(row.section for row in rows):
        own = tuple(_cells(row) for row in rows if row.section == section)
        lines += ["", f"## {section}", "", TextTable(COLUMNS, (*own, ("", "", "", "", "sum", ""))).markdown()]
    return "\n".join([*lines, "", "**Sum of all sections:** "]).rstrip() + "\n"


_PREFACE: Final = (
    "Everything for this table. `order` says what to ask a shop for, with alternatives; where it is empty, the part's",
    "name is enough. Fill in the prices as you find them; [parts.csv](parts.csv) is the same list for a spreadsheet.",
    "Look at the boards when they arrive: you need not solder the pull-ups and capacitors that they carry already.",
)


def cables_page(wiring: Wiring) -> str:
    """As a Markdown page."""
    return (
        f"# Cables of {wiring.name}\n\n"
        "Each lead has its label at both ends ([labels](labels_1.svg)). Twist the pairs as listed; never SDA with "
        "SCL.\n\n"
        f"{cable_list(wiring).markdown()}\n\n## Wire, plus a tenth for the ends\n\n"
        f"{metres_of_wire(wiring).markdown()}\n"
    )
