"""The checks before power, as a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence

from pi_app.plans.wiring.check import WiringCheck
from pi_app.plans.wiring.checks import table
from pi_app.plans.wiring.sheet import TextTable


def page(name: str, found: Sequence[WiringCheck]) -> str:
    """Every check with its sign, value, limit and source, and the advice of those that did not pass."""
    rows = tuple((check.sign.value, check.part, check.place, check.seen) for check in found)
    lines = [f"# {name}: checks before power", ""]
    lines += ["Calculated from the settings; nothing was measured. `ok`: passed. `??`: check it yourself. `!!`: do not"]
    lines += [f"build it this way. In all: {table(found)[-1]}.", ""]
    lines += [TextTable(("", "check", "place", "value, limit and source"), rows).markdown(), ""]
    if advised := [check for check in found if check.advice]:
        lines += ["## What to do", "", *(f"- {check.words}" for check in advised), ""]
    return "\n".join(lines)
