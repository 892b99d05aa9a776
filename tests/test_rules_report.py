"""The report on rule ids counts what is there."""

from __future__ import annotations

from tests.rules_report import FAMILIES, cited_in, report, spelled


def test_every_family_has_its_line_and_no_id_is_made_up() -> None:
    lines = report()
    assert [line.split()[0] for line in lines[1 : len(FAMILIES) + 1]] == list(FAMILIES)
    known = {spelled(family, number) for family, highest in FAMILIES.items() for number in range(1, highest + 1)}
    assert cited_in("pi_app") - known == set()


def test_what_the_traps_do_is_cited() -> None:
    cited = cited_in("pi_app", "tests")
    traps = [family for family in FAMILIES if family.startswith("E-")]
    assert [each for f in traps for n in range(1, FAMILIES[f] + 1) if (each := spelled(f, n)) not in cited] == []
