"""What each viewer may see: one report per viewer, made here and nowhere else, from one table of data.

Nothing downstream of a report ever holds the game. Every line that anybody reads, the log's included, is a line
of some viewer's report; news is what changed between two reports of the same viewer.

VISIBLE is rule section 10.1 (S-1 to S-13). An exposed trap and an exposed clear square are one row for everyone
but the seats that know it, so they give the same bytes (S-6).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, reduce
from operator import attrgetter
from types import MappingProxyType
from typing import Final

import msgspec

from pi_app.game import rules
from pi_app.game.events import AnyEvent, Started
from pi_app.game.findings import Finding
from pi_app.game.game import Claim, Game, Phase, Square, apply, disarm_value
from pi_app.game.rules import SquareState
from pi_app.game.trap_table import Face
from pi_app.game.trap_words import effect, trap_name
from pi_app.journal.record.sha import sha256
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowDie, ShowFace
from pi_app.text.language import N_, NN_, counted, listed
from pi_app.text.language import words as words_of

Words = Callable[[str], str]
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Audience(enum.Enum):
    """Who looks at one square (rule section 10.1)."""

    KNOWS = "a seat that knows it"
    OTHER = "any other seat"
    PUBLIC = "everyone in the room"
    REFEREE = "referee, staff, auditor"
    LOG = "whoever reads the record during the game"

    __hash__ = object.__hash__  # a tenth of the time that Enum's own takes


class Field(enum.Enum):
    """One thing that can be known of a square."""

    STATE = "its public state"
    BY = "who exposed it"
    FACE = "everything on the face"
    NAME = "the trap's name, or clear"
    ATTEMPT = "who tried to disarm it, and how"
    XP_WON = "who disarmed it and the experience won"
    START_OK = "whether set-up found it at its start mark"
    FINDINGS = "audit verdicts"
    HEALTH = "whether its dial answers"

    __hash__ = object.__hash__


class Situation(enum.Enum):
    """The rows: a square's state, where DISARMED depends on whether the trap was ever public, and EXPOSED on whether
    who exposed it had it shown to all (S-8)."""

    CONCEALED = enum.auto()
    EXPOSED = enum.auto()
    SHARED = enum.auto()
    TRIGGERED = enum.auto()
    WITHDRAWN = enum.auto()
    DISARMED_UNSEEN = enum.auto()
    DISARMED_SEEN = enum.auto()
    CLEAR_PUBLIC = enum.auto()

    __hash__ = object.__hash__


A, F, R = Audience, Field, Situation
_BASE: Final = frozenset({F.STATE})
_LOUD: Final = frozenset({F.STATE, F.BY, F.NAME, F.ATTEMPT})
_STAFF: Final = frozenset({F.START_OK, F.FINDINGS, F.HEALTH})

VISIBLE: Final[dict[tuple[Situation, Audience], frozenset[Field]]] = {
    (R.CONCEALED, A.OTHER): _BASE,
    (R.CONCEALED, A.PUBLIC): _BASE,
    (R.CONCEALED, A.REFEREE): _BASE | _STAFF,
    (R.CONCEALED, A.LOG): _BASE | {F.FINDINGS},
    (R.EXPOSED, A.KNOWS): frozenset({F.STATE, F.BY, F.FACE, F.ATTEMPT}),
    (R.EXPOSED, A.OTHER): frozenset({F.STATE, F.BY, F.ATTEMPT}),
    (R.EXPOSED, A.PUBLIC): frozenset({F.STATE, F.BY, F.ATTEMPT}),
    (R.EXPOSED, A.REFEREE): frozenset({F.STATE, F.BY, F.ATTEMPT}) | _STAFF,
    (R.EXPOSED, A.LOG): frozenset({F.STATE, F.BY, F.ATTEMPT, F.FINDINGS}),
    (R.SHARED, A.KNOWS): _LOUD | {F.FACE},
    (R.SHARED, A.OTHER): _LOUD | {F.FACE},
    (R.SHARED, A.PUBLIC): _LOUD,
    (R.SHARED, A.REFEREE): _LOUD | _STAFF | {F.FACE},
    (R.SHARED, A.LOG): _LOUD | {F.FINDINGS, F.FACE},
    (R.TRIGGERED, A.KNOWS): _LOUD | {F.FACE},
    (R.TRIGGERED, A.OTHER): _LOUD | {F.FACE},
    (R.TRIGGERED, A.PUBLIC): _LOUD,
    (R.TRIGGERED, A.REFEREE): _LOUD | _STAFF | {F.FACE},
    (R.TRIGGERED, A.LOG): _LOUD | {F.FINDINGS, F.FACE},
    (R.WITHDRAWN, A.KNOWS): _LOUD | {F.FACE},
    (R.WITHDRAWN, A.OTHER): _LOUD | {F.FACE},
    (R.WITHDRAWN, A.PUBLIC): _LOUD,
    (R.WITHDRAWN, A.REFEREE): _LOUD | _STAFF | {F.FACE},
    (R.WITHDRAWN, A.LOG): _LOUD | {F.FINDINGS, F.FACE},
    (R.DISARMED_UNSEEN, A.KNOWS): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_UNSEEN, A.OTHER): frozenset({F.STATE, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_UNSEEN, A.PUBLIC): frozenset({F.STATE, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_UNSEEN, A.REFEREE): frozenset({F.STATE, F.XP_WON, F.ATTEMPT}) | _STAFF,
    (R.DISARMED_UNSEEN, A.LOG): frozenset({F.STATE, F.XP_WON, F.ATTEMPT, F.FINDINGS}),
    (R.DISARMED_SEEN, A.KNOWS): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_SEEN, A.OTHER): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_SEEN, A.PUBLIC): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_SEEN, A.REFEREE): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}) | _STAFF,
    (R.DISARMED_SEEN, A.LOG): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT, F.FINDINGS}),
    (R.CLEAR_PUBLIC, A.KNOWS): _LOUD | {F.FACE},
    (R.CLEAR_PUBLIC, A.OTHER): _LOUD | {F.FACE},
    (R.CLEAR_PUBLIC, A.PUBLIC): _LOUD,
    (R.CLEAR_PUBLIC, A.REFEREE): _LOUD | _STAFF,
    (R.CLEAR_PUBLIC, A.LOG): _LOUD | {F.FINDINGS},
}
"""(situation, audience) -> what that audience may know. A pair that is not listed may know nothing."""

del A, F, R

_SITUATIONS: Final = {
    SquareState.CONCEALED: Situation.CONCEALED,
    SquareState.EXPOSED: Situation.EXPOSED,
    SquareState.TRIGGERED: Situation.TRIGGERED,
    SquareState.WITHDRAWN: Situation.WITHDRAWN,
    SquareState.CLEAR_PUBLIC: Situation.CLEAR_PUBLIC,
}


def situation(square: Square) -> Situation:
    """The row of VISIBLE that a square stands in."""
    if square.state is SquareState.DISARMED:
        return Situation.DISARMED_SEEN if square.was_triggered or square.shared else Situation.DISARMED_UNSEEN
    if square.state is SquareState.EXPOSED and square.shared:
        return Situation.SHARED
    return _SITUATIONS[square.state]


@dataclass(frozen=True)
class Viewer:
    """Who looks: a seat (`seat` set) or one of the three common viewers."""

    audience: Audience
    seat: str | None = None

    @cached_property
    def name(self) -> str:
        """The name that streams and plain output put in front: `seat ANN`, `public`, `referee`, `log`."""
        return f"{SEAT}{self.seat}" if self.seat is not None else _COMMON_NAMES[self.audience]


SEAT: Final = "seat "
"""Stands before a seat's key in its viewer's name."""

_COMMON_NAMES: Final = {Audience.PUBLIC: "public", Audience.REFEREE: "referee", Audience.LOG: "log"}
PUBLIC: Final = Viewer(Audience.PUBLIC)
REFEREE: Final = Viewer(Audience.REFEREE)
LOG: Final = Viewer(Audience.LOG)
COMMON: Final = (PUBLIC.name, REFEREE.name, LOG.name)
"""Names of those who are no seat."""


def viewers(game: Game) -> tuple[Viewer, ...]:
    """Everyone who can look at this game: its seats, then public, referee and log."""
    return _viewers(tuple(game.seats))


@lru_cache(maxsize=16)
def _viewers(seats: tuple[str, ...]) -> tuple[Viewer, ...]:
    return (*(Viewer(Audience.OTHER, seat) for seat in seats), PUBLIC, REFEREE, LOG)


def may_see(square: Square, viewer: Viewer) -> frozenset[Field]:
    """What this viewer may know of this square now."""
    return _seen_as(square, audience(square, viewer))


def _seen_as(square: Square, who: Audience) -> frozenset[Field]:
    return VISIBLE.get((situation(square), who), frozenset())


@cache
def _read_in_a_line(seen: frozenset[Field]) -> frozenset[Field]:
    """Without what is shown elsewhere than in a square's line."""
    return seen - {Field.FACE, Field.FINDINGS}


