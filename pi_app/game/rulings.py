"""The rulings of 22.09.2003 and the rules of artifacts and furnishings, each in our own words, by subject.

The ids R-MORE-1 to R-MORE-10 are Trapdial's own: they number what the rulings say beside traps, chests and tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pi_app.text.language import N_


@dataclass(frozen=True, slots=True)
class Ruling:
    """One ruling: its subject, a title of a few words, and the answer to the command `rule`."""

    subject: str
    title: str
    answer: str


_BY_SUBJECT: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    N_("Experience"): {
        "R-XP-1": (
            N_("kills"),
            N_(
                "A kill's experience goes to the player whose figure dealt the last damage; "
                "Pole Arm, Venom, Retaliation, Ram count."
            ),
        ),
        "R-XP-2": (
            N_("no gain"),
            N_("A kill by a trap, a critical miss, a chest or an artifact gives no experience."),
        ),
        "R-XP-3": (
            N_("effect first"),
            N_("A trap's whole effect comes first, Mage Spawn and attack included; then its 25 experience."),
        ),
        "R-XP-4": (
            N_("the 25"),
            N_(
                "The 25 are for chests. "
                "A square gives experience only for its disarm, unless this table plays otherwise."
            ),
        ),
    },
    N_("Chests"): {
        "R-CHT-1": (N_("chest 116"), N_("Chest 116 is disarmed against 10.")),
        "R-TER-1": (
            N_("terrain"),
            N_(
                "A treasure chest is not hindering terrain. "
                "The bonus to defense against ranged attacks does not come from terrain."
            ),
        ),
        "R-MISC-6": (
            N_("Command"),
            N_("Chests are given to Heroes before Command acts at the start of a turn."),
        ),
    },
    N_("Special abilities"): {
        "R-SA-1": (
            N_("traps"),
            N_("Damage by objects, chests and artifacts ignores special abilities; Dodge may be rolled first."),
        ),
        "R-SA-2": (
            N_("the sheets"),
            N_(
                "The trap sheets let Toughness and Invulnerability help against some traps; R-SA-1 does not. "
                "The switch damage_reduction decides."
            ),
        ),
        "R-SA-3": (
            N_("no attack"),
            N_(
                "Ram, Magic Retaliation and Pole Arm deal damage without an attack. "
                "Weapon Master, Venom and Magic Enhancement only raise the damage of an attack."
            ),
        ),
        "R-ART-1": (
            N_("artifacts"),
            N_("An ability from an artifact replaces the click's own; clicks do not take it away."),
        ),
        "R-MISC-2": (
            N_("Magic Freeze"),
            N_("Magic Freeze reduces speed after the 4 of Bound or Charge are added."),
        ),
        "R-MISC-3": (
            N_("Bound or Charge"),
            N_("A figure that takes the 4 of Bound or Charge pays 4 for the attack."),
        ),
        "R-MISC-4": (N_("Sneak Attack"), N_("Sneak Attack doubles to 5 at most; extra damage comes on top.")),
        "R-MORE-7": (
            N_("Magic Blast"),
            N_("For Magic Blast through walls, a section counts as 5 by 5 squares and a hallway as 3 by 5."),
        ),
        "R-MORE-8": (
            N_("breaking away"),
            N_(
                "With Bound or Charge a figure fails to break away only on a 1. "
                "Beside the Monstrous Hand it still needs a 6."
            ),  # A-BRK-1
        ),
        "R-MORE-9": (
            N_("Aquatic"),
            N_(
                "For a figure with Aquatic, water is clear terrain. "
                "In water it may add 2 to its defense against ranged attacks."
            ),  # A-AQU-1
        ),
        "R-MORE-10": (
            N_("Shockwave"),
            N_("A figure may use Shockwave even if it affects only friendly figures."),  # A-SHW-4
        ),
    },
    N_("Counterattacks"): {
        "R-CTR-1": (
            N_("who may"),
            N_("Only an attack's target may counterattack, and only the attacker; that cannot be countered."),
        ),
        "R-CTR-2": (
            N_("a mere touch"),
            N_("A figure that Shockwave or a splash merely touches may not counterattack."),  # A-SHW-4
        ),
        "R-MORE-6": (N_("ranged"), N_("The target of a ranged attack may counterattack after the damage.")),
    },
    N_("Mage Spawn"): {
        "R-WMT-1": (
            N_("moving"),
            N_("You may not move a monster token within or into a section that holds your own Heroes."),
        ),
        "R-WMT-2": (
            N_("doors"),
            N_("A monster token opens a door for 2. It never leaves the dungeon, nor does Mage Spawn."),
        ),
        "R-WMT-3": (
            N_("placing"),
            N_("Placing Mage Spawn does not set off Pole Arm or Ram: placing is not movement."),
        ),
        "R-WMT-4": (
            N_("converting"),
            N_("Converting: the count matters more than the points; your opponent picks among equal choices."),
        ),
        "R-MS-1": (
            N_("teams"),
            N_(
                "A Hero team holds no Mage Spawn, and the Mage Spawn pool holds only Mage Spawn; "
                "those that tokens bring in are friendly to each other."
            ),
        ),
    },
    N_("The dungeon"): {
        "R-MISC-1": (N_("leaving"), N_("Leaving the dungeon costs 1, also diagonally.")),
        "R-MISC-5": (
            N_("free spin"),
            N_("A figure that comes next to an opposing figure, or is placed there, gives it a free spin."),
        ),
        "R-ROT-1": (
            N_("rotating rooms"),
            N_("A door at the edge of a rotating room leaves the game when the room turns."),
        ),
        "R-MORE-5": (N_("entrances"), N_("Two entrances may not lie in the same section.")),
    },
    N_("Figures"): {
        "R-MORE-1": (
            N_("Raydan Marz"),
            N_("Raydan Marz costs 104, 86, 58, 44 and 32 points, from level 5 down to level 1."),
        ),
        "R-MORE-2": (
            N_("Black Thorn"),
            N_("Black Thorn costs 110, 89, 70, 53 and 42 points, from level 5 down to level 1."),
        ),
        "R-MORE-3": (N_("Arman Gessep"), N_("Arman Gessep has a green start symbol on the first click.")),
        "R-MORE-4": (
            N_("skeletons"),
            N_("The promotional figures Jawless Jenkins and Young Rich count as skeletons."),
        ),
    },
    N_("Artifacts"): {
        "AR-SET-1": (N_("agreeing"), N_("Before the game you agree whether to play with artifacts.")),
        "AR-SET-2": (
            N_("set-up"),
            N_("Artifacts are placed in step 3 of the advanced set-up; no part lies over blocking terrain."),
        ),
        "AR-SET-3": (N_("copies"), N_("Several artifacts of one kind may lie on the board.")),
        "AR-GEN-1": (N_("Heroes"), N_("Only Heroes of a team in the game use artifacts.")),
        "AR-GEN-2": (N_("once"), N_("A Hero uses one artifact in an activation.")),
        "AR-GEN-3": (N_("damage"), N_("An artifact cannot be attacked, broken or moved.")),
        "AR-GEN-4": (N_("terrain"), N_("Squares under an artifact are hindering: 2 speed to enter.")),
        "AR-GEN-5": (N_("stopping"), N_("A figure does not end its movement on an artifact.")),
        "AR-GEN-6": (N_("own text"), N_("An artifact's own text takes precedence.")),
        "AR-GEN-7": (N_("kinds"), N_("Enchanted artifacts have tokens; furnishings have rules of their own.")),
    },
    N_("Using artifacts"): {
        "AR-USE-1": (N_("position"), N_("Stand next to the artifact, facing it.")),
        "AR-USE-2": (N_("cost"), N_("Using an artifact costs 4 speed.")),
        "AR-USE-3": (N_("the end"), N_("After using an artifact the Hero's activation is over.")),
        "AR-USE-4": (N_("drawing"), N_("Draw one token from under the artifact and do what it says.")),
        "AR-USE-5": (N_("fights"), N_("A fight on a token follows the rules for attacks by objects.")),
        "AR-USE-6": (N_("items"), N_("An item from a token is an item like any other.")),
        "AR-USE-7": (
            N_("back"),
            N_("A token that is neither ability nor item acts at once and goes back into its colour."),
        ),
        "AR-USE-8": (N_("no effect"), N_("A token that has no effect on this Hero is still used up.")),
        "AR-USE-9": (
            N_("placing"),
            N_(
                "What a token places stands as close to the Hero as there is room. "
                "With three or more players each Mage Spawn that it places gets a movement marker at once."
            ),
        ),
    },
    N_("Tokens"): {
        "AR-TOK-1": (N_("colours"), N_("Yellow tokens are weak, blue ones usual, red ones strong.")),
        "AR-TOK-2": (N_("shuffling"), N_("The tokens of each colour are shuffled separately, face down.")),
        "AR-TOK-3": (
            N_("number"),
            N_("An artifact's back says how many tokens of which colour lie under it."),
        ),
        "AR-TOK-4": (N_("good or bad"), N_("A token may help or harm.")),
        "AR-REF-1": (
            N_("refreshing"),
            N_("Refresh all: every artifact gets tokens again, up to its number at the start."),
        ),
        "AR-ABL-1": (N_("damage"), N_("An ability from a token stays, whatever the damage.")),
        "AR-ABL-2": (
            N_("one ability"),
            N_("A Hero has one ability from a token: a new one replaces it, and the old token goes back."),
        ),
        "AR-ABL-3": (N_("items"), N_("Items and clicks do not replace an ability from a token.")),
        "AR-ABL-4": (N_("loss"), N_("An ability from a token is lost only with the figure.")),
        "AR-ABL-5": (N_("optional"), N_("An ability from a token that is optional stays optional.")),
    },
    N_("Columns"): {
        "F-COL-1": (N_("blocking"), N_("A Stone Column blocks; no figure passes through it, not even flying.")),
        "F-COL-2": (
            N_("position"),
            N_("No column in a hallway, door or entrance, nor where it closes the only way."),
        ),
        "F-ASC-1": (
            N_("All-Seeing"),
            N_("In the section of an All-Seeing Column: no Sneak Attack, no Stealth, no Invisibility, no theft."),
        ),
        "F-ASC-2": (N_("otherwise"), N_("Otherwise an All-Seeing Column is like a Stone Column.")),
    },
    N_("Chairs and tables"): {
        "F-FUR-1": (N_("terrain"), N_("Chairs and tables are hindering and can be carried.")),
        "F-FUR-2": (
            N_("breaking"),
            N_("Only Flame/Lightning and Shockwave break furniture: a chair against 7, a table against 10."),
        ),
        "F-FUR-3": (N_("remains"), N_("A broken chair leaves one hindering square, a table two.")),
        "F-CHR-1": (
            N_("taking a chair"),
            N_("A Hero next to a chair and facing it picks it up at no cost."),
        ),
        "F-CHR-2": (
            N_("carrying"),
            N_("A chair that is carried is off the board, and each square costs 1 more."),
        ),
        "F-CHR-3": (
            N_("putting down"),
            N_("After its movement the Hero puts the chair down at once, on a free square beside the Hero."),
        ),
        "F-CHR-4": (
            N_("abilities"),
            N_("A chair's carrier has no Bound, Charge, Nimble, Quickness, Sneak Attack, Stealth or Sweep."),
        ),
        "F-TBL-1": (
            N_("taking a table"),
            N_("A table covers two squares, not diagonally; it is taken like a chair."),
        ),
        "F-TBL-2": (N_("carrying"), N_("For the carrier of a table, each square costs 2 more.")),
        "F-TBL-3": (
            N_("abilities"),
            N_("A table's carrier lacks the same abilities as a chair's carrier."),
        ),
        "F-TBL-4": (
            N_("putting down"),
            N_("A table is put down like a chair, on two free squares, one of them beside the Hero."),
        ),
    },
}

RULINGS: Final[Mapping[str, Ruling]] = MappingProxyType(
    {
        each: Ruling(subject, title, answer)
        for subject, rulings in _BY_SUBJECT.items()
        for each, (title, answer) in rulings.items()
    }
)
"""Rule id -> its ruling, by subject."""
