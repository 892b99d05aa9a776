"""Who may import whom, and through which module: read from the source, so that it holds for every file."""

from __future__ import annotations

import pytest

from tests.layers import FILES, LAYERS, circles, edges, known, not_downward, own, under

DOORS = {
    "smbus2": {"hardware/i2c_device.py", "pi_app/workshop/bench/peer_drivers.py"},
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
    "drawsvg": {"pi_app/plans/pictures/svg.py"},
    "yaml": {"pi_app/plans/wiring/wireviz.py"},
    "sqlite3": {*(f for f in FILES if f.startswith("pi_app/journal/")), "pi_app/centre/store/sqlite.py"},
    "psycopg": {"pi_app/centre/store/postgres.py"},
    "urllib3": {"pi_app/sender/client.py"},
    "nacl": {
        "pi_app/journal/record/keys.py",
        "pi_app/journal/record/sha.py",
        *(f"pi_app/pages/{name}.py" for name in ("cpace", "sealing", "staff_sealing")),
        "pi_app/station/updates/minisign.py",
        "pi_app/station/package/signing.py",
    },
    "starlette": set(under("pi_app/pages/process/")),
    "uvicorn": {
        *under("pi_app/pages/process/"),
        *(f"pi_app/centre/service/{name}.py" for name in ("connection", "placed", "process", "serving")),
    },
    "segno": {"pi_app/audit/page_head.py", "pi_app/cli/qr_code.py", "pi_app/pages/qr.py"},
    "markdown_it": {"pi_app/cli/docs_html.py"},
    "textual": {
        "pi_app/displays/terminal_driver.py",
        *(f"pi_app/simulated/live/{name}.py" for name in ("app", "widgets")),
        *(f"pi_app/station/display/{name}.py" for name in ("app", "repaint")),
    },
    "babel": {"pi_app/text/pseudo.py"},
    "manifold3d": {"pi_app/plans/printed/solid.py"},
    "numpy": {f for f in FILES if f.startswith("pi_app/plans/printed/")},
    "fpdf": {"pi_app/plans/pictures/pdf.py"},
}
"""Each outside library, and the only files that may know it."""


PACKAGE = {"pi_app/__init__.py", "pi_app/__main__.py"}
"""The package itself, and what `python -m pi_app` runs: the command line."""

MOST_FOLDERS = 18
MOST_LAYERS = 10

PURE = {file for folder in ("dials", "game", "report") for file in FILES if file.startswith(f"pi_app/{folder}/")} - {
    "pi_app/dials/sampling.py",  # measures the processor time that sampling takes
    *(
        f"pi_app/game/{name}.py" for name in ("chests", "conversion", "tokens", "trap_table_file")
    ),  # read the owner's files
}
DISPLAYS = ("canvas", "describe", "frame", "lamp", "letters", "raster", "seat", "shift", "symbols")
PURE |= {f"pi_app/displays/{name}.py" for name in DISPLAYS}
PURE |= {
    "pi_app/station/public/scene.py",
    *(f"pi_app/station/display/{name}.py" for name in ("boards", "canvas", "marks", "parts")),
}
PURE |= {
    f"pi_app/pages/{name}.py" for name in ("content", "cpace", "page_words", "sizes", "staff_words", "station_status")
}
PURE |= {
    f"pi_app/station/troubles/{name}.py" for name in ("lamp_patterns", "start_errors", "status", "troubles", "watch")
}
PURE |= {f"pi_app/station/{name}.py" for name in ("staff/hours", "staff/self_test", "visits/guide", "visits/visit")}
PURE |= {f"pi_app/settings/{name}.py" for name in ("hubs", "wiring", "wiring_checks", "wiring_section")}
PURE |= {f"pi_app/simulated/{name}.py" for name in ("actions", "fault_option", "script")}
PURE |= {
    f"pi_app/audit/{name}.py"
    for name in (
        "axes",
        "decode_lines",
        "device_findings",
        "examine",
        "plots",
        "sealed",
        "statistics",
        "values",
        "who_knew",
    )
}
PURE |= {
    file
    for file in FILES
    if file.startswith("pi_app/plans/placement/") and not file.endswith(("__init__.py", "files.py"))
}
PURE |= {file for file in FILES if file.startswith("pi_app/plans/wiring/")} - {
    "pi_app/plans/wiring/folder.py",  # writes
    "pi_app/plans/wiring/sheet.py",  # the csv module writes to a text in memory
}
PURE |= {f"pi_app/plans/printed/faces/{name}.py" for name in ("faces", "sheets")}
PURE |= {f"pi_app/plans/printed/{name}.py" for name in ("profiles", "square", "table")}
PURE |= {f"pi_app/plans/pictures/{name}.py" for name in ("marks", "qr_marks")}
PURE |= {f"pi_app/play/{name}.py" for name in ("clock_notice", "gestures")}
PURE |= {file for file in FILES if file.startswith("pi_app/play/commands/")}
PURE |= {f"pi_app/rooms/{name}.py" for name in ("commands", "events", "game", "report")}
PURE |= {"pi_app/workshop/calibration_plot.py"}
PURE |= {f"pi_app/centre/taking/{name}.py" for name in ("decision", "known_record")}
PURE |= {"pi_app/station/service/units.py"}
IMPURE = {"time", "datetime", "os", "pathlib", "logging", "random", "secrets", "io", "sqlite3", "threading", "socket"}
SEEDED = {"pi_app/simulated/script.py"}
"""Draws from random.Random(seed) alone."""

WIRES = {
    "hardware.bus",
    "hardware.adapter",
    "hardware.bus_linux",
    "hardware.i2c_device",
    "hardware.chips",
    "hardware.scan",
    "hardware.sims",
    "hardware.panel",
    "hardware.screens",
    "hardware.clock",
}

