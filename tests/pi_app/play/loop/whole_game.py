"""A whole game of four players with seven Heroes and two other figures, as a script: every trap set off and resolved,
a prisoner freed by another Hero, a Shockwave, artifacts, a chest, a word taken back.

`python -m tests.pi_app.play.loop.whole_game` writes the recorded games again.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from pi_app.game import chests, tokens
from pi_app.game.figures import HeroSetup
from pi_app.game.ruleset import Ruleset, settled
from pi_app.game.trap_table import Trap
from pi_app.play.build import GameOptions
from pi_app.settings import load as st
from pi_app.settings.model import ArtifactSettings, Settings
from pi_app.text.language import words
from pi_app.text.table_words import in_language
from tests.pi_app.games import table_with
from tests.pi_app.playing import Played, table
from tests.pi_app.told import TRAPS

RECORDED = Path(__file__).with_name("whole_games")

HEROES = {
    "ANN": (
        HeroSetup(name="Aria", abilities=("nimble", "dodge")),
        HeroSetup(name="Borg", abilities=("shockwave",)),
    ),
    "BEN": (HeroSetup(name="Cora", abilities=("toughness",)), HeroSetup(name="Dag")),
    "CAL": (HeroSetup(name="Eda", abilities=("stealth",)), HeroSetup(name="Finn", abilities=("flight",))),
    "DEE": (HeroSetup(name="Gil", abilities=("invulnerability",), speed=9),),
}
NAMES = {"ANN": "Ann", "BEN": "Ben", "CAL": "Cal", "DEE": "Dee"}


def great_table(language: str, rules: Ruleset) -> Settings:
    """Return four players, eight squares with one trap on each, chests and artifacts."""
    loaded = st.load(st.example_path("8x4"))
    squares = {
        label: msgspec.structs.replace(square, table=table_with(trap, disarm="6+" if trap is Trap.CAGE else "7"))
        for (label, square), trap in zip(loaded.squares.items(), TRAPS, strict=True)
    }
    keys = dict(zip(loaded.seats, NAMES, strict=True))
    seats = {
        keys[key]: msgspec.structs.replace(seat, key=keys[key], name=NAMES[keys[key]], heroes=HEROES[keys[key]])
        for key, seat in loaded.seats.items()
    }
    return st.speaking(
        replace(
            loaded,
            table=msgspec.structs.replace(loaded.table, chests=chests.SAMPLE, show_s=1.0),
            squares=MappingProxyType(squares),
            seats=MappingProxyType(seats),
            artifacts=ArtifactSettings(pool=tokens.SAMPLE, draw="public"),
            ruleset=rules,
        ),
        (language,),
    )


Step = str | tuple[str, ...]

BEGINNING: tuple[Step, ...] = (
    "hero",
    # T01, the Buzz Saw: exposed by Ann, and Ben's Cora steps on it all the same
    ("expose", "ANN", "T01"),
    "enter T01 cora",
    "hits T01 5",
    "disarm T01 dag quick 4 4",
    ("mark", "T01"),
    # T02, the Cage: a mistyped line is taken back; Eda is caught, and Gil frees her
    "enter T03 eda",
    "undo",
    "enter T02 eda",
    ("turn", "CAL", "T02"),
    "enter T01 eda 3",
    "disarm T02 eda quick 6 6 1",
    "disarm T02 finn quick 1 1 2",
    "disarm T02 gil slow 5 4",
    ("mark", "T02"),
    # T03, the Falling Weight: Dee exposes it, Gil fails
    ("expose", "DEE", "T03"),
    "disarm T03 gil slow 1 1 1",
    "hits",
    "disarm T03 cora quick 6 6",
    # T04, the Fire Jets: a Mage Spawn sets it off, one of the pool walks over it
    "enter T04 mage",
    "enter T04 mage ben",
    ("turn", "BEN", "T04"),
    "hits",
    "enter T04 spawn",
    "disarm T04 cora quick 6 5",
    ("mark", "T04"),
    # T05, the Jaws: Nimble passes, Flight passes over and stops there, a familiar sets it off again
    "pass T05 aria",
    "enter T05 finn flying",
    "enter T05 finn flying stops",
    ("turn", "CAL", "T05"),
    "jaws T05 unharmed",
    "enter T05 figure dee",
    "jaws T05 harmed",
    ("mark", "T05"),
    # T06, the Hand
    "enter T06 dag",
    ("turn", "BEN", "T06"),
    "break T06 aria 5",
    "break T06 aria 6",
    "disarm T06 aria slow 5 6",
    ("mark", "T06"),
    # T07, the acid: a Shockwave, which hits no figure
    "shockwave T07 borg 6 6 5",
    ("turn", "ANN", "T07"),
    "hits T07",
    "start T07 dag",
    "enter T07 gil beside",
    "disarm T07 dag slow 6 6",
    ("mark", "T07"),
    # T08, the Pit
    ("expose", "ANN", "T08"),
    "enter T08 aria",
    "hits",
    "enter T08 borg pay4",
    "disarm T08 finn quick roll",
    ("mark", "T08"),
    # treasures
    "activate aria",
    "artifact OBELISK aria",
    ("hand", "aria"),
    "chest 116 cora quick 6 5 1",
    "kill ben spawn by attack 12",
    "kill ann spawn by trap",
    "fallen dag",
    "enter T01 ben 2",
    "ledger",
    "end",
)


def play_it(folder: Path, language: str, rules: Ruleset, translate: Callable[[str], str]) -> list[str]:
    """Play the script and return what was done, and what the referee and the public read, line by line."""
    told: list[str] = []
    with table(folder, great_table(language, rules), game=GameOptions(pick=lambda count: 0)) as at:
        told += reading(at, 0)
        for step in BEGINNING:
            start = len(at.lines)
            if step[0] == "mark" and not at.demo.loop.moment.game.squares[step[1]].to_be_turned_to_disarmed:
                continue  # this table's sheet does not let it be disarmed
            if isinstance(step, str):
                told.append(f"> {translate(step)}")
                at.say(translate(step))
            else:
                told.append(f"* {' '.join(step)}")
                _by_hand(at, step, translate)
            at.run(0.3)
            told += reading(at, start)
    return told


def _by_hand(at: Played, step: Sequence[str], translate: Callable[[str], str]) -> None:
    match step:
        case ("expose", seat, square):
            at.expose(seat, square, 3)
        case ("turn", seat, square):
            at.turn(square, 3)
            at.press(seat)
            at.let_go(seat)
        case ("mark", square):
            at.turn(square, 8)
            at.run(1.0)
        case ("hand", hero):
            now = at.demo.loop.moment.game.artifacts
            assert now is not None
            held = next(held for figure, held in now.hands.items() if figure.casefold() == hero)
            token = now.token(held)
            assert token is not None
            at.say(translate(f"{'put' if token.acts_at_once else 'keep'} {hero}"))
        case _:
            raise ValueError(step)


def reading(at: Played, start: int) -> list[str]:
    """What the public and the referee read since then, each sentence once."""
    lines = [line for viewer, line in at.lines[start:] if viewer in ("public", "referee")]
    return [f"  {HEAD.sub('(the head)', line)}" for line in dict.fromkeys(lines)]


HEAD = re.compile("TRAPDIAL1[A-Z2-7 ]+")
"""A hash over keys and salts, and another one in every game."""


GAMES: dict[str, tuple[str, Ruleset]] = {
    "english": ("en", settled({"preset": "en"})),
    "german": ("de", settled({"preset": "de"})),
    "rulings": ("en", settled({"preset": "de", "rulings_2003": True, "xp_on_trigger_25": True})),
}


def recorded(name: str, folder: Path) -> str:
    """The recorded game of this name, played again."""
    language, rules = GAMES[name]
    return "\n".join(play_it(folder, language, rules, translator(language))) + "\n"


def translator(language: str) -> Callable[[str], str]:
    """What types a line in a language."""
    return lambda line: in_language(line, words(language))


if __name__ == "__main__":
    RECORDED.mkdir(exist_ok=True)
    for name in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            (RECORDED / f"{name}.txt").write_text(recorded(name, Path(folder)), encoding="utf-8")
