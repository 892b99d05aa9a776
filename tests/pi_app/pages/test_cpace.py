"""CPace over X25519 and SHA-512: the draft's own figures (appendix B.1 of revisions 13 and 21)."""

from __future__ import annotations

import pytest

from pi_app.pages import cpace
from pi_app.pages.sealing import exchanged
from tests.pi_app.pages.cpace_figures import DRAFTS, SID, YA, YB

LOW_ORDER = (
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
)


@pytest.mark.parametrize("revision", DRAFTS)
def test_the_figures_of_the_draft(revision: str) -> None:
    channel, generator, first, second, point, isk = DRAFTS[revision]
    made = cpace.generator(b"Password", channel, SID)
    assert made.hex() == generator
    shares = cpace.share(YA, made), cpace.share(YB, made)
    assert [each.hex() for each in shares] == [first, second]
    points = exchanged(YA, shares[1]), exchanged(YB, shares[0])
    assert [None if each is None else each.hex() for each in points] == [point, point]
    assert cpace.key(SID, bytes.fromhex(point), (shares[0], b"ADa"), (shares[1], b"ADb")).hex() == isk


@pytest.mark.parametrize("share", LOW_ORDER)
def test_a_share_of_low_order_gives_no_key(share: str) -> None:
    assert exchanged(YA, bytes.fromhex(share)) is None


def test_another_secret_gives_another_generator() -> None:
    made = {cpace.generator(f"{pin:06d}".encode(), b"c", SID) for pin in range(100)}
    assert len(made) == 100


def test_strings_have_their_length_in_front() -> None:
    assert cpace.joined(b"12", b"", b"3") == b"\x0212\x00\x013"
    with pytest.raises(ValueError, match="128 bytes"):
        cpace.with_length(bytes(128))
    with pytest.raises(ValueError, match="too long"):
        cpace.generator(bytes(120), b"", SID)


def test_the_map_takes_every_field_element() -> None:
    assert all(len(cpace.elligator2(bytes([number]) * 32)) == 32 for number in range(256))
