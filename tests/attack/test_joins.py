"""A player with a card who joins on and on, and a guest who joins while that goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.game import events as ev
from pi_app.pages import sealing
from pi_app.play.phones import JOINS
from pi_app.simulated.phone import knock
from tests.pi_app.phones_at_table import ANN_CARD, BEN_CARD, code_on, with_phones


def test_who_joins_one_seat_on_and_on_uses_up_nothing_of_another(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ends = [phones.join(ANN_CARD).ended for _ in range(60)]
        assert ends[: JOINS.at_once] == [""] * JOINS.at_once
        assert "full" in ends
        assert phones.join(BEN_CARD).ended == ""
        assert len([event for event in at.events() if isinstance(event, ev.PhoneJoined)]) < 20


def test_who_leaves_and_joins_on_and_on_uses_up_nothing_of_another(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (_, phones):
        for _ in range(20):
            phone = phones.join(ANN_CARD)
            if phone.session is not None:
                phone.post(sealing.LEAVE)
        assert phones.join(BEN_CARD).ended == ""


def test_a_one_time_code_that_was_refused_as_full_admits_its_phone_later(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        for _ in range(60):
            phones.join(ANN_CARD)
        at.say("phone ANN")
        code = code_on(at, "ANN")
        assert phones.join(code).ended == "full"
        at.run(JOINS.every_ns / 1e9)
        late = phones.join(code)
        assert (late.ended, late.now["seat"]) == ("", "ANN")
        assert phones.join(code).ended == "code", "it has admitted its phone"


def test_a_one_time_code_that_the_disk_refused_admits_its_phone_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with with_phones(tmp_path) as (at, phones):
        before = phones.join(ANN_CARD)
        at.say("phone ANN")
        code = code_on(at, "ANN")
        with monkeypatch.context() as broken:
            broken.setattr(at.demo.loop.session, "record_event", lambda event, said=(): False)
            assert phones.join(code).ended == "disk"
        assert before.ended == "", "who holds the seat goes on, and sees no break"
        before.hold()
        assert before.now["held"] is True
        assert phones.join(code).ended == ""
        assert before.ended == "moved"


def test_the_very_join_that_was_refused_may_be_sent_again(tmp_path: Path) -> None:
    """A page whose network is bad sends it byte for byte."""
    with with_phones(tmp_path) as (at, phones):
        for _ in range(60):
            phones.join(ANN_CARD)
        phones.read()
        body, finish = knock(ANN_CARD, game=phones.game)
        assert phones.knock(body, finish).ended == "full"
        at.run(JOINS.every_ns / 1e9)
        assert phones.knock(body, finish).ended == ""
