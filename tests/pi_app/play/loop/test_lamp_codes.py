"""The lamp codes of a game: dealt at its start, kept by its record, shown to their own seats alone."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hardware.sims.pins import Edge
from pi_app.displays.seat import code_word
from pi_app.game import events as ev
from pi_app.game.lamp_deal import LampKind
from pi_app.report.lamp_code import card_code, dealt_code
from pi_app.report.moment import NO_GAME, advance
from pi_app.report.pictures import ShowCard
from pi_app.simulated import actions
from tests.attack.camera import coded
from tests.pi_app.games import started
from tests.pi_app.playing import Played, settings, table


def lamps(at: Played) -> dict[str, str]:
    """Return the lamp codes in the game's first event."""
    (started,) = (event for event in at.events() if isinstance(event, ev.Started))
    return {seat.seat: seat.lamp for seat in started.seats}


def hold(at: Played, seat: str) -> str:
    at.press(seat)
    shown = at.screens[seat]
    at.let_go(seat)
    return shown


def test_each_seat_is_dealt_its_own(tmp_path: Path) -> None:
    with table(tmp_path, coded(settings(), "dealt")) as at:
        dealt = lamps(at)
        assert all(dealt_code(lamp) for lamp in dealt.values())
        assert dealt["ANN"] != dealt["BEN"]
        assert {key: seat.lamp for key, seat in at.demo.loop.moment.game.seats.items()} == dealt
        at.say("end")
        at.say("new")
        (_, again) = (event for event in at.events() if isinstance(event, ev.Started))
        assert {seat.seat: seat.lamp for seat in again.seats} != dealt


def test_a_resumed_game_keeps_them(tmp_path: Path) -> None:
    used = coded(settings(), "dealt")
    with table(tmp_path, used) as at:
        dealt = lamps(at)
    with table(tmp_path, used, resume=True) as at:
        assert lamps(at) == dealt
        at.expose("ANN", "T01", 3)
        assert {key: seat.lamp for key, seat in at.demo.loop.moment.game.seats.items()} == dealt


def test_a_resumed_game_keeps_them_against_changed_settings(tmp_path: Path) -> None:
    with table(tmp_path, coded(settings(), "dealt")) as at:
        dealt = lamps(at)
    with table(tmp_path, coded(settings(), "public"), resume=True) as at:
        assert {key: seat.lamp for key, seat in at.demo.loop.moment.game.seats.items()} == dealt


def test_a_hold_without_a_claim_shows_the_card_page_by_page(tmp_path: Path) -> None:
    with table(tmp_path, coded(settings(), "dealt")) as at:
        shown = [hold(at, "ANN") for _ in range(5)]
        assert [said.partition(":")[0] for said in shown] == [
            *(f"Your lamp {n}/4" for n in range(1, 5)),
            "Your lamp 1/4",
        ]
        code = card_code(lamps(at)["ANN"])
        assert code is not None
        assert shown[0].startswith("Your lamp 1/4: ▬▬··· ")
        assert [type(event).__name__ for event in at.events()] == ["Started", "SetupChecked"], "nothing is recorded"


def test_the_card_follows_the_squares_that_a_seat_knows(tmp_path: Path) -> None:
    with table(tmp_path, coded(settings(), "dealt")) as at:
        at.expose("ANN", "T01", 3)
        assert hold(at, "ANN").startswith("Your lamp 1/4: ")
        for _ in range(3):
            hold(at, "ANN")
        assert hold(at, "ANN").startswith("T01: The Cage")
        at.run(11)
        assert hold(at, "ANN").startswith("T01: The Cage"), "a later hold begins with the newest square"


def test_the_lamp_stays_dark_while_the_card_is_shown(tmp_path: Path) -> None:
    with table(tmp_path, coded(settings(), "dealt")) as at:
        at.press("ANN")
        assert isinstance(at.pictures["ANN"], ShowCard)
        assert code_word(at.pictures["ANN"]) is None
        levels = set()
        for _ in range(20):
            at.run(0.1)
            levels.add(at.demo.table.sim_pins.level(20))
        assert levels == {0}


def test_without_a_dealt_code_a_hold_says_what_it_said(tmp_path: Path) -> None:
    kinds: tuple[LampKind, ...] = ("public", "once")
    for kind in kinds:
        folder = tmp_path / kind
        folder.mkdir()
        with table(folder, coded(settings(), kind)) as at:
            assert hold(at, "ANN") == "Nothing to see yet. Tap to begin."


def test_the_card_is_a_line_of_its_own_seat_alone(tmp_path: Path) -> None:
    with table(tmp_path, coded(settings(), "dealt")) as at:
        told = {viewer: line for viewer, line in at.lines if "Your lamp in this game" in line}
        assert set(told) == {"seat ANN", "seat BEN"}
        assert told["seat ANN"] != told["seat BEN"]
        assert told["seat ANN"].startswith("Your lamp in this game: ▬▬··· ")
        assert told["seat ANN"].count(",") == 9


def test_the_deal_is_part_of_what_the_seats_digest_covers_and_of_no_public_one() -> None:
    first = started()
    ann, ben = first.seats
    other = msgspec.structs.replace(first, seats=(msgspec.structs.replace(ann, lamp="jihgfedcba"), ben))
    this, that = advance(NO_GAME, first), advance(NO_GAME, other)
    assert this.common_digest == that.common_digest
    assert this.seats_digest != that.seats_digest


def test_while_its_screen_is_out_the_lamp_uses_the_public_card(tmp_path: Path) -> None:
    """It is the only thing that its player can read then; `once` and the screen together are the default."""
    with table(tmp_path) as at:
        at.demo.table.oleds["ANN"].unplug()
        at.run(1.0)
        edges: list[Edge] = []
        at.demo.table.sim_pins.on_edge = edges.append
        at.expose("ANN", "T01", 3)
        at.demo.act(actions.Press("ANN"))
        at.run(6.0)
        lit = [(edge.at_ns, edge.level) for edge in edges if edge.gpio == 20][:10]
        long = [off - on > 400_000_000 for (on, _), (off, _) in zip(lit[::2], lit[1::2], strict=True)]
        assert long == [True, False, False, True, False], "The Cage on the public card"
