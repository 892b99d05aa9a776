"""Mutated enrolments and first hand-overs before a centre, with a model that says what each must do.

The attacker has every public note of every table, what others have sent to this centre and to another one, codes that
were made for names of his own, and keys of his own. He has no key of a table that he attacks.
"""

from __future__ import annotations

import functools
import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from click.testing import CliRunner

from hardware.host import memory_folder
from pi_app import journal as jn
from pi_app.centre.enrolment import CHALLENGE_S, code_hash, make_challenge, new_code
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.taking.decision import CentreKey
from pi_app.cli.main import main
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint
from pi_app.journal.record.enrolment import Enrolment, code_letters, sign_enrolment
from pi_app.journal.record.handover import HandOver, read_handover
from pi_app.journal.record.heads import Head, last_signature
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.journal.record.succession import vouched
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, Table, a_game, entries_of
from tests.pi_app.centre.service.asking import Replied, ask, living

R = TypeVar("R")

OTHER_CENTRE: Final = CentreKey("other.example/c1", device_key(b"o" * 32))
CENTRES: Final = (
    OTHER_CENTRE.verifier,
    VerifierKey(CENTRE.name, COSIGNS, OTHER_CENTRE.key.public),
    VerifierKey(OTHER_CENTRE.name, COSIGNS, CENTRE.key.public),
)
"""Not this centre: another one, one of the same name, and one with the same key."""

ROOT: Final = bytes(32)
NOW_S: Final = 1_000_000
COMPARED_EVERY: Final = 20


def _record_at(path: Path, game: str) -> Table:
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, game, 3)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


@functools.cache
def tables() -> tuple[tuple[Table, Table], ...]:
    """Four tables, each with the record that continues its first one."""
    pairs = []
    for number in range(4):
        with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
            path = Path(folder) / "journal.db"
            older = _record_at(path, f"a{number}")
            with Journal(path, MAGE_KNIGHT) as journal:
                assert journal.begin_new_log()
            pairs.append((older, _record_at(path, f"b{number}")))
    return tuple(pairs)


@dataclass
class Hall:
    """A centre at a time of 1,000 s, and the lines that it writes for its owner."""

    store: SqliteStore
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.app = CentreApp(Centre(CENTRE, self.store, self.store, lambda: 1_000.0, (), self.said.append))

    def code(self, name: str, shop: str = "") -> str:
        """A code for a name, which is the code too."""
        self.store.add_code(code_hash(name), name, shop, 2_000)
        return name

    def enrol(self, table: Table, name: str) -> None:
        assert self.store.enrol(code_hash(self.code(name)), table.origin, 1) is not None

    async def asks(self, body: object) -> Replied:
        return await ask(self.app, "POST", "/enrol", [msgspec.json.encode(body)])

    async def hands(self, handed: HandOver) -> int:
        return (await ask(self.app, "POST", "/hand-over", [handed.written()])).status

    def run(self, work: Callable[[], Awaitable[R]]) -> R:
        return living(self.app, work)


@dataclass(frozen=True)
class Sent:
    """A request. `status`: what is right, None for any refusal; `then`: what the model does with it."""

    path: str
    body: bytes
    status: int | None
    then: Callable[[], None] = lambda: None


