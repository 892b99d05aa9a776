from __future__ import annotations

from hardware.readings import Magnet
from pi_app.dials.health import GLITCHES, MAGNET_GOOD, STABLE_AGAIN, TOO_STRONG, TOO_WEAK, DialHealth

GOOD, WEAK, STRONG, UNKNOWN = Magnet.GOOD, Magnet.TOO_WEAK, Magnet.TOO_STRONG, Magnet.UNKNOWN


def reported(*seen: Magnet) -> list[str]:
    health = DialHealth()
    return [said for magnet in seen if (said := health.magnet(magnet)) is not None]


def test_a_good_magnet_is_not_reported() -> None:
    assert reported(GOOD, UNKNOWN, GOOD) == []


def test_a_bad_one_is_reported_once_and_again_when_it_is_good() -> None:
    assert reported(WEAK, UNKNOWN, WEAK, WEAK) == [TOO_WEAK]
    assert reported(STRONG, GOOD, UNKNOWN, GOOD, GOOD) == [TOO_STRONG, MAGNET_GOOD]
    assert reported(WEAK, STRONG) == [TOO_WEAK, TOO_STRONG]


def test_one_near_the_limit_is_reported_less_and_less_often() -> None:
    assert reported(WEAK, GOOD, WEAK, GOOD, WEAK) == [TOO_WEAK]
    assert len(reported(*[WEAK, GOOD, GOOD] * 50)) == 3
    assert len(reported(*[WEAK, *[GOOD] * 64] * 4)) == 8


def test_glitches_are_reported_when_they_begin_and_when_they_end() -> None:
    health = DialHealth()
    assert [health.glitches(now) for now in (False, True, True, False)] == [None, GLITCHES, None, STABLE_AGAIN]


def test_a_bad_magnet_stays_so_while_it_is_not_steady() -> None:
    health = DialHealth()
    assert health.magnet(WEAK, steady=False) == TOO_WEAK
    assert [health.magnet(seen, steady=False) for seen in (STRONG, *[GOOD] * 9)] == [None] * 10
    assert health.magnet(GOOD) == MAGNET_GOOD
