"""One whole game of two players at a simulated table, its record and its audit; and what stays secret in it."""

from __future__ import annotations

import contextlib
import os
import pty
import termios
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.cli.hidden_line import Echo
from pi_app.cli.main import main
from pi_app.journal.record.entry import read_public
from pi_app.journal.record.verdict import RecordState
from pi_app.rooms.audit import audit
from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.report import ROOMS, lines_of
from pi_app.rooms.settings import load, parse
from pi_app.simulated.build import simulated_table
from pi_app.text.language import words
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.rooms.fights import WHOLE_GAME, with_tokens
from tests.pi_app.rooms.tables import At
from wiring_docs import journal_verifier


@contextlib.contextmanager
def table(folder: Path) -> Iterator[At]:
    told: list[str] = []
    folder.mkdir(exist_ok=True)
    path = folder / "rooms.db"
    with RoomDemo(parse(with_tokens(), "rooms.toml"), path, told.append, seed=3) as demo:
        yield At(demo, told, path)


def test_a_whole_game_to_five_points_is_recorded_rebuilt_and_audited(tmp_path: Path) -> None:
    """D-SCO-1: a reveal, turns from near and far, a tie, combats, wounds, an elimination, objects, exits, two words
    taken back."""
    with table(tmp_path) as at:
        at.says(*WHOLE_GAME)
        game, told = at.game, at.told
    assert game.ended
    assert {player.name: player.points for player in game.players.values()} == {"Ann": 5, "Ben": 3}
    assert game.findings == ()
    assert [each.word for each in game.corrections] == ["card ann 3", "exit ann.mekanork"]
    assert [finding.rule for finding in game.corrections[0].findings] == ["D-CRD-2"]
    for line in (
        "R3: 180 degrees clockwise from where it was revealed.",
        "A tie: nothing happens. `combat again` costs one more action point (D-CMB-3).",
        "Ann: combat card +4, 6 in all.",
        "ben.warrior: in R4, on the gear, wounded.",
        "ben.goblin: in R4, carries ben.warrior.",
        "ann.thief: eliminated.",
        "Victory points: Ann 5 and Ben 3.",
        "Ann has won (D-SCO-1).",
        "Taken back: exit ann.mekanork",
    ):
        assert line in told, line
    (found,) = audit(at.path)
    assert found.moment.game == game
    assert jn.verify(at.path).state is RecordState.WHOLE
    assert journal_verifier.main([str(at.path)]) == 0


