"""`trapdial calibrate`, as it is typed."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hardware.readings import Reading
from pi_app.cli import calibrate as command
from pi_app.cli.main import main
from pi_app.dials.calibration import dump
from pi_app.play.build import TableBuilder
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.build import simulated_table
from pi_app.simulated.demo import Demo
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop import calibrate as calibrating


def run(folder: Path, *words: str) -> Result:
    if not (folder / "trapdial.toml").exists():
        shutil.copy(example_path("2x2"), folder / "trapdial.toml")
    return CliRunner().invoke(main, ["calibrate", "--settings", str(folder / "trapdial.toml"), *words])


def auto(folder: Path, *words: str) -> Result:
    return run(folder, "--simulated", "--auto", *words)


def test_every_dial_is_learnt_and_better_known_than_before(tmp_path: Path) -> None:
    result = auto(tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("SIMULATED: these are not real dials.\n")
    assert list(calibrating.known(tmp_path / "calibration.toml")) == ["T01", "T02"]
    figures = re.findall(r"is ([\d.]+) degrees .* it would be ([\d.]+)\.", result.stdout)
    assert len(figures) == 2
    assert all(float(now) > float(before) for now, before in figures)
    assert result.stdout.splitlines()[-2:] == [
        f"2 of 2 dials learnt; {tmp_path}/calibration.toml knows 2.",
        f'To use it, write calibration = "calibration.toml" into [table] of {tmp_path}/trapdial.toml.',
    ]


def test_one_square_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    assert auto(tmp_path, "-o", str(tmp_path / "c.toml")).exit_code == 0
    before = calibrating.known(tmp_path / "c.toml")
    result = auto(tmp_path, "-o", str(tmp_path / "c.toml"), "--square", "T02", "--seed", "99", "--yes")
    assert result.exit_code == 0
    assert calibrating.known(tmp_path / "c.toml.old") == before
    after = calibrating.known(tmp_path / "c.toml")
    assert after["T01"] == before["T01"]
    assert after["T02"] != before["T02"]
    assert "with what was known before it would be" in result.stdout


def test_nothing_that_it_prints_tells_an_angle(tmp_path: Path) -> None:
    said = auto(tmp_path).output
    for dial in calibrating.known(tmp_path / "calibration.toml").values():
        assert not {str(centre) for centre in dial.centres if centre > 999} & set(re.findall(r"\d+", said))


def test_a_doubtful_turn_is_refused_and_what_was_known_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert auto(tmp_path).exit_code == 0
    before = (tmp_path / "calibration.toml").read_bytes()

    def hasty(table: SimulatedTable, label: str, clicks: int) -> None:
        gaps = [600.0] * (clicks + 1)
        gaps[4] = 50.0
        table.tiles[label].hand.turn(1_500_000_000, clicks + 1, gaps)

    monkeypatch.setattr(command, "turn_once_round", hasty)
    result = auto(tmp_path, "--square", "T01")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[2].startswith("!!  T01: ")
    assert "Wait half a second in every detent" in lines[2]
    assert lines[3:] == [
        "    T01: refused. Its previous calibration is kept.",
        f"0 of 1 dials learnt; {tmp_path}/calibration.toml knows 2.",
    ]
    assert (tmp_path / "calibration.toml").read_bytes() == before


def test_a_dial_that_nobody_turns_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "turn_once_round", lambda table, label, clicks: None)
    result = auto(tmp_path, "--square", "T01")
    assert result.exit_code == 1
    assert "!!  T01: It was not turned for 60 seconds; nothing was changed." in result.stdout
    assert not (tmp_path / "calibration.toml").exists()


def test_a_broken_file_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("format = ")
    result = auto(tmp_path, "-o", str(tmp_path / "c.toml"))
    assert result.exit_code == 2
    assert (tmp_path / "c.toml").read_text() == "format = "


@pytest.mark.parametrize("words", [["--simulated"], ["--auto"]])
def test_simulated_and_auto_go_together(tmp_path: Path, words: list[str]) -> None:
    result = run(tmp_path, *words)
    assert result.exit_code == 2
    assert "--simulated and --auto go together: only a simulated hand can turn a simulated dial." in result.output


def test_a_missing_bus_exits_1(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace("/dev/i2c-1", "/dev/i2c-251")
    (tmp_path / "trapdial.toml").write_text(text.replace("reset_gpio = 17", "#"), encoding="utf-8")
    result = CliRunner().invoke(main, ["calibrate", "--settings", str(tmp_path / "trapdial.toml")], input="\n")
    assert result.exit_code == 1
    assert "I2C bus (/dev/i2c-251) is not there." in result.stderr
    assert result.stdout == "", "nobody is asked to turn a dial that cannot be read"


def test_what_it_writes_is_what_the_house_reads(tmp_path: Path) -> None:
    assert auto(tmp_path).exit_code == 0
    dials = calibrating.known(tmp_path / "calibration.toml")
    assert (tmp_path / "calibration.toml").read_text(encoding="utf-8") == dump(dials)


def test_the_magnets_are_those_of_a_demo_of_the_same_seed(tmp_path: Path) -> None:
    """Else the audit of a calibrated simulated table sees drift, or swapped tiles, where nobody touched anything."""
    assert auto(tmp_path, "--seed", "5").exit_code == 0
    settings = load(tmp_path / "trapdial.toml")
    with TableBuilder(settings, simulated_table(settings, seed=5)) as builder:
        (scan, *_) = builder.wires().scans
        for _ in range(40):
            seen = dict(zip(scan.dials, scan.scan(), strict=True))
    for label, dial in calibrating.known(tmp_path / "calibration.toml").items():
        sample = seen[label]
        assert isinstance(sample, Reading)
        assert abs((sample.raw - dial.centres[0] + 2048) % 4096 - 2048) <= 12


# ------------------------------------------------------------------------------------- before and after a turn


@pytest.fixture
def at_the_table(monkeypatch: pytest.MonkeyPatch) -> list[SimulatedTable]:
    """The command as it is typed at a table, on twins whose hands turn each dial once round. The last table is the
    one in use."""
    tables: list[SimulatedTable] = []

    def twins(settings: Settings, label: str, seed: int | None) -> SimulatedTable:
        table = simulated_table(settings, seed=5)
        command.turn_once_round(table, label, settings.squares[label].table.clicks)
        tables.append(table)
        return table

    monkeypatch.setattr(command, "_parts", twins)
    return tables


def typed(folder: Path, keys: str, *words: str) -> Result:
    if not (folder / "trapdial.toml").exists():
        shutil.copy(example_path("starter"), folder / "trapdial.toml")
    return CliRunner().invoke(main, ["calibrate", "--settings", str(folder / "trapdial.toml"), *words], input=keys)


QUESTION = 'Write calibration = "calibration.toml" into [table] of {}/trapdial.toml, so that play uses it? [Y/n]: '


@pytest.mark.usefixtures("at_the_table")
def test_the_dial_answers_first_and_the_settings_name_the_file_after_asking(tmp_path: Path) -> None:
    result = typed(tmp_path, "\ny\n")
    assert result.exit_code == 0, result.output
    ask, enter, _, _, question, done = result.stdout.splitlines()
    assert ask == (
        "T01: it answers. Turn it to its start mark. Then turn it counter-clockwise, click by click, 12 clicks once "
        "round to the start mark again, and wait half a second in every detent."
    )
    assert enter.startswith("T01: press Enter when it stands at its start mark")
    assert question == QUESTION.format(tmp_path) + "y"
    assert done == (
        f'{tmp_path}/trapdial.toml has calibration = "calibration.toml" now; as it was before, it is '
        f"{tmp_path}/trapdial.toml.old."
    )
    old, new = ((tmp_path / name).read_text(encoding="utf-8") for name in ("trapdial.toml.old", "trapdial.toml"))
    assert old == example_path("starter").read_text(encoding="utf-8")
    assert new == old.replace('calibration = ""  ', 'calibration = "calibration.toml"  ')
    settings = load(tmp_path / "trapdial.toml")
    assert settings.beside(settings.table.calibration).exists()


@pytest.mark.usefixtures("at_the_table")
@pytest.mark.parametrize("keys", ["\nn\n", "\n"])
def test_without_a_yes_the_settings_stay_as_they_are(tmp_path: Path, keys: str) -> None:
    result = typed(tmp_path, keys)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == (
        f'To use it, write calibration = "calibration.toml" into [table] of {tmp_path}/trapdial.toml.'
    )
    assert (tmp_path / "trapdial.toml").read_bytes() == example_path("starter").read_bytes()
    assert not (tmp_path / "trapdial.toml.old").exists()


@pytest.mark.usefixtures("at_the_table")
def test_a_calibration_is_replaced_only_after_asking(tmp_path: Path) -> None:
    assert typed(tmp_path, "\n", "--yes").exit_code == 0
    learnt = calibrating.known(tmp_path / "calibration.toml")["T01"]
    good = dump({"T01": replace(learnt, centres=tuple((centre + 9) % 4096 for centre in learnt.centres))})
    (tmp_path / "calibration.toml").write_text(good, encoding="utf-8")
    kept = typed(tmp_path, "\nn\n")
    assert kept.exit_code == 1
    assert re.search(
        r"T01: with the calibration in the file its worst detent is [\d.]+ degrees from being mistaken for its "
        r"neighbour; with the new one [\d.]+\. Replace it\? \[Y/n\]: n\n"
        r"    T01: its old calibration is kept\. `--yes` replaces it without asking\.\n",
        kept.stdout,
    ), kept.stdout
    assert (tmp_path / "calibration.toml").read_text(encoding="utf-8") == good
    replaced = typed(tmp_path, "\ny\n")
    assert replaced.exit_code == 0
    assert replaced.stdout.splitlines()[-1] == f"The file as it was before is {tmp_path}/calibration.toml.old."
    assert (tmp_path / "calibration.toml.old").read_text(encoding="utf-8") == good
    assert (tmp_path / "calibration.toml").read_text(encoding="utf-8") != good


def test_a_simulated_hand_replaces_nothing_without_yes(tmp_path: Path) -> None:
    assert auto(tmp_path).exit_code == 0
    before = (tmp_path / "calibration.toml").read_bytes()
    result = auto(tmp_path, "--seed", "99")
    assert result.exit_code == 1
    assert result.stdout.count("its old calibration is kept.") == 2
    assert (tmp_path / "calibration.toml").read_bytes() == before


def test_a_tile_that_does_not_answer_is_named_before_anybody_turns_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unplugged(settings: Settings, label: str, seed: int | None) -> SimulatedTable:
        table = simulated_table(settings, seed=5)
        table.tiles[label].unplug()
        return table

    monkeypatch.setattr(command, "_parts", unplugged)
    result = typed(tmp_path, "n\n")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "!!  T01: dial T01 (simulated /dev/i2c-1, chip 0x36) gave no answer (errno 121). Check its plug, then its "
        "power, then SDA and SCL. Nothing was changed.",
        "T01: try again? [Y/n]: n",
        f"0 of 1 dials learnt; {tmp_path}/calibration.toml knows 0.",
    ]


# ------------------------------------------------------------------------------------- pictures, and games


@pytest.mark.parametrize(("name", "begins"), [("dials.svg", b"<?xml"), ("dials.png", b"\x89PNG")])
@pytest.mark.slow
def test_a_picture_of_what_was_learnt(tmp_path: Path, name: str, begins: bytes) -> None:
    plot = tmp_path / name
    result = auto(tmp_path, "--plot", str(plot))
    assert result.exit_code == 0, result.output
    assert f"{plot}: 2 dials drawn.\n" in result.output
    assert plot.read_bytes().startswith(begins)
    plot.unlink()
    again = run(tmp_path, "-o", str(tmp_path / "calibration.toml"), "--known", "--plot", str(plot), "--square", "T02")
    assert again.output == f"{plot}: 1 dial drawn.\n"
    assert plot.read_bytes().startswith(begins)


def test_a_dial_that_is_refused_is_drawn_with_its_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def worn(table: SimulatedTable, label: str, clicks: int) -> None:
        tile = table.tiles[label]
        tile.hand.turn(1_500_000_000, clicks, 600.0)
        true, pitch = tile.encoder.angle_at, 4096 / clicks
        tile.encoder.angle_at = lambda at_ns: (
            true(at_ns) + 90 * min(1.0, 2 * max(0.0, 1 - abs(tile.hand.angle_counts(at_ns) / pitch - 5) * 2))
        )

    monkeypatch.setattr(command, "turn_once_round", worn)
    plot = tmp_path / "dial.svg"
    result = auto(tmp_path, "--square", "T02", "--plot", str(plot))
    assert result.exit_code == 1
    assert re.search(r"!!  T02: At position 5 the dial stands [\d.]+ degrees beside where", result.output), (
        result.output
    )
    assert ">position 5<" in plot.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (["--known"], "--known turns nothing; add --plot FILE to draw what the file has."),
        (["--plot", "dials.jpg"], "--plot draws .svg and .png; what is 'dials.jpg'?"),
        (["--known", "--plot", "dials.svg"], "it has none of these dials. Calibrate them first, without --known."),
    ],
)
def test_a_picture_of_nothing(tmp_path: Path, words: list[str], seen: str) -> None:
    result = run(tmp_path, *words)
    assert result.exit_code == 2
    assert seen in result.output + result.stderr


def test_a_picture_that_cannot_be_written(tmp_path: Path) -> None:
    result = auto(tmp_path, "--plot", str(tmp_path / "no" / "dials.svg"))
    assert result.exit_code == 2
    assert "dials.svg: it cannot be written (No such file or directory)" in result.stderr.replace(" :", ":")


def test_while_a_game_is_open_only_on_request(tmp_path: Path) -> None:
    used = load(example_path("2x2"))
    with Demo(used, tmp_path / "journal.db") as demo:
        while not demo.loop.ready:
            demo.step()
        game = demo.loop.session.game_id
    result = run(tmp_path)
    assert result.exit_code == 2
    assert result.stderr == (
        f"{tmp_path}/journal.db: game {game} in it has not ended, and a dial that is turned now may end up on another "
        "click. End the game first, or say --in-play and turn each dial back to where it stood; its record then gets "
        "an entry, and its audit a finding (S-9).\n"
    )
    asked = CliRunner().invoke(
        main, ["calibrate", "--settings", str(tmp_path / "trapdial.toml"), "--in-play"], input="\n"
    )
    assert "has not ended" not in asked.output
