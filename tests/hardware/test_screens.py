"""Screens above their twins: the slices on the wire, and the visible picture."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import luma.oled.device
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from hardware.bus import Prepared, Transaction, Write
from hardware.errors import BusGlitch, HardwareError, NoAnswer
from hardware.screen_kinds import SCREENS
from hardware.screens import BLANK, DIM, FRAME_BYTES, Screen
from hardware.sims.clock import VirtualClock
from hardware.sims.oled import OledTwin
from hardware.sims.screens import TWINS, screen_twin
from tests.hardware.luma_pixels import luma_pixels as luma_pixels

CHIPS = tuple(SCREENS)
MS = 1_000_000


@dataclass
class TwinBus:
    """One twin and nothing else; keeps the payloads that were acknowledged."""

    twin: OledTwin
    name: str = "/dev/i2c-3"
    sent: list[bytes] = field(default_factory=list)
    fail_next: HardwareError | None = None

    def transfer(self, transaction: Transaction) -> bytes:
        (message,) = transaction
        assert isinstance(message, Write)
        if self.fail_next is not None:
            error, self.fail_next = self.fail_next, None
            raise error
        if message.address != self.twin.address or not self.twin.start(reading=False):
            raise NoAnswer("chip", f"{self.name} 0x{message.address:02X}", "is silent", "Check it.")
        for byte in message.data:
            assert self.twin.write(byte)
        self.twin.stop()
        self.sent.append(message.data)
        return b""

    def prepare(self, transactions: object) -> Prepared:
        raise AssertionError("a screen prepares nothing")


@dataclass
class Table:
    """A screen, its twin and the clock."""

    screen: Screen
    bus: TwinBus
    twin: OledTwin
    clock: VirtualClock

    def send_all(self) -> list[bytes]:
        """Send until nothing waits; return the payloads."""
        before = len(self.bus.sent)
        while self.screen.waiting():
            assert self.screen.slice_cost_ns() > 0
            self.screen.send_slice()
        assert self.screen.slice_cost_ns() == 0
        return self.bus.sent[before:]


def table(chip: str, **options: Any) -> Table:
    twin = screen_twin(chip, 0x3C)
    bus, clock = TwinBus(twin), VirtualClock()
    return Table(Screen(bus, chip, 0x3C, clock=clock, **options), bus, twin, clock)


def awake(chip: str) -> Table:
    made = table(chip)
    made.send_all()
    made.screen.show(BLANK, whole=True)
    made.send_all()
    return made


def noise(seed: int) -> bytes:
    return random.Random(seed).randbytes(FRAME_BYTES)


frames = st.builds(noise, st.integers(0, 999)) | st.builds(
    lambda spots: bytes(spots.get(at, 0) for at in range(FRAME_BYTES)),
    st.dictionaries(st.integers(0, FRAME_BYTES - 1), st.integers(1, 255), max_size=40),
)


# -------------------------------------------------------------------------------------------- golden bytes

SSD1306_WAKE = [
    # SSD1306 rev 1.1 figure 2 (software initialisation) and the application note's order for 128x64
    bytes.fromhex("00 AE D580 A83F D300 40 8D14 2000 A1 C8 DA12 D9F1 DB40 A4 A6"),
    bytes.fromhex("00 81CF"),
]
SH1106_WAKE = [
    bytes.fromhex("00 AE 20 10 B0C8 00 10 40 A1 A6 A83F A4 D300 D5F0 D922 DA12 DB20 8D14"),
    bytes.fromhex("00 817F"),
]


def test_every_kind_has_a_file_of_its_name_and_a_twin() -> None:
    assert TWINS == CHIPS
    assert [SCREENS[chip].part for chip in CHIPS[:2]] == ["SSD1306", "SH1106"]
    with pytest.raises(ValueError, match="no simulated screen is called 'as5600'"):
        screen_twin("as5600", 0x3C)


def test_golden_wake_of_an_ssd1306() -> None:
    made = table("ssd1306")
    assert made.send_all() == [
        b"\x00\xae",  # whatever the last program showed goes off first
        *SSD1306_WAKE,
        bytes.fromhex("00 8128"),  # dim
        bytes.fromhex("00 21 00 7F 22 00 07"),  # columns 0 to 127, pages 0 to 7
        *[b"\x40" + bytes(32)] * 32,  # snow is wiped while the screen is off
    ]
    assert made.twin.ram == BLANK
    assert (made.twin.on, made.twin.contrast, made.twin.lit) == (False, DIM, False)


def test_golden_wake_of_an_sh1106() -> None:
    made = table("sh1106")
    expected = [b"\x00\xae", *SH1106_WAKE, bytes.fromhex("00 8128")]
    for page in range(8):
        expected += [bytes((0x00, 0xB0 + page, 0x02, 0x10)), *[b"\x40" + bytes(32)] * 4]
    assert made.send_all() == expected
    assert made.twin.pixels() == BLANK
    assert made.twin.on is False


@pytest.mark.parametrize(
    ("chip", "window"),
    [("ssd1306", bytes.fromhex("00 21 05 07 22 02 02")), ("sh1106", bytes.fromhex("00 B2 07 10"))],
)
def test_golden_window(chip: str, window: bytes) -> None:
    made = awake(chip)
    frame = bytearray(BLANK)
    frame[2 * 128 + 5], frame[2 * 128 + 7] = 0x11, 0x33
    made.screen.show(bytes(frame), whole=False)
    assert made.send_all() == [window, b"\x40\x11\x00\x33"]
    assert made.twin.pixels() == frame


def test_a_column_beyond_13_carries_into_the_high_half_of_the_sh1106_column() -> None:
    made = awake("sh1106")
    made.screen.show(bytes(127) + b"\x80" + bytes(896), whole=False)
    assert made.send_all() == [bytes.fromhex("00 B0 01 18"), b"\x40\x80"]  # 127 + 2 = 0x81


@pytest.mark.parametrize(("speed_hz", "cost_ns"), [(100_000, 3_080_000), (400_000, 770_000)])
def test_a_full_slice_costs_308_bits(speed_hz: int, cost_ns: int) -> None:
    """34 bytes of 9 bits (address, control byte, 32 of data), START and STOP: 308 bits."""
    made = table("ssd1306", speed_hz=speed_hz)
    costs = []
    while made.screen.waiting():
        costs.append(made.screen.slice_cost_ns())
        made.screen.send_slice()
    assert costs[-32:] == [cost_ns] * 32
    assert max(costs) == cost_ns


# --------------------------------------------------------------------------------------------- what is seen


@pytest.mark.usefixtures("luma_pixels")
@pytest.mark.parametrize("chip", ["ssd1306", "sh1106"])
def test_luma_itself_would_put_the_same_pixels_into_the_chip(chip: str) -> None:
    frame = noise(5)
    made = awake(chip)
    made.screen.show(frame, whole=True)
    made.send_all()

    twin = screen_twin(chip, 0x3C)
    image = Image.new("1", (128, 64))
    for at, byte in enumerate(frame):
        for bit in range(8):
            image.putpixel((at % 128, at // 128 * 8 + bit), byte >> bit & 1)
    device = getattr(luma.oled.device, chip)(LumaWire(twin))
    device.persist = True
    device.display(image)
    assert twin.pixels() == made.twin.pixels() == frame


@dataclass
class LumaWire:
    """All of luma's traffic, directly into a twin."""

    twin: OledTwin

    def command(self, *commands: int) -> None:
        self.feed(b"\x00" + bytes(commands))

    def data(self, values: list[int]) -> None:
        self.feed(b"\x40" + bytes(values))

    def feed(self, payload: bytes) -> None:
        assert self.twin.start(reading=False)
        for byte in payload:
            self.twin.write(byte)
        self.twin.stop()

    def cleanup(self) -> None:
        pass


