"""Reads the lamp of a seat: one colour or three, and how its patterns get their meaning."""

from __future__ import annotations

from collections.abc import Mapping

from pi_app.game.lamp_deal import ONCE
from pi_app.settings.model import LampSettings
from pi_app.text.user_file import Complaints, read_values, seen_as


def read_lamp(raw: Mapping[str, object], good: dict[str, object], place: str, complaints: Complaints) -> None:
    """Check the lamp in a seat's valid values `good`, and put the valid values of one of three colours there."""
    lamp = good.get("lamp")
    if isinstance(lamp, dict):
        good["lamp"] = read_values(LampSettings, lamp, f"{place[:-1]}.lamp]", complaints)
        if "lamp_gpio" in raw:
            complaints.error(place, "", "has both lamp_gpio and a lamp of three colours; a seat has one lamp")
    has_lamp = bool(raw.keys() & {"lamp", "lamp_gpio"})
    if not has_lamp and "screen" not in raw:
        complaints.error(place, "", "has neither a lamp nor a screen; a seat needs at least one of them")
    code = good.get("lamp_code")
    if code is not None and not has_lamp:
        reason = "this seat has no lamp; name its `lamp_gpio`, or leave this out"
        complaints.error(place, seen_as("lamp_code", code), reason)
    elif code == ONCE and "screen" not in raw:
        reason = "each look has another pattern, which only a screen explains; write 'dealt' at a seat without one"
        complaints.error(place, seen_as("lamp_code", code), reason)
