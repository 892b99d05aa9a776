"""The attacker has a second board with the id of a hub, or a device in the hub's cable that reads, changes, keeps back
and repeats every line. He wants an angle of his own to count as a dial's, at the start, in a game, or after an unplug.
"""

from __future__ import annotations

import contextlib
import importlib.util
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host import ports
from firmware_host.hub import seal, wire
from firmware_host.link import Link
from firmware_host.link_events import HubReport, LinkNotice, LinkState
from firmware_host.port_owners import PortOwners
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubSession
from firmware_host.sims.bad_wire import BadWire
from firmware_host.sims.board_twin import BoardTwin
from firmware_host.sims.scripted_hub import ScriptedHub
from firmware_host.source import HubDials, HubSource, NamedSample
from hardware.clock import MachineClock
from hardware.readings import Reading
from hardware.sims.clock import VirtualClock
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.settings import hub_keys
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from tests.firmware_host.exchange import MS, PLACE, still
from tests.firmware_host.hub.bench import Bench
from tests.firmware_host.pty_hub import PtyHub
from tests.firmware_host.sims.port import real
from tests.pi_app.hubs import mixed
from tests.pi_app.playing import Played, table

UID, OTHER_UID = "e6616408432b5c21", "e661640843ffffff"
KEY, OTHER_KEY = bytes(range(32)), bytes(range(100, 132))
REMEDIES = (
    'Run trapdial hub install north again, or write trust = "cable" in [hub.north] if you trust everything on its '
    "cable."
)
HONEST, FALSE = (100, 200), (3000, 3100)
KEYED = HubRequirements("north", uid=UID, dials=2, key_of={UID: KEY}.get)
CABLE = HubRequirements("north", uid=UID, dials=2)

Lines = list[bytes]


def honest(key: bytes = KEY, uid: str = UID, boot: int = 0xA1B2C3D4) -> ScriptedHub:
    return ScriptedHub(still(*HONEST), 2, uid, boot, key=key)


class Attacked:
    """A session, a hub, and the attacker between them: `to_pi` and `to_hub` get the lines and return what arrives."""

    def __init__(self, required: HubRequirements = KEYED, hub: ScriptedHub | None = None, draw: int = 0) -> None:
        self.hub = hub or honest()
        numbers = iter(range(draw * 1_000_000 + 17, 1 << 32, 7919))
        self.session = HubSession(required, lambda: next(numbers))
        self.to_pi: Callable[[Lines], Lines] = lambda lines: lines
        self.to_hub: Callable[[Lines], Lines] = lambda lines: lines
        self.events: list[object] = []
        self.seen: Lines = []
        """Every line of the hub."""
        self.now_ns = 1_000 * MS
        self.session.opened(PLACE, self.now_ns)

    def run(self, ms: int) -> Attacked:
        for _ in range(ms):
            self.now_ns += MS
            asked = self.to_hub(self.session.poll(self.now_ns).splitlines(keepends=True))
            now_us = self.now_ns // 1000
            lines = (self.hub.feed(b"".join(asked), now_us) + self.hub.tick(now_us)).splitlines(keepends=True)
            self.seen += lines
            self.events += self.session.feed(b"".join(self.to_pi(lines)), self.now_ns)
        return self

    @property
    def angles(self) -> set[int]:
        return {
            sample.value & 0xFFF for event in self.events if isinstance(event, HubReport) for sample in event.samples
        }

    @property
    def notices(self) -> list[LinkNotice]:
        return [event for event in self.events if isinstance(event, LinkNotice)]

    @property
    def last(self) -> tuple[LinkState, str]:
        return self.notices[-1].state, self.notices[-1].words


def kind_of(line: bytes) -> int:
    return int(line[1:3], 16)


def report(line: bytes) -> bool:
    return kind_of(line) == wire.REPORT | wire.SEALED


def changed(line: bytes, at: int, new: bytes) -> bytes:
    """A line with other bytes in its body, and a CRC that fits."""
    found = wire.message(line[1:-1])
    assert found is not None
    kind, seq, body = found
    return wire.line(kind, seq, body[:at] + new + body[at + len(new) :])


def forged(*angles: int) -> bytes:
    """A report without any key."""
    other = ScriptedHub(still(*angles), 2)
    other.feed(wire.line(wire.HELLO, 0, b"\2\2\0\0\0\0") + wire.line(wire.STREAM, 1, b"\0\x14\0\x23"), 0)
    return other.tick(30_000).splitlines(keepends=True)[0]


