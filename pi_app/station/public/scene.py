"""What a public display shows of a public state: finished texts in every language, QR codes, and nothing to work out.

A terminal and a browser draw the same scene. It is built from the public state alone.
"""

from __future__ import annotations

import functools
import re
from typing import Final

import msgspec

from pi_app.pages.content import QrCode, qr_code
from pi_app.pages.qr import modules
from pi_app.station.public.state import PublicResult, PublicSquare, PublicState, SquareStateName, StateName
from pi_app.text.language import N_, NN_, Plural, Words, counted
from pi_app.text.language import words as words_of

MOST_SQUARES: Final = 16
MOST_NEWS: Final = 3
MOST_RESULTS: Final = 200
"""So many visits are counted at most."""

TITLES: Final[dict[StateName, str]] = {
    "closed": N_("Closed"),
    "attract": N_("Tap. Turn. Hold."),
    "joining": N_("Your language?"),
    "guided": N_("Tap. Turn. Hold."),
    "free": N_("The game is on"),
    "thanks": N_("Thank you!"),
    "reset": N_("One moment"),
}
INVITE: Final = N_("You alone see your trap. Everybody else sees nothing.")
LOST: Final = N_("The table does not answer. This display waits, and comes back on its own.")
SCAN: Final = N_("Play along with your phone")
SAME_WIFI: Final = N_("Same Wi-Fi as this table")
STEP: Final = N_("Step {step} of {steps}")
WARNING: Final = N_("Is anybody still playing? Tap a button.")
PROOF: Final = N_("Your game cannot be changed any more. Keep its seal: take a picture.")
STAFF: Final = N_("For the staff: {trouble}")
SIMULATED: Final = N_("SIMULATED")
PLACES: Final[dict[SquareStateName, str]] = {
    "concealed": N_("concealed"),
    "exposed": N_("exposed"),
    "triggered": N_("triggered"),
    "withdrawn": N_("withdrawn, it can go off again"),
    "disarmed": N_("disarmed"),
    "clear for all": N_("clear for everyone"),
}
COUNTS: Final[dict[str, Plural]] = {
    "exposed": NN_("square exposed", "squares exposed"),
    "triggered": NN_("trap triggered", "traps triggered"),
    "disarmed": NN_("trap disarmed", "traps disarmed"),
}
GROUPS: Final = NN_("group", "groups")
GUESTS: Final = NN_("player", "players")


