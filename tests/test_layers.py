"""Who may import whom, and through which module: read from the source, so that it holds for every file."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
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
    "drawsvg": {"pi_app/plans/pictures/svg.py"},
    "yaml": {"pi_app/plans/wiring/wireviz.py"},
    "sqlite3": {*(f for f in FILES if f.startswith("pi_app/journal/")), "pi_app/journal/archive.py"},
    "matplotlib": {"pi_app/audit/plots.py"},
    "nacl": {"pi_app/journal/record/keys.py", "pi_app/journal/record/sha.py"},
    "segno": {"pi_app/cli/journal.py"},
    "textual": {"pi_app/simulated/live/app.py"},
    "babel": {"pi_app/text/pseudo.py"},
    "manifold3d": {"pi_app/plans/printed/solid.py"},
    "numpy": {f for f in FILES if f.startswith("pi_app/plans/printed/")},
    "fpdf": {"pi_app/plans/pictures/pdf.py"},
}
"""Each outside library, and the only files that may know it."""

LAYERS: tuple[tuple[str, ...], ...] = (
    ("hardware", "text"),
    ("firmware_host", "dials", "journal"),
    ("game",),
    ("settings", "report"),
    ("displays",),
    ("play", "plans"),
    ("simulated", "audit"),
    ("workshop", "rooms"),
    ("cli",),
)
"""Every folder in its layer: it imports from the layers before its own, and never from its own or a later one."""

MOST_FOLDERS = 14
MOST_LAYERS = 10

PURE = {file for folder in ("dials", "game", "report") for file in FILES if file.startswith(f"pi_app/{folder}/")} - {
    "pi_app/dials/sampling.py",  # measures the processor time that sampling takes
    *(f"pi_app/game/{name}.py" for name in ("chests", "conversion", "tokens", "trap_table")),  # read the owner's files
}
PURE |= {f"pi_app/displays/{name}.py" for name in ("describe", "lamp", "letters", "raster", "seat", "shift", "symbols")}
PURE |= {f"pi_app/settings/{name}.py" for name in ("hubs", "wiring", "wiring_section")}
PURE |= {f"pi_app/simulated/{name}.py" for name in ("actions", "fault_option", "script")}
PURE |= {
    f"pi_app/audit/{name}.py" for name in ("decode_lines", "examine", "sealed", "statistics", "values", "who_knew")
}
PURE |= {
    f"pi_app/plans/placement/{name}.py" for name in ("dungeon", "hallways", "picture", "plain", "reading", "verdict")
}
PURE |= {file for file in FILES if file.startswith("pi_app/plans/wiring/")} - {
    "pi_app/plans/wiring/folder.py",  # writes
    "pi_app/plans/wiring/sheet.py",  # the csv module writes to a text in memory
}
PURE |= {f"pi_app/plans/printed/faces/{name}.py" for name in ("faces", "sheets")}
PURE |= {f"pi_app/plans/printed/{name}.py" for name in ("profiles", "square", "table")}
PURE |= {f"pi_app/plans/pictures/{name}.py" for name in ("marks",)}
PURE |= {f"pi_app/play/{name}.py" for name in ("clock_notice", "gestures")}
PURE |= {file for file in FILES if file.startswith("pi_app/play/commands/")}
PURE |= {f"pi_app/rooms/{name}.py" for name in ("commands", "events", "game", "report")}
PURE |= {"pi_app/workshop/calibration_plot.py"}
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

SPEAKS_TO_CHIPS = {
    f"pi_app/workshop/doctor/{name}.py"
    for name in ("bus", "bus_wiring", "encoders", "muxes", "pace", "panel", "screens", "strangers")
}
"""The doctor's modules that speak to chips; `play.build` hands them real ones or twins."""


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
    assert set(FILES) >= PURE | SPEAKS_TO_CHIPS
    assert {f"pi_app/play/loop/{name}.py" for name in (*LOOP, "__init__")} == set(under("pi_app/play/loop/"))


def known(files: Iterable[str], *packages: str) -> list[str]:
    """What of these packages these files import, as `file: module`."""
    return [f"{file}: {module}" for file in files for module in imports(file) if inside(module, *packages)]


def under(*folders: str) -> list[str]:
    return [file for file in FILES if file.startswith(folders)]


def folder_of(name: str) -> str:
    """The folder of a file or of a module: `pi_app/play/build.py` and `pi_app.play.build` are in `play`."""
    first, *rest = re.split(r"[/.]", name)
    return rest[0] if first == "pi_app" and rest else first


def layer_of(folder: str) -> int:
    """1 is the lowest. A folder that no layer names fails the test."""
    found = [number for number, layer in enumerate(LAYERS, 1) if folder in layer]
    assert found, f"LAYERS in tests/test_layers.py does not name the folder {folder}."
    return found[0]


