"""Troubles of the machine: the referee gets one notice when a trouble begins and one when it is over."""

from __future__ import annotations

import errno
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from hardware.host import Host
from pi_app.play.machine_notices import InlineNotices, ThreadNotices
from pi_app.play.power import (
    ASK_EVERY,
    CALM_POLLS,
    THROTTLED,
    Date,
    DiskSpace,
    MachineWatch,
    date,
    disk_space,
    supply_dips,
    temperature_c,
    throttled,
    troubles,
)
from tests.pi_app.hosts import host, put
from tests.pi_app.playing import table

LOW = (
    "power (the Pi's supply): the voltage is too low now. Use the Pi's own power supply and a short, thick cable, and "
    "give the tiles a supply of their own."
)
RIGHT = "power (the Pi's supply): the voltage is right again."
IN_1970, IN_2027 = 3_600.0, 1_800_000_000.0


def watch(machine: Host, folder: Path) -> MachineWatch:
    return MachineWatch(machine, folder, str)


# ------------------------------------------------------------------------------------------------ get_throttled

NOW = (
    "the voltage is too low now",
    "its clock is held down now",
    "it is slowed down now, because of low voltage or heat",
    "it is so warm that it runs slower now",
)


@pytest.mark.parametrize("bits", range(16))
def test_every_bit_of_now_has_its_words(tmp_path: Path, bits: int) -> None:
    seen = [trouble.seen for _, trouble in troubles(host(tmp_path), tmp_path, bits)]
    assert seen == [words for number, words in enumerate(NOW) if bits >> number & 1]


def test_what_was_only_before_does_not_ail_it_now(tmp_path: Path) -> None:
    assert list(troubles(host(tmp_path), tmp_path, 0xF0000)) == []
    assert list(troubles(host(tmp_path), tmp_path, None)) == []


def test_the_kernels_own_file_goes_before_the_program(tmp_path: Path) -> None:
    assert throttled(host(tmp_path, "throttled=0x50000\n")) == 0x50000
    put(tmp_path, THROTTLED, "5\n")
    assert throttled(host(tmp_path, "throttled=0x0\n")) == 5
    assert throttled(host(tmp_path / "none", "VCHI initialization failed")) is None


def test_a_supply_that_nobody_watches_is_not_called_sound(tmp_path: Path) -> None:
    assert supply_dips(host(tmp_path)) is None
    put(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    assert supply_dips(host(tmp_path)) is None
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert supply_dips(host(tmp_path)) is True


def test_a_temperature_that_is_not_told(tmp_path: Path) -> None:
    assert temperature_c(host(tmp_path)) is None
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "garbage")
    assert temperature_c(host(tmp_path)) is None


# --------------------------------------------------------------------------------------------------------- date


def test_a_date_before_this_program_is_wrong_whoever_set_it(tmp_path: Path) -> None:
    assert date(host(tmp_path, now_s=lambda: IN_1970, kernel_is_set=lambda: True)) is Date.WRONG


@pytest.mark.parametrize(("told", "known"), [(True, Date.SET), (False, Date.UNSET), (None, Date.UNKNOWN)])
def test_the_kernel_knows_whether_a_program_keeps_its_clock(tmp_path: Path, told: bool | None, known: Date) -> None:
    assert date(host(tmp_path, kernel_is_set=lambda: told)) is known


@pytest.mark.parametrize(
    ("took_it", "seconds", "known"),
    [("1", IN_2027, Date.KEPT), ("1", IN_1970, Date.UNSET), ("0", IN_2027, Date.UNSET)],
)
def test_a_clock_chip_counts_if_it_has_a_date_and_the_kernel_took_it(
    tmp_path: Path, took_it: str, seconds: float, known: Date
) -> None:
    put(tmp_path, "sys/class/rtc/rtc0/hctosys", took_it)
    put(tmp_path, "sys/class/rtc/rtc0/since_epoch", f"{seconds:.0f}\n")
    assert date(host(tmp_path, kernel_is_set=lambda: False)) is known


def test_this_machine_can_be_asked_everything() -> None:
    here = Host()
    assert here.kernel_is_set() in (True, False, None)
    assert here.read_only(Path("/proc")) in (True, False)
    assert here.version("smbus2")
    assert here.version("no-such-package-anywhere") == ""
    assert here.module_bytes("json") not in (None, 0)
    assert here.module_bytes("no_such_module_anywhere") is None
    assert here.now_s() > IN_1970


# --------------------------------------------------------------------------------------------------------- disk


def test_how_many_events_a_disk_still_takes() -> None:
    assert DiskSpace(10**9, 217_000_000, False).events == 100_000
    assert DiskSpace(10**9, 3_000_000, False).events == 0


def test_a_disk_that_is_gone_full_or_worn_out(tmp_path: Path) -> None:
    def gone(folder: Path) -> tuple[int, int, int]:
        raise OSError(errno.EIO, "Input/output error")

    assert disk_space(host(tmp_path, usage=gone), tmp_path) is None
    machines = (
        host(tmp_path, usage=gone),
        host(tmp_path, read_only=lambda folder: True),
        host(tmp_path, usage=lambda folder: (10**9, 0, 37_000_000)),
    )
    assert [watch(machine, tmp_path).poll() for machine in machines] == [
        ["disk (where the journal lies): it cannot be read. Check that its card or stick is still in."],
        [
            "disk (where the journal lies): it is read-only. Linux does that when a card wears out: copy the journal, "
            "then "
            "use a new card."
        ],
        [
            "disk (where the journal lies): it is nearly full: space for about 10000 more events. Free some space "
            "before the next game: an "
            "event that cannot be written does not count."
        ],
    ]


