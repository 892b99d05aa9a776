"""Maps from files, and the samples that ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.plans.placement.dungeon import MapSymbol
from pi_app.plans.placement.files import EMPTY, EXAMPLES, LARGEST_BYTES, decoded, load
from pi_app.plans.placement.verdict import verdict
from pi_app.text.errors import UserFileError

SAMPLES = sorted(path.stem for path in EXAMPLES.glob("SAMPLE-*.txt"))


def refusal(path: Path | str) -> str:
    with pytest.raises(UserFileError) as refused:
        load(str(path))
    (told,) = refused.value.problems
    return told


def test_the_samples_are_marked_and_break_the_rules_that_they_name() -> None:
    assert SAMPLES == ["SAMPLE-cellar", "SAMPLE-halls", "SAMPLE-shrine", "SAMPLE-warren"]
    broken = {name: sorted({each.rule for each in verdict(load(f"sample:{name}")).findings}) for name in SAMPLES}
    assert broken == {
        "SAMPLE-cellar": [],
        "SAMPLE-halls": ["P-7"],
        "SAMPLE-shrine": ["F-COL-2", "F-TBL-1", "MAP-ENTRY", "MAP-ONE"],
        "SAMPLE-warren": ["G-4", "MAP-WALK", "P-2", "P-3", "P-6", "P-7", "P-8", "P-9"],
    }
    for name in SAMPLES:
        assert (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8").startswith("; SAMPLE")


def test_the_empty_map_explains_every_letter_and_every_setting() -> None:
    text = EMPTY.read_text(encoding="utf-8")
    load(str(EMPTY))
    legend = text[: text.index("map:\n")]
    for kind in MapSymbol:
        assert f" {kind.value}  " in legend, kind
    for name in ("players:", "agreed:", "pool:", "rounding:", "walls:", "hallway width:", "artifacts:", "sections:"):
        assert name in legend


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "d.txt"
    path.write_bytes("\ufeffplayers: 2\r\nmap:\r\n..T\r\n".encode())
    assert load(str(path)).players == ("1", "2")


def test_a_file_that_is_not_a_map_gets_one_sentence(tmp_path: Path) -> None:
    missing = tmp_path / "no.txt"
    assert refusal(missing) == f"{missing}: there is no such file. Check the name, or write trapdial place new."
    assert refusal(tmp_path) == f"{tmp_path}: it is a folder, not a plain file. Name a text file with a map."
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"map:\n..\xff")
    assert refusal(bad) == f"{bad} line 2: it is not UTF-8 text. Save it again as UTF-8."
    bad.write_text("map:\n..", encoding="utf-16")
    assert refusal(bad) == f"{bad}: it is written in UTF-16. Save it again as UTF-8."
    assert refusal("sample:none") == (
        "sample:none: no such map ships. There are SAMPLE-cellar, SAMPLE-halls, SAMPLE-shrine, SAMPLE-warren."
    )
    assert refusal("a\0b").startswith(r"a\x00b: it cannot be read")


def test_a_file_that_is_too_large() -> None:
    with pytest.raises(UserFileError, match="it is larger than 3 MB"):
        decoded(b"." * (LARGEST_BYTES + 1), "d.txt")
