"""What is said of a hub's link: four parts each, for builders and referees. Pure; no message holds an angle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_host.hub.wire import FIRMWARE, OLDEST_PROTOCOL, PROTOCOL

HOW_TO: Final = "wiring_docs/hub_wire.md"
PLUG_IN: Final = "Plug it in. trapdial hub list says which boards are there."


def about(name: str, place: str, seen: str, advice: str) -> str:
    """`hub north (/dev/ttyACM0) seen. Advice.`; a board that the settings do not name has no name."""
    return f"{f'hub {name}' if name else 'board'} ({place}) {seen}. {advice}"


def version(firmware: Sequence[int]) -> str:
    """`1.0.0`."""
    return ".".join(map(str, firmware))


def console(texts: Sequence[str]) -> str:
    """The last lines of a console, in quotes; empty if it said nothing."""
    return ' Its console says: "' + " / ".join(texts) + '".' if texts else ""


def no_port(name: str, uid: str, port: str) -> str:
    """Nothing is plugged in where it should be."""
    if port:
        return about(name, port, "is not plugged in: there is no such port", PLUG_IN)
    return about(name, f"board {uid}" if uid else "any board", "is not plugged in: no port has it", PLUG_IN)


def unplugged(name: str, port: str) -> str:
    """It was there a moment ago."""
    return about(name, port, "was unplugged", PLUG_IN)


def no_permission(name: str, port: str) -> str:
    """The port's file belongs to others."""
    advice = (
        "Add yourself to the group dialout (sudo usermod -aG dialout $USER), then log out and in again; "
        f"{HOW_TO} has a udev rule that does it for every hub."
    )
    return about(name, port, "may not be opened by this user", advice)


def busy(name: str, port: str) -> str:
    """Another program has the port."""
    advice = f"End that program: another trapdial, mpremote, a terminal, or ModemManager, which {HOW_TO} keeps away."
    return about(name, port, "is in use by another program", advice)


def shared(name: str, port: str, other: str) -> str:
    """Two hubs of the settings lead to one board."""
    seen = f"is the board that hub {other} of these settings has already"
    return about(name, port, seen, "Give each hub of the settings its own id or port.")


def cannot_open(name: str, port: str, why: str) -> str:
    """The port refuses for another reason."""
    return about(name, port, f"cannot be opened ({why})", "Pull its plug and put it in again; try another USB port.")


def not_a_hub(name: str, port: str, texts: Sequence[str], *, tries: int) -> str:
    """Nobody answered the greeting."""
    seen = f"does not answer as a hub: {tries} greetings, no answer"
    advice = f"Put the firmware on it with trapdial hub install.{console(texts)}"
    return about(name, port, seen, advice)


def wrong_board(name: str, port: str, required: str, found: str) -> str:
    """A hub, and not this one."""
    advice = f'Plug in the board that the settings name, or write id = "{found}" in [hub.{name}].'
    return about(name, port, f"is the board {found}, and the settings name {required}", advice)


def too_few_dials(name: str, port: str, required: int, found: int) -> str:
    """The settings use a channel that the board has not."""
    seen = f"has {found} dials, and the settings use {required}"
    return about(name, port, seen, f"Change the channels of [hub.{name}]'s squares, or board.py on the hub.")


def no_common_protocol(name: str, port: str, found: int) -> str:
    """Neither end speaks what the other does."""
    ours = str(PROTOCOL) if OLDEST_PROTOCOL == PROTOCOL else f"{OLDEST_PROTOCOL} to {PROTOCOL}"
    seen = f"has firmware of protocol {found}, and this program speaks {ours}"
    if found < OLDEST_PROTOCOL:
        return about(name, port, seen, f"Update the hub: trapdial hub install puts firmware {version(FIRMWARE)} on it.")
    advice = "Update this program, or put its firmware on the hub with trapdial hub install."
    return about(name, port, seen, advice)


def too_old(name: str, port: str, found: Sequence[int], oldest: Sequence[int]) -> str:
    """The firmware is older than this program can use."""
    seen = f"has firmware {version(found)}, and {version(oldest)} is the oldest that can be used"
    return about(name, port, seen, f"Bring it up to date: trapdial hub install puts {version(FIRMWARE)} on it.")


def refused(name: str, port: str, what: str, status: int) -> str:
    """It answers, and does not do what it is asked."""
    seen = f"refuses {what} (status {status})"
    return about(name, port, seen, "Put this program's firmware on it with trapdial hub install.")


def stale(name: str, port: str, what: str, silent_ms: int, texts: Sequence[str]) -> str:
    """It was there and sends no samples, or no answers, any more."""
    advice = f"It is asked again by itself; if this stays, pull its plug and put it in again.{console(texts)}"
    return about(name, port, f"has sent no {what} for {silent_ms} ms", advice)
