"""Pages and sections that several tests read."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pi_app.game.ruleset import Ruleset
from pi_app.settings import load as settings
from pi_app.settings.centre_section import CentreSection
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import (
    ArtifactSettings,
    BusSettings,
    LampSettings,
    MuxSettings,
    ScreenSettings,
    TableSettings,
)
from pi_app.settings.pages_section import PagesSettings
from pi_app.settings.record_section import RecordSettings
from pi_app.settings.station_section import StationSettings
from pi_app.settings.wiring_section import WiringSettings

CHIPS = "wiring_docs/adding_a_chip.md"
SECTIONS: Mapping[str, type[msgspec.Struct]] = {
    "`[table]`": TableSettings,
    "`[ruleset]`": Ruleset,
    "`[artifacts]`": ArtifactSettings,
    "`[wiring]`": WiringSettings,
    "`[record]`": RecordSettings,
    "`[pages]`": PagesSettings,
    "`[station]`": StationSettings,
    "`[centre]`": CentreSection,
    "`[bus.NAME]`": BusSettings,
    "`[[bus.NAME.mux]]`": MuxSettings,
    "`[hub.NAME]`": HubSettings,
    "`[square.LABEL]`": settings._SquareRow,
    "`[seat.KEY]`": settings._SeatRow,
    "`[seat.KEY.lamp]`": LampSettings,
    "`[seat.KEY.screen]`": ScreenSettings,
}
