"""What a seat's screen shows: a neutral sentence, a face that the seat may see, a die or a token of its own."""

from __future__ import annotations

import enum
from typing import Final

from pi_app.game import rules
from pi_app.game.game import disarm_value
from pi_app.game.rules import SquareState
from pi_app.game.state import Game, Square
from pi_app.game.tokens import Token
from pi_app.game.trap_table import Face
from pi_app.game.trap_words import effect
from pi_app.report.lamp_code import dealt_code, spoken
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowCard, ShowCode, ShowDie, ShowFace
from pi_app.report.visibility import Audience, Fact, Viewer, may_see
from pi_app.text.language import N_, NN_, Words, counted

TURN_BUTTON: Final = N_("My turn")
HOLD_BUTTON: Final = N_("Hold to look")
"""The words on the two big buttons of a phone's page."""


def phone_lines(message: str, words: Words, **values: object) -> tuple[str, ...]:
    """Return the lines of a translated message for a phone, with its buttons in the place of `{turn}` and `{hold}`."""
    buttons = {"turn": words(TURN_BUTTON), "hold": words(HOLD_BUTTON)}
    return tuple(words(message).format(**buttons, **values).split("\n"))


class Attention(enum.Enum):
    """A sentence for a seat's screen."""

    NOTHING = enum.auto()
    CLAIM_TAKEN = enum.auto()
    CLAIM_BACK = enum.auto()
    WAIT_FOR_OTHER = enum.auto()
    TURN_FIRST = enum.auto()
    HOLD_TO_LOOK = enum.auto()
    LOOK_AGAIN = enum.auto()
    STILL_TURNING = enum.auto()
    CANNOT_READ = enum.auto()
    NOT_VERIFIED = enum.auto()
    NOTHING_KNOWN = enum.auto()
    NOT_YOURS = enum.auto()
    DISARMED = enum.auto()
    NO_GAME = enum.auto()
    NOT_HOMED = enum.auto()
    NO_START = enum.auto()
    NOT_RECORDED = enum.auto()
    SHARE = enum.auto()
    TAP_AGAIN = enum.auto()
    NUMBER_WAITS = enum.auto()


SENTENCES: Final[dict[Attention, str]] = {
    Attention.CLAIM_TAKEN: N_("Your turn.\nTurn one dial,\nthen hold to look."),
    Attention.CLAIM_BACK: N_("Claim taken back."),
    Attention.WAIT_FOR_OTHER: N_("Please wait:\nsomeone else\nturns a dial."),
    Attention.TURN_FIRST: N_("Turn a dial first,\nthen hold to look."),
    Attention.HOLD_TO_LOOK: N_("Keep turning,\nlet it rest,\nthen hold."),
    Attention.LOOK_AGAIN: N_("Between two clicks.\nSeat the dial,\nthen hold again."),
    Attention.STILL_TURNING: N_("Still turning.\nLet it rest,\nthen hold again."),
    Attention.CANNOT_READ: N_("This dial cannot be\nread now. Tell the\ntable, hold later."),
    Attention.NOT_VERIFIED: N_("This tile is not\nverified. Tell the\ntable, hold later."),
    Attention.NOTHING_KNOWN: N_("Nothing to see yet.\nTap to begin."),
    Attention.NOT_YOURS: N_("Already exposed.\nTell the table that\nyou expose it too."),
    Attention.DISARMED: N_("It is disarmed.\nIts dial should\nstay where it is."),
    Attention.NO_GAME: N_("No game is on."),
    Attention.NOT_HOMED: N_("Its count is lost.\nTell the table:\nit must be homed."),
    Attention.NO_START: N_("This dial is not\nready. Let it rest,\nthen tap again."),
    Attention.NOT_RECORDED: N_("Not recorded: wait.\nTell the table."),
    Attention.SHARE: N_("Show this to all?\nTap: yes.\nHold, or wait: no."),
    Attention.TAP_AGAIN: N_("Which dial do you\nmean? Tap again,\nthen turn one."),
    Attention.NUMBER_WAITS: N_("Something for you.\nHold to see it."),
}

PHONE_SENTENCES: Final[dict[Attention, str]] = {
    Attention.NOTHING_KNOWN: N_("Nothing to see yet.\nTap “{turn}” first."),
    Attention.NO_START: N_("This dial is not ready.\nLet it rest, then tap “{turn}”."),
    Attention.SHARE: N_("Show this to all?\n“{turn}”: yes.\n“{hold}”, or wait: no."),
    Attention.TAP_AGAIN: N_("Which dial do you mean?\nTap “{turn}” again, then turn one."),
}
"""The same on a phone, whose buttons have words: it names them."""

_LAMP_SAYS_AGAIN: Final = frozenset(
    {
        Attention.LOOK_AGAIN,
        Attention.STILL_TURNING,
        Attention.CANNOT_READ,
        Attention.WAIT_FOR_OTHER,
        Attention.NO_GAME,
        Attention.NOT_HOMED,
        Attention.NO_START,
        Attention.NOT_RECORDED,
        Attention.NOT_VERIFIED,
        Attention.TAP_AGAIN,
    }
)
"""The lamp signals a refused tap or hold: a seat may have no screen."""


