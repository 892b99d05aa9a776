"""The terminal of the tests shows every line that a program prints, also one that scrolls away at once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.terminal import SIZE, Terminal

PRINTS = f"print('first', *range({3 * SIZE[1]}), 'last', sep='\\n')"


def test_words_that_scroll_away_at_once_are_seen(tmp_path: Path) -> None:
    with Terminal([sys.executable, "-c", PRINTS], tmp_path, {}) as terminal:
        terminal.wait_for("first")
        assert "last" not in terminal.text
        terminal.wait_for("last")
        assert "first" not in terminal.text
        assert terminal.wait() == 0


def test_words_that_never_come_end_the_wait_with_the_program(tmp_path: Path) -> None:
    with (
        Terminal([sys.executable, "-c", PRINTS], tmp_path, {}) as terminal,
        pytest.raises(AssertionError, match="never shown: 'something else'"),
    ):
        terminal.wait_for("something else")
