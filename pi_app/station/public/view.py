"""Builds what everybody may see of a station: the public state, from the visit and the public report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from pi_app.game.rules import SquareState
from pi_app.game.state import Game, Phase
from pi_app.report.public_lines import PublicLines
from pi_app.station.public.state import PublicFlag, PublicGuide, PublicResult, PublicSeat, PublicSquare, PublicState
from pi_app.station.visits import seat_pictures as pictures
from pi_app.station.visits.guide import TurnStep, sentence
from pi_app.station.visits.seat_pictures import VisitMoment
from pi_app.station.visits.visit import State
from pi_app.text.language import N_, Words
from pi_app.text.language import words as words_of
from pi_app.text.languages import OWN_NAMES

MOST_RESULTS: Final = 5
"""The last visits whose results everybody may read."""

WELCOME: Final = N_("Come and play: tap any button.")
CLOSED: Final = N_("Closed.")
CHOOSING: Final = N_("Choose your language: tap. Begin: hold.")
PLAY_ON: Final = N_("Tap. Turn. Hold. Only you see what you found.")
ENDS_SOON: Final = N_("Still there? This ends in {seconds} s.")
THANK_YOU: Final = N_("Thank you! Your game cannot be changed any more.")
NEXT: Final = N_("The next game is being prepared.")


class PublicView:
    """Builds the public states of one station."""

    def __init__(self, languages: tuple[str, ...], names: Mapping[str, str], *, simulated: bool, join: str) -> None:
        """`names`: what each seat is called, by its key; `join`: the address that a phone opens."""
        self._languages, self._names = languages, names
        self._words = {language: words_of(language) for language in languages}
        self._fixed = PublicState(
            state="attract", language=languages[0], languages=languages, simulated=simulated, join=join
        )
        self.results: tuple[PublicResult, ...] = ()
        """Of the last visits, the newest first."""
        self.head = ""
        self.forget()

    def forget(self) -> None:
        """Forget the lines of the last game."""
        self._lines = PublicLines(self._languages)

    def ended(self, game: Game, seats: int, head: str) -> PublicResult:
        """Add the result of a visit whose game has ended. `seats`: how many of them did anything."""
        states = [square.state for square in game.squares.values()]
        result = PublicResult(
            seats=seats,
            exposed=sum(state is not SquareState.CONCEALED for state in states),
            triggered=sum(state in (SquareState.TRIGGERED, SquareState.WITHDRAWN) for state in states),
            disarmed=sum(state is SquareState.DISARMED for state in states),
            xp=sum(seat.xp for seat in game.seats.values()),
            head=head,
        )
        self.results, self.head = (result, *self.results)[:MOST_RESULTS], head
        return result

    def state(self, now: VisitMoment, game: Game, trouble: Mapping[str, str]) -> PublicState:
        """Return what everybody may see now; `trouble`: the gravest one, by language."""
        visit = now.visit
        language = self._languages[visit.language % len(self._languages)]
        shown = visit.state in (State.GUIDED, State.FREE, State.THANKS) and game.phase is not Phase.NONE
        return msgspec.structs.replace(
            self._fixed,
            state=visit.state.value,
            visit=visit.number,
            language=language,
            says={each: self._says(now, words) for each, words in self._words.items()},
            flags=self._flags() if visit.state is State.JOINING else (),
            guide=self._guide(now) if visit.state is State.GUIDED else None,
            warning_s=now.warning_s,
            seats=self._seats(game if shown else None),
            squares=self._squares(game, language) if shown else (),
            lines=tuple(filter(None, self._lines.lines(game, language).values())) if shown else (),
            results=self.results,
            head=self.head,
            trouble=dict(trouble),
        )

    def _says(self, now: VisitMoment, words: Words) -> str:
        if now.warning_s is not None:
            return words(ENDS_SOON).format(seconds=now.warning_s)
        match now.visit.state:
            case State.CLOSED:
                return words(CLOSED)
            case State.ATTRACT:
                return words(WELCOME)
            case State.JOINING:
                return words(CHOOSING if len(self._languages) > 1 else WELCOME)
            case State.GUIDED:
                return sentence(now.visit.guided.step, words)
            case State.FREE:
                return words(PLAY_ON)
            case State.THANKS:
                return words(THANK_YOU)
            case State.RESET:
                return words(NEXT)

    def _flags(self) -> tuple[PublicFlag, ...]:
        said = pictures.CHOOSE if len(self._languages) > 1 else pictures.ONLY_ONE
        return tuple(
            PublicFlag(language=each, name=OWN_NAMES[each], says=words(said).replace("\n", " "))
            for each, words in self._words.items()
        )

    def _guide(self, now: VisitMoment) -> PublicGuide:
        steps = tuple(
            {each: sentence(step, words) for each, words in self._words.items()}
            for step in TurnStep
            if step is not TurnStep.DONE
        )
        return PublicGuide(steps=steps, step=now.visit.guided.step.value, seat=now.visit.guided.seat)

    def _seats(self, game: Game | None) -> tuple[PublicSeat, ...]:
        if game is None:
            return tuple(PublicSeat(name=name) for name in self._names.values())
        turning = {claim.seat for claim in game.claims}
        return tuple(
            PublicSeat(name=name, phone=key in game.phones, xp=game.seats[key].xp, active=key in turning)
            for key, name in self._names.items()
            if key in game.seats
        )

    def _squares(self, game: Game, language: str) -> tuple[PublicSquare, ...]:
        lines = self._lines.lines(game, language)
        return tuple(
            PublicSquare(label=label, state=square.state.value, text=_text(label, lines.get(label, "")))
            for label, square in game.squares.items()
        )


def _text(label: str, line: str) -> str:
    """A square's line as it stands beside its label."""
    return line.removeprefix(label).lstrip(": \u00a0\u202f").removesuffix(".")
