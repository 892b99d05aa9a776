"""Verifies that each lead has its own tile after it was unplugged, and reports doubts to the referee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET

from hardware.readings import Reading
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.health import TOO_OFTEN
from pi_app.dials.tile_check import REPLUG_NS, STRANGER, Opinion, RestDetector, TileCheck, TileState
from pi_app.game import events as ev
from pi_app.play.loop.session import GameSession
from pi_app.play.part_history import Part
from pi_app.play.seats_and_dials import TableDial
from pi_app.report.visibility import PUBLIC
from pi_app.text.language import N_

SILENT_NS: Final = 100_000_000
"""A dial without an angle for this long may be unplugged: its tile may be on another lead."""

TILE_DOUBTS: Final[tuple[ev.Condition, ...]] = ("tile not verified", "tile does not fit")

TILE_UNVERIFIED: Final = N_(
    "{square}: its lead was unplugged, and its detents do not show yet whether its own tile is on it. This square "
    "stays hidden until they do. Check the plug; then turn its dial and let it rest, or type: accept {square}"
)
TILE_MAYBE_OTHER: Final = N_(
    "{square}: its lead was unplugged, and the tile on it may be that of {other}. This square stays hidden until its "
    "detents decide. Check the plugs; then turn its dial and let it rest, or type: accept {square}"
)
TILE_OF_OTHER: Final = N_(
    "{square}: the tile on its lead is that of {other}, by its detents. This square stays hidden. Plug each tile "
    "into its own square; if you can see that the tile is right, type: accept {square}"
)
TILE_UNKNOWN: Final = N_(
    "{square}: the tile on its lead is not its own, by its detents. This square stays hidden. Plug its own tile in; "
    "if you can see that the tile is right, type: accept {square}"
)
TILE_SENTENCES: Final[Mapping[ev.Condition, tuple[str, str]]] = {
    "tile not verified": (TILE_UNVERIFIED, TILE_MAYBE_OTHER),
    "tile does not fit": (TILE_UNKNOWN, TILE_OF_OTHER),
}
"""For an unknown tile, and for the tile of another square."""

TILE_VERIFIED: Final = N_("{square}: its tile is the right one, by its detents.")


def counts_as_good(session: GameSession, label: str, part: Part, at_ns: int) -> bool:
    """Return whether a part of a dial counts as good. The first time that only room is missing, tell everybody."""
    history = session.dials[label].history
    if history.counts_as_good(part, at_ns):
        return True
    if history.of(part).is_steady(at_ns) and not history.out_of_room_told:
        history.out_of_room_told = True
        session.tell(PUBLIC.name, session.words(TOO_OFTEN).format(square=label))
    return False


class TileWatch:
    """The tiles of a table."""

    def __init__(self, session: GameSession, fingerprints: Fingerprints) -> None:
        self._session = session
        self._check = TileCheck(fingerprints.dials, fingerprints.named)
        self._stands: dict[str, RestDetector] = {}
        """Where each unverified dial rests."""
        self._verified: set[str] = set()
        """Dials in doubt whose tiles are verified: reported as soon as that is steady."""

    def plugged(self, label: str, dial: TableDial, at_ns: int) -> None:
        """Mark a dial as unverified after a silence in which its lead may have got another tile."""
        since_ns = dial.good_ns if dial.good_ns is not None or self._session.ready else at_ns
        away_ns = at_ns - (since_ns or 0)
        if away_ns < REPLUG_NS:
            return
        silent = {
            other: each.raw
            for other, each in self._session.dials.items()
            if other == label or each.good_ns is None or at_ns - each.good_ns > SILENT_NS
        }
        if self._check.back(label, away_ns, silent):
            self._stands[label] = RestDetector(dial.tracker.shape.counts_per_turn)
            if label in self._verified:
                self._verified.discard(label)
                dial.history.failed("home", at_ns)

    def sampled(self, label: str, reading: Reading) -> None:
        """Take one good sample of a dial. A verified dial costs nothing here."""
        stands = self._stands.get(label)
        if stands is not None and stands.take(reading.at_ns, reading.raw):
            self._apply(self._check.rested(label, reading.raw))

    def _apply(self, opinions: Mapping[str, Opinion]) -> None:
        """Record which tile is on which lead, and report it to the referee."""
        at_ns = self._session.clock.now_ns()
        for label, said in opinions.items():
            dial, square = self._session.dials[label], self._session.game.squares.get(label)
            known = "home" in dial.conditions or (square is not None and square.withheld)
            if said.state is TileState.VERIFIED:
                del self._stands[label]
                if known:
                    dial.history.good("home", at_ns)
                    self._verified.add(label)
                    self.report_verified()
                continue
            dial.history.failed("home", at_ns)
            unsure = said.state is TileState.UNVERIFIED
            condition: ev.Condition = "tile not verified" if unsure else "tile does not fit"
            before = dial.conditions.get("home")
            if before is not None and (before.condition == condition or not dial.history.has_room(at_ns)):
                continue
            dial.noted("home", ev.DialNoted(square=label, condition=condition, other=said.other or None), at_ns)
            self._session.inform(TILE_SENTENCES[condition][said.other != STRANGER], square=label, other=said.other)

    def report_verified(self) -> None:
        """Record which tiles are verified, and report them to the referee, as soon as each is steady."""
        for label in tuple(self._verified):
            dial, at_ns = self._session.dials[label], self._session.clock.now_ns()
            if not counts_as_good(self._session, label, "home", at_ns):
                continue
            self._verified.discard(label)
            times = dial.history.reported_good("home").failures
            verified = ev.DialNoted(square=label, condition="tile verified", times=times if times > 1 else UNSET)
            dial.noted("home", verified, at_ns)
            del dial.conditions["home"]
            self._session.inform(TILE_VERIFIED, square=label)

    def withheld(self, label: str) -> bool:
        """Return whether a dial must not be shown, because its tile may be another square's."""
        square = self._session.game.squares.get(label)
        return self._check.withheld(label) or (square is not None and square.withheld)

    def accept(self, event: ev.DialNoted) -> None:
        """Accept the tile on a lead as the right one, on a player's word."""
        label = event.square
        if not self.withheld(label):
            self._session.inform(N_("{square}: its tile is not in doubt."), square=label)
        elif self._session.record_event(event):
            self._check.accept(label)
            self._stands.pop(label, None)
            self._verified.discard(label)
            dial = self._session.dials[label]
            dial.conditions.pop("home", None)
            dial.history.forget("home")
            dial.unnoted = [said for said in dial.unnoted if said.condition not in TILE_DOUBTS]
            self._session.inform(N_("{square}: its tile is accepted as the right one."), square=label)