@dataclass
class Scene:
    """A centre and what must be in it: `codes` with name, shop and end; `records` with name, shop, whether it was
    revoked, and its size."""

    draw: random.Random
    store: SqliteStore
    codes: dict[bytes, tuple[str, str, int]] = field(default_factory=dict)
    records: dict[str, tuple[str, str, int, int]] = field(default_factory=dict)
    past: list[Sent] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.here, self.newer), (self.revoked, self.of_revoked), (self.stranger, _), last = tables()
        self.also_revoked, self.enrolled_after = last

    def add_code(self, name: str, shop: str, until_s: int = NOW_S + 600) -> str:
        code = new_code()
        self.store.add_code(code_hash(code), name, shop, until_s)
        self.codes[code_hash(code)] = (name, shop, until_s)
        return code

    def use(self, code: str, origin: str) -> None:
        name, shop, _ = self.codes.pop(code_hash(code))
        self.records.setdefault(origin, (name, shop, 0, 0))

    def new_key(self) -> DeviceKey:
        return device_key(self.draw.randbytes(32))

    def any_key(self) -> DeviceKey:
        return self.draw.choice([self.here.key, self.revoked.key, self.stranger.key, self.new_key()])

    def right(self, key: DeviceKey | None = None, code: str | None = None, challenge: str = "") -> Enrolment:
        """An enrolment that a table of this key would send with a code that may be used."""
        code = self.add_code(*self.draw.choice(NAMES)) if code is None else code
        made_s = NOW_S + self.draw.choice([0, 0, CHALLENGE_S, -CHALLENGE_S])
        challenge = challenge or make_challenge(CENTRE, made_s)
        return sign_enrolment(self.any_key() if key is None else key, CENTRE.verifier, code, challenge)

    def judged(self, asked: Enrolment) -> Sent:
        """An enrolment that is signed and fresh: what the code and the record allow."""
        name, shop, until_s = self.codes.get(code_hash(asked.code), ("", "", -1))
        known = self.records.get(asked.origin)
        if until_s < NOW_S:
            return enrolling(asked, 403, lambda: self.forget(asked.code))
        if known is not None and known[2]:
            return enrolling(asked, 410)
        if known is not None and known[:2] != (name, shop):
            return enrolling(asked, 409)
        return enrolling(asked, 200, lambda: self.use(asked.code, asked.origin))

    def forget(self, code: str) -> None:
        self.codes.pop(code_hash(code), None)


NAMES: Final = (("Table 1", "Cog"), ("Table 2", "Cog"), ("Table 1", "Rival"), ("Table 9", "Rival"))
"""The first is that of the table that is here, the second that of the revoked ones."""


def enrolling(asked: Enrolment, status: int | None, then: Callable[[], None] = lambda: None) -> Sent:
    return Sent("/enrol", msgspec.json.encode(asked), status, then)


# ---------------------------------------------------------------------------------------------------------- enrolments


def right(scene: Scene) -> Sent:
    return scene.judged(scene.right())


def wrong_code(scene: Scene) -> Sent:
    """A code that is too old, or was never made."""
    code = new_code() if scene.draw.random() < 0.5 else scene.add_code(*scene.draw.choice(NAMES), until_s=NOW_S - 1)
    return scene.judged(scene.right(code=code))


def sent_again(scene: Scene) -> Sent:
    """Somebody repeats what was sent before; the code was used then, or the record is refused again."""
    if not scene.past:
        return right(scene)
    sent = scene.draw.choice(scene.past)
    return scene.judged(msgspec.json.decode(sent.body, type=Enrolment))


def other_signature(scene: Scene) -> Sent:
    """Another text that the record's device has signed, or another device's signature."""
    key, asked = scene.any_key(), scene.right()
    size = scene.draw.randint(0, 9)
    head = Head.made(key, size, ROOT)
    signature = scene.draw.choice(
        [
            signed_checkpoint(key, size, ROOT).signatures[0].data.hex(),
            head.signature.hex(),
            last_signature(key, size, ROOT).hex(),
            vouched(key, head, scene.new_key().public).by,
            scene.right(scene.new_key(), asked.code, asked.challenge).signature,
            scene.right(key, new_code(), asked.challenge).signature,
            scene.right(key, asked.code, make_challenge(CENTRE, NOW_S)).signature,
            scene.draw.randbytes(64).hex(),
        ]
    )
    return enrolling(msgspec.structs.replace(asked, origin=origin_of(key.public), signature=signature), 403)


def other_centre(scene: Scene) -> Sent:
    """What a table has signed for another centre, whose owner passes it on."""
    asked = scene.right()
    signed = sign_enrolment(scene.any_key(), scene.draw.choice(CENTRES), asked.code, asked.challenge)
    return enrolling(signed, 403)


