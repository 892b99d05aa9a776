"""Bad networks: from the code to the first frame, 30 % loss, cuts, and forced reconnects, through the relay.

"300 ms and 5 % loss" means here: a packet takes 150 ms each way, and of the packets of both ways together 5 % are lost
to a round trip, 2.5 % each way. That is held to the limit. With 5 % each way, one round trip of ten lost, the same is
measured and told: it comes out between 1.9 and 2.1 s, because a lost request for the page alone costs TCP 0.8 s.
A visit does what a browser and the page do: it fetches the page, joins when the page's first script is
there, sends the join again over another connection after 0.4 s without a frame, and is over when the page can show a
frame and has one. Like Chromium it starts a second connection when the first has not opened after 250 ms, uses the one
that opens first, and keeps the other one.
"""

from __future__ import annotations

import base64
import contextlib
import random
import select
import shutil
import socket
import statistics
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pi_app.pages.address import code_text
from pi_app.pages.joining import Post
from pi_app.simulated.page_stream import EventReader, PageError, game_in, request
from pi_app.simulated.phone import PhoneSession, knock
from tests.pages.faces import CONTENTS, Contents
from tests.pages.figures import Figures
from tests.pages.lanes.captures import SEATS
from tests.pages.namespaces import ADDRESS, Room, inside, room
from tests.pages.phone import HOLD, LET_GO, Phone
from tests.pages.relay import Relay
from tests.pages.wire import PORT, WireTable

VISITS: Final = {True: 64, False: 600}
RETURNS: Final = {True: 64, False: 1000}
LOSSY_S: Final = {True: 6.0, False: 60.0}
CUT_S: Final = {True: 6.0, False: 60.0}
BROWSED: Final = {True: 3, False: 12}
NOW: Final = "performance.now()"
ONE_WAY_MS: Final = 150
FEW: Final = 0.05
SCRIPTS: Final = 2
"""So many scripts of the page show a frame."""

AGAIN_S: Final = 0.4
COPIES: Final = 3
"""As in page.js: the join goes out again after so long without a frame, on so many connections in all."""

MANY: Final = 0.30
BACKUP_S: Final = 0.25
VISIT_S: Final = 2.0
RETURN_S: Final = 1.0
PATIENCE_S: Final = 60.0
TELLS_S: Final = 0.2
JOIN_PAUSE_S: Final = {True: 0.2, False: 1.0}
RETURN_PAUSE_S: Final = {True: 0.02, False: 0.5}
"""Each phone is lost twice a second, or as fast as it goes, under the rates of a real table."""

_HERE: Final = (ADDRESS, PORT)


class Serving:
    """A wire table with a thread that tells everybody after each knock and gesture, and 5 times a second."""

    def __init__(self, made: Room, *, demo: bool = True) -> None:
        contents = Contents(SEATS[: len(made.phones)])
        self.seats = contents.seats
        for number, seat in enumerate(self.seats):
            contents.looks[seat] = (CONTENTS[number], random.Random(seat))
        self.table = WireTable(made, self.seats, contents.plain, demo=demo)
        self.gestures: dict[str, list[Post]] = {seat: [] for seat in self.seats}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Serving:
        self.table.wait_for_process()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.table.close()

    def new_code(self, seat: str) -> bytes:
        with self._lock:
            return self.table.seats.new_code(seat)

    def _run(self) -> None:
        told = 0.0
        while not self._over.wait(0.002):
            with self._lock:
                admitted = self.table.admitted
                posts = self.table.pump()
                for seat, post in posts:
                    self.gestures[seat].append(post)
                if posts or self.table.admitted != admitted or time.monotonic() - told > TELLS_S:
                    told = time.monotonic()
                    self.table.send()