def audience(square: Square, viewer: Viewer) -> Audience:
    """As who this viewer looks at this square now."""
    return Audience.KNOWS if viewer.seat in square.readers else viewer.audience


@dataclass(frozen=True, slots=True)
class Report:
    """What one viewer may see now, as finished text lines in one language, each with a stable key.

    `lines` maps keys such as `T03` or `claims` to a sentence, in the order in which they are read; a viewer's news is
    every line that is new.
    """

    viewer: str
    lines: Mapping[str, str]

    def news(self, before: Report | None) -> tuple[str, ...]:
        """The sentences that this viewer has not been shown yet."""
        old = NOTHING if before is None else before.lines
        return tuple(text for key, text in self.lines.items() if text and old.get(key) != text)


def language_of(game: Game, viewer: Viewer) -> str:
    """What this viewer reads: a seat its own language, everybody else the table's."""
    return game.language if viewer.seat is None else game.seats[viewer.seat].language


def report(game: Game, viewer: Viewer, words: Words) -> Report:
    """What this viewer may see of this game. Every report is made like this, or from what has changed since the one
    before it, which gives the same lines (`advance`)."""
    if game.phase is Phase.NONE:
        return Report(viewer.name, NOTHING)
    own = _Teller(game, words).own(viewer, NOTHING, game.squares)
    return Report(viewer.name, _in_order(game, told_to_all(game, words), own))


