"""One record continues another: its first entry names the older one's head, and the older device vouches for it.

Each record has a key of its own, so that a head belongs to one record. The signature of the older key is over the older
head and the newer device, so nobody else can continue a record, and a record cannot be continued by two unseen.
"""

from __future__ import annotations

from pi_app.journal.record.entry import Continues
from pi_app.journal.record.heads import SIZE_BYTES, Head, read_head
from pi_app.journal.record.keys import SIGNATURE_BYTES, DeviceKey, signed_by


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
    if not signed_by(head.device, _vouching(head, device), bytes.fromhex(said.by)):
        raise ValueError("that record's device did not vouch for this one")
    return head
