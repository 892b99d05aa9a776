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


def test_what_is_cited_nowhere_has_its_reason_on_the_page() -> None:
    """Whoever cites another rule, or none any more, changes that list too."""
    page = (ROOT / "wiring_docs" / "rule_ids.md").read_text(encoding="utf-8").partition("\n## Cited nowhere\n")[2]
    rows = [" ".join(row.split()).partition(": ") for row in page.partition("\n- ")[2].split("\n- ")]
    assert all(why.endswith(".") and len(why) > 20 for _, _, why in rows)
    told = [each for ids, _, _ in rows for each in ids.split(", ")]
    assert sorted(told) == sorted(nowhere())


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
