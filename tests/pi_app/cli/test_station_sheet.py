"""`trapdial station sheet`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.settings.load import example_path

STATION = (
    '\n[pages]\nnetwork = "Toy shop"\naddress = "192.168.1.20"\n\n[station]\nlanguages = ["de", "en"]\npin = "271828"\n'
)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text(encoding="utf-8") + STATION, encoding="utf-8")
    return path


def typed(settings: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["station", "sheet", "--settings", str(settings), *options])


def test_it_writes_two_pages_for_each_language_of_the_station(settings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = typed(settings, "-o", str(out))
    assert result.exit_code == 0, result.output
    assert result.output == (
        f"{out}: the station's sheet. Print it at 100 %, both sides, and hang it where the staff sees it.\n"
        "Its codes open http://192.168.1.20. Print it again if that address changes.\n"
    )
    assert sorted(path.name for path in out.iterdir()) == [
        f"station_sheet_{language}_{number}.svg" for language in ("de", "en") for number in (1, 2)
    ]
    assert "271828" not in "".join(path.read_text(encoding="utf-8") for path in out.iterdir())
    again = typed(settings, "-o", str(out))
    assert again.exit_code == 2
    assert "--overwrite" in again.output


@pytest.mark.slow
def test_one_language_in_one_pdf_with_the_pin(settings: Path, tmp_path: Path) -> None:
    file = tmp_path / "sheet.pdf"
    result = typed(settings, "-o", str(file), "--language", "fr", "--with-pin")
    assert result.exit_code == 0, result.output
    assert file.read_bytes().startswith(b"%PDF")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_pin_that_is_not_there_is_a_mistake(settings: Path, tmp_path: Path) -> None:
    settings.write_text(settings.read_text(encoding="utf-8").replace('pin = "271828"\n', ""), encoding="utf-8")
    result = typed(settings, "-o", str(tmp_path / "out"), "--with-pin")
    assert result.exit_code == 2
    assert result.output == (
        f'{settings} [station]: has no pin, so there is no staff page. Write pin = "..." there, 6 to 12 digits, or '
        "leave --with-pin out.\n"
    )


def test_a_table_that_is_no_station_is_refused_with_the_lines_to_add(settings: Path, tmp_path: Path) -> None:
    settings.write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    refused = typed(settings, "-o", str(tmp_path / "out"))
    assert refused.exit_code == 2
    assert not (tmp_path / "out").exists()
    first, empty, *lines = refused.output.splitlines()
    assert (first, empty) == (
        f"{settings}: has no [station], so there is no station to print a sheet for. Add these "
        "lines at its end, then print again.",
        "",
    )
    assert lines == [
        "[station]",
        'languages = ["en"]',
        'pin = ""  # 6 to 12 digits of your own open the staff page; without them there is none',
    ]
    with settings.open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(lines) + "\n")
    assert typed(settings, "-o", str(tmp_path / "out")).exit_code == 0, "with these lines it is printed"
