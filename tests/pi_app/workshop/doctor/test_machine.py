"""The doctor's checks of the machine itself."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware.host import Host
from hardware.real_time import RealTime
from pi_app.cli.ends import ENDS
from pi_app.cli.play import play
from pi_app.play import power
from pi_app.workshop.doctor import Sign, machine
from tests.docs.pages import blocks
from tests.pi_app.hosts import host, put
from tests.pi_app.workshop.doctor.looking import PI_4, PI_5


def test_the_model_of_a_pi_and_of_something_else(tmp_path: Path) -> None:
    assert str(machine.board(host(tmp_path))) == (
        "??  machine (this one): is not a Raspberry Pi (unknown). "
        "Run this on the Pi with the wires, or use --simulated."
    )
    put(tmp_path, "proc/cpuinfo", "model name\t: A big one\nModel\t\t: Raspberry Pi 3 Model B Rev 1.2\n")
    assert str(machine.board(host(tmp_path))) == "ok  machine (this one): Raspberry Pi 3 Model B Rev 1.2"
    put(tmp_path, "proc/device-tree/model", b"Raspberry Pi 5 Model B Rev 1.0\0")
    assert str(machine.board(host(tmp_path))) == "ok  machine (this one): Raspberry Pi 5 Model B Rev 1.0"


@pytest.mark.parametrize(
    ("reported", "signs", "seen_words"),
    [
        ("throttled=0x0\n", ["ok"], "never too low since the Pi was started"),
        ("throttled=0x50000\n", ["??", "??"], "the voltage was too low since the Pi was started"),
        ("throttled=0x50005\n", ["!!", "??"], "the voltage is too low now"),
        ("throttled=0x8\n", ["??", "ok"], "it is so warm that it runs slower now"),
        ("", [], ""),
        ("no such command", [], ""),
    ],
)
def test_power_as_vcgencmd_reports_it(tmp_path: Path, reported: str, signs: list[str], seen_words: str) -> None:
    checks = list(machine.power(host(tmp_path, reported)))
    assert [check.sign.value for check in checks] == signs
    assert not checks or checks[0].seen == seen_words


def test_power_as_the_kernel_reports_it_needs_no_other_program(tmp_path: Path) -> None:
    put(tmp_path, power.THROTTLED, "e0002\n")
    assert [str(check) for check in machine.power(host(tmp_path, "throttled=0x0"))] == [
        "??  processor (the Pi): its clock is held down now. Use the Pi's own power supply and a short, thick cable, "
        "and give the tiles a supply of their own.",
        "??  processor (the Pi): it was slowed down since the Pi was started, because of low voltage or heat. "
        "Give it air or a heat sink; a slow Pi reads its dials less often.",
        "??  processor (the Pi): it was so warm since the Pi was started that it ran slower. "
        "Give it air or a heat sink; a slow Pi reads its dials less often.",
        "ok  power (the Pi's supply): never too low since the Pi was started",
    ]


def test_power_with_only_the_kernels_monitor_of_the_supply(tmp_path: Path) -> None:
    put(tmp_path, "sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    put(tmp_path, "sys/class/hwmon/hwmon2/name", "rpi_volt\n")
    put(tmp_path, "sys/class/hwmon/hwmon2/in0_lcrit_alarm", "0\n")
    assert [str(check) for check in machine.power(host(tmp_path))] == ["ok  power (the Pi's supply): not too low now"]
    put(tmp_path, "sys/class/hwmon/hwmon2/in0_lcrit_alarm", "1\n")
    assert [check.seen for check in machine.power(host(tmp_path))] == ["the voltage is too low now"]


@pytest.mark.parametrize(
    ("milli", "said"),
    [
        ("47236", "ok  temperature (the Pi's processor): 47 degrees Celsius"),
        (
            "80100",
            "??  temperature (the Pi's processor): 80 degrees Celsius: every Pi throttles itself there. "
            "Give it air or a heat sink; a slow Pi reads its dials less often.",
        ),
    ],
)
def test_how_warm_it_is(tmp_path: Path, milli: str, said: str) -> None:
    assert list(machine.heat(host(tmp_path))) == []
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", milli)
    assert [str(check) for check in machine.heat(host(tmp_path))] == [said]


def test_groups_and_a_login_that_does_not_know_them_yet(tmp_path: Path) -> None:
    put(tmp_path, "etc/group", "root:x:0:\ni2c:x:998:ann,pi\ngpio:x:997:\nbroken\n")
    assert [str(check) for check in machine.groups(host(tmp_path))] == [
        "!!  group i2c (the I2C buses): user pi was added to it after this login. Log out and in again, or reboot.",
        "!!  group gpio (the pins): user pi is not in it. sudo usermod -aG gpio pi, then log in again.",
    ]
    member = host(tmp_path, group_ids=frozenset({997, 998}))
    assert [str(check) for check in machine.groups(member)] == [
        "ok  group i2c (the I2C buses): user pi is in it",
        "ok  group gpio (the pins): user pi is in it",
    ]
    assert list(machine.groups(host(tmp_path, user_id=0))) == []


def test_a_group_that_only_some_tables_need_is_no_failure(tmp_path: Path) -> None:
    put(tmp_path, "etc/group", "dialout:x:20:\nspi:x:989:\n")
    assert [str(check) for check in machine.groups(host(tmp_path, group_ids=frozenset({989})))] == [
        "??  group dialout (a hub's USB cable): user pi is not in it. "
        "Only if this table has a hub's USB cable: sudo usermod -aG dialout pi, then log in again.",
        "ok  group spi (parts on SPI): user pi is in it",
    ]


@pytest.mark.parametrize(
    ("model", "release", "old"),
    [
        (PI_5, "6.6.20+rpt-rpi-2712", True),
        (PI_5, "6.1.0-rpi8-rpi-2712", True),
        (PI_5, "6.6.28+rpt-rpi-2712", False),
        (PI_5, "6.12.25+rpt-rpi-2712", False),
        (PI_5, "", False),
        (PI_4, "6.6.20+rpt-rpi-v8", False),
        (b"Raspberry Pi Compute Module 5 Rev 1.0", "6.6.20", True),
        (b"Raspberry Pi 500 Rev 1.0", "6.6.20", True),
    ],
)
def test_a_pi_5_whose_kernel_could_hang_its_buses(tmp_path: Path, model: bytes, release: str, old: bool) -> None:
    put(tmp_path, "proc/device-tree/model", model)
    put(tmp_path, "proc/sys/kernel/osrelease", f"{release}\n")
    assert [str(check) for check in machine.kernel(host(tmp_path))] == (
        [
            f"??  kernel (this Pi 5): is {release}, from before April 2024: its I2C can hang until the power is cut. "
            "sudo apt full-upgrade, then reboot."
        ]
        if old
        else []
    )


PIP = "/opt/trapdial/.venv/bin/python -m pip"
TAKE_LGPIO = (
    "sudo apt install python3-lgpio && python3 -m venv --system-site-packages /opt/trapdial/.venv`. "
    "Raspberry Pi OS has this package; Debian does not."
)


def versions(**known: str) -> Callable[[str], str]:
    return lambda package: known.get(package, "9.9")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, []),
        (
            {"module_bytes": lambda name: None, "environment": ""},
            [
                "!!  library lgpio (Python 3.13): is not installed. Type `sudo apt install python3-lgpio`. "
                "Raspberry Pi OS has this package; Debian does not."
            ],
        ),
        (
            {"module_bytes": lambda name: None},
            [f"!!  library lgpio (Python 3.13): is not installed. Type `{TAKE_LGPIO}"],
        ),
        (
            {"module_bytes": lambda name: 0},
            [
                "!!  library lgpio (Python 3.13): is an empty file (a wheel of version 0.0.0.2). "
                f"Type `/opt/trapdial/.venv/bin/python -m pip uninstall -y lgpio && {TAKE_LGPIO}"
            ],
        ),
        (
            {"version": versions(gpiozero="2.0.1.post2")},
            [
                "!!  library gpiozero (version 2.0.1.post2): does not recognise a Pi 5. "
                f"Type `{PIP} install --upgrade gpiozero`: 2.0.1.post3 is the first with the fix."
            ],
        ),
        (
            {"version": versions(gpiozero="2.0.1")},
            [
                "!!  library gpiozero (version 2.0.1): searches for a Pi 5's pins in the wrong place. "
                f"Type `{PIP} install --upgrade gpiozero`: 2.0.1.post3 is the first with the fix."
            ],
        ),
        ({"version": versions(gpiozero="2.0.1.post3")}, []),
        ({"version": versions(gpiozero="2.1")}, []),
        ({"version": versions(gpiozero="")}, []),
        ({"version": versions(smbus2="0.5.0")}, []),
        (
            {"version": versions(smbus2="0.5.0"), "python": (3, 14)},
            [
                "!!  library smbus2 (version 0.5.0): crashes with a buffer overflow on Python 3.14. "
                "Type `/opt/trapdial/.venv/bin/python -m pip install --upgrade smbus2`: 0.6 is the first that works."
            ],
        ),
        ({"version": versions(smbus2="0.6.0"), "python": (3, 14)}, []),
    ],
)
def test_libraries_that_are_known_to_fail(tmp_path: Path, facts: dict[str, Any], said: list[str]) -> None:
    assert [str(check) for check in machine.libraries(host(tmp_path, **facts))] == said


def test_a_clock_that_the_network_has_not_set(tmp_path: Path) -> None:
    assert list(machine.date(host(tmp_path))) == []
    (tmp_path / "run/systemd/timesync").mkdir(parents=True)
    assert [str(check) for check in machine.date(host(tmp_path))] == [
        "??  clock (the date): was not set by the network since the Pi was started. Connect it to a network "
        "once, or set the date: a journal keeps its order, but not its dates."
    ]
    (tmp_path / "run/systemd/timesync/synchronized").touch()
    assert [str(check) for check in machine.date(host(tmp_path))] == ["ok  clock (the date): was set by the network"]
    assert [check.sign for check in machine.date(host(tmp_path, now_s=lambda: 1_700_000_000.0))] == [Sign.FAILS]


@pytest.mark.parametrize(
    ("free", "sign", "words"),
    [
        (24_000_000_000, Sign.GOOD, "24.0 GB free of 32.0 GB"),
        (117_000_000, Sign.GOOD, "0.1 GB free of 32.0 GB"),
        (116_000_000, Sign.UNSURE, "is nearly full: 0.1 GB free of 32.0 GB, room for some 49500 events"),
        (18_000_000, Sign.FAILS, "is full: 0.0 GB free of 32.0 GB, room for some 500 events"),
        (5_000_000, Sign.FAILS, "is full: 0.0 GB free of 32.0 GB, room for some 0 events"),
    ],
)
def test_room_on_the_disk(tmp_path: Path, free: int, sign: Sign, words: str) -> None:
    check = machine.disk(host(tmp_path, usage=lambda folder: (32_000_000_000, 0, free)), tmp_path)
    assert (check.sign, check.seen) == (sign, words)


def test_a_disk_that_can_only_be_read_or_not_at_all(tmp_path: Path) -> None:
    assert str(machine.disk(host(tmp_path, read_only=lambda folder: True), tmp_path)) == (
        f"!!  disk (folder of the journal, {tmp_path}): it is read-only. "
        "Linux does that when a card wears out: copy the journal, then use a new card."
    )

    def gone(folder: Path) -> tuple[int, int, int]:
        raise OSError(errno.EIO, "Input/output error")

    assert str(machine.disk(host(tmp_path, usage=gone), tmp_path)) == (
        f"!!  disk (folder of the journal, {tmp_path}): it cannot be read. Check that its card or stick is still in."
    )


def test_a_missing_folder(tmp_path: Path) -> None:
    assert str(machine.disk(host(tmp_path), tmp_path / "gone")) == (
        f"!!  disk (folder of the journal, {tmp_path}/gone): does not exist. "
        "Create it, or name another journal in the settings."
    )


def test_a_missing_program_reports_nothing() -> None:
    assert Host().ask(("trapdial-has-no-such-program",)) == ""
    assert Host().ask(("false",)) == ""
    assert Host().ask(("echo", "yes")) == "yes\n"


# ----------------------------------------------------------------------------------------------------- priority


@pytest.mark.parametrize(
    ("granted", "line"),
    [
        (
            RealTime(0, 0, locks=False),
            "ok  priority (play, started from here): ordinary, no higher one is allowed; its memory cannot be locked. "
            "If the referee is told that dials are read late, run play as a service: `trapdial docs service` has its "
            "unit, with CPUSchedulingPolicy=fifo and LimitMEMLOCK=infinity.",
        ),
        (
            RealTime(0, 20, locks=True),
            "ok  priority (play, started from here): ordinary, up to 20 is allowed; its memory can be "
            "locked. If the referee is told that dials are read late, run play as a service: "
            "`trapdial docs service` has its unit, "
            "with CPUSchedulingPolicy=fifo and LimitMEMLOCK=infinity.",
        ),
        (
            RealTime(10, 10, locks=True),
            "ok  priority (play, started from here): real-time 10; its memory can be locked",
        ),
        (
            RealTime(50, 99, locks=True),
            "??  priority (play, started from here): real-time 50: before the kernel's own I2C and pins; its "
            "memory can be locked. Use CPUSchedulingPriority=10.",
        ),
    ],
)
def test_the_priority_that_play_would_get(granted: RealTime, line: str, tmp_path: Path) -> None:
    there = host(tmp_path, real_time=lambda: granted)
    assert [str(check) for check in machine.priority(there)] == [line]
    assert line in [str(check) for check in machine.examine_machine(there)]


def test_the_unit_on_the_page_grants_what_the_doctor_asks_for() -> None:
    (unit,) = [block for block in blocks("wiring_docs/service.md", "ini") if "[Service]" in block]
    lines = unit.splitlines()
    for wanted in re.findall(r"[A-Z]\w+=\w+", machine.HOW_TO_BE_FIRST):
        assert wanted in lines
    (priority,) = [int(line.partition("=")[2]) for line in lines if line.startswith("CPUSchedulingPriority=")]
    assert 0 < priority < machine.TOO_HIGH
    assert f"LimitRTPRIO={priority}" in lines
    (command,) = [line for line in lines if line.startswith("ExecStart=")]
    known = {option for each in play.params for option in each.opts}
    assert set(re.findall(r"--[a-z-]+", command)) <= known
    codes = next(line for line in lines if line.startswith("SuccessExitStatus=")).partition("=")[2].split()
    assert sorted(map(int, codes)) == sorted(128 + number for number in ENDS)


def test_the_page_quotes_the_doctor() -> None:
    quoted = [block for block in blocks("wiring_docs/service.md", "text") if "priority" in block]
    served, bare = (RealTime(10, 10, locks=True), RealTime(0, 0, locks=False))
    said = [*machine.priority(Host(real_time=lambda: bare)), *machine.priority(Host(real_time=lambda: served))]
    assert quoted[0].splitlines() == [str(check) for check in said]
