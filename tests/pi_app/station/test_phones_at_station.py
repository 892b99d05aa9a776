"""Phones at a station: they wake it, see the seat's sentences, and are put out when the visit is over."""

from __future__ import annotations

import random
from pathlib import Path

from pi_app.settings.station_section import StationSettings
from pi_app.simulated.phone import knock
from pi_app.station.visits.visit import State
from tests.pi_app.phones_at_table import ANN_CARD, Phones
from tests.pi_app.station.at_station import AtStation, a_station


def test_a_phone_sees_the_guide_of_its_seat_and_is_put_out_at_the_end(tmp_path: Path) -> None:
    phones = Phones()
    at = AtStation(tmp_path / "journal.db", a_station(station=StationSettings(idle_s=30)), phones.pages)
    phones.run = at.run
    try:
        at.run(1.5)
        early = phones.knock(*knock(ANN_CARD, random.Random(1).randbytes))
        assert (early.ended, at.state) == ("game", State.JOINING)
        assert at.public[-1].join == "http://10.77.0.1/"
        at.until(State.GUIDED)
        at.run(0.5)
        phone = phones.join(ANN_CARD)
        at.run(0.5)
        phones.read()
        assert phone.now["name"] == "P1"
        assert phone.shown == "Tap “My turn” once."
        at.rolls.append(3)
        phone.tap()
        assert phone.shown == "Something for you. Hold to see it."
        assert [seat.phone for seat in at.public[-1].seats] == [True, False]
        at.turn("T01", 3)
        phone.hold()
        assert phone.now["picture"]["kind"] == "face"
        phone.let_go()
        at.run(0.2)
        phones.read()
        assert phone.shown == "This is what the others saw: nothing."
        at.until(State.THANKS)
        at.run(0.3)
        phones.read()
        assert (phone.ended, phone.now["phase"]) == ("over", "ended")
        at.until(State.ATTRACT)
        again = phones.join(ANN_CARD)
        assert again.ended == "game"
    finally:
        at.close()
