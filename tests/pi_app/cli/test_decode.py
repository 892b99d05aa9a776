"""`trapdial decode` as a person meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.cli.whole_file import write_whole
from pi_app.dials.calibration import Calibration, dump
from pi_app.dials.tracker import DialShape
from pi_app.text.errors import UserFileError
from tests.pi_app.traces import Look, looked, rest, swung

UP = tuple(round(100 + k * 4096 / 12) % 4096 for k in range(12))
DOWN = tuple(round(100 - k * 4096 / 12) % 4096 for k in range(12))
SHIFTED = Calibration(12, 4096, False, UP, (1,) * 12, (160,) * 12)
FLIPPED = Calibration(12, 4096, True, DOWN, (1,) * 12, (160,) * 12)


def trace(folder: Path, looks: list[Look], shift: int = 0) -> str:
    rows = [f"{at_ns},{'' if raw is None else (raw + shift) % 4096}" for at_ns, raw in looked(looks, DialShape())]
    path = folder / "trace.csv"
    path.write_text("\n".join(["t_ns,raw", *rows, ""]))
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["decode", *arguments], catch_exceptions=False)


def test_one_line_per_turn_and_a_summary_beside(tmp_path: Path) -> None:
    result = run(trace(tmp_path, [*rest(0), 1, 2, *rest(3), *swung(2)]))
    assert result.exit_code == 0
    assert result.stdout == (
        "1.010 s to 1.030 s: from 0 to 3, +3 clicks (3 samples, 0 failed, longest gap 10.0 ms)\n"
        "2.030 s to 2.030 s: from 3 to 2, -1 click (1 sample, 0 failed, longest gap 10.0 ms)\n"
    )
    assert result.stderr == (
        "2 turns, 0 of them with an unknown path; 302 samples, 0 failed reads, longest gap 10.0 ms\n"
    )


def test_json_lines(tmp_path: Path) -> None:
    result = run(trace(tmp_path, [*rest(0), 0.2, 0.35, *rest(0.5)]), "--json")
    [line] = result.stdout.splitlines()
    assert json.loads(line) == {
        "start_ns": 1_010_000_000,
        "end_ns": 1_030_000_000,
        "from": 0,
        "to": None,
        "clicks": 0,
        "path": "followed",
        "between": [0, 1],
    }


def test_clicks_invert_and_rest_ms(tmp_path: Path) -> None:
    file = trace(tmp_path, [*rest(0), *swung(3, 20), *swung(6)])
    told = [
        json.loads(line)
        for line in run(file, "--clicks", "4", "--invert", "--rest-ms", "100", "--json").stdout.splitlines()
    ]
    assert [(turn["from"], turn["to"], turn["clicks"]) for turn in told] == [(0, 3, -1), (3, 2, -1)]


def calibration(folder: Path, **dials: Calibration) -> str:
    path = folder / "cal.toml"
    path.write_text(dump(dials))
    return str(path)


def test_a_calibration_moves_the_centres(tmp_path: Path) -> None:
    file, looks = calibration(tmp_path, T01=SHIFTED), [*rest(0), *swung(2)]
    told = json.loads(run(trace(tmp_path, looks, shift=100), "--calibration", file, "--json").stdout)
    assert (told["from"], told["to"], told["clicks"]) == (0, 2, 2)


def test_one_square_of_several_is_chosen(tmp_path: Path) -> None:
    file, path = calibration(tmp_path, T01=SHIFTED, T03=FLIPPED), trace(tmp_path, [*rest(0), *swung(2)], shift=100)
    told = json.loads(run(path, "--calibration", file, "--square", "T03", "--invert", "--json").stdout)
    assert (told["from"], told["to"], told["clicks"]) == (0, 10, -2)
    unchosen = run(path, "--calibration", file)
    assert (unchosen.exit_code, unchosen.stderr) == (
        2,
        f"{file}: it has 2 squares: T01, T03. Choose one with --square LABEL.\n",
    )
    missing = run(path, "--calibration", file, "--square", "T07")
    assert (missing.exit_code, missing.stderr) == (2, f"{file}: it has no square 'T07'. It has T01, T03.\n")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--clicks", "8"), "this dial has 12 clicks, not 8. Leave --clicks out."),
        (("--invert",), "this dial's angle grows counter-clockwise. Leave --invert out."),
    ],
)
def test_options_must_not_contradict_the_calibration(tmp_path: Path, option: tuple[str, ...], words: str) -> None:
    file = calibration(tmp_path, T01=SHIFTED)
    result = run(trace(tmp_path, rest(0)), "--calibration", file, *option)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"{file} [squares.T01]: {words}\n")


def test_a_bad_line_leaves_the_lines_before_it(tmp_path: Path) -> None:
    path = Path(trace(tmp_path, [*rest(0), *swung(2)]))
    path.write_text(path.read_text() + "oops\n")
    result = run(str(path))
    assert (result.exit_code, len(result.stdout.splitlines())) == (2, 1)
    assert result.stderr == (
        f"{path} line 202: 1 column instead of 2, in 'oops'. Cut the trace before this line, or "
        "record it again with `trapdial record`.\n"
    )


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    gone = tmp_path / "gone.csv"
    assert (run(str(gone)).exit_code, run(str(gone)).stderr) == (
        2,
        f"{gone}: it cannot be opened (No such file or directory). Check its name, and who may read it.\n",
    )
    assert run(str(tmp_path)).stderr == (f"{tmp_path}: it is a folder, not a plain file. Name a file in it.\n")
    nowhere = run(trace(tmp_path, rest(0)), "--calibration", str(tmp_path / "gone.toml"))
    assert nowhere.exit_code == 2
    assert "gone.toml" in nowhere.stderr


def test_a_square_needs_a_calibration(tmp_path: Path) -> None:
    result = run(trace(tmp_path, rest(0)), "--square", "T01")
    assert result.exit_code == 2
    assert result.stderr.endswith("--square chooses a square of a calibration file; add --calibration FILE.\n")


def test_the_help_names_every_option_and_loads_nothing() -> None:
    words = run("--help").stdout
    for option in ("--clicks", "--invert", "--calibration", "--square", "--rest-ms", "--json", "t_ns,raw,status"):
        assert option in words
    code = "import sys, pi_app.cli.decode; print([m for m in sys.modules if m.startswith('pi_app.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pi_app.dials.tracker" not in loaded


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "cal.toml"
    write_whole(path, "one\n")
    write_whole(path, "two\n")
    assert path.read_text() == "two\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(UserFileError) as error:
        write_whole(tmp_path / "no" / "cal.toml", "one\n")
    assert str(error.value) == (
        f"{tmp_path / 'no' / 'cal.toml'}: it cannot be written (No such file or directory). "
        "Check the folder, who may write there, and the disk."
    )
    (tmp_path / "busy.toml").mkdir()
    with pytest.raises(UserFileError):
        write_whole(tmp_path / "busy.toml", "one\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["busy.toml"]
