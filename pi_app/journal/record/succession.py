"""One record continues another: its first entry names the older one's head, and the older device vouches for it.

Each record has a key of its own, so that a head belongs to one record. The signature of the older key is over the older
head and the newer device, so nobody else can continue a record, and a record cannot be continued by two unseen. What is
continued is closed: only the deletion of a game may be recorded after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pi_app.journal.record.entry import Continues
from pi_app.journal.record.heads import SIZE_BYTES, Head, read_head
from pi_app.journal.record.keys import SIGNATURE_BYTES, DeviceKey, signed_by
from pi_app.journal.record.verdict import RecordVerdict, fingerprint


def _vouching(head: Head, device: bytes) -> bytes:
    return b"trapdial next 1\n" + head.size.to_bytes(SIZE_BYTES, "big") + head.root + device


def vouched(older: DeviceKey, head: Head, device: bytes) -> Continues:
    """Return what the first entry of a record of `device` says of the older one that it continues."""
    return Continues(head=head.text(), by=older.sign(_vouching(head, device)).hex())


def continued(said: Continues, device: bytes) -> Head:
    """Return the head of the record that one of `device` continues. Raises ValueError with the reason."""
    head = read_head(said.head)
    if head.device == device:
        raise ValueError("it is of the same device")
    if len(said.by) != 2 * SIGNATURE_BYTES:
        raise ValueError("its signature is malformed")
    by = bytes.fromhex(said.by)
    if by.hex() != said.by or not signed_by(head.device, _vouching(head, device), by):
        raise ValueError("that record's device did not vouch for this one")
    return head


def contradictions(
    records: Sequence[tuple[str, RecordVerdict]], against: Callable[[int, Head], Sequence[str]]
) -> Iterator[tuple[int, str]]:
    """Yield each record that another one here contradicts, by its place in `records`, and how. If two contradict each
    other, both are yielded, with one sentence.

    `records`: names and verdicts; `against`: what speaks against a record if its device has handed out this head."""
    yield from _two_histories(records, against)
    after: dict[bytes, int] = {}
    for number, (newer, verdict) in enumerate(records):
        head = verdict.follows
        if head is None:
            continue
        first = after.setdefault(head.device, number)
        if records[first][1].device != verdict.device:
            device = fingerprint(head.device)
            yield number, f"{records[first][0]} and {newer} both continue the record of the device {device}. {_COPY}"
        for place, (older, seen) in enumerate(records):
            if seen.device != head.device:
                continue
            for words in against(place, head):
                yield place, f"{newer} continues another record than {older}. {words}"
            if seen.played > head.size:
                yield place, goes_on(older, newer, head.size, seen.played)


def _two_histories(
    records: Sequence[tuple[str, RecordVerdict]], against: Callable[[int, Head], Sequence[str]]
) -> Iterator[tuple[int, str]]:
    """Yield the copies of one record that do not begin with the same entries. A damaged one is no evidence: whoever has
    no key could have put it there."""
    longest: dict[bytes, int] = {}
    sound = [place for place, (_, seen) in enumerate(records) if seen.device and seen.damage is None]
    for place in sorted(sound, key=lambda each: (records[each][1].exported is not None, -records[each][1].size)):
        name, seen = records[place]
        head = Head(seen.device or b"", seen.size, seen.root, seen.signature)
        longer = longest.setdefault(head.device, place)
        its = records[longer][1]
        if its.size < head.size or its.root == head.root or not head.genuine or not against(longer, head):
            continue
        device, both = fingerprint(head.device), f"{name} and {records[longer][0]}"
        words = f"{both} are of the same device ({device}), and differ before entry {head.size + 1}. {_COPY} {_WITNESS}"
        yield from ((each, words) for each in sorted((place, longer)))


def goes_on(older: str, newer: str, size: int, last: int) -> str:
    """Say that a record goes on although another one continues it after so many entries."""
    return f"{older} was closed after entry {size}, where {newer} continues it, and yet it has entry {last}. {_COPY}"


_COPY = "One of the two was written on a copy of the other's card."
_WITNESS = "Find out with `trapdial journal verify --witness` which one the witnesses saw."