def other_challenge(scene: Scene) -> Sent:
    """A challenge of another time or centre, or a made-up one, rightly signed."""
    away_s = scene.draw.choice([-1, 1]) * (CHALLENGE_S + scene.draw.randint(1, 10**6))
    fresh = make_challenge(CENTRE, NOW_S)
    at = scene.draw.randrange(len(fresh))
    digit = scene.draw.choice([each for each in "0123456789abcdef" if each != fresh[at]])
    challenge = scene.draw.choice(
        [
            make_challenge(CENTRE, max(0, NOW_S + away_s)),
            make_challenge(OTHER_CENTRE, NOW_S),
            fresh[:at] + digit + fresh[at + 1 :],
            fresh[: max(32, at)] if at < len(fresh) - 1 else fresh + "00",
            scene.draw.randbytes(56).hex(),
        ]
    )
    return enrolling(scene.right(challenge=challenge), 403)


def changed_body(scene: Scene) -> Sent:
    """One bit changes on the way, or the end is missing. Small letters in a code are the same code."""
    asked = scene.right()
    body = bytearray(msgspec.json.encode(asked))
    if scene.draw.random() < 0.2:
        return Sent("/enrol", bytes(body[: scene.draw.randrange(len(body))]), 400)
    body[scene.draw.randrange(len(body))] ^= 1 << scene.draw.randrange(8)
    try:
        read = msgspec.json.decode(bytes(body), type=Enrolment)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Sent("/enrol", bytes(body), 400)
    if msgspec.structs.replace(read, code=code_letters(read.code)) == asked:
        return replace(scene.judged(asked), body=bytes(body))
    return Sent("/enrol", bytes(body), None)


# ----------------------------------------------------------------------------------------------------------- hand-overs


def offer(table: Table) -> HandOver:
    return table.hands(1, len(table.entries))


def changed_hand_over(scene: Scene) -> Sent:
    """The hand-over that would enrol the record after the one that is here, or one of the record itself, changed on its
    way: a bit, its end, its entries or its checkpoint."""
    table = scene.draw.choice([scene.newer, scene.newer, scene.here])
    whole = offer(table)
    body = bytearray(whole.written())
    kind = scene.draw.randrange(5)
    if kind == 0:
        return Sent("/hand-over", bytes(body[: scene.draw.randrange(len(body))]), None)
    if kind == 1:
        other = scene.draw.choice([scene.stranger, scene.revoked, scene.of_revoked])
        mixed = replace(whole, entries=offer(other).entries) if scene.draw.random() < 0.5 else whole
        mixed = mixed if mixed is not whole else replace(whole, checkpoint=offer(other).checkpoint)
        return Sent("/hand-over", mixed.written(), None)
    if kind == 2:
        entries = list(whole.entries)
        one, two = scene.draw.sample(range(len(entries)), 2)
        entries[one], entries[two] = entries[two], entries[one]
        return Sent("/hand-over", replace(whole, entries=tuple(entries)).written(), None)
    if kind == 3:
        (line,) = whole.checkpoint.signatures
        forged = scene.draw.choice([scene.draw.randbytes(64), scene.new_key().sign(whole.checkpoint.text.encode())])
        note = replace(whole.checkpoint, signatures=(replace(line, data=forged),))
        return Sent("/hand-over", replace(whole, checkpoint=note).written(), None)
    body[scene.draw.randrange(len(body))] ^= 1 << scene.draw.randrange(8)
    try:
        same = replace(read_handover(bytes(body)), since="", more=0) == whole
    except ValueError:
        same = False
    return changed_hand_over(scene) if same else Sent("/hand-over", bytes(body), None)


def after_a_revoked_one(scene: Scene) -> Sent:
    """A revoked table continues its record with a new key, which may be enrolled with a code."""
    return Sent("/hand-over", offer(scene.draw.choice([scene.of_revoked, scene.enrolled_after])).written(), 410)


def of_a_stranger(scene: Scene) -> Sent:
    table = Table(scene.new_key(), scene.stranger.entries)
    return Sent("/hand-over", offer(table).written(), 404)


