"""Attacks on a centre through its ASGI interface: each is refused with the right status or kept as evidence, and no row
of the store changes.

What an attacker has differs: a hand-over that was seen on its way (no key), another table's key, or a stolen card with
the record's own key. Only the last one can make evidence.
"""

from __future__ import annotations

import functools
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec

from hardware.host import memory_folder
from pi_app.centre.enrolment import code_hash, make_challenge
from pi_app.centre.service import app as app_module
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import signed_checkpoint
from pi_app.journal.record.enrolment import sign_enrolment
from pi_app.journal.record.handover import LARGEST_BODY, HandedEntry, HandOver
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.notes import NoteSignature, SignedNote
from pi_app.journal.record.sha import sha256
from pi_app.journal.record.witness_protocol import AddCheckpoint
from pi_app.settings.load import example_path, load
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, Original, numbered_key, original
from tests.centre.store_digest import digest
from tests.pages.figures import Figures
from tests.pi_app.centre.service.asking import Replied, ask, living

ATTACKS: Final = {True: 10_000, False: 100_000}
KEPT: Final = 160
TOTAL: Final = 220
"""Entries of a table that are at the centre before the attacks (some tables have a few more), and that it has."""

KEY: Final = CentreKey("centre.invalid/attacked", device_key(bytes(range(32))))
CHECKED_EVERY: Final = 2_000
SLOW_S: Final = 0.01


@dataclass(frozen=True)
class Victim:
    """A table: its key, its entries, and how many of them are at the centre. `other`: a second history with the same
    key from entry `parts_at` on, which a copy of its card has."""

    key: DeviceKey
    origin: str
    entries: list[HandedEntry]
    other: list[HandedEntry]
    parts_at: int
    kept: int

    def note(self, last: int, entries: list[HandedEntry] | None = None, key: DeviceKey | None = None) -> SignedNote:
        leaves = [leaf for *_, leaf in (entries or self.entries)[:last]]
        return signed_checkpoint(key or self.key, last, root_of(leaves))

    def hands(self, first: int, last: int) -> HandOver:
        return HandOver(self.origin, first, tuple(self.entries[first - 1 : last]), self.note(last))

    def copy_hands(self, first: int, last: int) -> HandOver:
        return HandOver(self.origin, first, tuple(self.other[first - 1 : last]), self.note(last, self.other))


@dataclass(frozen=True)
class Attack:
    """A request, the statuses that are right for it, and whether it is evidence. `sizes`: what a 409 may name."""

    body: bytes
    statuses: Collection[int]
    evidence: bool = False
    path: str = "/hand-over"
    method: str = "POST"
    parts: tuple[bytes | None, ...] | None = None
    length: int | None = None


@dataclass
class Scene:
    """The victims of the attacks, and chance."""

    draw: random.Random
    victims: list[Victim]
    revoked: Victim
    stranger: Victim
    _notes: dict[tuple[str, int], SignedNote] = field(default_factory=dict)

    def victim(self) -> Victim:
        return self.draw.choice(self.victims)

    def known(self, victim: Victim) -> HandOver:
        """A hand-over of entries that are all at the centre, as somebody saw it on its way."""
        first = self.draw.randint(max(1, victim.kept - 30), victim.kept)
        return victim.hands(first, victim.kept)

    def new(self, victim: Victim) -> HandOver:
        """A hand-over that is on its way, with new entries."""
        first = self.draw.randint(victim.kept - 5, victim.kept + 1)
        return victim.hands(first, self.draw.randint(victim.kept + 1, victim.kept + 20))


# ------------------------------------------------------------------------------------------------ with the record's key


def fork(scene: Scene) -> Attack:
    """A copy of the card hands over its own history, in any order."""
    victim = scene.victim()
    last = scene.draw.randint(1, TOTAL)
    first = scene.draw.randint(max(1, last - 40), last + 1)
    body = victim.copy_hands(first, last).written()
    kept, parts_at = victim.kept, victim.parts_at
    if first > kept + 1:
        return Attack(body, {409})
    seen = min(kept, last)
    if first <= seen and seen >= parts_at:
        proven = first <= parts_at or last <= kept
        return Attack(body, {422} if proven else {409}, evidence=proven)
    if last == kept:  # a checkpoint alone, over as many entries as are here
        return Attack(body, {422}, evidence=True)
    return Attack(body, {409})


