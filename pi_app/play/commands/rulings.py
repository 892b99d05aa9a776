"""The command `rule`: list the rulings, search them, show one, and what follows from it in this game."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Final

from pi_app.game.abilities import AGAINST_DAMAGE, NAMES, helps_against
from pi_app.game.chests import ERRATA
from pi_app.game.effects import disarm_bonus
from pi_app.game.note import Note
from pi_app.game.rules import chance_of_36
from pi_app.game.ruleset import Ability
from pi_app.game.rulings import RULINGS
from pi_app.game.state import Game, Phase
from pi_app.game.trap_table import Trap
from pi_app.game.trap_words import trap_name
from pi_app.play.commands.words import RefusedError, Reply, want
from pi_app.text import suggest
from pi_app.text.language import LABELLED, N_, Words
from pi_app.text.table_words import in_language

MOST_WORDS: Final = 6
"""Of a search."""


def rule(rest: list[str], game: Game, words: Words) -> Reply:
    """`rule`, `rule R-XP-2`, `rule chest`, `rule sneak attack`."""
    if not rest:
        how = words(N_("Show one with: {one}. Search with: {search}. The rulings:"))
        one, search = in_language("rule R-XP-1", words), f"{in_language('rule', words)} {words(N_('Chests'))}"
        return Reply((how.format(one=one, search=search), *_listed(RULINGS, words)))
    want(len(rest) <= MOST_WORDS, "rule", words)
    asked = rest[0].upper()
    if len(rest) == 1 and asked in RULINGS:
        return Reply(_answered(asked, game, words))
    found, ability = _found(rest, words), _ability(" ".join(rest), words)
    here = () if ability is None or game.phase is Phase.NONE else _helping(ability, game, words)
    if len(found) == 1:
        return Reply((*here, _answer(found[0], words)) if here else _answered(found[0], game, words))
    if found or here:
        return Reply((*here, *_listed(found, words)))
    if (meant := suggest.guess(asked, RULINGS)) is not None:
        guess = words(N_("did you mean '{word}'?")).format(word=meant)
        raise RefusedError(words(N_("There is no ruling '{id}' here; {guess}")).format(id=rest[0][:20], guess=guess))
    told = words(N_("No ruling has '{words}'. Try one shorter word, or list them all: {line}"))
    raise RefusedError(told.format(words=" ".join(rest)[:40], line=in_language("rule", words)))


def _listed(ids: Iterable[str], words: Words) -> Iterator[str]:
    """One line for each subject: ids and titles. Of an id that follows another of its family, the number alone."""
    for subject, some in groupby(ids, key=lambda each: RULINGS[each].subject):
        titles, last = [], ""
        for each in some:
            family, _, number = each.rpartition("-")
            titles.append(f"{f'-{number}' if family == last else each} {words(RULINGS[each].title)}")
            last = family
        yield words(LABELLED).format(label=words(subject), said=", ".join(titles))


def _found(asked: Iterable[str], words: Words) -> list[str]:
    """The rulings in which every one of these words occurs."""
    wanted = [folded(word) for word in asked]
    return [each for each, text in _texts(words).items() if all(word in text for word in wanted)]


@lru_cache(maxsize=8)
def _texts(words: Words) -> Mapping[str, str]:
    """Ruling -> its id, subject, title and answer, in English and in the language of `words`."""
    return {
        each: folded(" ".join((each, *map(words, (it.subject, it.title, it.answer)), it.subject, it.title, it.answer)))
        for each, it in RULINGS.items()
    }


def folded(text: str) -> str:
    """Without capitals and accents, and with plain apostrophes."""
    plain = unicodedata.normalize("NFKD", text.casefold()).replace("\u2019", "'")
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def _ability(asked: str, words: Words) -> Ability | None:
    """The ability with this name, in English or in the language of `words`."""
    asked = folded(asked)
    return next((each for each, name in NAMES.items() if asked in (folded(name), folded(words(name)))), None)


# ------------------------------------------------------------------------------ what follows in this game


def _answered(rule_id: str, game: Game, words: Words) -> tuple[str, ...]:
    """A ruling, and what follows from it in this game."""
    return (_answer(rule_id, words), *(() if game.phase is Phase.NONE else _here(rule_id, game, words)))


def _answer(rule_id: str, words: Words) -> str:
    return f"{rule_id}: {words(RULINGS[rule_id].answer)}"


def _here(rule_id: str, game: Game, words: Words) -> tuple[str, ...]:
    match rule_id:
        case "R-SA-1" | "R-SA-2":
            return tuple(line for each in AGAINST_DAMAGE for line in _against(each, game, words)) + _jaws(game, words)
        case "R-CHT-1":
            return _chest(game, words)
        case "R-XP-3":
            return tuple(_due(seat, number, game).text(words) for seat, number in game.rulings.owed)
        case "R-XP-4":
            return (words(ALSO_SQUARES if game.ruleset.xp_on_trigger_25 else NO_SQUARES),)
        case _:
            return ()


def _due(seat: str, chest: int, game: Game) -> Note:
    told = N_("{name}: complete the effect of chest {chest}, then type: {line}")
    facts = {"name": game.seats[seat].name, "seat": seat, "chest": chest}
    return Note(told, facts, {}, {"line": "xp {seat} chest {chest}"})


def _chest(game: Game, words: Words) -> tuple[str, ...]:
    """What has become of chest 116, if this game has it."""
    (number,) = ERRATA
    if (opened := game.rulings.chests.get(number)) is None:
        return ()
    if opened.disarmed_by is not None:
        told = words(N_("{name} has disarmed chest {chest} in this game."))
        return (told.format(name=game.seats[opened.disarmed_by].name, chest=number),)
    told = words(N_("In this game {quick} of 36 quick attempts disarm chest {chest}, and {slow} of 36 slow ones."))
    value = int(opened.chest.disarm)
    quick, slow = chance_of_36(value, slow=False), chance_of_36(value, slow=True)
    return (told.format(quick=quick, slow=slow, chest=number),)


ALSO_SQUARES: Final = N_("In this game a trap square that goes off gives the 25 too (switch xp_on_trigger_25).")
NO_SQUARES: Final = N_("In this game a trap square that goes off gives nothing (switch xp_on_trigger_25).")


def _helping(ability: Ability, game: Game, words: Words) -> tuple[str, ...]:
    """Everything that one ability does about traps in this game."""
    lines = (*_against(ability, game, words), *_jaws(game, words)) if ability in AGAINST_DAMAGE else ()
    if ability == "nimble":
        lines = (words(N_("A Nimble Hero cuts the corner of a trap without a roll (A-NIM-1).")),)
    if ability == "flying":
        told = N_("A figure in flight passes over traps; a trap acts only where the flight ends (A-FLY-1).")
        lines = (words(told),)
    bonus = disarm_bonus(frozenset({ability}), game.ruleset)
    told = words(N_("In this game {ability} adds {bonus} to a disarm roll (T-DIS-9)."))
    return (*lines, *([told.format(ability=words(NAMES[ability]), bonus=bonus)] if ability in MAY_ADD else []))


MAY_ADD: Final[frozenset[Ability]] = frozenset({"stealth", "nimble", "sneak", "dodge"})
"""Abilities to which a table may give a bonus (T-DIS-9)."""


def _against(ability: Ability, game: Game, words: Words) -> tuple[str, ...]:
    traps = helps_against(ability, game.ruleset)
    told = words(N_("In this game {ability} helps against: {traps}."))
    if not traps:
        told = words(N_("In this game {ability} helps against no trap."))
    names = ", ".join(words(trap_name(trap)) for trap in traps)
    return (told.format(ability=words(NAMES[ability]), traps=names),)


def _jaws(game: Game, words: Words) -> tuple[str, ...]:
    """The Jaws attack like a figure, unless the rulings hold for them too."""
    if Trap.JAWS_OF_DOOM in helps_against("dodge", game.ruleset):
        return ()
    return (words(N_("Against the Jaws of Doom, abilities count as in any fight (E-JAW-9).")),)
