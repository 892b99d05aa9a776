"""The example tables and what their checks find."""

from __future__ import annotations

from pi_app.plans.check import Sign
from pi_app.plans.wiring.check import WiringCheck
from pi_app.plans.wiring.checks import checks
from pi_app.plans.wiring.nets import wired
from pi_app.settings.load import example_path
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.tables import read

TEXTS = {size: example_path(size).read_text(encoding="utf-8") for size in ("2x2", "8x4", "16x4")}
EXAMPLES = {size: read(text) for size, text in TEXTS.items()}


def found(settings: Settings, *, spi: bool = False) -> list[WiringCheck]:
    return list(checks(wired(settings), settings, spi=spi))


def bad(settings: Settings, *, spi: bool = False) -> list[str]:
    return [str(check) for check in found(settings, spi=spi) if check.sign is not Sign.GOOD]
