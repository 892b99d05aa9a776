"""Which hub of the settings uses which port and which board."""

from __future__ import annotations

import threading


class PortOwners:
    """No two hubs share a port or a board. Of a board that two claim, neither can be sure."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._claims: dict[str, list[str]] = {}

    def acquire(self, what: str, name: str) -> str:
        """Claim a port's real path or a board's id; return the name of another hub that claims it, or ""."""
        with self._lock:
            claims = self._claims.setdefault(what, [])
            if name not in claims:
                claims.append(name)
        return self.other(what, name)

    def other(self, what: str, name: str) -> str:
        """The name of another hub that claims this too, or ""."""
        with self._lock:
            return next((each for each in self._claims.get(what, ()) if each != name), "")

    def release(self, name: str, but: str = "") -> None:
        """Release everything that this hub claimed, `but` one thing."""
        with self._lock:
            for what, claims in self._claims.items():
                if name in claims and what != but:
                    claims.remove(name)