# ------------------------------------------------------------------------------------------------------ an honest hub


def test_a_keyed_hub_plays() -> None:
    one = Attacked().run(2500)
    assert one.angles == set(HONEST)
    assert [notice.state for notice in one.notices] == [LinkState.RUNNING]
    assert one.session.counts.lost == one.session.counts.refused == one.session.counts.strange == 0
    assert {kind_of(line) for line in one.seen} == {0x81, 0x87, 0xC2, 0xC3, 0xC4}


def test_one_that_restarts_proves_its_key_again() -> None:
    one = Attacked().run(300)
    one.hub.restart(99)
    one.events.clear()
    one.run(1200)
    assert one.angles == set(HONEST)
    assert LinkState.UNTRUSTED not in [notice.state for notice in one.notices]


# ---------------------------------------------------------------------------------------------------- a second board


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (b"", f"hub north ({PLACE}) has no key, so nothing shows that it is your board. {REMEDIES}"),
        (
            OTHER_KEY,
            f"hub north ({PLACE}) claims to be board {UID}, but does not have its key. Look for a second board or a "
            f"device in its cable. {REMEDIES}",
        ),
    ],
    ids=["no key", "another key"],
)
def test_a_clone_of_the_id_never_counts(key: bytes, words: str) -> None:
    one = Attacked(hub=ScriptedHub(still(*FALSE), 2, UID, key=key)).run(500)
    assert one.last == (LinkState.UNTRUSTED, words)
    assert one.angles == set()
    assert one.session.poll(one.now_ns + 10_000 * MS) == b""


def test_settings_without_a_key_name_both_remedies() -> None:
    one = Attacked(replace(KEYED, key_of=lambda uid: None)).run(100)
    seen = f"is board {UID}, and these settings have no key for it"
    assert one.last == (LinkState.UNTRUSTED, f"hub north ({PLACE}) {seen}. {REMEDIES}")
    assert one.angles == set()


def test_two_keyed_boards_cannot_swap_their_ids() -> None:
    """The settings have both keys. Each board claims the other's id."""
    required = replace(KEYED, key_of={UID: KEY, OTHER_UID: OTHER_KEY}.get)
    assert Attacked(required, honest(OTHER_KEY, UID)).run(200).last[0] is LinkState.UNTRUSTED
    elsewhere = replace(required, uid=OTHER_UID)
    assert Attacked(elsewhere, honest(OTHER_KEY, OTHER_UID)).run(200).angles == set(HONEST)


@pytest.mark.parametrize("required", [KEYED, CABLE], ids=["key", "cable"])
@pytest.mark.parametrize("uid", [UID, OTHER_UID])
def test_reports_before_identity_and_before_they_are_asked_for(required: HubRequirements, uid: str) -> None:
    """The board answers the greeting and sends reports in the same bytes."""
    one = Attacked(required, ScriptedHub(still(*FALSE), 2, uid))
    one.hub.ignores |= {wire.PROVE, wire.STREAM, wire.PING}

    def inject(lines: Lines) -> Lines:
        return [forged(*FALSE), *lines, forged(*FALSE), forged(*FALSE)]

    one.to_pi = inject
    one.run(1)
    one.to_pi = lambda lines: lines
    one.run(450)
    assert one.session.counts.strange >= 1
    assert not any(isinstance(event, HubReport) for event in one.events)


def test_a_board_that_never_answers_the_challenge_is_left_for_another_port() -> None:
    one = Attacked()
    one.hub.ignores.add(wire.PROVE)
    one.run(1200)
    words = f"hub north ({PLACE}) does not prove its key: no answer to 3 challenges. {REMEDIES}"
    assert one.last == (LinkState.UNTRUSTED, words)


@pytest.mark.parametrize("trick", ["welcomes", "no session"])
def test_a_clone_cannot_keep_the_link_at_its_port(trick: str) -> None:
    """It answers the greeting again and again, or says that there is no session: the link must get to other ports."""
    one = Attacked(hub=ScriptedHub(still(*FALSE), 2, UID, key=OTHER_KEY))
    welcomes: Lines = []

    def stall(lines: Lines) -> Lines:
        welcomes.extend(line for line in lines if kind_of(line) == wire.WELCOME)
        return [line for line in lines if kind_of(line) != wire.PROOF] + welcomes[-1:]

    if trick == "welcomes":
        one.to_pi = stall
    else:
        one.hub.refuses[wire.PROVE] = wire.NO_SESSION
    one.run(1500)
    assert one.last[0] is LinkState.UNTRUSTED


