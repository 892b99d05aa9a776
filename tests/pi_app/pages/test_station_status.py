"""`/status.json` and `/metrics`: their form, and that no field can hold a secret."""

from __future__ import annotations

import re
import typing

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.pages.station_status import (
    MOST_BYTES,
    PagesStatus,
    StationStatus,
    TroubleStatus,
    metrics,
    read_status,
    status_line,
)

TABLE = PagesStatus(pages=1, joins=2, joined=3, streams=4, refused=5)
HOT = TroubleStatus(code="too_hot", weight=2, since_s=61, seen="It is warm.", do="Give it air.")
STATION = StationStatus(program="1.2.3", state="free", lamp="staff", troubles=(HOT,), codes=("too_hot", "disk_full"))

METRICS = """\
# HELP trapdial_pages_total Pages that phones asked for.
# TYPE trapdial_pages_total counter
trapdial_pages_total 1
# HELP trapdial_joins_total Codes that phones scanned.
# TYPE trapdial_joins_total counter
trapdial_joins_total 2
# HELP trapdial_joined_total Scans that got through.
# TYPE trapdial_joined_total counter
trapdial_joined_total 3
# HELP trapdial_refused_total Requests that came too often.
# TYPE trapdial_refused_total counter
trapdial_refused_total 5
# HELP trapdial_streams Phones that are connected now.
# TYPE trapdial_streams gauge
trapdial_streams 4
# HELP trapdial_info The version of this program.
# TYPE trapdial_info gauge
trapdial_info{program="1.2.3",simulated="false"} 1
# HELP trapdial_open 1 while it is open by its hours.
# TYPE trapdial_open gauge
trapdial_open 1
# HELP trapdial_uptime_seconds Since the program began.
# TYPE trapdial_uptime_seconds gauge
trapdial_uptime_seconds 0
# HELP trapdial_visits_total Visits since the program began.
# TYPE trapdial_visits_total counter
trapdial_visits_total 0
# HELP trapdial_lamp 1 for what its lamps say.
# TYPE trapdial_lamp gauge
trapdial_lamp{says="ready"} 0
trapdial_lamp{says="staff"} 1
trapdial_lamp{says="unplug"} 0
# HELP trapdial_trouble 0 without this trouble; else 1, nothing is noticed; 2, something is missing; 3, nobody can play.
# TYPE trapdial_trouble gauge
trapdial_trouble{code="too_hot"} 2
trapdial_trouble{code="disk_full"} 0
"""


def test_the_metrics_of_a_station() -> None:
    assert metrics(msgspec.structs.replace(TABLE, station=STATION)) == METRICS


def test_a_table_that_is_no_station_has_the_counts_alone() -> None:
    assert metrics(TABLE) == METRICS[: METRICS.index("# HELP trapdial_info")]
    assert msgspec.json.decode(msgspec.json.encode(TABLE)) == {
        "pages": 1,
        "joins": 2,
        "joined": 3,
        "streams": 4,
        "refused": 5,
    }


def test_every_line_is_prometheus_text() -> None:
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? [0-9]+')
    for line in metrics(msgspec.structs.replace(TABLE, station=STATION)).splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line), line


@given(st.from_type(StationStatus))
@settings(max_examples=25)
def test_what_is_written_is_read(status: StationStatus) -> None:
    try:
        msgspec.convert(msgspec.to_builtins(status), StationStatus)
    except msgspec.ValidationError:
        return  # hypothesis does not know the limits of all fields
    assert read_status(status_line(status)) == status


@given(st.binary(max_size=200))
def test_garbage_is_no_status(line: bytes) -> None:
    assert read_status(line) is None


def test_the_longest_status_fits_its_message() -> None:
    trouble = TroubleStatus(code="a" * 40, weight=3, since_s=2**53, seen="é" * 400, do="é" * 400)
    longest = msgspec.structs.replace(STATION, troubles=(trouble,) * 15, codes=("a" * 40,) * 60)
    assert len(status_line(longest)) < MOST_BYTES


def test_no_field_can_hold_a_secret_of_a_game() -> None:
    """A number, a flag, a name of the program's own, or a sentence about a part: no text of a seat or of a square."""
    kinds = typing.get_type_hints(StationStatus, include_extras=False)
    assert {name: kind for name, kind in kinds.items() if kind is str} == {"program": str, "state": str}
    assert read_status(b'{"program": "The Cage, click 3"}') is None
    assert read_status(b'{"state": "T01 The Cage"}') is None
