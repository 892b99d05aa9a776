"""A camera across the room: it sees when each lamp is lit, and nothing else. And what it can make of that."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from pi_app.displays.lamp import LONG_MS, ROUND_MS, SHORT_MS
from pi_app.displays.seat import SeatDisplay, code_word
from pi_app.game.lamp_deal import LampKind, drawn
from pi_app.play.build import Outputs
from pi_app.report.lamp_code import CODE, CodeWord
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowFace
from pi_app.settings.model import Settings
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import script
from tests.twin_games import EXAMPLE, TABLE, with_tables

Pattern = tuple[bool, ...]
"""Five flashes as the camera sees them; True is long."""

MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Look:
    """What the camera saw of one look, and what the lamp said."""

    seat: str
    seen: Pattern
    said: CodeWord


@dataclass
class Filmed:
    """The light of one game, and the pictures that it belongs to."""

    lit: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    pictures: dict[str, list[tuple[int, SeatPicture]]] = field(default_factory=lambda: defaultdict(list))
    _since: dict[str, int] = field(default_factory=dict)

    def lamp(self, seat: str, on: bool, at_ns: int) -> None:
        if on:
            self._since[seat] = at_ns
        elif seat in self._since:
            self.lit[seat].append((self._since.pop(seat), at_ns))

    def screen(self, seat: str, data: bytes, at_ns: int) -> None:
        """A screen under its hood is not seen."""

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        self.pictures[seat].append((at_ns, picture))

    def looks(self) -> list[Look]:
        """The first round of five flashes of every picture that the lamp had a word for."""
        found = []
        for seat, flashes in self.lit.items():
            last = None
            for first in range(0, len(flashes) - len(flashes) % 5, 5):
                begun = flashes[first][0]
                shown = max((each for each in self.pictures[seat] if each[0] <= begun), key=lambda each: each[0])
                said = code_word(shown[1])
                if shown == last or said is None:
                    continue
                last = shown
                middle_ns = (LONG_MS + SHORT_MS) * MS // 2
                seen = tuple(off - on > middle_ns for on, off in flashes[first : first + 5])
                found.append(Look(seat, seen, said))
        return found


def coded(settings: Settings, kind: LampKind) -> Settings:
    """The same table where every seat has this lamp code."""
    seats = {key: msgspec.structs.replace(seat, lamp_code=kind) for key, seat in settings.seats.items()}
    return replace(settings, seats=MappingProxyType(seats))


def filmed(folder: Path, seed: int, settings: Settings = EXAMPLE, exposes: int = 4) -> Sequence[Look]:
    """Play a whole game over tables of its own, and film it."""
    camera = Filmed()
    outputs = Outputs(tap=camera, shown=camera.shown)
    journal = folder / f"camera {seed}.db"
    with Demo(with_tables(settings, seed), journal, seed=seed, outputs=outputs) as table:
        while not table.loop.ready:
            table.step()
        table.play(script(seed, TABLE, exposes))
        table.end()
    return camera.looks()


class Glass:
    """A screen, which works unless it is in trouble."""

    trouble: str | None = None

    def show(self, frame: bytes, *, whole: bool) -> None:
        """Under its hood."""

    def light(self, contrast: int) -> None:
        """Under its hood."""

    def dark(self) -> None:
        """Under its hood."""


class Bulb:
    """The camera's view of one lamp."""

    def __init__(self, camera: Filmed) -> None:
        self.camera, self.now_ns = camera, 0

    def on(self) -> None:
        self.camera.lamp("ANN", True, self.now_ns)

    def off(self) -> None:
        self.camera.lamp("ANN", False, self.now_ns)


HALF_CLEAR = [CodeWord.CLEAR] * 8 + [word for word in CodeWord if word is not CodeWord.CLEAR]
"""What lies under a dial is no secret as a whole: clear is the most frequent."""


def seat_filmed(kind: LampKind, draw: random.Random, looks: int = 8, screen: Glass | None = None) -> list[Look]:
    """Film one seat through one game of looks at random faces, at the lamp alone: fast."""
    camera = Filmed()
    bulb = Bulb(camera)
    display = SeatDisplay(str, lambda picture, words: b"", lamp=bulb, screen=screen or Glass())
    display.deal(drawn(kind, draw.randrange), draw.randrange)
    for each in range(looks):
        began_ns = each * 2 * ROUND_MS * MS
        for at_ms in range(0, 2 * ROUND_MS, 100):
            bulb.now_ns = now_ns = began_ns + at_ms * MS
            if at_ms == 0:
                picture = picture_of(draw.choice(HALF_CLEAR))
                display.show(picture, now_ns)
                camera.shown("ANN", picture, now_ns)
            elif at_ms == 500:
                display.show(Dark(), now_ns)
            display.tick(now_ns)
    return camera.looks()


def picture_of(word: CodeWord) -> SeatPicture:
    if word is CodeWord.LOOK_AGAIN:
        return Say(lines=("Look again",), again=True)
    trap = None if word is CodeWord.CLEAR else word.value
    kind = "clear" if trap is None else "trap"
    return ShowFace("T01", kind, trap, 3, None, None, None, None, "", sample=False, simulated=False)  # type: ignore[arg-type]


def read_with_the_public_card(looks: Iterable[Look]) -> int:
    """How many looks the printed card names."""
    return sum(CODE[look.said] == look.seen for look in looks)


def read_by_learning(looks: Sequence[Look]) -> int:
    """How many looks a camera names that is told, after each look, what it was: more than any public fact says. It
    names a pattern that it has seen; else the most frequent word that it has not seen."""
    named = 0
    learnt: dict[Pattern, Counter[CodeWord]] = defaultdict(Counter)
    for look in looks:
        if learnt[look.seen]:
            guess = learnt[look.seen].most_common(1)[0][0]
        else:
            known = {word for words in learnt.values() for word in words}
            guess = max((word for word in CodeWord if word not in known), key=HALF_CLEAR.count)
        named += guess is look.said
        learnt[look.seen][look.said] += 1
    return named


def chi_squared(looks: Sequence[Look]) -> float:
    """How far words and patterns are from being independent: about 81 (nine times nine) if they are."""
    both = Counter((look.said, look.seen) for look in looks)
    words, patterns = Counter(look.said for look in looks), Counter(look.seen for look in looks)
    expected = {(w, p): words[w] * patterns[p] / len(looks) for w in words for p in patterns}
    return sum((both[each] - count) ** 2 / count for each, count in expected.items())
