"""Squares on hubs: every refusal and warning as a whole sentence."""

from __future__ import annotations

import pytest

from firmware_host.requirements import HubRequirements
from pi_app.play.parts import asked_of
from tests.pi_app.settings.good import BUS, GOOD, HEAD, SCREENS, SEATS, errors, good, warnings

HUB = '[hub.west]\nid = "e6616408432b5c21"\n'
ON_HUB = '[square.T02]\nhub = "west"\nchannel = 9\ntable = "blue"\n'
ON_BUS = '[square.T02]\nbus = "dials"\nmux = 0x70\nchannel = 2\ntable = "blue"\n'
MIXED = GOOD.replace(ON_BUS, ON_HUB).replace(SCREENS, SCREENS + HUB)
assert ON_HUB in MIXED


def changed(old: str, new: str) -> str:
    assert old in MIXED
    return MIXED.replace(old, new, 1)


def test_buses_and_hubs_may_be_mixed() -> None:
    read = good(MIXED)
    first, second = read.squares.values()
    assert (first.bus, first.hub, second.bus, second.hub, second.channel) == ("dials", None, None, "west", 9)
    assert second.counts_per_turn == 4096
    assert (read.hubs["west"].id, read.hubs["west"].port) == ("e6616408432b5c21", "")
    assert warnings(MIXED) == []


def test_a_table_of_hubs_alone_needs_no_bus() -> None:
    seats = SEATS.replace('[seat.ANN.screen]\nbus = "screens"\n', "")
    read = good(HEAD + HUB + '[square.T01]\nhub = "west"\nchannel = 0\ntable = "red"\n' + seats)
    assert (list(read.buses), list(read.squares)) == ([], ["T01"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'id = "e6616408432b5c21"\n',
            "",
            "t.toml [hub.west]: needs `id`, the 16 digits that `trapdial hub list` shows, or `port`, such as "
            "'/dev/ttyACM0'",
        ),
        (
            "e6616408432b5c21",
            "E661",
            "t.toml [hub.west] id = 'E661': must be the 16 digits that `trapdial hub list` shows, or empty",
        ),
        (
            'id = "e6616408432b5c21"',
            'port = "COM3"',
            "t.toml [hub.west] port = 'COM3': must be a device such as '/dev/ttyACM0', or empty",
        ),
        (
            HUB,
            HUB + '[hub.east]\nid = "e6616408432b5c21"\n',
            "t.toml [hub.east] id = 'e6616408432b5c21': is already the id of [hub.west]; each hub is a separate board",
        ),
        (
            'hub = "west"',
            'hub = "wset"',
            "t.toml [square.T02] hub = 'wset': there is no such hub; there is [hub.west]",
        ),
        (
            'hub = "west"',
            'bus = "dials"\nhub = "west"',
            "t.toml [square.T02] hub = 'west': has a bus too; a dial hangs on one of them",
        ),
        ("channel = 9\n", "", "t.toml [square.T02] hub = 'west': needs 'channel' beside it, from 0 to 15"),
        (
            "channel = 9",
            "channel = 16",
            "t.toml [square.T02] channel = 16: must be a channel from 0 to 7, on a hub from 0 to 15",
        ),
        (
            "channel = 9",
            "channel = 9\nmux = 0x70",
            "t.toml [square.T02] mux = 0x70: only a dial on a bus of the Pi has this key; remove it",
        ),
        (
            "channel = 9",
            'channel = 9\nchip = "mt6701"',
            "t.toml [square.T02] chip = 'mt6701': a hub reads 'as5600' only; use a bus of the Pi",
        ),
        (
            "channel = 9",
            'channel = 9\nmemory = "24aa02uid"',
            "t.toml [square.T02] memory = '24aa02uid': only a dial on a bus of the Pi has this key; remove it",
        ),
        (
            ON_HUB,
            ON_HUB + ON_HUB.replace("T02", "T03"),
            "t.toml [square.T03] channel = 9: is already the channel of [square.T02] on this hub; move one",
        ),
    ],
)
def test_each_refusal_is_one_sentence(old: str, new: str, message: str) -> None:
    assert message in errors(changed(old, new))


def test_a_hub_that_cannot_be_read_is_not_complained_of_twice() -> None:
    assert len(errors(changed("e6616408432b5c21", "E661"))) == 1


def test_a_hub_without_squares_is_noticed() -> None:
    assert warnings(GOOD.replace(BUS, BUS + HUB)) == ["t.toml [hub.west]: no square hangs on it; it is not opened"]


@pytest.mark.parametrize("scan_hz", [50, 100, 1000])
def test_a_hub_reports_every_20_ms_whatever_the_scan_rate(scan_hz: int) -> None:
    read = good(MIXED.replace(HEAD, f"{HEAD}scan_hz = {scan_hz}\n"))
    asked = asked_of("west", read.hubs["west"], {"T02": 9, "T03": 3}, read, {})
    assert asked == HubRequirements("west", "e6616408432b5c21", "", 10, 20, 35)
