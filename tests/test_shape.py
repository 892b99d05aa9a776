"""The code keeps its shape: short files, short signatures, one meaning for each class name, tests without a crowbar."""

from __future__ import annotations

import ast

import pytest

from tests import shape

ONE_MEANING = {"Finding", "Game", "Motion", "Resumed", "Ruleset", "Started"}
"""Class names that both games define, each for itself: trap squares (pi_app.game) and rotating rooms (pi_app.rooms)."""


def test_no_product_file_is_too_long() -> None:
    assert shape.long_files() == []
    assert all(shape.lines(file) > shape.MOST_LINES for file in shape.TABLES_OF_DATA), "listed without need"


def test_no_signature_is_too_long() -> None:
    assert shape.long_signatures() == []


def test_each_class_name_has_one_meaning() -> None:
    twice = {name for name, files in shape.class_names().items() if len(files) > 1}
    assert twice == ONE_MEANING


@pytest.mark.slow
def test_tests_stay_out_of_private_names() -> None:
    found = shape.all_private_reaches()
    assert len(found) <= shape.MOST_PRIVATE_REACHES, found


def test_what_is_too_long_is_seen() -> None:
    code = "class A:\n    def ok(self, a, b): ...\n    def bad(self, a, b, c, d, /, e, f, g, h, *, i): ..."
    ok, bad = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef))
    assert (shape.parameters(ok), shape.parameters(bad)) == (2, 9)


def test_a_private_reach_is_seen() -> None:
    code = "from a import _b\nx._c\nself._d\nx._replace(y=1)\nm.setattr(x, '_e', 1)\nx.__name__\n"
    found = shape.reaches(ast.parse(code))
    assert sorted(found) == [(1, "_b"), (2, "_c"), (5, "_e")]


@pytest.mark.slow
def test_every_figure_is_printed() -> None:
    assert [line.partition(":")[0] for line in shape.figures()] == [
        "product",
        "pi_app",
        "layers",
        "longest product file",
        "class names that several modules define",
        "tests reach into private names",
    ]