@pytest.mark.parametrize("chip", CHIPS)
@settings(max_examples=20, deadline=None)
@given(shown=st.lists(st.tuples(frames, st.booleans(), st.integers(0, 60)), min_size=1, max_size=5))
def test_whatever_is_shown_and_cut_short_the_latest_frame_wins(chip: str, shown: list[tuple[bytes, bool, int]]) -> None:
    made = table(chip)
    for frame, whole, slices in shown:
        made.screen.show(frame, whole=whole)
        for _ in range(slices):
            made.screen.send_slice()
    made.send_all()
    assert made.twin.pixels() == shown[-1][0]
    assert all(len(payload) <= 33 for payload in made.bus.sent)


@pytest.mark.parametrize("chip", CHIPS)
@settings(max_examples=20, deadline=None)
@given(before=frames, after=frames)
def test_only_differences_are_sent_and_never_cost_more_than_all(chip: str, before: bytes, after: bytes) -> None:
    made = awake(chip)
    made.screen.show(before, whole=False)
    made.send_all()
    made.screen.show(after, whole=False)
    sent = made.send_all()
    assert made.twin.pixels() == after
    wire_bytes = sum(len(payload) + 1 for payload in sent)
    pages, addressed, one_more_run = FRAME_BYTES + 8 * 4 * 2, 8 * 8, 8 + 2
    assert wire_bytes <= pages + addressed + one_more_run
    if before == after:
        assert sent == []