Kind = Callable[[Scene], Sent]
KINDS: Final[dict[Kind, int]] = {
    right: 6, wrong_code: 6, sent_again: 6, other_signature: 24, other_centre: 8, other_challenge: 16,
    changed_body: 16, changed_hand_over: 16, after_a_revoked_one: 2, of_a_stranger: 1,
}  # fmt: skip
"""How often each is drawn."""


# ------------------------------------------------------------------------------------------------------------- the run


@dataclass
class Outcome:
    """What came of the attacks. `wrong`: sentences with the number of the attack."""

    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def attack_centre(folder: Path, numbers: range) -> Outcome:
    """Attack a new centre with the attacks of these numbers."""
    path = folder / "centre.db"
    store, reading = SqliteStore(path), SqliteStore(path)
    database = sqlite3.connect(path)
    scene = Scene(random.Random(f"enrolments {numbers.start}"), store)
    first_app, app = (CentreApp(Centre(CENTRE, store, reading, lambda: float(NOW_S))) for _ in range(2))
    outcome = Outcome()

    def there() -> tuple[object, ...]:
        codes = {code: row for code, *row in database.execute("SELECT code, name, shop, until_s FROM codes")}
        words = "SELECT origin, name, shop, revoked, size FROM records"
        records = {origin: tuple(row) for origin, *row in database.execute(words)}
        (entries,), (evidence,) = (database.execute(f"SELECT count(*) FROM {t}").fetchone() for t in COUNTED)
        return {code: tuple(row) for code, row in codes.items()}, records, entries, evidence

    def expected() -> tuple[object, ...]:
        return scene.codes, scene.records, sum(size for *_, size in scene.records.values()), 0

    async def begin() -> None:
        here, gone, rival = NAMES[:3]
        plan = (scene.here, here, 0), (scene.revoked, gone, 1), (scene.also_revoked, gone, 1)
        for table, name, revoked in plan:
            code = scene.add_code(*name)
            body = msgspec.json.encode(scene.right(table.key, code))
            assert (await ask(first_app, "POST", "/enrol", [body])).status == 200
            assert (await ask(first_app, "POST", "/hand-over", [offer(table).written()])).status == 200
            scene.use(code, table.origin)
            scene.records[table.origin] = (*name, revoked, len(table.entries))
            if revoked:
                store.revoke(table.origin)
        code = scene.add_code(*rival)
        body = msgspec.json.encode(scene.right(scene.enrolled_after.key, code))
        assert (await ask(first_app, "POST", "/enrol", [body])).status == 200
        scene.use(code, scene.enrolled_after.origin)

    async def attack() -> None:
        kinds, weights = list(KINDS), list(KINDS.values())
        for number in numbers:
            kind = scene.draw.choices(kinds, weights)[0]
            sent = kind(scene)
            status = (await ask(app, "POST", sent.path, [sent.body])).status
            outcome.kinds[kind.__name__] += 1
            outcome.statuses[status] += 1
            if status != sent.status if sent.status else status in (200, 202) or status >= 500:
                outcome.wrong.append(f"attack {number}, {kind.__name__}: answered {status}, not {sent.status}")
            sent.then()
            if kind is right:
                scene.past.append(sent)
            if number % COMPARED_EVERY == 0 and there() != expected():
                outcome.wrong.append(f"up to attack {number}, {kind.__name__}: the centre has something else")
                return
        whole = offer(scene.newer).written()
        if there() != expected() or (await ask(app, "POST", "/hand-over", [whole])).status != 200:
            outcome.wrong.append("at the end the centre has something else, or refuses the next record of its table")

    living(first_app, begin)
    living(app, attack)
    for each in (store, reading, database):
        each.close()
    return outcome


COUNTED: Final = ("entries", "evidence")


def brought(journal: Path, stick: Path) -> list[bytes]:
    """The lines of an export for a centre."""
    done = CliRunner().invoke(main, ["journal", "export", str(journal), "--for-centre", "-o", str(stick)])
    assert done.exit_code == 0, done.output
    return stick.read_bytes().splitlines(keepends=True)
