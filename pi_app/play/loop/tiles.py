"""Whose tile is on each lead: asked again after a lead was unplugged, and told to the referee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hardware.readings import Reading
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.tile_check import REPLUG_NS, STRANGER, Opinion, StandWatch, TileCheck, Verdict
from pi_app.game import events as ev
from pi_app.play.loop.session import Sitting
from pi_app.play.seats_and_dials import DialPlace
from pi_app.text.language import N_

SILENT_NS: Final = 100_000_000
"""A dial that gave no angle for so long may be unplugged: its tile may be on another lead."""

TILE_DOUBTS: Final[tuple[ev.Condition, ...]] = ("tile not verified", "tile does not fit")

TILE_UNVERIFIED: Final = N_(
    "{square}: its lead was unplugged, and its detents do not show yet whether its own tile is on it. Nobody is shown "
    "this square until they do. Check the plug; then turn its dial and let it rest, or type: accept {square}"
)
TILE_MAYBE_OTHER: Final = N_(
    "{square}: its lead was unplugged, and the tile on it may be that of {other}. Nobody is shown this square until "
    "its detents decide. Check the plugs; then turn its dial and let it rest, or type: accept {square}"
)
TILE_OF_OTHER: Final = N_(
    "{square}: the tile on its lead is that of {other}, by its detents. Nobody is shown this square. Plug each tile "
    "into its own square; if you can see that the tile is right, type: accept {square}"
)
TILE_UNKNOWN: Final = N_(
    "{square}: the tile on its lead is not its own, by its detents. Nobody is shown this square. Plug its own tile in; "
    "if you can see that the tile is right, type: accept {square}"
)
TILE_TOLD: Final[Mapping[ev.Condition, tuple[str, str]]] = {
    "tile not verified": (TILE_UNVERIFIED, TILE_MAYBE_OTHER),
    "tile does not fit": (TILE_UNKNOWN, TILE_OF_OTHER),
}
"""For a stranger, and for the tile of another square."""

TILE_VERIFIED: Final = N_("{square}: its tile is the right one, by its detents.")


class TileWatch:
    """The tiles of a table, from sample to sample."""

    def __init__(self, sitting: Sitting, fingerprints: Fingerprints) -> None:
        self._sitting = sitting
        self._check = TileCheck(fingerprints.dials, fingerprints.named)
        self._stands: dict[str, StandWatch] = {}
        """Of dials that are unverified: where each one stands."""

    def plugged(self, label: str, place: DialPlace, at_ns: int) -> None:
        """After a silence another tile may be on the lead; from then on the dial is unverified."""
        since_ns = place.good_ns if place.good_ns is not None or self._sitting.ready else at_ns
        away_ns = at_ns - (since_ns or 0)
        if away_ns < REPLUG_NS:
            return
        silent = {
            other: each.raw
            for other, each in self._sitting.dials.items()
            if other == label or each.good_ns is None or at_ns - each.good_ns > SILENT_NS
        }
        if self._check.back(label, away_ns, silent):
            self._stands[label] = StandWatch(place.tracker.shape.counts_per_turn)

    def sampled(self, label: str, reading: Reading) -> None:
        """One more good sample of a dial; costs nothing while its tile is in no doubt."""
        stands = self._stands.get(label)
        if stands is not None and stands.take(reading.at_ns, reading.raw):
            self._weighed(self._check.rested(label, reading.raw))

    def _weighed(self, opinions: Mapping[str, Opinion]) -> None:
        """Write down what is known of whose tile is on which lead, and tell the referee."""
        for label, said in opinions.items():
            place, square = self._sitting.dials[label], self._sitting.game.squares.get(label)
            known = "home" in place.conditions or (square is not None and square.withheld)
            if said.verdict is Verdict.VERIFIED:
                del self._stands[label]
                if known:
                    place.noted("home", ev.DialNoted(square=label, condition="tile verified"))
                    del place.conditions["home"]
                    self._sitting.inform(TILE_VERIFIED, square=label)
                continue
            unsure = said.verdict is Verdict.UNVERIFIED
            condition: ev.Condition = "tile not verified" if unsure else "tile does not fit"
            before = place.conditions.get("home")
            if before is not None and before.condition == condition:
                continue
            place.noted("home", ev.DialNoted(square=label, condition=condition, other=said.other or None))
            self._sitting.inform(TILE_TOLD[condition][said.other != STRANGER], square=label, other=said.other)

    def withheld(self, label: str) -> bool:
        """Whether nobody may be told what a dial shows: its tile may be another square's."""
        square = self._sitting.game.squares.get(label)
        return self._check.withheld(label) or (square is not None and square.withheld)

    def accept(self, event: ev.DialNoted) -> None:
        """Somebody at the table says that the tile on a lead is the right one."""
        label = event.square
        if not self.withheld(label):
            self._sitting.inform(N_("{square}: its tile is not in doubt."), square=label)
        elif self._sitting.happen(event):
            self._check.accept(label)
            self._stands.pop(label, None)
            place = self._sitting.dials[label]
            place.conditions.pop("home", None)
            place.unnoted = [said for said in place.unnoted if said.condition not in TILE_DOUBTS]
            self._sitting.inform(N_("{square}: its tile is accepted as the right one."), square=label)
