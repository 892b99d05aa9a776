"""wiring_docs/hub_wire.md agrees with `hub/wire.py`: each table and each line is compared."""

from __future__ import annotations

import hmac
import re
import struct
from pathlib import Path

import pytest

from firmware_host import session
from firmware_host.decode import ACTIONS, KINDS, READ_RESULTS, STATUSES, decoded
from firmware_host.hub import records, sampler, wire
from firmware_host.path_rule import LEAST_JUMP
from firmware_host.reports import WITH_ANGLE

PAGE = Path(__file__).resolve().parents[2] / "wiring_docs" / "hub_wire.md"
TEXT = PAGE.read_text(encoding="utf-8")
PLAIN = " ".join(TEXT.split())

BODIES = {
    wire.HELLO: wire.HELLO_BODY,
    wire.STREAM: wire.STREAM_BODY,
    wire.PING: wire.PING_BODY,
    wire.DIAG: wire.DIAG_BODY,
    wire.MAINT: wire.MAINT_BODY,
    wire.WELCOME: wire.WELCOME_BODY,
    wire.ACK: wire.ACK_BODY,
    wire.PONG: wire.PONG_BODY,
    wire.DIAGNOSIS: wire.DIAGNOSIS_BODY,
    wire.COUNTS: wire.COUNTS_BODY,
    wire.REPORT: wire.REPORT_HEAD,
    wire.PROVE: wire.PROVE_BODY,
    wire.PROOF: wire.PROOF_BODY,
}
TYPES = {"u8": "B", "u16": "H", "u32": "I"}


def section(kind: int) -> str:
    (found,) = re.findall(rf"^### {kind:02x} {KINDS[kind]}\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL)
    return str(found)


def rows(text: str, head: str) -> list[list[str]]:
    """Rows of the tables that begin with this head."""
    found = []
    for part in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.strip().splitlines()]
        if lines[0][0] == head:
            found += lines[2:]
    return found


def test_every_kind_has_its_section() -> None:
    heads = re.findall(r"^### ([0-9a-f]{2}) (\w+)$", TEXT, re.MULTILINE)
    assert {int(number, 16): name for number, name in heads} == KINDS


@pytest.mark.parametrize("kind", BODIES, ids=KINDS.get)
def test_the_table_of_a_body(kind: int) -> None:
    found, at = ">", 0
    for start, size, type_, *_ in rows(section(kind), "from"):
        if size == "dials":
            continue
        assert int(start) == at
        form = TYPES.get(type_, f"{size}s")
        assert int(size) == struct.calcsize(form)
        found += form
        at += int(size)
    assert found == BODIES[kind]


def test_bodies_that_are_empty() -> None:
    for kind in (wire.STATS, wire.BYE):
        assert "The body is empty." in section(kind)


@pytest.mark.parametrize(
    ("head", "form", "kind"),
    [
        ("of a sample", wire.ONE_RECORD, wire.ONE),
        ("of a run", wire.RUN_RECORD, wire.RUN),
        ("of a full read", wire.FULL_RECORD, wire.FULL),
    ],
)
def test_the_records(head: str, form: str, kind: int) -> None:
    """Each kind of record has a table, with its length and its number above it."""
    text = section(wire.REPORT)
    (table,) = [part for part in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE) if f"| {head} |" in part]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]
    assert ">" + "".join(TYPES[type_] for _, type_, *_ in found) == form
    assert [int(size) for size, *_ in found] == [struct.calcsize(TYPES[type_]) for _, type_, *_ in found]
    assert found[0][3] == f"0x{kind:02X} + dial"
    assert f"kind {kind >> 4}, {struct.calcsize(form)} bytes" in text


def test_the_rules_of_a_report() -> None:
    phrase = " ".join(section(wire.REPORT).split())
    for rule in (
        f"After {('two', 'three', 'four')[records.REST_SAMPLES - 2]} samples in a row within {records.BAND} counts",
        f"above + below is at most {2 * records.BAND} ",
        f"does not fit into {wire.MOST_BODY} bytes",
        f"came more than {records.FAR} counts away",
        f"agree within {records.AGREE} counts",
        f"{('two', 'three', 'four')[records.FULL_READS - 3]} more at least {sampler.FULL_APART_US // 1000} ms apart",
    ):
        assert rule in phrase, rule
    assert sampler.EACH_FULL_US == 1_000_000
    assert struct.calcsize(wire.REPORT_HEAD) == wire.REPORT_HEAD_LENGTH


