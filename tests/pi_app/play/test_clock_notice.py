"""The referee's notice after a correction of the date."""

from __future__ import annotations

import pytest

from pi_app.game.events import ClockCorrected
from pi_app.play.clock_notice import clock_words


@pytest.mark.parametrize(
    ("correction", "told"),
    [
        (
            ClockCorrected(add_ms=3_600_540, was="none", now="ntp"),
            "clock (the date): it was 3600.5 s behind and was corrected. No action needed: "
            "the journal notes it for its earlier entries.",
        ),
        (
            ClockCorrected(add_ms=-1001, was="ntp", now="ntp"),
            "clock (the date): it was 1.0 s ahead and was corrected. No action needed: "
            "the journal notes it for its earlier entries.",
        ),
        (
            ClockCorrected(add_ms=12, was="rtc", now="ntp"),
            "clock (the date): the network synchronizes it now. No action needed: the journal notes it from here on.",
        ),
        (
            ClockCorrected(add_ms=0, was="ntp", now="rtc"),
            "clock (the date): the network no longer synchronizes it. No action needed: the journal notes it from "
            "here on.",
        ),
        (
            ClockCorrected(add_ms=-3, was="ntp", now="none"),
            "clock (the date): it is no longer synchronized. No action needed: the journal notes it from here on.",
        ),
    ],
)
def test_each_correction_is_one_sentence(correction: ClockCorrected, told: str) -> None:
    assert clock_words(correction, str) == told
