"""Enchanted artifacts: the tokens under them, the tokens drawn, the abilities kept. Pure; draws are arguments.

Where the table draws privately, the token drawn is as secret as a face.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from pi_app.game.note import Note
from pi_app.game.shuffle import Pick as Pick
from pi_app.game.tokens import COLOURS, Artifact, Pool, Token, TokenColour
from pi_app.text.language import N_
from pi_app.text.sealed import Sealed

DrawMode = Literal["private", "public"]
TokenMove = Literal["kept", "returned", "fallen"]

COLOUR_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"yellow": N_("yellow"), "blue": N_("blue"), "red": N_("red")}
)
COST: Final = 4
"""Speed points of one use (AR-USE-2)."""


Dealt = dict[TokenColour, Annotated[str, Meta(pattern=r"^[0-7]*\Z")]]
"""Colour -> the tokens dealt to the artifacts, in the order of the pool, one digit each, so that the length depends on
their number alone."""


class Laid(Sealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The artifacts at the start of a game: the pool, and the tokens dealt under them."""

    pool: Pool
    draw: DrawMode
    dealt: Dealt


Held = tuple[TokenColour, int]
Lying = Mapping[str, Mapping[TokenColour, tuple[int, ...]]]
"""Artifact -> colour -> the tokens under it."""


class Artifacts(Sealed, msgspec.Struct, frozen=True, gc=False):
    """The artifacts of a game in play. `piles`: the tokens in the piles; `hands`: drawn, and neither kept nor put back
    yet; `kept`: the one ability of each Hero (AR-ABL-2); `used`: Heroes that have used an artifact in this activation
    (AR-GEN-2); `history`: every token that each Hero has kept; None where it fell."""

    laid: Laid
    piles: Mapping[TokenColour, tuple[int, ...]]
    lies: Lying
    hands: Mapping[str, Held] = MappingProxyType({})
    kept: Mapping[str, Held] = MappingProxyType({})
    used: frozenset[str] = frozenset()
    history: Mapping[str, tuple[Held | None, ...]] = MappingProxyType({})

    def token(self, held: Held) -> Token | None:
        """The kind of token held; None for one that the pool does not have."""
        kinds = self.laid.pool.of(held[0])
        return kinds[held[1]] if 0 <= held[1] < len(kinds) else None

    def held_by(self, figure: str) -> tuple[Held | None, ...]:
        """What a figure kept and, as far as everybody may know, still has: with open draws not an ability that another
        one replaced (AR-ABL-2), nor one of a figure that fell (AR-ABL-4)."""
        history = self.history.get(figure, ())
        if self.laid.draw == "private":
            return history
        items = (each for each in history if each is not None and (token := self.token(each)) and token.lasts == "item")
        ability = self.kept.get(figure)
        return (*items, *(() if ability is None else (ability,)))


def laid(pool: Pool, draw: DrawMode, pick: Pick) -> Laid:
    """Shuffle the tokens of each colour and deal them under the artifacts, face down (AR-TOK-2, AR-TOK-3)."""
    wanted = {colour: sum(each.number(colour) for each in pool.artifact) for colour in COLOURS}
    return Laid(pool=pool, draw=draw, dealt=_dealt({colour: _all(pool, colour) for colour in COLOURS}, wanted, pick))


def topped_up(now: Artifacts, pick: Pick) -> Dealt:
    """The tokens that "Refresh all Artifacts" deals from the piles, up to the numbers at the start (AR-REF-1)."""
    wanted = {colour: min(_missing(now, colour), _surely_there(now, colour)) for colour in COLOURS}
    return _dealt(now.piles, wanted, pick)


def _missing(now: Artifacts, colour: TokenColour) -> int:
    return sum(_room(now.lies, artifact, colour) for artifact in now.laid.pool.artifact)


def _room(lies: Lying, artifact: Artifact, colour: TokenColour) -> int:
    return max(0, artifact.number(colour) - len(lies[artifact.label].get(colour, ())))


def _surely_there(now: Artifacts, colour: TokenColour) -> int:
    """How many tokens of a pile are public knowledge. With private draws it is secret whether a kept token is still
    out: an ability returns when another replaces it, and the number dealt would reveal that (S-6)."""
    if now.laid.draw == "public":
        return len(now.piles[colour])
    lying = sum(len(colours.get(colour, ())) for colours in now.lies.values())
    kept = [each for history in now.history.values() for each in history if each is not None]
    held = sum(each == colour for each, _ in (*kept, *now.hands.values()))
    return max(0, len(_all(now.laid.pool, colour)) - lying - held)


def _all(pool: Pool, colour: TokenColour) -> tuple[int, ...]:
    return tuple(kind for kind, token in enumerate(pool.of(colour)) for _ in range(token.count))


def _dealt(piles: Mapping[TokenColour, tuple[int, ...]], wanted: Mapping[TokenColour, int], pick: Pick) -> Dealt:
    dealt: Dealt = {}
    for colour in COLOURS:
        pile, got = list(piles[colour]), ""
        for _ in range(min(wanted[colour], len(pile))):
            got += str(pile.pop(pick(len(pile))))
        if got:
            dealt[colour] = got
    return dealt


def begun(at_start: Laid) -> Artifacts:
    empty = Artifacts(
        laid=at_start,
        piles=MappingProxyType({colour: _all(at_start.pool, colour) for colour in COLOURS}),
        lies=MappingProxyType({each.label: MappingProxyType({}) for each in at_start.pool.artifact}),
    )
    return refreshed(empty, at_start.dealt)


