"""Tapes: the text itself, strict replay, and the errors of a damaged one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.bus import Outcome, Prepared, Read, Transaction, Write
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer
from tests.hardware.table import Table
from tests.hardware.tape import RecordingBus, TapeBus, TapeError

HEAD = '{"tape": "trapdial bus", "version": 1, "bus": "/dev/i2c-1"}'


class Given:
    """A bus with scripted answers."""

    name = "/dev/i2c-1"

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)

    def transfer(self, transaction: Transaction) -> bytes:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, HardwareError):
            raise outcome
        return outcome

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        return lambda: [self.outcomes.pop(0) for _ in transactions]


def test_the_tape_is_text_that_can_be_read() -> None:
    tape: list[str] = []
    trouble = NoAnswer("chip 0x36", "/dev/i2c-1", "gave no answer (errno 121)", "Check its plug.")
    bus = RecordingBus(Given(b"", b"\x01\x23", trouble), tape.append)
    bus.transfer((Write(0x70, b"\x08"),))
    bus.transfer((Write(0x36, b"\x0c"), Read(0x36, 2)))
    with pytest.raises(NoAnswer):
        bus.transfer((Read(0x36, 2),))
    assert tape == [
        HEAD,
        '{"w": [["0x70", "08"]], "got": ""}',
        '{"w": [["0x36", "0c"]], "r": ["0x36", 2], "got": "0123"}',
        '{"r": ["0x36", 2], "error": ["NoAnswer", "chip 0x36", "/dev/i2c-1", "gave no answer (errno 121)", '
        '"Check its plug."]}',
    ]
    replay = TapeBus(tape)
    assert replay.name == "/dev/i2c-1"
    assert replay.transfer((Write(0x70, b"\x08"),)) == b""
    assert replay.transfer((Write(0x36, b"\x0c"), Read(0x36, 2))) == b"\x01\x23"
    with pytest.raises(NoAnswer, match=r"^chip 0x36 \(/dev/i2c-1\) gave no answer \(errno 121\). Check its plug.$"):
        replay.transfer((Read(0x36, 2),))
    replay.finish()


MESSAGES = st.builds(Write, st.integers(0, 127), st.binary(min_size=1, max_size=8))
READS = st.builds(Read, st.integers(0, 127), st.integers(1, 8))
TRANSACTIONS = st.one_of(
    READS.map(lambda read: (read,)), st.lists(MESSAGES, min_size=1, max_size=3).map(tuple), st.tuples(MESSAGES, READS)
)
TROUBLES = st.sampled_from([NoAnswer, BusStuck, BusGlitch, HardwareError]).flatmap(
    lambda kind: st.builds(kind, st.text(), st.text(), st.text(), st.text())
)


@given(st.lists(st.tuples(TRANSACTIONS, st.one_of(st.binary(max_size=8), TROUBLES)), max_size=6))
def test_what_was_recorded_replays_alike(traffic: list[tuple[Transaction, Outcome]]) -> None:
    sent, outcomes = [each for each, _ in traffic], [each for _, each in traffic]
    tape: list[str] = []
    RecordingBus(Given(*outcomes), tape.append).prepare(sent)()
    replay = TapeBus(tape)
    again = replay.prepare(sent)()
    replay.finish()
    assert [(type(o), o.args) if isinstance(o, HardwareError) else o for o in again] == [
        (type(o), o.args) if isinstance(o, HardwareError) else o for o in outcomes
    ]


def test_a_whole_scan_replays_from_its_tape() -> None:
    from hardware.chips.as5600 import As5600

    tape: list[str] = []
    table = Table(1, muxed=False)
    live = As5600(RecordingBus(table.bus, tape.append))
    live.start()
    health = live.health()
    replay = TapeBus(tape)
    taped = As5600(replay)
    taped.start()
    assert taped.health() == health
    replay.finish()


def test_traffic_that_differs_from_the_tape_is_refused() -> None:
    tape = [HEAD, '{"r": ["0x36", 2], "got": "0123"}']
    with pytest.raises(TapeError) as caught:
        TapeBus(tape).transfer((Write(0x36, b"\x0c"), Read(0x36, 2)))
    assert str(caught.value) == (
        "tape line 2: the tape has read 0x36 2, but the program sent write 0x36 0c, read 0x36 2"
    )
    assert caught.value.line == 2


def test_traffic_beyond_the_end_is_refused() -> None:
    with pytest.raises(TapeError) as caught:
        TapeBus([HEAD]).transfer((Read(0x36, 2),))
    assert str(caught.value) == "tape line 2: the tape is at its end, but the program sent read 0x36 2"


def test_a_tape_that_was_not_played_to_its_end_is_a_failure() -> None:
    tape = TapeBus([HEAD, '{"r": ["0x36", 2], "got": "0123"}', '{"r": ["0x36", 2], "got": "0123"}'])
    tape.transfer((Read(0x36, 2),))
    with pytest.raises(TapeError) as caught:
        tape.finish()
    assert str(caught.value) == "tape line 3: the traffic ended here, with 1 transactions left on the tape"


NOT_A_TAPE = 'a tape begins with {"tape": "trapdial bus", "version": 1, "bus": NAME}'


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], f"tape line 1: {NOT_A_TAPE}"),
        (["{}"], f"tape line 1: {NOT_A_TAPE}"),
        (['{"tape": "trapdial bus", "version": 2, "bus": "x"}'], f"tape line 1: {NOT_A_TAPE}"),
        (["\x00\x01\x02"], "tape line 1: this is not JSON; the tape is damaged"),
        ([HEAD, '{"r": ["0x36", 2], "got"'], "tape line 2: this is not JSON; the tape is damaged"),
        ([HEAD, "[" * 100_000], "tape line 2: this is not JSON; the tape is damaged"),
        ([HEAD, "[]"], "tape line 2: a JSON object is expected; the tape is damaged"),
        ([HEAD, '{"got": ""}'], "tape line 2: this is no transaction; the tape is damaged"),
        ([HEAD, '{"r": ["0x36", 2]}'], "tape line 2: this is no transaction; the tape is damaged"),
        ([HEAD, '{"r": ["0x36", 2], "got": "0"}'], "tape line 2: this is no transaction; the tape is damaged"),
        ([HEAD, '{"r": ["0x36", 2], "got": 7}'], "tape line 2: this is no transaction; the tape is damaged"),
        ([HEAD, '{"r": [54, 2], "got": "00"}'], "tape line 2: this is no transaction; the tape is damaged"),
        ([HEAD, '{"w": 3, "got": ""}'], "tape line 2: this is no transaction; the tape is damaged"),
        (
            [HEAD, '{"r": ["0x36", 2], "error": ["Odd", "", "", "", ""]}'],
            "tape line 2: this is no transaction; the tape is damaged",
        ),
        ([HEAD, '{"r": ["0x36", 2], "error": "x"}'], "tape line 2: this is no transaction; the tape is damaged"),
    ],
)
def test_a_damaged_tape_names_its_line(lines: list[str], words: str) -> None:
    with pytest.raises(TapeError) as caught:
        TapeBus(lines)
    assert str(caught.value) == words
