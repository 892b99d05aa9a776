"""What one viewer saw at some entry, rebuilt from the record alone: its report, and for a seat its screen.

The record holds every action and look. It does not hold when a button was released, the neutral words that a screen
shows when nothing happened ("Please wait"), or looks after the end of a game.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app import journal as jn
from pi_app.audit.replay import no_game, rebuild
from pi_app.game import events as ev
from pi_app.game.state import Game
from pi_app.journal import Entry, JournalFileError, named
from pi_app.journal.record.entry import ENDED
from pi_app.report.lines import Report, report
from pi_app.report.pictures import Dark, SeatPicture
from pi_app.report.seat_screen import Attention, seat_die, seat_looks, seat_says, seat_token
from pi_app.report.visibility import COMMON, SEAT, language_of, viewers
from pi_app.text.language import words as words_of


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """The last picture on a seat's screen, the entry that showed it, and how long before the requested entry that was;
    None if the machine was restarted in between."""

    picture: SeatPicture
    entry: int | None = None
    ago_ns: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """What one viewer saw at `entry` of a game. `screen` is None for a viewer without a screen."""

    game_id: str
    entry: int
    report: Report
    language: str
    screen: ShownScreen | None
    lamp: str = ""
    """The `LampCode` of a seat in this game."""


UNKNOWN: Final = (
    "The record does not say when the button was released: the screen may have been dark again. It does not hold "
    "neutral words such as Please wait, pages of a lamp card, second looks at a token, looks after the end of a game, "
    "whether a screen or a phone of the seat showed a turn, or whether the player saw a turn that the end cut off."
)


def seen(path: Path, viewer: str, until: int | None = None) -> View:
    """Return what a viewer saw when entry `until` was written, or the last entry of the file.

    `viewer` is `public`, `referee`, `log`, or a seat's key, with `seat ` before it or not. Raises JournalFileError if
    there is no such viewer or entry, if an entry up to there is damaged, and for a seat of a game that has not ended: a
    seat's screen reveals traps (S-9, S-12).
    """
    log, number, game_id = _game_at(path, until)
    word = viewer.casefold()
    name = viewer if word in COMMON or word.startswith(SEAT) else f"{SEAT}{viewer}"
    if word not in COMMON and not _has_ended(path, log, game_id):
        raise JournalFileError.of(
            path,
            f"game {game_id}",
            f"has not ended, and what {name} saw reveals traps (S-9, S-12)",
            "Use public, referee or log, or end the game first: `trapdial play --resume`, then `end`",
        )
    screens: dict[str, ShownScreen] = {}
    before: dict[str, Entry[ev.AnyEvent]] = {}
    last, now = None, Game()
    for entry, game in rebuild(path, game_id):
        if entry.seq // jn.LOG_STEP != log:
            continue
        for seat, picture in _shown(game, entry.event).items():
            screens[seat], before[seat] = ShownScreen(picture, entry.seq), entry
        last, now = entry, game
        if entry.seq == number:
            break
    who = next((each for each in viewers(now) if each.name.casefold() == name.casefold()), None)
    if who is None:
        there = ", ".join([*now.seats, "public", "referee", "log"])
        raise JournalFileError.of(path, f"game {game_id}", f"has no viewer '{viewer}'", f"Its viewers are: {there}")
    language = language_of(now, who)
    screen = None if who.seat is None else _timed(screens.get(who.seat), before.get(who.seat), last)
    lamp = "" if who.seat is None else now.seats[who.seat].lamp
    return View(game_id, number, report(now, who, words_of(language)), language, screen, lamp)


def _game_at(path: Path, until: int | None) -> tuple[int, int, str]:
    """Return log, number and game of the requested entry, or of the last one that belongs to a game."""
    last = 0
    with jn.raw(path) as journal:
        here = [log for log in journal.logs() if until is None or until // jn.LOG_STEP == log]
        for log in reversed(here):
            found: tuple[int, int, str] | None = None
            for seq, public, *_ in journal.rows(log):
                if not isinstance(seq, int):
                    if until is None or found is None:
                        raise _unreadable(path, log, last)
                    continue
                number = last = log * jn.LOG_STEP + seq
                if not isinstance(public, bytes) or (until is not None and number != until):
                    continue
                part = jn.public_part(path, number, public)
                if part.first is None:
                    found = log, number, part.game
            if found is not None:
                return found
    if until is None:
        raise no_game(path)
    if until > last:
        advice = f"Its last entry is {named(last)}" if last else "Run `trapdial journal verify` on the file"
        raise JournalFileError.of(path, f"entry {named(until)}", "is not in this record", advice)
    raise JournalFileError.of(
        path, f"entry {named(until)}", "belongs to no game in this file", "Run `trapdial journal verify` on the file"
    )


def _unreadable(path: Path, log: int, last: int) -> JournalFileError:
    first = log * jn.LOG_STEP + 1
    before = f"Use --until {named(last)} to see the entries before it" if last >= first else "Use an earlier copy of it"
    return JournalFileError.of(path, f"entry {named(max(first, last + 1))}", "cannot be read", before)


def _has_ended(path: Path, log: int, game_id: str) -> bool:
    """Whether the record itself publishes the game's key."""
    with jn.raw(path) as journal:
        for seq, public, *_ in journal.rows(log):
            if isinstance(public, bytes) and ENDED.encode() in public:
                part = jn.public_part(path, int(str(seq)), public)
                if part.game == game_id and part.kind == ENDED and part.key:
                    return True
    return False


