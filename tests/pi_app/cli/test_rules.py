from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main

POOL = '[[figure]]\nname = "Bat"\npoints = 10\n\n[[figure]]\nname = "Imp"\npoints = 10\n'


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "2 figures 10 points",
            "Figures: 1, points: 10 (R-WMT-4).\nThe opponent chooses one of these:\n  1: Bat\n  2: Imp\n",
        ),
        ("2 figures 50 points", "Figures: 2, points: 20 (R-WMT-4).\n  1: Bat, Imp\n"),
        ("1 figure 9 points", "Nothing can be placed (R-WMT-4): no figure of this pool costs so little.\n"),
    ],
)
def test_which_mage_spawn_is_placed(line: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "pool.toml"
    file.write_text(POOL)
    result = CliRunner().invoke(main, ["rules", "convert", *line.split(), "--pool", str(file)])
    assert (result.exit_code, result.output) == (0, told)


def test_a_pool_that_cannot_be_used_is_one_message(tmp_path: Path) -> None:
    file = tmp_path / "pool.toml"
    file.write_text("x = 1\n")
    result = CliRunner().invoke(main, ["rules", "convert", "1", "figure", "9", "points", "--pool", str(file)])
    assert result.exit_code == 2
    assert "there is no key 'x'" in result.output
