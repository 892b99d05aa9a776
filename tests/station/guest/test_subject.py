"""What the stage takes for told, and for lost: the small service and the real one, without a guest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.station.guest import itself, subject
from tests.station.guest.inside import little
from tests.station.guest.machine import Failed, Machine, Ran, Told
from tests.station.guest.station import Station, faces_in, heads_in
from tests.station.guest.subject import Little
from tests.station.guest.system import Disks


def told(*lines: str) -> list[Told]:
    return [Told(float(number), line) for number, line in enumerate(lines)]


class Answering(Machine):
    """A machine that answers each command with one text."""

    def __init__(self, answer: str) -> None:
        nowhere = Path("/nonexistent")
        super().__init__(nowhere, Disks(nowhere, nowhere), nowhere)
        self.answer = answer

    def run(self, *words: str, seconds: float = 60.0, text: str = "") -> Ran:
        return Ran(0, self.answer, "")


def entries(count: int) -> list[str]:
    digests = [""]
    for number in range(1, count + 1):
        digests.append(little.digest(digests[-1], number))
    return [f"{number} {digest}" for number, digest in enumerate(digests) if number]


def test_an_entry_that_was_told_and_is_in_no_record_is_lost() -> None:
    lines = told(*(f"told {entry}" for entry in entries(3)))
    assert Little("honest").lost(Answering(entries(3)[-1]), lines) is None
    assert Little("honest").lost(Answering(entries(5)[-1]), lines) is None
    assert Little("honest").lost(Answering(entries(2)[-1]), lines) == "entry 3 was told, and the record ends with 2"
    other = Little("honest").lost(Answering("3 0123456789abcdef"), lines)
    assert other == f"entry 3 was told with digest {entries(3)[-1].split()[1]}, and the record has 0123456789abcdef"


def test_half_a_line_is_told_nobody() -> None:
    assert subject.claims(told("told 1 aa", "told 2", "2 bb", "told x y")) == (1, "aa")
    assert Little("honest").newest(told("told 7 aa")) == "entry 7"
    assert Little("honest").newest([]) == ""


def test_the_small_services_record_ends_before_a_torn_entry(tmp_path: Path) -> None:
    file = tmp_path / "entries"
    file.write_text("\n".join(entries(3))[:-1] + "\n", encoding="ascii")
    digests, size = little.whole(file)
    assert [f"{number} {digest}" for number, digest in enumerate(digests, 1)] == entries(2)
    assert size == len("\n".join(entries(2))) + 1
    assert little.whole(tmp_path / "none") == ([], 0)


FACES = (
    "SIMULATED seat P1  | screen: T01: Cage, click 3, disarm 9, XP 66, quick 6/36, slow 15/36. [SAMPLE, SIMULATED]",
    "SIMULATED seat P2  | screen: T02: nothing here. [SIMULATED]",
    "SIMULATED seat P1  | screen: T01: Turn 5 clicks, let go, then hold to look.",
    "SIMULATED hands    | P1 taps.",
    "guided   | Come and play: tap any button.",
)


def test_a_face_is_told_to_its_seat_alone() -> None:
    assert faces_in(told(*FACES)) == {("P1", "T01"): 1, ("P2", "T02"): 1}
    assert heads_in(told(*FACES)) == []


def test_answers_to_hands_are_nothing_new() -> None:
    assert Station().newest(told(*FACES[:3])) == "line 3: SIMULATED seat P1  | screen: T01: Turn 5 clicks, let go, the"
    assert Station().newest(told(*FACES[:4])) == Station().newest(told(*FACES[:3]))
    assert Station().newest([]) == ""


def test_a_start_says_at_most_one_interrupted_game() -> None:
    line = "The last visit was interrupted: its game 20261123-135113-4847d4 is ended now, as it was."
    assert Station().odd_start(told(line, *FACES)) is None
    assert Station().odd_start(told(line, line)) == "2 interrupted games were said at one start"


def _fails(words: str) -> Sequence[object]:
    raise Failed(words)


def test_a_planted_fault_must_be_found_with_its_own_words() -> None:
    assert (
        itself.goes_red(lambda: _fails("told but lost: entry 3\nand more"), "told but lost") == "told but lost: entry 3"
    )
    with pytest.raises(Failed, match="a planted fault was not found: nothing said 'told but lost'"):
        itself.goes_red(lambda: None, "told but lost")
    with pytest.raises(Failed, match="another"):
        itself.goes_red(lambda: _fails("another trouble"), "told but lost")
