"""The board that counts steps: golden bytes, its lives, and which counts are accepted."""

from __future__ import annotations

import pytest

from hardware.bus import Read, Write, wire_bits
from hardware.bus_linux import LinuxBus
from hardware.chips.dial_chip import ReadMode, start_up
from hardware.chips.seesaw import COUNT_LOST, Seesaw
from hardware.errors import WrongChip
from hardware.readings import Reading
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.wire import SimWire
from tests.contract.encoders import still

STEP = 4096 / 24


class Board:
    """One twin and one driver; `turned`: the dial's angle, in 4096ths of a turn."""

    def __init__(self, *, takes_position: bool = True, product: int = 5880, turned: float = 0.0) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.turned = turned
        self.twin = SeesawTwin(self.clock, lambda _ns: self.turned, product=product, takes_position=takes_position)
        self.wire.trunk.hang(self.twin)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.chip = Seesaw(self.bus)

    def started(self) -> Board:
        start_up(self.chip, self.clock)
        return self

    def read(self, read: ReadMode | None = None) -> object:
        due = read or self.chip.due
        self.clock.advance(1_000_000)
        question, answer = self.chip.transactions(due)
        self.bus.transfer(question)
        self.clock.advance(self.chip.wait_ns)
        return self.chip.decode(due, [self.bus.transfer(answer)], self.clock.now_ns())

    def reads(self) -> Reading:
        verdict = self.read() or self.read(ReadMode.VERIFIED)
        assert isinstance(verdict, Reading), verdict
        return verdict


def test_golden_bytes() -> None:
    chip = Board().chip
    for read in ReadMode:
        assert chip.transactions(read) == ((Write(0x36, b"\x11\x30"),), (Read(0x36, 4),))
    assert sum(map(wire_bits, chip.transactions(ReadMode.QUICK))) == 29 + 47
    assert (chip.absolute, chip.wait_ns) == (False, 300_000)


@pytest.mark.parametrize("product", [4991, 5880])
def test_both_boards_count_whole_steps_from_wherever_they_were_switched_on(product: int) -> None:
    board = Board(product=product, turned=5 * STEP).started()
    assert board.chip.product == product
    assert (board.reads().raw, board.reads().life) == (0, 1)
    for step, raw in ((6, 128), (7, 256), (4, 23 * 128), (5 + 24, 0), (5 - 24, 0)):
        board.turned = step * STEP
        assert board.reads().raw == raw


def test_another_product_is_refused_in_words() -> None:
    with pytest.raises(WrongChip) as refusal:
        Board(product=5752).started()
    assert str(refusal.value) == (
        "chip 0x36 (simulated /dev/i2c-1) reports product 5752, not 4991 or 5880. Check that an encoder board "
        "4991 or 5880 is wired here and nothing else has its address."
    )


def test_an_unnoticed_power_cut_is_a_new_life() -> None:
    board = Board().started()
    board.turned = 5 * STEP
    assert board.reads().raw == 5 * 128
    board.twin.plug_in()
    assert board.read() is None
    assert board.read(ReadMode.VERIFIED) == COUNT_LOST
    assert not board.chip.started
    board.started()
    assert (board.reads().raw, board.reads().life) == (0, 2)


def test_a_failure_without_a_power_cut_is_the_same_life() -> None:
    board = Board().started()
    board.turned = 5 * STEP
    board.chip.forget()
    board.turned = 9 * STEP
    board.started()
    assert (board.reads().raw, board.reads().life) == (9 * 128, 1)


def test_another_program_finds_the_same_count() -> None:
    board = Board().started()
    board.turned = 5 * STEP
    board.chip = Seesaw(board.bus)
    board.started()
    assert (board.reads().raw, board.reads().life) == (5 * 128, 1)


def test_a_board_that_does_not_take_the_mark_begins_a_new_life_with_every_failure() -> None:
    board = Board(takes_position=False).started()
    board.turned = 5 * STEP
    assert (board.reads().raw, board.reads().life) == (5 * 128, 1)
    board.chip.forget()
    board.started()
    assert (board.reads().raw, board.reads().life) == (5 * 128, 2)


def test_it_never_resets_never_reads_the_delta_and_writes_the_position_once() -> None:
    board = Board().started()
    for step in range(50):
        board.turned = step * STEP
        board.reads()
        if step % 10 == 9:
            board.chip.forget()
            board.started()
    assert board.twin.burn_commands == []
    assert board.chip.life == 1


def test_an_answer_read_too_early_is_rejected() -> None:
    board = Board().started()
    question, answer = board.chip.transactions(ReadMode.QUICK)
    before = board.reads().raw
    for _ in range(50):
        board.bus.transfer(question)
        assert board.chip.decode(ReadMode.QUICK, [board.bus.transfer(answer)], 0) is None
    assert board.reads().raw == before


def test_health_reports_the_boards_limits() -> None:
    assert Board().started().chip.health().words == (
        "counts steps (incremental, product 5880); after a power cut its position is unknown: before a game turn its "
        "dial to the start mark and type `home` with its square"
    )


# --- the twin


def test_the_twin_is_ready_250_us_after_the_stop() -> None:
    board = Board(turned=3 * STEP)
    board.twin.plug_in()
    board.turned = 5 * STEP
    for wait_ns, good in ((0, False), (249_000, False), (250_000, True)):
        board.bus.transfer((Write(0x36, b"\x11\x30"),))
        board.clock.advance(max(0, wait_ns - board.wire.bus_free_ns - 10 * board.wire.bit_ns))
        assert (board.bus.transfer((Read(0x36, 4),)) == b"\x00\x00\x00\x02") is good


def test_reading_the_twins_delta_clears_it() -> None:
    board = Board()
    board.turned = 4 * STEP
    answers = []
    for _ in range(2):
        board.bus.transfer((Write(0x36, b"\x11\x40"),))
        board.clock.advance(300_000)
        answers.append(board.bus.transfer((Read(0x36, 4),)))
    assert answers == [b"\x00\x00\x00\x04", b"\x00\x00\x00\x00"]
    assert board.twin.burn_commands == [0x11, 0x40] * 2


def test_the_twins_reset_clears_the_count() -> None:
    board = Board()
    board.turned = 4 * STEP
    board.bus.transfer((Write(0x36, b"\x00\x7f\xff"),))
    board.bus.transfer((Write(0x36, b"\x11\x30"),))
    board.clock.advance(300_000)
    assert board.bus.transfer((Read(0x36, 4),)) == bytes(4)
    assert board.twin.burn_commands == [0x00, 0x7F, 0xFF]


def test_the_twin_can_miss_steps_and_has_no_magnet() -> None:
    board = Board().started()
    board.turned = 4 * STEP
    board.twin.slip(1)
    assert board.reads().raw == 3 * 128
    with pytest.raises(ValueError, match="has no magnet"):
        board.twin.field = board.twin.field
    assert still(1.0)(0) == 1.0
