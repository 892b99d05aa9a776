"""The doctor's checks of the calibration file."""

from __future__ import annotations

from pathlib import Path

from pi_app.dials.calibration import Calibration
from pi_app.settings.load import example_path, load
from pi_app.workshop.calibrate import keep
from tests.pi_app.workshop.doctor.looking import line, seen


def test_a_calibration_that_lacks_a_square_or_cannot_be_read(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace('calibration = ""', 'calibration = "c.toml"')
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path / "trapdial.toml")
    missing = line(seen(settings, tmp_path), "calibration")
    assert missing.startswith(f"!!  calibration ({tmp_path}/c.toml): ")
    assert missing.endswith("Run trapdial calibrate.")
    even = tuple(round(k * 4096 / 12) for k in range(12))
    keep(tmp_path / "c.toml", {"T01": Calibration(12, 4096, False, even, (2,) * 12, (160,) * 12)})
    assert line(seen(settings, tmp_path), "calibration") == (
        f"??  calibration ({tmp_path}/c.toml): has no entry for T02; another tile on a lead of T02 is not noticed. "
        "Run trapdial calibrate."
    )


def test_what_cannot_be_protected_is_named(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace('calibration = ""', 'calibration = "c.toml"')
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path / "trapdial.toml")
    even = tuple(round(k * 4096 / 12) for k in range(12))
    dial = Calibration(12, 4096, False, even, (2,) * 12, (160,) * 12)
    keep(tmp_path / "c.toml", {"T01": dial, "T02": dial})
    lines = [str(check) for check in seen(settings, tmp_path) if check.part == "calibration"]
    assert lines == [
        f"ok  calibration ({tmp_path}/c.toml): has every square",
        f"??  calibration ({tmp_path}/c.toml): has tiles with too similar detents: T01 and T02; an exchange of "
        "these is not noticed. Label the tiles, or give each a memory.",
    ]
