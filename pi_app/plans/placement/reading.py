"""Parse the text of a dungeon map. Pure: text in, a Dungeon or every problem out.

The line `map:` separates `name: value` lines and the list of traps from the drawing; `;` starts a comment. Below the
map there may be drawings of what lies on it, and of its sections (`layers`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pi_app.plans.placement.dungeon import (
    HALLWAY_WIDTH,
    MOST_SIDE,
    Dungeon,
    Edge,
    MapGrid,
    MapSymbol,
    PlacedTrap,
    Rounding,
    Spot,
    edge,
)  # fmt: skip
from pi_app.plans.placement.layers import apart, is_wall_line, lying, sections
from pi_app.plans.placement.problems import MapProblems, all_show
from pi_app.plans.placement.things import ARTIFACT_NAMES, ARTIFACTS
from pi_app.text.suggest import did_you_mean

LONGEST_NAME: Final = 20
MOST_PLAYERS: Final = 20
MOST_NUMBER: Final = MOST_SIDE * MOST_SIDE

SIZE_ADVICE: Final = f"Draw at most {MOST_SIDE} rows of {MOST_SIDE} squares"
COMMENT: Final = ";"
ROCK: Final = " #"
KINDS: Final = {kind.value: kind for kind in MapSymbol}
RESERVED: Final = frozenset(f"{ROCK}{''.join(KINDS.keys() - {kind.value for kind in ARTIFACTS})}|-=,{COMMENT}")
"""Never a trap's. The letter of an artifact may be one: in that map it stands for the trap."""

_LISTED = re.compile(r"(\S+)\s*=\s*(.*)")
_NAMED = re.compile(r"([^:=]+):\s*(.*)")
_ALSO: Final = {
    "chest": MapSymbol.CHEST,
    "token": MapSymbol.TOKEN,
    "hallway": MapSymbol.HALLWAY,
    "dead end": MapSymbol.DEAD_END,
}
_LYING: Final = {name.casefold(): kind for kind, name in ARTIFACT_NAMES.items()}
NAMES: Final = ("players", "agreed", "pool", "rounding", "walls", "hallway width", "map")


def read(text: str, file: str) -> Dungeon:
    """The dungeon of a map. Raises UserFileError with all its problems; `file` is the name that the user gave."""
    lines = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    trouble = MapProblems(file)
    cut = [line.partition(COMMENT)[0].rstrip() for line in lines]
    start = next((n for n, line in enumerate(cut) if line.strip().casefold() == "map:"), None)
    if start is None:
        trouble.add("", "there is no line map:", "Write it above the drawing, or start with trapdial place new")
        raise trouble.error()
    head = _read_head(cut[:start], trouble)
    drawn = _Drawn()
    rows, layers = apart(list(enumerate(cut[start + 1 :], start + 2)), trouble)
    seen = rows if all_show(rows, trouble) else []
    sheet = (_read_lines if head.thin_walls else _read_blocks)(seen, drawn, head, trouble)
    drawn.lying = list(lying(layers.get("artifacts", ()), sheet, drawn.floor, trouble))
    named = sections(layers["sections"], sheet, trouble) if "sections" in layers else None
    if not drawn.floor and not trouble.problems:
        trouble.add(f"line {start + 1}", "no square is drawn below map:", "Draw the dungeon, a . for each square")
    if trouble.problems:
        raise trouble.error()
    return Dungeon(
        floor=frozenset(drawn.floor), sheet=sheet, walls=frozenset(drawn.walls), doors=frozenset(drawn.doors),
        kinds=drawn.everything(), traps=_traps(head, drawn),
        listed=bool(head.traps), players=head.players, agreed=head.agreed, pool=head.pool, rounding=head.rounding,
        hallway_width=head.hallway_width, sections=named,
    )  # fmt: skip


# -------------------------------------------------------------------------------------------- above the drawing


@dataclass(frozen=True, slots=True)
class _Listed:
    line: int
    label: str
    owner: str | None
    also: tuple[MapSymbol, ...]


@dataclass(slots=True)
class _Head:
    """Everything above the drawing."""

    players: tuple[str, ...] = ()
    agreed: int | None = None
    pool: int | None = None
    rounding: Rounding | None = None
    thin_walls: bool = False
    hallway_width: int = HALLWAY_WIDTH
    traps: dict[str, _Listed] = field(default_factory=dict)


def _read_head(lines: Sequence[str], trouble: MapProblems) -> _Head:
    head = _Head()
    listed: list[tuple[int, str, str]] = []
    said: dict[str, int] = {}
    for number, raw in enumerate(lines, 1):
        line = " ".join(raw.split())
        if not line:
            continue
        place = f"line {number}"
        if not line.isprintable():
            trouble.add(place, "it has an invisible character", "Delete the line and type it again")
        elif (entry := _LISTED.fullmatch(line)) is not None:
            listed.append((number, entry[1], entry[2]))
        elif (setting := _NAMED.fullmatch(line)) is not None:
            name, value = setting[1].strip().casefold(), setting[2].strip()
            if name in said:
                trouble.add(place, f"{name} is already in line {said[name]}", "Keep one of the two")
            said.setdefault(name, number)
            _setting(head, name, value, place, trouble)
        else:
            advice = "Write name: value, or KEY = LABEL for a trap; a comment starts with ;"
            trouble.add(place, f"{_short(line)} is not understood", advice)
    for number, key, words in listed:
        _list_trap(head, number, key, words, trouble)
    return head