def visit(namespace: str, code: bytes) -> float:
    """Fetch the page and join; return the seconds until the page is there and the first frame has opened. Raises
    PageError."""
    began = time.monotonic()
    with contextlib.ExitStack() as closing:
        connection, *spares = map(closing.enter_context, _opened(namespace))
        connection.sendall(request("GET", "/", _HERE))
        page = _Page(connection)
        page.read()
        spares = spares or [closing.enter_context(_begun(namespace))]
        while page.scripts < 1:
            page.read()
        body, finish = knock(code, game=game_in(page.text))
        visit = _Visit(namespace, request("POST", "/join", _HERE, body), finish, page, spares, closing)
        if page.whole:
            visit.free.insert(0, connection)
        while not visit.shown or page.scripts < SCRIPTS:
            visit.step()
        return time.monotonic() - began


@dataclass(slots=True)
class _Page:
    """The page as it comes: its first script runs, and knocks, when it is there."""

    connection: socket.socket
    text: bytes = b""
    scripts: int = 0
    """So many are there."""
    whole: bool = False
    """The connection is free for another request."""
    _answer: bytes = b""
    _left: int = -1
    _unpacking: Any = field(default_factory=lambda: zlib.decompressobj(zlib.MAX_WBITS | 16))

    def read(self) -> None:
        data = _more(self.connection)
        if self._left < 0:
            self._answer += data
            head, found, data = self._answer.partition(b"\r\n\r\n")
            if not found:
                return
            if not head.startswith(b"HTTP/1.1 200 "):
                raise PageError(f"the page was answered with {head[:40]!r}")
            lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            self._left = int(lengths[0])
        self._left -= len(data)
        self.whole = self._left == 0
        self.text += self._unpacking.decompress(data)
        self.scripts = self.text.count(b"</script>")


@dataclass(slots=True)
class _Visit:
    """A visit after the page is there: the same join goes out on one connection after the other until a frame came."""

    namespace: str
    join: bytes
    finish: Callable[[bytes], PhoneSession]
    page: _Page
    free: list[socket.socket]
    closing: contextlib.ExitStack
    streams: dict[socket.socket, EventReader] = field(default_factory=dict)
    greeted: set[socket.socket] = field(default_factory=set)
    session: PhoneSession | None = None
    shown: bool = False
    began_s: float = field(default_factory=time.monotonic)

    def step(self) -> None:
        """Send the join where it is due and a connection is open, and read what has come."""
        since_s = time.monotonic() - self.began_s
        if since_s > PATIENCE_S:
            raise PageError("no frame came")
        wanted = 0 if self.shown else min(COPIES, 1 + int(since_s / AGAIN_S)) - len(self.streams)
        while wanted > len(self.free):
            self.free.append(self.closing.enter_context(_begun(self.namespace)))
        reading = [each for each, reader in self.streams.items() if not reader.over]
        if not self.page.whole:
            reading.append(self.page.connection)
        readable, writable, _ = select.select(reading, self.free if wanted else [], [], 0.02)
        for one in writable[:wanted]:
            self.free.remove(one)
            one.sendall(self.join)
            self.streams[one] = EventReader()
        for one in readable:
            if one is not self.page.connection or self.page.whole:
                self._read(one)
                continue
            self.page.read()
            if self.page.whole:
                self.free.insert(0, one)

    def _read(self, one: socket.socket) -> None:
        data = one.recv(262_144)
        if not data:
            self.streams[one].over = True
        for event in self.streams[one].feed(data):
            if event.name:
                if event.data != "twice":
                    raise PageError(f"the visit was refused: {event.data}")
            elif one not in self.greeted:
                self.greeted.add(one)
                self.session = self.session or self.finish(base64.b64decode(event.data))
            elif self.session is not None and self.session.open_frame(base64.b64decode(event.data)) is not None:
                self.shown = True
            elif not self.shown:
                raise PageError("the first frame does not open")


def _opened(namespace: str) -> list[socket.socket]:
    """Open a connection, and a second one beside it if that takes long; return the first that is open, then the other
    one, which a browser keeps for the next request."""
    waiting: list[socket.socket] = []
    until = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < until:
            if len(waiting) < 2:
                waiting.append(_begun(namespace))
            for each in select.select([], waiting, [], BACKUP_S)[1]:
                if each.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    waiting.remove(each)
                    each.settimeout(PATIENCE_S)
                    return [each, *waiting]
        raise PageError("no connection opened")
    except BaseException:
        for each in waiting:
            each.close()
        raise


