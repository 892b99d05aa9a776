"""A digest of everything that a centre keeps of its tables: equal before and after what must change nothing."""

from __future__ import annotations

import hashlib

from pi_app.centre.store.store import CentreStore, packed


def digest(store: CentreStore) -> str:
    """Hash all records, their games and all their entries. Left out: evidence, and when a table was seen."""
    hashed = hashlib.sha256()
    for record in store.records():
        plain = (record.origin, record.name, record.shop, record.cosigned, record.revoked)
        hashed.update(repr(plain).encode() + packed(record.known))
        for game in store.games(record.number):
            hashed.update(repr(game).encode())
        for seq, public, sealed, leaf, _ in store.rows(record.number):
            for each in (str(seq).encode(), public, sealed, leaf):
                hashed.update(b"-" if not isinstance(each, bytes) else len(each).to_bytes(4, "big") + each)
    return hashed.hexdigest()