def _in_order(game: Game, to_all: Mapping[str, str], own: Mapping[str, str]) -> Mapping[str, str]:
    """The lines of a report as they are read: the table, who turns what, the squares, experience, findings."""
    lines = {"table": to_all["table"], "claims": to_all["claims"]}
    lines |= dict.fromkeys(game.squares, "")
    lines["xp"], lines["ruling"] = to_all["xp"], to_all["ruling"]
    lines |= own
    return MappingProxyType(lines)


class _Teller:
    """Makes the lines of one game in one language, each once: who may read the same of a square reads the same."""

    __slots__ = ("_game", "_lines", "_of_audience", "_words")

    def __init__(self, game: Game, words: Words) -> None:
        self._game, self._words = game, words
        self._lines: dict[tuple[str, frozenset[Field]], str] = {}
        self._of_audience: dict[tuple[str, Audience], str] = {}

    def own(self, viewer: Viewer, before: Mapping[str, str], changed: Iterable[str]) -> Mapping[str, str]:
        """A viewer's lines of squares and findings; those `before` if nothing reads otherwise, where only these squares
        have changed."""
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
        if game.findings and Field.FINDINGS in VISIBLE[(Situation.CONCEALED, viewer.audience)]:
            for number, finding in enumerate(game.findings, 1):
                if (key_of_it := f"finding {number}") not in before:
                    new[key_of_it] = _finding_line(finding, game, self._words)
        return {**before, **new} if new else before

    def _square(self, square: Square, who: Audience) -> str:
        read = _read_in_a_line(_seen_as(square, who))
        line = self._lines.get((square.label, read))
        if line is None:
            line = self._lines[square.label, read] = _square_line(self._game, square, read, self._words)
        return line