def seat_says(attention: Attention, words: Words, square: str | None = None) -> SeatPicture:
    """A neutral picture for one seat. It does not depend on what lies under a square."""
    if attention is Attention.NOTHING:
        return Dark()
    again = attention in _LAMP_SAYS_AGAIN
    phone = phone_lines(PHONE_SENTENCES[attention], words) if attention in PHONE_SENTENCES else ()
    return Say(lines=tuple(words(SENTENCES[attention]).split("\n")), label=square, again=again, phone=phone)


def seat_die(game: Game, seat: str, words: Words, square: str | None = None) -> SeatPicture | None:
    """The device's roll for this seat's next turn, for its own screen; None without one."""
    turn = game.turn_of(seat)
    if turn is None or not turn.roll_pending or turn.die is None:
        return None
    return ShowDie(rolled_lines(turn.die, words), label=square)


def rolled_lines(die: int, words: Words) -> tuple[str, ...]:
    """A device's roll in words."""
    told = NN_(
        "Turn it {clicks} click,\nlet it rest, then\nhold to look.",
        "Turn it {clicks} clicks,\nlet it rest, then\nhold to look.",
    )
    return tuple(counted(words, told, die).format(clicks=die).split("\n"))


def seat_looks(game: Game, seat: str, label: str, words: Words) -> SeatPicture:
    """The face of a square for one seat, if VISIBLE allows it; else a neutral refusal."""
    square = game.squares[label]
    face = square.face
    if face is None or Fact.FACE not in may_see(square, Viewer(Audience.OTHER, seat)):
        disarmed = square.state is SquareState.DISARMED
        return seat_says(Attention.DISARMED if disarmed else Attention.NOT_YOURS, words, label)
    return _show_face(game, square, face, words)


def _show_face(game: Game, square: Square, face: Face, words: Words) -> ShowFace:
    value = disarm_value(square, 0, game.ruleset)
    fixed = value is not None and (face.disarm is None or not face.disarm.variable or square.value is not None)
    return ShowFace(
        label=square.label,
        kind="trap" if face.trap is not None else ("clear" if face.kind == "clear" else "other"),
        trap=None if face.trap is None else face.trap.value,
        click_number=face.position if face.click_number is None else face.click_number,
        disarm=_disarm_text(game, square, face),
        xp=face.xp,
        quick_of_36=rules.chance_of_36(value, slow=False) if fixed and value is not None else None,
        slow_of_36=rules.chance_of_36(value, slow=True) if fixed and value is not None else None,
        effect=words(effect(face.trap)),
        sample=square.table.is_sample,
        simulated=game.simulated,
    )


def _disarm_text(game: Game, square: Square, face: Face) -> str | None:
    """`7`, `6+`, or `6+ = 9` once the plus die is fixed (T-DIS-6)."""
    if face.disarm is None:
        return None
    printed = f"{face.disarm.value}{'+' if face.disarm.variable else ''}"
    value = disarm_value(square, 0, game.ruleset)
    if (face.disarm.variable and square.value is not None) or (value is not None and value != face.disarm.value):
        return f"{printed} = {value}"
    return printed


CARD_PAGES: Final = (3, 3, 2, 2)
"""The words on each page of a lamp card: with two lines each they fit."""


def seat_card(game: Game, seat: str, page: int, words: Words) -> SeatPicture | None:
    """A page of the card of a seat's dealt lamp code, for its own screen; None if nothing was dealt."""
    code = dealt_code(game.seats[seat].lamp)
    if code is None:
        return None
    first = sum(CARD_PAGES[:page])
    rows = tuple((flashes, words(spoken(word))) for word, flashes in code.items())
    return ShowCard(card_title(words), f"{page + 1}/{len(CARD_PAGES)}", rows[first : first + CARD_PAGES[page]])


def card_title(words: Words) -> str:
    """The title of a lamp card."""
    return words(N_("Your lamp"))


def seat_token(game: Game, seat: str, words: Words) -> SeatPicture | None:
    """The token that this seat has just drawn, for its own screen; None without one."""
    now = game.artifacts
    held = None if now is None else next((now.hands[each] for each in game.figures_of(seat) if each in now.hands), None)
    token = None if held is None or now is None else now.token(held)
    return None if token is None else ShowDie(token_lines(token, words))


def token_lines(token: Token, words: Words) -> tuple[str, ...]:
    """A token that a seat has drawn, in words."""
    return words(N_("Your token:")), token.name, token.text


def seat_code(link: str, address: str, modules: tuple[tuple[bool, ...], ...], words: Words) -> ShowCode:
    """The code with which a phone takes a seat, for its own screen."""
    return ShowCode(tuple(words(N_("Scan it\nwith your\nphone:")).split("\n")), address, link, modules)
