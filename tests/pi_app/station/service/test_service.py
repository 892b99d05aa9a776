"""A start of the station: what the service manager hears, what the next start is to know, and when it becomes a
recovery table. In virtual time, without a thread of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pi_app.pages import staff_kinds as kinds
from pi_app.pages.link import MemoryLink
from pi_app.pages.messages import Knock, Refused, SentStatus, StaffAnswer, StaffAsk
from pi_app.pages.station_status import read_status
from pi_app.settings.load import example_path, load
from pi_app.station.public.state import PublicState
from pi_app.station.service import service as services
from pi_app.station.service.health import StationHealth
from pi_app.station.service.recovery import FAILURES, RECOVERY_S, Counter, read
from pi_app.station.service.recovery_table import UNKNOWN, RecoveryTable, public_state, sentences
from pi_app.station.service.service import PAUSE_S, REBOOT, STARTS, Places, Service, places, said_of, serving
from pi_app.station.service.watchdog import PATIENCE_NS, WRITING_NS, Stalled
from pi_app.station.staff.setup import StaffStart, staff_of
from pi_app.station.troubles.troubles import Facts
from pi_app.text.errors import UserFileError, WiringRefusedError
from tests.pi_app.hosts import host

SECOND_NS = 1_000_000_000
WELL = StationHealth(0, {"dials": 0}, 0, False, None)


@dataclass
class Manager:
    """Hears what the service manager hears."""

    heard: list[str] = field(default_factory=list)

    def ready(self) -> None:
        self.heard.append("ready")

    def feed(self, now_ns: int) -> None:
        self.heard.append("fed")

    def trigger(self) -> None:
        self.heard.append("trigger")

    def status(self, line: str) -> None:
        self.heard.append(line)

    def stopping(self) -> None:
        self.heard.append("stopping")


class Station:
    """A service in virtual time."""

    def __init__(self, folder: Path) -> None:
        self.manager, self.now_ns, self.folder = Manager(), 0, folder
        self.health = WELL
        self.starts()

    def starts(self) -> Service:
        self.counter = Counter(
            self.folder / "state" / STARTS, lambda: ("boot", self.now_ns // SECOND_NS), self.folder / STARTS
        )
        self.service = Service(self.manager, self.counter, self.folder, lambda: self.now_ns)
        return self.service

    def is_ready(self) -> None:
        """Ready, and watched by this test instead of a thread."""
        self.service.ready(lambda: self.health)
        self.service.close()

    def passes(self, nanoseconds: int, *, turning: bool = True) -> None:
        self.now_ns += nanoseconds
        if turning:
            self.health = replace(self.health, turned_ns=self.now_ns, scans={"dials": self.now_ns})
        self.service.look()


@pytest.fixture
def station(tmp_path: Path) -> Station:
    return Station(tmp_path)


def test_a_station_that_is_well_is_fed_and_one_that_stands_still_triggers_once(station: Station) -> None:
    station.is_ready()
    station.passes(SECOND_NS)
    assert station.manager.heard == ["ready", "fed", "fed"]
    station.passes(PATIENCE_NS, turning=False)
    assert station.manager.heard[3:] == ["fed"]
    station.passes(1, turning=False)
    station.passes(SECOND_NS, turning=False)
    assert station.manager.heard[4:] == [Stalled.LOOP.value, "trigger"]
    assert read(station.folder / STARTS).starts[-1].words == Stalled.LOOP.value


def test_a_slow_disk_is_restarted_once_and_then_waited_for(station: Station) -> None:
    for triggered in (True, False):
        station.manager.heard.clear()
        station.starts()
        station.is_ready()
        station.passes(SECOND_NS)
        station.health = replace(station.health, writing_ns=station.now_ns)
        station.passes(0, turning=False)
        station.passes(WRITING_NS + 1, turning=False)
        assert ("trigger" in station.manager.heard) is triggered
        station.health = replace(station.health, writing_ns=None)


def test_nothing_is_fed_before_it_is_ready(station: Station) -> None:
    station.service.look()
    assert station.manager.heard == []


def test_an_end_in_good_order_is_kept(station: Station) -> None:
    station.is_ready()
    station.service.ended()
    last = read(station.folder / "state" / STARTS).starts[-1]
    assert (last.ready, last.ended) == (True, True)
    assert station.manager.heard[-1] == "stopping"


def recovering(station: Station) -> Service:
    for _ in range(FAILURES):
        station.service.failed("bus dials (/dev/i2c-1): it is missing.")
        station.starts()
    assert station.service.decision.kind == "recovery"
    return station.service


def test_the_recovery_table_says_what_failed_and_gives_way_after_ten_minutes(station: Station) -> None:
    service = recovering(station)
    told: list[Mapping[str, str]] = []

    def tell(said: Mapping[str, str]) -> None:
        told.append(said)
        station.now_ns += RECOVERY_S * SECOND_NS

    table = RecoveryTable(service, tell, ("en", "de"))
    table.run()
    service.close()
    assert told[0]["en"] == (
        "The table stopped five times in five minutes, so it rests for ten minutes. Nothing is lost. The last "
        "message before it stopped: bus dials (/dev/i2c-1): it is missing."
    )
    assert len(told) == 1
    assert station.manager.heard[:2] == ["ready", "fed"]


def test_everybody_reads_why_it_is_closed_and_no_phone_can_join(station: Station) -> None:
    service = recovering(station)
    link = AnsweringLink([Knock(7, "join", bytes(128))])
    shown: list[PublicState] = []

    def tell(said: Mapping[str, str]) -> None:
        shown.append(public_state(said))
        station.now_ns += RECOVERY_S * SECOND_NS

    table = RecoveryTable(service, tell, ("en", "de"), link)
    table.run()
    service.close()
    assert (shown[0].state, shown[0].trouble["en"]) == ("closed", table.said["en"])
    assert list(link.sent) == [Refused(7, "game")]
    assert table.health().pages_ns == 5


def test_the_staff_page_and_the_status_go_on(station: Station) -> None:
    """The answer leaves a round later than its arithmetic."""
    service, sealed = recovering(station), bytes(512)
    link = AnsweringLink([StaffAsk(4, sealed)])
    rounds: list[int] = []

    def tell(_: Mapping[str, str]) -> None:
        rounds.append(sum(isinstance(each, StaffAnswer) for each in link.sent))
        if len(rounds) == 3:
            station.now_ns += RECOVERY_S * SECOND_NS

    start = StaffStart(
        folder=station.folder, journal=None, hosts=tuple, now_ns=lambda: station.now_ns, known=Facts(recovery=True)
    )
    loaded = load(example_path("2x2"))
    staff, _ = staff_of(loaded, start, host(station.folder))
    RecoveryTable(service, tell, ("en",), link, staff).run()
    service.close()
    assert rounds == [0, 0, 1]
    (answer,) = (each for each in link.sent if isinstance(each, StaffAnswer))
    assert (answer.conn, answer.body[:2]) == (4, bytes([kinds.REFUSED, kinds.NO_STAFF_PAGE]))
    status = read_status(next(each for each in link.sent if isinstance(each, SentStatus)).line)
    assert status is not None
    assert (status.state, [each.code for each in status.troubles]) == ("recovery", ["recovery"])


class AnsweringLink(MemoryLink):
    answered_ns = 5


def test_a_recovery_table_can_be_stopped(station: Station) -> None:
    service = recovering(station)
    table = RecoveryTable(service, lambda _: table.stop(), ("en",))
    table.run()
    service.close()
    assert table.health().pages_ns is None


def test_a_failure_without_words_says_what_to_try(station: Station) -> None:
    for _ in range(FAILURES):
        station.starts()
    assert sentences(station.service.decision, "en").endswith(UNKNOWN)


def test_the_third_recovery_asks_for_a_reboot(station: Station) -> None:
    for _ in range(2):
        recovering(station).ended()
        station.now_ns += RECOVERY_S * SECOND_NS
        assert station.starts().decision.kind == "table"
    kinds = [station.starts().decision.kind for _ in range(FAILURES)]
    assert kinds == ["table"] * 4 + ["reboot"]
    assert (station.folder / REBOOT).read_bytes() == b""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UserFileError(["trapdial.toml line 3: this is not TOML."]), "trapdial.toml line 3: this is not TOML."),
        (WiringRefusedError(["bus a: it is missing.", "bus b: too."]), "bus a: it is missing.\nbus b: too."),
        (ValueError("the secret trap"), "ValueError (a bug)"),
    ],
)
def test_only_sentences_for_people_are_kept_of_an_error(tmp_path: Path, error: Exception, said: str) -> None:
    assert said_of(error) == said
    with pytest.raises(type(error)), serving({}, Places(tmp_path)):
        raise error
    assert read(tmp_path / STARTS).starts[-1].words == " ".join(said.split())


def test_a_stop_is_an_end_in_good_order(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), serving({}, Places(tmp_path)):
        raise KeyboardInterrupt
    assert read(tmp_path / STARTS).starts[-1].ended


def test_only_after_a_start_that_was_never_ready_the_next_one_waits(tmp_path: Path) -> None:
    """A cure by a restart is quick, and a part that is not there yet gets time."""
    paused: list[float] = []

    def fails(*, ready: bool) -> None:
        with serving({}, Places(tmp_path), paused.append) as service:
            if ready:
                service.ready(lambda: WELL)
            raise ValueError("gone")

    for ready in (False, True, False):
        with pytest.raises(ValueError, match="gone"):
            fails(ready=ready)
    for _ in range(2):
        with serving({}, Places(tmp_path), paused.append):
            pass
    assert paused == [PAUSE_S, PAUSE_S]


def test_what_a_power_cut_left_half_written_is_removed_at_a_start(tmp_path: Path) -> None:
    (tmp_path / f".{STARTS}.a1b2c3d4").write_text("half")
    with serving({}, Places(tmp_path)):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [STARTS]


def test_the_folders_are_those_that_the_service_manager_names() -> None:
    assert places({}) is None
    given = {"STATE_DIRECTORY": "/var/lib/trapdial:/var/lib/more", "RUNTIME_DIRECTORY": "/run/trapdial"}
    assert places(given) == Places(Path("/var/lib/trapdial"), Path("/run/trapdial"))
    assert places({**given, services.PAGES: "/run/trapdial/pages.sock"}) == Places(
        Path("/var/lib/trapdial"), Path("/run/trapdial"), Path("/run/trapdial/pages.sock")
    )
