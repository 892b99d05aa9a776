"""Every trouble through the real path: a fault is injected, and the station says its own sentence about it, the same on
the staff page, on the sheet and in the doctor."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hardware.errors import NoPins
from hardware.host import Host
from pi_app.journal import Journal
from pi_app.journal.key_place import prepare_keys
from pi_app.journal.record.key_ring import KeyRing
from pi_app.pages.address import Interface
from pi_app.pages.link import STOPPED, MemoryLink
from pi_app.pages.listening import listen
from pi_app.play import power
from pi_app.play.key_notices import KeyNotices
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender.orders import SenderSays, SenderTrouble, keep_said
from pi_app.sender.sender import NOT_ENROLLED
from pi_app.sender.turns import WITNESS_WAITS
from pi_app.settings.load import example_path, load
from pi_app.settings.pages_section import PagesSettings
from pi_app.simulated import actions
from pi_app.simulated.table import SimulatedTable
from pi_app.station.service.recovery import FAILURES
from pi_app.station.service.recovery_table import RecoveryTable
from pi_app.station.service.service import Places, serving
from pi_app.station.service.systemctl import Systemd
from pi_app.station.staff.setup import recovery_start, staff_of
from pi_app.station.troubles.facts import HostSources, HostWatch, host_facts, table_facts
from pi_app.station.troubles.start_errors import mistake_in, trouble_of
from pi_app.station.troubles.troubles import Facts, StationTrouble, TroubleFound, find
from pi_app.station.updates import trees
from pi_app.station.updates.trial import Watch, watch
from pi_app.workshop.start_check import start_check
from tests.pi_app.bad_disk import on_a_bad_disk
from tests.pi_app.hosts import host, put
from tests.pi_app.playing import Played, settings, table
from tests.pi_app.station import said
from tests.pi_app.station.updates.two_trees import on_trial

T = StationTrouble
WLAN = (Interface("wlan0", "192.168.1.8", wireless=True),)


def only(found: tuple[TroubleFound, ...], trouble: StationTrouble, sentence: str) -> None:
    assert [each.trouble for each in found] == [trouble]
    said.check(found[0], sentence)


def at_table(at: Played, link: MemoryLink | None = None) -> tuple[TroubleFound, ...]:
    return find(table_facts(at.demo.loop.session, link, Facts()))


MAGNET = "The magnet of dial T01 is too weak, too strong or missing."
TILE_FAULTS = [
    ("unplugged", T.DIAL_UNREAD, "No answer from dial T01."),
    pytest.param("magnet-weak", T.MAGNET_WEAK, MAGNET, marks=pytest.mark.slow),
    pytest.param("magnet-missing", T.MAGNET_WEAK, MAGNET, marks=pytest.mark.slow),
    ("mux-silent", T.MUX_MISSING, "The board mux 0x70 fails, so the dials behind it cannot be read."),
]


@pytest.mark.parametrize(("fault", "trouble", "sentence"), TILE_FAULTS)
def test_a_fault_of_a_tile(tmp_path: Path, fault: str, trouble: StationTrouble, sentence: str) -> None:
    with table(tmp_path) as at:
        assert at_table(at) == ()
        at.demo.act(actions.InjectFault("T01", fault, None))
        at.run(1.3)
        only(at_table(at), trouble, sentence)
        at.demo.act(actions.ClearFault("T01", fault))
        at.run(12.0 if trouble is T.MAGNET_WEAK else 1.0)
        assert at_table(at) == ()


def test_a_bus_that_is_held(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.table.buses["dials"].wire.trunk.held = True
        at.run(2.0)
        only(at_table(at), T.BUS_STUCK, "No dial on bus dials can be read.")


def test_a_screen_that_was_unplugged(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.table.oleds["ANN"].unplug()
        at.press("ANN")
        at.run(1.0)
        only(at_table(at), T.SCREEN_OUT, "The screen of seat P1 is out.")


class NoPinsHere(SimulatedTable):
    """A machine whose pins nobody may use."""

    def pins(self) -> object:
        raise NoPins("the Pi's pins", "GPIO", "found an lgpio library that is empty", "Take another.")


def test_lamps_and_buttons_without_pins(tmp_path: Path) -> None:
    check = start_check(settings(), NoPinsHere(settings()), host(tmp_path))
    with pytest.raises(Exception, match="lgpio") as raised:
        check.insist()
    only(found(raised.value), T.PINS_OUT, "The lamps and buttons cannot be used.")


def found(error: BaseException) -> tuple[TroubleFound, ...]:
    """What a station that did not start says."""
    trouble = trouble_of(error)
    assert trouble is not None
    return find(Facts(lasting=(trouble,)))


# ---------------------------------------------------------------------------------------------------------- the disk


@pytest.mark.parametrize(
    ("number", "trouble", "sentence"),
    [
        (errno.ENOSPC, T.DISK_FULL, "The memory card is full or nearly full."),
        (errno.EROFS, T.DISK_READ_ONLY, "The memory card fails: it can no longer be written."),
    ],
)
def test_a_disk_that_refuses(tmp_path: Path, number: int, trouble: StationTrouble, sentence: str) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path) as at:
        disk.number = number
        at.tap("ANN")
        only(at_table(at), trouble, sentence)
        disk.number = None
        at.run(1.1)
        at.tap("ANN")
        assert at_table(at) == ()


def test_a_disk_that_takes_seconds(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        journal, clock = at.demo.loop.session.journal, at.demo.table.clock
        append = journal.append

        def slowly(*values: object) -> object:
            clock.advance(2_500_000_000)
            return append(*values)  # type: ignore[arg-type]

        journal.append = slowly  # type: ignore[method-assign, assignment]
        at.tap("ANN")
        only(at_table(at), T.DISK_SLOW, "The memory card is slow: saving took longer than two seconds.")


def test_a_disk_that_is_nearly_full_or_read_only_while_nobody_plays(tmp_path: Path) -> None:
    full = sources(host(tmp_path, usage=lambda folder: (10**9, 10**9 - 10**6, 10**6)))
    only(find(host_facts(full)), T.DISK_FULL, "The memory card is full or nearly full.")
    worn = sources(host(tmp_path, read_only=lambda folder: True))
    only(find(host_facts(worn)), T.DISK_READ_ONLY, "The memory card fails: it can no longer be written.")


def test_keys_that_were_pulled_and_keys_that_are_missing_at_the_start(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "j.db.keys")
    ring.device()
    watch = HostWatch(replace(sources(host(tmp_path)), keys=KeyNotices(ring, str)))
    watch.poll()
    assert find(watch.facts) == ()
    ring.folder.rename(tmp_path / "pocket")
    watch.poll()
    watch.poll()
    only(find(watch.facts), T.KEYS_LOST, "The keys of the record are missing or are not the right ones.")
    (tmp_path / "pocket").rename(ring.folder)
    watch.poll()
    assert find(watch.facts) == ()
    with pytest.raises(Exception, match="keys") as raised:
        prepare_keys(tmp_path / "j.db", tmp_path / "stick that is away")
    only(found(raised.value), T.KEYS_LOST, "The keys of the record are missing or are not the right ones.")


def test_a_record_that_is_garbage(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"\x00garbage" * 1000)
    with pytest.raises(Exception, match="journal") as raised:
        Journal(tmp_path / "journal.db", MAGE_KNIGHT)
    only(found(raised.value), T.RECORD_DAMAGED, "The record of the games is damaged.")


# --------------------------------------------------------------------------------------------------------- the phones


def test_a_page_process_that_stopped(tmp_path: Path) -> None:
    link = MemoryLink()
    with table(tmp_path) as at:
        link.trouble = STOPPED
        only(at_table(at, link), T.PAGES_DOWN, "Phones cannot join: the page process does not answer.")


def test_a_port_that_another_program_has() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(Exception, match="port") as raised:
            listen("127.0.0.1", port)
    sentence = found(raised.value)
    only(sentence, T.PORT_TAKEN, f"Phones cannot join: port {port} cannot be opened.")


def sources(
    machine: Host, pages: PagesSettings | None = None, interfaces: tuple[Interface, ...] = WLAN, *, hours: bool = False
) -> HostSources:
    return HostSources(machine, machine.root, pages, None, hours, lambda: interfaces)


def test_no_network_and_an_access_point_that_is_off(tmp_path: Path) -> None:
    machine = host(tmp_path)
    assert find(host_facts(sources(machine, PagesSettings()))) == ()
    only(
        find(host_facts(sources(machine, PagesSettings(), ()))),
        T.NO_ADDRESS,
        "Phones cannot join: the station is in no network.",
    )
    only(
        find(host_facts(sources(machine, PagesSettings(address="10.77.0.1")))),
        T.ACCESS_POINT_DOWN,
        "Phones cannot join: the station's own Wi-Fi is off.",
    )


# -------------------------------------------------------------------------------------------------------- the machine


def test_a_weak_supply_and_heat(tmp_path: Path) -> None:
    put(tmp_path, power.THROTTLED, "0x50005")
    only(find(host_facts(sources(host(tmp_path)))), T.UNDER_VOLTAGE, "The power supply is too weak.")
    put(tmp_path, power.THROTTLED, "0x0")
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "83000")
    only(find(host_facts(sources(host(tmp_path)))), T.TOO_HOT, "The station is too warm and runs slowly.")


def test_a_clock_of_1970_matters_to_opening_hours_alone(tmp_path: Path) -> None:
    machine = host(tmp_path, now_s=lambda: 0.0)
    assert find(host_facts(sources(machine))) == ()
    only(
        find(host_facts(sources(machine, hours=True))),
        T.CLOCK_WRONG,
        "The station does not know the time, so it stays open all day.",
    )


def test_a_centre_that_takes_nothing(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    asked = replace(sources(host(tmp_path)), journal=journal, centre="centre.example/c1")
    assert find(host_facts(asked)) == ()
    keep_said(journal, SenderSays(troubles=(refused := SenderTrouble(sentence=NOT_ENROLLED),)))
    only(find(host_facts(asked)), T.HAND_OVER_WAITS, "The record waits for centre.example.")
    witness = SenderTrouble(sentence=WITNESS_WAITS, name="w1\n/2")
    keep_said(journal, SenderSays(troubles=(refused, witness)))
    only(find(host_facts(asked)), T.HAND_OVER_WAITS, "The record waits for centre.example and w1.")
    keep_said(journal, SenderSays())
    assert find(host_facts(asked)) == ()


@contextmanager
def written(folder: Path, text: str) -> Iterator[Path]:
    path = folder / "trapdial.toml"
    path.write_text(text, encoding="utf-8")
    yield path


def load_error(path: Path) -> BaseException:
    with pytest.raises(Exception, match=r"trapdial\.toml") as raised:
        load(path)
    return raised.value


def test_settings_with_a_mistake_name_the_line(tmp_path: Path) -> None:
    with written(tmp_path, "\n\nidle_s = = 3\n") as path:
        only(
            found(load_error(path)),
            T.SETTINGS_BROKEN,
            "The settings have a mistake (trapdial.toml line 3), so the last good ones are used.",
        )


@pytest.mark.slow
def test_a_table_that_fails_five_times_comes_up_as_a_recovery_table(tmp_path: Path) -> None:
    at = Places(tmp_path)
    for _ in range(FAILURES):
        with pytest.raises(NoPins), serving({}, at):
            NoPinsHere(settings()).pins()
    with serving({}, at) as service:
        assert service.decision.kind == "recovery"
        staff, watch = staff_of(load(example_path("2x2")), recovery_start(at, tuple, lambda: 0), host(tmp_path))
        watch.poll()
        recovery = RecoveryTable(service, lambda _: recovery.stop(), ("en",), None, staff)
        recovery.run()
    only(
        staff.found,
        T.RECOVERY,
        "The station stopped several times in a row, so it shows only its staff page and nobody can play.",
    )


def test_an_update_that_does_not_get_ready_goes_back_and_one_that_works_is_no_trouble(tmp_path: Path) -> None:
    home = tmp_path / "opt/trapdial"
    on_trial(home)
    machine = sources(host(tmp_path))
    assert find(host_facts(machine)) == ()
    never = Watch(home, Systemd(never_ready, home), iter(range(10_000)).__next__, lambda _: None)
    assert watch(never) == "back"
    only(find(host_facts(machine)), T.UPDATE_BACK, "The update did not start, so the version before it runs again.")
    trees.point(home, "current", "B")
    trees.confirm(home)
    assert find(host_facts(machine)) == ()


def never_ready(_: Sequence[str]) -> tuple[int, str]:
    """A service manager whose service is for ever about to start."""
    return 0, "ActiveState=activating\nInvocationID=one\nNRestarts=0\n"


def test_an_error_of_another_kind_is_no_trouble() -> None:
    assert trouble_of(ValueError("a bug")) is None


def test_a_refusal_of_the_disk_is_found_behind_its_message() -> None:
    error = RuntimeError("could not be written")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert trouble_of(error) == TroubleFound(T.DISK_FULL)


def test_the_thread_asks_and_ends(tmp_path: Path) -> None:
    put(tmp_path, power.THROTTLED, "0x50005")
    watch = HostWatch(sources(host(tmp_path)), lasting=(TroubleFound(T.PINS_OUT),))
    with watch.running(every_s=0.001):
        pass
    watch.poll()
    assert [each.trouble for each in find(watch.facts)] == [T.PINS_OUT, T.UNDER_VOLTAGE]


def test_settings_that_are_not_used_have_their_mistake_at_a_place() -> None:
    assert (
        mistake_in(["/boot/trapdial.toml line 12, column 9: this is not TOML.", "it is not used."])
        == "trapdial.toml line 12"
    )
    assert mistake_in(["/boot/trapdial.toml: has no error, but the table did not start."]) == "trapdial.toml"
    assert mistake_in([]) == ""
