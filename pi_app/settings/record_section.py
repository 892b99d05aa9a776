"""The section [record] of the settings: where the keys of the record are."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class RecordSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[record]: the keys of the table's journal. `keys`: the folder that has them, such as a USB stick's."""

    keys: Annotated[str, Meta(max_length=200, description="a folder, or empty for beside the journal")] = ""
