"""The commands for artifacts. The caller picks what is drawn; a refusal depends on public counts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game.note import Note
from pi_app.game.state import Game
from pi_app.game.tokens import COLOURS, TokenColour
from pi_app.play.commands.figures import hero_of
from pi_app.play.commands.words import RefusedError, Reply, want
from pi_app.text.language import N_, Words
from pi_app.text.suggest import hint


def _played(game: Game, words: Words) -> art.Artifacts:
    if game.artifacts is None:
        raise RefusedError(words(N_("This table plays without artifacts: [artifacts] in its settings (AR-SET-1).")))
    return game.artifacts


def artifact(rest: list[str], game: Game, words: Words) -> Callable[[art.Pick], ev.AnyEvent]:
    """`artifact STATUE ann`, with the colour if tokens of several lie there."""
    want(2 <= len(rest) <= 3, "artifact", words)
    now, label, (figure, seat) = _played(game, words), rest[0].upper(), hero_of(rest[1], game, words)
    if label not in now.lies:
        guess = hint(label, list(now.lies), words)
        raise RefusedError(words(N_("There is no artifact '{word}'; {guess}")).format(word=rest[0][:20], guess=guess))
    if figure in now.hands:
        seen, typed = art.seen_by_all(now, now.hands[figure]), {"keep": f"keep {figure}", "put": f"put {figure}"}
        either = N_("{name} still holds a token. First type: {keep}, or: {put}")
        only = N_("{name} still holds a token. First type: {put}")
        message = either if seen is None else only
        if seen is not None and not seen.acts_at_once:
            typed["put"] = typed["keep"]
        raise RefusedError(Note(message, {"name": game.name_of(figure)}, {}, typed).text(words))
    if (prison := game.prison_of(figure)) is not None:
        locked = words(N_("{name} is locked in {prison}, out of play (E-CAGE-2)."))
        raise RefusedError(locked.format(name=game.name_of(figure), prison=prison))
    there = [colour for colour in COLOURS if now.lies[label].get(colour)]
    wanted = [colour for colour in there if len(rest) == 2 or colour == rest[2].lower()]
    if not wanted:
        raise RefusedError(words(N_("No such token lies under {artifact} (AR-TOK-3).")).format(artifact=label))
    if len(wanted) > 1:
        told = words(N_("Tokens of several colours lie under {artifact}; name one: {colours}."))
        raise RefusedError(told.format(artifact=label, colours=", ".join(wanted)))
    figure = "" if figure == seat else figure
    return partial(_drawn, now, (seat, figure), label, wanted[0])


def _drawn(now: art.Artifacts, who: tuple[str, str], label: str, colour: TokenColour, pick: art.Pick) -> ev.AnyEvent:
    lying, (seat, figure) = now.lies[label][colour], who
    return ev.Drawn(seat=seat, artifact=label, colour=colour, token=lying[pick(len(lying))], figure=figure)


def refresh(rest: list[str], game: Game, words: Words) -> Callable[[art.Pick], ev.AnyEvent]:
    """`refresh ann`: Ann's token was "Refresh all"."""
    want(len(rest) == 1, "refresh", words)
    now, (figure, seat) = _played(game, words), hero_of(rest[0], game, words)
    held = now.hands.get(figure)
    if held is None:
        told = words(N_("{name} holds no token, so none says to refresh (AR-REF-1)."))
        raise RefusedError(told.format(name=game.name_of(figure)))
    token = art.seen_by_all(now, held)
    if token is not None and not token.acts_at_once:
        told = words(N_("{name} holds {token}, which does not refresh the artifacts (AR-REF-1)."))
        raise RefusedError(told.format(name=game.name_of(figure), token=token.name))
    return lambda pick: ev.Refreshed(seat=seat, dealt=art.topped_up(now, pick))


CHANCES: Final = {"artifact": artifact, "refresh": refresh}


def _move(verb: str, way: art.TokenMove) -> Callable[[list[str], Game, Words], ev.AnyEvent]:
    def move(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
        want(len(rest) == 1, verb, words)
        now, (figure, seat) = _played(game, words), hero_of(rest[0], game, words)
        if figure not in now.hands:
            raise RefusedError(words(N_("{name} holds no token.")).format(name=game.name_of(figure)))
        token = art.seen_by_all(now, now.hands[figure])
        if token is not None and token.acts_at_once is (way == "kept"):
            at_once = N_("{token} takes effect at once and goes back (AR-USE-7). Type: {line}")
            lasting = N_("{token} is an item or an ability and is kept (AR-USE-6, AR-ABL-1). Type: {line}")
            line = f"{'put' if way == 'kept' else 'keep'} {figure}"
            told = Note(at_once if way == "kept" else lasting, {"token": token.name}, {}, {"line": line})
            raise RefusedError(told.text(words))
        return ev.TokenMoved(seat=seat, way=way, figure="" if figure == seat else figure)

    return move


def _activate(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 1, "activate", words)
    _played(game, words)
    figure, seat = hero_of(rest[0], game, words)
    return ev.Activated(seat=seat, figure="" if figure == seat else figure)


ORDERS: Final[dict[str, Callable[[list[str], Game, Words], ev.AnyEvent]]] = {
    "keep": _move("keep", "kept"),
    "put": _move("put", "returned"),
    "activate": _activate,
}


def listed(rest: list[str], game: Game, words: Words) -> Reply:
    """The number of tokens of each colour under each artifact, which is public."""
    want(len(rest) == 0, "artifacts", words)
    lies = _played(game, words).lies
    return Reply(tuple(_line(label, colours, words) for label, colours in lies.items()))


def _line(label: str, here: Mapping[TokenColour, tuple[int, ...]], words: Words) -> str:
    counts = [f"{words(art.COLOUR_WORDS[colour])} {len(tokens)}" for colour, tokens in here.items() if tokens]
    return f"{label}: {', '.join(counts) or words(N_('nothing'))}."