def _shown(game: Game, event: ev.AnyEvent) -> dict[str, SeatPicture]:
    """Return what an event puts on the seats' screens, as the game loop does."""
    match event:
        case ev.Started() | ev.Resumed():
            return dict.fromkeys(game.seats, Dark())
        case ev.Claimed(seat=seat):
            return {seat: _prompts(game, seat, Attention.CLAIM_TAKEN)}
        case ev.Rolled(seat=seat, square=asked, how="device"):
            return {seat: _prompts(game, seat, Attention.CLAIM_TAKEN, asked)}
        case ev.ClaimDropped(seat=seat, why="taken back"):
            return {seat: _says(game, seat, Attention.CLAIM_BACK)}
        case ev.ClaimDropped(seat=seat, why="unclear"):
            return {seat: _says(game, seat, Attention.TAP_AGAIN)}
        case ev.Triggered(seat=seat, square=square) if game.claim_on(square) is not None:
            return {seat: _prompts(game, seat, Attention.CLAIM_TAKEN, square)}
        case ev.Turned(seat=str(seat), square=square, motion=motion) if motion.to_position is not None:
            return {seat: seat_looks(game, seat, square, words_of(game.seats[seat].language))}
        case ev.Drawn(seat=seat):
            token = seat_token(game, seat, words_of(game.seats[seat].language))
            return {} if token is None else {seat: token}
        case ev.Looked(seat=seat, square=square):
            return {seat: seat_looks(game, seat, square, words_of(game.seats[seat].language))}
        case _:
            return {}


def _prompts(game: Game, seat: str, attention: Attention, square: str | None = None) -> SeatPicture:
    die = seat_die(game, seat, words_of(game.seats[seat].language), square)
    return _says(game, seat, attention, square) if die is None else die


def _says(game: Game, seat: str, attention: Attention, square: str | None = None) -> SeatPicture:
    return seat_says(attention, words_of(game.seats[seat].language), square)


def _timed(screen: ShownScreen | None, by: Entry[ev.AnyEvent] | None, last: Entry[ev.AnyEvent] | None) -> ShownScreen:
    if screen is None or by is None or last is None:
        return ShownScreen(Dark())
    same_life = by.boot == last.boot
    return ShownScreen(screen.picture, screen.entry, last.mono_ns - by.mono_ns if same_life else None)
