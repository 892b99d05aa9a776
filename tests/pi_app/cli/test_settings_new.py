"""`trapdial settings new`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.settings.load import load
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of

QUESTIONS = [
    "Which Raspberry Pi do you have: zero2, 3, 4 or 5? [4]: ",
    "How many trap squares, 1 to 16? [2]: ",
    "How many players, 1 to 4? [2]: ",
    "How many of them have a small screen, 0 to 2? The others get a lamp. [2]: ",
    "May phones be screens too? [y/N]: ",
    f"Which language: {', '.join(LANGUAGES[:-1])} or {LANGUAGES[-1]}? [en]: ",
]
NEXT = [
    "trapdial.toml: written. Next:",
    "  trapdial settings check",
    "  trapdial wiring -o my_table",
    "  trapdial demo -s trapdial.toml",
]
ANSWERED = ["--pi", "5", "--squares", "9", "--seats", "3", "--screens", "1", "--phones", "--language", "fr"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["settings", "new", *words], input=typed, prog_name="trapdial")


def test_six_empty_answers_are_a_table_and_the_next_steps_work() -> None:
    done = new(typed="\n" * 6)
    assert done.exit_code == 0
    assert done.output.splitlines() == [*QUESTIONS, *NEXT]
    read = load(Path("trapdial.toml"))
    assert (len(read.squares), len(read.seats), read.pages, read.wiring.pi) == (2, 2, None, "4")
    for step in NEXT[1:3]:
        again = CliRunner().invoke(main, step.split()[1:], prog_name="trapdial")
        assert again.exit_code == 0, again.output
    assert Path("my_table/guide.md").exists()


def test_answers_are_typed() -> None:
    done = new("-o", "other.toml", typed="zero2\n5\n3\n1\ny\nit\n")
    assert done.exit_code == 0
    read = load(Path("other.toml"))
    assert (read.wiring.pi, len(read.squares), read.table.language, read.pages is not None) == ("zero2", 5, "it", True)
    assert [seat.screen is not None for seat in read.seats.values()] == [True, False, False]
    assert done.output.splitlines()[-3:] == [
        "  trapdial settings check -s other.toml",
        "  trapdial wiring -s other.toml -o my_table",
        "  trapdial demo -s other.toml",
    ]


def test_a_wrong_answer_is_asked_for_again_with_what_is_right() -> None:
    done = new(typed="6\n5\n0\n17\ntwo\n2\n2\n3\n2\nperhaps\nn\nnl\nde\n")
    assert done.exit_code == 0
    assert [line for line in done.output.splitlines() if line.startswith("Type")] == [
        "Type 'zero2', '3', '4' or '5'.",
        "Type a whole number from 1 to 16.",
        "Type a whole number from 1 to 16. For more, add a second bus or a hub to the file afterwards.",
        "Type a whole number from 1 to 16.",
        "Type a whole number from 0 to 2. A player has one screen at most.",
        "Type y or n.",
        f"Type {one_of(LANGUAGES)}.",
    ]


def test_with_all_options_nothing_is_asked() -> None:
    done = new(*ANSWERED)
    assert (done.exit_code, done.output.splitlines()) == (0, NEXT)
    read = load(Path("trapdial.toml"))
    assert (read.wiring.pi, len(read.squares), len(read.seats), read.table.language) == ("5", 9, 3, "fr")


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--pi", "6", "--pi 6: Type 'zero2', '3', '4' or '5'."),
        ("--squares", "0", "--squares 0: Type a whole number from 1 to 16."),
        ("--seats", "5", "--seats 5: Type a whole number from 1 to 4. For more, add their sections to the file "),
        ("--screens", "4", "--screens 4: Type a whole number from 0 to 3. A player has one screen at most."),
        ("--language", "nl", f"--language nl: Type {one_of(LANGUAGES)}."),
    ],
)
def test_a_wrong_option_is_refused(option: str, value: str, sentence: str) -> None:
    words = list(ANSWERED)
    words[words.index(option) + 1] = value
    done = new(*words)
    assert done.exit_code == 2
    assert sentence in done.output
    assert not list(Path().iterdir())


@pytest.mark.parametrize("answers", range(6))
def test_an_input_that_ends_leaves_nothing(answers: int) -> None:
    done = new(typed="\n" * answers)
    assert done.exit_code == 1
    assert done.stderr == "Nothing was written: the input ended before the last answer.\n"
    assert not list(Path().iterdir())


def test_ctrl_c_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("pi_app.cli.asking.next_line", interrupt)
    done = new()
    assert (done.exit_code, done.stderr) == (130, "Stopped: Ctrl-C. Nothing was written.\n")
    assert not list(Path().iterdir())


def test_a_file_that_is_there_is_kept_unless_one_says_so() -> None:
    Path("trapdial.toml").write_text("mine")
    done = new(*ANSWERED)
    assert done.exit_code == 2
    assert done.output == "trapdial.toml: it is already there. Give another name, or say --overwrite.\n"
    assert Path("trapdial.toml").read_text() == "mine"
    assert new("--overwrite", *ANSWERED).exit_code == 0
    assert len(load(Path("trapdial.toml")).squares) == 9


def test_a_name_that_the_disk_cannot_look_up_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / ("a" * 300)
    done = CliRunner().invoke(main, ["settings", "new", "-o", str(file)], input="\n" * 6)
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].startswith(f"{file}: it cannot be written (File name too long).")
