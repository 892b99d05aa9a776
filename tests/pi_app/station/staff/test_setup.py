"""The staff's side of a station in play on a simulated table: made from its settings, told of each second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from pi_app.cli.main import main
from pi_app.journal import Stamp
from pi_app.pages.link import MemoryLink
from pi_app.pages.messages import SentStatus
from pi_app.pages.station_status import StationStatus, read_status
from pi_app.play.phones import TablePages
from pi_app.report.pictures import Say
from pi_app.settings.model import Settings
from pi_app.settings.station_section import DAYS, StationSettings
from pi_app.simulated.table import faults
from pi_app.station.service.service import Places
from pi_app.station.staff.self_test import HOLD_NS, SHOWN_NS
from pi_app.station.staff.setup import StaffStart, staff_of, update_from_stick
from pi_app.station.staff.staff import StationStaff
from pi_app.station.staff.stick import packages
from pi_app.station.staff.stick_update import NO_PACKAGE, Offer
from pi_app.station.troubles.troubles import Facts, StationTrouble, TroubleFound
from pi_app.station.updates import trees
from pi_app.station.visits.visit import SECOND_NS, State
from tests.pi_app.hosts import host, put
from tests.pi_app.station.at_station import AtStation, a_station, station
from tests.pi_app.station.updates.two_trees import note

QUICK = StationSettings(idle_s=30, languages=("en", "de"), hours={"mon": "10:00-19:00"})


def staffed(folder: Path, known: Facts | None = None) -> Callable[[AtStation], StationStaff]:
    """Makes the staff's side of a station whose machine is fine."""

    def made(at: AtStation) -> StationStaff:
        start = StaffStart(
            folder=folder,
            journal=at.path,
            hosts=lambda: ("localhost",),
            now_ns=at.table.clock.now_ns,
            simulated=True,
            stamp=lambda: Stamp("b0", at.table.clock.now_ns(), "2026-11-23T09:00:00+00:00", "ntp"),
            known=known or Facts(),
        )
        return staff_of(at.settings, start, host(folder))[0]

    return made


def settings() -> Settings:
    return a_station(station=structs.replace(QUICK, hours={}))


def sent(link: MemoryLink) -> StationStatus:
    status = read_status([each for each in link.sent if isinstance(each, SentStatus)][-1].line)
    assert status is not None
    return status


def test_its_status_tells_the_visit_and_a_trouble_the_whole_time(tmp_path: Path) -> None:
    link = MemoryLink()
    with station(tmp_path, settings(), pages=TablePages(link, "localhost"), staffed=staffed(tmp_path)) as at:
        assert (sent(link).state, sent(link).visits, sent(link).troubles) == ("attract", 0, ())
        at.tap("ANN")
        at.press("ANN")
        faults.strike(at.table.tiles["T01"], "unplugged", None)
        at.run(3)
        assert (sent(link).state, sent(link).visits) == ("guided", 1)
        assert [each.code for each in sent(link).troubles] == ["dial_unread"]
        assert at.public[-1].trouble == {"en": "No answer from dial T01.", "de": "Keine Antwort von Anzeiger T01."}


def test_what_the_start_found_is_a_trouble(tmp_path: Path) -> None:
    known = Facts(settings_mistake="line 12", update_back=True)
    with station(tmp_path, settings(), staffed=staffed(tmp_path, known)) as at:
        assert at.public[-1].trouble["en"] == ("The settings have a mistake (line 12), so the last good ones are used.")
        assert at.staff is not None
        assert [each.trouble for each in at.staff.found] == [StationTrouble.SETTINGS_BROKEN, StationTrouble.UPDATE_BACK]


def test_records_that_cannot_be_tidied_up_are_a_trouble(tmp_path: Path) -> None:
    with station(tmp_path, settings(), staffed=staffed(tmp_path)) as at:
        assert at.staff is not None
        at.records.found = TroubleFound(StationTrouble.RECORD_DAMAGED)
        at.run(1.1)
        assert [each.trouble for each in at.staff.found] == [StationTrouble.RECORD_DAMAGED]


def test_all_buttons_for_five_seconds_show_a_self_test_on_every_seat(tmp_path: Path) -> None:
    with station(tmp_path, settings(), staffed=staffed(tmp_path)) as at:
        for seat in ("ANN", "BEN"):
            at.table.press(seat)
        at.run(HOLD_NS / SECOND_NS - 0.5)
        assert "Self-test: all is well." not in at.screens.values()
        at.run(0.7)
        assert set(at.pictures.values()) == {Say(("Self-test: all is well.",))}
        for seat in ("ANN", "BEN"):
            at.table.release(seat)
        at.run(1)
        assert set(at.pictures.values()) == {Say(("Self-test: all is well.",))}
        at.wait(SHOWN_NS / SECOND_NS)
        assert "Self-test: all is well." not in at.screens.values()
        at.until(State.ATTRACT)


def test_its_hours_are_those_of_the_staff(tmp_path: Path) -> None:
    with station(tmp_path, settings(), staffed=staffed(tmp_path)) as at:
        assert at.staff is not None
        at.staff.hours.change(dict.fromkeys(DAYS, ""))
        at.run(1.5)
        assert at.state is State.CLOSED


def test_hours_need_a_clock(tmp_path: Path) -> None:
    used = replace(settings(), station=QUICK)
    start = StaffStart(folder=tmp_path, journal=None, hosts=tuple, now_ns=lambda: 0)
    _, watch = staff_of(used, start, host(tmp_path))
    watch.poll()
    assert watch.facts.needs_clock


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """A USB stick without a package, on a machine below this folder."""
    put(tmp_path, "proc/mounts", "/dev/sda1 /media/trapdial vfat rw,nosuid 0 0\n")
    folder = tmp_path / "media/trapdial"
    folder.mkdir(parents=True)
    return folder


def test_every_package_on_the_sticks_is_listed(tmp_path: Path, stick: Path) -> None:
    assert packages(host(tmp_path)) == []
    mine = ["trapdial_0.10.0_arm64.deb", "trapdial_0.9.1_amd64.deb"]
    for name in (
        *mine,
        "other_3.0_arm64.deb",
        "trapdial_9.deb.part",
        "trapdial_\u202e9_arm64.deb",
        "._trapdial_9_a.deb",
    ):
        (stick / name).write_bytes(b"")
    (stick / "trapdial_8.0_arm64.deb").mkdir()
    assert packages(host(tmp_path)) == [stick / name for name in mine]


def test_the_staff_ask_the_service_manager_for_an_update(tmp_path: Path, stick: Path) -> None:
    machine, run = host(tmp_path), tmp_path / "run"
    assert update_from_stick(Places(tmp_path, run), machine, tmp_path) is None, "it is not installed from its package"
    note(tmp_path, "A", "1.0")
    trees.point(tmp_path, "current", "A")
    assert update_from_stick(Places(tmp_path, None), machine, tmp_path) is None
    asking = update_from_stick(Places(tmp_path, run), machine, tmp_path)
    assert asking is not None
    assert asking.offer(str) == Offer(NO_PACKAGE)
    (stick / "trapdial_2.0_arm64.deb").write_bytes(b"")
    assert asking.offer(str).sentence.startswith("This station does not know its builder")


def test_without_a_stick_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.station.staff.stick.sticks", lambda host: iter(()))
    done = CliRunner().invoke(main, ["station", "update"], prog_name="trapdial")
    assert done.exit_code == 2
    assert done.stderr == (
        "station update: no USB stick with a package of Trapdial is mounted. Plug it in, or name the package: "
        "trapdial_VERSION_arm64.deb.\n"
    )
