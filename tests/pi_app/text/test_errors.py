"""The words for a user's broken file."""

from __future__ import annotations

from pi_app.text.errors import UserFileError, problem


def test_one_problem_is_one_sentence_with_four_parts() -> None:
    error = UserFileError.at("table.toml", "line 7", "'chanel' is no setting", "Write 'channel'")
    assert str(error) == "table.toml line 7: 'chanel' is no setting. Write 'channel'."
    assert error.problems == (str(error),)


def test_the_whole_file_needs_no_place() -> None:
    assert problem("a.csv", "", "it is empty", "Record again") == "a.csv: it is empty. Record again."


def test_all_problems_come_at_once_one_line_each() -> None:
    error = UserFileError(problem("a.toml", f"line {n}", "odd", "Mend it") for n in (3, 5))
    assert str(error) == "a.toml line 3: odd. Mend it.\na.toml line 5: odd. Mend it."
    assert error.problems == ("a.toml line 3: odd. Mend it.", "a.toml line 5: odd. Mend it.")
