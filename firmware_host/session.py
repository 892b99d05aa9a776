"""The Pi's side of the protocol with one hub: what to send next, and which messages to accept.

No I/O and no clock: bytes and times are passed in. `wiring_docs/hub_wire.md` describes both ends. The session accepts
nothing before an answer to its own greeting: what an earlier session left in the port looks perfectly valid.

    GREETING --welcome, first report--> RUNNING --no report for 500 ms--> STALE --welcome, first report--> RUNNING
    GREETING --10 greetings without an answer--> NOT_A_HUB
    GREETING, STALE --an unsuitable welcome--> WRONG_BOARD or INCOMPATIBLE
    GREETING, STALE --no proof of its key--> UNTRUSTED;  RUNNING --a line that the key does not confirm--> UNTRUSTED

Nothing counts before the board is identified: by its WELCOME, and by the proof of its key unless the cable is trusted.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from firmware_host import messages
from firmware_host.commands import ANSWERS, BODIES, Command, HubReply, LinkCounters, LinkEvent
from firmware_host.hub import seal, wire
from firmware_host.hub_time import HubTime
from firmware_host.key_check import KeyCheck, may_be_open
from firmware_host.lines import LineSplitter, RecentTexts
from firmware_host.link_events import LinkNotice, LinkState, Welcome
from firmware_host.requirements import HubRequirements, refusal, welcome_of
from firmware_host.samples import SampleStream

MS_NS: Final = 1_000_000
GREETING_NS: Final = 300 * MS_NS
GREETINGS: Final = 10
GREETINGS_STALE: Final = 2
"""Greetings on an open port that was a hub's; then the link reopens it."""
COMMAND_NS: Final = 300 * MS_NS
COMMAND_TRIES: Final = 3
PING_NS: Final = 1_000 * MS_NS
STALE_NS: Final = 500 * MS_NS

LATE_NS: Final = 2_000 * MS_NS
"""A keyed report that arrives later than this was held back: the session starts over without it."""
NEVER_NS: Final = 1 << 62

OVER: Final = frozenset((LinkState.NOT_A_HUB, LinkState.WRONG_BOARD, LinkState.INCOMPATIBLE, LinkState.UNTRUSTED))
"""End states on this port; the link retries later."""


