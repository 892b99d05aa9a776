"""Errors of a hub or its board. Messages have four parts."""

from __future__ import annotations


class LinkError(Exception):
    """A hub, or a board without firmware, failed a request."""


class HubError(LinkError):
    """A hub cannot be queried, or did not answer."""


class InstallError(LinkError):
    """The firmware could not be installed."""