@pytest.mark.parametrize(
    ("chip", "gap", "runs"), [("ssd1306", 10, 1), ("ssd1306", 11, 2), ("sh1106", 7, 1), ("sh1106", 8, 2)]
)
def test_a_gap_that_costs_less_than_an_address_is_included(chip: str, gap: int, runs: int) -> None:
    made = awake(chip)
    frame = bytearray(BLANK)
    frame[20] = frame[20 + gap + 1] = 0xFF
    made.screen.show(bytes(frame), whole=False)
    assert len(made.send_all()) == 2 * runs


@pytest.mark.parametrize("chip", CHIPS)
def test_a_changing_region_does_not_starve_the_rest(chip: str) -> None:
    made = awake(chip)
    frame = bytearray(BLANK)
    frame[900] = 0x55
    for step in range(1, 21):
        frame[3] = step
        made.screen.show(bytes(frame), whole=False)
        made.screen.send_slice()
    assert made.twin.pixels()[900] == 0x55


def test_a_changing_frame_does_not_start_a_repaint_again_and_again() -> None:
    made = table("ssd1306")
    made.send_all()
    for step in range(60):
        made.screen.show(bytes([step] * FRAME_BYTES), whole=False)
        made.screen.send_slice()
    assert made.twin.lit or made.twin.ram != BLANK
    made.send_all()
    assert made.twin.pixels() == bytes([59] * FRAME_BYTES)


def test_a_frame_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a frame has 1024 bytes, not 1023$"):
        table("ssd1306").screen.show(bytes(1023), whole=True)


# -------------------------------------------------------------------------------------------------- secrets


def shapes(sent: list[bytes]) -> list[tuple[int, bytes]]:
    """What an observer of the wire learns without the pixels: sizes, and every command byte."""
    return [(len(payload), b"" if payload[0] == 0x40 else payload) for payload in sent]


@pytest.mark.parametrize("chip", CHIPS)
@settings(max_examples=20, deadline=None)
@given(one=frames, other=frames, first=frames, second=frames, pause=st.integers(0, 50))
def test_s_6_a_whole_frame_leaves_in_the_same_slices_whatever_it_holds(
    chip: str, one: bytes, other: bytes, first: bytes, second: bytes, pause: int
) -> None:
    def traffic(before: bytes, secret: bytes) -> list[tuple[int, bytes]]:
        made = awake(chip)
        made.screen.show(before, whole=True)
        for _ in range(pause):
            made.screen.send_slice()
        made.bus.sent.clear()
        made.screen.show(secret, whole=True)
        made.send_all()
        made.screen.dark()
        made.send_all()
        return shapes(made.bus.sent)

    assert traffic(first, one) == traffic(second, other)


@pytest.mark.parametrize("chip", CHIPS)
def test_a_whole_frame_appears_all_at_once(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(1), whole=True)
    made.send_all()
    made.screen.show(noise(2), whole=True)
    seen: set[bytes] = set()
    while made.screen.waiting():
        made.screen.send_slice()
        seen.add(made.twin.pixels())
    assert seen == {BLANK, noise(2)}