# ------------------------------------------------------------------------------------------------ a device in the cable

TAMPERED = (
    f"hub north ({PLACE}) delivered a line that its key does not confirm: false, repeated or out of order. Look for a "
    "device in its cable or hub. The line did not count; the program tries again in 30 s."
)


def attacked_after(ms: int, to_pi: Callable[[Lines], Lines], draw: int = 0) -> Attacked:
    one = Attacked(draw=draw).run(ms)
    assert one.angles == set(HONEST)
    one.to_pi = to_pi
    return one


def test_an_injected_report() -> None:
    one = attacked_after(300, lambda lines: [*lines, forged(*FALSE)]).run(5)
    assert one.last == (LinkState.UNTRUSTED, TAMPERED)
    assert one.angles == set(HONEST)


def test_a_changed_report() -> None:
    """The attacker rewrites an angle and the CRC; the line keeps its counter and its check."""

    def change(lines: Lines) -> Lines:
        return [changed(line, 18, b"\x0b\xb8") if report(line) else line for line in lines]

    one = attacked_after(300, change).run(60)
    assert one.last == (LinkState.UNTRUSTED, TAMPERED)
    assert one.angles == set(HONEST)


def test_a_repeated_report() -> None:
    one = attacked_after(300, lambda lines: [each for line in lines for each in (line, line)]).run(60)
    assert one.last == (LinkState.UNTRUSTED, TAMPERED)


def test_reports_in_another_order() -> None:
    held: Lines = []

    def swap(lines: Lines) -> Lines:
        held.extend(lines)
        if len(held) < 2:
            return []
        (first, second), held[:] = held[:2], held[2:]
        return [second, first]

    one = attacked_after(300, swap).run(120)
    assert one.last == (LinkState.UNTRUSTED, TAMPERED)
    assert one.session.counts.refused == 1


def test_lines_of_an_older_session() -> None:
    """Each session has another key, also without a restart of the hub."""
    older = Attacked(draw=1).run(400)
    recorded = [line for line in older.seen if kind_of(line) & wire.SEALED]
    assert len(recorded) > 10
    one = attacked_after(300, lambda lines: [*lines, *recorded], draw=2).run(5)
    assert one.last == (LinkState.UNTRUSTED, TAMPERED)
    assert one.session.counts.refused == 1


def test_a_whole_older_session_played_back() -> None:
    """A recording of the greeting, the proof and all reports, without a hub: the challenge differs."""
    older = Attacked(draw=1).run(400)
    one = Attacked(draw=2)
    one.to_hub = lambda lines: []
    playback = iter(older.seen)

    def play(lines: Lines) -> Lines:
        return [line for _, line in zip(range(2), playback, strict=False)]

    one.to_pi = play
    one.run(300)
    assert one.angles == set()
    assert one.notices == []


def test_an_older_proof_for_a_new_greeting() -> None:
    older = Attacked(draw=1).run(100)
    (proof,) = (line for line in older.seen if kind_of(line) == wire.PROOF)
    one = Attacked(draw=2)
    one.to_pi = lambda lines: [proof if kind_of(line) == wire.PROOF else line for line in lines]
    assert one.run(100).last[0] is LinkState.UNTRUSTED


def test_lost_reports_are_counted_and_the_rest_counts() -> None:
    dropped: Lines = []

    def drop(lines: Lines) -> Lines:
        kept = [line for line in lines if not report(line) or len(dropped) >= 3]
        dropped.extend(line for line in lines if line not in kept)
        return kept

    one = attacked_after(300, drop).run(400)
    assert (len(dropped), one.session.counts.lost) == (3, 3)
    assert one.session.state is LinkState.RUNNING


def test_exactly_256_lost_lines_do_not_go_unnoticed() -> None:
    """The number of a line is modulo 256; the counter is not."""
    hub, pi = seal.Seal(KEY, b"same"), seal.Seal(KEY, b"same")
    lines = [hub.close(0xC4, n % 256, b"body") for n in range(258)]
    assert pi.open(0xC4, 0, lines[0]) == b"body"
    assert pi.open(0xC4, 1, lines[257]) == b"body"
    assert pi.lost == 256


