"""What a look does to its dial: followed, lost, found again, cared for.

Whether it can be read is an event, and what ails it is the referee's business. Whose turn it is is not asked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hardware.readings import Magnet, Reading, Sample, Trouble, TroubleKind
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.health import ALL_PLUGGED_IN, ALL_READ_AGAIN, READ_AGAIN
from pi_app.dials.tracker import Seated, Turn
from pi_app.game import events as ev
from pi_app.play.loop.sitting import Sitting
from pi_app.play.loop.tiles import TileWatch
from pi_app.play.seats_and_dials import DialPlace, counted_from
from pi_app.text.language import N_, listed

LOST_AFTER_NS: Final = 100_000_000
"""A dial that gave no angle for this long is lost: longer than any retry, shorter than anyone's patience."""

ALL_LOST_NS: Final = 100_000_000
"""Dials that are lost for one reason are lost within this of each other."""

TOGETHER_NS: Final = 300_000_000
"""Dials that come back within this of each other are told of in one sentence."""

CLEARER: Final = frozenset({TroubleKind.IMPLAUSIBLE, TroubleKind.OTHER_TILE, TroubleKind.NO_MAGNET})
"""What a dial may turn out to have after it was lost: worth a word, where one more failed look is not."""

MAGNETS: Final[Mapping[Magnet, ev.Condition]] = {
    Magnet.GOOD: "magnet good",
    Magnet.TOO_WEAK: "magnet too weak",
    Magnet.TOO_STRONG: "magnet too strong",
}


