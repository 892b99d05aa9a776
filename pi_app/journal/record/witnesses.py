"""Compare a record with the heads that witnesses kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pi_app.journal.record.heads import Head
from pi_app.journal.record.row_checks import RecordSoFar
from pi_app.text.language import count_entries


def witnessed(seen: RecordSoFar, heads: Sequence[Head], *, broken: bool) -> tuple[list[str], int]:
    """Return a sentence for each head that does not fit, and the last entry that a head confirms."""
    good = max((head.size for head in heads if _fits(seen, head)), default=0)
    against = [
        f"Witness {number} saw {count_entries(head.size)}: {words}"
        for number, head in enumerate(heads, 1)
        if (words := _contradiction(seen, head, good, broken=broken)) is not None
    ]
    return against, good


def _fits(seen: RecordSoFar, head: Head) -> bool:
    return head.genuine and seen.device in (None, head.device) and seen.roots.get(head.size) == head.root


def _contradiction(seen: RecordSoFar, head: Head, good: int, *, broken: bool) -> str | None:
    if _fits(seen, head):
        return None
    if not head.genuine:
        return "its signature does not fit, so it was misread or made up."
    if seen.device is not None and head.device != seen.device:
        return "it was signed by another device."
    if head.size > seen.tree.size:
        if broken:
            return None  # the entries after the damage are unknown
        return f"this record has {seen.tree.size}. Its end was cut off, or it was rewritten."
    first = good + 1 if good < head.size else 1
    return f"other ones than stand here. Something from entry {first} to {head.size} was changed."


def witnesses_of(device: bytes | None, devices: Collection[bytes | None], heads: Sequence[Head]) -> list[Head]:
    """Return the heads for one of several records: those of its device; if it has none, those of no other device.
    `devices` are those of all records."""
    return [head for head in heads if head.device == device or (device is None and head.device not in devices)]


def strangers(devices: Collection[bytes | None], heads: Sequence[Head]) -> list[Head]:
    """Return the heads that belong to none of several records, if each record has its device."""
    return [] if None in devices else [head for head in heads if head.device not in devices]
