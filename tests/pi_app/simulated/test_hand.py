"""A simulated table's dials are turned by the requested kind of hand."""

from __future__ import annotations

import pytest

from pi_app.settings.load import example_path, load
from pi_app.simulated.table import SimulatedTable


def test_every_dial_has_the_hand_that_was_asked_for() -> None:
    settings = load(example_path("2x2"))
    usual, nail = SimulatedTable(settings), SimulatedTable(settings, hand="nail")
    assert {tile.hand.kind.name for tile in usual.tiles.values()} == {"formula"}
    assert {tile.hand.kind.name for tile in nail.tiles.values()} == {"nail"}
    usual.close()
    nail.close()


def test_a_hand_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^there is no hand 'foot'; the kinds are formula, crisp, "):
        SimulatedTable(load(example_path("2x2")), hand="foot")