@pytest.mark.parametrize("chip", CHIPS)
def test_dark_goes_first_and_drops_what_waits(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(1), whole=True)
    made.send_all()
    assert made.twin.lit
    made.screen.show(noise(2), whole=False)
    made.screen.send_slice()
    made.screen.light(0x99)
    made.screen.dark()
    made.screen.send_slice()
    assert made.bus.sent[-1] == b"\x00\xae"
    assert not made.twin.lit
    assert made.send_all() == [bytes.fromhex("00 8199")]


@pytest.mark.parametrize("chip", CHIPS)
def test_dark_is_one_short_slice_even_if_another_frame_is_asked_for_at_once(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(1), whole=True)
    made.send_all()
    made.screen.dark()
    made.screen.show(BLANK, whole=True)
    assert made.screen.slice_cost_ns() == 290_000  # address, control byte, 0xAE: 29 bits at 100 kHz
    assert made.send_all()[0] == b"\x00\xae"
    assert made.twin.pixels() == BLANK


@pytest.mark.parametrize("chip", CHIPS)
def test_dark_in_the_middle_of_a_secret_sends_no_more_of_it(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(1), whole=True)
    for _ in range(9):
        made.screen.send_slice()
    made.screen.dark()
    assert made.send_all() == []  # a whole frame is sent in the dark, so it is dark already
    assert not made.twin.lit
    made.screen.show(noise(2), whole=False)
    woken = SCREENS[chip].wake
    assert made.send_all()[: len(woken)] == [*woken]
    assert made.twin.pixels() == noise(2)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_last_picture_never_flashes_up_before_the_next(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(1), whole=True)
    made.send_all()
    made.screen.dark()
    made.send_all()
    made.screen.show(noise(2), whole=False)
    while made.screen.waiting():
        made.screen.send_slice()
        assert made.twin.pixels() in (BLANK, noise(2))


# -------------------------------------------------------------------------------------------------- trouble


@pytest.mark.parametrize("chip", CHIPS)
def test_a_replugged_screen_recovers(chip: str) -> None:
    made = awake(chip)
    made.screen.light(0x30)
    made.send_all()
    made.twin.unplug()
    made.screen.show(noise(3), whole=False)
    with pytest.raises(NoAnswer) as failed:
        made.screen.send_slice()
    assert made.screen.trouble is failed.value
    assert not made.screen.waiting()
    made.twin.plug_in()
    made.clock.advance(50 * MS)
    assert made.screen.waiting()
    made.send_all()
    assert made.twin.pixels() == noise(3)
    assert made.twin.contrast == 0x30
    assert made.screen.trouble is None


def test_the_message_about_a_silent_screen() -> None:
    made = table("ssd1306", name="screen of seat ANN")
    made.twin.unplug()
    with pytest.raises(NoAnswer) as failed:
        made.screen.send_slice()
    assert str(failed.value) == (
        "screen of seat ANN (/dev/i2c-3 0x3C) did not answer. "
        "Check its plug and its address (0x3C or 0x3D); it recovers automatically."
    )


def test_other_errors_keep_their_message() -> None:
    made = table("ssd1306")
    made.bus.fail_next = BusGlitch("bus", "/dev/i2c-3", "corrupted one transfer", "Shorten the cable.")
    with pytest.raises(BusGlitch, match=r"^bus \(/dev/i2c-3\) corrupted one transfer\. Shorten the cable\.$"):
        made.screen.send_slice()


def test_rests_grow_to_five_seconds_and_shrink_after_a_good_repaint() -> None:
    made = table("ssd1306")
    made.twin.unplug()

    def next_rest_ms() -> int:
        with pytest.raises(NoAnswer):
            made.screen.send_slice()
        started_ns = made.clock.now_ns()
        made.screen.send_slice()  # while it rests this does nothing
        while not made.screen.waiting():
            made.clock.advance(MS)
        return (made.clock.now_ns() - started_ns) // MS

    assert [next_rest_ms() for _ in range(9)] == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]
    made.twin.plug_in()
    made.send_all()
    made.twin.unplug()
    made.screen.show(BLANK, whole=True)
    assert next_rest_ms() == 50


