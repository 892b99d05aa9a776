"""A test module is run, never imported: tests share their things in modules beside them. Tests leave nothing behind."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield every module that is imported, and every name that may be one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{name.name}" for name in node.names)


def of_tests(tree: ast.Module) -> list[str]:
    """Return the imports of modules of tests: files named test_... in a package."""
    return [
        name
        for name in imported(tree)
        if name.startswith(("tests.", ".")) and any(part.startswith("test_") for part in name.split("."))
    ]


@pytest.mark.slow
def test_no_test_module_is_imported() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in sorted(ROOT.rglob("*.py"))
        if (names := of_tests(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_temporary_folders_are_inside_pytests_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Those of a child process too."""
    ask = [sys.executable, "-c", "import tempfile; print(tempfile.gettempdir())"]
    child = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    for folder in (tempfile.gettempdir(), child):
        assert Path(folder).is_relative_to(tmp_path_factory.getbasetemp())


def test_every_way_to_import_one_is_seen() -> None:
    assert of_tests(ast.parse("from tests.a.test_b import c")) == ["tests.a.test_b.c"]
    assert of_tests(ast.parse("from tests.a import test_b as b")) == ["tests.a.test_b"]
    assert of_tests(ast.parse("from . import test_b")) == [".test_b"]
    assert of_tests(ast.parse("def f():\n    import tests.a.test_b")) == ["tests.a.test_b"]
    assert of_tests(ast.parse("from tests.a.b import c\nimport tests.a.b")) == []
