"""What can be wrong at the other end of a hub's wire, for whoever asked something of it. Messages have four parts."""

from __future__ import annotations


class LinkError(Exception):
    """A hub, or the board that is to become one, did not do what it was asked."""


class HubError(LinkError):
    """A hub cannot be asked, or gave no answer."""


class InstallError(LinkError):
    """The firmware is not on the board."""