class DialWatch:
    """Every dial of a table, from look to look."""

    def __init__(self, sitting: Sitting, fingerprints: Fingerprints) -> None:
        self._sitting, self.fingerprints = sitting, fingerprints
        self._why: dict[str, int] = {}
        """What is to be told of dials that were lost, and since when."""
        self.tiles = TileWatch(sitting, fingerprints)
        self._back: dict[str, int] = {}
        """Which dials are read again and not told of yet, and since when."""

    def follow(self, label: str, place: DialPlace, sample: Sample) -> Turn | None:
        """Take in one look at a dial. The turn that ended with it by itself, if one did."""
        if isinstance(sample, Trouble):
            self._missed(label, place, sample)
            return place.tracker.feed(sample.at_ns, None)
        if sample.life != place.life and not self._new_life(label, place, sample):
            return place.tracker.feed(sample.at_ns, None)
        raw = (sample.raw - place.zero) % place.tracker.shape.counts_per_turn
        turn = place.tracker.feed(sample.at_ns, raw, sample.proof)
        self._answered(label, place, sample)
        return turn

    def _new_life(self, label: str, place: DialPlace, reading: Reading) -> bool:
        """A dial that only counts steps counts anew. False: the disk did not take it, so it is asked again."""
        known = place.life and self._sitting.playing and self._sitting.game.squares[label].homed
        if known and not (self._sitting.may_write and self._sitting.happen(ev.CountLost(square=label))):
            return False
        counted_from(place, 0, reading.life)
        return True

    def home(self, event: ev.Homed) -> None:
        """The dial stands at its start mark, says the referee: that is where it counts from."""
        place = self._sitting.dials[event.square]
        if place.lost or place.raw is None:
            self._sitting.inform(N_("{square} does not answer; it cannot be homed now."), square=event.square)
        elif place.tracker.moving:
            self._sitting.inform(N_("{square} still moves; let it rest and say it again."), square=event.square)
        elif self._sitting.happen(event):
            counted_from(place, place.raw, place.life)
            self._sitting.inform(N_("{square} counts from its start mark now."), square=event.square)

    def _missed(self, label: str, place: DialPlace, trouble: Trouble) -> None:
        if trouble.notice:
            self._sitting.tell_referee(trouble.notice)
        place.seen = place.seen or trouble.kind is not TroubleKind.NOT_READ
        if trouble.kind is TroubleKind.OTHER_TILE and "tile" not in place.conditions:
            place.noted("tile", ev.DialNoted(square=label, condition="another tile"))
        since_ns = place.good_ns
        long_ago = since_ns is not None and trouble.at_ns - since_ns > LOST_AFTER_NS
        if place.lost:
            self._found_out(place, trouble)
        if place.lost or not self._sitting.ready or not self._sitting.may_write or not (long_ago or since_ns is None):
            return
        if self._sitting.happen(ev.DialLost(square=label, trouble=trouble.kind.value)):
            place.told = frozenset({trouble.kind})
            self._explain(place, trouble)
            place.lost = True

    def _found_out(self, place: DialPlace, trouble: Trouble) -> None:
        """A lost dial that answers again and still is not right: a tile on the wrong lead, another chip. Said once."""
        if trouble.kind in CLEARER and trouble.kind not in place.told:
            place.told |= {trouble.kind}
            self._explain(place, trouble)

    def _explain(self, place: DialPlace, trouble: Trouble) -> None:
        """One sentence is enough for all dials that are lost for the same reason."""
        if trouble.words in self._why or not any(
            other.lost and other.words == trouble.words for other in self._sitting.dials.values()
        ):
            self._why[trouble.words] = trouble.at_ns
        place.words = trouble.words

    def tell_why(self) -> None:
        """Behind the lines of all the squares that it is about, or it would scroll away before them."""
        now_ns = self._sitting.clock.now_ns()
        for words in [words for words, at_ns in self._why.items() if now_ns - at_ns >= ALL_LOST_NS]:
            del self._why[words]
            self._sitting.tell_referee(words)

    def _answered(self, label: str, place: DialPlace, reading: Reading) -> None:
        place.seen = True
        gone_ns = 0 if place.good_ns is None else reading.at_ns - place.good_ns
        if place.lost and self._sitting.may_write:
            back = ev.DialBack(square=label, unseen_s=round(gone_ns / 1e9, 1))
            if self._sitting.happen(back):
                place.lost = False
                self._back[label] = reading.at_ns
        self.tiles.plugged(label, place, reading.at_ns)
        if gone_ns > LOST_AFTER_NS:
            self.fingerprints.plugged(label)
            place.conditions.pop("lead", None)
        place.conditions.pop("tile", None)
        place.good_ns, place.raw = reading.at_ns, reading.raw
        self.tiles.sampled(label, reading)
        if reading.magnet is not Magnet.UNKNOWN and (news := place.care.magnet(reading.magnet)) is not None:
            self._care(label, news)
            place.noted("magnet", ev.DialNoted(square=label, condition=MAGNETS[reading.magnet]))
        if place.tracker.hopping is not place.care.hops:
            self._care(label, place.care.hopping(place.tracker.hopping))
            hops: ev.Condition = "angle hops" if place.care.hops else "angle stands still"
            place.noted("angle", ev.DialNoted(square=label, condition=hops))

    def note_conditions(self) -> None:
        """Write down what the dials' parts said of themselves, as soon as a game is on that can have it."""
        sitting = self._sitting
        for place in sitting.dials.values():
            while place.unnoted and sitting.ready and sitting.may_write and sitting.happen(place.unnoted[0]):
                del place.unnoted[0]

    def tell_who_is_back(self) -> None:
        """Dials that come back together are told together."""
        if not self._back or self._sitting.clock.now_ns() - max(self._back.values()) < TOGETHER_NS:
            return
        back = {label: place for label, place in self._sitting.dials.items() if label in self._back}
        self._back.clear()
        if len(back) == 1:
            self._sitting.inform(READ_AGAIN, square=next(iter(back)))
            return
        pulled = {place.words for place in back.values() if TroubleKind.SILENT in place.told}
        told = ALL_READ_AGAIN if len(pulled) < 2 else ALL_PLUGGED_IN
        self._sitting.inform(told, squares=listed(list(back), self._sitting.words))

    def _care(self, label: str, news: str | None) -> None:
        if news is not None:
            self._sitting.inform(news, square=label)

    def rested(self, label: str) -> None:
        """A dial stands in a detent: does it stand where this square's dial should? Only a hint comes of it."""
        place = self._sitting.dials[label]
        if place.raw is None or place.lost or place.tracker.hopping or not isinstance(place.tracker.stand, Seated):
            return
        self.fingerprints.rested(label, place.raw)
        told = N_(
            "The leads of {one} and {other} are likely swapped ({sure} % sure, after rests in {rests} detents): each "
            "dial rests where the other one was calibrated to. Look at both leads; if they are right, calibrate both "
            "dials again."
        )
        for found in self.fingerprints.news():
            sure = min(99, int(100 * found.sure))
            self._sitting.inform(told, one=found.one, other=found.other, sure=sure, rests=found.rests)
            swapped = ev.DialNoted(square=found.one, condition="leads likely swapped", other=found.other)
            self._sitting.dials[found.one].noted("lead", swapped)

    def position(self, label: str) -> int | None:
        """The detent where a dial stands, from 0; None if it is in none, or if that cannot be known."""
        place = self._sitting.dials[label]
        stand = place.tracker.stand
        square = self._sitting.game.squares.get(label)
        homed = square is None or square.homed
        known = homed and not place.lost and not place.tracker.hopping and not self.tiles.withheld(label)
        return stand.position if isinstance(stand, Seated) and known else None
