"""Tiles with their number and calibration in memory: read at the start, written by `calibrate`, and in play."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from hardware.errors import BusGlitch, NoAnswer
from hardware.host import Host
from hardware.sims.hand import SimMagnet
from pi_app.cli.main import main
from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_record import ROOM, SLOT, pack, unpack
from pi_app.journal import Journal
from pi_app.play.build import Outputs, TableBuilder
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.tiles import TileCalibration, carried, handed_over
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.build import simulated_table
from pi_app.simulated.demo import Demo
from pi_app.simulated.text_output import TextOutput
from pi_app.workshop import calibrate as calibrating
from pi_app.workshop.doctor import examine
from tests.pi_app.playing import table
from tests.pi_app.small_tables import exchange_leads, learnt_table, swap

TILE, OTHER = "24aa02uid:12345678", "24aa02uid:0BADF00D"
SQUARE = load(example_path("2x2")).squares["T01"]
DIAL = Calibration.of_centres(
    [k * 4096 // 12 + 20 for k in range(12)], [3] * 12, counts_per_turn=4096, invert=False, tile=TILE, revision=3
)


class Held:
    """A memory in a string, which fails a given number of times."""

    def __init__(self, *slots: bytes, tile: str = TILE, fails: int = 0) -> None:
        self.bytes = bytearray(b"".join(slots).ljust(ROOM, b"\xff"))
        self.tile, self.fails = tile, fails

    def identity(self) -> str:
        if self.fails:
            self.fails -= 1
            raise BusGlitch("chip 0x50", "/dev/i2c-1", "gave two different numbers of its tile", "Check its plug.")
        return self.tile

    def read(self, first: int = 0, length: int = ROOM) -> bytes:
        return bytes(self.bytes[first : first + length])

    def write(self, first: int, data: bytes) -> None:
        self.bytes[first : first + len(data)] = data


class Torn(Held):
    """Fail after five pages."""

    def write(self, first: int, data: bytes) -> None:
        super().write(first, data[:40])
        raise NoAnswer("chip 0x50", "/dev/i2c-1", "did not acknowledge", "Check its plug.")


OLD, NEW = replace(DIAL, revision=2, spread=(9,) * 12), replace(DIAL, revision=4)


@pytest.mark.parametrize(
    ("memory", "filed", "used"),
    [
        (Held(), None, None),
        (Held(), DIAL, None),
        (Held(pack(DIAL)), None, DIAL),
        (Held(pack(NEW)), DIAL, NEW),
        (Held(pack(OLD)), DIAL, None),  # the file knows better
        (Held(pack(DIAL)), DIAL, None),
        (Held(pack(NEW)), replace(DIAL, tile="", revision=0), NEW),
        (Held(pack(replace(NEW, tile=OTHER)), tile=OTHER), DIAL, None),  # a tile that belongs elsewhere
        (Held(pack(NEW), fails=2), DIAL, NEW),
        (Held(pack(NEW), fails=9), DIAL, None),
    ],
)
def test_the_newer_of_tile_and_file(memory: Held, filed: Calibration | None, used: Calibration | None) -> None:
    got = carried(SQUARE, memory, filed)
    assert got == TileCalibration() if used is None else got.dial is not None and got.dial.centres == used.centres
    assert got.note == ""


@pytest.mark.parametrize(
    ("filed", "instead"), [(DIAL, "the calibration file is used"), (None, "even detents are assumed")]
)
def test_a_spoilt_memory_falls_back_to_the_file_and_says_so(filed: Calibration | None, instead: str) -> None:
    spoilt = bytes(pack(DIAL)[:20]) + bytes(SLOT - 20)
    assert carried(SQUARE, Held(spoilt), filed) == TileCalibration(
        None,
        f"The calibration in the memory of T01's tile is damaged; {instead}. "
        "Write it again with `trapdial calibrate --square T01`.",
    )


def test_the_calibration_of_another_kind_of_dial() -> None:
    turned = Calibration.of_centres(
        [-k * 4096 // 12 % 4096 for k in range(12)], [3] * 12, counts_per_turn=4096, invert=True, tile=TILE, revision=4
    )
    assert carried(SQUARE, Held(pack(turned)), None).note == (
        "The calibration in the memory of T01's tile is of a dial with other clicks, another direction or another "
        "encoder; even detents are assumed. Write it again with `trapdial calibrate --square T01`."
    )


def test_each_calibration_is_one_revision_more_and_goes_into_the_other_slot() -> None:
    memory = Held()
    fresh = replace(DIAL, tile="", revision=0)
    first, why = handed_over(fresh, memory, None)
    assert (first.tile, first.revision, why) == (TILE, 1, "")
    assert memory.bytes[SLOT:] == b"\xff" * SLOT
    second, _ = handed_over(fresh, memory, first)
    third, _ = handed_over(fresh, memory, replace(second, revision=7))  # the file was written without the tile
    assert (second.revision, third.revision) == (2, 8)
    assert unpack(bytes(memory.bytes), TILE).newest == third


def test_a_tile_that_is_pulled_while_it_is_written_keeps_what_it_had() -> None:
    memory = Torn(pack(DIAL))
    dial, why = handed_over(replace(DIAL, tile=""), memory, DIAL)
    assert dial.revision == 4
    assert why == ("It is not in the tile's memory: chip 0x50 (/dev/i2c-1) did not acknowledge. Check its plug.")
    assert unpack(bytes(memory.bytes), TILE).newest == DIAL


def test_a_dial_without_room_stays_in_the_file() -> None:
    many = Calibration.of_centres([k * 4096 // 30 for k in range(30)], [0] * 30, counts_per_turn=4096, invert=False)
    dial, why = handed_over(many, Held(), None)
    assert (dial.tile, dial.revision) == (TILE, 1)
    assert why == "It is not in the tile's memory: it has 30 detents, and a tile's memory has room for 24."


# ------------------------------------------------------------------------------------------- a table of them


def test_calibrate_learns_which_tile_belongs_where(tmp_path: Path) -> None:
    learnt_table(tmp_path)
    known = calibrating.known(tmp_path / "calibration.toml")
    assert known["T01"].tile.startswith("24aa02uid:")
    assert known["T02"].tile.startswith("24aa025e48:0004A3")
    assert [dial.revision for dial in known.values()] == [1, 1]


def test_a_calibrated_table_plays(tmp_path: Path) -> None:
    with table(tmp_path, learnt_table(tmp_path)) as played:
        played.expose("ANN", "T01", 3)
        assert [turn.motion.clicks for turn in played.turns()] == [3]
        assert not [line for line in played.heard("referee") if "tile" in line]


def test_two_leads_swapped_in_the_middle_of_a_game_are_named_and_count_for_nothing(tmp_path: Path) -> None:
    with table(tmp_path, learnt_table(tmp_path)) as played:
        swap(played)
        played.run(1.0)
        for one, other in (("T01", "T02"), ("T02", "T01")):
            said = [line for line in played.heard("referee") if f"is the tile of {other} on the lead of {one}" in line]
            assert len(said) == 1
            assert f"Swap the leads of {one} and {other} back" in said[0]
        played.expose("ANN", "T01", 3)
        assert played.turns() == []
        swap(played)
        played.run(1.0)
        assert not any(place.lost for place in played.demo.loop.session.dials.values())


def test_the_fault_of_the_demo_is_named_too(tmp_path: Path) -> None:
    with table(tmp_path, learnt_table(tmp_path)) as played:
        played.demo.act(actions.InjectFault("T01", "leads-swapped"))
        played.run(1.0)
        assert any("is the tile of T02 on the lead of T01" in line for line in played.heard("referee"))
        played.demo.act(actions.ClearFault("T01", "leads-swapped"))
        played.run(1.0)
        assert not any(place.lost for place in played.demo.loop.session.dials.values())


def test_two_leads_swapped_before_the_game(tmp_path: Path) -> None:
    settings = learnt_table(tmp_path)
    lines: list[str] = []
    with Demo(settings, tmp_path / "journal.db") as demo:
        demo.loop.session.listeners = (TextOutput(settings, lambda viewer, line, at_ns: lines.append(line)),)
        exchange_leads(demo)
        for _ in range(200):
            demo.step()
        assert all(place.lost for place in demo.loop.session.dials.values())
    assert sum("is the tile of T02 on the lead of T01" in line for line in lines) == 1


def test_what_a_spoilt_memory_cost_is_said_when_the_game_begins(tmp_path: Path) -> None:
    settings = learnt_table(tmp_path)
    parts = simulated_table(settings)
    memory = parts.tiles["T01"].memory
    assert memory is not None
    memory.bytes[:SLOT] = bytes(SLOT)
    lines: list[str] = []
    with Journal(tmp_path / "journal.db", MAGE_KNIGHT) as journal, TableBuilder(settings, parts) as builder:
        loop = builder.loop(
            journal, outputs=Outputs([TextOutput(settings, lambda viewer, line, at_ns: lines.append(line))])
        )
        while not loop.ready:
            loop.step()
    assert lines[0] == (
        "The calibration in the memory of T01's tile is damaged; the calibration file is used. "
        "Write it again with `trapdial calibrate --square T01`."
    )


def test_a_tile_that_went_to_another_square_is_known_there_only(tmp_path: Path) -> None:
    settings = learnt_table(tmp_path)
    path = tmp_path / "calibration.toml"
    known = calibrating.known(path)
    new = zlib.crc32(b"tile 7000")  # the tile that a seed of 7 puts on the first lead
    calibrating.keep(path, {"T02": replace(known["T02"], tile=f"24aa02uid:{new:08X}")})
    result = CliRunner().invoke(
        main, ["calibrate", "--settings", settings.where, "--simulated", "--auto", "--square", "T01"]
    )
    assert "    T01: this tile was the one of T02; calibrate T02 too.\n" in result.output
    assert list(calibrating.known(path)) == ["T01"]


def test_the_doctor_knows_whose_tile_it_is(tmp_path: Path) -> None:
    settings = learnt_table(tmp_path)
    parts = simulated_table(settings)
    for label in ("T01", "T02"):
        memory = parts.tiles[label].memory
        assert memory is not None
        memory.bytes[:SLOT] = (
            pack(calibrating.known(tmp_path / "calibration.toml")[label]) if label == "T01" else bytes(SLOT)
        )
    host = Host(root=tmp_path, ask=lambda words: "", user_id=1000, user="pi", group_ids=frozenset())
    checks = {check.part: check for check in examine(settings, parts, host, seconds=0.1)}
    tiles = {label: dial.tile for label, dial in calibrating.known(tmp_path / "calibration.toml").items()}
    assert checks["memory of T01"].seen == f"{tiles['T01']}, with its calibration (revision 1)"
    assert checks["memory of T02"].seen == f"{tiles['T02']}, but its calibration is damaged"
    assert [part for part in checks if part.startswith("stranger")] == []


# -------------------------------------------------------------------------------------------- without a memory


def nameless_table(folder: Path) -> Settings:
    """Return the small table without memories, calibrated to its simulated dials."""
    path = folder / "trapdial.toml"
    text = example_path("2x2").read_text(encoding="utf-8")
    path.write_text(text.replace('calibration = ""', 'calibration = "calibration.toml"'), encoding="utf-8")
    parts = simulated_table(load(path), seed=5)
    learnt = {}
    for n, label in enumerate(("T01", "T02")):
        magnet = SimMagnet(float, 5000 + n, noise_sd_deg=0.0)
        centres = [round(magnet(round(k * 4096 / 12))) % 4096 for k in range(12)]
        learnt[label] = Calibration.of_centres(centres, [3] * 12, counts_per_turn=4096, invert=False)
    parts.close()
    calibrating.keep(folder / "calibration.toml", learnt)
    return load(path)


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True])
def test_swapped_leads_of_nameless_tiles_are_a_hint_and_no_more(tmp_path: Path, swapped: bool) -> None:
    with table(tmp_path, nameless_table(tmp_path)) as played:
        if swapped:
            swap(played)
            played.run(1.0)
        for _ in range(6):
            for label in ("T01", "T02"):
                played.turn(label, 1)
                played.run(0.8)
        hints = [line for line in played.heard("referee") if "likely swapped" in line]
        assert len(hints) == swapped
        if swapped:
            assert re.fullmatch(
                r"The leads of T01 and T02 are likely swapped \(9\d % sure, after rests in \d+ detents\): each dial "
                r"rests where the other one was calibrated to\. Check both leads; if they are right, calibrate both "
                r"dials again\.",
                hints[0],
            )
            assert not any("swapped" in line for viewer, line in played.lines if viewer != "referee")
        assert len(played.turns()) == 12
