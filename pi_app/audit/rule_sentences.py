"""The sentence of each rule that an audit can cite. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pi_app.audit.values import FileAudit

SHEET: Final[dict[str, str]] = {
    "T-AUD-1": "Before the game every dial stands at its start mark.",
    "T-AUD-2": (
        "The first turn of an expose or a trigger goes counter-clockwise, one to six clicks, as many as the die shows."
    ),
    "T-AUD-3": (
        "A dial that was read moves at most once more: to the disarmed mark, after a disarm, in either direction."
    ),
    "T-AUD-4": "Anything else is a finding: clockwise, unclaimed, a second turn, a disarmed dial that moves.",
    "T-AUD-5": "Detents are counted one by one, with their direction. Comparing the two end points is not enough.",
    "T-EXP-4": (
        "The player rolls one die and turns the dial counter-clockwise by that many clicks. The table rolls, "
        "or the device on request."
    ),
    "T-EXP-7": "A clear square stays clear, and figures walk over it like any floor.",
    "T-EXP-11": (
        "A second Hero may expose it too: no die and no turn, only a look. The table may forbid it (switch `reexpose`)."
    ),
    "T-TRG-1": "A Hero who enters a square with an armed trap sets it off.",
    "T-TRG-7": "A trap that was still concealed is exposed at that moment: roll, turn, then it acts.",
    "T-TRG-5": "A corner is cut between two squares that each share an edge with the trap's square.",
    "T-DIS-5": "A disarmed trap pays its experience, and its dial is turned to the disarmed mark.",
    "T-DIS-10": (
        "Expose first, then disarm: exposing is free, and without it the player does not know the number. No sheet "
        "says that one must (switch `expose_before_disarm`)."
    ),
    "T-DIS-12": "A Hero without enough speed points for a way cannot try it.",
    "E-SAW-4": "A running Buzz Saw is hindering terrain; by the German sheet it can still be disarmed.",
    "E-WGT-3": "The Falling Weight falls once; after that it is only an obstacle.",
    "E-FIRE-4": "Burning Fire Jets are hindering terrain; by the German sheet they can still be disarmed.",
    "E-JAW-4": "Figures may strike back at the Jaws.",
    "E-JAW-5": (
        "A counterattack that does not hurt the Jaws makes them withdraw. They are still armed, and can now "
        "be disarmed."
    ),
    "E-PIT-2": (
        "An open Pit does the same to each figure that enters without paying four movement points for a safe way."
    ),
    "E-CAGE-6": "The Cage is hindering terrain, locked or open.",
    "E-HAND-7": "The Hand goes up once; a failed attempt to disarm it costs the points and nothing more.",
    "E-CAGE-2": "The prisoner of the Cage is out of play.",
    "E-CAGE-3": "Another figure frees the prisoner by disarming the Cage.",
    "A-SHW-1": "A Shockwave that hits a trap sets it off.",
    "T-EXP-1": "Only a Hero exposes.",
    "AR-ABL-4": "It is lost only with the figure.",
    "G-1": ("Mage Spawn of the pool and wandering monster tokens never set a trap off (switch `mage_spawn_exempt`)."),
    "E-HAND-2": "For breaking away, the Hand counts as an opponent that faces every way.",
    "S-9": (
        "Which square has which table stays secret while the game runs, because die and table together "
        "reveal the square. The device does not repeat a die in public."
    ),
    "G-2": "An armed trap is hindering terrain for movement (switch `hindering_until`).",
    "G-3": "Hindering terrain costs two speed points to enter.",
    "L-08": "Whether a trap is hindering terrain until triggered or until discovered (switch `hindering_until`).",
    "L-12": (
        "The Cage, the Weight and the Hand fire only once: the German sheet says so, and by the others only an armed "
        "trap goes off."
    ),
    "L-13": (
        "Only the German sheet says that Saw, Fire Jets, Acid and Pit can be disarmed after they went off (switch "
        "`retrigger_policy`)."
    ),
    "L-27": "Figures walk freely over a disarmed square, except for the Cage.",
    "Q-13": "A fallen Weight cannot be disarmed and gives no experience. No sheet says so (switch `weight_disarm`).",
    "Q-11": "After going off every trap leaves hindering terrain.",
    "AR-GEN-2": "A Hero uses one artifact in an activation.",
    "AR-USE-7": "A token that is neither ability nor item acts at once and goes back into its colour.",
}
"""Rules of the sheet, in our own words; a test compares them with the page."""

OWN: Final[dict[str, str]] = {
    "DEV": ("What the parts under a dial reported about themselves; which dial is sealed until the game has ended."),
    "DEV-MAGNET": "An encoder reported that the field of its magnet was too weak or too strong.",
    "DEV-HOPS": "An angle changed although no hand turned the dial.",
    "DEV-TILE": "A tile's memory or its dial's position belonged to another square.",
    "DEV-DRIFT": "A dial rested beside its calibrated centres again and again.",
    "REC-CLOCK": "A date of the record differs from the clock that only counts upwards.",
    "REC-DIE": "A die was reported again, with another number, after its turn had been compared with the first one.",
}
"""What concerns the device and the record."""

SENTENCES: Final = SHEET | OWN


def cited(files: Iterable[FileAudit]) -> dict[str, str]:
    """Return the sentence of each rule that these audits cite, in order of their first finding."""
    found = (each for file in files for game in file.games for each in (*game.findings, *game.faults))
    return {rule: SENTENCES[rule] for each in found for rule in each.rule_ids if rule in SENTENCES}
