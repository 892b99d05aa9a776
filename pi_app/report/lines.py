"""The lines of each viewer's report, made from the game as far as `pi_app.report.visibility` allows.

Nothing downstream of a report ever holds the game. Every line that a person reads, the log's included, is a line of
some viewer's report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from types import MappingProxyType
from typing import Final

from pi_app.game import artifacts as art
from pi_app.game.finding import Finding
from pi_app.game.note import Note
from pi_app.game.rules import SquareState
from pi_app.game.state import Claim, Game, Phase, Square
from pi_app.game.trap_words import trap_name
from pi_app.report.lamp_code import dealt_code, signs, spoken
from pi_app.report.visibility import VISIBLE, Audience, Fact, Situation, Viewer, audience, seen_as
from pi_app.text.language import N_, Words, listed

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Report:
    """What one viewer may see now, as sentences in one language. `lines` maps stable keys such as `T03` or `claims` to
    a sentence, in reading order."""

    viewer: str
    lines: Mapping[str, str]

    def news(self, before: Report | None) -> tuple[str, ...]:
        """The sentences that differ from an earlier report."""
        old = NOTHING if before is None else before.lines
        return tuple(text for key, text in self.lines.items() if text and old.get(key) != text)


def report(game: Game, viewer: Viewer, words: Words) -> Report:
    """What this viewer may see of this game. `advance` builds the same lines from the changes alone."""
    if game.phase is Phase.NONE:
        return Report(viewer.name, NOTHING)
    own = LineBuilder(game, words).own(viewer, NOTHING, game.squares)
    return Report(viewer.name, in_order(game, shared_lines(game, words), own))


def in_order(game: Game, to_all: Mapping[str, str], own: Mapping[str, str]) -> Mapping[str, str]:
    """The lines of a report in reading order: the table, claims, the squares, experience, findings."""
    lines = {"table": to_all["table"], "claims": to_all["claims"]}
    lines |= dict.fromkeys(game.squares, "")
    lines["xp"], lines["ruling"] = to_all["xp"], to_all["ruling"]
    lines |= own
    return MappingProxyType(lines)


class LineBuilder:
    """Builds the lines of one game in one language. Viewers that may see the same facts of a square share its line."""

    __slots__ = ("_game", "_lines", "_of_audience", "_words")

    def __init__(self, game: Game, words: Words) -> None:
        self._game, self._words = game, words
        self._lines: dict[tuple[str, frozenset[Fact]], str] = {}
        self._of_audience: dict[tuple[str, Audience], str] = {}

    def own(self, viewer: Viewer, before: Mapping[str, str], changed: Iterable[str]) -> Mapping[str, str]:
        """A viewer's lines of squares and findings, when only these squares have changed; `before` itself if every line
        is the same."""
        game, new = self._game, {}
        for label in changed:
            square = game.squares[label]
            key = label, audience(square, viewer)
            line = self._of_audience.get(key)
            if line is None:
                line = self._of_audience[key] = self._square(square, key[1])
            if before.get(label) != line:
                new[label] = line
        if viewer.seat is not None:
            tokens = _token_lines(game, viewer.seat, self._words)
            new |= {key: line for key, line in tokens.items() if line != before.get(key, "")}
            if "lamp" not in before and (line := _lamp_line(game.seats[viewer.seat].lamp, self._words)):
                new["lamp"] = line
        if game.findings and Fact.FINDINGS in VISIBLE[(Situation.CONCEALED, viewer.audience)]:
            for number, finding in enumerate(game.findings, 1):
                if (key_of_it := f"finding {number}") not in before:
                    new[key_of_it] = finding_line(finding, game, self._words)
        return {**before, **new} if new else before

    def _square(self, square: Square, who: Audience) -> str:
        read = _read_in_a_line(seen_as(square, who))
        line = self._lines.get((square.label, read))
        if line is None:
            line = self._lines[square.label, read] = _square_line(self._game, square, read, self._words)
        return line


def shared_lines(game: Game, words: Words) -> dict[str, str]:
    """The lines that are the same for every viewer of one language."""
    return {
        "table": _table_line(game, words),
        "claims": claims_line(game, words),
        "xp": _scores_line(game, words),
        "ruling": _ruling_line(game, words),
    }


def _table_line(game: Game, words: Words) -> str:
    mark = words(N_(" SIMULATED: no real dial was read.")) if game.simulated else ""
    state = words(N_("The game is over.")) if game.phase is Phase.ENDED else words(N_("The game is on."))
    counting = listed((square.label for square in game.squares.values() if not square.absolute), words)
    steps = words(N_(" Dials that only count steps, homed by hand: {squares}.")).format(squares=counting)
    dealt = words(N_(" Trap tables are shuffled: the printed ones do not apply.")) if game.shuffled else ""
    if game.found_starts:
        found = words(N_(" Every dial starts where it stood: nobody turns one back."))
        return f"{game.table_name}. {state}{dealt}{found}{mark}"
    return f"{game.table_name}. {state}{dealt}{mark}{steps if counting else ''}"


def claims_line(game: Game, words: Words) -> str:
    """Who is about to turn, and who turns which dial. A device roll is mentioned, never its number (S-9); a roll typed
    at the table is not mentioned."""
    return " ".join(
        words(claim_sentence(game, claim)).format(name=game.seats[claim.seat].name, square=claim.square)
        for claim in game.claims
    )


def claim_sentence(game: Game, claim: Claim) -> str:
    turn = game.turn_of(claim.seat)
    rolled = turn is not None and turn.how == "device"
    if claim.square is None:
        return N_("{name} has rolled and is about to turn a dial.") if rolled else N_("{name} is about to turn a dial.")
    if claim.purpose == "trigger" and rolled:
        return N_("{name} sets off {square}, has rolled and turns its dial.")
    if claim.purpose == "trigger":
        return N_("{name} sets off {square}: roll one die and turn its dial.")
    return N_("{name} turns the dial of {square}.")


def _scores_line(game: Game, words: Words) -> str:
    won = [f"{seat.name} {seat.xp}" for seat in game.seats.values() if seat.xp]
    return words(N_("Experience: {list}.")).format(list=", ".join(won)) if won else ""


def _ruling_line(game: Game, words: Words) -> str:
    """The latest note, numbered, so that the same sentence is shown again."""
    now = game.rulings
    told = "" if now.note is None else now.note.text(words)
    return words(N_("Note {number}: {told}")).format(number=now.number, told=told) if told else ""


@cache
def _read_in_a_line(seen: frozenset[Fact]) -> frozenset[Fact]:
    """The facts that a square's line may show."""
    return seen - {Fact.FACE, Fact.FINDINGS}


