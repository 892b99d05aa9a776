"""What is kept of captured packets, and what is not."""

from __future__ import annotations

from collections.abc import Iterable

from tests.pages.capture import DOWN, UP, Listener, Packet, parsed
from tests.pages.relay import Way

SYN, ACK, PSH, FIN, RST = 2, 16, 8, 1, 4


def packet(towards: str, sequence: int, size: int = 0, flags: int = ACK, port: int = 4000) -> Packet:
    return Packet(0, towards, port, sequence, size, flags, b"")


def heard(packets: Iterable[Packet]) -> list[tuple[int, str, int, str]]:
    listener = Listener()
    return [said.comparable() for each in packets for said in listener.hear(each)]


OPENING = [packet(UP, 99, flags=SYN), packet(DOWN, 499, flags=SYN | ACK)]
OPENED = [(0, UP, 0, "open"), (0, DOWN, 0, "open")]


def test_segments_of_one_write_are_put_together() -> None:
    rest = [packet(DOWN, 500, 1448), packet(DOWN, 1948, 1448), packet(DOWN, 3396, 100, ACK | PSH)]
    assert heard([*OPENING, *rest]) == [*OPENED, (0, DOWN, 2996, "write")]
    two = [packet(DOWN, 500, 1440, ACK | PSH), packet(DOWN, 1940, 1448), packet(DOWN, 3388, 100, ACK | PSH)]
    assert heard([*OPENING, *two]) == [*OPENED, (0, DOWN, 1440, "write"), (0, DOWN, 1548, "write")]
    cut = [packet(DOWN, 500, 1448), packet(DOWN, 1948, 1448, ACK | PSH), packet(DOWN, 3396, 100, ACK | PSH)]
    assert heard([*OPENING, *cut]) == [*OPENED, (0, DOWN, 2996, "write")]


def test_a_repeated_segment_counts_once_and_a_byte_more_is_seen() -> None:
    write = packet(UP, 100, 130, ACK | PSH)
    assert heard([*OPENING, write, write]) == [*OPENED, (0, UP, 130, "write")]
    assert heard([*OPENING, packet(UP, 100, 131, ACK | PSH)]) == [*OPENED, (0, UP, 131, "write")]


def test_an_end_on_the_last_payload_is_the_same_as_one_alone() -> None:
    alone = [packet(UP, 100, 5, ACK | PSH), packet(UP, 105, 0, ACK | FIN), packet(UP, 105, 0, ACK | FIN)]
    together = [packet(UP, 100, 5, ACK | PSH | FIN)]
    assert heard([*OPENING, *alone]) == heard([*OPENING, *together])
    assert heard([*OPENING, *together])[2:] == [(0, UP, 5, "write"), (0, UP, 0, "end")]


def test_connections_are_counted_and_resets_are_kept() -> None:
    other = [packet(UP, 7, flags=SYN, port=4001), packet(UP, 8, 0, RST, port=4001)]
    assert heard([*OPENING, OPENING[0], *other]) == [*OPENED, (1, UP, 0, "open"), (1, UP, 0, "reset")]


def test_numbers_wrap_round() -> None:
    opening = [packet(UP, 2**32 - 11, flags=SYN)]
    rest = [packet(UP, 2**32 - 10, 20, ACK), packet(UP, 10, 5, ACK | PSH)]
    assert heard([*opening, *rest]) == [(0, UP, 0, "open"), (0, UP, 25, "write")]


def test_a_packet_is_taken_apart() -> None:
    ip = bytes([0x45, 0]) + (20 + 24 + 3).to_bytes(2, "big") + bytes(8) + bytes([10, 77, 0, 1, 10, 77, 0, 10])
    tcp = (80).to_bytes(2, "big") + (4000).to_bytes(2, "big") + (7).to_bytes(4, "big") + bytes(4)
    tcp += bytes([0x60, ACK | PSH]) + bytes(10)
    whole = bytes(12) + b"\x08\x00" + ip + tcp + b"abc" + b"padding"
    assert parsed(whole, []) == Packet(0, DOWN, 4000, 7, 3, ACK | PSH, b"abc")


def test_the_relay_delays_drops_and_cuts() -> None:
    way, data = Way(1), bytes(12) + b"\x08\x00" + b"ip"
    way.order("delay 150")
    way.take(data, 1, now=10.0)
    way.take(data + b"2", 2, now=10.0)
    assert way.due(10.149) == []
    assert way.due(10.151) == [(1, data), (2, data + b"2")]
    way.take(data, 1, now=11.0)
    way.order("cut")
    way.take(data, 1, now=11.0)
    assert way.due(99.0) == []
    way.order("mend")
    way.order("loss 0.3")
    for _ in range(1000):
        way.take(data, 1, now=20.0)
    kept = len(way.due(99.0))
    assert 600 < kept < 800


def test_the_relay_never_drops_what_finds_addresses() -> None:
    way, asks = Way(1), bytes(12) + b"\x08\x06" + b"arp"
    way.order("loss 1.0")
    way.take(asks, 1, now=0.0)
    way.take(bytes(12) + b"\x08\x00", 1, now=0.0)
    assert way.due(0.0) == [(1, asks)]