def test_reports_that_are_held_back_do_not_count_as_new() -> None:
    """The device delivers every line, in order, each a little later than the one before."""
    queue: list[tuple[int, bytes]] = []
    one = attacked_after(300, lambda lines: lines)
    began_ns = one.now_ns

    def slower(lines: Lines) -> Lines:
        behind_ns = (one.now_ns - began_ns) // 3
        queue.extend((one.now_ns + behind_ns, line) for line in lines)
        due = [line for at_ns, line in queue if at_ns <= one.now_ns]
        queue[:] = [each for each in queue if each[0] > one.now_ns]
        return due

    one.to_pi = slower
    latest_ns = 0
    for _ in range(12_000):
        before = len(one.events)
        one.run(1)
        for event in one.events[before:]:
            if isinstance(event, HubReport):
                latest_ns = max(latest_ns, one.now_ns - event.at_ns)
    assert 100 * MS < latest_ns <= 2_000 * MS
    assert LinkState.STALE in [notice.state for notice in one.notices]


@pytest.mark.parametrize(
    ("at", "new"),
    [(6, b"\x01"), (8, bytes.fromhex(OTHER_UID)), (16, b"\x09"), (20, b"\0\0\0\7"), (24, b"\0\0\0\7")],
    ids=["dials", "id", "firmware", "boot", "time"],
)
def test_a_changed_welcome(at: int, new: bytes) -> None:
    """The proof confirms every byte of the WELCOME."""
    one = Attacked(replace(KEYED, uid="", dials=1, key_of=lambda uid: KEY))
    one.to_pi = lambda lines: [changed(line, at, new) if kind_of(line) == wire.WELCOME else line for line in lines]
    one.run(200)
    assert one.last[0] is LinkState.UNTRUSTED
    assert one.angles == set()


@pytest.mark.parametrize("status", [wire.NO_KEY, wire.UNKNOWN])
def test_no_way_back_to_an_unkeyed_session(status: int) -> None:
    """The device removes the flag of the key, or answers for the hub that it cannot prove one."""
    one = Attacked()
    one.to_pi = lambda lines: [changed(line, 19, b"\0") if kind_of(line) == wire.WELCOME else line for line in lines]
    assert one.run(100).last[0] is LinkState.UNTRUSTED
    two = Attacked()
    two.hub.refuses[wire.PROVE] = status
    assert two.run(100).last[0] is LinkState.UNTRUSTED
    assert one.angles == two.angles == set()


def test_a_flood_of_false_lines_is_one_notice() -> None:
    one = attacked_after(300, lambda lines: [forged(*FALSE)] * 500)
    before = len(one.events)
    one.run(50)
    assert len(one.events) - before == 1
    assert one.session.counts.refused == 1


def test_a_false_no_session_costs_a_greeting_and_nothing_else() -> None:
    one = Attacked().run(300)
    spoof = [wire.line(wire.ACK, 0, bytes((wire.PING, n, wire.NO_SESSION))) for n in range(256)]
    one.to_pi = lambda lines: [*spoof, *lines] if one.now_ns // MS % 10 == 0 else lines
    one.run(1100)
    assert one.angles == set(HONEST)
    assert LinkState.UNTRUSTED not in [notice.state for notice in one.notices]


def test_every_changed_bit_is_refused() -> None:
    hub = seal.Seal(KEY, b"same")
    kind, seq, body = 0xC4, 7, bytes(range(40))
    sealed = hub.close(kind, seq, body)
    whole = bytes((kind, seq)) + sealed
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        assert seal.Seal(KEY, b"same").open(flipped[0], flipped[1], bytes(flipped[2:])) is None
    for length in range(len(sealed)):
        assert seal.Seal(KEY, b"same").open(kind, seq, sealed[:length]) is None
    assert seal.Seal(KEY, b"same").open(kind, seq, sealed) == body


# ------------------------------------------------------------------------------------------------- before the hub's end


