"""The page of the centre's protocol: its example, byte by byte, and its figures."""

from __future__ import annotations

import secrets
from hashlib import sha256
from http import HTTPStatus

import msgspec
import pytest

from pi_app.centre.enrolment import CHALLENGE_S, make_challenge
from pi_app.centre.own_log.entries import OwnLogKey
from pi_app.centre.own_log.own_log import BATCH_S
from pi_app.centre.service import app
from pi_app.centre.service.connection import HEAD_S
from pi_app.centre.service.evidence import LONGEST_KEPT
from pi_app.centre.service.placed import HANDSHAKE_S
from pi_app.centre.service.places import PlaceLimits
from pi_app.centre.store.evidence_rows import BUDGET_BYTES, MOST_PIECES, MOST_WHOLE
from pi_app.centre.taking.decision import CLOCK_BEHIND_S, STEP_BACK, CentreKey
from pi_app.centre.taking.known_record import MOST_OPEN_GAMES
from pi_app.journal.record import handover
from pi_app.journal.record.checkpoints import cosign, read_checkpoint
from pi_app.journal.record.enrolment import LONGEST_CHALLENGE, Enrolment, sign_enrolment
from pi_app.journal.record.handover import read_handover, show_presence
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.presence import CHALLENGE_HEADER, PRESENCE_S, Presence
from pi_app.journal.record.witness_protocol import LARGEST_REQUEST, MOST_STEPS
from pi_app.sender import outbox, pace
from pi_app.sender.sender import CHALLENGE_S as USABLE_S
from pi_app.sender.sender import HEARTBEAT_S, REFUSED_S
from tests.docs.pages import blocks, tables, text

PLACES = PlaceLimits()
PAGE = "wiring_docs/centre_protocol.md"
CENTRE = CentreKey("centre.example/c1", device_key(b"\x02" * 32))


def example() -> bytes:
    """The body of the example, from the page."""
    header, *lines = blocks(PAGE, "text")[0].splitlines()
    body = header.encode() + b"\n"
    while lines[0].startswith(("hex ", "{")):
        line = lines.pop(0)
        body += bytes.fromhex(line.removeprefix("hex ")) if line.startswith("hex ") else line.encode()
    return body + "".join(f"{line}\n" for line in lines).encode()


def test_the_example_is_a_hand_over_to_the_byte() -> None:
    page, body = text(PAGE), example()
    assert f"The body has {len(body)} bytes" in page
    assert f"`{sha256(body).hexdigest()}`" in page
    handed = read_handover(body)
    assert handed.written() == body
    leaves = [leaf for *_, leaf in handed.entries]
    assert f"`{leaves[0].hex()}`" in page
    assert read_checkpoint(handed.checkpoint.text).root == root_of(leaves)
    assert handed.entries[0][0] is not None
    assert f"{len(handed.entries[0][0])} bytes in all" in page


def test_the_examples_signatures_and_keys_are_right() -> None:
    handed = read_handover(example())
    line = cosign(CENTRE.key, CENTRE.name, handed.checkpoint.text, 1_700_000_000).line()
    assert blocks(PAGE, "text")[1] == line
    assert f"(`{CENTRE.verifier.text()}`)" in text(PAGE)
    assert f"`{OwnLogKey.of('centre.example/log', CENTRE).verifier.text()}`" in text(PAGE)


def test_every_name_of_the_first_line_is_told() -> None:
    (rows,) = tables(PAGE, "name", "what")
    assert [row["name"].strip("`") for row in rows] == [
        *("handover", "origin", "first", "count", "since", "more", "present"),
    ]
    note, present = read_handover(example()).checkpoint, Presence(challenge="", signature="ab" * 64)
    full = handover.HandOver("o", 1, (), note, "s", 5, present).written().partition(b"\n")[0]
    assert list(msgspec.json.decode(full)) == [row["name"].strip("`") for row in rows]