def test_read_results() -> None:
    found = rows(section(wire.REPORT), "result of a read")
    assert [(int(number), words) for number, words, _ in found] == list(enumerate(READ_RESULTS))
    assert {int(number) for number, _, angle in found if angle == "yes"} == WITH_ANGLE


def test_statuses_and_actions() -> None:
    phrase = ", ".join(f"{number} {words}" for number, words in enumerate(STATUSES))
    assert f"| status | {phrase} |" in TEXT
    phrase = ", ".join(f"{number} {words}" for number, words in ACTIONS.items())
    assert f"| action | {phrase} |" in TEXT


def test_numbers() -> None:
    for phrase in (
        f"{wire.LEAST_PERIOD_MS} to {wire.MOST_PERIOD_MS} ms",
        f"{wire.LEAST_GAP_MS} to {wire.MOST_GAP_MS} ms",
        f"0 to {wire.MOST_BODY} |",
        f"1 to {wire.MOST_DIALS} |",
        f"12 to {2 * wire.MOST_INSIDE} hex digits",
        f"at most {wire.MOST_COMMAND} characters",
        f"0x{wire.MAINT_KEY:08X}",
        f"{LEAST_JUMP} counts of {wire.COUNTS_PER_TURN}",
        f"This is protocol {wire.PROTOCOL}.",
        f"HELLO every {session.GREETING_NS // session.MS_NS} ms",
        f"{session.GREETINGS} HELLOs without an answer",
        f"no report for {session.STALE_NS // session.MS_NS} ms",
        f"repeated after {session.COMMAND_NS // session.MS_NS} ms, three times in all",
        f"after {session.GREETINGS_STALE} without an answer, and then after every {session.GREETINGS}",
    ):
        assert phrase in PLAIN, phrase
    assert wire.TICKS == 1 << 30
    assert session.COMMAND_TRIES == 3


def lines() -> list[str]:
    return re.findall(r"^(?:Pi |hub) +(:[0-9a-f]+)$", TEXT, re.MULTILINE)


def test_the_lines_decode_to_the_block_below_them() -> None:
    (block,) = re.findall(r"^```text\n(HELLO number 0.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert [decoded(line) for line in lines()] == block.splitlines()


def test_the_lines_are_ours() -> None:
    for line in lines():
        found = wire.message(line[1:].encode())
        assert found is not None
        assert wire.line(*found) == line.encode() + b"\n"
    assert sorted(int(line[1:3], 16) for line in lines()) == sorted(set(KINDS) - {wire.PROVE, wire.PROOF})


def test_the_keyed_example_is_what_both_ends_compute() -> None:
    """With Python's own `hmac`, from the table of the page."""
    shown = re.findall(r"^(?:Pi |hub): (:[0-9a-f]+)$", TEXT, re.MULTILINE)
    (block,) = re.findall(r"^```text\n(WELCOME number 0.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert [decoded(line) for line in shown] == block.splitlines()
    (_, _, welcome), (_, _, challenge), (_, _, proof), *sealed = (
        wire.message(line[1:].encode()) or (0, 0, b"") for line in shown
    )
    key, transcript = bytes(range(32)), welcome + challenge + proof[:20]
    assert hmac.digest(key, b"proof of a hub 1" + transcript, "sha256")[:16] == proof[20:]
    session_key = hmac.digest(key, b"seals of a hub 1" + transcript, "sha256")
    assert len(sealed) == 2
    for kind, seq, body in sealed:
        check = hmac.digest(session_key, bytes((kind, seq)) + body[:-8], "sha256")[:8]
        assert (check, body[-12:-8]) == (body[-8:], b"\0\0\0\1")
    for phrase in ("more than 2 s late", "`proof of a hub 1`", "`seals of a hub 1`", "0x40 is added"):
        assert phrase in PLAIN
    assert (session.LATE_NS, wire.SEALED, wire.SEAL_BYTES) == (2_000_000_000, 0x40, 12)


def test_the_example_by_hand() -> None:
    hello, report = lines()[0], lines()[6]
    assert hello == ":01" + "00" + "0202" + "c0ffee01" + "e1af1983"
    assert f"{0x0012EBC0:,}".replace(",", " ") in PLAIN
    pieces = "0012ebc0, 0003, 00 07, 20 0000 44c0 0203 31 00 0005 1130, 11 00f0 1000, 31 1220 2800 80 0384"
    for piece in pieces.split(", "):
        assert f"`{piece}`" in PLAIN
        assert piece.replace(" ", "") in report
