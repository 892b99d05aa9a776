"""Canary texts are found in every form in which they can lie about."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

from tests.pages.canaries import Canaries, files_under, forms, hits, trap_texts

PIT = "Spiked Pit"
FRENCH = "Sol à piques: 2 dégâts"


def test_every_trap_and_effect_is_searched_for_in_five_languages() -> None:
    texts = trap_texts()
    assert len(texts) > 70
    assert {PIT, "No trap. Free to walk until the game ends."} <= set(texts)


@pytest.mark.parametrize("before", range(6))
@pytest.mark.parametrize("text", [PIT, FRENCH])
def test_a_text_is_found_in_its_forms(text: str, before: int) -> None:
    canaries = Canaries([PIT, FRENCH, "Spiked Pit of another length"])
    plain = os.urandom(before) + text.encode() + b"tail"
    for data in (
        plain,
        base64.b64encode(plain),
        b"x" * before + text.encode("utf-16-le"),
        b"x" * before + text.encode("utf-32-le"),
        json.dumps({"a" * before: text}).encode() if text.isascii() else text.encode("latin-1"),
    ):
        assert text in canaries.found_in(data)
    assert canaries.found_in(b"Spiked pit" + plain[:before]) == []


def test_of_two_texts_with_one_beginning_the_one_that_is_there_is_found() -> None:
    canaries = Canaries(["Fire Jets", "Fire Jets burn", "Fire Jars"])
    assert canaries.found_in(b"Fire Jets bu; Fire Jars") == ["Fire Jars", "Fire Jets"]
    assert canaries.found_in(b"Fire Jets burn") == ["Fire Jets burn"]


def test_a_short_text_is_not_searched_for() -> None:
    assert len(Canaries(["25 XP", PIT])) == 1
    assert all(len(form) >= 6 for form in forms("Fosse"))


def test_files_are_searched_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "1").write_bytes(b"\0" + PIT.encode())
    (tmp_path / "log").write_text("nothing", encoding="utf-8")
    assert hits(Canaries([PIT]), files_under(tmp_path)) == {"cache/1": [PIT]}
