"""What a fresh signature of the device shows: see also `tests/attack/test_heartbeats.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.centre.enrolment import make_challenge
from pi_app.centre.store.store import KeptRecord
from pi_app.centre.taking.known_record import KnownRecord
from pi_app.centre.taking.presence import is_present
from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint
from pi_app.journal.record.handover import HandOver, show_presence
from pi_app.journal.record.presence import PRESENCE_S
from tests.pi_app.centre.records import CENTRE, STRANGER

NOW_S = 1_000_000
RECORD = KeptRecord(number=1, origin=origin_of(STRANGER.public), name="Table 1", known=KnownRecord(size=3))


def shown(made_s: int) -> HandOver:
    handed = HandOver(RECORD.origin, 4, (), signed_checkpoint(STRANGER, 3, bytes(32)))
    return show_presence(handed, STRANGER, CENTRE.verifier, make_challenge(CENTRE, made_s))


@pytest.mark.parametrize(
    ("made_s", "seen_s", "present"),
    [
        (NOW_S, 0, True),
        (NOW_S - PRESENCE_S, 0, True),
        (NOW_S - PRESENCE_S - 1, 0, False),
        (NOW_S + PRESENCE_S, 0, True),
        (NOW_S + PRESENCE_S + 1, 0, False),
        (NOW_S - 5, NOW_S - 5, True),
        (NOW_S - 5, NOW_S - 4, False),
        (NOW_S, NOW_S + PRESENCE_S, False),
        (NOW_S, NOW_S + PRESENCE_S + 1, True),
    ],
)
def test_a_challenge_counts_while_it_is_fresh_and_newer_than_what_was_seen(
    made_s: int, seen_s: int, present: bool
) -> None:
    assert is_present(shown(made_s), replace(RECORD, seen_s=seen_s), CENTRE, NOW_S) == present


@pytest.mark.parametrize("size", [2, 4])
def test_a_hand_over_that_does_not_go_on_where_the_centre_is_shows_nothing(size: int) -> None:
    assert not is_present(shown(NOW_S), replace(RECORD, known=KnownRecord(size=size)), CENTRE, NOW_S)


def test_a_hand_over_without_it_shows_nothing() -> None:
    assert not is_present(replace(shown(NOW_S), present=None), RECORD, CENTRE, NOW_S)