def other_root(scene: Scene) -> Attack:
    """The card's key signs another root over as many entries as are here."""
    victim = scene.victim()
    note = signed_checkpoint(victim.key, victim.kept, sha256(scene.draw.randbytes(8)))
    if scene.draw.random() < 0.5:
        return Attack(HandOver(victim.origin, victim.kept + 1, (), note).written(), {422}, evidence=True)
    return Attack(AddCheckpoint(0, (), note).written(), {409}, evidence=True, path="/add-checkpoint")


def rollback(scene: Scene) -> Attack:
    """An earlier hand-over once more: by its table, whose disk was put back, or by anybody."""
    victim = scene.victim()
    last = scene.draw.randint(0, victim.kept - 1)
    first = scene.draw.randint(max(1, last - 40), last + 1)
    return Attack(victim.hands(first, last).written(), {409})


def rolled_back_checkpoint(scene: Scene) -> Attack:
    victim = scene.victim()
    old = scene.draw.randint(0, victim.kept - 1)
    body = AddCheckpoint(old, (), victim.note(scene.draw.randint(old, victim.kept - 1))).written()
    return Attack(body, {409}, path="/add-checkpoint")


# ------------------------------------------------------------------------------------------------------ without any key


def replay(scene: Scene) -> Attack:
    return Attack(scene.known(scene.victim()).written(), {200})


def swap(scene: Scene) -> Attack:
    """Two entries change places on the way."""
    handed = (scene.known if scene.draw.random() < 0.5 else scene.new)(scene.victim())
    entries = list(handed.entries)
    if len(entries) < 2:
        return replay(scene)
    one, two = scene.draw.sample(range(len(entries)), 2)
    entries[one], entries[two] = entries[two], entries[one]
    return Attack(replace(handed, entries=tuple(entries)).written(), {400, 409})


def of_another_table(scene: Scene) -> Attack:
    """Entries of one table under the checkpoint of another one, or the other way round."""
    victim, other = scene.draw.sample(scene.victims, 2)
    theirs, mine = other.hands(victim.kept - 2, victim.kept + 4), victim.hands(victim.kept - 2, victim.kept + 4)
    if scene.draw.random() < 0.5:
        return Attack(replace(mine, entries=theirs.entries).written(), {400, 409})
    return Attack(replace(mine, checkpoint=theirs.checkpoint).written(), {400})


def cut(scene: Scene) -> Attack:
    body = (scene.known if scene.draw.random() < 0.5 else scene.new)(scene.victim()).written()
    return Attack(body[: scene.draw.randrange(len(body))], {400})


def flipped_bit(scene: Scene) -> Attack:
    """One bit changes on the way: in entries that are new, or anywhere in what the centre has already."""
    is_new = scene.draw.random() < 0.7
    handed = (scene.new if is_new else scene.known)(scene.victim())
    body = bytearray(handed.written())
    at = scene.draw.randrange(body.index(b"\n") + 1 if is_new else 0, len(body))
    body[at] ^= 1 << scene.draw.randrange(8)
    return Attack(bytes(body), {400, 403, 404, 409} if is_new else {200, 400, 403, 404, 409})


def changed_entry(scene: Scene) -> Attack:
    """A sealed half is exchanged, so that the entry has another hash; the checkpoint is the table's own."""
    handed = (scene.known if scene.draw.random() < 0.5 else scene.new)(scene.victim())
    entries = list(handed.entries)
    at = scene.draw.randrange(len(entries))
    public, sealed, _ = entries[at]
    assert public is not None
    assert sealed is not None
    changed = scene.draw.randbytes(len(sealed))
    entries[at] = (public, changed, rec.leaf(public, changed))
    return Attack(replace(handed, entries=tuple(entries)).written(), {400, 409})


def wrong_signature(scene: Scene) -> Attack:
    handed = scene.new(scene.victim())
    (line,) = handed.checkpoint.signatures
    if scene.draw.random() < 0.5:
        forged = scene.stranger.key.sign(handed.checkpoint.text.encode())
    else:
        forged = scene.draw.randbytes(len(line.data))
    lines = [NoteSignature(line.name, line.key_id, forged)]
    if scene.draw.random() < 0.3:
        lines.insert(0, line)
    return Attack(replace(handed, checkpoint=SignedNote(handed.checkpoint.text, tuple(lines))).written(), {403})


