"""The game after each event, with every viewer's report: `advance(moment, event) -> moment`.

Only lines that an event changed are built again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Final

import msgspec

from pi_app.game.events import AnyEvent, Started
from pi_app.game.game import apply
from pi_app.game.state import Game, Phase, Square
from pi_app.journal.record.sha import sha256
from pi_app.report.lines import NOTHING, LineBuilder, Report, claims_line, in_order, shared_lines
from pi_app.report.visibility import COMMON, language_of, viewers
from pi_app.text.language import words as words_of


class Page(msgspec.Struct, frozen=True):
    """Lines in one language, and the SHA-256 over them and their viewer. Moments share unchanged pages."""

    language: str
    lines: Mapping[str, str]
    digest: bytes

    @classmethod
    def of(cls, language: str, whose: str, lines: Mapping[str, str]) -> Page:
        """The lines of one viewer; of all, if `whose` is empty."""
        return cls(language, lines, sha256(_encoder.encode((whose, lines))))


_encoder: Final = msgspec.json.Encoder()


class Moment(msgspec.Struct, frozen=True, dict=True):
    """The game after some events, and what every viewer may see of it. Only the loop and replay hold it; displays get
    reports.

    `shared` holds for each language the lines that all viewers share; `own` holds for each viewer, by name, the others,
    with one digest over those of the common viewers and one over those of the seats.

    `common_digest` is a short SHA-256 over what public, referee and log may see: equal exactly when every line is
    equal. `seats_digest` is the same over what each seat may see: a hash of secrets belongs in a sealed half.
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
        """One viewer's report, by name. Raises KeyError for an unknown name."""
        own = self.own[viewer]
        if self.game.phase is Phase.NONE:
            return Report(viewer, NOTHING)
        return Report(viewer, in_order(self.game, self.shared[own.language].lines, own.lines))

    def news(self, viewer: str, before: Moment) -> tuple[str, ...]:
        """This viewer's sentences that are new since an earlier moment."""
        own = self.own[viewer]
        if own is before.own.get(viewer) and self.shared[own.language] is before.shared.get(own.language):
            return ()
        return self.report(viewer).news(before.report(viewer) if viewer in before.own else None)


NO_GAME: Final = Moment(Game(), MappingProxyType({}), MappingProxyType({}), (b"", b""), "", "")


def advance(moment: Moment, event: AnyEvent) -> Moment:
    """The moment after one more event. Deterministic."""
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
    return {language: Page.of(language, "", shared_lines(game, words_of(language))) for language in languages}


def _claims_read_the_same(game: Game, before: Game) -> bool:
    """Whether the line of the claims, which mentions rolls, is unchanged."""
    return game.claims is before.claims and game.turns is before.turns


def _with_claims(game: Game, page: Page) -> Page:
    line = claims_line(game, words_of(page.language))
    return page if line == page.lines["claims"] else Page.of(page.language, "", {**page.lines, "claims": line})


def _own(moment: Moment, game: Game) -> Mapping[str, Page]:
    before = moment.game
    same = game.findings is before.findings and game.artifacts is before.artifacts and bool(moment.own)
    if game.squares is before.squares and same:
        return moment.own
    known = before.squares
    changed = [label for label, square in game.squares.items() if not _reads_the_same(square, known.get(label))]
    if not changed and same:
        return moment.own
    builders: dict[str, LineBuilder] = {}
    made: dict[str, Page] = {}
    for viewer in viewers(game):
        name, language = viewer.name, language_of(game, viewer)
        builder = builders.get(language)
        if builder is None:
            builder = builders[language] = LineBuilder(game, words_of(language))
        old = moment.own.get(name)
        if old is None:
            made[name] = Page.of(language, name, dict(builder.own(viewer, NOTHING, changed)))
        else:
            lines = builder.own(viewer, old.lines, changed)
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
        "disarmed_by",
        "xp_won",
        "homed",
        "lost",
    )
)
"""With `start_ok`: everything that a square's line and its visibility depend on."""


def _reads_the_same(square: Square, before: Square | None) -> bool:
    """Whether a square's line is unchanged for every viewer."""
    if square is before or before is None:
        return square is before
    return _WHAT_IS_READ(square) == _WHAT_IS_READ(before) and (square.start_ok is False) is (before.start_ok is False)
