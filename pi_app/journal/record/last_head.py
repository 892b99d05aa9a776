"""`last.head` beside a record's keys: this device's own note of how many entries it had written. It is a hint and no
more: whoever may write there can delete it, and a power cut may empty it. What it does say, is signed.
"""

from __future__ import annotations

from dataclasses import dataclass

from pi_app.journal.record.heads import Head, read_head
from pi_app.journal.record.key_ring import LAST_HEAD, KeyRing
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.verdict import Damage
from pi_app.text.language import count_entries


@dataclass(frozen=True, slots=True)
class KeptHead:
    """The head that was kept last. `why_not`: why there is none that can be read, as "it is empty"; empty if there is
    one, or if there are no keys here."""

    head: Head | None = None
    why_not: str = ""

    def hint(self, device: bytes | None) -> str:
        """Return a sentence if this says nothing of the record of that device; empty if it does."""
        why = self.why_not
        if self.head is not None and device not in (None, self.head.device):
            why = "it is of another device"
        if not why:
            return ""
        seen = f"`{LAST_HEAD}` beside its keys does not say how many entries there were ({why})"
        return f"{seen}: an older copy would look as good."


NOTHING_KEPT = KeptHead()


def read_kept(ring: KeyRing) -> KeptHead:
    """Return the head that was kept beside these keys. Read it before the entries: it never knows more of them than
    were on the disk by then."""
    try:
        text = ring.remembered()
        if text is None:
            return KeptHead(why_not="it is missing" if ring.has_device else "")
        return KeptHead(read_head(text)) if text else KeptHead(why_not="it is empty")
    except KeyFileError as error:
        return KeptHead(why_not=f"{'it' if error.place.name == LAST_HEAD else error.place} {error.seen}")
    except ValueError as error:
        return KeptHead(why_not=str(error))


def missing_entries(kept: Head | None, device: bytes | None, size: int) -> int:
    """Return how many entries are known to be missing after the last one of a record. `device`: None if the record has
    no entry that names one."""
    return 0 if kept is None or device not in (None, kept.device) else max(0, kept.size - size)


def cut_off(kept: Head, missing: int) -> Damage:
    """Return what is wrong with a record that lacks so many entries at its end."""
    also = {1: "", 2: ", and so is the one after it"}.get(missing, f", and so are the {missing - 1:,} after it")
    seen = f"is missing{also}: `{LAST_HEAD}` beside the keys of this record knows {count_entries(kept.size)}"
    return Damage(kept.size - missing + 1, seen)


def other_entries(kept: Head) -> Damage:
    """Return what is wrong with a record that begins with other entries than this device has written."""
    seen = "or one before it is not what this device has written"
    return Damage(kept.size, f"{seen}: `{LAST_HEAD}` beside the keys of this record knows other entries")
