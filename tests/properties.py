"""How many cases Hypothesis makes for a property whose cases take long: half of TRAPDIAL_EXAMPLES."""

from __future__ import annotations

from typing import Final

from hypothesis import settings

costly: Final = settings(max_examples=max(1, settings().max_examples // 2))