def own(file: str) -> list[str]:
    """The modules of this project that a file imports."""
    return [module for module in imports(file) if module.split(".")[0] in ("firmware_host", "hardware", "pi_app")]


def not_downward(file: str, modules: Iterable[str]) -> list[str]:
    """Which of these modules lie in another folder that is not in a lower layer."""
    here = folder_of(file)
    others = {module: folder_of(module) for module in modules if folder_of(module) not in (here, "pi_app", "__init__")}
    return [f"{file}: {module}" for module, folder in others.items() if layer_of(folder) >= layer_of(here)]


def test_every_import_goes_to_a_lower_layer() -> None:
    assert [found for file in FILES if file != "pi_app/__init__.py" for found in not_downward(file, own(file))] == []


def test_an_upward_import_is_seen() -> None:
    assert not_downward("pi_app/dials/unwrap.py", ["pi_app.play.build"]) == [
        "pi_app/dials/unwrap.py: pi_app.play.build"
    ]
    assert not_downward("pi_app/play/build.py", ["pi_app.dials.unwrap", "pi_app.play.parts"]) == []


def test_there_are_few_folders_few_layers_and_no_loose_module() -> None:
    inside = {file.split("/")[1] for file in FILES if file.startswith("pi_app/")}
    assert {name for name in inside if name.endswith(".py")} == {"__init__.py"}
    assert len(inside) - 1 <= MOST_FOLDERS
    assert len(LAYERS) <= MOST_LAYERS
    assert {folder for layer in LAYERS for folder in layer} == inside - {"__init__.py"} | {"hardware", "firmware_host"}


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import each other in a circle: every set that can be reached from each of its members."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen, todo = set[str](), [start]
        while todo:
            new = graph.get(todo.pop(), set()) - seen
            seen |= new
            todo.extend(new)
        reached[start] = seen
    found = {tuple(sorted(other for other in seen if name in reached[other])) for name, seen in reached.items()}
    return [list(circle) for circle in sorted(found) if circle]


def edges() -> dict[str, set[str]]:
    """Which modules each module imports: a name imported from a package is the module of that name, if there is one."""
    modules = {file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in FILES}
    graph = {}
    for name, file in modules.items():
        named = {*own(file)} & set(modules)
        graph[name] = {each for each in named if not any(other.startswith(f"{each}.") for other in named)} - {name}
    return graph


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


def test_pure_modules_do_no_io_and_know_no_time() -> None:
    assert known(PURE - SEEDED, *IMPURE) == []
    assert known(SEEDED, *IMPURE - {"random"}) == []
    assert known(PURE, *WIRES) == []


def test_only_build_and_its_parts_see_real_chips_and_twins() -> None:
    may = {
        "pi_app/play/build.py",
        "pi_app/play/parts.py",
        "pi_app/play/taps.py",
        "pi_app/simulated/hub_table.py",
        "pi_app/simulated/table.py",
        "pi_app/play/feed.py",
        "pi_app/workshop/bench/scan.py",
        "pi_app/workshop/bench/bench_bus.py",
        "pi_app/workshop/bench/stub_adapter.py",
        "pi_app/workshop/bench/cpu.py",
        "pi_app/workshop/bench/cpu_wires.py",
        "pi_app/workshop/bench/faulty.py",
        "pi_app/workshop/bench/hand_hub.py",
        "pi_app/workshop/bench/hand_bus.py",
        "pi_app/workshop/bench/hands.py",
        *under("pi_app/workshop/bench/peer"),  # puts our drivers and others' on the same simulated wire
    }
    others = set(under("pi_app/")) - set(under("pi_app/cli/")) - may
    assert known(others & SPEAKS_TO_CHIPS, "hardware.sims") == []
    assert known(others - SPEAKS_TO_CHIPS, *WIRES - {"hardware.clock"}) == []


LOOP = ("sitting", "tiles", "dials", "turns", "beginning", "players", "typed", "round")


@pytest.mark.parametrize("module", LOOP)
def test_each_module_of_the_loop_knows_only_those_before_it(module: str) -> None:
    later = [f"pi_app.play.loop.{name}" for name in LOOP[LOOP.index(module) :]]
    assert known([f"pi_app/play/loop/{module}.py"], *later) == []


def test_displays_know_a_report_and_the_traps_words_alone() -> None:
    """No picture, light or line can show what the report did not give to its viewer (S-1)."""
    game = [found for found in known(under("pi_app/displays/"), "pi_app.game") if "trap_words" not in found]
    assert [found for found in game if not found.endswith(": pi_app.game")] == []