def huge(scene: Scene) -> Attack:
    if scene.draw.random() < 0.7:
        return Attack(b"", {413}, length=LARGEST_BODY + scene.draw.randint(1, 1 << 40))
    return Attack(b"", {413}, parts=(bytes(LARGEST_BODY), b"x", b"..."))


def slow(scene: Scene) -> Attack:
    body = scene.new(scene.victim()).written()
    return Attack(b"", {408}, parts=(body[: scene.draw.randrange(1, len(body))], b"..."))


def broken_off(scene: Scene) -> Attack:
    body = scene.new(scene.victim()).written()
    return Attack(b"", {400}, parts=(body[: scene.draw.randrange(1, len(body))], None))


def of_a_revoked_table(scene: Scene) -> Attack:
    last = scene.draw.randint(scene.revoked.kept, TOTAL)
    first = scene.draw.randint(1, last + 1)
    return Attack(scene.revoked.hands(first, last).written(), {410})


def of_a_stranger(scene: Scene) -> Attack:
    return Attack(scene.stranger.hands(1, scene.draw.randint(1, 40)).written(), {404})


def guessed_code(scene: Scene) -> Attack:
    code = "".join(scene.draw.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=12))
    asked = sign_enrolment(scene.stranger.key, KEY.verifier, code, make_challenge(KEY, int(time.time())))
    return Attack(msgspec.json.encode(asked), {403}, path="/enrol")


def rubbish(scene: Scene) -> Attack:
    path = scene.draw.choice(["/hand-over", "/enrol", "/add-checkpoint"])
    return Attack(scene.draw.randbytes(scene.draw.randint(0, 3_000)), {400}, path=path)


def wrong_proof(scene: Scene) -> Attack:
    """A genuine checkpoint with a proof that is none: refused, and no evidence against its table."""
    victim = scene.victim()
    proof = tuple(scene.draw.randbytes(32) for _ in range(scene.draw.randint(1, 9)))
    size = scene.draw.choice([victim.kept, victim.kept + 5])
    return Attack(AddCheckpoint(victim.kept, proof, victim.note(size)).written(), {422}, path="/add-checkpoint")


def wrong_door(scene: Scene) -> Attack:
    method = scene.draw.choice(["GET", "PUT", "DELETE", "OPTIONS", "POST"])
    unknown = f"/{scene.draw.randbytes(32).hex()}/checkpoint"
    path = scene.draw.choice(["/hand-over", "/enrol", "/x", "/../hand-over", unknown])
    if method == "POST" and path in ("/hand-over", "/enrol"):
        return rubbish(scene)
    if (method, path) == ("GET", "/enrol"):  # a challenge, which everybody may have and which alone enrols nothing
        return Attack(b"", {200}, path=path, method=method)
    return Attack(b"", {404, 405}, path=path, method=method)


Kind = Callable[[Scene], Attack]
KINDS: Final[dict[Kind, int]] = {
    fork: 16, other_root: 3, rollback: 10, rolled_back_checkpoint: 3, replay: 6, swap: 10, of_another_table: 10, cut: 8,
    flipped_bit: 16, changed_entry: 8, wrong_signature: 8, huge: 2, slow: 1, broken_off: 2, of_a_revoked_table: 4,
    of_a_stranger: 3, guessed_code: 3, rubbish: 4, wrong_proof: 3, wrong_door: 2,
}  # fmt: skip
"""How often each is drawn."""


# ----------------------------------------------------------------------------------------------------------- the run


@dataclass
class Outcome:
    """What the attacks did. `wrong`: sentences with the number of the attack, which shows it again."""

    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    evidence: int = 0
    wrong: list[str] = field(default_factory=list)


@functools.cache
def an_original() -> Original:
    """Games that every table of the lanes has, in copies."""
    return original(load(example_path("8x4")))