class HubSession:
    """One hub on one port. `nonces` returns unpredictable numbers below 2^32. `claim` receives the id of a board before
    anything of it counts, and returns the name of another hub that claims it, or ""."""

    def __init__(
        self, required: HubRequirements, nonces: Callable[[], int], claim: Callable[[str], str] = lambda uid: ""
    ) -> None:
        self.required = required
        self._claim = claim
        self.state = LinkState.GREETING
        self.hub: Welcome | None = None
        self.counts = LinkCounters()
        self.reopen = False
        """Whether the link must close and reopen the port."""
        self._texts = RecentTexts()
        self._nonces = nonces
        self._place = required.port
        self._message = ""
        self._delivered_ns = 0
        self._events: list[LinkEvent] = []
        self._seq = self._their_seq = -1
        self._last_report_ns = self._ping_ns = self._token = 0
        self._samples: SampleStream | None = None
        self._seal: seal.Seal | None = None
        self._check: KeyCheck | None = None
        """The key that the board has yet to prove."""
        self._begin(0)

    # ------------------------------------------------------------------ for the link

    def opened(self, place: str, now_ns: int) -> None:
        """A port was just opened: discard leftovers of the one before, and greet."""
        self._place = place
        self.counts = LinkCounters()
        if self.state is LinkState.STALE:
            self._lines = LineSplitter()
            self._greet_again(now_ns)
        else:
            self.state, self._message, self.hub = LinkState.GREETING, "", None
            self._begin(now_ns)

    def no_port(self, state: LinkState, message: str, now_ns: int) -> list[LinkEvent]:
        """No port is open, for this reason. Repeated calls produce one notice."""
        self._drop_questions()
        self._greeted = False
        if (state, message) != (self.state, self._message):
            self._become(state, message, now_ns)
        events, self._events = self._events, []
        return events

    def feed(self, data: bytes, now_ns: int) -> list[LinkEvent]:
        """Events from these bytes and from the time that passed; call it without bytes at `due_ns`."""
        for item in self._lines.feed(data):
            if isinstance(item, str):
                self._texts.add(item, now_ns)
                self._events.append(item)
            elif self.state not in OVER:
                self._handle(*item, now_ns)
        self._deliver(now_ns)
        self._pass(now_ns)
        events, self._events = self._events, []
        return events

    def poll(self, now_ns: int) -> bytes:
        """Bytes to send now."""
        if self.state in OVER:
            return b""
        if not self._greeted:
            return self._greet(now_ns) if now_ns >= self._greet_ns else b""
        if now_ns >= self._ping_ns:
            self._ping_ns = now_ns + PING_NS
            self._token = (self._token + 1) % (1 << 32)
            self._commands[wire.PING] = Command(wire.PING, struct.pack(wire.PING_BODY, self._token))
        sent = b""
        for command in self._commands.values():
            if now_ns >= command.due_ns and command.tries < COMMAND_TRIES:
                command.sent_ns = now_ns
                command.due_ns = now_ns + COMMAND_NS
                command.tries += 1
                command.seqs.add((self._seq + 1) % 256)
                if command.kind == wire.STREAM and self._samples is None and self.hub is not None:
                    self._samples = SampleStream(self._time, self.hub.dials, self.required.gap_ms)
                sent += self._line(command.kind, command.body)
        return sent

    def due_ns(self) -> int:
        """When `poll` or `feed` must run even if no bytes arrive; 0 if at once."""
        if self.state in OVER:
            return NEVER_NS
        if not self._greeted:
            return self._greet_ns
        due = [self._ping_ns, *(command.due_ns for command in self._commands.values())]
        return min(due) if not self.required.period_ms else min(*due, self._last_report_ns + STALE_NS)

    def ask(self, kind: int, body: bytes) -> None:
        """Query DIAG, STATS or MAINT of a greeted hub; a HubReply follows. One query at a time."""
        self._commands[kind] = Command(kind, body, asked=True)

    @property
    def greeted(self) -> bool:
        """Whether the hub is identified, so that it can be queried."""
        return self._greeted and self._check is None

    def bye(self) -> bytes:
        """The last message on this port."""
        return self._line(wire.BYE, b"") if self._greeted else b""

    @property
    def damaged(self) -> int:
        """Damaged messages since the port was opened."""
        return self._lines.damaged

    # ------------------------------------------------------------------ greeting

    def _begin(self, now_ns: int) -> None:
        """Start over with an unknown device on a port."""
        self._lines = LineSplitter()
        self._texts.clear()
        self._was_hub = False
        self._tries = 0
        self._greet_again(now_ns)

    def _greet_again(self, now_ns: int) -> None:
        self._greeted = self.reopen = False
        self._greet_ns = now_ns
        self._greetings: dict[int, int] = {}
        self._commands: dict[int, Command] = {}
        self._seal, self._check, self._samples = None, None, None

    def _greet(self, now_ns: int) -> bytes:
        nonce = self._nonces()
        self._greetings[nonce] = now_ns
        self._tries += 1
        self._greet_ns = now_ns + GREETING_NS
        return self._line(wire.HELLO, struct.pack(wire.HELLO_BODY, wire.OLDEST_PROTOCOL, wire.PROTOCOL, nonce))

    def _welcome(self, body: bytes, now_ns: int) -> None:
        nonce, hub_us, hub = welcome_of(body)
        if nonce not in self._greetings:
            self.counts.strange += 1
            return
        if self._greeted and self._check is None:  # a late answer to an earlier greeting
            if self.hub is not None and hub.boot != self.hub.boot:
                self._greet_again(now_ns)
            return
        greeted_ns = self._greetings.pop(nonce)  # each counts once: a false board cannot start over for ever
        self._commands.clear()
        self.hub = hub
        if no := refusal(self.required, self.hub, self._place):
            self._become(*no, now_ns)
            return
        self._greeted = self._was_hub = True
        self._tries = 0
        if self.required.key_of is None:
            self._identified(hub_us, greeted_ns, now_ns)
        else:
            self._challenge(KeyCheck(self.required, self.hub, self._place, body, self._nonces), now_ns)

    def _challenge(self, check: KeyCheck, now_ns: int) -> None:
        """Ask the board to prove its key."""
        if check.refusal:
            self._become(LinkState.UNTRUSTED, check.refusal, now_ns)
            return
        self._check = check
        self._commands[wire.PROVE] = Command(wire.PROVE, check.asked)
        self._ping_ns = NEVER_NS
        self._last_report_ns = now_ns + COMMAND_TRIES * COMMAND_NS

    def _proof(self, body: bytes, now_ns: int) -> bool:
        """Accept the proof; from then on every line is sealed."""
        asked = self._commands.get(wire.PROVE)
        if asked is None or self._check is None:
            return True  # the answer to a repeated challenge
        found = self._check.opened(body)
        if found is None:
            self._become(LinkState.UNTRUSTED, self._check.wrong, now_ns)
            return True
        del self._commands[wire.PROVE]
        self._check = None
        self._seal, hub_us = found
        self._identified(hub_us, asked.sent_ns - (asked.tries - 1) * COMMAND_NS, now_ns)
        return True

    def _identified(self, hub_us: int, asked_ns: int, now_ns: int) -> None:
        """It is the right board: ask it for samples. Its time came in answer to what was sent at `asked_ns`."""
        assert self.hub is not None
        if other := self._claim(self.hub.uid):
            self._become(LinkState.WRONG_BOARD, messages.shared(self.required.name, self._place, other), now_ns)
            return
        self._time = HubTime(hub_us, asked_ns, now_ns, self._delivered_ns)
        self._last_report_ns = self._ping_ns = now_ns
        self._token = self._nonces()
        if self.required.period_ms:
            body = struct.pack(wire.STREAM_BODY, self.required.period_ms, self.required.gap_ms)
            self._commands[wire.STREAM] = Command(wire.STREAM, body)
        else:
            self._become(LinkState.RUNNING, "", now_ns)

    # ------------------------------------------------------------------ receiving

    def _handle(self, kind: int, seq: int, body: bytes, now_ns: int) -> None:
        self.counts.messages += 1
        if not self._greeted and kind != wire.WELCOME:
            self.counts.strange += 1
            return
        if self._seal is not None and not may_be_open(kind, body):
            opened = self._seal.open(kind, seq, body)
            if opened is None:
                self.counts.refused += 1
                self._become(LinkState.UNTRUSTED, messages.tampered(self.required.name, self._place), now_ns)
                return
            kind, body, lost = kind & ~wire.SEALED, opened, self._seal.lost
        else:
            lost = (seq - self._their_seq - 1) % 256 if self._greeted and self._seal is None else 0
        self.counts.lost += lost
        if lost and self._samples is not None:
            self._samples.interrupted = True
        self._their_seq = seq
        try:
            known = self._dispatch(kind, body, now_ns)
        except struct.error:  # shorter than its kind requires
            known = False
        self.counts.strange += not known

    def _dispatch(self, kind: int, body: bytes, now_ns: int) -> bool:
        if kind == wire.REPORT:
            return self._samples is not None and self._samples.add(body)
        if kind == wire.PROOF:
            return self._proof(body, now_ns)
        if kind == wire.WELCOME:
            self._welcome(body, now_ns)
            return True
        if kind == wire.PONG:
            return self._pong(now_ns, *struct.unpack_from(wire.PONG_BODY, body))
        if kind == wire.ACK:
            return self._ack(now_ns, *struct.unpack_from(wire.ACK_BODY, body))
        if kind in ANSWERS:
            struct.unpack_from(BODIES[kind], body)
            return self._answer(kind, body)
        return False

    def _pong(self, now_ns: int, token: int, hub_us: int) -> bool:
        ping = self._commands.get(wire.PING)
        if ping is None or token != self._token:
            return True  # an answer to a repeated ping
        if ping.tries == 1:  # otherwise it is unclear which ping was answered
            self._time.answered(hub_us, ping.sent_ns, now_ns)
        del self._commands[wire.PING]
        return True

    def _ack(self, now_ns: int, kind: int, seq: int, status: int) -> bool:
        command = self._commands.get(kind & ~wire.SEALED)
        if command is None or seq not in command.seqs:
            return True
        if self._check is not None and status != wire.BAD_BODY:
            self._become(LinkState.UNTRUSTED, self._check.refused(status), now_ns)
        elif command.asked:
            del self._commands[kind]
            self._events.append(HubReply(wire.ACK, bytes((kind, seq, status))))
        elif status == wire.NO_SESSION:  # the hub restarted its session
            self._greet_again(now_ns)
        elif status == wire.OK:
            del self._commands[kind]
        elif status != wire.BAD_BODY:  # damaged on its way, and repeated
            what = f"to report every {self.required.period_ms} ms" if kind == wire.STREAM else f"message {kind:02X}"
            message = messages.refused(self.required.name, self._place, what, status)
            self._become(LinkState.INCOMPATIBLE, message, now_ns)
        return True

    def _answer(self, kind: int, body: bytes) -> bool:
        command = self._commands.get(ANSWERS[kind])
        if command is None or (kind == wire.DIAGNOSIS and body[:1] != command.body):
            return True
        del self._commands[ANSWERS[kind]]
        self._events.append(HubReply(kind, body))
        return True

    def _deliver(self, now_ns: int) -> None:
        reports = self._samples.take(now_ns) if self._samples is not None else []
        if not reports:
            return
        if self._seal is not None and now_ns - reports[-1].at_ns > LATE_NS:
            self._fall_silent(now_ns)
            return
        self._last_report_ns = now_ns
        self._commands.pop(wire.STREAM, None)  # a report acknowledges STREAM even if the ACK was lost
        if self.state is not LinkState.RUNNING:
            self._become(LinkState.RUNNING, "", now_ns)
        self._delivered_ns = self._time.delivered_ns
        self.counts.reports += len(reports)
        self._events += reports

    # ------------------------------------------------------------------ time passes

    def _pass(self, now_ns: int) -> None:
        if self.state in OVER:
            return
        if not self._greeted:
            self._pass_ungreeted(now_ns)
            return
        for kind, command in tuple(self._commands.items()):
            if command.tries >= COMMAND_TRIES and now_ns >= command.due_ns:
                del self._commands[kind]
                if self._check is not None:
                    self._become(LinkState.UNTRUSTED, self._check.unproven(command.tries), now_ns)
                    return
                if command.asked:
                    self._events.append(HubReply(kind, None))
                elif not self.required.period_ms:  # with samples, the reports show whether the hub is there
                    self._fall_silent(now_ns)
                    return
        if self.required.period_ms and now_ns >= self._last_report_ns + STALE_NS:
            self._fall_silent(now_ns)

    def _pass_ungreeted(self, now_ns: int) -> None:
        if now_ns < self._greet_ns:
            return
        if self._was_hub:
            self.reopen = len(self._greetings) > 0 and (self._tries == GREETINGS_STALE or self._tries % GREETINGS == 0)
        elif self._tries >= GREETINGS:
            message = messages.not_a_hub(self.required.name, self._place, self._texts.recent(now_ns), tries=self._tries)
            self._become(LinkState.NOT_A_HUB, message, now_ns)

    def _fall_silent(self, now_ns: int) -> None:
        """Greet at once, on the open port."""
        self._drop_questions()
        if self.state is not LinkState.STALE:
            missing = ("samples", STALE_NS) if self.required.period_ms else ("answers", COMMAND_TRIES * COMMAND_NS)
            message = messages.stale(
                self.required.name, self._place, missing[0], missing[1] // MS_NS, self._texts.recent(now_ns)
            )
            self._become(LinkState.STALE, message, now_ns)
        self._greet_again(now_ns)

    def _drop_questions(self) -> None:
        self._events += [HubReply(command.kind, None) for command in self._commands.values() if command.asked]
        self._commands.clear()

    def _become(self, state: LinkState, message: str, now_ns: int) -> None:
        self.state, self._message = state, message
        if state in OVER:
            self._drop_questions()
            self._greeted = False
            self._seal, self._check, self._samples = None, None, None
        self._events.append(LinkNotice(state, now_ns, message, self.hub))

    def _line(self, kind: int, body: bytes) -> bytes:
        self._seq = (self._seq + 1) % 256
        if self._seal is not None:
            kind |= wire.SEALED
            body = self._seal.close(kind, self._seq, body)
        return wire.line(kind, self._seq, body)
