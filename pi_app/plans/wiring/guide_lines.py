"""Lines that every step of the guide uses: boxes to tick, commands, the wires of a lead, what to solder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import Fitted, Lead, Part, PartKind, PartPin, Wiring

Lines = Iterator[str]


def page(name: str) -> str:
    """How the guide names a page of the documentation."""
    return f"`trapdial docs {name}`"


def with_settings(file: str) -> str:
    """Return the option that names the settings in a command; `trapdial.toml` needs none."""
    return "" if file == "trapdial.toml" else f" -s {file}"


def capital(words: str) -> str:
    """With a large first letter."""
    return f"{words[:1].upper()}{words[1:]}"


def box(words: str) -> str:
    """A line to tick off."""
    return f"- [ ] {words}"


def shell(*lines: str) -> Lines:
    """Commands to type."""
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


def lead_of(wiring: Wiring, part: Part) -> Lead:
    """The lead whose far end is at this part."""
    return next(lead for lead in wiring.leads if any(wire.far.part == part.id for wire in lead.wires))


def solder(fitted: Sequence[Fitted]) -> Lines:
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
        yield box(f"{len(own)} x {value}: {pins} ({why}).")


def _named(pin: PartPin) -> str:
    return f"pin {pin.name} ({pin.called})" if pin.called else pin.name


def with_lead(wiring: Wiring, lead: Lead, before: str = "", own: Sequence[Fitted] = ()) -> Lines:
    """A box to tick for a lead, its components, and its wires."""
    yield box(f"{before} Lead **{lead.label}**, {lead.length_m:g} m:".strip())
    at_host = {wire.near for wire in lead.wires if wiring.part(wire.near.part).kind in (PartKind.PI, PartKind.HUB)}
    pull_ups = [each for each in wiring.fitted if each.ends[0] in at_host and each.why.startswith("pull-up")]
    yield from (f"  {line}" for line in solder([*own, *pull_ups]))
    yield ""
    yield _wires(wiring, lead)
    yield ""


def ask(file: str, words: str = "Plug the supply in and run:") -> Lines:
    """The doctor's command."""
    yield ""
    yield words
    yield from shell(f"trapdial doctor --settings {file}")
