"""The doctor's checks as marks on the drawing: the right mark on the right part, and the lead to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from hardware.sims import faults
from hardware.sims.faults import FAULTS
from pi_app.plans.pictures.marks import Polyline, Text
from pi_app.plans.wiring.drawing import Badge, BadgeKind, scene_of
from pi_app.plans.wiring.nets import wired
from pi_app.settings.load import EXAMPLES, example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Check, Sign, Symptom
from pi_app.workshop.doctor.live_wiring import marked
from tests.pi_app.workshop.doctor.looking import LARGE, SMALL, seen

MUX = "mux dials 0x70"

SEEN_OF = {
    "unplugged": {"T02": BadgeKind.SILENT},
    "nack-once": {"T02": BadgeKind.SILENT},
    "leads-swapped": {"T01": BadgeKind.SILENT, "T02": BadgeKind.SILENT},  # both are unplugged while they are swapped
    "stuck-low": {"T02": BadgeKind.HELD},
    "stuck-mid-byte": {"T02": BadgeKind.HELD},
    "clock-held": {"T02": BadgeKind.HELD},
    "timeout-once": {"T02": BadgeKind.HELD},
    "eio-once": {"T02": BadgeKind.FLAKY},
    "eagain-once": {"T02": BadgeKind.FLAKY},
    "mux-hung": {MUX: BadgeKind.HELD, "T01": BadgeKind.UNSEEN, "T02": BadgeKind.UNSEEN},
    "mux-silent": {MUX: BadgeKind.SILENT, "T01": BadgeKind.UNSEEN, "T02": BadgeKind.UNSEEN},
    "mux-not-switched": {MUX: BadgeKind.FAILS, "T01": BadgeKind.UNSEEN, "T02": BadgeKind.UNSEEN},
    "two-channels-open": {MUX: BadgeKind.HELD, "T01": BadgeKind.UNSEEN, "T02": BadgeKind.UNSEEN},
    "slow-bus": {"pi": BadgeKind.DOUBT},
    "magnet-weak": {"T02": BadgeKind.WEAK},
    "agc-drift": {"T02": BadgeKind.WEAK},
    "magnet-strong": {"T02": BadgeKind.STRONG},
    "magnet-missing": {"T02": BadgeKind.MISSING},
}
"""The marks of each fault on T02. The doctor does not notice the others: they are over when it checks, or spoil single
samples only."""

LEADS = {"T01": "D-T01", "T02": "D-T02", MUX: "B-dials-70"}
TOUCHED = (BadgeKind.SILENT, BadgeKind.HELD, BadgeKind.FLAKY, BadgeKind.FAILS)


def marks_of(settings: Settings, root: Path, table: SimulatedTable | None = None) -> dict[str, Badge]:
    return marked(wired(settings), seen(settings, root, table)).marks


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_a_tile_marks_its_part_and_its_lead(tmp_path: Path, fault: str) -> None:
    table = SimulatedTable(SMALL)
    faults.strike(table.tiles["T02"], fault)
    marks = marks_of(SMALL, tmp_path, table)
    at_seats = ("lamp ", "button ")
    ailing = {
        part: mark
        for part, mark in marks.items()
        if mark.seen is not BadgeKind.ANSWERS and not part.startswith(at_seats)
    }
    assert {part: mark.seen for part, mark in ailing.items()} == SEEN_OF.get(fault, {})
    for part, mark in ailing.items():
        assert mark.leads == ((LEADS[part],) if mark.seen in TOUCHED else ())
        assert bool(mark.advice) == (mark.seen is not BadgeKind.UNSEEN)


@pytest.mark.parametrize("size", EXAMPLES)
def test_of_a_sound_table_every_part_is_marked(tmp_path: Path, size: str) -> None:
    settings = load(example_path(size))
    marks = marks_of(settings, tmp_path)
    wiring = wired(settings)
    strips = {part.id for part in wiring.parts if part.kind.value == "strip"}
    of_hubs = {part.id for part in wiring.parts if part.id.startswith("hub") and " mux " in part.id}
    assert set(marks) == {part.id for part in wiring.parts} - strips - of_hubs
    seats = {part for part in marks if part.startswith(("lamp ", "button "))}
    assert {marks[part].seen for part in seats} == {BadgeKind.UNSEEN}
    assert {marks[part].word for part in seats} == {"check by eye", "not pressed: press it"}
    assert {mark.seen for part, mark in marks.items() if part not in seats} == {BadgeKind.ANSWERS}


def test_a_screen_at_the_other_address_is_marked_with_it(tmp_path: Path) -> None:
    wanted = load(example_path("2x2"))
    ann = wanted.seats["ANN"]
    assert ann.screen is not None
    lone = msgspec.structs.replace(ann, screen=msgspec.structs.replace(ann.screen, address=0x3D))
    there = replace(wanted, seats=MappingProxyType({"ANN": lone}))
    asked = replace(wanted, seats=MappingProxyType({"ANN": ann}))
    mark = marks_of(asked, tmp_path, SimulatedTable(there))["screen ANN"]
    assert (mark.seen, mark.word, mark.leads) == (BadgeKind.STRANGER, "0x3D answers", ("O-ANN",))
    assert mark.advice == (
        "screen of seat ANN (simulated /dev/i2c-6 0x3C): gave no answer (errno 121). A screen answers at 0x3D: "
        "change the settings, or its solder bridge."
    )


def check(part: str, sign: Sign, about: str, found: Symptom | None = None, address: int | None = None) -> Check:
    return Check(sign, part, "there", "was seen", "Try it", about=about, found=found, address=address)


def test_the_worst_of_a_part_is_its_mark_and_all_is_reported() -> None:
    checks = [
        check("memory of T01", Sign.GOOD, "T01"),
        check("wire of T01", Sign.UNSURE, "T01", Symptom.FLAKY),
        check("encoder of T01", Sign.FAILS, "T01", Symptom.ELSEWHERE, 0x40),
    ]
    mark = marked(wired(SMALL), checks).marks["T01"]
    assert (mark.seen, mark.word, mark.leads) == (BadgeKind.STRANGER, "0x40 answers", ("D-T01",))
    assert mark.advice == "wire of T01 (there): was seen. Try it. encoder of T01 (there): was seen. Try it."


def test_a_part_before_others_is_fixed_first() -> None:
    checks = [
        check("encoder of T02", Sign.FAILS, "T02", Symptom.SILENT),
        check("encoder of T01", Sign.UNSURE, "T01", Symptom.TOO_WEAK),
        check("mux 0x70", Sign.FAILS, MUX, Symptom.SILENT),
        check("disk", Sign.FAILS, ""),
    ]
    found = marked(wired(SMALL), checks)
    assert [part for part, mark in found.marks.items() if mark.advice] == [MUX, "T02", "T01"]
    assert found.notes == ("disk (there): was seen. Try it.",)


def test_a_silent_hub_shows_its_cable() -> None:
    wiring = wired(load(example_path("16x4")))
    marks = marked(wiring, [check("hub west", Sign.FAILS, "hub west", Symptom.SILENT)]).marks
    assert (marks["hub west"].seen, marks["hub west"].leads) == (BadgeKind.SILENT, ("U-west",))
    assert marks["T09"].seen is BadgeKind.UNSEEN


def texts(shapes: Sequence[object]) -> list[str]:
    return [shape.text for shape in shapes if isinstance(shape, Text)]


def test_the_drawing_shows_marks_words_and_the_lead(tmp_path: Path) -> None:
    table = SimulatedTable(LARGE)
    faults.strike(table.tiles["T02"], "unplugged")
    faults.strike(table.tiles["T05"], "magnet-weak")
    found = marked(wired(LARGE), seen(LARGE, tmp_path, table))
    scene = scene_of(wired(LARGE), found.marks, found.notes, simulated=True)
    written = texts(scene.marks)
    assert {"SIMULATED", "silent: see 1", "magnet too far: see 2", "lead to check first"} <= set(written)
    assert (
        written.count("answers") == len([mark for mark in found.marks.values() if mark.seen is BadgeKind.ANSWERS]) + 1
    )
    glowing = [shape for shape in scene.marks if isinstance(shape, Polyline) and shape.ink == "glow"]
    assert len(glowing) == 4
    plain = scene_of(wired(LARGE))
    assert not [shape for shape in plain.marks if isinstance(shape, Polyline) and shape.ink == "glow"]
    assert "SIMULATED" not in texts(plain.marks)


def test_a_stranger_on_the_trunk_is_marked_at_the_pi_with_its_address() -> None:
    checks = [check("bus dials", Sign.GOOD, "pi"), check("stranger 0x68", Sign.UNSURE, "pi", Symptom.ELSEWHERE, 0x68)]
    mark = marked(wired(SMALL), checks).marks["pi"]
    assert (mark.seen, mark.word, mark.leads) == (BadgeKind.STRANGER, "0x68 answers", ())
    assert mark.advice == "stranger 0x68 (there): was seen. Try it."
