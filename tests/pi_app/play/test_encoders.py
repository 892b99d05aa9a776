"""Every kind of encoder in settings, doctor, calibration and a game; and the refusals of the settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware.host import Host
from hardware.readings import Reading
from pi_app.play.build import TableBuilder
from pi_app.settings.load import check, load
from pi_app.settings.model import Settings
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import script
from pi_app.simulated.table import SimulatedTable
from pi_app.text.user_file import Severity
from pi_app.workshop.doctor import Sign, examine
from tests.pi_app.hosts import host

ROOT = Path(__file__).resolve().parents[3]
TOP = """
[table]
name = "Encoders"
[bus.dials]
device = "/dev/i2c-1"
[[bus.dials.mux]]
address = 0x70
reset_gpio = 17
[seat.ANN]
name = "Ann"
button_gpio = 16
lamp_gpio = 20
"""


def square(label: str, chip: str, more: str = "", channel: int = 0) -> str:
    return (
        f'[square.{label}]\nbus = "dials"\nmux = 0x70\nchannel = {channel}\nchip = "{chip}"\n'
        f'table = "sample:SAMPLE-A"\n{more}\n'
    )


def read(folder: Path, squares: str) -> Settings:
    file = folder / "trapdial.toml"
    file.write_text(TOP + squares)
    return load(file)


def said(folder: Path, squares: str, severity: Severity = Severity.ERROR) -> list[str]:
    file = folder / "trapdial.toml"
    file.write_text(TOP + squares)
    found = check(file)
    problems = found.warnings if isinstance(found, Settings) else found
    return [str(problem).removeprefix(f"{file} ") for problem in problems if problem.severity is severity]


def snippet() -> str:
    """Return the three squares of the builder's page."""
    (block,) = re.findall(r"```toml\n(.*?)```", (ROOT / "wiring_docs/encoders.md").read_text(), re.DOTALL)
    assert isinstance(block, str)
    return block


MIXED = square("T01", "as5600") + square("T02", "as5600l", "address = 0x41") + square("T03", "mt6701")
ALL = MIXED + square("T04", "as5048b", "address = 0x43", channel=1)
WITH_STEPS = ALL + square("T05", "seesaw", "address = 0x3A", channel=2)


def test_the_pages_three_squares_are_good_settings_and_play(tmp_path: Path) -> None:
    settings = read(tmp_path, snippet())
    assert [each.chip for each in settings.squares.values()] == ["as5600", "as5600l", "mt6701"]
    assert {each.channel for each in settings.squares.values()} == {0}


@pytest.mark.parametrize(
    ("squares", "told"),
    [
        (
            square("T01", "mt6701", "address = 0x07"),
            "[square.T01] address = 0x07: the address of an MT6701 is 0x06",
        ),
        (
            square("T01", "as5048b", "address = 0x44"),
            "[square.T01] address = 0x44: the address of an AS5048B is from 0x40 to 0x43",
        ),
        (
            square("T01", "seesaw", "address = 0x40"),
            "[square.T01] address = 0x40: the address of a seesaw encoder is from 0x36 to 0x3D",
        ),
        (
            square("T01", "mt6701", "address = 0x80"),
            "[square.T01] address = 0x80: must be an address that its chip can have",
        ),
        (
            square("T01", "as5600l", "address = 0x36") + square("T02", "as5600"),
            "[square.T02]: 0x36 at bus dials mux 0x70 channel 0 is already used by [square.T01]; move one",
        ),
        (
            square("T01", "as5600l", "address = 0x41") + square("T02", "as5048b"),
            "[square.T01] address = 0x41: every AS5600L wakes up at 0x40, which is the address of [square.T02]; both "
            "would answer "
            "until it is moved",
        ),
        (
            square("T01", "as5600l", "address = 0x41") + square("T02", "as5600l"),
            "[square.T01] address = 0x41: every AS5600L wakes up at 0x40, which is the address of [square.T02]; both "
            "would answer "
            "until it is moved",
        ),
    ],
)
def test_what_settings_refuse(tmp_path: Path, squares: str, told: str) -> None:
    assert said(tmp_path, squares) == [told]


