"""The doctor's checks of the kernel and config.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.host import LONGEST_BYTES, Host
from pi_app.plans import config_txt
from tests.pi_app.hosts import host, put
from tests.pi_app.workshop.doctor.looking import PI_4


def test_an_address_owned_by_a_kernel_driver(tmp_path: Path) -> None:
    device = tmp_path / "sys/bus/i2c/devices/1-0070"
    device.mkdir(parents=True)
    (device / "driver").symlink_to("../../../drivers/pca954x")
    told = list(config_txt.kernel_owns(host(tmp_path), "/dev/i2c-1", {0x70: "mux 0x70", 0x71: "mux 0x71"}))
    assert [str(check) for check in told] == [
        "!!  mux 0x70 (/dev/i2c-1 0x70): belongs to the kernel's driver pca954x. "
        "Remove its dtoverlay from config.txt and reboot the Pi."
    ]


def test_the_speed_that_the_device_tree_asks_for(tmp_path: Path) -> None:
    assert config_txt.asked_speed_hz(host(tmp_path), "/dev/i2c-1") is None
    put(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", b"\x00\x06\x1a\x80")
    assert config_txt.asked_speed_hz(host(tmp_path), "/dev/i2c-1") == 400_000


@pytest.mark.parametrize(
    ("config", "device", "speed_hz"),
    [
        ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", "/dev/i2c-1", 400_000),
        ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", "/dev/i2c-6", None),
        ("dtoverlay=i2c6,baudrate=400000  # screens\n", "/dev/i2c-6", 400_000),
        ("dtoverlay=i2c3-pi5,pins_22_23,baudrate=50000\n", "/dev/i2c-3", 50_000),
        ("#dtparam=i2c_arm_baudrate=400000\n", "/dev/i2c-1", None),
        ("[pi5]\ndtparam=i2c_arm_baudrate=1000000\n[all]\ndtparam=audio=on\n", "/dev/i2c-1", None),
        ("[pi4]\ndtparam=i2c_arm_baudrate=1000000\n", "/dev/i2c-1", 1_000_000),
        ("[pi4]\n[gpio4=1]\ndtparam=i2c_arm_baudrate=1000000\n", "/dev/i2c-1", None),
        ("dtparam=i2c_vc_baudrate=10000\ndtparam=i2c_baudrate=20000\n", "/dev/i2c-0", 10_000),
        ("dtparam=i2c_baudrate=20000\ndtparam=i2c1_baudrate=30000\n", "/dev/i2c-1", 30_000),
        ("", "/dev/i2c-1", None),
    ],
)
def test_the_speed_that_config_txt_sets(tmp_path: Path, config: str, device: str, speed_hz: int | None) -> None:
    put(tmp_path, "proc/device-tree/model", PI_4)
    put(tmp_path, "boot/firmware/config.txt", config)
    assert config_txt.configured_speed_hz(host(tmp_path), device) == speed_hz


def test_settings_config_txt_and_the_running_kernel_disagree_about_a_speed(tmp_path: Path) -> None:
    def said(speed_hz: int) -> list[str]:
        return [str(check) for check in config_txt.bus_speed(host(tmp_path), "dials", "/dev/i2c-1", speed_hz)]

    differ = (
        "??  speed of bus dials (/dev/i2c-1): config.txt asks for 400000 Hz, the settings for 100000 Hz. "
        "Set the same speed in both."
    )
    assert said(100_000) == []
    put(tmp_path, "boot/config.txt", "dtparam=i2c_arm_baudrate=400000\n")
    assert said(100_000) == [differ]
    assert said(400_000) == []
    put(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", (100_000).to_bytes(4, "big"))
    assert said(100_000) == [
        "??  speed of bus dials (/dev/i2c-1): config.txt says 400000 Hz, but the Pi still runs at 100000 Hz. "
        "Reboot the Pi."
    ]


def test_pins_that_spi_occupies(tmp_path: Path) -> None:
    assert list(config_txt.spi_pins(host(tmp_path), [8, 20])) == []
    put(tmp_path, "boot/firmware/config.txt", "dtparam=i2c_arm=on,spi=on\n")
    assert [str(check) for check in config_txt.spi_pins(host(tmp_path), [20, 9, 8])] == [
        "!!  pins (GPIO8, GPIO9): used in the settings, but config.txt gives them to SPI. "
        "Remove dtparam=spi=on from config.txt, or use other pins."
    ]
    assert list(config_txt.spi_pins(host(tmp_path), [20])) == []
    put(tmp_path, "boot/firmware/config.txt", "dtparam=spi=off\n")
    assert list(config_txt.spi_pins(host(tmp_path), [8])) == []


def test_a_file_of_ten_times_the_limit_is_read_up_to_it(tmp_path: Path) -> None:
    (tmp_path / "boot").mkdir()
    with (tmp_path / "boot/config.txt").open("wb") as file:
        file.write(b"dtparam=spi=on\n" + b"#" * LONGEST_BYTES + b"\ndtparam=i2c_arm_baudrate=400000\n")
        file.truncate(10 * LONGEST_BYTES)
    machine = Host(tmp_path)
    assert len(machine.text("boot/config.txt")) == LONGEST_BYTES
    assert config_txt.configured_speed_hz(machine, "/dev/i2c-1") is None
    assert config_txt.spi_is_on(machine)