def test_a_screen_that_fails_while_it_should_be_dark_is_made_dark_first_and_holds_nothing() -> None:
    made = awake("ssd1306")
    made.screen.show(noise(4), whole=True)
    made.send_all()
    made.screen.dark()
    made.bus.fail_next = BusGlitch("bus", "/dev/i2c-3", "corrupted one transfer", "Shorten the cable.")
    with pytest.raises(BusGlitch):
        made.screen.send_slice()
    made.clock.advance(50 * MS)
    sent = made.send_all()
    assert sent[:3] == [b"\x00\xae", *SSD1306_WAKE]
    assert made.twin.ram == BLANK


@pytest.mark.parametrize("chip", CHIPS)
def test_a_plug_pulled_unseen_in_the_dark_does_no_harm(chip: str) -> None:
    made = awake(chip)
    made.screen.dark()
    made.send_all()
    made.twin.unplug()
    made.twin.plug_in()
    made.screen.show(noise(6), whole=False)
    made.send_all()
    assert made.twin.pixels() == noise(6)


@pytest.mark.parametrize("level", [DIM, 0xCF, 0x7F, 0, 255])
@pytest.mark.parametrize("chip", CHIPS)
def test_light_is_one_slice_and_never_more(chip: str, level: int) -> None:
    made = awake(chip)
    made.screen.light(level)
    assert made.send_all() == ([] if level == DIM else [bytes((0x00, 0x81, level))])
    assert made.twin.contrast == level
    made.screen.show(noise(1), whole=True)
    made.send_all()
    assert made.twin.contrast == level


@pytest.mark.parametrize("level", [-1, 256])
def test_a_contrast_that_no_chip_has_is_refused(level: int) -> None:
    with pytest.raises(ValueError, match=rf"^contrast runs from 0 to 255, not to {level}$"):
        table("ssd1306").screen.light(level)


NOP = b"\x00\xe3"


@pytest.mark.parametrize("chip", CHIPS)
def test_an_idle_lit_screen_is_pinged_four_times_a_second(chip: str) -> None:
    made = awake(chip)
    pings = 0
    for _ in range(2000):
        made.clock.advance(MS)
        sent = made.send_all()
        assert set(sent) <= {NOP}
        pings += len(sent)
    assert pings == 8
    assert made.twin.lit
    made.screen.dark()
    made.send_all()
    made.clock.advance(10_000 * MS)
    assert made.send_all() == [], "a dark one is left alone"


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("frame", [BLANK, noise(7)])
def test_s_6_the_times_of_pings_do_not_depend_on_the_picture(chip: str, frame: bytes) -> None:
    made = awake(chip)
    made.screen.show(frame, whole=True)
    made.send_all()
    made.clock.advance(249 * MS)
    assert made.send_all() == []
    made.clock.advance(MS)
    assert made.send_all() == [NOP]


@pytest.mark.parametrize("chip", CHIPS)
def test_a_screen_that_was_pulled_while_it_shows_something_shows_it_again(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(8), whole=True)
    made.send_all()
    made.twin.unplug()
    made.clock.advance(250 * MS)
    with pytest.raises(NoAnswer):
        made.screen.send_slice()
    made.twin.plug_in()
    made.clock.advance(50 * MS)
    seen = set()
    while made.screen.waiting():
        made.screen.send_slice()
        seen.add(made.twin.pixels())
    assert seen == {BLANK, noise(8)}
    assert made.screen.trouble is None


@pytest.mark.parametrize("chip", CHIPS)
def test_shutting_is_one_transfer_even_while_much_waits(chip: str) -> None:
    made = awake(chip)
    made.screen.show(noise(9), whole=False)
    made.screen.send_slice()
    before = len(made.bus.sent)
    made.screen.shut()
    assert made.bus.sent[before:] == [b"\x00\xae"]
    assert not made.twin.lit
    assert made.send_all() == []


def test_shutting_a_screen_that_is_not_there_or_rests_raises_nothing() -> None:
    made = awake("ssd1306")
    made.screen.show(noise(9), whole=True)
    made.send_all()
    made.twin.unplug()
    made.screen.shut()
    made.clock.advance(250 * MS)
    with pytest.raises(NoAnswer):
        made.screen.send_slice()
    made.screen.shut()
