"""Says whether a Trapdial journal is whole: a second verifier, written from journal_format.md and from nothing else.

    python3 journal_verifier.py journal.db [another journal, a HEAD, or a file with a head ...]

Needs PyNaCl and this file. Exit code 0 whole, 3 interrupted, 4 damaged, 5 forked from a witness, 2 no journal. The
worst of several journals counts.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sqlite3
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any, TypeVar

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as unseal
from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

WHOLE, NO_JOURNAL, INTERRUPTED, DAMAGED, FORKED = 0, 2, 3, 4, 5
JOURNAL, ARCHIVE, LOG = 0x54524150, 0x54524141, 2**40
TABLE = """CREATE TABLE entries ( seq INTEGER PRIMARY KEY, public BLOB, sealed BLOB, leaf BLOB NOT NULL,
    signature BLOB )"""
MOST_BYTES, MOST_PUBLIC, MOST_PROMISED, MOST_OPENINGS, MOST_FILE = 2**24, 2**20, 2**21, 2**24, 2**33
MOST_LOGS, MOST_HEAD, MOST_HEADS_FILE = 1000, 4096, 2**20
SIZES = (640, 1280, 2560, 5120)
LAST = b"trapdial last 1\n"
SQLITE = b"SQLite format 3\0"
LOGS = (b"\x37\x7f\x06\x82\x00\x2d\xe2\x18", b"\x37\x7f\x06\x83\x00\x2d\xe2\x18")
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)  # the second: of a message that quotes the file
DECODER = json.JSONDecoder(parse_constant=int)  # NaN is no JSON

Row = tuple[object, object, object, object, object]
Rows = Callable[[], Iterable[Row]]
Kind = TypeVar("Kind")
NOTHING: Row = (None, None, None, None, None)
EVERY: dict[str, type] = {"format": int, "kind": str, "seq": int, "game": str, "boot": str, "mono_ns": int, "wall": str}
SOME: dict[str, type] = {"square": str, "seat": str, "grade": str, "opening": dict, "stands": str, "key": str}
SOME |= {"device": str, "first": int, "last": int}


@dataclass(frozen=True)
class Verdict:
    code: int
    damaged: int | None  # the first entry that is not as it should be
    words: str


@dataclass(frozen=True)
class Head:
    device: bytes
    size: int
    root: bytes
    signature: bytes

    def is_signed(self) -> bool:
        root = base64.b64encode(self.root).decode()
        checkpoint = f"trapdial.invalid/record/{self.device.hex()}\n{self.size}\n{root}\n".encode()
        marks = self.is_signed_as(b"trapdial head 1\n") or self.is_signed_as(LAST)
        return marks or signed(self.device, checkpoint, self.signature)

    def is_signed_as(self, mark: bytes) -> bool:
        return signed(self.device, mark + self.numbers(), self.signature)

    def numbers(self) -> bytes:
        return self.size.to_bytes(8, "big") + self.root


@dataclass
class Game:
    opening: dict[str, Any]
    key: bytes | None = None


class WrongError(Exception):
    """An entry is not as the page says."""


class NoJournalError(Exception):
    """This is not a journal, or not a head."""


def need(condition: object, otherwise: str) -> None:
    if not condition:
        raise WrongError(otherwise)


def a(kind: type[Kind], value: object, otherwise: str) -> Kind:
    """The value, if it is one of this kind: `true` is no number."""
    if not isinstance(value, kind) or type(value) is bool:
        raise WrongError(otherwise)
    return value


def heads_from(text: str) -> list[Head]:
    """The heads in a text, such as a phone's heads.txt. The 1 of TRAPDIAL1 is in no head's letters."""
    parts = [part for part in re.split("(?i)(?=TRAPDIAL1)", text) if part.strip()]
    return [head_from(part) for part in parts or [""]]


def head_from(text: str) -> Head:
    """The head that stands in TRAPDIAL1..."""
    if len(text) > MOST_HEAD:
        raise NoJournalError(f"that is not a head: it has more than {MOST_HEAD} characters")
    packed = "".join(text.split()).upper()
    code = packed.removeprefix("TRAPDIAL1")
    try:
        raw = base64.b32decode(code + "=" * (-len(code) % 8))
    except ValueError:
        raw = b""
    if code == packed or len(raw) != 136:
        raise NoJournalError("that is not a head: it begins with TRAPDIAL1 and has 218 letters and digits behind it")
    head = Head(raw[:32], int.from_bytes(raw[32:40], "big"), raw[40:72], raw[72:])
    if not head.is_signed():
        raise NoJournalError("that head was misread or made up: its signature does not fit")
    return head


def signed(device: bytes, message: bytes, signature: bytes) -> bool:
    try:
        return VerifyKey(device).verify(message, signature) == message
    except (CryptoError, ValueError):
        return False


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def is_hex(value: object, digits: int) -> bool:
    return isinstance(value, str) and len(value) == digits and set(value) <= set("0123456789abcdef")


def canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def told(padded: bytes) -> dict[str, Any]:
    """The one object that stands before the spaces."""
    text = padded.rstrip(b" ")
    try:
        value = DECODER.decode(text.decode())
        if b"\\u" in text:
            canonical(value)  # half a character is none
    except (ValueError, RecursionError):
        value = None
    need(text[:1] + text[-1:] == b"{}", "is not the JSON of one object")
    return a(dict, value, "is not the JSON of one object")


class Tree:
    """Leaves, and the root over them."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self.peaks: list[tuple[int, bytes]] = []
        for leaf in leaves:
            self.add(leaf)

    def add(self, leaf: bytes) -> None:
        width, node = 1, leaf
        while self.peaks and self.peaks[-1][0] == width:
            width, node = 2 * width, sha(b"\1", self.peaks.pop()[1], node)
        self.peaks.append((width, node))

    def root(self) -> bytes:
        root = self.peaks[-1][1] if self.peaks else sha()
        for _, left in reversed(self.peaks[:-1]):
            root = sha(b"\1", left, root)
        return root


