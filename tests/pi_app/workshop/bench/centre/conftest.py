"""Stores that a test opens are closed after it."""

from __future__ import annotations

from tests.pi_app.centre.closed_stores import stores_are_closed

__all__ = ["stores_are_closed"]
