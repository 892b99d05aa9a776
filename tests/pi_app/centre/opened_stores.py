"""What the tests of every store are handed."""

from __future__ import annotations

from collections.abc import Callable

from pi_app.centre.store.store import CentreStore

Opens = Callable[[], CentreStore]
"""Opens the same store, as often as wanted."""