def _lamp_line(lamp: str, words: Words) -> str:
    """The card of this seat's dealt lamp code, for itself alone; empty if nothing was dealt."""
    code = dealt_code(lamp)
    if code is None:
        return ""
    rows = [f"{signs(flashes)} {words(spoken(word))}" for word, flashes in code.items()]
    return words(N_("Your lamp in this game: {code}.")).format(code=", ".join(rows))


def _token_lines(game: Game, seat: str, words: Words) -> Mapping[str, str]:
    """What this seat drew, and all that it kept: for itself alone. Its lines change only with public events, never
    because of a token's kind (S-6)."""
    now = game.artifacts
    if now is None:
        return NOTHING
    figures = game.figures_of(seat)
    drawn = [token for figure in figures if (held := now.hands.get(figure)) and (token := now.token(held))]
    told = [words(N_("Your token: {name}. {text}")).format(name=token.name, text=token.text) for token in drawn]
    kept = [_kept_line(now, game, figure, words) for figure in figures if now.history.get(figure)]
    return {"token": " ".join(told), "kept": " ".join(kept)}


def _kept_line(now: art.Artifacts, game: Game, figure: str, words: Words) -> str:
    """What a Hero kept. With private draws the token that another ability replaced stays in the line, because it is
    secret whether one was replaced (S-6)."""
    named = ["-" if each is None or (one := now.token(each)) is None else one.name for each in now.held_by(figure)]
    message = N_("{name} kept: {tokens}") if figure in game.heroes else N_("You kept: {tokens}")
    return words(message).format(name=game.name_of(figure), tokens=", ".join(named) or "-")


