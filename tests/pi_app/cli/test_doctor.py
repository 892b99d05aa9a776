"""`trapdial doctor`, as it is typed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.plans.wiring.drawing import BadgeKind
from pi_app.settings.load import example_path
from tests.docs.pages import tables


def run(folder: Path, *words: str) -> Result:
    if not (folder / "trapdial.toml").exists():
        shutil.copy(example_path("2x2"), folder / "trapdial.toml")
    return CliRunner().invoke(main, ["doctor", "--settings", str(folder / "trapdial.toml"), *words])


def test_a_sound_simulated_table_exits_0_and_says_simulated(tmp_path: Path) -> None:
    result = run(tmp_path, "--simulated", "--seconds", "0.2")
    assert result.exit_code == 0, result.output
    head, *lines, summary = result.output.splitlines()
    assert head == "SIMULATED: no real part was tested."
    assert all(line.startswith("ok  ") for line in lines)
    assert summary == f"{len(lines)} ok, 0 failing, 0 to check"


def test_a_simulated_table_with_pages_has_the_lines_of_phones(tmp_path: Path) -> None:
    file = tmp_path / "trapdial.toml"
    shutil.copy(example_path("2x2"), file)
    file.write_text(file.read_text() + "\n[pages]\nport = 8080\n")
    lines = run(tmp_path, "--simulated", "--seconds", "0.2").output.splitlines()
    parts = [line[4:].partition(" (")[0] for line in lines]
    at = parts.index("calibration") + 1
    assert parts[at : parts.index("pins")] in (
        ["pages", "port 8080", "page process", "access point"],
        ["pages", "page process", "access point"],  # this machine has no address that phones can reach
    )
    assert "cannot be simulated" in lines[parts.index("access point")]


def test_a_pulled_lead_exits_1_and_is_one_line(tmp_path: Path) -> None:
    result = run(tmp_path, "--simulated", "--seconds", "0.2", "--fault", "T02=unplugged", "--fault", "T01=magnet-weak")
    assert result.exit_code == 1
    assert [line[:2] for line in result.output.splitlines() if "encoder of" in line] == ["??", "!!"]
    assert result.output.splitlines()[-1].endswith(" ok, 1 failing, 1 to check")


def test_a_doubt_alone_exits_0(tmp_path: Path) -> None:
    assert run(tmp_path, "--simulated", "--seconds", "0.2", "--fault", "T01=magnet-weak").exit_code == 0


def test_json_is_one_object_per_line_on_standard_output(tmp_path: Path) -> None:
    result = run(tmp_path, "--simulated", "--seconds", "0.2", "--json", "--fault", "T02=unplugged")
    assert result.exit_code == 1
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert {frozenset(each) for each in told} == {frozenset({"sign", "part", "place", "seen", "try"})}
    assert [each for each in told if each["sign"] == "!!"] == [
        {
            "sign": "!!",
            "part": "encoder of T02",
            "place": "simulated /dev/i2c-1 mux 0x70 channel 1",
            "seen": "gave no answer (errno 121)",
            "try": "Check its plug, then its power, then SDA and SCL.",
        }
    ]
    assert "SIMULATED" in result.stderr


def test_on_a_machine_without_a_bus_every_part_is_named_and_it_exits_1(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace("/dev/i2c-1", "/dev/i2c-251")
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "!!  bus dials (/dev/i2c-251): is not there. Switch this bus on with its own dtoverlay" in result.output
    assert "??  encoder of T01 (/dev/i2c-251): was not checked, because its bus cannot be used" in result.output
    assert "SIMULATED" not in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fault", "T01=unplugged"], "--fault needs --simulated"),
        (["--simulated", "--fault", "T09=unplugged"], "the table has no square 'T09'; its squares are T01, T02"),
        (["--simulated", "--fault", "T01=unpluged"], "did you mean 'unplugged'?"),
    ],
)
def test_faults_that_cannot_be(tmp_path: Path, words: list[str], said: str) -> None:
    result = run(tmp_path, *words)
    assert result.exit_code == 2
    assert said in result.output


def test_without_settings_the_machine_is_looked_at_all_the_same(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["doctor", "--settings", str(tmp_path / "none.toml")])
    assert result.exit_code == 2
    assert "machine (this one): " in result.stdout
    assert result.stderr == (
        f"{tmp_path}/none.toml: there is no such file; check the name and the folder, or write a file to start "
        "from with: trapdial settings new\n"
    )


FAULTY = ("--simulated", "--seconds", "0.2", "--fault", "T02=unplugged")


def test_draw_makes_a_picture_of_what_was_seen_and_the_exit_code_stays(tmp_path: Path) -> None:
    file = tmp_path / "wiring.svg"
    result = run(tmp_path, *FAULTY, "-o", str(file))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == f"Drawn: {file}"
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"SIMULATED", "silent: see 1", "T02"} <= set(words)
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".toml", ".svg")] == []


def test_draw_beside_json_leaves_standard_output_to_json(tmp_path: Path) -> None:
    result = run(tmp_path, *FAULTY, "--json", "-o", str(tmp_path / "wiring.svg"))
    assert result.exit_code == 1
    assert all(json.loads(line) for line in result.stdout.splitlines())
    assert "Drawn: " in result.stderr


def test_draw_where_nothing_can_be_written_tells_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "none" / "wiring.svg"
    result = run(tmp_path, *FAULTY, "-o", str(file))
    assert result.exit_code == 2
    assert "!!  encoder of T02 " in result.stdout
    assert result.stdout.splitlines()[-1].endswith(" ok, 1 failing, 0 to check")
    seen = f"{file}: it cannot be written (No such file or directory)"
    assert result.stderr == f"{seen}. Check the folder, who may write there, and the disk.\n"


def test_a_drawing_of_a_real_table_does_not_say_simulated(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8")
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    file = tmp_path / "wiring.svg"
    result = run(tmp_path, "--seconds", "0.2", "-o", str(file))
    assert result.exit_code == 1
    drawing = file.read_text(encoding="utf-8")
    assert "SIMULATED" not in drawing
    assert "not checked" in drawing


def test_the_pages_picture_is_what_the_program_draws_today(tmp_path: Path) -> None:
    """`make picture` draws it again."""
    file = tmp_path / "doctor.svg"
    result = run(tmp_path, *FAULTY, "--fault", "T01=magnet-weak", "-o", str(file))
    assert result.exit_code == 1
    there = Path(__file__).parents[3] / "wiring_docs/doctor.svg"
    assert file.read_text(encoding="utf-8") == there.read_text(encoding="utf-8")


def test_the_page_tells_every_mark() -> None:
    (rows,) = tables("wiring_docs/doctor.md", "mark", "state", "check first")
    assert [row["mark"] for row in rows] == [seen.value for seen in BadgeKind]


def test_a_table_that_cannot_be_wired_is_looked_at_and_not_drawn(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace('pi = "4"', 'pi = "zero2"')
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    file = tmp_path / "wiring.svg"
    result = run(tmp_path, "--simulated", "--seconds", "0.2", "-o", str(file))
    assert result.exit_code == 2
    assert result.stdout.splitlines()[-1].endswith(" ok, 0 failing, 0 to check")
    assert "[bus.screens]" in result.stderr
    assert not file.exists()
