from __future__ import annotations

from pi_app.play.repeats import NOTICES, RepeatedNotices

S = 1_000_000_000
DIP = "power (the Pi's supply): the voltage is too low now. Use the Pi's own power supply."
HOT = "processor (the Pi): it is cool enough again."


def test_notices_of_one_part_are_summed_up_and_those_of_others_are_sent() -> None:
    repeats = RepeatedNotices(str)
    sent = [line for second in range(100) for line in repeats.take(DIP, second * S)]
    assert sent == [DIP] * NOTICES.at_once
    assert repeats.sums(100 * S) == []
    assert repeats.take(HOT, 100 * S) == (HOT,)
    assert repeats.sums(600 * S) == ["power (the Pi's supply): more notices like these: 94."]
    assert repeats.sums(600 * S) == []


def test_a_part_that_fails_and_works_again_is_one_part() -> None:
    repeats = RepeatedNotices(str)
    fails = "screen of seat ANN (/dev/i2c-6 0x3C) did not answer. Check its plug; it recovers automatically."
    works = "screen of seat ANN (/dev/i2c-6 0x3C) works again; it was set up again."
    sent = [line for second in range(50) for line in repeats.take((fails, works)[second % 2], second * S)]
    assert sent == [fails, works] * 3
    assert repeats.take("No part is named", 50 * S) == ("No part is named",)
    assert repeats.sums(700 * S) == ["screen of seat ANN (/dev/i2c-6 0x3C): more notices like these: 44."]


def test_while_some_are_held_back_the_next_ones_are_too() -> None:
    repeats = RepeatedNotices(str)
    for second in range(7):
        repeats.take(DIP, second * S)
    assert repeats.take(DIP, 700 * S) == ()
    assert repeats.sums(700 * S) == ["power (the Pi's supply): more notices like these: 2."]


def test_an_hour_of_it_is_a_dozen_lines() -> None:
    repeats, lines = RepeatedNotices(str), 0
    for second in range(3600):
        lines += len(repeats.take(DIP, second * S)) + len(repeats.sums(second * S))
    assert lines == NOTICES.most_in(3600 * S) - 1 == 11
