"""What was checked before power, as a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence

from pi_app.plans.wiring.check import WiringCheck
from pi_app.plans.wiring.checks import table
from pi_app.plans.wiring.sheet import TextTable


def page(name: str, found: Sequence[WiringCheck]) -> str:
    """Every check with its sign, number, limit and source, and what to do about those that are not well."""
    rows = tuple((check.sign.value, check.part, check.place, check.seen) for check in found)
    lines = [f"# {name}: checked before power", ""]
    lines += ["Reckoned from the settings; nothing was measured. `ok` is well, `??` should be looked at, `!!` must not"]
    lines += [f"be built so. In all: {table(found)[-1]}.", ""]
    lines += [TextTable(("", "what", "where", "found, limit and source"), rows).markdown(), ""]
    if told := [check for check in found if check.advice]:
        lines += ["## What to do", "", *(f"- {check.words}" for check in told), ""]
    return "\n".join(lines)