def told_to_all(game: Game, words: Words) -> dict[str, str]:
    """The lines that are the same for every viewer of one language."""
    return {
        "table": _table_line(game, words),
        "claims": _claims_line(game, words),
        "xp": _scores_line(game, words),
        "ruling": _ruling_line(game, words),
    }


def _table_line(game: Game, words: Words) -> str:
    mark = words(N_(" SIMULATED: no real dial was read.")) if game.simulated else ""
    state = words(N_("The game is over.")) if game.phase is Phase.ENDED else words(N_("The game is on."))
    counting = listed((square.label for square in game.squares.values() if not square.absolute), words)
    steps = words(N_(" Dials that only count steps, homed by hand: {squares}.")).format(squares=counting)
    dealt = words(N_(" Trap tables dealt anew: what is printed does not hold.")) if game.shuffled else ""
    return f"{game.table_name}. {state}{dealt}{mark}{steps if counting else ''}"


def _claims_line(game: Game, words: Words) -> str:
    """Who is about to expose, nothing more; and who turns which dial, which everyone can see. That the device rolled
    for somebody is said, and never what (S-9); what was rolled at the table is not even said to be known."""
    return " ".join(
        words(_claim_told(game, claim)).format(name=game.seats[claim.seat].name, square=claim.square)
        for claim in game.claims
    )


def _claim_told(game: Game, claim: Claim) -> str:
    hand = game.hand_of(claim.seat)
    rolled = hand is not None and hand.how == "device"
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
    """The latest ruling, numbered, so that the same one is read again."""
    now = game.rulings
    told = "" if now.said is None else now.said.told(words)
    return words(N_("Note {number}: {told}")).format(number=now.number, told=told) if told else ""


def _token_lines(game: Game, seat: str, words: Words) -> Mapping[str, str]:
    """What this seat drew, and all that it kept: for itself alone. It is told something new when anybody can see why,
    never because of what a token is (S-6)."""
    now = game.artifacts
    if now is None:
        return NOTHING
    held, history = now.hands.get(seat), now.history.get(seat, ())
    token = None if held is None else now.token(held)
    told = "" if token is None else words(N_("Your token: {name}. {text}")).format(name=token.name, text=token.text)
    named = ["-" if each is None or (one := now.token(each)) is None else one.name for each in history]
    kept = words(N_("You kept: {tokens}")).format(tokens=", ".join(named)) if named else ""
    return {"token": told, "kept": kept}


def seat_token(game: Game, seat: str, words: Words) -> SeatPicture | None:
    """What this seat has just drawn, for its own screen; None if it holds nothing."""
    held = None if game.artifacts is None else game.artifacts.hands.get(seat)
    token = None if held is None or game.artifacts is None else game.artifacts.token(held)
    return None if token is None else ShowDie(lines=(words(N_("Your token:")), token.name, token.text))


def _finding_line(finding: Finding, game: Game, words: Words) -> str:
    told = words(finding.words)
    square = f"{finding.square} " if finding.square else ""
    by = "" if finding.seat is None else f" ({game.seats[finding.seat].name})"
    return words(FINDING).format(rule=finding.rule, told=f"{square}{told}{by}")


FINDING: Final = N_("Finding {rule}: {told}.")
"""One word, the rule's id, a colon, and what was found, which begins with its square: `finding_in` reads it again."""


_FINDING = re.compile(r"\w+ ([A-Z]+(?:-[A-Z]+)?-[0-9]+)\s?: (.*)\.")


def finding_in(line: str, squares: Iterable[str]) -> tuple[str, str | None] | None:
    """The rule id and the square of a finding's line as the log viewer is told it, in any language; None for any
    other line."""
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


