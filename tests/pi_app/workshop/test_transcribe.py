"""Two people read a dial: what they agree on is written, every difference is read again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pi_app.game.trap_table import TrapTable
from pi_app.game.trap_table_file import parse, write
from pi_app.workshop.transcribe import transcribe

HEAD = ["Red dial", "Ann", "2025-03-09"]
CAGE = ["cage", "3", "6+", "22"]
DIAL = [["Buzz Saw", "1", "7", "11"], ["x"], CAGE, ["blank"], ["blank"], ["x"], ["blank"], ["disarmed"], ["start"]]


def lines(dial: list[list[str]]) -> list[str]:
    return [line for position in dial for line in position]


class People:
    """Answers from a list, and keeps what was said; `turned` is how much had been asked before page two."""

    def __init__(self, answers: list[str]) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.turned: list[int] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        return next(self._answers)

    def transcribe(self) -> TrapTable:
        table = transcribe(self.ask, self.said.append, lambda: self.turned.append(len(self.asked)))
        assert next(self._answers, None) is None, "answers were left over"
        return table


def read(answers: list[str]) -> tuple[TrapTable, list[str]]:
    people = People(answers)
    return people.transcribe(), people.said


def faces(table: TrapTable) -> list[str]:
    return [
        face.kind
        if face.trap is None or face.disarm is None
        else f"{face.trap.value} {face.click_number} {face.disarm.printed()} {face.xp}"
        for face in table.faces
    ]


EXPECTED = ["start", "buzz_saw 1 7 11", "clear", "cage 3 6+ 22", "clear", "clear", "clear", "clear", "disarmed"]


def test_two_equal_readings_give_a_transcribed_table_that_passes_its_check() -> None:
    table, said = read([*HEAD, *lines(DIAL), "Ben", *lines(DIAL)])
    assert faces(table) == EXPECTED
    assert (table.name, table.provenance, table.clicks) == ("Red dial", "transcribed", 9)
    assert (table.transcribed_by, table.checked_by, table.date) == ("Ann", "Ben", "2025-03-09")
    assert table.note == "blank at 4, 5, 7; x at 2, 6"
    assert parse(write(table), "t").problems == ()
    assert "invert = true" in said[-1]


def test_the_page_is_turned_before_the_second_person_reads() -> None:
    people = People([*HEAD, *lines(DIAL), "Ben", *lines(DIAL)])
    people.transcribe()
    assert people.turned == [len(HEAD) + len(lines(DIAL))]


def test_positions_are_asked_for_one_by_one() -> None:
    people = People([*HEAD, *lines(DIAL), "Ben", *lines(DIAL)])
    people.transcribe()
    assert people.asked[3:8] == [
        "Position 1 shows",
        "  click number as printed",
        "  disarm number, with + if printed",
        "  experience value",
        "Position 2 shows",
    ]


def test_a_difference_is_read_until_a_third_reading_agrees_with_one() -> None:
    second = [[*row] for row in DIAL]
    second[2] = ["cage", "3", "6", "22"]
    third = ["start", "cage", "3", "8", "22", *CAGE]
    table, said = read([*HEAD, *lines(DIAL), "Ben", *lines(second), *third])
    assert faces(table) == EXPECTED
    words = (
        "Position 3 was read as cage, click number 3, disarm 6+, xp 22 and as cage, click number 3, disarm 6, xp 22. "
        "Read it again together."
    )
    assert said.count(words) == 3
    assert said.count("That matches neither of the two.") == 2


def test_t_dial_12_blank_and_x_are_both_clear_but_still_a_difference() -> None:
    second = [[*row] for row in DIAL]
    second[1] = ["blank"]
    table, said = read([*HEAD, *lines(DIAL), "Ben", *lines(second), "x"])
    assert faces(table) == EXPECTED
    assert "Position 2 was read as x and as blank. Read it again together." in said


def test_a_different_number_of_clicks_means_another_round() -> None:
    short = DIAL[:3] + DIAL[4:]
    table, said = read([*HEAD, *lines(short), "Ben", *lines(DIAL), *lines(DIAL)])
    assert faces(table) == EXPECTED
    assert "One round had 8 clicks and the other 9. Go round once more." in said


def test_t_dial_5_a_round_without_a_disarmed_mark_is_read_again() -> None:
    without = [*DIAL[:-2], ["blank"], ["start"]]
    table, said = read([*HEAD, *lines(without), *lines(DIAL), "Ben", *lines(DIAL)])
    assert faces(table) == EXPECTED
    assert (
        "No position showed the disarmed mark, and every dial has one (T-DIAL-5). "
        "Turn back to the start mark and go round once more." in said
    )


def test_a_dial_that_never_comes_back_to_its_start_is_read_again() -> None:
    table, said = read([*HEAD, *["blank"] * 36, *lines(DIAL), "Ben", *lines(DIAL)])
    assert faces(table) == EXPECTED
    assert any(line.startswith("That is more than 36 positions without the start mark.") for line in said)


def test_when_two_third_readings_leave_no_disarmed_mark_both_read_again() -> None:
    moved = [*DIAL[:6], ["disarmed"], ["blank"], ["start"]]
    answers = [*HEAD, *lines(DIAL), "Ben", *lines(moved), "blank", "blank", *lines(DIAL), "Cal", *lines(DIAL)]
    table, said = read(answers)
    assert faces(table) == EXPECTED
    assert table.checked_by == "Cal"
    assert "This cannot be a dial. Both of you: read it once more, from the start mark." in said


@pytest.mark.parametrize(
    ("at", "wrong", "reason"),
    [
        (0, "", "  must not be empty"),
        (0, "x" * 41, "  must be a text of 1 to 40 characters"),
        (2, "9.3.2025", "  must be a day such as 2025-03-09"),
        (3, "buzsaw", "  'buzsaw' is unknown; did you mean 'buzz_saw'?"),
        (3, "", "  '' is unknown; there is"),
        (4, "one", "  must be a whole number from 0 to 99"),
        (4, "٣", "  must be a whole number from 0 to 99"),
        (5, "6-", "  must be one or two digits with an optional plus: '7' or '6+'"),
        (6, "10000", "  must be a whole number from 0 to 9999"),
        (len(HEAD) + len(lines(DIAL)), "ann", "  must be another person than the first"),
    ],
)
def test_an_invalid_answer_is_asked_for_again(at: int, wrong: str, reason: str) -> None:
    answers = [*HEAD, *lines(DIAL), "Ben", *lines(DIAL)]
    table, said = read([*answers[:at], wrong, *answers[at:]])
    assert faces(table) == EXPECTED
    assert any(line.startswith(reason) for line in said)


@pytest.mark.parametrize("answer", ["buzz", "BUZZ-SAW", "buzz saw", " bu"])
def test_a_unique_beginning_is_enough(answer: str) -> None:
    table, _ = read([*HEAD, answer, *lines(DIAL)[1:], "Ben", *lines(DIAL)])
    assert faces(table) == EXPECTED


def test_an_input_that_cannot_be_read_is_not_a_wrong_answer() -> None:
    """Asking again would ask for ever."""
    said: list[str] = []

    def unreadable(question: str) -> str:
        raise UnicodeDecodeError("utf-8", b"\xd2", 0, 1, "unexpected end of data")

    with pytest.raises(UnicodeDecodeError):
        transcribe(unreadable, said.append, lambda: None)
