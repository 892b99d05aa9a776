"""The page of one table and of one game, made from a store with real records."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import pytest

from pi_app.audit.examine import UnplayableError
from pi_app.centre.findings import game_audit
from pi_app.centre.findings.game_audit import NoAuditError
from pi_app.centre.findings.tables import table_rows
from pi_app.centre.pages.one_game import audit_of, styles_of
from pi_app.centre.pages.one_table import GAMES_AT_ONCE, MOST_EVIDENCE
from pi_app.centre.pages.rows import hashed
from pi_app.centre.pages.shell import policy
from pi_app.centre.store.evidence_rows import ForkEvidence
from pi_app.centre.store.store import GameState, KeptGame
from pi_app.journal import Journal
from pi_app.journal.record import entry as rec
from pi_app.journal.record.merkle import root_of
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.pages.hall import AUDITOR, LYON, PageHall, page_hall
from tests.pi_app.centre.pages.played import play_at, table_of
from tests.pi_app.centre.records import CENTRE, Desk, Table


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[PageHall]:
    with page_hall(tmp_path) as made:
        play_at(tmp_path, made.store, "Table <1>", "Lyon")
        reads(made)
        yield made


def reads(hall: PageHall) -> None:
    """Take the rows that the store has now."""
    hall.rows = table_rows(hall.store, int(hall.now_s))
    hall.now_s += 10


def text_of(body: bytes) -> str:
    """What a person reads."""
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"<(style|script)>.*?</\1>", "", body.decode(), flags=re.S)).split())


def page_of(hall: PageHall, path: str = "") -> str:
    got = hall.get(path or f"/table/{hashed(hall.rows[0].origin)}", AUDITOR)
    assert got.status == HTTPStatus.OK
    return text_of(got.body)


def test_a_table_has_its_sentences_its_checkpoint_and_its_games(hall: PageHall) -> None:
    page = page_of(hall)
    origin = hall.rows[0].origin
    assert "Table &lt;1&gt; · Lyon" in page
    assert f"Origin {origin}" in page
    assert "This centre has cosigned 8 entries on 1970-01-01 00:16:40 UTC." in page
    assert f"trapdial journal verify journal.db --witness-key {CENTRE.verifier.text()}" in page
    assert "2 games Game g2 from entry 7, not ended: its traps stay sealed Game g1 entries 1 to 6, ended" in page
    got = hall.get(f"/{hashed(origin)}/checkpoint")
    assert all(line in page for line in got.body.decode().splitlines())
    assert "What contradicts this record" not in page


def evidence(table: Table, at_s: int, body: bytes) -> ForkEvidence:
    why = "Entry 3 is another one: this record has two histories."
    return ForkEvidence(origin=table.origin, at_s=at_s, why=why, address="<b>10.0.0.66</b>", body=body)


def test_evidence_is_shown_with_both_heads_at_the_same_size(hall: PageHall, tmp_path: Path) -> None:
    mine = table_of(tmp_path / "mine.db")
    rows = list(hall.store.rows(1))
    clone = replace(mine, key=mine.key)
    forked = replace(evidence(clone, 1_700_000_000, clone.hands(1, 5).written()), origin=hall.rows[0].origin)
    hall.store.evidence.keep(forked, b"")
    hall.store.evidence.keep(replace(forked, at_s=1_700_000_060, body=b"\xff garbage"), b"")
    page = page_of(hall)
    theirs = root_of([leaf for *_, leaf in mine.entries[:5]])
    ours = root_of([leaf for *_, leaf, _ in rows[:5]])  # type: ignore[misc]
    assert theirs != ours
    head = "5 entries, and over them the root {}"
    both = [head.format(base64.b64encode(root).decode()) for root in (theirs, ours)]
    assert f"Sent, and not taken {both[0]} Here {both[1]}" in page
    assert "from &lt;b&gt;10.0.0.66&lt;/b&gt;. Entry 3 is another one: this record has two histories." in page
    assert "Sent, and not taken No checkpoint can be read in it. Here 8 entries, and over them the root" in page
    assert page.index("No checkpoint can be read") < page.index(both[0]), "the newest first"


def test_much_evidence_shows_the_newest(hall: PageHall) -> None:
    for number in range(MOST_EVIDENCE + 3):
        body = bytes([number])
        hall.store.evidence.keep(
            ForkEvidence(origin=hall.rows[0].origin, at_s=number, why=f"No {number}.", address="", body=body), body
        )
    page = page_of(hall)
    assert re.findall(r"No (\d)\.", page) == ["7", "6", "5", "4", "3"]
    assert "from an unknown address" in page
    assert "8 contradictions came. Of those that are kept, the newest 5 are shown." in page


def test_games_of_years_are_shown_in_parts(hall: PageHall, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [KeptGame(f"old/{n}?", 10 * n + 1, 10 * n + 9, GameState.ENDED) for n in range(GAMES_AT_ONCE + 20)]
    monkeypatch.setattr(hall.store, "games", lambda number, names=None: games)
    here = f"/table/{hashed(hall.rows[0].origin)}"
    first = hall.get(here, AUDITOR).body.decode()
    assert (first.count(", ended"), f'href="{here}?skip={GAMES_AT_ONCE}"' in first) == (GAMES_AT_ONCE, True)
    assert 'href="/game/' + hashed(hall.rows[0].origin) + '/old%2F119%3F"' in first
    last = hall.get(f"{here}?skip={GAMES_AT_ONCE}", AUDITOR).body.decode()
    assert (last.count(", ended"), "?skip=" in last) == (20, False)
    assert hall.get(f"{here}?skip=99999999999", AUDITOR).body.count(b", ended") == GAMES_AT_ONCE


def test_a_table_that_began_another_record_has_one_page_with_both(hall: PageHall, tmp_path: Path) -> None:
    older = hall.store.records()[0]
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        assert journal.begin_new_log()
    newer = table_of(path)
    assert Desk(hall.store).takes(newer.hands(1, len(newer.entries))) is not None
    reads(hall)
    assert [each.origin for each in hall.rows] == [newer.origin]
    page = page_of(hall)
    assert page == page_of(hall, f"/table/{hashed(older.origin)}")
    assert "Older records of this table 8 entries, device " in page
    assert hall.get(f"/game/{hashed(older.origin)}/g1", LYON).status == HTTPStatus.OK
    assert hall.get(f"/game/{hashed(newer.origin)}/g1", LYON).status == HTTPStatus.OK
    assert re.findall(r"Game (g\d)", page) == ["g2", "g1", "g2", "g1"]


# --------------------------------------------------------------------------------------------------------------- games


def test_a_game_that_has_ended_is_shown_as_the_audit_shows_it(hall: PageHall) -> None:
    got = hall.get(f"/game/{hashed(hall.rows[0].origin)}/g1", LYON)
    assert got.status == HTTPStatus.OK
    styles = styles_of(got.body.decode())
    assert len(styles) == 2, "the page's own, and the one of every picture"
    assert dict(got.headers)["content-security-policy"] == policy(*styles)
    page = text_of(got.body)
    assert page.startswith("Trapdial audit Table &lt;1&gt; Dial audit")
    assert f'<body>\n<p><a href="/table/{hashed(hall.rows[0].origin)}">' in got.body.decode()
    assert "Test table: game g1" in page
    assert "Who could have known" in page


def test_no_page_of_a_game_that_is_on_has_a_word_of_its_traps(hall: PageHall) -> None:
    got = hall.get(f"/game/{hashed(hall.rows[0].origin)}/g2", AUDITOR)
    assert got.status == HTTPStatus.NOT_FOUND
    assert "There is no audit: this game has not ended, and its traps stay sealed." in text_of(got.body)
    rows = list(hall.store.rows(1, 7, 8))
    with pytest.raises(NoAuditError, match=r"^This game has not published its key, so its entries stay sealed\.$"):
        audit_of(rows, "g2", "Table 1", "/")


def test_entries_that_do_not_fit_are_refused_in_words(hall: PageHall) -> None:
    rows = list(hall.store.rows(1, 1, 6))
    with pytest.raises(NoAuditError, match=r"^The entries of this game are not here\.$"):
        audit_of(rows, "g9", "Table 1", "/")
    with pytest.raises(NoAuditError, match=r"^Entry 3 does not open with the key of its game\.$"):
        audit_of([*rows[:2], (3, rows[2][1], bytes(900), b"", None), *rows[3:]], "g1", "Table 1", "/")
    seq, public, *others = rows[0]
    assert isinstance(public, bytes)
    promised = rec.read_public(public).opening
    assert promised is not None
    another = (seq, public.replace(promised.key.encode(), b"0" * 64), *others)
    with pytest.raises(NoAuditError, match=r"^This game has not published its key"):
        audit_of([another, *rows[1:]], "g1", "Table 1", "/")  # type: ignore[list-item]
    with pytest.raises(NoAuditError, match=r"^This game has not published its key"):
        audit_of(rows[1:], "g1", "Table 1", "/")


def test_a_game_that_cannot_be_played_is_refused_in_words(hall: PageHall, monkeypatch: pytest.MonkeyPatch) -> None:
    def unplayable(_: object) -> None:
        raise UnplayableError(3)

    monkeypatch.setattr(game_audit, "examine", unplayable)
    got = hall.get(f"/game/{hashed(hall.rows[0].origin)}/g1", AUDITOR)
    said = "This game cannot be audited: entry 3 names a seat, a square or a click that its game does not have."
    assert (got.status, said in text_of(got.body)) == (404, True)