def _setting(head: _Head, name: str, value: str, place: str, trouble: MapProblems) -> None:
    match name:
        case "players":
            head.players = _players(value, place, trouble)
        case "agreed":
            head.agreed = _number(name, value, 0, MOST_NUMBER, place, trouble)
        case "pool":
            head.pool = _number(name, value, 0, MOST_NUMBER, place, trouble)
        case "hallway width":
            head.hallway_width = _number(name, value, 1, 10, place, trouble) or HALLWAY_WIDTH
        case "rounding" if value in ("floor", "ceil"):
            head.rounding = "floor" if value == "floor" else "ceil"
        case "rounding":
            trouble.add(place, f"rounding is {_short(value)}", "Write floor (down) or ceil (up)")
        case "walls" if value in ("blocks", "lines"):
            head.thin_walls = value == "lines"
        case "walls":
            trouble.add(place, f"walls is {_short(value)}", "Write blocks (# is a wall) or lines (| and - are walls)")
        case "artifacts" | "sections":
            advice = "Draw it below the map, in a line of its own"
            trouble.add(place, f"there is no setting {_short(name)}", advice)
        case _:
            trouble.add(place, f"there is no setting {_short(name)}", _meant(name, NAMES))


def _number(name: str, value: str, least: int, most: int, place: str, trouble: MapProblems) -> int | None:
    if re.fullmatch(r"[0-9]{1,6}", value) and least <= int(value) <= most:
        return int(value)
    trouble.add(place, f"{name} is {_short(value)}", f"Write a whole number from {least} to {most}")
    return None


def _players(value: str, place: str, trouble: MapProblems) -> tuple[str, ...]:
    if re.fullmatch(r"[0-9]{1,2}", value) and 1 <= int(value) <= MOST_PLAYERS:
        return numbered(int(value))
    names = tuple(name.strip() for name in value.split(","))
    good = all(0 < len(name) <= LONGEST_NAME and not name.isdecimal() for name in names)
    if good and len(set(names)) == len(names) <= MOST_PLAYERS:
        return names
    advice = f"Write the number of players, 1 to {MOST_PLAYERS}, or their names with commas, the starting player first"
    trouble.add(place, f"players is {_short(value)}", advice)
    return ()


def numbered(players: int) -> tuple[str, ...]:
    """Names for players if only their number is known."""
    return tuple(str(number) for number in range(1, players + 1))


def _list_trap(head: _Head, number: int, key: str, words: str, trouble: MapProblems) -> None:
    place = f"line {number}"
    label, *rest = [part.strip() for part in words.split(",")]
    owner: str | None = None
    also: list[MapSymbol] = []
    if len(key) != 1 or key in RESERVED:
        advice = "Use one small letter or digit for each trap; the capitals of the legend are taken"
        trouble.add(place, f"{_short(key)} cannot stand for a trap", advice)
    elif key in head.traps:
        trouble.add(place, f"{key} is already a trap in line {head.traps[key].line}", "Use another letter")
    elif not 0 < len(label) <= LONGEST_NAME:
        trouble.add(
            place, f"{key} has no label", f"Write {key} = T01 with the label of its tile, 1 to {LONGEST_NAME} letters"
        )
    elif (twin := next((trap for trap in head.traps.values() if trap.label == label), None)) is not None:
        trouble.add(
            place, f"{label} is already in line {twin.line}", "Each tile is in one place only; correct one of them"
        )
    else:
        for word in rest:
            if word.casefold() in _ALSO:
                also.append(_ALSO[word.casefold()])
            elif word in head.players and owner is None:
                owner = word
            elif word.casefold() in _LYING:
                also.append(_LYING[word.casefold()])
            else:
                trouble.add(place, f"{_short(word)} is not a player", _who(word, head.players))
        head.traps[key] = _Listed(number, label, owner, tuple(also))


def _who(word: str, players: Sequence[str]) -> str:
    if not players:
        return "Name the players in a line players: above, or leave this out"
    return _meant(word, [*players, *_ALSO])


def _meant(word: str, choices: Sequence[str]) -> str:
    advice = did_you_mean(word, choices).rstrip("?")
    return advice[0].upper() + advice[1:]


def _short(words: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in words)
    return repr(shown if len(shown) <= 30 else shown[:27] + "...")


# -------------------------------------------------------------------------------------------------- the drawing


