"""Appended events are read back, and damage is reported."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.journal import JournalFileError
from pi_app.journal.record import entry as rec
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.games import played, started, table_with
from tests.pi_app.journal.keeping import EVENTS, STAMP, open_journal, refusal, write
from tests.pi_app.journal.record.forging import edit, key_of, opened, put, rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_what_was_appended_is_read_back_in_order(path: Path) -> None:
    write(path)
    entries = list(jn.read(path, MAGE_KNIGHT))
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
    assert tuple(entry.event for entry in entries) == EVENTS
    assert {(e.game_id, e.boot, e.mono_ns, e.wall) for e in entries} == {("g1", "boot-1", 5_000, STAMP.wall)}


def test_the_public_part_holds_the_logs_news_and_no_secret(path: Path) -> None:
    write(path)
    told = [line for entry in jn.read(path, MAGE_KNIGHT) for line in entry.public.log]
    assert "T01: exposed by Ann." in told
    public = b" ".join(row[1] for row in rows(path)).decode()
    for secret in ("cage", "Cage", "6+", "clicks", "position", "SAMPLE-12"):
        assert secret not in public


def test_an_unfinished_game_is_found_again(path: Path) -> None:
    moment = write(path)
    with open_journal(path) as journal:
        assert journal.unfinished() == ("g1", moment)


def test_an_ended_game_is_not_resumed(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()))
    with open_journal(path) as journal:
        assert journal.unfinished() is None


def test_several_games_lie_in_one_file(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()))
    write(path, (started(),), "g2")
    assert [e.event for e in jn.read(path, MAGE_KNIGHT, "g2")] == [started()]
    with open_journal(path) as journal:
        assert journal.unfinished() == ("g2", played(started()))


@pytest.mark.parametrize(
    ("statement", "seen"),
    [
        ("DELETE FROM entries WHERE seq = 3", "(entry 3) is missing. "),
        ("UPDATE entries SET sealed = x'00ff' WHERE seq = 2", "(entry 2) does not open with the key of its game. "),
        ("UPDATE entries SET sealed = 5 WHERE seq = 2", "(entry 2) does not hold a readable event. "),
        ("UPDATE entries SET public = x'7b' WHERE seq = 2", "(entry 2) does not hold a readable event. "),
        ("UPDATE entries SET public = public || ' ' WHERE seq = 2", "(entry 2) does not open with the key of its game"),
        (
            "UPDATE entries SET public = (SELECT public FROM entries WHERE seq = 3) WHERE seq = 4",
            "(entry 4) calls itself entry 3. ",
        ),
    ],
)
def test_damage_stops_the_reader_with_the_entrys_number(path: Path, statement: str, seen: str) -> None:
    write(path)
    edit(path, statement)
    assert seen in refusal(path)


def test_another_event_inside_than_outside_is_noticed(path: Path) -> None:
    write(path)
    part, hidden = opened(path, 5)
    put(path, 5, part, msgspec.structs.replace(hidden, event=msgspec.Raw(ev.to_json(ev.Ended()))))
    assert "(entry 5) says 'turned' outside and something else inside. " in refusal(path)


def test_a_published_key_is_found_wherever_it_stands_in_its_entry(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()))
    last = len(EVENTS) + 1
    part, hidden = opened(path, last)
    backwards = dict(reversed(msgspec.to_builtins(part).items()))
    public = msgspec.json.encode(backwards).ljust(rec.public_size("ended"))
    assert b'"kind"' not in public[:64]
    sealed = rec.sealed_bytes(hidden, key_of(path, part.game), public, rec.sealed_size("ended", None))
    edit(path, "UPDATE entries SET public = ?, sealed = ? WHERE seq = ?", public, sealed, last)
    assert [entry.event for entry in jn.read(path, MAGE_KNIGHT)] == [*EVENTS, ev.Ended()]


def test_without_the_key_a_running_game_stays_sealed_and_an_ended_one_is_open(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()), "over")
    write(path, EVENTS, "on")
    assert jn.keys_of(path).game("over") is None, "it is published, so it is kept no more"
    jn.keys_of(path).drop("on")
    assert [entry.event for entry in jn.read(path, MAGE_KNIGHT, "over")] == [*EVENTS, ev.Ended()]
    with pytest.raises(JournalFileError) as refused:
        list(jn.read(path, MAGE_KNIGHT, "on"))
    assert str(refused.value) == (
        f"{path} (entry 7) is sealed, and the key of its game on is not here. Read it where it was written, or once "
        "the game has ended; `trapdial journal verify` needs no key."
    )


def test_lengths_reveal_nothing(path: Path) -> None:
    """All entries of one kind have one size, whatever lies under the squares (S-6)."""
    for name, table in (("cage", table_with(Trap.CAGE, disarm="6+")), ("clear", table_with(None))):
        write(path, (started(table, table), *EVENTS[1:], ev.Ended()), name)
    lengths = [(len(public), len(sealed)) for _, public, sealed, *_ in rows(path)]
    assert lengths[:6] == lengths[6:]
    assert len({lengths[n] for n in (2, 3, 4)}) == 1, "and entries of different kinds, but for three, too"