def _square_line(game: Game, square: Square, seen: frozenset[Field], words: Words) -> str:
    parts = [words(STATE_WORDS[square.state])] if Field.STATE in seen else []
    if Field.BY in seen and square.readers:
        names = listed((game.seats[s].name for s in square.readers), words)
        if square.state is SquareState.EXPOSED:
            parts = [words(N_("exposed by {names}")).format(names=names)]
    if Field.NAME in seen and square.face is not None and square.face.trap is not None:
        parts.append(words(trap_name(square.face.trap)))  # S-4, T-TRG-10, T-TRG-11
    elif Field.NAME in seen and square.shared and square.state is SquareState.EXPOSED:
        parts.append(words(N_("clear, as shown to all")))
    if Field.NAME in seen and square.prisoner is not None:
        parts.append(words(N_("{name} is locked in, out of play")).format(name=game.seats[square.prisoner].name))
    if Field.ATTEMPT in seen and square.attempt is not None:
        parts.append(_attempt(game, square.attempt, square.attempts, words))
    if Field.XP_WON in seen and square.xp_won is not None:
        parts.append(words(N_("{xp} experience")).format(xp=square.xp_won))
    if Field.START_OK in seen and square.start_ok is False:
        parts.append(words(N_("not at its start mark")))
    if Field.HEALTH in seen and not square.homed:
        parts.append(words(N_("counts steps and is not homed: nobody knows where it stands")))
    if Field.HEALTH in seen and square.lost:
        parts.append(words(N_("its dial cannot be read")))
    told = reduce(lambda some, more: words(N_("{some}; {more}")).format(some=some, more=more), parts) if parts else ""
    return words(N_("{square}: {told}.")).format(square=square.label, told=told) if parts else ""


def _attempt(game: Game, attempt: tuple[str, str], number: int, words: Words) -> str:
    seat, way = attempt
    quick, slow = N_("{name} tried to disarm it, quickly"), N_("{name} tried to disarm it, slowly")
    told = words(quick if way == "quick" else slow).format(name=game.seats[seat].name)
    return told if number == 1 else words(N_("{told} (attempt {number})")).format(told=told, number=number)


class Page(msgspec.Struct, frozen=True):
    """Some lines in one language, and the SHA-256 over them and whose they are. An unchanged page goes from moment to
    moment as it is."""

    language: str
    lines: Mapping[str, str]
    digest: bytes

    @classmethod
    def of(cls, language: str, whose: str, lines: Mapping[str, str]) -> Page:
        """The lines of one viewer; of everybody, if `whose` is empty."""
        return cls(language, lines, sha256(_encoder.encode((whose, lines))))


_encoder: Final = msgspec.json.Encoder()


class Moment(msgspec.Struct, frozen=True, dict=True):
    """The game after some events, and what every viewer may see of it. Held by the loop and by replay alone;
    displays are handed reports.

    `shared` has for each language what everybody reads; `own` has for each viewer, by name, what depends on who looks,
    with one digest over those of the common viewers and one over those of the seats.

    `common_digest` is a short SHA-256 over what public, referee and log may see: equal exactly when every line is
    equal. `seats_digest` is the same over what each seat may see: a secret's hash is the secret, it belongs into a
    sealed half.
    """

    game: Game
    shared: Mapping[str, Page]
    own: Mapping[str, Page]
    own_digests: tuple[bytes, bytes]
    common_digest: str
    seats_digest: str

    @cached_property
    def reports(self) -> Mapping[str, Report]:
        """Every viewer's report, by name."""
        return MappingProxyType({name: self.report(name) for name in self.own})

    def report(self, viewer: str) -> Report:
        """One viewer's report, by name. Raises KeyError for one who is not there."""
        own = self.own[viewer]
        if self.game.phase is Phase.NONE:
            return Report(viewer, NOTHING)
        return Report(viewer, _in_order(self.game, self.shared[own.language].lines, own.lines))

    def news(self, viewer: str, before: Moment) -> tuple[str, ...]:
        """The sentences that are new for this viewer since an earlier moment."""
        own = self.own[viewer]
        if own is before.own.get(viewer) and self.shared[own.language] is before.shared.get(own.language):
            return ()
        return self.report(viewer).news(before.report(viewer) if viewer in before.own else None)


