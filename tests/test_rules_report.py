"""The report on rule ids counts what is there."""

from __future__ import annotations

import pytest

from pi_app.game.rulings import RULINGS
from tests.rules_report import FAMILIES, ID, ROOT, cited_in, nowhere, report, rulings, spelled, unanswered, untested


def test_every_family_has_its_line_and_no_id_is_made_up() -> None:
    lines = report()
    assert [line.split()[0] for line in lines[1 : len(FAMILIES) + 1]] == list(FAMILIES)
    known = {spelled(family, number) for family, highest in FAMILIES.items() for number in range(1, highest + 1)}
    assert cited_in("pi_app") - known == set()


def test_what_the_traps_do_is_cited() -> None:
    cited = cited_in("pi_app", "tests")
    traps = [family for family in FAMILIES if family.startswith("E-")]
    assert [each for f in traps for n in range(1, FAMILIES[f] + 1) if (each := spelled(f, n)) not in cited] == []


LEFT_TO = {
    "P-5": "The builders",
    "G-7": "The players",
    "D-REV-2": "The players",
    "D-REV-3": "The players",
    "D-REV-4": "The players",
    "D-REV-5": "The players",
    "D-JMP-3": "The players",
}
"""Rule about what no dial and no typed word can show -> who decides it."""


def test_what_the_device_cannot_see_is_left_to_somebody_on_the_page() -> None:
    """No rule is cited nowhere: what the program does not judge is on this list, and no rule that it does judge."""
    assert nowhere() == []
    assert LEFT_TO.keys() & cited_in("hardware", "firmware_host", "pi_app") == set()
    page = (ROOT / "wiring_docs" / "rule_ids.md").read_text(encoding="utf-8").partition("\n## Left to the players\n")[2]
    rows = (row.partition(": ") for row in page.partition("\n- ")[2].split("\n- "))
    assert {each.strip("*"): why.partition(": ")[0] for each, _, why in rows} == LEFT_TO


def test_every_id_of_the_rules_is_on_the_page() -> None:
    page = (ROOT / "wiring_docs" / "rule_ids.md").read_text(encoding="utf-8")
    every = {spelled(family, number) for family, highest in FAMILIES.items() for number in range(1, highest + 1)}
    assert set(ID.findall(page)) == every


def test_what_the_code_cites_a_test_cites_too() -> None:
    """A rule that is implemented has a test that would fail without it."""
    assert untested() == []


def test_every_ruling_is_answered_and_every_answer_is_tested() -> None:
    assert unanswered() == []
    assert f"rulings answered and tested: {len(rulings())} of {len(rulings())}" in report()


def test_a_ruling_without_an_answer_is_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    left = {each: ruling for each, ruling in RULINGS.items() if each != "R-SA-3"}
    monkeypatch.setattr("tests.rules_report.RULINGS", left)
    assert "not answered: R-SA-3" in report()


ANSWERED_BY = {
    "Q-01": "T-DIAL-9",
    "Q-02": "T-DIAL-5",
    "Q-03": "T-DIAL-11",
    "Q-04": "T-DIS-9",
    "Q-05": "T-EXP-8",
    "Q-06": "T-EXP-11",
    "Q-07": "T-TRG-8",
    "Q-08": "T-TRG-12",
    "Q-09": "T-DIS-10",
    "Q-10": "S-10",
    "Q-12": "L-27",
    "Q-16": "A-SHW-2",
    "Q-19": "E-FIRE-5",
    "Q-23": "R-SA-2",
    "Q-24": "R-XP-4",
    "Q-25": "A-BRK-1",
    "Q-29": "S-7",
    "Q-30": "S-8",
}
"""Question that the sheets leave open -> the rule that answers it here."""


@pytest.mark.parametrize(("question", "rule"), ANSWERED_BY.items())
def test_an_open_question_is_answered_by_a_rule_that_other_tests_cite(question: str, rule: str) -> None:
    page = " ".join((ROOT / "wiring_docs" / "rule_ids.md").read_text(encoding="utf-8").split())
    row = page.partition(f"- **{question}**: ")[2].partition(" - **")[0].partition(" ## ")[0]
    assert row.endswith(f"({rule}).")
    assert rule in cited_in("tests/pi_app")
