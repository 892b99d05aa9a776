"""Codes and challenges of a centre."""

from __future__ import annotations

import pytest

from pi_app.centre.enrolment import CHALLENGE_S, LETTERS, code_hash, is_fresh, make_challenge, new_code
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.keys import device_key
from tests.pi_app.centre.records import CENTRE


def test_a_challenge_is_fresh_for_its_time_before_this_centre() -> None:
    challenge = make_challenge(CENTRE, 1_000)
    times = [1_000 - CHALLENGE_S - 1, 1_000 - CHALLENGE_S, 1_000, 1_000 + CHALLENGE_S, 1_001 + CHALLENGE_S]
    assert [is_fresh(CENTRE, challenge, now_s) for now_s in times] == [False, True, True, True, False]
    assert not is_fresh(CentreKey(CENTRE.name, device_key(b"x" * 32)), challenge, 1_000)
    assert make_challenge(CENTRE, 1_000) != challenge, "no two are the same"


def test_a_centre_whose_date_is_before_1970_makes_one_too() -> None:
    assert is_fresh(CENTRE, make_challenge(CENTRE, -5), 0)


def test_a_challenge_that_was_changed_is_none() -> None:
    challenge = make_challenge(CENTRE, 1_000)
    changed = ["", "0", "zz", challenge[:-2], challenge + "00", challenge.upper(), f" {challenge}", "00" * 56]
    changed += [challenge[:at] + ("0" if challenge[at] != "0" else "1") + challenge[at + 1 :] for at in range(112)]
    assert [each for each in changed if is_fresh(CENTRE, each, 1_000)] == []


def test_a_code_has_twelve_letters_and_is_kept_as_its_hash() -> None:
    code = new_code()
    assert len(code.replace("-", "")) == 12
    assert set(code) <= {*LETTERS, "-"}
    assert code_hash(code.lower().replace("-", " ")) == code_hash(code)
    assert code_hash(new_code()) != code_hash(code)


@pytest.mark.parametrize("typed", ["obij-klmn-opqr", "O81JKLMNOPQR"])
def test_a_code_may_be_typed_as_it_is_read(typed: str) -> None:
    assert code_hash(typed) == code_hash("OBIJ-KLMN-OPQR")