NO_GAME: Final = Moment(Game(), MappingProxyType({}), MappingProxyType({}), (b"", b""), "", "")


def advance(moment: Moment, event: AnyEvent) -> Moment:
    """The moment after one more event. Same moment and event, same answer, always."""
    before, game = moment.game, apply(moment.game, event)
    if isinstance(event, Started) or moment is NO_GAME:
        moment = NO_GAME
    elif game is before:
        return moment
    shared, own = _shared(moment, game), _own(moment, game)
    digests = moment.own_digests if own is moment.own else _digests(own)
    if digests is moment.own_digests and shared is moment.shared:
        return Moment(game, shared, own, digests, moment.common_digest, moment.seats_digest)
    seats = [shared[language].digest for language in sorted(shared)]
    return Moment(
        game, shared, own, digests, _short(shared[game.language].digest, digests[0]), _short(*seats, digests[1])
    )


def _short(*digests: bytes) -> str:
    return sha256(b"".join(digests)).hex()[:32]


def _digests(own: Mapping[str, Page]) -> tuple[bytes, bytes]:
    common = [page.digest for name, page in own.items() if name in COMMON]
    seats = [page.digest for name, page in own.items() if name not in COMMON]
    return sha256(b"".join(common)), sha256(b"".join(seats))


def _shared(moment: Moment, game: Game) -> Mapping[str, Page]:
    before = moment.game
    same = game.seats is before.seats and game.phase is before.phase and game.rulings is before.rulings
    if same and _claims_read_the_same(game, before):
        return moment.shared
    if same:
        return {name: _with_claims(game, page) for name, page in moment.shared.items()}
    languages = {game.language, *[seat.language for seat in game.seats.values()]}
    return {language: Page.of(language, "", told_to_all(game, words_of(language))) for language in languages}


def _claims_read_the_same(game: Game, before: Game) -> bool:
    """Whether nobody's line of the claims can have changed: they name who has rolled."""
    return game.claims is before.claims and game.hands is before.hands


def _with_claims(game: Game, page: Page) -> Page:
    said = _claims_line(game, words_of(page.language))
    return page if said == page.lines["claims"] else Page.of(page.language, "", {**page.lines, "claims": said})


def _own(moment: Moment, game: Game) -> Mapping[str, Page]:
    before = moment.game
    same = game.findings is before.findings and game.artifacts is before.artifacts and bool(moment.own)
    if game.squares is before.squares and same:
        return moment.own
    known = before.squares
    changed = [label for label, square in game.squares.items() if not _reads_the_same(square, known.get(label))]
    if not changed and same:
        return moment.own
    tellers: dict[str, _Teller] = {}
    made: dict[str, Page] = {}
    for viewer in viewers(game):
        name, language = viewer.name, language_of(game, viewer)
        teller = tellers.get(language)
        if teller is None:
            teller = tellers[language] = _Teller(game, words_of(language))
        old = moment.own.get(name)
        if old is None:
            made[name] = Page.of(language, name, dict(teller.own(viewer, NOTHING, changed)))
        else:
            lines = teller.own(viewer, old.lines, changed)
            made[name] = old if lines is old.lines else Page.of(language, name, lines)
    return made


_WHAT_IS_READ: Final = attrgetter(
    *(
        "state",
        "was_triggered",
        "readers",
        "shared",
        "shown",
        "prisoner",
        "attempt",
        "attempts",
        "xp_won",
        "homed",
        "lost",
    )
)
"""With whether it is off its start mark: all that a square's line is made of, and that decides who may read what."""