def test_the_example_of_a_table_that_is_there_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_bytes", lambda count: b"\x03" * count)
    challenge = make_challenge(CENTRE, 1_700_000_000)
    shown = show_presence(read_handover(example()), device_key(b"\x01" * 32), CENTRE.verifier, challenge)
    assert shown.present is not None
    assert blocks(PAGE, "json") == [msgspec.json.encode(shown.present).decode() + "\n"]
    page = " ".join(text(PAGE).split())
    assert f"header `{CHALLENGE_HEADER.title()}`" in page
    assert f"takes its own challenge for {PRESENCE_S} s" in page
    assert f"comes every {HEARTBEAT_S:.0f} s. A table uses one for {USABLE_S:.0f} s" in page


def test_the_example_of_an_enrolment_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_bytes", lambda count: b"\x03" * count)
    challenge = make_challenge(CENTRE, 1_700_000_000)
    asked = sign_enrolment(device_key(b"\x01" * 32), CENTRE.verifier, "KQ7M-R2XA-5DHC", challenge)
    assert blocks(PAGE, "text")[2] == msgspec.json.encode(asked).decode() + "\n"
    (rows,) = tables(PAGE, "field", "what")
    assert [row["field"].strip("`") for row in rows] == list(Enrolment.__struct_fields__)
    page = " ".join(text(PAGE).split())
    assert f"32 to {LONGEST_CHALLENGE} digits" in page
    assert f"its own challenge for {CHALLENGE_S} s" in page


def test_the_statuses_are_http_s() -> None:
    (rows,) = tables(PAGE, "status", "what it means", "what the table does")
    found = [int(row["status"]) for row in rows]
    assert found == sorted(set(found))
    assert all(HTTPStatus(status) for status in found)


def test_the_figures_are_the_programs_own() -> None:
    page = " ".join(text(PAGE).split())
    limits = {row["what"]: row["at most"] for row in tables(PAGE, "what", "at most")[0]}
    assert limits == {
        "a body of `/hand-over`": f"{handover.LARGEST_BODY:,} bytes, {handover.MOST_ENTRIES:,} entries, "
        f"{app.BODY_S:.0f} s from the first byte to the last",
        "a body of `/enrol`": f"{app.LARGEST_ENROLMENT:,} bytes",
        "a body of `/add-checkpoint`": f"{LARGEST_REQUEST:,} bytes, {MOST_STEPS} lines of proof",
        "the handshake of TLS": f"{HANDSHAKE_S:.0f} s",
        "the head of a request": f"{HEAD_S:.0f} s",
        "games of a record that have begun and not ended": str(MOST_OPEN_GAMES),
        "connections": f"{PLACES.most:,} in all, {PLACES.an_address} of one address",
        f"hand-overs of more than {app.LARGE_BYTES:,} bytes that are read at once": str(app.LARGE_AT_ONCE),
    }
    for words in (
        f"of {PLACES.tables:,} connections at most; and {PLACES.this_machine} of the centre's own machine",
        f"at most {STEP_BACK} before its last one",
        f"more than {CLOCK_BEHIND_S} seconds behind its last cosignature",
        f"at most {outbox.MOST_ENTRIES} entries or {outbox.MOST_BYTES:,} bytes",
        f"at least {pace.LEAST_PAUSE_S} s between two",
        f"shows every {HEARTBEAT_S:.0f} s that it is there",
        f"begins at {pace.FIRST_LONGEST_S:.0f} s and doubles up to {pace.LONGEST_S:.0f} s",
        f"it is {REFUSED_S:.0f} s more",
        f"waits up to {pace.FIRST_LONGEST_S:.0f} s before its first try",
        f"Every {BATCH_S:.0f} s at most, the newest checkpoint",
        f"the first {MOST_WHOLE} contradictions as they came",
        f"more than {LONGEST_KEPT:,} bytes), until {MOST_PIECES} pieces or {BUDGET_BYTES:,} bytes",
    ):
        assert words in page, words
