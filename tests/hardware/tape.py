"""Bus traffic on tape: record it once on real wires, and replay it strictly.

A tape is text. Its first line names the format and the bus; then comes one JSON object per
transaction, in the order of the wire:

    {"tape": "trapdial bus", "version": 1, "bus": "/dev/i2c-1"}
    {"w": [["0x70", "08"]], "got": ""}
    {"w": [["0x36", "0c"]], "r": ["0x36", 2], "got": "0123"}
    {"r": ["0x36", 2], "error": ["NoAnswer", PART, PLACE, SEEN, ADVICE]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from hardware.bus import Bus, Outcome, Prepared, Read, Transaction, Write
from hardware.bus_linux import check
from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus, ShapeRefused, WrongChip, WrongTile

KIND = "trapdial bus"
VERSION = 1

_ERRORS: dict[str, type[HardwareError]] = {
    kind.__name__: kind
    for kind in (HardwareError, NoAnswer, BusStuck, BusGlitch, ShapeRefused, NoBus, WrongChip, WrongTile)
}

Sink = Callable[[str], object]
"""Receives one line, without its newline."""


class TapeError(Exception):
    """A damaged tape, or traffic that differs from it. `line` counts from 1."""

    def __init__(self, line: int, seen: str) -> None:
        self.line = line
        super().__init__(f"tape line {line}: {seen}")


# --- one line --------------------------------------------------------------------------------------


def _line(transaction: Transaction, outcome: Outcome) -> str:
    entry: dict[str, object] = {}
    writes = [[f"0x{m.address:02X}", m.data.hex()] for m in transaction if isinstance(m, Write)]
    if writes:
        entry["w"] = writes
    if isinstance(last := transaction[-1], Read):
        entry["r"] = [f"0x{last.address:02X}", last.length]
    if isinstance(outcome, HardwareError):
        error = outcome
        entry["error"] = [type(error).__name__, error.part, error.place, error.seen, error.advice]
    else:
        entry["got"] = outcome.hex()
    return json.dumps(entry)


def _object(text: str, line: int) -> dict[str, object]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TapeError(line, "this is not JSON; the tape is damaged") from error
    if not isinstance(entry, dict):
        raise TapeError(line, "a JSON object is expected; the tape is damaged")
    return entry


def _entry(text: str, line: int) -> tuple[Transaction, Outcome]:
    entry = _object(text, line)
    try:
        return _transaction(entry), _outcome(entry)
    except (KeyError, TypeError, ValueError) as error:
        raise TapeError(line, "this is no transaction; the tape is damaged") from error


def _transaction(entry: dict[str, object]) -> Transaction:
    writes, read = entry.get("w", []), entry.get("r")
    if not isinstance(writes, list) or not (writes or read):
        raise ValueError("no messages")
    messages: list[Write | Read] = [Write(int(address, 16), bytes.fromhex(data)) for address, data in writes]
    if isinstance(read, list):
        address, length = read
        messages.append(Read(int(address, 16), int(length)))
    return tuple(messages)


def _outcome(entry: dict[str, object]) -> Outcome:
    error = entry.get("error")
    if error is None:
        return bytes.fromhex(_text(entry["got"]))
    if not isinstance(error, list):
        raise TypeError("an error is a list")
    kind, part, place, seen, advice = map(_text, error)
    return _ERRORS[kind](part, place, seen, advice)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


# --- recording -------------------------------------------------------------------------------------


class RecordingBus:
    """A bus that passes everything on and records each transaction, failures too."""

    def __init__(self, bus: Bus, sink: Sink) -> None:
        self._bus = bus
        self._sink = sink
        sink(json.dumps({"tape": KIND, "version": VERSION, "bus": bus.name}))

    @property
    def name(self) -> str:
        return self._bus.name

    def transfer(self, transaction: Transaction) -> bytes:
        try:
            got = self._bus.transfer(transaction)
        except HardwareError as error:
            self._sink(_line(transaction, error))
            raise
        self._sink(_line(transaction, got))
        return got

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        kept = tuple(transactions)
        inner = self._bus.prepare(kept)

        def run() -> Sequence[Outcome]:
            outcomes = inner()
            for transaction, outcome in zip(kept, outcomes, strict=True):
                self._sink(_line(transaction, outcome))
            return outcomes

        return run


# --- replaying -------------------------------------------------------------------------------------


class TapeBus:
    """A bus that answers only from a tape: the same traffic, in the same order, to the end.

    Raises TapeError for a damaged tape (at once, naming the line) and for traffic that differs from it.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        texts = [text for text in lines if text.strip()]
        head = _object(texts[0], 1) if texts else {}
        if head.get("tape") != KIND or head.get("version") != VERSION:
            raise TapeError(1, f'a tape begins with {{"tape": "{KIND}", "version": {VERSION}, "bus": NAME}}')
        self._name = str(head.get("bus", "a tape"))
        self._entries = [_entry(text, line) for line, text in enumerate(texts[1:], start=2)]
        self._next = 0

    @property
    def name(self) -> str:
        """The recorded bus, so that messages are the same as then."""
        return self._name

    def transfer(self, transaction: Transaction) -> bytes:
        check(transaction)
        outcome = self._answer(transaction)
        if isinstance(outcome, HardwareError):
            raise outcome
        return outcome

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        kept = tuple(transactions)
        for transaction in kept:
            check(transaction)
        return lambda: [self._answer(transaction) for transaction in kept]

    def finish(self) -> None:
        """Raise TapeError if the tape holds more transactions."""
        left = len(self._entries) - self._next
        if left:
            raise TapeError(self._next + 2, f"the traffic ended here, with {left} transactions left on the tape")

    def _answer(self, transaction: Transaction) -> Outcome:
        line = self._next + 2
        if self._next == len(self._entries):
            raise TapeError(line, f"the tape is at its end, but the program sent {_shown(transaction)}")
        recorded, outcome = self._entries[self._next]
        if recorded != transaction:
            raise TapeError(line, f"the tape has {_shown(recorded)}, but the program sent {_shown(transaction)}")
        self._next += 1
        return outcome


def _shown(transaction: Transaction) -> str:
    return ", ".join(
        f"write 0x{m.address:02X} {m.data.hex()}" if isinstance(m, Write) else f"read 0x{m.address:02X} {m.length}"
        for m in transaction
    )
