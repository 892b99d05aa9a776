"""What the referee reads when the date was changed."""

from __future__ import annotations

import pytest

from pi_app.game.events import ClockCorrected
from pi_app.play.clock_notice import clock_words


@pytest.mark.parametrize(
    ("correction", "told"),
    [
        (
            ClockCorrected(add_ms=3_600_540, was="none", now="ntp"),
            "clock (the date): it was 3600.5 s behind and was changed. Nothing to do: the journal says it of its "
            "earlier entries.",
        ),
        (
            ClockCorrected(add_ms=-1001, was="ntp", now="ntp"),
            "clock (the date): it was 1.0 s ahead and was changed. Nothing to do: the journal says it of its "
            "earlier entries.",
        ),
        (
            ClockCorrected(add_ms=12, was="rtc", now="ntp"),
            "clock (the date): the network keeps it right now. Nothing to do: the journal says so from here on.",
        ),
        (
            ClockCorrected(add_ms=0, was="ntp", now="rtc"),
            "clock (the date): the network no longer keeps it right. Nothing to do: the journal says so from here on.",
        ),
        (
            ClockCorrected(add_ms=-3, was="ntp", now="none"),
            "clock (the date): nothing keeps it right any more. Nothing to do: the journal says so from here on.",
        ),
    ],
)
def test_each_correction_is_one_sentence(correction: ClockCorrected, told: str) -> None:
    assert clock_words(correction, str) == told
