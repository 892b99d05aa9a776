"""The parts to buy and to print, and the cables to make."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hardware.encoders import ENCODERS
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import Lead, Part, PartKind, Wiring

MAGNETIC: Final = tuple(kind.part for kind in ENCODERS.values() if kind.absolute)
TVS_LINES: Final = 4
"""Lines of one protection array."""

COLUMNS: Final = ("how many", "part", "for", "note")


def parts_list(wiring: Wiring) -> TextTable:
    """Everything to buy: boards, then components to solder, then cables."""
    rows = [*_boards(wiring), *_fitted(wiring), *_cables(wiring)]
    return TextTable(COLUMNS, tuple((str(count), part, use, note) for count, part, use, note in rows))


Row = tuple[int, str, str, str]


def _boards(wiring: Wiring) -> Iterator[Row]:
    pi = wiring.part("pi")
    yield 1, pi.model, "the table", "with its own power supply and an SD card"
    for part in wiring.of(PartKind.REGULATOR, PartKind.SWITCH):
        yield 1, part.model, part.name, part.set_to
    hubs = wiring.of(PartKind.HUB)
    if hubs:
        yield len(hubs), hubs[0].model, _names(hubs), "with MicroPython 1.25 or later"
    muxes = wiring.of(PartKind.MUX)
    if muxes:
        yield len(muxes), "TCA9548A board", _names(muxes), "; ".join(dict.fromkeys(mux.set_to for mux in muxes))
    yield from _tiles(wiring)
    yield from _grouped(wiring.of(PartKind.SCREEN), "I2C, four pins")
    yield from _grouped(wiring.of(PartKind.BUTTON), "closes while it is pressed")
    yield from _grouped(wiring.of(PartKind.LAMP), "in a tube or under a hood")
    for strip in wiring.of(PartKind.STRIP):
        ends = Counter(end.name for lead in wiring.leads for wire in lead.wires for end in (wire.near, wire.far)
                       if end.part == strip.id)  # fmt: skip
        rails = ", ".join(f"{rail}: {count} terminals" for rail, count in ends.items())
        yield 1, "terminal strip", strip.name, rails


def _tiles(wiring: Wiring) -> Iterator[Row]:
    tiles = wiring.of(PartKind.TILE)
    for model in dict.fromkeys(tile.model for tile in tiles):
        own = [tile for tile in tiles if tile.model == model]
        straps = "; ".join(dict.fromkeys(tile.set_to for tile in own if tile.set_to))
        yield len(own), f"{model} board", _names(own), straps
    magnetic = [tile for tile in tiles if tile.model in MAGNETIC]
    if magnetic:
        note = "magnetised across, not along its axis: both look the same"
        yield len(magnetic), "magnet, disc 6 x 2.5 mm, N35H", "a dial each", note
    memories = [chip.model for tile in tiles for chip in tile.chips[1:]]
    for model, count in Counter(memories).items():
        yield count, model, "a tile each", "on the encoder's lead, with 100 nF beside it"
    yield len(tiles), "printed trap square", _names(tiles), "top plate, dial, flexure, carrier, base, clamp"


def _grouped(parts: Iterable[Part], note: str) -> Iterator[Row]:
    by_model: dict[str, list[Part]] = {}
    for part in parts:
        by_model.setdefault(part.model, []).append(part)
    for model, own in by_model.items():
        told = [note] + [f"0x{address:02X} at {_names(there)}" for address, there in _by_address(own).items()]
        yield len(own), model, _names(own), "; ".join(told)


def _by_address(parts: Iterable[Part]) -> dict[int, list[Part]]:
    found: dict[int, list[Part]] = {}
    for part in parts:
        for chip in part.chips:
            found.setdefault(chip.address, []).append(part)
    return found


def _fitted(wiring: Wiring) -> Iterator[Row]:
    counted: dict[tuple[str, str], list[str]] = {}
    for each in wiring.fitted:
        kind = each.why.partition(" of ")[0].partition(" may ")[0] if "pull-up" in each.why else each.why
        use = "pull-ups" if kind == "pull-up" else _use(each.why)
        counted.setdefault((each.value, use), []).append(each.at)
    for (value, use), places in counted.items():
        if use == "pull-ups":
            yield len(places), value, use, f"{', '.join(_counted(places))}; none where a board carries its own"
        elif value.startswith("TVS"):
            arrays = math.ceil(len(places) / TVS_LINES)
            yield arrays, f"TVS array for {TVS_LINES} lines, 3.3 V", use, f"{len(places)} lines"
        else:
            yield len(places), value, use, ", ".join(_counted(places))


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


def _cables(wiring: Wiring) -> Iterator[Row]:
    lengths: dict[tuple[str, float], list[Lead]] = {}
    for lead in wiring.leads:
        lengths.setdefault((cores(lead), lead.length_m), []).append(lead)
    for (kind, metres), own in sorted(lengths.items()):
        note = "with a latch at the far end" if _leaves_the_box(own) else ""
        yield len(own), f"{kind}, {metres:g} m", runs([lead.label for lead in own]), note


def _leaves_the_box(leads: Iterable[Lead]) -> bool:
    return any(lead.label[:2] in ("D-", "O-", "S-") for lead in leads)


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


def parts_page(wiring: Wiring) -> str:
    """As a Markdown page."""
    return f"# Parts of {wiring.name}\n\n{parts_list(wiring).markdown()}\n"


def cables_page(wiring: Wiring) -> str:
    """As a Markdown page."""
    return (
        f"# Cables of {wiring.name}\n\n"
        "Each lead has its label at both ends ([labels](labels_1.svg)). Twist the pairs as listed; never SDA with "
        "SCL.\n\n"
        f"{cable_list(wiring).markdown()}\n\n## Wire, plus a tenth for the ends\n\n"
        f"{metres_of_wire(wiring).markdown()}\n"
    )