class SceneTexts(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of one language. `title` is the largest; `says` are the sentences below it; `join`: beside the QR code
    of the address. `counts`: figures with their words. `squares`: the public line of each square. `lost`: for a display
    that gets nothing any more."""

    title: str
    says: tuple[str, ...] = ()
    step: str = ""
    join: tuple[str, ...] = ()
    counts: tuple[tuple[int, str], ...] = ()
    squares: tuple[str, ...] = ()
    proof: str = ""
    trouble: str = ""
    simulated: str = ""
    lost: str = ""


class SceneFlag(msgspec.Struct, frozen=True, kw_only=True):
    """A flag of words: the language's own name, and what it says in it."""

    language: str
    name: str
    says: str


class ScenePlace(msgspec.Struct, frozen=True, kw_only=True):
    """A square: its label, and its public state."""

    label: str
    state: SquareStateName


class ScenePlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A seat: its name, whether a phone holds it, and whether it is its turn."""

    name: str
    phone: bool = False
    active: bool = False


class PublicScene(msgspec.Struct, frozen=True, kw_only=True):
    """One moment of the public display.

    `languages`: those whose texts are shown in turn; one of them during a visit. `warning_s`: seconds until the visit
    ends, None outside a warning. `guided`: a step of the guide is due. `proof`: the record's head; its code and that of
    the address are ready to be drawn."""

    state: StateName
    languages: tuple[str, ...]
    texts: dict[str, SceneTexts]
    flags: tuple[SceneFlag, ...] = ()
    chosen: str = ""
    guided: bool = False
    warning_s: int | None = None
    players: tuple[ScenePlayer, ...] = ()
    squares: tuple[ScenePlace, ...] = ()
    address: str = ""
    join: QrCode | None = None
    head: str = ""
    proof: QrCode | None = None


def scene(state: PublicState) -> PublicScene:
    """Return what a display shows of this state."""
    squares = shown_squares(state.squares)
    proof = state.state == "thanks" and bool(state.head)
    join = _join(state)
    return PublicScene(
        state=state.state,
        languages=spoken(state),
        texts={language: texts(state, language) for language in state.languages},
        flags=tuple(SceneFlag(language=each.language, name=each.name, says=each.says) for each in state.flags),
        chosen=state.language if state.state in IN_A_VISIT else "",
        guided=bool(_step(state)[1]),
        warning_s=state.warning_s,
        players=tuple(ScenePlayer(name=each.name, phone=each.phone, active=each.active) for each in state.seats),
        squares=tuple(ScenePlace(label=each.label, state=each.state) for each in squares),
        address=join,
        join=code(packed_address(join)) if join else None,
        head=state.head if proof else "",
        proof=code(state.head.replace(" ", "")) if proof else None,
    )


def _join(state: PublicState) -> str:
    """The address to join at, while there is something to join."""
    return state.join if state.state in ("attract", "joining", "guided", "free") else ""


IN_A_VISIT: Final = ("joining", "guided", "free", "thanks", "reset")


def spoken(state: PublicState) -> tuple[str, ...]:
    """The languages that a display goes through: the visit's own, and all of them until visitors choose one."""
    return (state.language,) if state.state in IN_A_VISIT else state.languages


def shown_squares(squares: tuple[PublicSquare, ...]) -> tuple[PublicSquare, ...]:
    """All squares, or those on which something has happened if there are too many."""
    if len(squares) <= MOST_SQUARES:
        return squares
    return tuple(each for each in squares if each.state != "concealed")[:MOST_SQUARES]


def _step(state: PublicState) -> tuple[int, int]:
    guide = state.guide
    if guide is None or state.state != "guided":
        return 0, 0
    return min(guide.step + 1, len(guide.steps)), len(guide.steps)


# ----------------------------------------------------------------------------------------------------- the texts


def texts(state: PublicState, language: str) -> SceneTexts:
    """Return the finished texts of one language."""
    words = words_of(language)
    own = language == state.language
    step, steps = _step(state)
    return SceneTexts(
        title=_title(state, language, words),
        says=_says(state, language, words),
        step=words(STEP).format(step=step, steps=steps) if steps else "",
        join=(words(SCAN), words(SAME_WIFI)) if _join(state) else (),
        counts=_counts(state, words),
        squares=tuple(square.text if own else words(PLACES[square.state]) for square in shown_squares(state.squares)),
        proof=words(PROOF) if state.state == "thanks" and state.head else "",
        trouble=_trouble(state, language, words),
        simulated=words(SIMULATED) if state.simulated else "",
        lost=words(LOST),
    )


def _title(state: PublicState, language: str, words: Words) -> str:
    """The largest text: of a guided step and of a warning, the sentence itself."""
    said = state.says.get(language, "")
    if state.warning_s is not None:
        return said or words(WARNING)
    return said if said and state.state == "guided" else words(TITLES[state.state])


def _says(state: PublicState, language: str, words: Words) -> tuple[str, ...]:
    if state.warning_s is not None or state.state == "guided":
        return ()
    said = state.says.get(language, "")
    if state.state in ("thanks", "closed"):
        return ()  # the title says it
    if state.state == "attract":
        return tuple(filter(None, (said, words(INVITE))))
    news = _news(state) if state.state == "free" and language == state.language else ()
    return (*filter(None, (said,)), *news)


def _news(state: PublicState) -> tuple[str, ...]:
    """The lines of the public report but those of the table and the squares, which have places of their own."""
    labels = {each.label for each in state.squares}
    return tuple(line for line in state.lines[1:] if re.split(r"[\s:]", line)[0] not in labels)[:MOST_NEWS]


def _trouble(state: PublicState, language: str, words: Words) -> str:
    trouble = state.trouble.get(language, "")
    return words(STAFF).format(trouble=trouble) if trouble else ""


def _counts(state: PublicState, words: Words) -> tuple[tuple[int, str], ...]:
    """The last result after a visit, and the sum of those before one; without zeros."""
    results = state.results[:MOST_RESULTS]
    if state.state == "thanks" and results:
        seats = ((results[0].seats, GUESTS),)
        return _figures((*seats, *_done(results[:1])), words)
    if state.state in ("attract", "joining") and results:
        return _figures(((len(results), GROUPS), *_done(results)), words)
    return ()


def _done(results: tuple[PublicResult, ...]) -> tuple[tuple[int, Plural], ...]:
    return tuple((sum(getattr(each, name) for each in results), forms) for name, forms in COUNTS.items())


def _figures(figures: tuple[tuple[int, Plural], ...], words: Words) -> tuple[tuple[int, str], ...]:
    return tuple((number, counted(words, forms, number)) for number, forms in figures if number)


# ------------------------------------------------------------------------------------------------------ QR codes

_PLAIN_ADDRESS: Final = re.compile(r"http://[a-z0-9.:-]+/?", re.IGNORECASE | re.ASCII)


def packed_address(address: str) -> str:
    """The address in capitals where that means the same: a QR code packs them tighter."""
    return address.upper() if _PLAIN_ADDRESS.fullmatch(address) else address


@functools.lru_cache(maxsize=8)
def code(text: str) -> QrCode:
    """The QR code of a text."""
    return qr_code(modules(text, "L" if len(text) > 100 else "M"))
