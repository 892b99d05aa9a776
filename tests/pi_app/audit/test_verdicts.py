"""A verdict is only what the record and the device prove: any damage takes PASS away, in every form."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.audit.files import audit_file
from pi_app.audit.forms import to_csv, to_json
from pi_app.audit.page import page
from pi_app.audit.rule_sentences import OWN, SENTENCES, SHEET
from pi_app.audit.values import FileAudit
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.game.objections import FOUND
from pi_app.journal import Journal, JournalFileError
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.audit.records import audited, rules_of, write
from tests.pi_app.games import exposes, started, turned

HONEST = (*exposes("T01", 3, "ANN"), *exposes("T02", 4, "BEN"), ev.Ended())
DOCS = Path(__file__).resolve().parents[3] / "wiring_docs"


def run(*words: str | Path) -> str:
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, ["audit", *map(str, words)]).output


def rows(path: Path) -> list[object]:
    """Everything that a reader gets from a file."""
    with contextlib.suppress(JournalFileError), jn.raw(path) as raw:
        return [raw.logs(), *raw.rows()]
    return []


def said(path: Path) -> list[str]:
    """The verdict on each square, as each form gives it; the forms must agree."""
    file = audit_file(path)
    forms = [
        [each.verdict for game in file.games for each in game.verdicts],
        [each["verdict"] for game in json.loads(to_json([file]))["files"][0]["games"] for each in game["verdicts"]],
        [row["kind"] for row in csv.DictReader(io.StringIO(to_csv([file]))) if row["section"] == "verdict"],
    ]
    assert forms[0] == forms[1] == forms[2]
    return forms[0]


def test_a_word_changed_in_the_only_turn_of_a_square_proves_nothing_of_it(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *HONEST)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET public = CAST(replace(public, 'Ben', 'Bob') AS BLOB) WHERE seq = 7")
    text = run(path)
    assert text.splitlines()[0] == (
        "j.db: NOT PROVEN. Entry 7 does not match its hash. Only the entries before it were audited. `trapdial journal "
        "verify` gives more detail."
    )
    assert text.splitlines()[1:3] == [
        "j.db: game g1 on Test table, SIMULATED, entries 1 to 6: nothing was found before the damage.",
        "NOT PROVEN: T01, T02.",
    ]
    assert "PASS" not in text
    assert said(path) == ["not proven", "not proven"]
    document = json.loads(run(path, "--json"))
    assert next(iter(document)) == "verdict"
    assert (document["verdict"], document["files"][0]["verdict"]) == ("not proven", "not proven")
    first = next(csv.DictReader(io.StringIO(run(path, "--csv"))))
    assert (first["section"], first["kind"], first["entry"]) == ("file", "not proven", "7")
    assert first["words"] == "Entry 7 does not match its hash. Only the entries before it were audited."
    html = page([audit_file(path)])
    assert "PASS" not in html
    assert "<strong>NOT PROVEN</strong> Nothing was found before the damage.</p>" in html
    assert html.index("<strong>NOT PROVEN: j.db.</strong>") < html.index("<h3>")


@pytest.mark.slow
def test_whatever_byte_is_changed_no_affected_square_passes(tmp_path: Path) -> None:
    sound = write(tmp_path / "sound.db", *HONEST).read_bytes()
    path, draw = tmp_path / "j.db", random.Random("bytes")
    path.write_bytes(sound)
    before = rows(path)
    assert said(path) == ["pass", "pass"]
    affected = refused = 0
    for at in sorted(draw.sample(range(len(sound)), 400)):
        changed = bytearray(sound)
        changed[at] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        if rows(path) == before:
            continue
        affected += 1
        refused += nothing_passes(path, f"byte {at}")
    assert affected > 200
    assert refused < affected


def test_wherever_a_record_is_cut_no_square_passes(tmp_path: Path) -> None:
    sound = write(tmp_path / "sound.db", *HONEST).read_bytes()
    path, draw = tmp_path / "j.db", random.Random("cuts")
    for at in [*range(512, len(sound), 4096), *draw.sample(range(len(sound)), 40)]:
        path.write_bytes(sound[:at])
        nothing_passes(path, f"cut at {at}")


@pytest.mark.parametrize("last", range(1, 8))
def test_an_end_that_is_deleted_proves_nothing(last: int, tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *HONEST)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM entries WHERE seq > ?", (last,))
    nothing_passes(path, f"after {last}")


def nothing_passes(path: Path, where: str) -> bool:
    """Check every form; return whether the file was refused as a whole."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["audit", str(path)])
    assert result.exit_code in (2, 4), (where, result.output)
    assert "PASS" not in result.output, where
    try:
        assert set(said(path)) <= {"not proven"}, where
    except JournalFileError:
        return True
    return False


# ------------------------------------------------------------------------------------------------------- witnesses


def two_games(path: Path) -> str:
    """Two games in one journal; return the head that a witness took between them."""
    write(path, *HONEST)
    head = jn.head(path).text()
    with Journal(path, MAGE_KNIGHT) as journal:
        moment = NO_GAME
        for event in (started(), *HONEST):
            moment = journal.append("g2", moment, event)
    return head


