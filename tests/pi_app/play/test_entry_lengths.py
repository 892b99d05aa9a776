"""The longest entry of each kind: it covers every event, it is an event, and no game ever has a longer one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.trap_table import MOST_CLICKS, Face, TrapTable
from pi_app.journal.record import entry as rec
from pi_app.journal.record.longest import longest_event
from pi_app.play import entry_lengths
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests import twin_games as tg
from tests.everyday import first
from tests.pi_app.games import EVERY_KIND, started
from tests.pi_app.journal.record.forging import opened, rows
from tests.scripts import at_the_limit, scripts


def called(*names: str) -> ev.Started:
    return started(*(msgspec.structs.replace(EVERY_KIND, name=name) for name in names))


def test_every_kind_of_event_has_a_longest_entry() -> None:
    """A new event fails here until `known_values` bounds each of its fields."""
    kinds = {str(event.__struct_config__.tag) for event in get_args(ev.AnyEvent)}
    assert entry_lengths.lengths(started()).keys() | {rec.STARTED} == kinds


def test_the_longest_event_of_each_kind_is_an_event() -> None:
    known = entry_lengths.known_values(started()) | {"Undone.line": "hits T01"}
    for kind in set(get_args(ev.AnyEvent)) - {ev.Started}:
        event = ev.from_json(msgspec.json.encode(longest_event(kind, known)))
        assert type(event) is kind


def test_the_lengths_depend_on_the_tables_together_and_not_on_their_squares() -> None:
    assert entry_lengths.lengths(called("short", "语" * 40)) == entry_lengths.lengths(called("语" * 40, "short"))


def test_a_record_without_squares_has_lengths_too() -> None:
    """A file that somebody made may begin like that."""
    assert rec.sealed_for(entry_lengths.lengths(msgspec.structs.replace(started(), squares=(), seats=()))) == 640


def test_the_lengths_depend_on_no_face() -> None:
    faces = (Face(position=0, kind="clear"),) * EVERY_KIND.clicks
    plain = msgspec.structs.replace(EVERY_KIND, faces=faces)
    assert entry_lengths.lengths(started(plain, plain)) == entry_lengths.lengths(started())
    assert entry_lengths.room(started(plain, plain)) == entry_lengths.room(started())


@pytest.mark.parametrize(("name", "size"), [("x" * 40, 640), ("语" * 40, 1280), ("😀" * 40, 1280), ("😀" * 400, 2560)])
def test_the_size_follows_from_the_longest_name(name: str, size: int) -> None:
    """A table with names in English letters needs no more than before."""
    start = msgspec.structs.replace(called(name), seats=(ev.SeatSetup(seat="S" * 12, name="N" * 20),))
    start = msgspec.structs.replace(
        start, squares=(msgspec.structs.replace(start.squares[0], label="ABCDEF", dial=DIAL),)
    )
    assert rec.sealed_for(entry_lengths.lengths(start)) == size


DIAL = ev.DialSetup(centres=tuple(range(12)), counts_per_turn=16_384)


def test_three_hundred_squares_need_a_longer_check_of_the_set_up() -> None:
    lengths = entry_lengths.lengths(started(*[EVERY_KIND] * 300))
    assert 4096 < lengths[rec.SETUP_CHECKED] <= 8192
    assert rec.sealed_for(lengths) == 1280


def test_three_thousand_squares_are_refused_with_the_kind() -> None:
    with pytest.raises(rec.TooLongError, match=r"^the entry `set-up checked` of this game could need"):
        rec.sealed_for(entry_lengths.lengths(started(*[EVERY_KIND] * 3_000)))


@pytest.mark.parametrize("clicks", [2, 12, MOST_CLICKS])
def test_the_room_reveals_of_the_texts_only_how_long_they_are_in_all(clicks: int) -> None:
    def table(note: str) -> TrapTable:
        return msgspec.structs.replace(EVERY_KIND, clicks=clicks, faces=EVERY_KIND.faces[:1] * clicks, note=note)

    one = entry_lengths.room(started(table("n" * 3_000), table("")))
    assert one == entry_lengths.room(started(table(""), table("n" * 3_000)))
    assert one == entry_lengths.room(started(table("n" * 1_500), table("n" * 1_500)))


SCRIPTS = ["CJK", "EMOJI", "ADLAM", "THAI", "LATIN SMALL"]


def assert_nothing_is_longer(path: Path) -> None:
    """Open all entries of the games in a journal, and compare each with what was computed when its game began."""
    lengths: dict[str, int] = {}
    for seq, *_ in rows(path):
        part, hidden = opened(path, seq)
        if part.kind == rec.STARTED:
            start = ev.from_json(bytes(hidden.event))
            lengths = {**entry_lengths.lengths(start), rec.STARTED: MAGE_KNIGHT.room(start)}
            assert part.opening is not None
            assert part.opening.sealed == rec.sealed_for(entry_lengths.lengths(start))
        assert rec.sealed_text_bytes(hidden) <= lengths[part.kind], part.kind


@pytest.mark.parametrize("seed", first(1, range(12)))
@pytest.mark.parametrize("treasures", first(1, [True, False]))
def test_no_entry_of_a_random_game_is_longer_than_its_kind_can_be(seed: int, treasures: bool, tmp_path: Path) -> None:
    letters = scripts()[SCRIPTS[seed % len(SCRIPTS)]]
    draw = random.Random(seed)
    names = [at_the_limit(letters, 40, draw) for _ in tg.TABLE.squares]
    settings = tg.with_tables(tg.named(tg.TREASURES if treasures else tg.EXAMPLE, seed), seed, names)
    tg.play(settings, tmp_path, seed, 2, pick=draw.randrange if treasures else None)
    assert_nothing_is_longer(tmp_path / "journal.db")