@dataclass
class Log:
    """What is known of one device's entries after the rows so far."""

    offset: int
    heads: Sequence[Head]
    name: str = ""
    size: int = 0
    damaged: int | None = None
    why: str = ""
    leaf: bytes = bytes(32)
    signature: bytes = b""
    device: str | None = None
    broken: bool = False  # whether it stopped at a row that does not fit
    last: tuple[str, int] = ("", 0)
    tree: Tree = field(default_factory=Tree)
    leaves: bytearray = field(default_factory=bytearray)
    follows: Head | None = None  # of the record that this one continues
    played: int = 0  # the last entry that is not a `game deleted`
    roots: dict[int, bytes] = field(default_factory=lambda: {0: sha()})
    games: dict[str, Game] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    holes: set[int] = field(default_factory=set)
    gone: list[int] = field(default_factory=list)  # the holes, and the entries that speak of them
    spans: list[tuple[int, int]] = field(default_factory=list)
    promised: int = 0  # the bytes of all public halves that begin or delete a game
    kept: Head | None = None  # the last.head beside the keys

    def take(self, row: Row, then: Row) -> None:
        """One row more: steps 1 to 8 of the page."""
        own = a(int, row[0], "has no number") - self.offset
        need(own == self.size + 1, "is not there, or bears another number")
        leaf = a(bytes, row[3], "has no leaf hash")
        behind = isinstance(then[0], int) and then[0] - self.offset > own
        need(row[4] is None or not behind, "is signed, and other entries stand behind it")
        signature = b"" if row[4] is None else a(bytes, row[4], "has no signature")
        need(len(leaf) == 32 and len(signature) == (0 if row[4] is None else 64), "has a hash that is none")
        if row[1] is None and row[2] is None:
            self.holes.add(own)
            self.gone.append(own)
            self.played = own
        else:
            public, sealed = a(bytes, row[1], "has no public half"), a(bytes, row[2], "has no sealed half")
            need(len(public) <= MOST_PUBLIC, "has a public half above the limit")
            need(sha(b"\0", len(public).to_bytes(4, "big"), public, sealed) == leaf, "was changed: not its leaf hash")
            self.check(entry := told(public), public, sealed)
            self.played = self.played if entry["kind"] == "game deleted" else own
        self.size, self.leaf, self.signature = own, leaf, signature
        self.tree.add(leaf)
        self.leaves += leaf
        if any(head.size == own for head in self.heads) or (self.kept is not None and self.kept.size == own):
            self.roots[own] = self.tree.root()

    def check(self, entry: dict[str, Any], public: bytes, sealed: bytes) -> None:
        """Steps 4 to 7."""
        for part, kind_of in EVERY.items():
            a(kind_of, entry.get(part), f"has no {part}")
        for part, kind_of in SOME.items():
            if entry.get(part) is not None:
                a(kind_of, entry[part], f"has a {part} that is none")
        need(all(isinstance(line, str) for line in a(list, entry.get("log", []), "has no log")), "has no log")
        name, kind, mono, opening = entry["game"], entry["kind"], entry["mono_ns"], entry.get("opening")
        if opening is not None:
            squares = a(dict, opening.get("squares"), "promises no squares")
            promises = [*(opening.get(part) for part in ("device", "key", "ruleset")), *squares.values()]
            need(all(isinstance(promise, str) for promise in promises), "has a promise that is none")
            a(int, opening.get("room"), "has a promise that is none")
            a(int, opening.get("sealed", 640), "has a promise that is none")
        continues = entry.get("continues")
        if continues is not None:
            parts = [a(dict, continues, "has a continues that is none").get(part) for part in ("head", "by")]
            need(all(isinstance(part, str) for part in parts), "has a continues that is none")
            need(kind in ("started", "game deleted"), "continues another record, and is not the first entry")
        need(entry["format"] == 3, "has another format than 3")
        need(entry["seq"] == self.size + 1, "says another number within")
        need(entry.get("clock") in ("ntp", "rtc", "none"), "does not say where its time is from")
        need(entry.get("before") == self.leaf.hex(), "does not follow the entry before it")
        need((a(str, entry.get("reports", ""), "has no reports") == "") == (kind == "game deleted"), "has no reports")
        length = 1024 if kind in ("started", "set-up checked", "ended") else 512
        while length < len(public.rstrip(b" ")):
            length *= 2
        need(len(public) == length, "has a length that its kind cannot have")
        need(entry["boot"] != self.last[0] or mono >= self.last[1], "is earlier than the entry before it")
        self.last = entry["boot"], mono
        if kind in ("started", "game deleted"):
            self.promised += len(public)
            need(self.promised <= MOST_OPENINGS, "begins or deletes a game, and a record may not hold so many")
        if kind == "game deleted":
            self.check_deleted(name, entry, sealed)
            return
        if kind == "started":
            need(name not in self.games and name not in self.named, "begins a game that was there before")
            opening = a(dict, opening, "promises nothing")
            promises = [opening["ruleset"], *opening["squares"].values()]
            need(all(is_hex(promise, 64) for promise in promises), "has a promise that is not 64 hex digits")
            self.signed_by(opening["device"])
            self.follow(entry.get("continues"), entry["seq"])
            self.games[name] = Game(opening)
        game = self.games.get(name)
        if game is None or game.key is not None:
            raise WrongError("belongs to no game that runs")
        most = game.opening.get("sealed", 640)
        text = {"started": game.opening["room"], "set-up checked": 4096 * most // 640}.get(kind, most)
        possible = most in SIZES and (kind != "started" or (0 < text <= 2**23 and text % 1024 == 0))
        need(possible and len(sealed) == text + 40, "has a sealed half of another length than its kind")
        if kind == "ended":
            need(is_hex(entry.get("key"), 64), "ends a game without its key")
            key = bytes.fromhex(entry["key"])
            need(sha(b"trapdial key 1\n", key).hex() == game.opening["key"], "has another key than was promised")
            game.key = key

    def check_deleted(self, name: str, entry: dict[str, Any], sealed: bytes) -> None:
        need(name not in self.games and name not in self.named, "takes out a game that is there, or twice")
        first = a(int, entry.get("first"), "does not say what was taken out")
        last = a(int, entry.get("last"), "does not say what was taken out")
        need(0 < first <= last <= self.size, "takes out what cannot have been there")
        gone = bisect_right(self.gone, last) - bisect_left(self.gone, first)
        need({first, last} <= self.holes and gone == last - first + 1, "takes out what is there")
        need(not sealed, "has a sealed half of another length than its kind")
        self.signed_by(entry.get("device"))
        self.follow(entry.get("continues"), first)
        self.spans.append((first, last))
        self.gone.append(self.size + 1)
        self.named.add(name)

    def signed_by(self, device: object) -> None:
        need(is_hex(device, 64) and self.device in (None, device), "is of another device")
        self.device = str(device)

    def follow(self, continues: dict[str, str] | None, first: int) -> None:
        """The older record that this one continues, if its first entry, or the deletion of that, names one."""
        if continues is None:
            return
        need(first == 1, "continues another record, and is not the first entry")
        try:
            head = head_from(continues["head"])
        except NoJournalError as wrong:
            raise WrongError(f"continues another record, but {wrong}") from None
        device = bytes.fromhex(self.device or "")
        vouched = b"trapdial next 1\n" + head.numbers() + device
        need(head.device != device and is_hex(continues["by"], 128), "continues a record that does not vouch for it")
        need(
            signed(head.device, vouched, bytes.fromhex(continues["by"])),
            "continues a record that does not vouch for it",
        )
        self.follows = head

    def finish(self) -> None:
        """What can be said after the last row."""
        kept = self.kept
        if kept is not None and self.device in (None, kept.device.hex()):
            if kept.size > self.size:
                self.hurt(self.size + 1, f"is missing: last.head beside the keys knows {kept.size} entries")
                return
            if self.roots.get(kept.size) != kept.root:
                self.hurt(kept.size, "or one before it is not what last.head beside the keys knows")
                return
        spans, reach = sorted(self.spans, reverse=True), 0
        for hole in sorted(self.holes):
            while spans and spans[-1][0] <= hole:
                reach = max(reach, spans.pop()[1])
            if hole > reach:
                self.hurt(hole, "was taken out, and nothing says so")
                return
        head = Head(bytes.fromhex(self.device or ""), self.size, self.tree.root(), self.signature)
        if not self.size:
            self.damaged, self.why = 0, "there is no entry"
        elif not head.is_signed_as(LAST):
            self.hurt(self.size, "is not signed by the device")

    def label(self) -> str:
        return " ".join(part for part in (self.name, f"log {self.offset // LOG}" if self.offset else "") if part)

    def hurt(self, seq: int, why: str) -> None:
        self.damaged, self.why = seq, f"entry {seq + self.offset} {why}"

    def open(self, public: object, sealed: object) -> None:
        """Whether a sealed half says what the public half says, once its game has given its key."""
        if not isinstance(public, bytes) or not isinstance(sealed, bytes) or not sealed:
            return
        entry = told(public)
        game = self.games[entry["game"]]
        if game.key is None:
            return
        try:
            secret = told(unseal(sealed[24:], public, sealed[:24], game.key))
        except CryptoError:
            raise WrongError("does not open with the key of its game") from None
        event: dict[str, Any] = a(dict, secret.get("event"), "has no event in its sealed half")
        salts: dict[str, Any] = a(dict, secret.get("salts", {}), "has no salts in its sealed half")
        a(str, secret.get("seats"), "has no seats in its sealed half")
        need(
            all(len(a(str, salt, "has a salt that is none")) == 64 for salt in salts.values()),
            "has a salt that is none",
        )
        for part in ("kind", "square", "seat", "grade"):
            need(entry.get(part) in (None, event.get(part)), f"has another {part} in its sealed half")
        promised: list[tuple[str, object, str]] = []
        if entry["kind"] == "started":
            tables = {}
            for square in a(list, event.get("squares"), "has no squares in its sealed half"):
                label = a(dict, square, "has a square that is none").get("label")
                tables[a(str, label, "has a square without a label")] = square.get("table")
            need(len(tables) == len(event["squares"]), "has two squares of one label")
            need(tables.keys() == game.opening["squares"].keys(), "promised other squares")
            promised = [(f"square {at}", tables[at], promise) for at, promise in game.opening["squares"].items()]
            promised.append(("ruleset", event.get("ruleset"), game.opening["ruleset"]))
        elif entry["kind"] == "set-up checked":
            promised = [("stands", event.get("stands"), entry.get("stands") or "")]
        for name, value, promise in promised:
            need(len(canonical(value)) <= MOST_PROMISED, f"has a value above the limit for its {name}")
            need(is_hex(salts.get(name), 64), f"has no salt for its {name}")
            need(sha(bytes.fromhex(salts[name]), canonical(value)).hex() == promise, f"promised another {name}")

    def verdict(self, devices: Collection[str | None]) -> Verdict:
        """`devices` are those of all logs."""
        fits, misfits = [0], []
        for head in self.heads:
            if self.device is None and head.device.hex() in devices:
                continue
            if not head.is_signed():
                misfits.append((head.size, "is not signed by the device that it names"))
            elif self.device not in (None, head.device.hex()) or (self.broken and head.size > self.size):
                continue
            elif self.roots.get(head.size) != head.root:
                misfits.append((head.size, "saw more" if head.size > self.size else "saw something else"))
            else:
                fits.append(head.size)
        if misfits:
            size, saw = min(misfits)
            seen = max(fit for fit in fits if fit <= size)
            words = f"FORKED: a witness of {size} entries {saw}; up to entry {seen} all is as witnessed. {self.why}"
            return Verdict(FORKED, self.damaged, words.strip())
        if self.damaged is not None:
            return Verdict(DAMAGED, self.damaged, f"DAMAGED: {self.why}.")
        about = f"{self.size} entries, {len(self.games)} games, witnessed up to entry {max(fits)}"
        if any(game.key is None for game in self.games.values()):
            return Verdict(INTERRUPTED, None, f"INTERRUPTED: {about}; a game has no end.")
        return Verdict(WHOLE, None, f"WHOLE: {about}.")


def contradictions(logs: Sequence[Log]) -> Iterator[str]:
    """What two records here say against each other: one was closed where the other continues it, or both are copies of
    one record that differ."""
    longest: dict[str, Log] = {}
    for log in sorted((log for log in logs if log.device and log.damaged is None), key=lambda log: -log.size):
        longer = longest.setdefault(log.device or "", log)
        if longer.leaves[: 32 * log.size] != log.leaves:
            differ = f"differ before entry {log.size + 1}"
            yield f"FORKED: {log.label()} and {longer.label()} are of one device, and {differ}."
    first: dict[bytes, Log] = {}
    for newer in logs:
        head = newer.follows
        if head is None:
            continue
        if first.setdefault(head.device, newer).device != newer.device:
            yield f"FORKED: {first[head.device].label()} and {newer.label()} continue the same record."
        for older in (log for log in logs if log.device == head.device.hex()):
            leaves = (bytes(older.leaves[at : at + 32]) for at in range(0, 32 * head.size, 32))
            if head.size > older.size and not older.broken:
                yield f"FORKED: {newer.label()} continues more entries than {older.label()} has."
            elif head.size <= older.size and Tree(leaves).root() != head.root:
                yield f"FORKED: {newer.label()} continues other entries than those of {older.label()}."
            if older.damaged is None and older.played > head.size:
                was = f"was closed after entry {head.size}, where {newer.label()} continues it"
                yield f"FORKED: {older.label()} {was}, and it has entry {older.played}."


def judge(rows: Rows, heads: Sequence[Head] = (), *, archive: bool = False, kept: Head | None = None) -> Verdict:
    """What these rows are worth; `rows` gives them again, for they are read twice."""
    return conclusion(logs_of(rows, heads, archive=archive, kept=kept), heads)


def logs_of(
    rows: Rows, heads: Sequence[Head] = (), *, archive: bool = False, kept: Head | None = None, name: str = ""
) -> list[Log]:
    """Each record in these rows; a journal is one, also if it has no row."""
    number = 0

    def number_of(row: Row) -> int:
        nonlocal number
        number = row[0] // LOG if archive and isinstance(row[0], int) else number
        return number

    logs: list[Log] = []
    for at, part in groupby(rows(), number_of):
        if archive and at < 1:
            raise NoJournalError("it holds entries that are of no log")
        if len(logs) == MOST_LOGS:
            raise NoJournalError(f"it holds more than {MOST_LOGS} logs")
        logs.append(log := Log(at * LOG, heads, name, kept=kept))
        try:
            for row, then in pairwise(chain(part, [NOTHING])):
                log.take(row, then)
        except WrongError as wrong:
            log.broken = True
            log.hurt(log.size + 1, str(wrong))
        else:
            log.finish()
    if not logs:
        logs.append(log := Log(LOG * archive, heads, name, kept=kept))
        log.finish()
    for log, (_, part) in zip(logs, groupby(rows(), number_of), strict=False):
        own = 0
        try:
            for own, row in enumerate(part, 1):
                if own > log.size or own == log.damaged:
                    break
                log.open(row[1], row[2])
        except WrongError as wrong:
            log.hurt(own, str(wrong))
    known = [log.device for log in logs if log.device is not None]
    if len(known) != len(set(known)):
        raise NoJournalError("it holds two records of one device")
    return logs


def conclusion(logs: Sequence[Log], heads: Sequence[Head]) -> Verdict:
    """What these records are worth together: the worst of them, and what they say against each other."""
    devices = {log.device for log in logs}
    found = [log.verdict(devices) for log in logs]
    if None not in devices and any(head.device.hex() not in devices for head in heads):
        found.append(Verdict(FORKED, None, "FORKED: a witness saw another device's record."))
    found += [Verdict(FORKED, None, words) for words in contradictions(logs)]
    hurt = [log.damaged + log.offset for log in logs if log.damaged is not None]
    return Verdict(max(one.code for one in found), min(hurt, default=None), "\n".join(one.words for one in found))


def rows_of(db: sqlite3.Connection) -> Iterator[Row]:
    """The rows in their order; one that cannot be read comes as nothing, and is the last."""
    last = -1
    try:
        for row in db.execute("SELECT * FROM entries ORDER BY seq"):
            if row[0] <= last:
                break
            last = row[0]
            yield row
        else:
            return
    except UNREADABLE:  # Python asks for one row more than it hands out, so the one before may be sound
        with suppress(*UNREADABLE):
            yield from db.execute("SELECT * FROM entries WHERE seq = ?", (max(last, 0) + 1,))
    yield NOTHING


def look_beside(path: Path) -> int:
    """The length of SQLite's log; nothing else that SQLite would act on may lie beside the file."""
    beside = {end: path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm")}
    if os.path.lexists(beside["-journal"]):
        raise NoJournalError("a -journal lies beside it, which the next program that writes would put into it")
    for file in (beside["-wal"], beside["-shm"]):
        if os.path.lexists(file) and (file.is_symlink() or not file.is_file()):
            raise NoJournalError(f"beside it is a {file.name} that is not a plain file")
    log = beside["-wal"]
    if not log.exists():
        return 0
    if log.stat().st_size > MOST_FILE:
        raise NoJournalError(f"beside it is a {log.name} of more than {MOST_FILE} bytes")
    begin = beginning(log, 32)
    if len(begin) == 32 and any(begin) and begin[:8] not in LOGS:
        raise NoJournalError(f"beside it is a {log.name} that is not SQLite's log")
    return log.stat().st_size


def look_at_size(path: Path, *, compare: bool) -> None:
    """A file must not be longer than its pages, and most of a long one must be on the disk."""
    seen, header = path.stat(), beginning(path, 100)
    page, pages, changed, counted = (
        int.from_bytes(header[a:z], "big") for a, z in ((16, 18), (28, 32), (24, 28), (92, 96))
    )
    if compare and header.startswith(SQLITE) and changed == counted:
        bytes_of_pages = pages * (65536 if page == 1 else page)
        if 0 < bytes_of_pages < seen.st_size:
            raise NoJournalError(f"it has {seen.st_size} bytes, and its header counts {bytes_of_pages}")
    held = getattr(seen, "st_blocks", 0) * 512
    if seen.st_size > 2**24 and 0 < held * 8 < seen.st_size:
        raise NoJournalError(f"it has {seen.st_size} bytes, and the disk holds {held} of them")


def beginning(path: Path, length: int) -> bytes:
    """The first bytes of a plain file: a pipe would wait for ever."""
    if not path.is_file():
        raise NoJournalError("there is no such file" if not path.exists() else "it is not a plain file")
    with path.open("rb") as file:
        return file.read(length)


def last_head(path: Path) -> Head | None:
    """The head that the device has kept beside its keys, if it is here and can be read."""
    folder = path.with_name(path.name + ".keys")
    try:
        if (place := folder / "place").is_file():
            folder = Path(beginning(place, MOST_HEAD).decode().strip())
        return head_from(beginning(folder / "last.head", MOST_HEAD).decode())
    except (NoJournalError, OSError, ValueError):
        return None


def judge_file(path: Path, heads: Sequence[Head] = ()) -> Verdict:
    return conclusion(logs_in(path, heads), heads)


def logs_in(path: Path, heads: Sequence[Head], name: str = "") -> list[Log]:
    if not path.is_file():
        raise NoJournalError("there is no such file" if not path.exists() else "it is not a plain file")
    if path.stat().st_size > MOST_FILE:
        raise NoJournalError(f"it has more than {MOST_FILE} bytes")
    kept = last_head(path)  # before the entries, for a game may be on
    at_rest = "&immutable=1" if look_beside(path.resolve()) == 0 else ""
    look_at_size(path, compare=bool(at_rest))
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{at_rest}", uri=True, isolation_level=None)
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        reading = ("query_only = ON", "writable_schema = ON")  # the second reads a file that was cut short
        for setting in ("trusted_schema = OFF", *reading, "cache_size = -4096", "mmap_size = 0"):
            db.execute(f"PRAGMA {setting}")
        db.execute("BEGIN")
        (kind,), (version,) = (
            db.execute("PRAGMA application_id").fetchone(),
            db.execute("PRAGMA user_version").fetchone(),
        )
        need(kind in (JOURNAL, ARCHIVE), "it is not a journal")
        need(version == 3, f"its format is {version}, and this verifier knows 3")
        tables = [(one, str(sql).split()) for one, sql in db.execute("SELECT type, sql FROM sqlite_master LIMIT 2")]
        need(tables == [("table", TABLE.split())], "it has not a journal's one table")
        archive = kind == ARCHIVE
        return logs_of(lambda: rows_of(db), heads, archive=archive, kept=None if archive else kept, name=name)
    except (*UNREADABLE, WrongError) as wrong:
        raise NoJournalError(str(wrong)) from None
    finally:
        db.close()


def say(text: str) -> None:
    """A file may hold anything, a terminal should not get it."""
    for line in text.splitlines():
        print("".join(letter if " " <= letter <= "~" else "?" for letter in line))


def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else NO_JOURNAL
    name = ""
    try:
        heads: list[Head] = []
        paths = [Path(arguments[0])]
        for name in arguments[1:]:
            is_text = name.upper().startswith("TRAPDIAL1")
            if not is_text and beginning(Path(name), len(SQLITE)) == SQLITE:
                paths.append(Path(name))
                continue
            text = name if is_text else beginning(Path(name), MOST_HEADS_FILE + 1).decode("ascii")
            if len(text) > MOST_HEADS_FILE:
                raise NoJournalError(f"it has more than {MOST_HEADS_FILE} characters")
            heads += heads_from(text)
        logs = []
        for path in paths:
            name = str(path)
            logs += logs_in(path, heads, name if len(paths) > 1 else "")
    except (NoJournalError, sqlite3.Error, OSError, ValueError) as wrong:
        say(f"{name}: {wrong}")
        return NO_JOURNAL
    verdict = conclusion(logs, heads)
    say(verdict.words)
    return verdict.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
