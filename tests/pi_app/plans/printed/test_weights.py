"""The filament of the printed parts, against their solids."""

from __future__ import annotations

import pytest

from pi_app.plans.printed.parts import PARTS, assembled
from pi_app.plans.printed.square import FEWEST_CLICKS, MOST_CLICKS, PrintedSquare
from pi_app.plans.printed.weights import PETG_PARTS, VOLUMES_CM3, filament


def test_the_volumes_are_those_of_the_solids_and_never_less() -> None:
    largest = dict.fromkeys(PARTS, 0.0)
    for clicks in (FEWEST_CLICKS, 12, MOST_CLICKS):
        for name, solid in assembled(PrintedSquare(clicks=clicks)).items():
            largest[name] = max(largest[name], solid.volume() / 1000)
    assert set(VOLUMES_CM3) == set(largest)
    for name, volume in largest.items():
        assert volume <= VOLUMES_CM3[name] <= volume + 0.2, (name, volume)


def test_the_materials_are_those_of_the_recipes() -> None:
    assert [name for name, one in PARTS.items() if one.material.startswith("PETG")] == [*PETG_PARTS]


@pytest.mark.parametrize(("squares", "hoods", "grams"), [(0, 0, (12, 2)), (1, 1, (59, 9)), (16, 4, (617, 118))])
def test_grams_for_a_table(squares: int, hoods: int, grams: tuple[int, int]) -> None:
    assert tuple(filament(squares, hoods)) == grams
