"""What imports what in the product, and the layers that imports go down: read from the source of every file."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("firmware_host", "hardware", "pi_app")
    for path in ROOT.glob(f"{room}/**/*.py")
)

LAYERS: tuple[tuple[str, ...], ...] = (
    ("hardware", "text"),
    ("firmware_host", "dials", "journal"),
    ("game", "sender"),
    ("settings", "report"),
    ("displays", "pages"),
    ("play", "plans"),
    ("station", "audit"),
    ("simulated", "centre"),
    ("workshop", "rooms"),
    ("cli",),
)
"""Every folder in its layer: it imports from the layers before its own, and never from its own or a later one."""


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
