"""What the stage makes of the board's reports, with reports made here; no board is started."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tests.pi import __main__ as stage
from tests.pi.checks import DOCTOR, WITH_KERNEL_MUX, parsed, rows, table

SCAN = {"part": "scan of bus dials", "sign": "ok", "seen": "100 samples a second while idle, longest gap 4 ms"}


def _parts(wanted: dict[str, str]) -> list[dict[str, str]]:
    return [{"part": part, "sign": words[:2], "seen": words[3:]} for part, words in wanted.items()] + [SCAN]


TRUTH = [{"seat": "ANN", "square": "T01", "clicks": 3, "seconds": 1.5}]


def _turn(clicks: int | None) -> dict[str, Any]:
    return {"seat": "ANN", "square": "T01", "clicks": clicks, "samples": 90, "longest_gap_ms": 9.6}


def _audit(**found: Any) -> dict[str, Any]:
    game = {"simulated": False, "turns": [_turn(3)], "findings": [], **found}
    printed = json.dumps({"files": [{"state": "whole", "games": [game]}]})
    return {"code": 0, "printed": printed, "complaints": "", "truth": TRUTH}


def _reports() -> dict[str, dict[str, Any]]:
    """What a board without a fault reports."""
    truth = [10.0, 1000.5, 2000.0, 4095.0]
    return {
        "booted": {"seconds": 9.0},
        "doctor": {"code": 1, "seconds": 7.6, "parts": _parts({**DOCTOR})},
        "doctor_kernel_mux": {"code": 0, "seconds": 6.0, "parts": _parts({**WITH_KERNEL_MUX})},
        "calibrate": {"code": 0, "seconds": 10.7, "truth": truth, "centres": [11, 1000, 2000, 0]},
        "play": {"code": 0, "seconds": 21.4, "truth": TRUTH, "turned": [_turn(3)]},
        "lamps": {"edges": {"ANN T01": 4}},
        "verify": {"code": 0},
        "audit": _audit(),
    }


def _bad(reports: dict[str, dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(row.step, row.what, row.truth, row.found) for row in rows(reports) if not row.holds]


def test_a_board_without_a_fault_passes() -> None:
    assert _bad(_reports()) == []


def test_reports_are_found_among_the_kernels_lines() -> None:
    whole, broken = 'PI {"step": "booted", "seconds": 9.0}', 'PI {"step": "doct[   9.1] random: crng init done'
    assert parsed(["[    1.6] bcm2835-power: ASB", f"\x00b{whole}", broken, "PI ended 0"]) == {
        "booted": {"step": "booted", "seconds": 9.0}
    }


def test_a_report_that_never_came_is_a_difference() -> None:
    reports = _reports()
    del reports["play"]
    assert _bad(reports) == [("play", "report", "one", "none")]
    assert len(_bad({})) == len(reports) + 1


def test_a_part_that_the_doctor_missed_and_one_that_it_made_up_are_differences() -> None:
    reports = _reports()
    wrong = {**DOCTOR, "encoder of T04": "ok magnet good (gain 64 of 128)", "stranger 0x70": "!! something answers"}
    reports["doctor"]["parts"] = _parts(wrong)
    failing = sorted(part for part, words in DOCTOR.items() if words.startswith("!!"))
    assert _bad(reports) == [
        ("doctor", "encoder of T04", "!! gave no answer (errno 121)", "ok magnet good (gain 64 of 128)"),
        ("doctor", "failing", ", ".join(failing), "button of seat BEN, encoder of T05, stranger 0x70"),
    ]


def test_a_detent_that_is_learnt_too_far_off_is_a_difference_also_across_zero() -> None:
    reports = _reports()
    reports["calibrate"]["centres"][3] = 3
    truth = "off by at most 3 counts (1.0 to 184.1 degrees apart)"
    assert _bad(reports) == [("calibrate", "worst detent", truth, "4.0 counts")]
    reports["calibrate"]["centres"] = []
    assert [what for _, what, _, _ in _bad(reports)] == ["detents", "worst detent"]


HOW = "(90 samples, longest gap 10 ms)"


@pytest.mark.parametrize(("clicks", "said"), [(4, "+4"), (-3, "-3"), (None, "?")])
def test_other_clicks_than_the_hand_turned_are_a_difference(clicks: int | None, said: str) -> None:
    different = ("turn, 2.0 clicks a second", "ANN T01 +3 clicks", f"ANN T01 {said} clicks {HOW}")
    reports = _reports()
    reports["play"]["turned"] = [_turn(clicks)]
    assert _bad(reports) == [("play", *different)]
    reports = _reports()
    reports["audit"] = _audit(turns=[_turn(clicks)])
    assert _bad(reports) == [("audit", *different)]
    reports["audit"] = _audit(turns=[])
    assert _bad(reports) == [("audit", "turns", "1", "0")]


def test_a_dial_turned_clockwise_must_be_a_finding_and_nothing_else_may_be() -> None:
    reports = _reports()
    clockwise = {"square": "T01", "rules": [{"rule": "T-AUD-4"}]}
    reports["audit"] = _audit(findings=[clockwise])
    assert _bad(reports) == [("audit", "findings", "none", "T01 T-AUD-4")]
    back = {**TRUTH[0], "clicks": -3}
    reports["audit"] = _audit(findings=[clockwise], turns=[_turn(-3)]) | {"truth": [back], "code": 1}
    assert _bad(reports) == []
    reports["audit"] = _audit(turns=[_turn(-3)]) | {"truth": [back]}
    assert _bad(reports) == [("audit", "exit code", "1", "0"), ("audit", "findings", "T01 T-AUD-4", "none")]


def test_an_audit_of_nothing_is_a_difference() -> None:
    reports = _reports()
    reports["audit"] |= {"printed": "", "complaints": "no such file"}
    assert _bad(reports) == [("audit", "games", "one", "no such file")]


def test_the_table_has_a_sign_and_columns() -> None:
    reports = _reports()
    reports["lamps"]["edges"]["ANN T01"] = 0
    lines = table(rows(reports))
    assert lines[0].split() == ["step", "what", "truth", "found"]
    assert [line.split(maxsplit=1)[1].split("  ")[0] for line in lines if line.startswith("!!")] == ["lamps"]


def test_the_console_ends_with_the_board_or_with_the_time() -> None:
    said = 'import time; print("one"); print("PI ended 0", flush=True); time.sleep(60)'
    assert list(stage.console([sys.executable, "-c", said], 60.0)) == ["one", "PI ended 0"]
    assert list(stage.console([sys.executable, "-c", "print(1)"], 60.0)) == ["1"]
    silent = "import time; time.sleep(60)"
    assert list(stage.console([sys.executable, "-c", silent], 0.0)) == ["the board was stopped after 0 s"]