def finding_line(finding: Finding, game: Game, words: Words) -> str:
    told = words(finding.words)
    square = f"{finding.square} " if finding.square else ""
    by = "" if finding.seat is None else f" ({game.seats[finding.seat].name})"
    return words(FINDING).format(rule=finding.rule, told=f"{square}{told}{by}")


FINDING: Final = N_("Finding {rule}: {told}.")
"""One word, the rule's id, a colon, and the finding, which begins with its square: `finding_in` parses it."""

_FINDING = re.compile(r"\w+ ([A-Z]+(?:-[A-Z]+)?-[0-9]+)\s?: (.*)\.")


def finding_in(line: str, squares: Iterable[str]) -> tuple[str, str | None] | None:
    """The rule id and the square of a finding's line in the log, in any language; None for any other line."""
    found = _FINDING.fullmatch(line)
    if found is None:
        return None
    return found[1], next((label for label in squares if found[2].startswith(f"{label} ")), None)


STATE_WORDS: Final = {
    SquareState.CONCEALED: N_("concealed"),
    SquareState.EXPOSED: N_("exposed"),
    SquareState.TRIGGERED: N_("triggered"),
    SquareState.WITHDRAWN: N_("withdrawn, it can go off again"),
    SquareState.DISARMED: N_("disarmed"),
    SquareState.CLEAR_PUBLIC: N_("clear for everyone"),
}


def _square_line(game: Game, square: Square, seen: frozenset[Fact], words: Words) -> str:
    parts = [words(STATE_WORDS[square.state])] if Fact.STATE in seen else []
    attempt = _attempt(game, square, words) if Fact.ATTEMPT in seen else ""
    if Fact.BY in seen and square.readers and square.state is SquareState.EXPOSED:
        names = listed((game.seats[s].name for s in square.readers), words)
        parts = [words(N_("exposed by {names}")).format(names=names)]
    elif attempt and _disarmed(square):
        parts, attempt = [attempt], ""
    if Fact.NAME in seen and square.face is not None and square.face.trap is not None:
        parts.append(words(trap_name(square.face.trap)))  # S-4, T-TRG-10, T-TRG-11
    elif Fact.NAME in seen and square.shared and square.state is SquareState.EXPOSED:
        parts.append(words(N_("clear, as shown to all")))
    if Fact.NAME in seen and square.prisoner is not None:
        values, marked = game.figure_in(square.prisoner)
        parts.append(Note(N_("{name} is locked in, out of play"), values, marked).text(words))
    if attempt:
        parts.append(attempt)
    if Fact.XP_WON in seen and square.xp_won is not None:
        parts.append(words(N_("{xp} experience")).format(xp=square.xp_won))
    if Fact.START_OK in seen and square.start_ok is False:
        parts.append(words(N_("not at its start mark")))
    if Fact.HEALTH in seen and not square.homed and game.found_starts:
        parts.append(words(N_("its start is not known yet")))
    elif Fact.HEALTH in seen and not square.homed:
        parts.append(words(N_("counts steps and is not homed: its position is unknown")))
    if Fact.HEALTH in seen and square.lost:
        parts.append(words(N_("its dial cannot be read")))
    told = reduce(lambda some, more: words(N_("{some}; {more}")).format(some=some, more=more), parts) if parts else ""
    return words(N_("{square}: {told}.")).format(square=square.label, told=told) if parts else ""


def _disarmed(square: Square) -> bool:
    """Whether the seat of the latest attempt disarmed it."""
    return square.attempt is not None and square.attempt[0] == square.disarmed_by


def _attempt(game: Game, square: Square, words: Words) -> str:
    """The latest attempt to disarm it, if there was one."""
    if square.attempt is None:
        return ""
    _, way, figure = square.attempt
    if _disarmed(square):
        quick, slow = N_("disarmed by {name} (quick attempt)"), N_("disarmed by {name} (slow attempt)")
    else:
        quick, slow = N_("quick disarm attempt by {name}"), N_("slow disarm attempt by {name}")
    values, marked = game.figure_in(figure)
    told = Note(quick if way == "quick" else slow, values, marked).text(words)
    number = square.attempts
    return told if number == 1 else words(N_("{told}, attempt {number}")).format(told=told, number=number)