def test_what_a_witness_vouches_for_stands_beside_damage(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    head = two_games(path)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 12")
    assert "PASS" not in run(path)
    text = run(path, "--witness", head)
    assert text.startswith("j.db: NOT PROVEN. Entry 12 does not match its hash.")
    assert "A witness's head vouches for g1; its verdicts stand." in text
    assert "PASS: T01, T02." in text.splitlines()
    assert "NOT PROVEN: T01, T02." in text.splitlines()


def test_a_record_that_no_witness_saw_is_not_proven(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    path = write(tmp_path / "a" / "j.db", *HONEST)
    other = jn.head(write(tmp_path / "b" / "j.db", *HONEST)).text()
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["audit", str(path), "--witness", other])
    assert result.exit_code == 5
    assert result.output.startswith(
        "j.db: NOT PROVEN. A witness saw another record. Witness 1 saw 8 entries: it was signed by another device."
    )
    assert "PASS" not in result.output


# ------------------------------------------------------------------------------------- findings and device faults


def verdicts(*events: ev.AnyEvent) -> dict[str, str]:
    return {each.square: each.verdict for each in audited(*events).verdicts}


def test_a_square_that_was_not_turned_neither_passes_nor_fails() -> None:
    assert verdicts(*exposes("T01", 3, "ANN")) == {"T01": "pass", "T02": "not turned"}


def test_a_weak_magnet_is_a_fault_and_no_failure() -> None:
    game = audited(*exposes("T01", 3, "ANN"), ev.DialNoted(square="T01", condition="magnet too weak"))
    assert game.findings == ()
    assert [each.words for each in game.faults] == [
        "T01: the magnet was too far from its chip, until the end of the game."
    ]
    assert (game.verdicts[0].verdict, game.verdicts[0].findings, game.verdicts[0].faults) == ("pass", 0, 1)


def test_a_square_whose_dial_was_not_read_is_not_proven() -> None:
    unseen = ev.DialBack(square="T01", unseen_s=6.5)
    assert verdicts(*exposes("T01", 3, "ANN"), unseen) == {"T01": "not proven", "T02": "not turned"}
    assert verdicts(turned("T01", 3), unseen)["T01"] == "fail"


def test_one_movement_is_one_finding_with_its_rules() -> None:
    game = audited(turned("T01", 8))
    (found,) = game.findings
    assert found.words == (
        "T01 was turned without a claim, and was turned further than one die allows: "
        "8 clicks counter-clockwise, from position 0 to 8."
    )
    assert (found.rule_ids, found.claim) == (("T-AUD-4", "T-AUD-2"), "none")
    assert [rule.words for _, rule in rules_of(game)] == [
        "T01 was turned without a claim: 8 clicks counter-clockwise, from position 0 to 8.",
        "T01 was turned further than one die allows: 8 clicks counter-clockwise, from position 0 to 8.",
    ]
    assert game.verdicts[0].findings == 1


def test_a_running_game_groups_them_without_a_word(tmp_path: Path) -> None:
    (game,) = audit_file(write(tmp_path / "j.db", turned("T01", 8))).games
    (found,) = game.findings
    assert (found.rule_ids, found.words) == (("T-AUD-4", "T-AUD-2"), None)
    assert [(each.square, each.verdict) for each in game.verdicts] == [("T01", "fail"), ("T02", "not turned")]


# -------------------------------------------------------------------------------------------------- rules, identity


def test_each_rule_has_the_sentence_of_the_page() -> None:
    text = " ".join((DOCS / "rule_ids.md").read_text(encoding="utf-8").split())
    for rule, words in SHEET.items():
        assert f"- **{rule}**: {words}" in text
    assert {rule for rules in FOUND.values() for rule in rules} <= set(SENTENCES)
    assert {"T-AUD-1", "T-AUD-2", "T-AUD-3", "T-AUD-4", "T-AUD-5", "AR-GEN-2", "AR-USE-7", "S-9"} <= set(SHEET)
    assert all(words.endswith(".") for words in OWN.values())


def test_rules_open_to_their_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *HONEST[:-1], turned("T01", 2, start=3), ev.Ended())
    sentence = "Anything else is a finding: clockwise, unclaimed, a second turn, a disarmed dial that moves."
    assert f"T-AUD-4: {sentence}" in run(path, "--rules")
    assert sentence not in run(path)
    html = page([audit_file(path)])
    assert f"<details><summary>T-AUD-4</summary><p>{sentence}</p></details>" in html


def test_the_page_carries_the_identity_of_its_record(tmp_path: Path) -> None:
    from hashlib import sha256

    from pi_app.audit.forms import Made
    from pi_app.journal.record.verdict import fingerprint

    path = write(tmp_path / "j.db", *HONEST)
    head = jn.head(path)
    file: FileAudit = audit_file(path, witnesses=[head])
    html = page([file], None, Made(program="Trapdial 9.9", date="2026-05-16 15:00 UTC"))
    for words in (
        sha256(path.read_bytes()).hexdigest(),
        fingerprint(head.device),
        "1 head compared; they fit up to entry 8",
        "j.db: WHOLE. 8 entries, all bound to each other, every game with its beginning and its end.",
        "Up to entry 8 it is what a witness saw",
        "TRAPDIAL1 ",
        "Trapdial 9.9, 2026-05-16 15:00 UTC",
        "<title>The head as a QR code</title>",
    ):
        assert words in html
