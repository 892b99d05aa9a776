"""Follows every dial from sample to sample: turns, lost and recovered dials, and the health of their parts.

A dial that is lost or back is an event; its faults go to the referee. Whose turn it is does not matter here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from hardware.readings import Magnet, Reading, Sample, Trouble, TroubleKind
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.health import ALL_PLUGGED_IN, ALL_READ_AGAIN, FLAPPED, FLAPS, READ_AGAIN
from pi_app.dials.steady import Steadiness
from pi_app.dials.tracker import Seated, Turn
from pi_app.game import events as ev
from pi_app.play.loop.session import GameSession
from pi_app.play.loop.tiles import TileWatch, counts_as_good
from pi_app.play.part_history import PARTS, Part
from pi_app.play.seats_and_dials import TableDial, counted_from
from pi_app.text.language import N_, listed

LOST_AFTER_NS: Final = 100_000_000
"""A dial without an angle for this long is lost: longer than any retry, and short enough for a player."""

ALL_LOST_NS: Final = 100_000_000
"""Dials that are lost for the same reason are lost within this time of each other."""

TOGETHER_NS: Final = 300_000_000
"""Dials that come back within this time of each other share one sentence."""

SUMMARY_NS: Final = 600_000_000_000
"""How often the failures of a dial that flaps are summed up."""

NEW_CAUSES: Final = frozenset({TroubleKind.IMPLAUSIBLE, TroubleKind.OTHER_TILE, TroubleKind.NO_MAGNET})
"""Causes that can show after a dial was lost. They are reported; one more failed read is not."""

MAGNETS: Final[Mapping[Magnet, ev.Condition]] = {
    Magnet.GOOD: "magnet good",
    Magnet.TOO_WEAK: "magnet too weak",
    Magnet.TOO_STRONG: "magnet too strong",
}


class DialWatch:
    """All dials of a table."""

    def __init__(self, session: GameSession, fingerprints: Fingerprints) -> None:
        self._session, self.fingerprints = session, fingerprints
        self._causes: dict[str, int] = {}
        """Sentences about lost dials that were not sent yet, each with its time."""
        self.tiles = TileWatch(session, fingerprints)
        self._back: dict[str, int] = {}
        """Dials that respond again and were not reported yet, each with its time."""
        self._flapping: set[str] = set()
        """Dials that are lost in the record and respond now and then; the referee knows it."""

    def follow(self, label: str, dial: TableDial, sample: Sample) -> Turn | None:
        """Process one sample of a dial. Return the turn that ended with it, if one did."""
        if isinstance(sample, Trouble):
            self._missed(label, dial, sample)
            return dial.tracker.feed(sample.at_ns, None)
        if sample.life != dial.life and not self._new_life(label, dial, sample):
            return dial.tracker.feed(sample.at_ns, None)
        raw = (sample.raw - dial.zero) % dial.tracker.shape.counts_per_turn
        turn = dial.tracker.feed(sample.at_ns, raw, sample.proof)
        self._answered(label, dial, sample)
        return turn

    def _new_life(self, label: str, dial: TableDial, reading: Reading) -> bool:
        """Record that a dial which counts steps restarted its count. Return False if the disk refused it."""
        known = dial.life and self._session.playing and self._session.game.squares[label].homed
        if known and not (self._session.may_write and self._session.record_event(ev.CountLost(square=label))):
            return False
        counted_from(dial, 0, reading.life)
        return True

    def home(self, event: ev.Homed) -> None:
        """Count a dial from its start mark, where it is now according to the referee."""
        dial = self._session.dials[event.square]
        if dial.lost or dial.raw is None:
            self._session.inform(N_("{square} does not respond; it cannot be homed now."), square=event.square)
        elif dial.tracker.moving:
            self._session.inform(N_("{square} still moves; let it rest and type it again."), square=event.square)
        elif self._session.record_event(event):
            counted_from(dial, dial.raw, dial.life)
            self._session.inform(N_("{square} counts from its start mark now."), square=event.square)

    def _missed(self, label: str, dial: TableDial, trouble: Trouble) -> None:
        if trouble.notice:
            self._session.notice(trouble.notice)
        dial.trouble, dial.seen = trouble, dial.seen or trouble.kind is not TroubleKind.NOT_READ
        if trouble.kind is TroubleKind.OTHER_TILE:
            dial.history.failed("tile", trouble.at_ns)
            if "tile" not in dial.conditions:
                dial.noted("tile", ev.DialNoted(square=label, condition="another tile"), trouble.at_ns)
        since_ns = dial.good_ns
        long_ago = since_ns is not None and trouble.at_ns - since_ns > LOST_AFTER_NS
        if dial.lost:
            self._report_new_cause(dial, trouble)
            if long_ago and since_ns is not None:
                dial.history.failed("readings", since_ns)
        if dial.lost or not self._session.ready or not self._session.may_write or not (long_ago or since_ns is None):
            return
        dial.history.failed("readings", trouble.at_ns if since_ns is None else since_ns)
        if self._session.game.squares[label].lost:  # the record does not know yet that it was back
            dial.lost = True
        elif self._record(dial, ev.DialLost(square=label, trouble=trouble.kind.value)):
            dial.reported = frozenset({trouble.kind})
            self._explain(dial, trouble)
            dial.lost = True
            self._flapping.discard(label)

    def _record(self, dial: TableDial, event: ev.AnyEvent) -> bool:
        """Record an event of a dial's parts. Return whether it is on disk."""
        recorded = self._session.record_event(event)
        if recorded:
            dial.history.recorded(self._session.clock.now_ns())
        return recorded

    def _report_new_cause(self, dial: TableDial, trouble: Trouble) -> None:
        """Report once a new cause of a lost dial: a tile on the wrong lead, another chip."""
        if trouble.kind in NEW_CAUSES and trouble.kind not in dial.reported:
            dial.reported |= {trouble.kind}
            self._explain(dial, trouble)

    def _explain(self, dial: TableDial, trouble: Trouble) -> None:
        """Queue one sentence for all dials that are lost for the same reason."""
        if trouble.words in self._causes or not any(
            other.lost and other.words == trouble.words for other in self._session.dials.values()
        ):
            self._causes[trouble.words] = trouble.at_ns
        dial.words = trouble.words

    def report_causes(self) -> None:
        """Send the queued sentences after the lines of all their squares, so that they do not scroll away."""
        now_ns = self._session.clock.now_ns()
        for words in [words for words, at_ns in self._causes.items() if now_ns - at_ns >= ALL_LOST_NS]:
            del self._causes[words]
            self._session.tell_referee(words)

    def _answered(self, label: str, dial: TableDial, reading: Reading) -> None:
        dial.trouble, dial.seen = None, True
        gone_ns = 0 if dial.good_ns is None else reading.at_ns - dial.good_ns
        if dial.lost:
            dial.history.good("readings", reading.at_ns)
            dial.lost = not dial.history.of("readings").is_readable(reading.at_ns)
        if not dial.lost and self._session.may_write and self._session.game.squares[label].lost:
            self._back_again(label, dial, reading.at_ns, gone_ns)
        self.tiles.plugged(label, dial, reading.at_ns)
        if gone_ns > LOST_AFTER_NS:
            self.fingerprints.plugged(label)
            if dial.history.has_room(reading.at_ns):
                dial.conditions.pop("lead", None)
        if "tile" in dial.conditions:
            self._own_tile(label, dial, reading.at_ns)
        dial.good_ns, dial.raw = reading.at_ns, reading.raw
        self.tiles.sampled(label, reading)
        if reading.magnet is not Magnet.UNKNOWN:
            self._magnet(label, dial, reading)
        if dial.tracker.glitching is not dial.health.glitching or dial.health.glitching:
            self._angle(label, dial, reading.at_ns)

    def _back_again(self, label: str, dial: TableDial, at_ns: int, gone_ns: int) -> None:
        """Record that a lost dial responds again, as soon as it is steady."""
        history = dial.history
        if counts_as_good(self._session, label, "readings", at_ns):
            was = history.of("readings")
            self._record_back(label, dial, gone_ns if was.good_since_ns in (None, at_ns) and was.failures < 2 else None)
            return
        wait_ns = history.of("readings").wait_ns
        if label not in self._flapping and wait_ns:
            self._session.inform(FLAPS, square=label, seconds=wait_ns // 1_000_000_000)
        self._flapping.add(label)

    def settle(self, label: str) -> bool:
        """Before a player's turn or look at a dial: record that it is back if that still waits, so that the record
        holds no look at a lost dial. A hand was there: it needs no limit. Return False if the disk refused it."""
        dial = self._session.dials[label]
        if dial.lost or not self._session.game.squares[label].lost:
            return True
        return self._record_back(label, dial, None)

    def _record_back(self, label: str, dial: TableDial, gone_ns: int | None) -> bool:
        """Record that a dial is back. `gone_ns`: how long it was unread; None: as long as its history says."""
        was, now_ns = dial.history.of("readings"), self._session.clock.now_ns()
        unseen_ns = was.bad_ns_before if gone_ns is None else gone_ns
        back = ev.DialBack(square=label, unseen_s=round(unseen_ns / 1e9, 1), **self._merged(was, now_ns))
        recorded = self._record(dial, back)
        if recorded:
            dial.history.reported_good("readings")
            self._flapping.discard(label)
            self._back[label] = now_ns
            self._sum_up(label, was, now_ns)
        return recorded

    @staticmethod
    def _merged(was: Steadiness, now_ns: int) -> dict[str, Any]:
        """Return what an entry says of the failures that it stands for: nothing of a single one."""
        if was.failures < 2:
            return {}
        return {"times": was.failures, "over_s": round(was.lasted_ns(now_ns) / 1e9, 1)}

    def _sum_up(self, label: str, was: Steadiness, now_ns: int) -> None:
        if was.failures > 1:
            minutes = max(1, round(was.lasted_ns(now_ns) / 60e9))
            self._session.inform(FLAPPED, square=label, times=was.failures, minutes=minutes)

    def sum_up_flapping(self, *, all_now: bool = False) -> None:
        """Record the failures of each dial that flaps, now and then; of all parts of all dials, when a game ends."""
        now_ns = self._session.clock.now_ns()
        for label in self._session.dials if all_now else tuple(self._flapping):
            dial = self._session.dials[label]
            was = dial.history.of("readings")
            due = was.failures > 1 and now_ns - was.first_ns >= SUMMARY_NS and dial.history.has_room(now_ns)
            square = self._session.game.squares.get(label)
            open_count = square is not None and square.lost and was.failures > 1
            if not open_count or not self._session.may_write or not (due or all_now):
                continue
            trouble = min((kind.value for kind in dial.reported), default=TroubleKind.SILENT.value)
            if self._record(dial, ev.DialLost(square=label, trouble=trouble, **self._merged(was, now_ns))):
                dial.history.reported_bad("readings")
                self._sum_up(label, was, now_ns)
        if all_now:
            self._note_counts()

    def _note_counts(self) -> None:
        """Note how often the parts that do not count as good were bad."""
        for dial in self._session.dials.values():
            for part in PARTS:
                said, times = dial.conditions.get(part), dial.history.of(part).failures
                if said is not None and times > 1:
                    dial.noted(part, structs.replace(said, times=times), self._session.clock.now_ns())
                    dial.history.reported_bad(part)
        self.note_conditions()

    def _own_tile(self, label: str, dial: TableDial, at_ns: int) -> None:
        """Forget that a lead had another square's tile, as soon as its own is steadily there."""
        dial.history.good("tile", at_ns)
        if counts_as_good(self._session, label, "tile", at_ns):
            said, was = dial.conditions.pop("tile"), dial.history.reported_good("tile")
            if was.failures > 1:
                dial.noted("tile", structs.replace(said, times=was.failures), at_ns)
                del dial.conditions["tile"]

    def _magnet(self, label: str, dial: TableDial, reading: Reading) -> None:
        condition, better = MAGNETS.get(reading.magnet), reading.magnet is Magnet.GOOD
        at_ns, said = reading.at_ns, dial.conditions.get("magnet")
        (dial.history.good if better else dial.history.failed)("magnet", at_ns)
        if condition is None or (better and (said is None or said.condition == condition)):
            return
        steady = counts_as_good(self._session, label, "magnet", at_ns) if better else dial.history.has_room(at_ns)
        if (sentence := dial.health.magnet(reading.magnet, steady=steady)) is not None:
            self._report_health(label, sentence)
            self._noted(dial, "magnet", ev.DialNoted(square=label, condition=condition), at_ns, better=better)

    def _angle(self, label: str, dial: TableDial, at_ns: int) -> None:
        glitching = dial.tracker.glitching
        (dial.history.failed if glitching else dial.history.good)("angle", at_ns)
        if glitching is dial.health.glitching:
            return
        if glitching or counts_as_good(self._session, label, "angle", at_ns):
            self._report_health(label, dial.health.glitches(glitching))
            condition: ev.Condition = "angle hops" if glitching else "angle stands still"
            self._noted(dial, "angle", ev.DialNoted(square=label, condition=condition), at_ns, better=not glitching)

    @staticmethod
    def _noted(dial: TableDial, part: Part, said: ev.DialNoted, at_ns: int, *, better: bool) -> None:
        """Note a condition. A recovery says how often the part was bad before it."""
        times = dial.history.reported_good(part).failures if better else 1
        dial.noted(part, said if times < 2 else structs.replace(said, times=times), at_ns)

    def note_conditions(self) -> None:
        """Record the conditions of the dials' parts as soon as a game is on."""
        session = self._session
        for dial in session.dials.values():
            while dial.unnoted and session.ready and session.may_write and session.record_event(dial.unnoted[0]):
                del dial.unnoted[0]
        self.tiles.report_verified()

    def report_dials_back(self) -> None:
        """Report dials that came back together in one sentence."""
        if not self._back or self._session.clock.now_ns() - max(self._back.values()) < TOGETHER_NS:
            return
        back = {label: dial for label, dial in self._session.dials.items() if label in self._back and not dial.lost}
        self._back.clear()
        if not back:
            return
        if len(back) == 1:
            self._session.inform(READ_AGAIN, square=next(iter(back)))
            return
        pulled = {dial.words for dial in back.values() if TroubleKind.SILENT in dial.reported}
        sentence = ALL_READ_AGAIN if len(pulled) < 2 else ALL_PLUGGED_IN
        self._session.inform(sentence, squares=listed(list(back), self._session.words))

    def _report_health(self, label: str, sentence: str | None) -> None:
        if sentence is not None:
            self._session.inform(sentence, square=label)

    def rested(self, label: str) -> None:
        """Compare a resting dial with the calibrations of all dials, and hint at swapped leads."""
        dial = self._session.dials[label]
        if dial.raw is None or dial.lost or dial.tracker.glitching or not isinstance(dial.tracker.stand, Seated):
            return
        self.fingerprints.rested(label, dial.raw)
        sentence = N_(
            "The leads of {one} and {other} are likely swapped ({sure} % sure, after rests in {rests} detents): each "
            "dial rests where the other one was calibrated to. Check both leads; if they are right, calibrate both "
            "dials again."
        )
        for found in self.fingerprints.new_swaps():
            if "lead" in self._session.dials[found.one].conditions:
                continue
            sure = min(99, int(100 * found.probability))
            self._session.inform(sentence, one=found.one, other=found.other, sure=sure, rests=found.rests)
            swapped = ev.DialNoted(square=found.one, condition="leads likely swapped", other=found.other)
            self._session.dials[found.one].noted("lead", swapped, self._session.clock.now_ns())

    def position(self, label: str) -> int | None:
        """Return the position of a dial, 0 at its start; None if it is between two detents, or unknown."""
        dial = self._session.dials[label]
        stand = dial.tracker.stand
        square = self._session.game.squares.get(label)
        homed = square is None or square.homed
        known = homed and not dial.lost and not dial.tracker.glitching and not self.tiles.withheld(label)
        return dial.from_start(stand.position) if isinstance(stand, Seated) and known else None
