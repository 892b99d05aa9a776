"""The doctor's checks of the seats' screens."""

from __future__ import annotations

from pathlib import Path

from pi_app.settings.load import example_path, load
from pi_app.simulated.table import SimulatedTable
from tests.pi_app.workshop.doctor.looking import SMALL, ill, line, seen


def test_a_silent_screen_and_one_with_the_other_address(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    trunk = table.buses["screens"].wire.trunk
    trunk.remove(table.oleds["ANN"])
    checks = seen(SMALL, tmp_path, table)
    assert ill(checks) == [
        "!!  screen of seat ANN (simulated /dev/i2c-6 0x3C): gave no answer (errno 121). "
        "Check its plug, then its power, then SDA and SCL."
    ]

    text = example_path("2x2").read_text(encoding="utf-8")
    text = text[: text.index("[seat.BEN.screen]")]
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    one_screen = load(tmp_path / "trapdial.toml")
    table = SimulatedTable(one_screen)
    trunk = table.buses["screens"].wire.trunk
    trunk.remove(table.oleds["ANN"])
    trunk.hang(type(table.oleds["ANN"])(0x3D))
    assert line(seen(one_screen, tmp_path, table), "screen of seat ANN").endswith(
        "A screen answers at 0x3D: change the settings, or its solder bridge."
    )
