"""Messages about a hub's link: four parts each, for builders and referees. Pure; no message contains an angle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_host.hub.wire import FIRMWARE, OLDEST_PROTOCOL, PROTOCOL

PLUG_IN: Final = "Plug it in. trapdial hub list shows the connected boards."


def about(name: str, place: str, seen: str, advice: str) -> str:
    """`hub north (/dev/ttyACM0) seen. Advice.`; a board outside the settings has no name."""
    return f"{f'hub {name}' if name else 'board'} ({place}) {seen}. {advice}"


def version(firmware: Sequence[int]) -> str:
    """`1.0.0`."""
    return ".".join(map(str, firmware))


def console(texts: Sequence[str]) -> str:
    """The last lines of a console, in quotes; empty without any."""
    return ' Its console shows: "' + " / ".join(texts) + '".' if texts else ""


def no_port(name: str, uid: str, port: str) -> str:
    """The port or board of the settings is missing."""
    if port:
        return about(name, port, "is not plugged in: the port does not exist", PLUG_IN)
    return about(name, f"board {uid}" if uid else "any board", "is not plugged in: no port has it", PLUG_IN)


def unplugged(name: str, port: str) -> str:
    """The cable was unplugged while the port was in use."""
    return about(name, port, "was unplugged", PLUG_IN)


def no_permission(name: str, port: str) -> str:
    """The port's file belongs to another group."""
    advice = (
        "Add yourself to the group dialout (sudo usermod -aG dialout $USER), then log out and in again; "
        "`trapdial docs hub_wire` has a udev rule that does it for every hub."
    )
    return about(name, port, "cannot be opened: permission denied", advice)


def busy(name: str, port: str) -> str:
    """Another program has the port open."""
    advice = (
        "Close that program: another trapdial, mpremote, a terminal, or ModemManager "
        "(`trapdial docs hub_wire` shows how to keep it away)."
    )
    return about(name, port, "is in use by another program", advice)


def shared(name: str, port: str, other: str) -> str:
    """Two hubs of the settings lead to one board."""
    seen = f"is already used by hub {other} of these settings"
    return about(name, port, seen, "Give each hub of the settings its own id or port.")


def cannot_open(name: str, port: str, why: str) -> str:
    """The port fails to open for another reason."""
    return about(name, port, f"cannot be opened ({why})", "Unplug it and plug it in again; try another USB port.")


def twice(name: str, uid: str, ports: Sequence[str]) -> str:
    """Several ports claim to be one board, and no key tells which is the right one."""
    seen = f"is on {len(ports)} ports at once ({', '.join(ports)}), and nothing shows which board is yours"
    return about(
        name, f"board {uid}", seen, f"Unplug the other one. To give yours a key, run trapdial hub install {name}."
    )


def no_key_here(name: str, port: str, uid: str) -> str:
    """The settings have no key for this board."""
    return about(name, port, f"is board {uid}, and these settings have no key for it", _remedies(name))


def no_key_there(name: str, port: str) -> str:
    """The board has no key."""
    return about(name, port, "has no key, so nothing shows that it is your board", _remedies(name))


def wrong_key(name: str, port: str, uid: str) -> str:
    """The board claims an id and does not have the key of it."""
    seen = f"claims to be board {uid}, but does not have its key"
    return about(name, port, seen, f"Look for a second board or a device in its cable. {_remedies(name)}")


def unproven(name: str, port: str, seen: str) -> str:
    """No proof."""
    return about(name, port, f"does not prove its key: {seen}", _remedies(name))


def tampered(name: str, port: str) -> str:
    """A line in a keyed session is not the hub's."""
    seen = "delivered a line that its key does not confirm: false, repeated or out of order"
    advice = "Look for a device in its cable or hub. The line did not count; the program tries again in 30 s."
    return about(name, port, seen, advice)


def _remedies(name: str) -> str:
    who = name or "NAME"
    return (
        f"Run trapdial hub install {who} again, or write "
        f'trust = "cable" in [hub.{who}] if you trust everything on its cable.'
    )


def not_a_hub(name: str, port: str, texts: Sequence[str], *, tries: int) -> str:
    """No answer to the greeting."""
    seen = f"does not answer as a hub: no answer to {tries} greetings"
    advice = f"Install the firmware with trapdial hub install.{console(texts)}"
    return about(name, port, seen, advice)


def wrong_board(name: str, port: str, required: str, found: str) -> str:
    """A hub, but not the configured board."""
    advice = f'Plug in the board that the settings name, or write id = "{found}" in [hub.{name}].'
    return about(name, port, f"is board {found}, but the settings name {required}", advice)


def too_few_dials(name: str, port: str, required: int, found: int) -> str:
    """The settings use a channel that the board does not have."""
    seen = f"has {found} dials, but the settings use {required}"
    return about(name, port, seen, f"Change the channels of [hub.{name}]'s squares, or board.py on the hub.")


def no_common_protocol(name: str, port: str, found: int) -> str:
    """The two ends have no protocol in common."""
    ours = str(PROTOCOL) if OLDEST_PROTOCOL == PROTOCOL else f"{OLDEST_PROTOCOL} to {PROTOCOL}"
    seen = f"has firmware with protocol {found}, but this program uses protocol {ours}"
    if found < OLDEST_PROTOCOL:
        return about(name, port, seen, f"Update the hub: trapdial hub install installs firmware {version(FIRMWARE)}.")
    advice = "Update this program, or install its firmware on the hub with trapdial hub install."
    return about(name, port, seen, advice)


def too_old(name: str, port: str, found: Sequence[int], oldest: Sequence[int]) -> str:
    """The firmware is older than this program supports."""
    seen = f"has firmware {version(found)}, but this program needs {version(oldest)} or later"
    return about(name, port, seen, f"Update the hub: trapdial hub install installs firmware {version(FIRMWARE)}.")


def refused(name: str, port: str, what: str, status: int) -> str:
    """The hub refuses a command."""
    seen = f"refuses {what} (status {status})"
    return about(name, port, seen, "Install this program's firmware with trapdial hub install.")


def stale(name: str, port: str, what: str, silent_ms: int, texts: Sequence[str]) -> str:
    """A running hub stopped sending samples or answers."""
    advice = f"The program retries; if this persists, unplug it and plug it in again.{console(texts)}"
    return about(name, port, f"has sent no {what} for {silent_ms} ms", advice)