SPEAKS_TO_CHIPS = {
    f"pi_app/workshop/doctor/{name}.py"
    for name in ("bus", "bus_wiring", "encoders", "muxes", "pace", "panel", "screens", "strangers")
}
"""The doctor's modules that speak to chips; `play.build` hands them real ones or twins."""


def test_there_is_something_to_check() -> None:
    assert len(FILES) > 40
    assert set(FILES) >= PURE | SPEAKS_TO_CHIPS
    assert {f"pi_app/play/loop/{name}.py" for name in (*LOOP, "__init__")} == set(under("pi_app/play/loop/"))


def test_every_import_goes_to_a_lower_layer() -> None:
    assert [found for file in FILES if file not in PACKAGE for found in not_downward(file, own(file))] == []


def test_an_upward_import_is_seen() -> None:
    assert not_downward("pi_app/dials/unwrap.py", ["pi_app.play.build"]) == [
        "pi_app/dials/unwrap.py: pi_app.play.build"
    ]
    assert not_downward("pi_app/play/build.py", ["pi_app.dials.unwrap", "pi_app.play.parts"]) == []


def test_there_are_few_folders_few_layers_and_no_loose_module() -> None:
    inside = {file.split("/")[1] for file in FILES if file.startswith("pi_app/")}
    assert {name for name in inside if name.endswith(".py")} == {"__init__.py", "__main__.py"}
    assert len(inside) - 2 <= MOST_FOLDERS
    assert len(LAYERS) <= MOST_LAYERS
    assert {folder for layer in LAYERS for folder in layer} == inside - {"__init__.py", "__main__.py"} | {
        "hardware",
        "firmware_host",
    }


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(edges()) == []


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_a_broken_rule_is_seen() -> None:
    assert "pi_app/play/build.py: hardware.chips" in {
        found.rpartition(".")[0] for found in known(FILES, "hardware.chips")
    }
    assert known(["pi_app/dials/unwrap.py"], "pi_app.play.build") == []


def test_hardware_never_imports_the_hub() -> None:
    assert known(under("hardware/"), "firmware_host") == []


def test_twins_never_read_the_drivers() -> None:
    drivers = (
        *("hardware.chips", "hardware.bus_linux", "hardware.i2c_device", "hardware.scan"),
        *("hardware.screens", "hardware.screen_kinds", "hardware.encoders", "hardware.panel"),
    )
    assert known(under("hardware/sims/"), *drivers) == []


def test_drivers_never_know_the_twins() -> None:
    assert known(set(under("hardware/")) - set(under("hardware/sims/")), "hardware.sims") == []


@pytest.mark.parametrize("library", DOORS)
def test_each_outside_library_has_one_door(library: str) -> None:
    assert known(set(FILES) - DOORS[library], library) == []


def test_click_stays_in_the_command_line() -> None:
    elsewhere = set(FILES) - set(under("pi_app/cli/"))
    assert known(elsewhere, "click") == []
    screens = {*under("pi_app/simulated/live"), "pi_app/station/display/app.py"}
    assert known(elsewhere - screens, "rich") == []


def test_pure_modules_do_no_io_and_know_no_time() -> None:
    assert known(PURE - SEEDED, *IMPURE) == []
    assert known(SEEDED, *IMPURE - {"random"}) == []
    assert known(PURE, *WIRES) == []


def test_only_build_and_its_parts_see_real_chips_and_twins() -> None:
    may = {
        "pi_app/play/build.py",
        "pi_app/play/parts.py",
        "pi_app/play/wires.py",
        "pi_app/play/taps.py",
        "pi_app/simulated/hub_table.py",
        "pi_app/simulated/table.py",
        "pi_app/play/feed.py",
        "pi_app/workshop/bench/scan.py",
        "pi_app/workshop/bench/bench_bus.py",
        "pi_app/workshop/bench/stub_adapter.py",
        "pi_app/workshop/bench/cpu.py",
        "pi_app/workshop/bench/cpu_wires.py",
        "pi_app/workshop/bench/pages_scan.py",
        "pi_app/workshop/bench/faulty.py",
        "pi_app/workshop/bench/hand_hub.py",
        "pi_app/workshop/bench/hand_bus.py",
        "pi_app/workshop/bench/hands.py",
        *under("pi_app/workshop/bench/peer"),  # puts our drivers and others' on the same simulated wire
    }
    others = set(under("pi_app/")) - set(under("pi_app/cli/")) - may
    assert known(others & SPEAKS_TO_CHIPS, "hardware.sims") == []
    assert known(others - SPEAKS_TO_CHIPS, *WIRES - {"hardware.clock"}) == []


def test_the_builder_of_the_package_is_imported_by_nothing() -> None:
    """It reads the source around it and is no part of the wheel: the program must run without it."""
    builder = under("pi_app/station/package/")
    assert known(set(FILES) - set(builder), "pi_app.station.package") == []
    assert len(known(builder, "pi_app.station.package")) > 5


LOOP = ("setup", "session", "tiles", "dials", "turns", "starts", "beginning", "players", "typed", "round")


@pytest.mark.parametrize("module", LOOP)
def test_each_module_of_the_loop_knows_only_those_before_it(module: str) -> None:
    later = [f"pi_app.play.loop.{name}" for name in LOOP[LOOP.index(module) :]]
    assert known([f"pi_app/play/loop/{module}.py"], *later) == []


def test_displays_know_a_report_and_the_traps_words_alone() -> None:
    """No picture, light or line can show what the report did not give to its viewer (S-1)."""
    game = [found for found in known(under("pi_app/displays/"), "pi_app.game") if "trap_words" not in found]
    assert [found for found in game if not found.endswith(": pi_app.game")] == []
