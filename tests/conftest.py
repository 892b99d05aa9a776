"""What holds for every test: Hypothesis judges properties and never how long this machine takes.

TRAPDIAL_EXAMPLES is how many cases it makes for a property that does not say it itself: fewer every day, more in CI.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("TRAPDIAL_EXAMPLES", "40")),
)
settings.load_profile("untimed")
