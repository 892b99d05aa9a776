"""A few hundred random gestures; `python -m tests.pages.gestures 10000` makes as many as you like."""

from __future__ import annotations

import pytest

from tests.pages import gestures


@pytest.mark.slow
def test_nothing_secret_is_in_the_document_after_a_gesture_that_ends_a_hold() -> None:
    found = gestures.run(300, 19)
    assert found.late == 0, f"{found.late} frames, the longest after {found.longest_ms:.0f} ms"
    assert found.shown > 50, "the gestures did show something"
