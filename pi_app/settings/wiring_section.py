"""`[wiring]` of the settings: the builder's choices. They do not change how a game runs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

PiModel = Literal["zero2", "3", "4", "5"]


def _metres(most: float) -> Meta:
    return Meta(ge=0.02, le=most, description=f"metres from 0.02 to {most:g}")


def _ohm() -> Meta:
    return Meta(ge=0, le=100_000, description="whole ohms up to 100000, or 0 for none")


LeadLength = Annotated[float, _metres(10)]
PullUpOhm = Annotated[int, _ohm()]


class WiringSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[wiring]: lengths in metres, resistors in ohms. A pull-up named after a board is on that board."""

    pi: Annotated[PiModel, Meta(description="'zero2', '3', '4' or '5'")] = "4"
    supply: Annotated[Literal["pi", "regulator"], Meta(description="'pi' or 'regulator'")] = "pi"
    supply_ma: Annotated[int, Meta(ge=50, le=10_000, description="whole milliamperes from 50 to 10000")] = 500
    trunk_m: LeadLength = 0.1
    lead_m: LeadLength = 0.5
    screen_m: LeadLength = 0.5
    seat_m: LeadLength = 0.5
    usb_m: LeadLength = 1.5
    cable_pf_per_m: Annotated[int, Meta(ge=10, le=500, description="whole picofarads per metre from 10 to 500")] = 100
    bus_pull_up_ohm: PullUpOhm = 2200
    channel_pull_up_ohm: PullUpOhm = 4700
    mux_pull_up_ohm: PullUpOhm = 0
    tile_pull_up_ohm: PullUpOhm = 0
    screen_pull_up_ohm: PullUpOhm = 0
    lamp_ohm: Annotated[int, Meta(ge=100, le=10_000, description="whole ohms from 100 to 10000")] = 330
    hot_plug: bool = False
