"""The usual square, made once for all tests."""

from __future__ import annotations

from functools import cache

from pi_app.plans.printed.checks import MeshCheck, checks
from pi_app.plans.printed.parts import assembled
from pi_app.plans.printed.solid import Solid
from pi_app.plans.printed.square import PrintedSquare

USUAL = PrintedSquare()


@cache
def parts() -> dict[str, Solid]:
    return assembled(USUAL)


@cache
def found() -> tuple[MeshCheck, ...]:
    return checks(USUAL, parts())