def _reads_the_same(square: Square, before: Square | None) -> bool:
    """Whether nobody's line of a square can have changed."""
    if square is before or before is None:
        return square is before
    return _WHAT_IS_READ(square) == _WHAT_IS_READ(before) and (square.start_ok is False) is (before.start_ok is False)


class Attention(enum.Enum):
    """What a seat's screen is asked to show, besides a square."""

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
    NOT_RECORDED = enum.auto()
    SHARE = enum.auto()
    TAP_AGAIN = enum.auto()


_SAID: Final[dict[Attention, str]] = {
    Attention.CLAIM_TAKEN: N_("Your turn.\nTurn one dial,\nthen hold to look."),
    Attention.CLAIM_BACK: N_("Taken back."),
    Attention.WAIT_FOR_OTHER: N_("Please wait:\nsomeone else\nturns a dial."),
    Attention.TURN_FIRST: N_("Turn a dial first,\nthen hold to look."),
    Attention.HOLD_TO_LOOK: N_("Turn it on,\nlet it rest, then\nhold to look."),
    Attention.LOOK_AGAIN: N_("Between two clicks.\nSeat the dial,\nthen hold again."),
    Attention.STILL_TURNING: N_("It still turns.\nLet it rest,\nthen hold again."),
    Attention.CANNOT_READ: N_("This dial cannot be\nread now. Tell the\ntable, hold later."),
    Attention.NOT_VERIFIED: N_("This tile is not\nverified. Tell the\ntable, hold later."),
    Attention.NOTHING_KNOWN: N_("Nothing to see yet.\nTap to begin."),
    Attention.NOT_YOURS: N_("Already exposed.\nTell the table that\nyou expose it too."),
    Attention.DISARMED: N_("It is disarmed.\nIts dial should\nstay where it is."),
    Attention.NO_GAME: N_("No game is on."),
    Attention.NOT_HOMED: N_("Its count is lost.\nTell the table:\nit must be homed."),
    Attention.NOT_RECORDED: N_("Not recorded: wait.\nTell the table."),
    Attention.SHARE: N_("Show this to all?\nTap: yes.\nHold, or wait: no."),
    Attention.TAP_AGAIN: N_("Which dial do you\nmean? Tap again,\nthen turn one."),
}

_LAMP_SAYS_AGAIN: Final = frozenset(
    {
        Attention.LOOK_AGAIN,
        Attention.STILL_TURNING,
        Attention.CANNOT_READ,
        Attention.WAIT_FOR_OTHER,
        Attention.NO_GAME,
        Attention.NOT_HOMED,
        Attention.NOT_RECORDED,
        Attention.NOT_VERIFIED,
        Attention.TAP_AGAIN,
    }
)
"""A tap or a hold that was refused has a sign on the lamp: a seat may have nothing else."""


def seat_says(attention: Attention, words: Words, square: str | None = None) -> SeatPicture:
    """A neutral picture for one seat. It depends on nothing that is under a square."""
    if attention is Attention.NOTHING:
        return Dark()
    again = attention in _LAMP_SAYS_AGAIN
    return Say(lines=tuple(words(_SAID[attention]).split("\n")), label=square, again=again)


def seat_die(game: Game, seat: str, words: Words, square: str | None = None) -> SeatPicture | None:
    """What the device rolled for this seat and it has not turned yet, for its own screen; None if there is nothing."""
    hand = game.hand_of(seat)
    if hand is None or not hand.stands or hand.die is None:
        return None
    told = NN_(
        "Turn it {clicks} click,\nlet it rest, then\nhold to look.",
        "Turn it {clicks} clicks,\nlet it rest, then\nhold to look.",
    )
    return ShowDie(lines=tuple(counted(words, told, hand.die).format(clicks=hand.die).split("\n")), label=square)


def seat_looks(game: Game, seat: str, label: str, words: Words) -> SeatPicture:
    """The face of a square for one seat, if the table of who may see what allows it; else a neutral no."""
    square = game.squares[label]
    face = square.face
    if face is None or Field.FACE not in may_see(square, Viewer(Audience.OTHER, seat)):
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
