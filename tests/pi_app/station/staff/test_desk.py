"""What the staff page shows and does behind its door."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.journal.stamps import Stamp
from pi_app.pages.staff_sealing import MOST_TEXT
from pi_app.station.package.signing import sign
from pi_app.station.staff.desk import StaffDesk
from pi_app.station.staff.opening_hours import OpeningHours, checked
from pi_app.station.staff.stick import sticks, write_report
from pi_app.station.staff.stick_update import StickUpdate
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.station.updates.refusals import Refusal, note_refusal
from pi_app.text.languages import LANGUAGES
from tests.pi_app.hosts import put
from tests.pi_app.station.staff.at_desk import DIAL, HOT, SECOND, Station
from tests.station.tiny import BUILDER, trust

MONDAY = datetime.datetime(2026, 11, 23, 13, 0, tzinfo=datetime.UTC)


@pytest.fixture
def station(tmp_path: Path) -> Station:
    return Station(tmp_path)


def test_it_shows_troubles_of_now_and_the_last_five_with_what_to_do(station: Station) -> None:
    for number in range(7):
        station.now_ns = number * 600 * SECOND
        station.ring.note(DIAL, over=False)
        station.ring.note(DIAL, over=True)
    station.now_ns += 30 * SECOND
    view = station.ask(do="look")
    assert view["now"] == [
        {
            "seen": "The station is too warm and runs slowly.",
            "do": "Give it air: take away what lies on it, and keep it out of the sun.",
            "when": "",
        }
    ]
    assert [each["when"] for each in view["last"]] == [
        "just now",
        "10 min ago",
        "20 min ago",
        "30 min ago",
        "40 min ago",
    ]
    assert {each["seen"] for each in view["last"]} == {"No answer from dial T02."}
    assert view["hours"][0] == ["mon", "Monday", "10:00-19:00"]
    assert view["hours"][1] == ["tue", "Tuesday", "-"]
    assert (view["state"], view["is_open"], view["program"]) == ("", "Open now.", "1.2.3")
    assert view["texts"]["update"] == "", "no button without an update"


def test_a_trouble_of_an_earlier_start_has_its_date_if_the_date_was_right(station: Station) -> None:
    old = TroubleRing(station.folder, lambda: Stamp("b1", 5, "2026-11-20T09:30:00+00:00", "ntp"))
    old.note(HOT, over=False)
    none = TroubleRing(station.folder, lambda: Stamp("b1", 6, "1970-01-01T00:00:00+00:00", "none"))
    none.note(HOT, over=False)
    assert [each["when"] for each in station.ask()["last"]] == ["before the last start", "2026-11-20 09:30"]


def test_a_sound_station_says_that_it_is_ready(station: Station) -> None:
    station.found = ()
    assert station.ask()["state"] == "Ready: everything works."


def test_hours_are_changed_and_kept(station: Station) -> None:
    assert station.ask(do="hours", hours={"mon": "", "sat": "20:00-02:00"})["said"] == "The opening hours are saved."
    again = OpeningHours(station.folder, {"mon": "10:00-19:00"})
    assert again.hours == {"mon": "", "sat": "20:00-02:00"}
    assert again.is_changed
    assert not again.is_open(MONDAY, "ntp")
    assert again.is_open(MONDAY, "none")


@pytest.mark.parametrize("hours", [{"mon": "10:00-"}, {"mon": "19-10"}, {"mon": "19:00-10:00"}, {"mon": "10:00-25:00"}])
def test_hours_that_cannot_be_are_refused_by_the_name_of_the_day(station: Station, hours: dict[str, str]) -> None:
    answer = station.ask(do="hours", hours={**hours, "tue": "09:00-18:00"})
    sentence = {
        "19:00-10:00": "Monday: it would close before it opens. Only a closing time until 06:00 is on the next day."
    }.get(hours["mon"], "Monday: fill in both times. For a day that is open all day, clear both.")
    assert (answer["said"], answer["wrong"]) == (sentence, {"mon": sentence})
    assert station.hours.hours == {"mon": "10:00-19:00"}, "nothing is changed, on no day"


def test_two_days_are_named_in_the_order_of_the_week_and_in_the_language_of_the_page(station: Station) -> None:
    answer = station.ask(do="hours", hours={"sun": "18:00-", "wed": "-18:00"}, lang="de")
    assert answer["said"] == (
        "Mittwoch: Gib beide Zeiten ein. Für einen ganzen Tag lösche beide. "
        "Sonntag: Gib beide Zeiten ein. Für einen ganzen Tag lösche beide."
    )
    assert [*answer["wrong"]] == ["wed", "sun"]


@pytest.mark.parametrize("hours", [{"yesterday": ""}, None, {"mon": 7}, []])
def test_what_no_page_sends_changes_nothing(station: Station, hours: object) -> None:
    answer = station.ask(do="hours", hours=hours)
    assert answer["said"] == "The station did not understand this page. Load it again."
    assert answer["wrong"] == {}
    assert station.hours.hours == {"mon": "10:00-19:00"}
    assert checked(hours) is None


def test_a_card_that_refuses_the_hours_is_said(tmp_path: Path) -> None:
    station = Station(tmp_path)
    station.hours = OpeningHours(tmp_path / "not there", {})
    station.sources = replace(station.sources, hours=station.hours)
    sentence = "The memory card did not save the opening hours: they apply until the next restart."
    assert station.ask(do="hours", hours={"mon": ""})["said"] == sentence
    assert station.hours.hours == {"mon": ""}


@pytest.mark.parametrize("garbage", [b"", b"[]", b'{"mon": "x"}', b"\xff" * 9])
def test_spoiled_hours_are_those_of_the_settings(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "hours.json").write_bytes(garbage)
    assert OpeningHours(tmp_path, {"tue": ""}).hours == {"tue": ""}


MOUNTS = """\
/dev/mmcblk0p2 / ext4 rw,noatime 0 0
/dev/sda1 /media/trap\\040dial vfat rw,nosuid 0 0
/dev/sdb1 /media/other vfat ro,nosuid 0 0
tmpfs /media/tmp tmpfs rw 0 0
"""


def test_a_report_goes_to_the_stick_under_a_new_name(station: Station) -> None:
    assert station.ask(do="report")["said"] == "There is no USB stick. Plug one in, wait ten seconds, and try again."
    put(station.folder, "proc/mounts", MOUNTS)
    folder = station.folder / "media/trap dial"
    folder.mkdir(parents=True)
    assert [*sticks(station.sources.host)] == [folder]
    station.ring.note(DIAL, over=False)
    for number in (1, 2):
        said = station.ask(do="report")["said"]
        assert said == f"Written to the stick: trapdial-report-{number}.txt. You may pull it out now."
    text = (folder / "trapdial-report-1.txt").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "Trapdial 1.2.3"
    assert "0 dial_unread (T02) began b0 0 2026-11-23T13:00:00+00:00 ntp" in text


def test_a_stick_that_refuses_is_said(station: Station) -> None:
    put(station.folder, "proc/mounts", MOUNTS)
    written = write_report(station.sources.host, "text")
    assert written.said(str) == "The stick refuses the report (No such file or directory). Try another one."


def test_an_update_is_begun_only_where_there_is_one(station: Station) -> None:
    for do in ("update", "install"):
        assert station.ask(do=do)["said"] == "This station cannot be updated from here."
    station.sources = replace(station.sources, update=updates(station))
    assert station.ask(do="update")["said"].startswith("There is no USB stick with a Trapdial package.")
    view = station.ask()
    assert (view["texts"]["update"], view["last_update"]) == ("Update from the USB stick", "")


def updates(station: Station) -> StickUpdate:
    """The updates of this station: it runs version 1.0, by the builder B."""
    folder = station.folder
    return StickUpdate(
        host=station.sources.host,
        request=folder / "update",
        home=folder,
        builder=lambda: trust().builder,
        program="1.0",
    )


def test_the_page_says_version_and_signer_and_asks_before_it_installs(station: Station) -> None:
    station.sources = replace(station.sources, update=updates(station))
    put(station.folder, "proc/mounts", MOUNTS)
    stick = station.folder / "media/trap dial"
    stick.mkdir(parents=True)
    (stick / "trapdial_2.0_arm64.deb").write_bytes(b"")
    sign(stick / "trapdial_2.0_arm64.deb", BUILDER, 0)
    offer = station.ask(do="update")
    assert offer["said"] == (
        "Version 2.0 is on the stick, signed by the builder of this station (key 4242424242424242). "
        "Version 1.0 runs now."
    )
    assert offer["install"] == "Install version 2.0"
    assert not (station.folder / "update").exists(), "nothing is asked for yet"
    assert (
        station.ask(do="install", token="")["said"] == "The stick has another package now. Look again at what is on it."
    )
    begun = station.ask(do="install", token=offer["token"])
    assert (begun["said"], begun["token"], begun["install"]) == (
        "The update begins. In two minutes look here for the number of the version that runs.",
        "",
        "",
    )
    assert (station.folder / "update").read_text(encoding="ascii") == offer["token"]
    note_refusal(station.folder, Refusal.DAMAGED)
    assert station.ask(lang="en")["last_update"] == (
        "The last update from a stick was refused. The package is damaged. Copy it and the file .minisig to the stick "
        "again."
    )


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"do": 5}', b'{"lang": "xx"}', b"\xff"])
def test_garbage_is_answered(station: Station, text: bytes) -> None:
    answer = json.loads(StaffDesk(station.sources)(text))
    assert answer["said"] == "The station did not understand this page. Load it again."


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_answer_fits_its_frame(station: Station, language: str) -> None:
    station.found = tuple(TroubleFound(each, ("T" * 60,)) for each in StationTrouble)
    for each in StationTrouble:
        station.ring.note(TroubleFound(each, ("T" * 60,)), over=False)
    station.sources = replace(station.sources, test=lambda words: ("x" * 120,) * 4, update=updates(station))
    put(station.folder, "proc/mounts", MOUNTS)
    (station.folder / "media/trap dial").mkdir(parents=True)
    for number in range(9):
        (station.folder / f"media/trap dial/trapdial_{number}{'9' * 39}_abcdefghijkl.deb").write_bytes(b"")
    note_refusal(station.folder, Refusal.UNSIGNED)
    answer = StaffDesk(station.sources)(json.dumps({"lang": language, "do": "update"}).encode())
    assert b"9999_abcdefghijkl.deb, \xe2\x80\xa6" in answer
    assert len(answer) <= MOST_TEXT
