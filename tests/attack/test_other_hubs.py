"""The attacker has a board with a real key of this table, but of another hub: of one that plays, of a spare, or of an
older board. Or he recorded a session of another hub, or passes the lines of one hub off as those of two.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import HubReport, LinkNotice, LinkState
from firmware_host.port_owners import PortOwners
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubSession
from firmware_host.sims.scripted_hub import ScriptedHub
from hardware.clock import MachineClock
from pi_app.play.parts import asked_of
from pi_app.settings.hubs import HubSettings
from pi_app.text.errors import UserFileError
from tests.firmware_host.exchange import MS, PLACE, still
from tests.firmware_host.pty_hub import PtyHub
from tests.pi_app.hubs import mixed

NORTH, SOUTH, SPARE = "e6616408432b5c21", "e661640843ffffff", "e661640843aaaaaa"
KEYS = {NORTH: bytes(range(32)), SOUTH: bytes(range(100, 132))}
PORT = "/dev/ttyACM0"
REAL, FALSE = (100, 200), (3000, 3100)
BY_ID = {"north": HubSettings(id=NORTH), "south": HubSettings(id=SOUTH)}
BY_PORT = {"north": HubSettings(port=PORT), "south": HubSettings(id=SOUTH)}

Lines = list[bytes]


def wanted(name: str, hubs: dict[str, HubSettings], keys: dict[str, bytes]) -> HubRequirements:
    """What a table with these hubs and keys asks of one of them, with its first two channels in use."""
    settings = mixed()
    object.__setattr__(settings, "hubs", hubs)
    return asked_of(name, hubs[name], {"T01": 0, "T02": 1}, settings, keys)


def board(uid: str, key: bytes, angles: tuple[int, ...] = FALSE) -> ScriptedHub:
    return ScriptedHub(still(*angles), 2, uid, key=key)


class Cable:
    """A session, a board, and what the attacker does to the lines between them."""

    def __init__(self, required: HubRequirements, hub: ScriptedHub, draw: int = 0) -> None:
        numbers = iter(range(draw * 1_000_000 + 17, 1 << 32, 7919))
        self.session, self.hub = HubSession(required, lambda: next(numbers)), hub
        self.to_pi: Callable[[Lines, Lines], Lines] = lambda sent, asked: sent
        self.seen: Lines = []
        self.events: list[object] = []
        self.now_ns = 1_000 * MS
        self.session.opened(PLACE, self.now_ns)

    def run(self, ms: int) -> Cable:
        for _ in range(ms):
            self.now_ns += MS
            asked = self.session.poll(self.now_ns)
            now_us = self.now_ns // 1000
            sent = (self.hub.feed(asked, now_us) + self.hub.tick(now_us)).splitlines(keepends=True)
            self.seen += sent
            arrived = self.to_pi(sent, asked.splitlines(keepends=True))
            self.events += self.session.feed(b"".join(arrived), self.now_ns)
        return self

    @property
    def angles(self) -> set[int]:
        reports = [event for event in self.events if isinstance(event, HubReport)]
        return {sample.value & 0xFFF for report in reports for sample in report.samples}

    @property
    def words(self) -> str:
        return next((event.words for event in reversed(self.events) if isinstance(event, LinkNotice)), "")


@pytest.mark.parametrize("hubs", [BY_ID, BY_PORT], ids=["by id", "by port"])
def test_each_hub_plays_with_its_own_board(hubs: dict[str, HubSettings]) -> None:
    for name, uid in (("north", NORTH), ("south", SOUTH)):
        assert Cable(wanted(name, hubs, KEYS), board(uid, KEYS[uid], REAL)).run(300).angles == set(REAL)


@pytest.mark.parametrize("hubs", [BY_ID, BY_PORT], ids=["by id", "by port"])
@pytest.mark.parametrize("uid", [NORTH, SOUTH, SPARE])
def test_a_board_with_the_key_of_another_hub_counts_nowhere_else(hubs: dict[str, HubSettings], uid: str) -> None:
    """At the north's port, with the south's key, whatever id it states."""
    one = Cable(wanted("north", hubs, KEYS), board(uid, KEYS[SOUTH])).run(500)
    assert one.angles == set()
    assert one.session.state in (LinkState.WRONG_BOARD, LinkState.UNTRUSTED)
    assert one.words.startswith(f"hub north ({PLACE}) ")


def test_the_settings_are_refused_where_a_port_could_have_several_boards() -> None:
    """The key of a spare, or of an older board, is beside the settings too: nothing says which board the port has."""
    with pytest.raises(UserFileError) as refused:
        wanted("north", BY_PORT, {**KEYS, SPARE: bytes(32)})
    assert str(refused.value) == (
        f"[hub.north] port {PORT}: 2 boards have a key beside these settings ({NORTH}, {SPARE}), and a port does not "
        "say which counts. Write `id` of yours into this section; `trapdial hub list` shows it."
    )
    assert wanted("north", {"north": HubSettings(port=PORT, trust="cable")}, {}).key_of is None


def test_a_recorded_session_of_another_hub_is_refused() -> None:
    """Whole, and its sealed lines put into a session that runs."""
    other = Cable(wanted("south", BY_ID, KEYS), board(SOUTH, KEYS[SOUTH]), draw=1).run(400)
    assert other.angles == set(FALSE)
    recorded = iter(other.seen)
    whole = Cable(wanted("north", BY_ID, KEYS), board(NORTH, KEYS[NORTH]), draw=2)
    whole.to_pi = lambda sent, asked: [line for _, line in zip(range(2), recorded, strict=False)]
    assert whole.run(300).angles == set()
    mixed_in = Cable(wanted("north", BY_ID, KEYS), board(NORTH, KEYS[NORTH], REAL), draw=3).run(300)
    sealed = [line for line in other.seen if int(line[1:3], 16) & wire.SEALED]
    assert len(sealed) > 10
    mixed_in.to_pi = lambda sent, asked: [*sent, *sealed]
    assert mixed_in.run(50).angles == set(REAL)
    assert mixed_in.session.state is LinkState.UNTRUSTED


@pytest.mark.parametrize("renamed", [False, True], ids=["under its own id", "under the other's"])
def test_a_hub_that_answers_for_two_counts_for_one(renamed: bool) -> None:
    """The attacker leads the south's cable to the north's hub too, and may change the id in its greeting."""
    one = Cable(wanted("south", BY_ID, KEYS), board(NORTH, KEYS[NORTH]))
    if renamed:
        one.to_pi = lambda sent, asked: [_with_id(line, SOUTH) for line in sent]
    assert one.run(300).angles == set()
    assert one.session.state is (LinkState.UNTRUSTED if renamed else LinkState.WRONG_BOARD)


def _with_id(line: bytes, uid: str) -> bytes:
    read = wire.message(line[1:-1])
    assert read is not None
    kind, seq, body = read
    return wire.line(kind, seq, body[:8] + bytes.fromhex(uid) + body[16:]) if kind == wire.WELCOME else line


def test_the_pis_own_lines_sent_back_to_it_are_no_readings() -> None:
    """Both ends seal with one key."""
    one = Cable(wanted("north", BY_ID, KEYS), board(NORTH, KEYS[NORTH], REAL)).run(300)
    one.to_pi = lambda sent, asked: [*asked, *sent]
    one.run(2_500)
    assert one.angles == set(REAL)


@pytest.mark.slow
def test_a_board_that_answers_at_two_ports_counts_at_one(tmp_path: Path) -> None:
    """With its right key, on real ports, for two hubs of which one is named by its port alone."""
    owners, clock = PortOwners(), MachineClock()
    hubs = {"north": HubSettings(id=NORTH), "south": HubSettings(port=str(tmp_path / "two"))}
    keys = {NORTH: KEYS[NORTH]}
    north = wanted("north", {**hubs, "north": HubSettings(id=NORTH, port=str(tmp_path / "one"))}, keys)
    with (
        PtyHub(board(NORTH, KEYS[NORTH], REAL), tmp_path / "one"),
        PtyHub(board(NORTH, KEYS[NORTH]), tmp_path / "two"),
        Link(north, clock, owners=owners) as first,
        Link(wanted("south", hubs, keys), clock, owners=owners) as second,
    ):
        until_ns = clock.now_ns() + 20_000_000_000
        events: list[HubReport | LinkNotice] = []
        others: list[HubReport | LinkNotice] = []
        while clock.now_ns() < until_ns and not (any(isinstance(each, HubReport) for each in events) and others):
            first.wait(clock.now_ns() + 100 * MS)
            events += first.take()
            others += second.take()
    assert any(isinstance(each, HubReport) for each in events)
    (notice,) = others
    assert isinstance(notice, LinkNotice)
    assert notice.state is LinkState.UNTRUSTED
