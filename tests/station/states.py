"""A public state of every kind in the program's own words, as a station sends it: for golden screens, axe, and
pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from pi_app.station.public import view
from pi_app.station.public.state import (
    PublicFlag,
    PublicGuide,
    PublicResult,
    PublicSeat,
    PublicSquare,
    PublicState,
    StateName,
)
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.station.visits import seat_pictures
from pi_app.station.visits.guide import TurnStep, sentence
from pi_app.text.language import Words, words
from pi_app.text.languages import LANGUAGES, OWN_NAMES

ADDRESS: Final = "http://10.77.0.1/"
HEAD: Final = "TRAPDIAL1 " + " ".join(["ABCDEFGHIJ"] * 21 + ["ABCDEFGH"])


def _in_each(said: Callable[[Words], str]) -> dict[str, str]:
    """What the program says, in each language."""
    return {language: said(words(language)) for language in LANGUAGES}


_CHOOSE: Final = _in_each(lambda speak: speak(seat_pictures.CHOOSE).replace("\n", " "))
_FLAGS: Final = _in_each(lambda speak: speak(view.CHOOSING))
_BEGIN: Final = _in_each(lambda speak: speak(view.WELCOME))
_STEPS: Final = tuple(_in_each(partial(sentence, step)) for step in [*TurnStep][:-1])
_PLAY_ON: Final = _in_each(lambda speak: speak(view.PLAY_ON))
_WARNS: Final = _in_each(lambda speak: speak(view.ENDS_SOON).format(seconds=9))
_THANKS: Final = _in_each(lambda speak: speak(view.THANK_YOU))
_TROUBLE: Final = _in_each(TroubleFound(StationTrouble.DIAL_UNREAD, ("T02",)).seen)
_SEATS: Final = (PublicSeat(name="P1", active=True), PublicSeat(name="P2", phone=True), PublicSeat(name="P3"))
_SQUARES: Final[dict[str, tuple[PublicSquare, ...]]] = {
    language: (
        PublicSquare(label="T01", state="exposed", text=speak("exposed by {names}").format(names="P1")),
        PublicSquare(label="T02", state="concealed", text=speak("concealed")),
        PublicSquare(label="T03", state="triggered", text=speak("triggered")),
        PublicSquare(label="T04", state="disarmed", text=speak("disarmed by {name} (quick attempt)").format(name="P3")),
    )
    for language, speak in ((language, words(language)) for language in LANGUAGES)
}
_RESULTS: Final = (
    PublicResult(seats=3, exposed=5, triggered=1, disarmed=2, xp=7, head=HEAD),
    PublicResult(seats=2, exposed=4, triggered=2, disarmed=1, xp=3, head=HEAD),
)

SHOWN: Final[dict[str, tuple[StateName, dict[str, Any]]]] = {
    "attract": ("attract", {"says": _BEGIN, "results": _RESULTS}),
    "joining": ("joining", {"says": _FLAGS, "results": _RESULTS, "seats": _SEATS}),
    "guided": ("guided", {"says": _STEPS[TurnStep.TURN], "seats": _SEATS}),
    "free": ("free", {"says": _PLAY_ON, "seats": _SEATS}),
    "warning": ("free", {"says": _WARNS, "seats": _SEATS, "warning_s": 9}),
    "thanks": ("thanks", {"says": _THANKS, "results": _RESULTS, "head": HEAD}),
    "reset": ("reset", {}),
    "closed": ("closed", {}),
    "trouble": ("attract", {"says": _BEGIN, "results": _RESULTS, "trouble": _TROUBLE}),
    "closed_trouble": ("closed", {"trouble": _TROUBLE}),
}


def state(name: str, language: str = "en", **other: Any) -> PublicState:
    """A public state by its name in SHOWN. `language`: of the visit; the others can be chosen."""
    kind, more = SHOWN[name]
    flags = tuple(PublicFlag(language=each, name=OWN_NAMES[each], says=_CHOOSE[each]) for each in LANGUAGES)
    guide = PublicGuide(steps=_STEPS, step=TurnStep.TURN, seat="P1") if name == "guided" else None
    squares = {"guided": _SQUARES[language][:1], "free": _SQUARES[language]}.get(kind, ())
    made = PublicState(
        state=kind,
        language=language,
        languages=(language, *(each for each in LANGUAGES if each != language)),
        flags=flags if name == "joining" else (),
        guide=guide,
        squares=squares,
        join=ADDRESS,
        simulated=True,
        **more,
    )
    return msgspec.structs.replace(made, **other)


def guided(step: TurnStep, language: str = "en") -> PublicState:
    """A visit at this step of the guide."""
    guide = PublicGuide(steps=_STEPS, step=step, seat="P1")
    return state("guided", language, guide=guide, says=_STEPS[step])


def crowded(shown: PublicState, number: int, language: str = "en") -> PublicState:
    """The same with so many squares, every third of them exposed by two seats, and four seats."""
    speak = words(language)
    exposed = speak("exposed by {names}").format(names="P1, P2")
    squares = (
        PublicSquare(label=f"T{each:02}", state="concealed", text=speak("concealed"))
        if each % 3
        else PublicSquare(label=f"T{each:02}", state="exposed", text=exposed)
        for each in range(1, number + 1)
    )
    seats = tuple(PublicSeat(name=f"P{each}") for each in range(1, 5))
    return msgspec.structs.replace(shown, squares=tuple(squares), seats=seats, join="http://localhost:8080/")
