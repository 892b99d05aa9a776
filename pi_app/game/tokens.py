"""Artifacts and their tokens, from a file of the owner's; none is a constant in code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.text.sealed import Sealed
from pi_app.text.user_file import Complaints, Problem, check_keys, errors_of, load_with, read_sections, read_toml

TokenColour = Literal["yellow", "blue", "red"]
Lasting = Literal["ability", "item", "at once"]

COLOURS: Final[tuple[TokenColour, ...]] = ("yellow", "blue", "red")
"""Weak, standard, strong (AR-TOK-1)."""

MOST_KINDS: Final = 8
MOST_ARTIFACTS: Final = 12


class Token(Sealed, msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """One kind of token of one colour. `lasts`: an ability that stays (AR-ABL-1), an item (AR-USE-6), or an effect at
    once, after which the token returns (AR-USE-7)."""

    name: Annotated[str, Meta(pattern=r"^\S(.{0,18}\S)?\Z", max_length=20, description="a text of 1 to 20 characters")]
    text: Annotated[str, Meta(max_length=40, description="a text of at most 40 characters")] = ""
    lasts: Annotated[Lasting, Meta(description="'ability', 'item' or 'at once'")] = "at once"
    count: Annotated[int, Meta(ge=1, le=30, description="a whole number from 1 to 30")] = 1

    @property
    def acts_at_once(self) -> bool:
        """Whether it takes effect at once and returns to its pile."""
        return self.lasts == "at once"


Count = Annotated[int, Meta(ge=0, le=9, description="a whole number from 0 to 9")]


class Artifact(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """One artifact on the board, and its number of tokens of each colour (AR-TOK-3)."""

    label: Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9]{0,11}\Z", description="1 to 12 capital letters and digits")]
    yellow: Count = 0
    blue: Count = 0
    red: Count = 0

    def number(self, colour: TokenColour) -> int:
        """Its number of tokens of a colour at the start."""
        return {"yellow": self.yellow, "blue": self.blue, "red": self.red}[colour]


class Pool(Sealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An owner's tokens by colour, and the artifacts of a table."""

    yellow: tuple[Token, ...] = ()
    blue: tuple[Token, ...] = ()
    red: tuple[Token, ...] = ()
    artifact: tuple[Artifact, ...] = ()

    def of(self, colour: TokenColour) -> tuple[Token, ...]:
        """The kinds of tokens of one colour. Events name a token by its index here."""
        return {"yellow": self.yellow, "blue": self.blue, "red": self.red}[colour]


def parse(text: str, file: str) -> tuple[Pool, tuple[Problem, ...]]:
    """The pool in a file, and every problem. `file` is its name in problems."""
    complaints = Complaints(file)
    raw = read_toml(text, complaints)
    if raw is None:
        return Pool(), tuple(complaints.found)
    check_keys(raw, (*COLOURS, "artifact"), "", complaints)
    colours = {colour: read_sections(Token, raw, colour, MOST_KINDS, complaints, needed=False) for colour in COLOURS}
    artifacts = read_sections(Artifact, raw, "artifact", MOST_ARTIFACTS, complaints)
    if len({each.label for each in artifacts}) < len(artifacts):
        complaints.error("[[artifact]]", "", "a label appears twice; several of one kind are numbered (AR-SET-3)")
    for colour, kinds in colours.items():
        wanted, there = sum(each.number(colour) for each in artifacts), sum(token.count for token in kinds)
        if wanted > there:
            reason = f"the artifacts want {wanted} {colour} tokens, and there are {there} (AR-TOK-3)"
            complaints.error(f"[[{colour}]]", "", reason)
    if errors_of(complaints.found):
        return Pool(), tuple(complaints.found)
    pool = Pool(yellow=colours["yellow"], blue=colours["blue"], red=colours["red"], artifact=artifacts)
    return pool, tuple(complaints.found)


SAMPLE: Final = "sample:ARTIFACTS"
"""The settings' name of the pool that ships; all its tokens are made up."""


def load(path: Path) -> Pool:
    """The pool in a file. Raises UserFileError with every error of the file."""
    return load_with(parse, path)


def sample_path() -> Path:
    return Path(__file__).with_name("samples") / "ARTIFACTS.toml"
