"""Tables as a store keeps them, for tests."""

from __future__ import annotations

from pi_app.centre.store.store import KeptRecord
from pi_app.centre.taking.known_record import KnownRecord, OpenGame
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.entry import Opening
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import DeviceKey, device_key

NOW = 1_780_000_000
"""28 May 2026, 20:26:40 UTC."""

OPENING = Opening(device="d", key="k", ruleset="r", room=1024, squares={})


def key(number: int) -> DeviceKey:
    return device_key(bytes([number]) * 32)


def device(number: int) -> bytes:
    return key(number).public


def table(number: int, *, follows: int | None = None, plays: bool = False, **more: object) -> KeptRecord:
    older = "" if follows is None else Head.made(key(follows), 5, bytes(32)).text()
    games = {"g": OpenGame(first=3, last=8, opening=OPENING)} if plays else {}
    known = KnownRecord(size=8, device=device(number), follows=older, games=games)
    values = {"seen_s": NOW - 10, "shop": "Alpha", "known": known, **more}
    return KeptRecord(number=number, origin=origin_of(device(number)), name=f"Table {number}", **values)  # type: ignore[arg-type]
