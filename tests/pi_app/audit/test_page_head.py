"""The first lines of the page: verdict, seal, players and date of each file; then who could have known what."""

from __future__ import annotations

import re
from html import unescape

import pytest
from msgspec.structs import replace

from pi_app.audit.page import page
from pi_app.audit.sealed import audit_sealed
from pi_app.audit.values import DamageSeen, FileAudit, GameAudit, RecordSeen, State, Verdict
from pi_app.audit.verdicts import file_verdict
from pi_app.game import events as ev
from tests.pi_app.audit.records import audited, part
from tests.pi_app.games import exposes, started, turned

RECORD = RecordSeen(
    sha256="5a" * 32,
    device="4839 56B7",
    head="TRAPDIAL1 ABCDE",
    witnesses=0,
    witnessed_until=0,
    verification=("Fine.",),
)


def file_of(*games: GameAudit, state: State = "whole", record: RecordSeen | None = RECORD) -> FileAudit:
    entries = sum(game.entries for game in games)
    verdict = file_verdict(games, sound=state in ("whole", "interrupted"))
    return FileAudit(
        verdict=verdict, file="a.db", state=state, entries=entries, damage=None, games=games, record=record
    )


def a_game() -> GameAudit:
    return audited(*exposes("T01", 3, "ANN"), turned("T02", 2), ev.Ended())


def words_of(html: str) -> str:
    """The words of the body, with one blank between them."""
    text = re.sub(r"<(style|svg).*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text[text.index("<body>") :])).split())


def test_verdict_seal_players_and_date_come_before_everything_else() -> None:
    html = page([file_of(a_game())])
    assert words_of(html).startswith(
        "Dial audit a.db FAIL 1 finding. ✓ WHOLE 6 entries, signed by the device 4839 56B7 players Ann, Ben "
        "played 2026-05-16 14:00 UTC, 0:05 long, Test table"
    ), words_of(html)[:300]
    assert html.index("The head as a QR code") < html.index("Findings") < html.index("Who could have known")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("pass", "PASS"), ("fail", "FAIL"), ("not proven", "NOT PROVEN"), ("not turned", "Not turned")],
)
def test_each_verdict_has_its_word_and_its_shape(verdict: Verdict, words: str) -> None:
    html = page([replace(file_of(a_game()), verdict=verdict)])
    (kind, told) = re.findall(r'<p class="verdict (\w+)"><strong>(.*?)</strong>', html)[0]
    assert told == words
    assert f".verdict.{kind} {{ border-left" in html or kind == "still"


@pytest.mark.parametrize(
    ("state", "words"), [("whole", "✓ WHOLE"), ("interrupted", "… INTERRUPTED"), ("forked", "✗ FORKED")]
)
def test_the_seal_says_what_the_verifier_says(state: State, words: str) -> None:
    assert f'<p class="seal {state}"><strong>{words}</strong>' in page([file_of(a_game(), state=state)])


def test_a_damaged_record_is_not_called_signed() -> None:
    seen = DamageSeen(entry=5, seen="does not match its hash")
    file = replace(file_of(a_game(), state="damaged", record=replace(RECORD, head=None)), damage=seen)
    words = words_of(page([file]))
    assert words.startswith(
        "Dial audit a.db NOT PROVEN 1 finding before the damage. NOT PROVEN: a.db. Entry 5 does not"
    )
    assert "✗ DAMAGED 6 entries, by the device 4839 56B7 players" in words
    assert "QR" not in page([file])


def test_a_running_game_keeps_its_players_sealed() -> None:
    events = [started(), *exposes("T01", 3, "ANN")]
    running = audit_sealed([part(seq, event) for seq, event in enumerate(events, 1)])
    words = words_of(page([file_of(running, state="interrupted")]))
    assert "players sealed until the game ends played 2026-05-16 14:00 UTC" in words
    assert "Ann" not in words


def test_several_games_have_a_line_each_and_many_are_counted() -> None:
    games = [replace(a_game(), game=f"g{number}") for number in range(6)]
    words = words_of(page([file_of(*games)]))
    line = "game 2026-05-16 14:00 UTC, 0:05 long, Test table: Ann, Ben"
    assert words.count(line) == 4
    assert "no real dial was read more 2 games below" in words


def test_several_files_begin_with_a_row_for_each() -> None:
    quiet = replace(file_of(audited(ev.Ended())), file="b.db")
    html = page([file_of(a_game()), quiet])
    assert words_of(html).startswith(
        "Dial audit FAIL 2 files. file verdict record date players a.db FAIL ✓ WHOLE 2026-05-16 Ann, Ben "
        "b.db Not turned ✓ WHOLE 2026-05-16 Ann, Ben a.db FAIL"
    ), words_of(html)[:300]
    assert html.count('href="#file') == html.count('<section id="file') == 2


def test_the_grid_has_a_row_for_each_square_and_a_column_for_each_player() -> None:
    html = page([file_of(a_game())])
    (grid,) = re.findall(r'<table class="grid">.*?</table>', html, re.DOTALL)
    heads = re.findall(r"<th>(.*?)</th>", grid)
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", grid)]
    assert heads == ["square", "Ann", "Ben"]
    assert [(row[0], bool(row[1]), bool(row[2])) for row in rows] == [("T01", True, False)]
    assert rows[0][1].startswith("◆ <strong>0:0")
    assert "exposed, entry " in rows[0][1]
    assert "Known to no player: T02." in html


def test_every_turn_is_a_row_with_its_result() -> None:
    html = page([file_of(a_game())])
    (turns,) = re.findall(r'<table class="lines turns">.*?</table>', html, re.DOTALL)
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", turns)]
    assert [row[2:] for row in rows] == [
        ["Ann", "T01", "3 clicks", "✓ as allowed"],
        ["no claim", "T02", "2 clicks", "✗ T-AUD-4"],
    ]
