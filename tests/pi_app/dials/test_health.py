from __future__ import annotations

from hardware.readings import Magnet
from pi_app.dials.health import HOPS, MAGNET_GOOD, STILL_AGAIN, TOO_STRONG, TOO_WEAK, Care

GOOD, WEAK, STRONG, UNKNOWN = Magnet.GOOD, Magnet.TOO_WEAK, Magnet.TOO_STRONG, Magnet.UNKNOWN


def told(*seen: Magnet) -> list[str]:
    care = Care()
    return [news for magnet in seen if (news := care.magnet(magnet)) is not None]


def test_a_good_magnet_is_not_worth_a_word() -> None:
    assert told(GOOD, UNKNOWN, GOOD) == []


def test_a_bad_one_is_told_once_and_again_when_it_is_good() -> None:
    assert told(WEAK, UNKNOWN, WEAK, WEAK) == [TOO_WEAK]
    assert told(STRONG, GOOD, UNKNOWN, GOOD, GOOD) == [TOO_STRONG, MAGNET_GOOD]
    assert told(WEAK, STRONG) == [TOO_WEAK, TOO_STRONG]


def test_one_at_the_edge_is_told_ever_more_rarely() -> None:
    assert told(WEAK, GOOD, WEAK, GOOD, WEAK) == [TOO_WEAK]
    assert len(told(*[WEAK, GOOD, GOOD] * 50)) == 3
    assert len(told(*[WEAK, *[GOOD] * 64] * 4)) == 8


def test_hopping_is_told_when_it_begins_and_when_it_ends() -> None:
    care = Care()
    assert [care.hopping(hops) for hops in (False, True, True, False)] == [None, HOPS, None, STILL_AGAIN]
