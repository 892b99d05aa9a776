"""[hub.NAME] of the settings, and the checks of squares that hang on a hub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.text.user_file import Complaints, read_values, seen_as

CHANNELS: Final = 16
"""Channels of a hub with two muxes; a hub with one mux has eight."""

NOT_ON_A_HUB: Final = ("mux", "address", "memory", "steps_per_click")
"""Keys that only a square on one of the Pi's own buses has."""


class HubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[hub.NAME]: a board that reads dials and reports them over USB."""

    id: Annotated[
        str, Meta(pattern=r"^([0-9a-f]{16})?\Z", description="the 16 digits that `trapdial hub list` shows, or empty")
    ] = ""
    port: Annotated[
        str, Meta(pattern=r"^(/dev/\S{1,100})?\Z", description="a device such as '/dev/ttyACM0', or empty")
    ] = ""
    trust: Annotated[Literal["key", "cable"], Meta(description="'key' or 'cable'")] = "key"


def read_hub(name: str, raw: Mapping[str, object], complaints: Complaints) -> dict[str, object]:
    """Return the valid values of [hub.NAME]; report the others, and a hub that names no board."""
    place = f"[hub.{name}]"
    good = read_values(HubSettings, raw, place, complaints)
    if not raw.get("id") and not raw.get("port"):
        reason = "needs `id`, the 16 digits that `trapdial hub list` shows, or `port`, such as '/dev/ttyACM0'"
        complaints.error(place, "", reason)
    return good


def check_hubs(
    hubs: Mapping[str, Mapping[str, object]], squares: Mapping[str, Mapping[str, object]], complaints: Complaints
) -> None:
    """Report hubs with the same id or port, and squares that cannot hang on the hub that they name."""
    _check_names(hubs, complaints)
    taken: dict[tuple[str, int], str] = {}
    for label, good in squares.items():
        if (hub := good.get("hub")) is not None:
            _check_square(f"[square.{label}]", str(hub), good, hubs, taken, complaints)
    for name in hubs:
        if all(good.get("hub") != name for good in squares.values()):
            complaints.warning(f"[hub.{name}]", "", "no square hangs on it; it is not opened")


def _check_names(hubs: Mapping[str, Mapping[str, object]], complaints: Complaints) -> None:
    seen: dict[tuple[str, object], str] = {}
    for name, good in hubs.items():
        place = f"[hub.{name}]"
        for key in ("id", "port"):
            value = good.get(key)
            if value and (first := seen.setdefault((key, value), place)) != place:
                reason = f"is already the {key} of {first}; each hub is a separate board"
                complaints.error(place, seen_as(key, value), reason)


def _check_square(
    place: str,
    hub: str,
    good: Mapping[str, object],
    hubs: Mapping[str, object],
    taken: dict[tuple[str, int], str],
    complaints: Complaints,
) -> None:
    if "bus" in good:
        complaints.error(place, seen_as("hub", hub), "has a bus too; a dial hangs on one of them")
        return
    if hub not in hubs:
        known = ", ".join(f"[hub.{name}]" for name in hubs) or "none"
        complaints.error(place, seen_as("hub", hub), f"there is no such hub; there is {known}")
    for key in NOT_ON_A_HUB:
        if good.get(key) is not None:
            complaints.error(place, seen_as(key, good[key]), "only a dial on a bus of the Pi has this key; remove it")
    if good.get("chip", "as5600") != "as5600":
        complaints.error(place, seen_as("chip", good["chip"]), "a hub reads 'as5600' only; use a bus of the Pi")
    channel = good.get("channel")
    if not isinstance(channel, int):
        complaints.error(place, seen_as("hub", hub), "needs 'channel' beside it, from 0 to 15")
    elif (first := taken.setdefault((hub, channel), place)) != place:
        complaints.error(place, f"channel = {channel}", f"is already the channel of {first} on this hub; move one")