def _begun(namespace: str) -> socket.socket:
    """A connection that begins to open."""
    with inside(namespace):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setblocking(False)
    made.connect_ex(_HERE)
    return made


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(262_144)
    if not data:
        raise PageError("the page ended early")
    return data


def visits(made: Room, count: int, pause_s: float) -> tuple[list[float], int]:
    """Let every phone visit again and again, each time with a new code. Return the seconds, and how many failed."""
    seconds: list[float] = []
    failed: list[str] = []
    with Serving(made) as serving:

        def one(leg: int) -> None:
            for _ in range(count // len(made.phones)):
                try:
                    seconds.append(visit(made.phones[leg], serving.new_code(serving.seats[leg])))
                except (PageError, OSError) as error:
                    failed.append(str(error))
                time.sleep(pause_s)

        _together(len(made.phones), one)
    return seconds, len(failed)


def joined(serving: Serving, made: Room) -> list[Phone]:
    """Join with every phone."""
    found = []
    for namespace, seat in zip(made.phones, serving.seats, strict=True):
        phone = Phone(namespace, _HERE, serving.new_code(seat))
        phone.join()
        _until(phone, 1)
        found.append(phone)
    return found


def come_back(serving: Serving, phone: Phone) -> float:
    """Open the stream again; return the seconds until the phone shows the newest state of that moment."""
    newest, began = serving.table.number, time.monotonic()
    phone.resume()
    _until(phone, newest)
    return time.monotonic() - began


def _until(phone: Phone, number: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while phone.session is None or phone.session.number < number:
        if not phone.is_open:
            raise PageError(f"the stream ended: {phone.words}")
        select.select([phone], [], [], 0.2)
        phone.take()
        if time.monotonic() > until:
            raise PageError(f"no frame came for {PATIENCE_S:g} s")


CUTS: Final[tuple[Callable[[Phone], None], ...]] = (Phone.cut, Phone.close, Phone.vanish)
"""With a reset, with an end, and without a word."""


def returns(serving: Serving, phones: list[Phone], count: int, pause_s: float) -> tuple[list[float], list[str]]:
    """Cut and come back, each phone so often. Return the seconds, and why some failed."""
    seconds: list[float] = []
    failed: list[str] = []

    def one(leg: int) -> None:
        draw = random.Random(leg)
        for number in range(count // len(phones)):
            CUTS[number % len(CUTS)](phones[leg])
            time.sleep(draw.uniform(0.0, 2 * pause_s))
            try:
                seconds.append(come_back(serving, phones[leg]))
            except (PageError, OSError) as error:
                failed.append(str(error))

    _together(len(phones), one)
    return seconds, failed


def gestures(serving: Serving, phones: list[Phone], seconds: float) -> dict[str, list[Post]]:
    """Let every phone hold and let go, and read its stream, for so long. Return what each has sent."""
    sent: dict[str, list[Post]] = {seat: [] for seat in serving.seats}
    over = time.monotonic() + seconds

    def one(leg: int) -> None:
        phone, seat = phones[leg], serving.seats[leg]
        while time.monotonic() < over:
            for kind, post in ((HOLD, Post.HOLD), (LET_GO, Post.LET_GO)):
                _certainly(phone, kind)
                sent[seat].append(post)
                phone.take()

    _together(len(phones), one)
    return sent


def _certainly(phone: Phone, kind: int) -> None:
    """Post until the 204 is there: the same bytes again where the page process waited ten seconds for them in vain."""
    assert phone.session is not None
    body, until = phone.session.post(kind), time.monotonic() + PATIENCE_S
    while True:
        try:
            phone.send(body)
        except PageError:
            if time.monotonic() > until:
                raise
            phone.hang_up()
        else:
            return


def _together(count: int, one: Callable[[int], None]) -> None:
    crowd = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(count)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()


def run(figures: Figures, *, short: bool) -> None:
    with room(len(SEATS), relayed=True) as made:
        relay = Relay(made, 19)
        try:
            relay.order(f"delay {ONE_WAY_MS}")
            _run_visits(figures, made, relay, short=short)
            relay.order("loss 0.0")
            relay.order("delay 10")
            _run_returns(figures, made, relay, short=short)
        finally:
            relay.close()


def _run_visits(figures: Figures, made: Room, relay: Relay, *, short: bool) -> None:
    for loss, name in ((FEW, "5% lost each way"), (FEW / 2, "5% lost in all")):
        relay.order(f"loss {loss}")
        seconds, failed = visits(made, VISITS[short], JOIN_PAUSE_S[short])
        seconds.sort()
        what = f"code to first frame, {len(seconds)} visits, {2 * ONE_WAY_MS} ms, {name}"
        figures.note(f"{what}: median {statistics.median(seconds):.2f} s, longest {seconds[-1]:.2f} s")
        late = seconds[round(0.95 * (len(seconds) - 1))]
        if loss == FEW:
            figures.note(f"{what}: p95 {late:.2f} s; no limit")
        elif short:  # of so few, one more or less decides
            figures.note(f"{what}: p95 {late:.2f} s; the long form holds it to {VISIT_S:g} s")
        else:
            figures.most(f"{what}: p95", late, VISIT_S, " s")
        figures.most("visits that failed", failed, 0)
    relay.order(f"loss {FEW}")
    browsed = browser_visits(made, BROWSED[short])
    figures.note(
        f"Chromium over the same network, to 'You are Ann': {', '.join(f'{each:.2f}' for each in browsed)} s"
        if browsed
        else "NOT RUN HERE: visits by Chromium; Debian's packages are chromium and chromium-driver"
    )


def browser_visits(made: Room, count: int) -> list[float]:
    """Visit with Chromium; return the seconds from the start of each navigation. None without Chromium."""
    from tests.pages.engines import engine

    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return []
    found = []
    with Serving(made) as serving, inside(made.phones[0]), engine("chromium") as browser:
        for _ in range(count):
            browser.go("about:blank")
            browser.go(f"http://{ADDRESS}/#{code_text(serving.new_code(serving.seats[0]))}")
            at = browser.until(f"document.getElementById('you').textContent.includes('Ann') && {NOW}", 30_000)
            found.append(float(at or 99_000) / 1000)
    return found


def _run_returns(figures: Figures, made: Room, relay: Relay, *, short: bool) -> None:
    with Serving(made, demo=False) as serving:
        phones = joined(serving, made)
        seconds, failed = returns(serving, phones, RETURNS[short], RETURN_PAUSE_S[short])
        right = sum(each <= RETURN_S for each in seconds)
        figures.least(f"of {RETURNS[short]} forced reconnects, right within {RETURN_S:g} s", right, RETURNS[short])
        figures.most("longest of them", max(seconds, default=99.0), RETURN_S, " s")
        for reason, times in Counter(failed).most_common(3):
            figures.note(f"{times} reconnects failed: {reason}")
        figures.most("reconnects that failed", len(failed), 0)
        relay.order(f"loss {MANY}")
        sent = gestures(serving, phones, LOSSY_S[short])
        relay.order("loss 0.0")
        got = {seat: list(serving.gestures[seat]) for seat in serving.seats}
        count = sum(map(len, sent.values()))
        figures.note(f"{count} gestures under {MANY:.0%} loss each way in {LOSSY_S[short]:g} s")
        figures.holds("all arrived, once and in their order", is_so=got == sent)
        relay.order("cut")
        time.sleep(CUT_S[short])
        relay.order("mend")
        for phone in phones:
            phone.vanish()
        back = [come_back(serving, phone) for phone in phones]
        figures.most(f"after {CUT_S[short]:g} s without a network: right state, longest", max(back), RETURN_S, " s")
        figures.most("frames that came twice, late or broken", sum(phone.unread for phone in phones), 0)
        for phone in phones:
            phone.close()
