"""Who may import whom, and through which door: read from the source, so that it holds for every file."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("firmware_host", "hardware", "pi_app")
    for path in ROOT.glob(f"{room}/**/*.py")
)

DOORS = {
    "smbus2": {"hardware/bus_linux.py", "pi_app/workshop/bench/peer_drivers.py"},
    "adafruit_as5600": {"pi_app/workshop/bench/peer_drivers.py"},
    "adafruit_tca9548a": {"pi_app/workshop/bench/peer_drivers.py"},
    "adafruit_seesaw": {"pi_app/workshop/bench/peer_drivers.py"},
    "Adafruit_PureIO": {"pi_app/workshop/bench/peer_drivers.py"},
    "busio": {"pi_app/workshop/bench/peer_drivers.py"},
    "serial": {"firmware_host/link.py", "firmware_host/ports.py"},  # one opens ports, the other lists them
    "gpiozero": {"hardware/panel.py", "hardware/sims/pins.py"},
    "lgpio": {"hardware/panel.py"},
    "luma": set(),  # the tests compare with it
    "PIL": {"pi_app/displays/picture.py", "pi_app/plans/pictures/png.py"},
    "drawsvg": {
        "pi_app/plans/pictures/svg.py",
        "pi_app/plans/printed/faces/svg.py",
        "pi_app/plans/printed/pictures.py",
        "pi_app/plans/wiring/paper.py",
        "pi_app/plans/wiring/drawing/svg.py",
    },
    "yaml": {"pi_app/plans/wiring/wireviz.py"},
    "sqlite3": {*(f for f in FILES if f.startswith("pi_app/journal/")), "pi_app/journal/archive.py"},
    "matplotlib": {"pi_app/audit/plots.py"},
    "nacl": {"pi_app/journal/record/keys.py", "pi_app/journal/record/sha.py"},
    "segno": {"pi_app/cli/journal.py"},
    "textual": {"pi_app/simulated/live/app.py"},
    "babel": {"pi_app/text/pseudo.py"},
    "manifold3d": {"pi_app/plans/printed/solid.py"},
    "numpy": {f for f in FILES if f.startswith("pi_app/plans/printed/")},
    "fpdf": {"pi_app/plans/printed/faces/pdf.py"},
}
"""Each outside library, and the only files that may know it."""

PURE = {
    f"pi_app/{name}.py"
    for name in (
        "acts",
        "against",
        "audit",
        "calibration",
        "care",
        "commands",
        "dial",
        "dial_form",
        "dial_plot",
        "effects",
        "events",
        "faces",
        "fingerprint",
        "game",
        "evidence",
        "jumps",
        "learning",
        "plan",
        "report",
        "rules",
        "ruleset",
        "seat",
        "table_moves",
        "tile_check",
        "tile_record",
        "wanted_faults",
    )
}
PURE |= {f"pi_app/audit/{name}.py" for name in ("examine", "sealed", "statistics", "values", "who_knew")}
PURE |= {
    f"pi_app/plans/placement/{name}.py" for name in ("dungeon", "hallways", "picture", "plain", "reading", "verdict")
}
PURE |= {file for file in FILES if file.startswith("pi_app/plans/wiring/")} - {
    "pi_app/plans/wiring/folder.py",  # writes
    "pi_app/plans/wiring/sheet.py",  # the csv module writes to a text in memory
}
PURE |= {f"pi_app/plans/printed/faces/{name}.py" for name in ("faces", "marks", "sheets")}
PURE |= {f"pi_app/plans/printed/{name}.py" for name in ("profiles", "square", "table")}
PURE |= {f"pi_app/rooms/{name}.py" for name in ("commands", "events", "game", "report")}
IMPURE = {"time", "datetime", "os", "pathlib", "logging", "random", "secrets", "io", "sqlite3", "threading", "socket"}
SEEDED = {"pi_app/simulated/script.py"}
"""Draws from random.Random(seed) alone."""

WIRES = {
    "hardware.bus",
    "hardware.adapter",
    "hardware.bus_linux",
    "hardware.chips",
    "hardware.scan",
    "hardware.sims",
    "hardware.panel",
    "hardware.screens",
    "hardware.clock",
}


FINDS_EVERY_PART = {
    f"pi_app/workshop/doctor/{name}.py"
    for name in ("bus", "bus_wiring", "encoders", "muxes", "pace", "panel", "screens", "strangers")
}
"""The doctor's rooms that speak to chips; it has its twins from the house."""


@functools.cache
def imports(file: str) -> tuple[str, ...]:
    """Every module that a file imports anywhere, by its full name."""
    return tuple(_imports(file))


