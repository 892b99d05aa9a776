"""A board that has yet to prove that it has the key of its id, and the sentences that refuse it. Pure."""

from __future__ import annotations

import struct
from collections.abc import Callable

from firmware_host import messages
from firmware_host.hub import seal, wire
from firmware_host.link_events import Welcome
from firmware_host.requirements import HubRequirements


def may_be_open(kind: int, body: bytes) -> bool:
    """Whether a line may come without a seal in a keyed session: a second answer to a greeting or challenge that was
    repeated, and "no session" of a board that has restarted. None of them contains a sample."""
    return kind in (wire.WELCOME, wire.PROOF) or (kind == wire.ACK and body[2:3] == bytes((wire.NO_SESSION,)))


class KeyCheck:
    """`asked`: the challenge to send. `refusal`: why there is nothing to ask, or empty."""

    __slots__ = ("_key", "_name", "_place", "_uid", "_welcome", "asked", "refusal")

    def __init__(
        self, required: HubRequirements, hub: Welcome, place: str, welcome: bytes, nonces: Callable[[], int]
    ) -> None:
        """`welcome`: the body of its WELCOME, which the proof confirms."""
        self._name, self._place, self._uid, self._welcome = required.name, place, hub.uid, welcome
        key = required.key_of(hub.uid) if required.key_of is not None else None
        self._key = key or b""
        self.asked = b"".join(struct.pack(">I", nonces()) for _ in range(wire.CHALLENGE_BYTES // 4))
        if key is None:
            self.refusal = messages.no_key_here(self._name, place, hub.uid)
        else:
            self.refusal = "" if hub.keyed else self.no_key

    def opened(self, proof: bytes) -> tuple[seal.Seal, int] | None:
        """The seal of the session and the hub's time; None if the proof is wrong. Raises struct.error if it is
        short."""
        _, hub_us, _ = struct.unpack_from(wire.PROOF_BODY, proof)
        found = seal.accepted(self._key, self._welcome, self.asked, proof)
        return None if found is None else (found, hub_us)

    @property
    def wrong(self) -> str:
        """Its proof is wrong."""
        return messages.wrong_key(self._name, self._place, self._uid)

    @property
    def no_key(self) -> str:
        """It has no key."""
        return messages.no_key_there(self._name, self._place)

    def unproven(self, tries: int) -> str:
        """It does not answer."""
        return messages.unproven(self._name, self._place, f"no answer to {tries} challenges")

    def refused(self, status: int) -> str:
        """It answers with this status."""
        if status in (wire.NO_KEY, wire.UNKNOWN):
            return self.no_key
        return messages.unproven(self._name, self._place, f"it refuses the challenge with status {status}")