@dataclass(slots=True)
class _Drawn:
    """The drawing as far as it is read."""

    floor: set[Spot] = field(default_factory=set)
    walls: set[Edge] = field(default_factory=set)
    doors: set[Edge] = field(default_factory=set)
    kinds: dict[MapSymbol, set[Spot]] = field(default_factory=lambda: {kind: set() for kind in MapSymbol})
    keys: dict[str, Spot] = field(default_factory=dict)
    unnamed: list[Spot] = field(default_factory=list)
    lying: list[tuple[MapSymbol, Spot]] = field(default_factory=list)

    def everything(self) -> dict[MapSymbol, frozenset[Spot]]:
        """The squares of each kind that is drawn."""
        for kind, spot in self.lying:
            self.kinds[kind].add(spot)
        return {kind: frozenset(spots) for kind, spots in self.kinds.items() if spots}


def _read_blocks(rows: Sequence[tuple[int, str]], drawn: _Drawn, head: _Head, trouble: MapProblems) -> MapGrid:
    sheet = MapGrid(tuple(number for number, _ in rows))
    if not _fits(len(rows), max((len(line) for _, line in rows), default=0), trouble):
        return sheet
    for row, (_, line) in enumerate(rows):
        for column, letter in enumerate(line):
            if letter not in ROCK:
                _square(letter, (row, column), sheet, drawn, head.traps, trouble)
    return sheet


def _read_lines(rows: Sequence[tuple[int, str]], drawn: _Drawn, head: _Head, trouble: MapProblems) -> MapGrid:
    """Squares are in every second column; walls and doors between them, and in lines of their own."""
    of_squares = [(number, line) for number, line in rows if not is_wall_line(line)]
    sheet = MapGrid(tuple(number for number, _ in of_squares), first_column=2, step=2)
    if not _fits(len(of_squares), max((len(line) for _, line in rows), default=0) // 2, trouble):
        return sheet
    row, walled = 0, 0
    for number, line in rows:
        if is_wall_line(line):
            if walled:
                advice = f"Draw the squares between it and line {walled}, or keep one of them"
                trouble.add(f"line {number}", "a second line of walls follows", advice)
            walled = number
            _walls_below(line, row - 1, number, drawn, trouble)
            continue
        walled = 0
        for n, letter in enumerate(line):
            if n % 2:
                if letter in "|+":
                    advice = "Squares are in columns 2, 4, 6 and so on, walls between them"
                    trouble.add(f"line {number}, column {n + 1}", f"{letter!r} is where a square belongs", advice)
                elif letter not in " #-":
                    _square(letter, (row, n // 2), sheet, drawn, head.traps, trouble)
            else:
                _between((row, n // 2 - 1), (row, n // 2), letter, "|#", (number, n + 1), drawn, trouble)
        row += 1
    return sheet


def _walls_below(line: str, row: int, number: int, drawn: _Drawn, trouble: MapProblems) -> None:
    for n, letter in enumerate(line):
        if n % 2:
            _between((row, n // 2), (row + 1, n // 2), letter, "-#", (number, n + 1), drawn, trouble)


def _between(
    one: Spot, other: Spot, letter: str, walls: str, place: tuple[int, int], drawn: _Drawn, trouble: MapProblems
) -> None:
    if letter in walls:
        drawn.walls.add(edge(one, other))
    elif letter == "+":
        drawn.doors.add(edge(one, other))
    elif letter != " ":
        advice = f"Walls here are {' or '.join(walls)}, doors +; squares are in columns 2, 4, 6 and so on"
        trouble.add(f"line {place[0]}, column {place[1]}", f"{letter!r} is where a wall belongs", advice)


def _fits(rows: int, columns: int, trouble: MapProblems) -> bool:
    if max(rows, columns) <= MOST_SIDE:
        return True
    trouble.add("", f"the drawing has {rows} rows of up to {columns} squares", SIZE_ADVICE)
    return False


def _square(
    letter: str, spot: Spot, sheet: MapGrid, drawn: _Drawn, listed: Mapping[str, _Listed], trouble: MapProblems
) -> None:
    drawn.floor.add(spot)
    if (kind := KINDS.get(letter)) is not None and letter not in listed:
        drawn.kinds[kind].add(spot)
        if kind is MapSymbol.TRAP:
            drawn.unnamed.append(spot)
        return
    line, column = sheet.place(spot)
    place = f"line {line}, column {column}"
    if (trap := listed.get(letter)) is None:
        advice = f"Write {letter} = T01 above the drawing if it is a trap, or use one of {' '.join(KINDS)} #"
        trouble.add(place, f"{letter!r} has no meaning", advice)
    elif letter in drawn.keys:
        first = sheet.place(drawn.keys[letter])
        seen = f"{letter!r} ({trap.label}) is already in line {first[0]}, column {first[1]}"
        trouble.add(place, seen, "Each tile is in one place only; give the other trap a letter of its own")
    else:
        drawn.keys[letter] = spot
        for kind in (MapSymbol.TRAP, *trap.also):
            drawn.kinds[kind].add(spot)


def _traps(head: _Head, drawn: _Drawn) -> tuple[PlacedTrap, ...]:
    listed = (PlacedTrap(trap.label, drawn.keys.get(key), trap.owner, key) for key, trap in head.traps.items())
    return (*listed, *(PlacedTrap("", spot) for spot in drawn.unnamed))
