"""The bench of a builder's waiting times."""

from __future__ import annotations

import pytest

from pi_app.plans.wiring.checks import checks, failing
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import PartKind
from pi_app.workshop.bench import wiring
from tests.pi_app.plans.wiring.tables import read


def test_its_table_has_sixty_four_tiles_and_could_be_built() -> None:
    settings = read(wiring.settings_of(wiring.TILES))
    table = wired(settings)
    assert failing(checks(table, settings)) == []
    assert len(table.of(PartKind.TILE)) == 64
    assert len(table.of(PartKind.MUX)) == 8
    assert len(table.of(PartKind.SCREEN)) == 4


@pytest.mark.slow
def test_the_figures_of_a_run() -> None:
    result = wiring.run(1)
    assert [figure.name for figure in result.figures] == [
        "all files for 64 tiles",
        "printed parts of one square",
    ]
    for figure in result.figures:
        assert (figure.unit, figure.target, figure.at_most) == ("s", 2.0, True)
        assert figure.value > 0


@pytest.mark.slow
def test_a_run_that_fails_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "settings_of", lambda tiles: "nonsense")
    with pytest.raises(RuntimeError, match="ended with 2"):
        wiring.run(1)
