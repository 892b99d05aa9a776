"""The shape of the code in figures: folders, layers, circles, long files and signatures, names with two meanings, and
how often tests reach into private names. `make check` prints them; tests/test_shape.py holds their limits."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.layers import FILES, LAYERS, circles, edges

ROOT = Path(__file__).resolve().parents[1]

MOST_LINES = 400
TABLES_OF_DATA: frozenset[str] = frozenset()
"""Product files that may be longer: they hold one table."""

MOST_PARAMETERS = 8
MOST_PRIVATE_REACHES = 20

PUBLIC_DESPITE_THE_UNDERSCORE = {"_replace", "_asdict", "_fields", "_make", "_exit", "_getframe", "_sqlite3"}
"""Names of the standard library that are public in spite of their first letter."""


@cache
def tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def files_of_tests() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py"))


def lines(file: str) -> int:
    return len((ROOT / file).read_text(encoding="utf-8").splitlines())


def long_files() -> list[str]:
    """Product files over the limit, as `file: lines`."""
    found = {file: lines(file) for file in FILES if file not in TABLES_OF_DATA}
    return [f"{file}: {count}" for file, count in found.items() if count > MOST_LINES]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many parameters a caller sees: without `self` and `cls`."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def long_signatures() -> list[str]:
    """Product functions with too many parameters, as `file: function(count)`."""
    return [
        f"{file}: {node.name}({parameters(node)})"
        for file in FILES
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and parameters(node) > MOST_PARAMETERS
    ]


def class_names() -> dict[str, list[str]]:
    """Each public class name of the product, with the files that define it at their top level."""
    found: dict[str, list[str]] = {}
    for file in FILES:
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(file)
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC_DESPITE_THE_UNDERSCORE


def private_reaches(file: str) -> list[str]:
    """Where a test touches what another module or object keeps private, as `file:line name`."""
    return [f"{file}:{line} {name}" for line, name in sorted(reaches(tree(file)))]


def reaches(module: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(module):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name) if is_private(name):
                yield node.lineno, name
            case ast.ImportFrom(names=names):
                yield from ((node.lineno, each.name) for each in names if is_private(each.name))
            case ast.Call(func=ast.Attribute(attr="setattr" | "delattr"), args=[_, ast.Constant(value=str(name)), *_]):
                if is_private(name.rpartition(".")[2]):
                    yield node.lineno, name


def all_private_reaches() -> list[str]:
    return [found for file in files_of_tests() for found in private_reaches(file)]


def figures() -> list[str]:
    """Every figure in a line of its own."""
    folders = sorted({file.split("/")[1] for file in FILES if file.count("/") > 1 and file.startswith("pi_app/")})
    longest = max(FILES, key=lines)
    most = max(
        (parameters(node), f"{node.name} in {file}")
        for file in FILES
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    twice = [name for name, files in class_names().items() if len(files) > 1]
    by_file = Counter(found.partition(":")[0] for found in all_private_reaches())
    return [
        f"product: {len(FILES)} files, {sum(map(lines, FILES))} lines",
        f"pi_app: {len(folders)} folders ({', '.join(folders)}), no loose module",
        f"layers: {len(LAYERS)}; import circles: {len(circles(edges()))}",
        f"longest product file: {lines(longest)} lines ({longest}); most parameters: {most[0]} ({most[1]})",
        f"class names that several modules define: {len(twice)} ({', '.join(sorted(twice))})",
        f"tests reach into private names: {by_file.total()} times in {len(by_file)} files",
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join(figures()) + "\n")