# -------------------------------------------------------------------------------------------------- the watch


def test_said_once_when_it_comes_and_once_when_it_is_over(tmp_path: Path) -> None:
    looks = watch(host(tmp_path), tmp_path)
    put(tmp_path, THROTTLED, "10001")
    assert [list(looks.poll()) for _ in range(3)] == [[LOW], [], []]
    put(tmp_path, THROTTLED, "10000")
    assert [list(looks.poll()) for _ in range(CALM_POLLS + 1)] == [*[[]] * (CALM_POLLS - 1), [RIGHT], []]


def test_what_comes_and_goes_does_not_chatter(tmp_path: Path) -> None:
    looks = watch(host(tmp_path), tmp_path)
    said: list[str] = []
    for n in range(20):
        put(tmp_path, THROTTLED, f"1000{n % 2}")
        said += looks.poll()
    assert said == [LOW]


def test_what_passed_between_two_looks_is_told_and_what_was_before_the_first_is_not(tmp_path: Path) -> None:
    looks = watch(host(tmp_path), tmp_path)
    put(tmp_path, THROTTLED, "40000")
    assert looks.poll() == []
    put(tmp_path, THROTTLED, "50000")
    assert looks.poll() == [LOW]


def test_the_temperature_is_said_with_its_number_and_not_again_for_every_degree(tmp_path: Path) -> None:
    looks = watch(host(tmp_path), tmp_path)
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "82400")
    assert looks.poll() == [
        "processor (the Pi): it is at 82 degrees Celsius, where every Pi slows down. "
        "Give it air or a heat sink; a slow Pi reads its dials less often."
    ]
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "83400")
    assert looks.poll() == []


def test_a_date_that_is_set_during_the_game(tmp_path: Path) -> None:
    now_s = [IN_1970]
    looks = watch(host(tmp_path, now_s=lambda: now_s[0], kernel_is_set=lambda: True), tmp_path)
    assert looks.poll() == [
        "clock (the date): it is wrong: it says 1970. Connect the Pi to the network once, or set the date. The order "
        "of a journal is right without it."
    ]
    now_s[0] = IN_2027
    assert [list(looks.poll()) for _ in range(CALM_POLLS)][-1] == ["clock (the date): it is set now."]


def test_a_program_is_asked_seldom_and_a_file_every_time(tmp_path: Path) -> None:
    asked: list[Sequence[str]] = []

    def ask(words: Sequence[str]) -> str:
        asked.append(words)
        return "throttled=0x1"

    facts = host(tmp_path)
    machine = Host(root=tmp_path, ask=ask, usage=facts.usage, read_only=facts.read_only, now_s=facts.now_s,
                   kernel_is_set=facts.kernel_is_set)  # fmt: skip
    looks = watch(machine, tmp_path)
    assert [list(looks.poll()) for _ in range(2 * ASK_EVERY)] == [[LOW], *[[]] * (2 * ASK_EVERY - 1)]
    assert asked == [("vcgencmd", "get_throttled")] * 2


# --------------------------------------------------------------------------------------------------- who hears it


def test_the_referee_hears_of_it_during_play_and_nobody_else_and_the_record_does_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with table(tmp_path, host=host(root)) as played:
        played.run(11)
        events = len(played.events())
        put(root, THROTTLED, "10001")
        played.run(11)
        put(root, THROTTLED, "10000")
        played.run(10.0 * CALM_POLLS + 1)
        assert [line for line in played.lines if line[1] in (LOW, RIGHT)] == [("referee", LOW), ("referee", RIGHT)]
        assert len(played.events()) == events


def test_a_simulated_table_says_nothing_of_the_machine_it_is_simulated_on(tmp_path: Path) -> None:
    def looked(folder: Path) -> tuple[int, int, int]:
        raise AssertionError("the disk was looked at")

    with table(tmp_path) as played, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.disk_usage", looked)
        played.run(11)
        assert [line for line in played.heard("referee") if "(the Pi" in line or "(where" in line] == []


def test_in_virtual_time_a_look_is_due_every_ten_seconds() -> None:
    now_ns = [0]
    news = InlineNotices(lambda: [f"at {now_ns[0] // 10**9}"], lambda: now_ns[0])
    said: list[str] = []
    for second in range(31):
        now_ns[0] = second * 10**9
        said += news.take()
    assert said == ["at 0", "at 10", "at 20", "at 30"]


def test_a_look_that_hangs_holds_up_nobody_and_its_news_come_when_they_come() -> None:
    may_go_on, looked = threading.Event(), threading.Event()

    def look() -> Sequence[str]:
        may_go_on.wait()
        looked.set()
        return ["at last"]

    news = ThreadNotices(look, every_s=0)
    assert news.take() == []
    may_go_on.set()
    looked.wait()
    news.close()
    assert "at last" in news.take()
    assert "machine" not in [thread.name for thread in threading.enumerate()]
