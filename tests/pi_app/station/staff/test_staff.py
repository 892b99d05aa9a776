"""The staff's side of a station around a simulated table: from a fault to the lamp, the ring, the status and the
page."""

from __future__ import annotations

import json
from pathlib import Path

from pi_app.pages import staff_kinds as kinds
from pi_app.pages import staff_sealing as sealing
from pi_app.pages.link import MemoryLink
from pi_app.pages.messages import Invited, SentStatus, StaffAnswer, StaffAsk
from pi_app.pages.station_status import read_status
from pi_app.play.phones import TablePages
from pi_app.simulated import actions
from pi_app.station.staff.self_test import HOLD_NS
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from tests.pi_app.playing import table
from tests.pi_app.station.staff.at_staff import HOST, PIN, station


def test_a_pulled_lead_reaches_the_lamp_the_ring_and_the_status(tmp_path: Path) -> None:
    with station(tmp_path) as (staff, at, link):
        staff.tick()
        assert (staff.trouble(), staff.lamp(1), staff.open_now()) == ({}, True, False)
        at.demo.act(actions.InjectFault("T01", "unplugged", None))
        at.run(1.3)
        staff.tick()
        staff.write_ring()
        assert staff.trouble() == {"en": "No answer from dial T01.", "de": "Keine Antwort von Anzeiger T01."}
        assert [staff.lamp(ms * 1_000_000) for ms in (0, 210, 500, 1_000)] == [True, False, True, False]
        assert [(entry.code, entry.place, entry.over) for entry in staff.ring.entries()] == [
            ("dial_unread", "T01", False)
        ]
        sent = [message for message in link.sent if isinstance(message, SentStatus)]
        status = read_status(sent[-1].line)
        assert status is not None
        assert ([each.code for each in status.troubles], status.lamp, status.open) == (["dial_unread"], "staff", False)


def test_a_stop_leaves_no_trouble_behind_and_a_start_ends_what_a_crash_left(tmp_path: Path) -> None:
    with station(tmp_path) as (staff, at, _):
        staff.ring.note(TroubleFound(StationTrouble.TOO_HOT), over=False)
        at.demo.act(actions.InjectFault("T01", "unplugged", None))
        at.run(1.3)
        staff.tick()
        staff.write_ring()
        assert [entry.code for entry in staff.ring.lasting()] == ["dial_unread"]
        staff.end()
        staff.write_ring()
        assert staff.ring.lasting() == ()


def test_the_staff_page_gets_through_the_table_in_a_later_round(tmp_path: Path) -> None:
    with station(tmp_path) as (_, at, link):

        def asked(body: bytes) -> bytes:
            link.incoming.append(StaffAsk(1, body))
            at.demo.step()
            assert not [message for message in link.sent if isinstance(message, StaffAnswer)], "not in the same round"
            at.demo.step()
            (answer,) = (message for message in link.sent if isinstance(message, StaffAnswer))
            link.sent.clear()
            return answer.body

        page = sealing.begin(PIN, HOST)
        proved = page.proved(asked(page.body))
        assert proved is not None
        assert asked(proved[1])[0] == kinds.PROVE
        keys = proved[0].keys
        text = sealing.open_answer(keys, 1, asked(sealing.seal_ask(keys, 1, b'{"lang": "de"}')))
        assert text is not None
        view = json.loads(text)
        assert (view["state"], view["is_open"]) == ("Bereit: Alles funktioniert.", "Jetzt geschlossen.")
        assert view["test"] == ["Selbsttest: Alles in Ordnung."]


def test_all_buttons_begin_a_self_test(tmp_path: Path) -> None:
    with station(tmp_path) as (staff, _, _link):
        assert staff.pressed([True, True], 0) is None
        found = staff.pressed([True, True], HOLD_NS)
        assert found is not None
        assert found.lines({"P1": str}) == {"P1": "Self-test: all is well."}


def test_a_door_that_strangers_shut_opens_with_the_number_that_all_buttons_show(tmp_path: Path) -> None:
    with station(tmp_path) as (staff, _, link):

        def tried(pin: str, number: int | None = None) -> int:
            page = sealing.begin(pin, HOST, number=number)
            proved = page.proved(first := staff.answer(page.body, 0))
            return first[1] if proved is None else staff.answer(proved[1], 0)[0]

        for _ in range(5):
            tried("111111")
        assert tried(PIN) == kinds.WAIT
        staff.pressed([True, True], 0)
        staff.pressed([True, True], HOLD_NS)
        shown = staff.tested(["P1", "P2"], "de", HOLD_NS + 1)
        assert shown["P1"] == shown["P2"]
        said, _, number = shown["P1"].rpartition(" ")
        assert said == "Zahl für die Personalseite:"
        assert Invited(int(number)) in link.sent, "the page process lets it past all strangers"
        assert tried(PIN, int(number)) == kinds.PROVE


def test_a_table_without_a_staff_page_says_so(tmp_path: Path) -> None:
    link = MemoryLink()
    with table(tmp_path, pages=TablePages(link, HOST)) as at:
        link.incoming.append(StaffAsk(1, bytes(512)))
        at.run(0.1)
        (answer,) = (message for message in link.sent if isinstance(message, StaffAnswer))
        assert answer.body[:2] == bytes([kinds.REFUSED, kinds.NO_STAFF_PAGE])
