"""The checks in `inside` run in the guest alone: outside there is no such kernel to ask."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("TRAPDIAL_GUEST") else ["inside"]