def refreshed(now: Artifacts, dealt: Dealt) -> Artifacts:
    """With dealt tokens moved from the piles to the artifacts (AR-REF-1)."""
    piles, lies = {**now.piles}, {**now.lies}
    for colour, digits in dealt.items():
        left = tuple(int(digit) for digit in digits)
        for artifact in now.laid.pool.artifact:
            room = _room(lies, artifact, colour)
            got, left = left[:room], left[room:]
            for token in got:
                piles[colour] = _without(piles[colour], token)
            here = lies[artifact.label]
            if got:
                lies[artifact.label] = MappingProxyType({**here, colour: (*here.get(colour, ()), *got)})
    return replace(now, piles=MappingProxyType(piles), lies=MappingProxyType(lies))


def _without(tokens: tuple[int, ...], token: int) -> tuple[int, ...]:
    """Without one token of that kind, if there is one."""
    at = tokens.index(token) if token in tokens else len(tokens)
    return tokens[:at] + tokens[at + 1 :]


def drawn(now: Artifacts, figure: str, label: str, colour: TokenColour, token: int) -> Artifacts:
    """Draw a token from under an artifact (AR-USE-4)."""
    now = _returned(now, now.hands.get(figure))
    here = now.lies.get(label, MappingProxyType({}))
    left = MappingProxyType({**here, colour: _without(here.get(colour, ()), token)})
    return replace(
        now,
        lies=MappingProxyType({**now.lies, label: left}),
        hands=MappingProxyType({**now.hands, figure: (colour, token)}),
        used=now.used | {figure},
    )


def moved(now: Artifacts, figure: str, way: TokenMove) -> Artifacts:
    """Keep a Hero's token, an ability replacing the one before (AR-ABL-2); or return it to its pile (AR-USE-7), as one
    that takes effect at once always does. A figure that fell loses its ability (AR-ABL-4)."""
    if way == "fallen":
        now = _remembering(now, figure, None) if figure in now.history else now
        now = _returned(now, now.kept.get(figure))
        return replace(now, kept=_but(now.kept, figure))
    held = now.hands.get(figure)
    if held is None:
        return now
    now = replace(now, hands=_but(now.hands, figure))
    if way == "returned":
        return _returned(now, held)
    now = _remembering(now, figure, held)
    token = now.token(held)
    if token is None or token.acts_at_once:
        return _returned(now, held)
    if token.lasts == "item":
        return now
    return replace(_returned(now, now.kept.get(figure)), kept=MappingProxyType({**now.kept, figure: held}))


def _remembering(now: Artifacts, figure: str, held: Held | None) -> Artifacts:
    return replace(now, history=MappingProxyType({**now.history, figure: (*now.history.get(figure, ()), held)}))


def _but(held: Mapping[str, Held], figure: str) -> Mapping[str, Held]:
    return MappingProxyType({each: what for each, what in held.items() if each != figure})


def _returned(now: Artifacts, held: Held | None) -> Artifacts:
    """With a token back in the pile of its colour (AR-TOK-2)."""
    if held is None:
        return now
    colour, token = held
    return replace(now, piles=MappingProxyType({**now.piles, colour: (*now.piles[colour], token)}))


def activated(now: Artifacts, figure: str) -> Artifacts:
    return replace(now, used=now.used - {figure})


# -------------------------------------------------------------------------------------------------- notes


def drawn_note(now: Artifacts, name: str, label: str, held: Held) -> Note:
    """The same for every token of a colour, unless the table draws openly (S-6)."""
    facts: dict[str, object] = {"name": name, "artifact": label, "cost": COST}
    if (token := seen_by_all(now, held)) is None:
        message = N_("{name} draws a {colour} token at {artifact}: {cost} speed, and the activation ends (AR-USE-2).")
        return Note(message, facts, {"colour": COLOUR_WORDS[held[0]]})
    message = N_("{name} draws {token} at {artifact}: {cost} speed, and the activation ends (AR-USE-2).")
    return Note(message, facts | {"token": token.name})


def moved_note(now: Artifacts, name: str, figure: str, way: TokenMove) -> Note:
    """The same for every token of a colour, unless the table draws openly (S-6)."""
    facts: dict[str, object] = {"name": name}
    if way == "fallen":
        return Note(N_("{name} is out of the game; an ability from a token is lost (AR-ABL-4)."), facts)
    held = now.hands.get(figure)
    if held is None:
        return Note(N_("{name} holds no token."), facts)
    kept, token = way == "kept", seen_by_all(now, held)
    if token is None:
        keeps, puts = (
            N_("{name} keeps a {colour} token (AR-ABL-1)."),
            N_("{name} puts a {colour} token back (AR-USE-7)."),
        )
        return Note(keeps if kept else puts, facts, {"colour": COLOUR_WORDS[held[0]]})
    keeps, puts = N_("{name} keeps {token} (AR-ABL-1)."), N_("{name} puts {token} back (AR-USE-7).")
    return Note(keeps if kept else puts, facts | {"token": token.name})


def seen_by_all(now: Artifacts, held: Held) -> Token | None:
    """The token drawn, where the table draws openly."""
    return now.token(held) if now.laid.draw == "public" else None


REFRESHED: Final = N_("All artifacts get tokens again, as far as the piles allow (AR-REF-1).")