def proven(bench: Bench) -> seal.Seal:
    """Greet a keyed hub and challenge it as the Pi does."""
    welcome = bench.hello()
    ((kind, _, proof),) = bench.send(wire.PROVE, ">QQ", 0, 0)
    assert kind == wire.PROOF
    found = seal.accepted(KEY, welcome, bytes(16), proof)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (wire.STREAM, struct.pack(wire.STREAM_BODY, 20, 1000)),
        (wire.MAINT, struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, wire.REPL)),
        (wire.BYE, b""),
        (wire.PING, bytes(4)),
    ],
)
def test_a_hub_in_a_keyed_session_obeys_sealed_commands_only(kind: int, body: bytes) -> None:
    bench = Bench(key=KEY)
    pi = proven(bench)
    before = len(bench.sent)
    bench.feed(wire.line(kind, 8, body))
    bench.feed(wire.line(kind | wire.SEALED, 8, body + bytes(12)))
    assert len(bench.sent) == before
    assert bench.hub.requested_action == 0
    bench.feed(wire.line(kind | wire.SEALED, 9, pi.close(kind | wire.SEALED, 9, body)))
    assert len(bench.sent) == before + 1


def test_a_hub_refuses_a_repeated_command() -> None:
    bench = Bench(key=KEY)
    line = wire.line(wire.PING | wire.SEALED, 9, proven(bench).close(wire.PING | wire.SEALED, 9, bytes(4)))
    bench.feed(line)
    before = len(bench.sent)
    bench.feed(line)
    assert len(bench.sent) == before
    assert bench.hub.refused == 1


# --------------------------------------------------------------------------------------------------------- at the table

PULLED = "hub west (USB) is not plugged in. Plug its cable in at both ends."


class SessionLink:
    """A link in virtual time: the session, and whichever board is plugged in."""

    def __init__(
        self, clock: VirtualClock, angles: Callable[[int], tuple[int, ...]], required: HubRequirements
    ) -> None:
        self._clock, self._session = clock, HubSession(required, iter(range(17, 1 << 32, 7919)).__next__)
        self.ours = ScriptedHub(lambda at_us: angles(at_us * 1000), 8, UID, key=KEY)
        self.board: ScriptedHub | None = self.ours
        self.to_pi: Callable[[Lines], Lines] = lambda lines: lines
        self._until_ns = clock.now_ns()
        self._events: list[object] = []
        self._session.opened(PLACE, self._until_ns)

    def plug(self, board: ScriptedHub | None) -> None:
        self.board = board
        self._events += self._session.no_port(LinkState.NO_PORT, PULLED, self._until_ns)
        if board is not None:
            self._session.opened(PLACE, self._until_ns)

    def take(self) -> Sequence[HubReport | LinkNotice]:
        now_ns = self._clock.now_ns()
        self._until_ns = max(self._until_ns, now_ns - 500 * MS)
        while self.board is not None and self._until_ns < now_ns:
            self._until_ns = min(self._until_ns + MS, now_ns)
            at_us = self._until_ns // 1000
            sent = self.board.feed(self._session.poll(self._until_ns), at_us) + self.board.tick(at_us)
            arrived = b"".join(self.to_pi(sent.splitlines(keepends=True)))
            self._events += self._session.feed(arrived, self._until_ns)
        taken = [event for event in self._events if isinstance(event, HubReport | LinkNotice)]
        self._events.clear()
        return taken

    def close(self) -> None:
        """Nothing is open."""


class TableWithKeyedHub(SimulatedTable):
    """T02 on channel 3 of a hub with a key."""

    link: SessionLink

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        twins = {channel: self.tiles[label].encoder for label, channel in channels.items()}

        def angles(at_ns: int) -> tuple[int, ...]:
            return tuple(round(twins[n].angle_at(at_ns)) % 4096 if n in twins else 0 for n in range(8))

        required = HubRequirements(name, UID, dials=4, key_of={UID: KEY}.get)
        self.link = SessionLink(self.clock, angles, required)
        return HubDials(name, channels, self.link, self.clock, settings.table.gap_limit_ms * 1_000_000)


@contextlib.contextmanager
def at_a_table(folder: Path) -> Iterator[tuple[Played, SessionLink]]:
    used = mixed()
    twins = TableWithKeyedHub(used)
    with table(folder, used, twins=twins) as at:
        yield at, twins.link