def test_the_audit_shows_both_the_word_and_its_correction(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says(*WHOLE_GAME)
    audited = CliRunner().invoke(main, ["rooms", "audit", str(at.path)])
    assert audited.exit_code == 0, audited.output
    first, *rest = audited.output.splitlines()
    assert first.endswith(" entries on a SIMULATED table, ended, 0 findings.")
    assert rest == [
        "Ann won with 5 victory points.",
        "Taken back: card ann 3. Finding D-CRD-2: Ann plays an action card before the last turn is over; "
        "`undo` takes a mistyped card back.",
        "Taken back: exit ann.mekanork.",
    ]
    kinds = [entry.public.kind for entry in jn.read(at.path, ROOMS)]
    assert kinds.count("word taken back") == 2
    assert kinds.count("exit") == 5, "what was taken back is in the record too"
    (facts,) = CliRunner().invoke(main, ["rooms", "audit", str(at.path), "--json"]).output.splitlines()
    assert msgspec.json.decode(facts)["points"] == {"Ann": 5, "Ben": 3}


def test_a_game_of_characters_is_resumed_in_the_middle_of_a_combat(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "combat thief ben.thief", "play ann", "3")
        before, twins = at.game, at.demo.twins
    twins.restart(power=False)
    told: list[str] = []
    with RoomDemo(parse(with_tokens(), "rooms.toml"), at.path, told.append, resume=True, twins=twins) as demo:
        assert demo.table.moment.game == before
        assert told[1:4] == [
            "Ann plays 2 Actions; 1 left.",
            "Combat: ann.thief against ben.thief. Type: play ben",
            "Ann: the combat card lies face down.",
        ]
        demo.enter("play ben")
        demo.enter("1")
        assert "Ann: combat card +3, 5 in all." in told


# ------------------------------------------------------------------------------------------------------- secrecy


OPENING = ("card ann 2", "combat thief ben.thief", "play ann")
AFTER = ("help", "undo", "play ann")


def public_halves(path: Path) -> list[dict[str, object]]:
    """What the log viewer may read of each entry, without what is random in every game, and the sealed halves'
    lengths."""
    random = ("game", "boot", "before", "opening", "wall", "key")
    return [
        {name: value for name, value in msgspec.to_builtins(read_public(row[1])).items() if name not in random}
        | {"sealed": len(row[2])}
        for row in rows(path)
    ]


@pytest.mark.parametrize("other", [0, 1, 6])
def test_d_cmb_2_a_card_face_down_gives_the_others_equal_bytes_until_both_are_played(
    tmp_path: Path, other: int
) -> None:
    """Twin games: only Ann's hidden card differs. Lines in two languages, public halves, reports: all the same."""
    streams = []
    for name, card in (("one", "3"), ("other", str(other))):
        with table(tmp_path / name) as at:
            told = at.says(*OPENING, card, *AFTER, card, "play ben")
            shown = [lines_of(at.game, words(language)) for language in ("en", "de")]
            said = "\n".join([*told, *map(repr, (at.game, at.demo.table.moment.lines))])
            entries = list(jn.read(at.path, ROOMS))
            reports = [entry.public.reports for entry in entries]
            seats = entries[-1].seats_digest
            streams.append(((told, shown, public_halves(at.path), reports, said), seats))
            assert any(line.startswith(f"Ann: combat card +{card},") for line in at.says("2")), "now both lie there"
    (one, one_seats), (two, two_seats) = streams
    assert one == two
    assert one_seats != two_seats, "the sealed half knows the card"


def test_a_line_that_is_no_card_is_refused_in_one_sentence_that_does_not_show_it(tmp_path: Path) -> None:
    """D-CMB-4: no difference between a word, a number that no card has, and a card that was used."""
    with table(tmp_path) as at:
        at.says("card ann 2", "combat thief ben.thief", "play ann", "3", "play ben", "4", "combat thief ben.goblin")
        for wrong in ("x", "9", "3", "", "undo", "12"):
            assert at.says("play ann", wrong) == [
                "Ann, type your combat card. It is not shown.",
                "No combat card of Ann was taken. Type: play ann",
            ]
        assert at.says("play ann", "+5")[-1] == "Ann: the combat card lies face down."


def test_the_demo_does_not_repeat_a_combat_card(tmp_path: Path) -> None:
    (tmp_path / "rooms.toml").write_text(with_tokens(), encoding="utf-8")
    typed = "card ann 2\ncombat thief ben.thief\nplay ann\n6\nplay ben\n5\nquit\n"
    played = CliRunner().invoke(main, ["rooms", "demo", "-s", str(tmp_path / "rooms.toml")], input=typed)
    assert played.exit_code == 0, played.output
    lines = played.output.splitlines()
    assert lines[lines.index("> play ann") + 1 :][:2] == [
        "Ann, type your combat card. It is not shown.",
        "> (not shown)",
    ]
    before = played.output.partition("> play ben")[0]
    assert "6" not in before.partition("> play ann")[2]


def test_play_takes_a_combat_card_from_a_pipe_and_shows_it_with_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rooms.toml"
    path.write_text(with_tokens(), encoding="utf-8")
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: simulated_table(load(path).wires))
    typed = "card ann 2\ncombat thief ben.thief\nplay ann\nquit\nplay ann\n6\nplay ben\n5\nquit\n"
    played = CliRunner().invoke(main, ["rooms", "play", str(path)], input=typed)
    assert played.exit_code == 0, played.output
    lines = played.stdout.splitlines()
    assert "No combat card of Ann was taken. Type: play ann" in lines, "`quit` is no card"
    assert lines[-3:] == [
        "Ann: combat card +6, 8 in all.",
        "Ben: combat card +5, 7 in all.",
        "ben.thief: wounded.",
    ]


def test_a_terminal_does_not_show_what_is_typed_and_shows_it_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()

    def echoes() -> bool:
        return bool(termios.tcgetattr(slave)[3] & termios.ECHO)

    with os.fdopen(slave, "r", closefd=False) as terminal, contextlib.ExitStack() as after:
        after.callback(os.close, master)
        monkeypatch.setattr("sys.stdin", terminal)
        with Echo() as echo:
            assert echoes()
            echo.hide(True)
            assert not echoes()
            echo.hide(False)
            assert echoes()
            echo.hide(True)
        assert echoes(), "the end of the program, however it comes, switches it on"
    os.close(slave)