def test_steps_that_do_not_fit_the_shaft_are_warned_of(tmp_path: Path) -> None:
    warnings = said(tmp_path, square("T01", "seesaw", "steps_per_click = 3"), Severity.WARNING)
    assert "[square.T01] steps_per_click = 3: 12 clicks make 36 steps in a turn; the seesaw encoder has 24" in warnings
    assert said(tmp_path, square("T01", "as5600", "steps_per_click = 2")) == [
        "[square.T01] steps_per_click = 2: only an encoder that counts steps has it; leave it out"
    ]


def test_two_that_would_wake_up_together_are_warned_of(tmp_path: Path) -> None:
    two = square("T01", "as5600l", "address = 0x41") + square("T02", "as5600l", "address = 0x42")
    assert said(tmp_path, two, Severity.WARNING)[:1] == [
        "[square.T02] address = 0x42: two AS5600L on one line wake up at 0x40 together and cannot be told apart; "
        "after a power cut, plug them in one after the other, or give each its own mux channel"
    ]


def test_the_doctor_finds_every_kind(tmp_path: Path) -> None:
    settings = read(tmp_path, WITH_STEPS)
    checks = list(examine(settings, SimulatedTable(settings), host(tmp_path)))
    assert isinstance(host(tmp_path), Host)
    encoders = [str(check) for check in checks if check.part.startswith("encoder ")]
    assert encoders[0].startswith("ok  encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): magnet good (gain")
    assert encoders[1].startswith("ok  encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 0): magnet good (gain")
    assert encoders[2] == (
        "??  encoder of T03 (simulated /dev/i2c-1 mux 0x70 channel 0): answers, but an MT6701 cannot report over I2C "
        "whether it sees its magnet. Check that its magnet sits 0.5 to 3 mm above the chip; i2cdetect shows it with -a "
        "only."
    )
    assert encoders[3].startswith("ok  encoder of T04 (simulated /dev/i2c-1 mux 0x70 channel 1): magnet good (gain")
    assert encoders[4] == (
        "??  encoder of T05 (simulated /dev/i2c-1 mux 0x70 channel 2): counts steps (incremental, product 5880); after "
        "a power cut its position is unknown. Before a game turn its dial to the start mark and type `home` "
        "with its square."
    )
    assert not [check for check in checks if check.sign is Sign.FAILS]


@pytest.mark.parametrize("invert", [False, True])
def test_every_dial_is_seen_in_the_detent_where_it_stands(tmp_path: Path, invert: bool) -> None:
    turned = ALL.replace("channel =", f"invert = {str(invert).lower()}\nchannel =")
    settings = read(tmp_path, turned)
    stands = {"T01": 1, "T02": 4, "T03": 7, "T04": 11}
    table = SimulatedTable(settings, stands=stands)
    with TableBuilder(settings, table) as builder:
        (scan,) = builder.wires().scans
        trackers = builder.trackers()
        for _ in range(400):
            for label, sample in zip(scan.dials, scan.scan(), strict=True):
                trackers[label].feed(sample.at_ns, sample.raw if isinstance(sample, Reading) else None)
    assert {label: getattr(tracker.stand, "position", None) for label, tracker in trackers.items()} == stands


@pytest.mark.slow
def test_a_game_is_played_on_every_kind(tmp_path: Path) -> None:
    settings = read(tmp_path, WITH_STEPS)
    with Demo(settings, tmp_path / "journal.db", seed=5) as demo:
        while not demo.loop.ready:
            demo.step()
        demo.play(script(5, demo.public_state(), 4))
        game = demo.loop.moment.game
    assert game.squares["T05"].homed
    assert [finding for finding in game.findings if finding.rule == "T-AUD-5"] == []
    assert sum(bool(each.readers) for each in game.squares.values()) >= 2
