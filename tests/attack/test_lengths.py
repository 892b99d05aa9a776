"""An outsider who reads the public record, or sits at another seat, tries to learn what lies under a square from how
long entries are and from which events are refused. A trap table's name of 40 emoji once made a trap's entry longer than
all entries of its kind may be: clear was recorded, a trap refused in public.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec
import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.game import trap_table_file as tables
from pi_app.game.trap_table import Disarm, Face, Trap, TrapTable
from pi_app.journal.record import entry as rec
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import Order, RefusedError
from pi_app.report.moment import NO_GAME, advance
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.text.language import words
from tests import twin_games as tg
from tests.pi_app.games import started
from tests.pi_app.journal.record.forging import opened, rows
from tests.scripts import at_the_limit, scripts


def over_names(letter: str, seed: int) -> Settings:
    """A table with trap tables of 40 such characters, as an older program read them."""
    return tg.with_tables(tg.EXAMPLE, seed, [letter * 40 for _ in tg.TABLE.squares])


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["😀", "語"])
def test_long_names_of_trap_tables_refuse_no_trap_and_change_no_length(letter: str, tmp_path: Path) -> None:
    heard, lengths = [], set()
    for seed in (3, 4):
        folder = tmp_path / str(seed)
        folder.mkdir()
        heard.append(tg.play(over_names(letter, seed), folder, 1, 3))
        lengths |= {len(sealed) for _, _, sealed, *_ in rows(folder / "journal.db")[2:]}
    assert tg.differing(*heard) == []
    said = [str(line) for told in heard[0].common.values() for _, _, line in told]
    assert [line for line in said if "Journal" in line or "bytes" in line] == []
    assert lengths == {1280 + 40}


@pytest.mark.slow
def test_a_game_with_ordinary_names_is_written_as_ever(tmp_path: Path) -> None:
    tg.play(tg.with_tables(tg.EXAMPLE, 3), tmp_path, 1, 1)
    first, checked, *others = rows(tmp_path / "journal.db")
    assert b'"sealed"' not in first[1]
    assert {len(sealed) for _, _, sealed, *_ in others} == {640 + 40}
    assert len(checked[2]) == 4096 + 40


def only(settings: Settings, kind: Literal["clear", "trap"]) -> Settings:
    """The same table with one content on all faces that a die reaches."""
    trap = {"trap": Trap.CAGE, "disarm": Disarm(7), "xp": 9} if kind == "trap" else {"trap": None}

    def changed(table: TrapTable) -> TrapTable:
        faces = [
            Face(position=face.position, kind=kind, click_number=face.position, **trap) if face.click_number else face
            for face in table.faces
        ]
        return msgspec.structs.replace(table, faces=tuple(faces))

    squares = {
        label: msgspec.structs.replace(square, table=changed(square.table))
        for label, square in settings.squares.items()
    }
    return replace(settings, squares=MappingProxyType(squares))


@pytest.mark.slow
def test_if_an_entry_had_no_room_all_faces_would_be_refused_alike_and_each_claim_would_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Defence in depth: a program that computed the length wrongly."""
    monkeypatch.setattr(rec, "sealed_for", lambda lengths: 640)
    heard = []
    kinds: tuple[Literal["clear", "trap"], ...] = ("clear", "trap")
    for kind in kinds:
        folder = tmp_path / kind
        folder.mkdir()
        heard.append(tg.play(only(over_names("😀", 3), kind), folder, 3, 3))
        written = [rec.read_public(public).kind for _, public, *_ in rows(folder / "journal.db")]
        assert "turned" not in written
        assert written.count("claim dropped") == written.count("claimed") > 0
        dropped = [
            opened(folder / "journal.db", seq)[1] for seq, each in enumerate(written, 1) if each == "claim dropped"
        ]
        assert {msgspec.json.decode(hidden.event)["why"] for hidden in dropped} == {"unclear"}
    told = [
        [str(line).replace(kind, "KIND") for _, _, line in each.common["referee"]]
        for kind, each in zip(kinds, heard, strict=True)
    ]
    assert told[0] == told[1]
    why = "has no room for this event, and the game goes on without it. Report this as a bug"
    assert {line for line in told[0] if "room" in line} == {f"Journal ({tmp_path / 'KIND' / 'journal.db'}) {why}"}
    assert [viewer for viewer in tg.differing(*heard) if viewer != "referee"] == []


# ------------------------------------------------------------------------------------------- limits in bytes


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("letter", ["😀", "𞤀"])
def test_a_table_with_forty_characters_of_four_bytes_is_refused_with_its_limit(letter: str, tmp_path: Path) -> None:
    file = tmp_path / "dial.toml"
    file.write_text(tables.sample_path("SAMPLE-A").read_text().replace('"SAMPLE-A"', f'"{letter * 40}"'))
    result = run("tables", "check", file)
    assert result.exit_code == 2
    why = "has 160 bytes, and at most 120 fit (an emoji takes 4, a Chinese or Thai character 3); shorten it"
    assert why in result.output


@pytest.mark.parametrize("script", ["CJK", "THAI", "DEVANAGARI", "ARABIC", "HEBREW", "HANGUL", "ADLAM", "EMOJI"])
def test_a_table_named_in_any_script_up_to_the_limit_is_good(script: str, tmp_path: Path) -> None:
    name = at_the_limit(scripts()[script], 40, random.Random(1))
    file = tmp_path / "dial.toml"
    file.write_text(tables.sample_path("SAMPLE-A").read_text().replace('"SAMPLE-A"', f'"{name}"'))
    result = run("tables", "check", file)
    assert (result.exit_code, tables.load(file).name) == (0, name)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('name = "Ann"', f'name = "{"😀" * 16}"', "has 64 bytes, and at most 60 fit"),
        ('name = "Ann"', 'name = "Ann"\nheroes = ["' + "𞤀" * 10 + '"]', "has 40 bytes, and at most 36 fit"),
    ],
)
def test_the_names_of_the_settings_have_a_limit_in_bytes_too(old: str, new: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "trapdial.toml"
    text = st.example_path("2x2").read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    result = run("settings", "check", "-s", file)
    assert result.exit_code == 2
    assert why in result.output


def test_a_typed_hero_with_too_many_bytes_is_refused_and_told_why() -> None:
    game = advance(NO_GAME, started()).game
    with pytest.raises(RefusedError) as refused:
        parse(f"hero ANN {'𞤀' * 12}", game, words("en"))
    name = "𞤀" * 12
    assert str(refused.value) == f"A Hero's name has at most 36 bytes, and '{name}' has 48; take a shorter one."
    assert isinstance(parse(f"hero ANN {'𞤀' * 9}", game, words("en")), Order)