def a_victim(number: int, seed: int, kept: int, draw: random.Random) -> Victim:
    record = CopiedRecord(numbered_key(number, seed), an_original())
    entries = record.grow(TOTAL)
    parts_at = max(2, draw.randint(kept // 2, kept))
    other = list(entries[: parts_at - 1])
    for public, sealed, _ in entries[parts_at - 1 :]:
        assert public is not None
        assert sealed is not None
        part = msgspec.structs.replace(rec.read_public(public), before=other[-1][2].hex())
        halves = rec.public_bytes(part), draw.randbytes(len(sealed))
        other.append((*halves, rec.leaf(*halves)))
    return Victim(record.key, record.origin, entries, other, parts_at, kept)


def attacked(store: SqliteStore, reading: SqliteStore, attacks: int, seed: int) -> Outcome:
    """Attack a centre over a store so many times."""
    draw = random.Random(f"attacks {seed}")
    victims = [a_victim(number, seed, KEPT + 7 * number, draw) for number in range(4)]
    revoked, stranger = a_victim(8, seed, 60, draw), a_victim(9, seed, 1, draw)
    scene = Scene(draw, victims, revoked, stranger)
    clock_s = time.time()
    first_app = CentreApp(Centre(KEY, store, reading, lambda: clock_s))
    centre = Centre(KEY, store, reading, lambda: clock_s)
    app = CentreApp(centre)
    found = Outcome()

    async def begin() -> None:
        for victim in (*victims, revoked):
            store.add_code(code_hash(victim.origin), victim.origin[-6:], "", int(clock_s) + 60)
            assert store.enrol(code_hash(victim.origin), victim.origin, int(clock_s)) is not None
            for first in range(1, victim.kept + 1, 50):
                last = min(victim.kept, first + 49)
                replied = await ask(first_app, "POST", "/hand-over", [victim.hands(first, last).written()])
                assert replied.status == 200
        store.revoke(revoked.origin)

    async def work() -> None:
        before = digest(store)
        kinds, weights = list(KINDS), list(KINDS.values())
        for number in range(attacks):
            kind = draw.choices(kinds, weights)[0]
            await _one(number, kind, kind(scene))
            if number % CHECKED_EVERY == CHECKED_EVERY - 1 and digest(store) != before:
                found.wrong.append(f"up to attack {number}: the store has other rows")
                break
        if digest(store) != before:
            found.wrong.append("at the end the store has other rows")

    async def _one(number: int, kind: Kind, attack: Attack) -> None:
        kept = centre.counts.evidence
        parts = (attack.body,) if attack.parts is None else attack.parts
        replied = await ask(app, attack.method, attack.path, parts, length=attack.length)  # type: ignore[arg-type]
        found.statuses[replied.status] += 1
        found.kinds[kind.__name__] += 1
        found.evidence += centre.counts.evidence - kept
        if replied.status not in attack.statuses:
            found.wrong.append(_sentence(number, kind, replied, f"not {sorted(attack.statuses)}"))
        if (centre.counts.evidence - kept) != attack.evidence:
            found.wrong.append(_sentence(number, kind, replied, "evidence" if not attack.evidence else "no evidence"))

    living(first_app, begin)
    living(app, work)
    return found


def _sentence(number: int, kind: Kind, replied: Replied, what: str) -> str:
    return f"attack {number}, {kind.__name__}: answered {replied.status} {replied.body[:90]!r}, {what}"


def run(figures: Figures, *, short: bool) -> None:
    """Attack a centre over SQLite."""
    slowest, app_module.BODY_S = app_module.BODY_S, SLOW_S  # type: ignore[misc]
    try:
        with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
            path = Path(folder) / "centre.db"
            store, reading = SqliteStore(path), SqliteStore(path)
            began_s = time.monotonic()
            found = attacked(store, reading, ATTACKS[short], seed=21)
            took_s = time.monotonic() - began_s
            store.close()
            reading.close()
    finally:
        app_module.BODY_S = slowest  # type: ignore[misc]
    for line in found.wrong[:10]:
        figures.note(line)
    figures.note(f"{sum(found.kinds.values()):,} attacks in {took_s:.0f} s: {dict(found.kinds.most_common())}")
    figures.note(f"answers by status: {dict(sorted(found.statuses.items()))}; kept as evidence: {found.evidence:,}")
    figures.most("attacks that were answered wrongly or changed a row", len(found.wrong), 0)
    figures.least("attacks", sum(found.kinds.values()), ATTACKS[short])
