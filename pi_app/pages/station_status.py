"""What programs may know of a station: `/status.json`, and `/metrics` for Prometheus. Pure.

No field can hold a secret: each is a number, a flag, a name of this program's own, or a sentence about a part. Nothing
here is made from a game, so two games over other trap tables give the same bytes (S-6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.journal.record.entry import ClockSource

MOST_BYTES: Final = 32_000
"""The longest status."""

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]
"""A name of this program's own, such as `disk_full`."""

Line = Annotated[str, Meta(max_length=400)]
"""A sentence about a part, in English."""

Count = Annotated[int, Meta(ge=0, le=2**53)]


class TroubleStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One trouble now. `weight`: 1, visitors notice nothing; 2, something is missing; 3, nobody can play. `since_s`:
    for how many seconds. `seen` and `do`: its sentence, and what to do, as on the staff page."""

    code: Name
    weight: Annotated[int, Meta(ge=1, le=3)]
    since_s: Count
    seen: Line
    do: Line


class StationStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A station. `version`: of this form; a reader ignores fields that it does not know. `program`: the version of
    Trapdial. `state`: of the visit, or `recovery`. `open`: whether it is open by its hours. `lamp`: what its lamps say.
    `uptime_s`: since the program began. `visits`: since then. `clock`: who keeps its date right. `codes`: the names of
    all troubles."""

    version: Literal[1] = 1
    program: Annotated[str, Meta(pattern=r"^[0-9A-Za-z.+-]{0,40}\Z")] = ""
    simulated: bool = False
    state: Name = "attract"
    open: bool = True
    lamp: Literal["ready", "staff", "unplug"] = "ready"
    uptime_s: Count = 0
    visits: Count = 0
    clock: ClockSource = "none"
    troubles: Annotated[tuple[TroubleStatus, ...], Meta(max_length=40)] = ()
    codes: Annotated[tuple[Name, ...], Meta(max_length=60)] = ()


class PagesStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole of `/status.json`: what the page process counted since it began, and its station, which is left out for
    a table that is none. `pages`: pages asked for; `joins`: scans; `joined`: scans that got through; `streams`: phones
    open now; `refused`: requests that came too often."""

    pages: Count
    joins: Count
    joined: Count
    streams: Count
    refused: Count
    station: StationStatus | None = None


_decoder: Final = msgspec.json.Decoder(StationStatus)


def status_line(status: StationStatus) -> bytes:
    """Return the JSON of a station's status."""
    return msgspec.json.encode(status)


def read_status(line: bytes) -> StationStatus | None:
    """Return the status in a line of JSON; None for anything else."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


# --------------------------------------------------------------------------------------------------------- Prometheus

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_COUNTERS: Final = {
    "pages": "Pages that phones asked for.",
    "joins": "Codes that phones scanned.",
    "joined": "Scans that got through.",
    "refused": "Requests that came too often.",
}


def metrics(status: PagesStatus) -> str:
    """Return the status in Prometheus' text format 0.0.4."""
    return "".join(f"{line}\n" for line in _lines(status))


def _lines(status: PagesStatus) -> Iterator[str]:
    for name, about in _COUNTERS.items():
        yield from _metric(f"trapdial_{name}_total", "counter", about, {"": getattr(status, name)})
    yield from _metric("trapdial_streams", "gauge", "Phones that are connected now.", {"": status.streams})
    station = status.station
    if station is None:
        return
    info = f'{{program="{station.program}",simulated="{str(station.simulated).lower()}"}}'
    yield from _metric("trapdial_info", "gauge", "The version of this program.", {info: 1})
    yield from _metric("trapdial_open", "gauge", "1 while it is open by its hours.", {"": int(station.open)})
    yield from _metric("trapdial_uptime_seconds", "gauge", "Since the program began.", {"": station.uptime_s})
    yield from _metric("trapdial_visits_total", "counter", "Visits since the program began.", {"": station.visits})
    lamps = {f'{{says="{each}"}}': int(each == station.lamp) for each in ("ready", "staff", "unplug")}
    yield from _metric("trapdial_lamp", "gauge", "1 for what its lamps say.", lamps)
    weights = {each.code: each.weight for each in station.troubles}
    codes = dict.fromkeys((*station.codes, *weights))
    troubles = {f'{{code="{code}"}}': weights.get(code, 0) for code in codes}
    about = "0 without this trouble; else 1, nothing is noticed; 2, something is missing; 3, nobody can play."
    yield from _metric("trapdial_trouble", "gauge", about, troubles)


def _metric(name: str, kind: str, about: str, values: dict[str, int]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    yield from (f"{name}{labels} {value}" for labels, value in values.items())
