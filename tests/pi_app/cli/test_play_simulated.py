"""`trapdial play --simulated`: the whole command on twins, with hands that are typed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from pi_app.cli.main import main
from pi_app.cli.simulated_play import SimulatedPlay
from pi_app.cli.table_output import TextLines
from pi_app.cli.typed_hands import USAGE
from pi_app.settings.load import example_path, load
from pi_app.simulated.wall_clock import WallClock
from tests.docs.pages import tables
from tests.pi_app.journal.keeping import write
from tests.pi_app.resumed_game import PLAY

EXPOSES = ("sim tap ann", "sim turn t01 3", "sim hold Ann 2")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings, and time that does not wait for the wall clock."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", lambda: None)
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    return tmp_path


def trapdial(*words: str, typed: tuple[str, ...] = ()) -> Result:
    return CliRunner().invoke(main, list(words), input="".join(f"{line}\n" for line in typed), prog_name="trapdial")


def play(*typed: str, words: tuple[str, ...] = ()) -> list[str]:
    """What the terminal shows, without the mark that every line has."""
    done = trapdial("play", "--simulated", *words, typed=(*typed, "quit"))
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert all(line.startswith("SIMULATED ") for line in lines)
    return [line.removeprefix("SIMULATED ") for line in lines]


def test_a_whole_exposed_trap_comes_from_a_pipe() -> None:
    lines = play(*EXPOSES, "end")
    assert lines[0] == (
        "everyone | no real dial is read: chips, pins and hands are simulated. Hands are typed, such as: sim tap SEAT; "
        "`sim help` lists them."
    )
    assert "public, referee | Small table. The game is on. SIMULATED: no real dial was read." in lines
    assert [line.removeprefix("typed    | ") for line in lines if line.startswith("typed")] == [*EXPOSES, "end", "quit"]
    shown = [line for line in lines if not line.startswith("typed")]
    acts = [line for line in shown if line.startswith(("hands", "seat")) or ("| " in line and " Ann" in line)]
    assert acts == [
        "hands    | ANN taps.",
        "seat ANN | screen: Your turn. Turn one dial, then hold to look.",
        "public, referee | Ann is about to turn a dial.",
        "hands    | A hand turns T01 by 3 clicks counter-clockwise.",
        "seat ANN | screen: T01: Keep turning, let it rest, then hold.",
        "public, referee | Ann turns the dial of T01.",
        "hands    | ANN holds for 2 seconds.",
        "seat ANN | screen: T01: The Cage, click 3, disarm 6+, XP 22. Locks the Hero in, out of play, until freed. "
        "[SAMPLE, SIMULATED]",
        "public, referee | T01: exposed by Ann.",
        "seat ANN | screen: dark",
    ]


def test_its_record_is_simulated_and_not_among_the_tables_own(here: Path) -> None:
    play(*EXPOSES, "end")
    assert not (here / "journal.db").exists()
    audited = trapdial("audit", "journal_simulated.db")
    assert audited.exit_code == 0
    assert "on Small table, SIMULATED" in " ".join(audited.stdout.split())
    assert trapdial("journal", "verify", "journal_simulated.db").exit_code == 0


def test_time_is_the_wall_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", WallClock)
    table = SimulatedPlay(load(example_path("2x2")), TextLines(print)).parts(None)
    assert isinstance(table.clock.pace, WallClock)
    table.close()


def test_a_screen_is_drawn_from_its_chip() -> None:
    lines = play("sim tap ANN", "sim turn T01 1", "sim press ANN", "sim wait 1", "sim screen ANN", "sim release ANN")
    at = lines.index("hands    | The screen of ANN:")
    drawn = lines[at + 1 : at + 19]
    assert drawn[0] == f"hands    | ┌{'─' * 64}┐"
    assert drawn[-1] == f"hands    | └{'─' * 64}┘"
    assert all("⣿" in row for row in drawn[1:-1])
    assert lines[at + 19 : at + 21] == ["typed    | sim release ANN", "hands    | ANN releases the button."]


def test_a_fault_is_told_and_cleared() -> None:
    lines = play("sim fault T02 unplugged", "sim wait 3", "sim clear T02 unplugged", "sim wait 3")
    assert "hands    | The fault unplugged of T02 begins." in lines
    assert (
        "referee  | dial T02 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) gave no answer (errno 121). "
        "Check its plug, then its power, then SDA and SCL."
    ) in lines
    assert lines.index("hands    | The fault unplugged of T02 is cleared.") < len(lines) - 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sim trun T01 2", "A hand cannot 'trun'; did you mean 'turn'?"),
        ("sim tap", "Usage: sim tap SEAT"),
        ("sim tap DEE", "There is no seat 'DEE'; there is 'ANN' or 'BEN'."),
        ("sim turn T9 3", "There is no square 'T9'; there is 'T01' or 'T02'."),
        ("sim turn T01 0", "A dial is turned by 1 to 99 clicks, or by -1 to -99."),
        ("sim turn T01 x", "A dial is turned by 1 to 99 clicks, or by -1 to -99."),
        ("sim hold ANN soon", "'soon' is not a number of seconds, from 0.1 to 3600."),
        ("sim wait nan", "'nan' is not a number of seconds, from 0.1 to 3600."),
        ("sim fault T01 flat", "There is no fault 'flat'; `trapdial demo --faults` lists all."),
        ("sim fault T01 unplugd", "There is no fault 'unplugd'; did you mean 'unplugged'?"),
    ],
)
def test_words_that_no_hand_can_follow_are_refused(line: str, said: str) -> None:
    assert f"hands    | {said}" in play(line)


def test_the_hands_have_help() -> None:
    assert [line.removeprefix("hands    | ") for line in play("sim help") if line.startswith("hands")] == [
        f"{usage}: {meaning}" for usage, meaning in USAGE.values()
    ]


def test_the_page_lists_the_same_words() -> None:
    (rows,) = tables("wiring_docs/demo.md", "line", "what happens")
    assert {row["line"].strip("`"): row["what happens"] for row in rows} == dict(USAGE.values())


def test_a_simulated_game_is_resumed_where_its_dials_stood() -> None:
    play(*EXPOSES)
    refused = trapdial("play", "--simulated")
    assert refused.exit_code == 2
    assert "journal_simulated.db (file): it holds a game that was not ended." in refused.stderr
    lines = play("sim hold ANN", "check", words=("--resume",))
    assert any("screen: T01: The Cage" in line for line in lines)
    assert not any("path unknown" in line for line in lines)


def test_a_real_game_is_not_resumed_on_twins_nor_a_simulated_one_on_real_dials(here: Path) -> None:
    play(*EXPOSES)
    real = trapdial("play", "--resume", "--unchecked", "--journal", "journal_simulated.db")
    assert (real.exit_code, real.stderr.splitlines()[-1]) == (
        2,
        "journal_simulated.db (file): its game was played on a SIMULATED table. Resume it with --simulated, or begin "
        "another with --new.",
    )
    begun, *rest = PLAY
    write(here / "real.db", (replace(begun, simulated=False), *rest))
    twins = trapdial("play", "--simulated", "--resume", "--journal", "real.db")
    assert (twins.exit_code, twins.stderr.splitlines()[-1]) == (
        2,
        "real.db (file): its game was played on real dials. Resume it with `trapdial play`, or name another file with "
        "--journal.",
    )


def test_a_new_game_and_a_shuffle_go_as_on_a_real_table() -> None:
    play(*EXPOSES)
    lines = play("sim tap BEN", "sim turn T02 2", "sim hold BEN", words=("--new", "--shuffle"))
    assert "public, referee | T02: exposed by Ben." in lines