def _imports(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def inside(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_there_is_something_to_check() -> None:
    assert len(FILES) > 40
    assert set(FILES) >= PURE | FINDS_EVERY_PART
    assert {f"pi_app/play/loop/{name}.py" for name in (*LOOP, "__init__")} == {
        file for file in FILES if file.startswith("pi_app/play/loop/")
    }


def known(files: Iterable[str], *packages: str) -> list[str]:
    """What of these packages these files import, as `file: module`."""
    return [f"{file}: {module}" for file in files for module in imports(file) if inside(module, *packages)]


def under(*folders: str) -> list[str]:
    return [file for file in FILES if file.startswith(folders)]


def test_a_broken_rule_is_seen() -> None:
    assert "pi_app/play/build.py: hardware.chips" in {
        found.rpartition(".")[0] for found in known(FILES, "hardware.chips")
    }
    assert known(["pi_app/dials/unwrap.py"], "pi_app.play.build") == []


def test_the_floors_below_never_import_the_game() -> None:
    assert known(under("hardware/", "firmware_host/"), "pi_app") == []


def test_hardware_never_imports_the_hub() -> None:
    assert known(under("hardware/"), "firmware_host") == []


def test_twins_never_read_the_drivers() -> None:
    drivers = ("hardware.chips", "hardware.bus_linux", "hardware.scan", "hardware.screens", "hardware.panel")
    assert known(under("hardware/sims/"), *drivers) == []


def test_drivers_never_know_the_twins() -> None:
    assert known(set(under("hardware/")) - set(under("hardware/sims/")), "hardware.sims") == []


@pytest.mark.parametrize("library", DOORS)
def test_each_outside_library_has_one_door(library: str) -> None:
    assert known(set(FILES) - DOORS[library], library) == []


def test_click_stays_in_the_command_line() -> None:
    elsewhere = set(FILES) - set(under("pi_app/cli/"))
    assert known(elsewhere, "click") == []
    assert known(elsewhere - set(under("pi_app/simulated/live")), "rich") == []


def test_pure_rooms_do_no_io_and_know_no_time() -> None:
    assert known(PURE - SEEDED, *IMPURE) == []
    assert known(SEEDED, *IMPURE - {"random"}) == []
    assert known(PURE, *WIRES) == []


def test_only_the_house_sees_real_parts_and_twins() -> None:
    may = {
        "pi_app/play/build.py",
        "pi_app/play/parts.py",
        "pi_app/play/taps.py",
        "pi_app/simulated/hub_table.py",
        "pi_app/simulated/table.py",
        "pi_app/play/feed.py",
        "pi_app/workshop/bench/scan.py",
        "pi_app/workshop/bench/cpu.py",
        "pi_app/workshop/bench/cpu_wires.py",
        "pi_app/workshop/bench/faulty.py",
        "pi_app/workshop/bench/hand_hub.py",
        "pi_app/workshop/bench/hand_wires.py",
        "pi_app/workshop/bench/hands.py",
        *under("pi_app/workshop/bench/peer"),  # puts our drivers and others' on the same simulated wire
    }
    others = set(under("pi_app/")) - set(under("pi_app/cli/")) - may
    assert known(others & FINDS_EVERY_PART, "hardware.sims") == []
    assert known(others - FINDS_EVERY_PART, *WIRES - {"hardware.clock"}) == []


LOOP = ("sitting", "tiles", "dials", "turns", "beginning", "players", "typed", "round")


@pytest.mark.parametrize("room", LOOP)
def test_each_room_of_the_loop_knows_only_those_before_it(room: str) -> None:
    later = [f"pi_app.play.loop.{name}" for name in LOOP[LOOP.index(room) :]]
    assert known([f"pi_app/play/loop/{room}.py"], *later) == []


GAMES = (
    *(
        "pi_app.game.events",
        "pi_app.game.game",
        "pi_app.report.visibility",
        "pi_app.game.rules",
        "pi_app.game.findings",
        "pi_app.play.commands.parse",
    ),
    *("pi_app.game.trap_table", "pi_app.play.mage_knight", "pi_app.rooms"),
)
"""What knows the rules of a game."""

KNOW_NO_GAME = [
    f"pi_app/{name}.py"
    for name in (
        *("detents", "dial", "dial_form", "follow", "evidence", "jumps", "calibration", "fingerprint"),
        *("plays", "archive"),
    )
]


def test_dials_and_record_know_no_game() -> None:
    assert known([*KNOW_NO_GAME, *under("pi_app/journal/record/", "pi_app/journal/", "hardware/")], *GAMES) == []