def turned_by_the_attacker(at_us: int) -> tuple[int, ...]:
    """Four clicks forwards, and rest."""
    return (min(4 * 315, at_us // 1000 % 100_000 // 2),) * 8


def test_a_clone_in_a_game_reaches_no_screen_no_line_and_no_entry(tmp_path: Path) -> None:
    with at_a_table(tmp_path) as (at, link):
        at.expose("ANN", "T02", 3)
        turns, screens = len(at.turns()), dict(at.screens)
        link.plug(ScriptedHub(turned_by_the_attacker, 8, UID))
        public = len(at.heard("public"))
        at.run(3)
        assert any("has no key, so nothing shows that it is your board" in line for line in at.heard("referee"))
        assert any(isinstance(event, ev.DialLost) and event.square == "T02" for event in at.events())
        assert (len(at.turns()), dict(at.screens)) == (turns, screens)
        assert len(at.heard("public")) == public
        link.plug(link.ours)
        at.run(2)
        at.expose("ANN", "T02", 1)
        assert len(at.turns()) == turns + 1


def test_a_device_in_the_cable_that_turns_a_dial_reaches_nothing(tmp_path: Path) -> None:
    with at_a_table(tmp_path) as (at, link):
        at.expose("ANN", "T02", 3)
        turns, screens = len(at.turns()), dict(at.screens)
        link.to_pi = lambda lines: [*lines, forged(*FALSE)]
        at.run(3)
        assert any("delivered a line that its key does not confirm" in line for line in at.heard("referee"))
        assert (len(at.turns()), dict(at.screens)) == (turns, screens)


# ------------------------------------------------------------------------------------------------------- on real ports

CLOCK = MachineClock()
PATIENCE_NS = 20_000_000_000


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[tuple[PtyHub, PtyHub]]:
    """The owner's board and the attacker's clone, on two ports; the clone comes first in the list of ports."""
    with (
        PtyHub(honest(), tmp_path / "ttyACM1") as ours,
        PtyHub(ScriptedHub(still(*FALSE), 2, UID), tmp_path / "ttyACM0") as clone,
    ):
        clone.pull()
        yield ours, clone


def listing(*boards: PtyHub) -> Callable[[], Sequence[ports.SerialPort]]:
    return lambda: sorted(
        (ports.SerialPort(str(each.path), UID) for each in boards if each.path.exists()), key=lambda port: port.path
    )


class Watched:
    """A link, and everything that it delivered."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.events: list[HubReport | LinkNotice] = []

    def until(self, condition: Callable[[HubReport | LinkNotice], bool]) -> HubReport | LinkNotice:
        end_ns = CLOCK.now_ns() + PATIENCE_NS
        while self.link.wait(end_ns):
            for event in self.link.take():
                self.events.append(event)
                if condition(event):
                    return event
        raise AssertionError([each for each in self.events if isinstance(each, LinkNotice)])

    def runs(self) -> None:
        self.until(lambda event: isinstance(event, HubReport))

    def becomes(self, state: LinkState) -> str:
        event = self.until(lambda event: isinstance(event, LinkNotice) and event.state is state)
        assert isinstance(event, LinkNotice)
        return event.words

    @property
    def angles(self) -> set[int]:
        return {
            sample.value & 0xFFF for event in self.events if isinstance(event, HubReport) for sample in event.samples
        }


@pytest.mark.slow
def test_a_clone_at_the_start_and_during_the_game_with_a_key(boards: tuple[PtyHub, PtyHub]) -> None:
    ours, clone = boards
    clone.plug()
    with Link(KEYED, CLOCK, listed=listing(*boards)) as link:
        watched = Watched(link)
        assert watched.becomes(LinkState.UNTRUSTED).startswith(f"hub north ({clone.path}) has no key")
        watched.runs()
        clone.pull()
        clone.plug()
        for _ in range(20):
            watched.runs()
        ours.pull()
        watched.becomes(LinkState.NO_PORT)
        ours.plug()
        watched.runs()
    assert watched.angles <= set(HONEST)


@pytest.mark.slow
def test_two_ports_with_one_id_and_no_key_run_neither(boards: tuple[PtyHub, PtyHub]) -> None:
    ours, clone = boards
    with Link(CABLE, CLOCK, listed=listing(*boards)) as link:
        watched = Watched(link)
        watched.runs()
        clone.plug()
        words = watched.becomes(LinkState.WRONG_BOARD)
        assert words == (
            f"hub north (board {UID}) is on 2 ports at once ({clone.path}, {ours.path}), and nothing shows which board "
            "is yours. Unplug the other one. To give yours a key, run trapdial hub install north."
        )
        clone.pull()
        watched.runs()
    assert watched.angles == set(HONEST)


def test_two_ports_with_one_id_and_no_key_are_not_even_greeted_at_the_start(boards: tuple[PtyHub, PtyHub]) -> None:
    ours, clone = boards
    clone.plug()
    with Link(CABLE, CLOCK, listed=listing(*boards)) as link:
        watched = Watched(link)
        watched.becomes(LinkState.WRONG_BOARD)
        assert not ours.hub.received
        assert not clone.hub.received
        clone.pull()
        watched.runs()
    assert watched.angles == set(HONEST)


@pytest.mark.slow
def test_two_hubs_of_the_settings_whose_boards_claim_one_id(tmp_path: Path) -> None:
    """Three reports of the second one reached the table once."""
    owners = PortOwners()
    with (
        PtyHub(honest(b""), tmp_path / "one") as one,
        PtyHub(ScriptedHub(still(*FALSE), 2, UID), tmp_path / "two") as two,
        Link(replace(CABLE, uid="", port=str(one.path)), CLOCK, owners=owners) as north,
    ):
        first = Watched(north)
        first.runs()
        with Link(replace(CABLE, name="south", uid="", port=str(two.path)), CLOCK, owners=owners) as south:
            second = Watched(south)
            assert "is already used by hub north" in second.becomes(LinkState.WRONG_BOARD)
            assert "is already used by hub south" in first.becomes(LinkState.WRONG_BOARD)
            two.pull()
            second.becomes(LinkState.NO_PORT)
            first.runs()
        assert second.angles == set()
        assert first.angles <= set(HONEST)


def test_dials_of_a_clone_have_no_reading(tmp_path: Path) -> None:
    """Lines, screens and the record get readings from here only."""
    with PtyHub(ScriptedHub(still(*FALSE), 2, UID), tmp_path / "ttyACM0") as clone:
        link = Link(replace(KEYED, port=str(clone.path)), CLOCK)
        dials = HubDials("north", {"T01": 0, "T02": 1}, link, CLOCK, 35 * MS)
        samples: list[NamedSample] = []
        until_ns = CLOCK.now_ns() + PATIENCE_NS
        while (dials.notice is None or not samples) and CLOCK.now_ns() < until_ns:
            samples += dials.take()
        dials.close()
    assert samples
    assert not any(isinstance(sample, Reading) for _, sample in samples)
    assert {sample.words for _, sample in samples if not isinstance(sample, Reading)} >= {
        f"hub north ({clone.path}) has no key, so nothing shows that it is your board. {REMEDIES}"
    }


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mpremote") is None, reason="mpremote is not installed")
def test_install_keys_a_board_and_only_that_board_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way: the command, mpremote, the firmware in MicroPython, and a link as in a game."""
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "trapdial.toml"
    with (
        BoardTwin((), UID, 8, tmp_path, interpreter=real(), wire=BadWire()) as board,
        BoardTwin((), OTHER_UID, 8, tmp_path, interpreter=real(), wire=BadWire()) as other,
    ):
        keys = []
        for one in (board, other, board):
            result = CliRunner().invoke(main, ["hub", "install", "--port", str(one.port)])
            assert result.exit_code == 0, result.output
            keys.append((one.files / "hub.key").read_bytes())
            assert not any(secret in result.output for secret in (keys[-1].hex(), repr(keys[-1])[2:-1]))
        assert len(set(keys)) == 3
        kept = hub_keys.load(settings)
        assert kept == {UID: keys[2], OTHER_UID: keys[1]}
        required = HubRequirements("north", uid=UID, port=str(board.port), dials=8, key_of=kept.get)
        with Link(required, CLOCK) as link:
            watched = Watched(link)
            for _ in range(20):
                watched.runs()
            assert [event.state for event in watched.events if isinstance(event, LinkNotice)] == [LinkState.RUNNING]
            assert link.session.counts.refused == 0
        with Link(replace(required, key_of={UID: keys[0]}.get), CLOCK) as link:
            assert "does not have its key" in Watched(link).becomes(LinkState.UNTRUSTED)
