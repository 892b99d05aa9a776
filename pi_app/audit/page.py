"""An audit as one self-contained HTML file: tables, and pictures as SVG. Pure; returns text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from pi_app.audit import plots
from pi_app.audit.forms import Made
from pi_app.audit.found_starts import starts_line
from pi_app.audit.page_head import CLASSES, head, identity, overview
from pi_app.audit.page_style import STYLE
from pi_app.audit.page_tables import cell_table, knowledge, text_table, turn_rows
from pi_app.audit.rule_sentences import SENTENCES, cited
from pi_app.audit.statistics import Statistics, first_turns, worn_words
from pi_app.audit.values import FileAudit, FindingSeen, GameAudit, SquareVerdict, clock_text
from pi_app.audit.verdicts import VERDICT_WORDS, counted_found
from pi_app.text.language import count_entries
from pi_app.text.printed import shown_lines

MOST_DRAWN: Final = 12
"""Up to this many games on one page, each has its own pictures."""


def page(files: Sequence[FileAudit], statistics: Statistics | None = None, made: Made | None = None) -> str:
    """Return the whole file."""
    body = "\n".join(_body(files, statistics, made))
    journals = "".join(
        f'<meta name="trapdial-journal" content="{file.record.sha256} {escape(file.file)}">\n'
        for file in files
        if file.record is not None
    )
    return shown_lines(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{journals}<title>Trapdial audit</title>\n"
        f"<style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _body(files: Sequence[FileAudit], statistics: Statistics | None, made: Made | None) -> Iterator[str]:
    name = plots.names("p")
    yield "<h1>Dial audit</h1>"
    if len(files) > 1:
        yield from overview(files)
    games = sum(len(file.games) for file in files)
    drawn = games <= MOST_DRAWN
    if not drawn:
        yield f"<p>{games} games: tables only. For pictures, make a page of one file.</p>"
    for number, file in enumerate(files, 1):
        yield f'<section id="file{number}">\n<h2>{escape(file.file)}</h2>'
        yield from head(file, qr=drawn)
        yield from _file(file, name, made, drawn=drawn)
        yield "</section>"
    yield (
        '<p class="muted limits">The audit asks: was each dial turned as the rules allow, which way, how far, when, on '
        "whose claim? The record cannot show everything: who spoke a die aloud, or whose turn it was.</p>"
    )
    if rules := cited(files):
        lines = "\n".join(f"<dt>{escape(rule)}</dt><dd>{escape(words)}</dd>" for rule, words in rules.items())
        yield f'<section class="paper small">\n<h2>Rules</h2>\n<dl>{lines}</dl>\n</section>'
    if statistics is not None:
        yield from _statistics(files, statistics, name)


def _file(file: FileAudit, name: Iterator[str], made: Made | None, *, drawn: bool) -> Iterator[str]:
    for game in file.games:
        yield from (_sealed(file, game) if game.sealed else _game(file, game, name, drawn=drawn))
    if file.record is not None:
        yield from identity(file, file.record, made)


def _sealed(file: FileAudit, game: GameAudit) -> Iterator[str]:
    yield f"<h3>Game {escape(game.game)}</h3>"
    yield (
        f"<p>The game has not ended ({count_entries(game.entries)} so far), so this page shows only verdicts, rules "
        "and times: traps stay sealed.</p>"
    )
    yield from _found(file, game)


def _game(file: FileAudit, game: GameAudit, name: Iterator[str], *, drawn: bool) -> Iterator[str]:
    mark = " SIMULATED: no real dial was read." if game.simulated else ""
    began = game.began[:19].replace("T", " ")
    yield f"<h3>{escape(game.table_name or '')}: game {escape(game.game)}</h3>"
    yield (
        f'<p class="muted">{escape(began)} UTC, {clock_text(game.length_s)} long, entries {game.first} to {game.last}.'
        f"{mark}</p>"
    )
    if starts := starts_line(game):
        yield f"<p>{escape(starts)}</p>"
    yield from _found(file, game)
    yield from knowledge(game)
    yield from turn_rows(game)
    if drawn:
        yield '<div class="pictures">'
        yield from _pictures(game, name)
        yield "</div>"
    if game.dealt:
        yield "<h3>What lay under the artifacts</h3>"
        yield from _tokens(game)
    if game.taken_back:
        yield "<h3>Words taken back</h3>"
        rows = [(str(word.typed), str(word.entry), clock_text(word.at_s), word.words) for word in game.taken_back]
        yield text_table(("word", "correction", "time", "what"), rows, numbers=3, kind="lines")


def _found(file: FileAudit, game: GameAudit) -> Iterator[str]:
    if len(file.games) > 1:
        words = counted_found(file, game)
        yield f"<p><strong>{words[0].upper()}{words[1:]}.</strong></p>"
    yield _verdicts(game)
    for title, found in (("Findings", game.findings), ("Device faults", game.faults)):
        if found:
            yield f"<h3>{title}</h3>"
            yield _findings(found, game)


def _findings(found: Iterable[FindingSeen], game: GameAudit) -> str:
    heads = ["entry", "time", "square", "claim", "rule"] + ([] if game.sealed else ["what was found"])
    rows = []
    for f in found:
        cells = [str(f.entry), clock_text(f.at_s), f.square or "", claim_text(f, game)]
        rules = "".join(_rule(rule) for rule in f.rule_ids)
        rows.append([*map(escape, cells), rules, *([] if game.sealed else [escape(f.words or "")])])
    return cell_table(heads, rows, numbers=2, kind="lines")


def _rule(rule: str) -> str:
    """Return a rule id that opens to its sentence."""
    sentence = SENTENCES.get(rule)
    if sentence is None:
        return f"<div>{escape(rule)}</div>"
    return f"<details><summary>{escape(rule)}</summary><p>{escape(sentence)}</p></details>"


def _pictures(game: GameAudit, name: Iterator[str]) -> Iterator[str]:
    if plots.moved(game):
        yield from _picture(
            "Each dial's path",
            plots.paths(game, next(name)),
            "Counter-clockwise is up. A dashed line is an unknown path; X marks a finding; a name is the "
            "player who claimed.",
        )
    if game.rests:
        yield from _picture(
            "Angle error per detent",
            plots.errors(game, next(name)),
            "How far from the centre of its detent a dial came to rest, counter-clockwise up. For a dial without a "
            "calibration it is the distance from an even pitch, and mostly shows how its magnet is glued.",
        )
    if game.disarm_dice or game.turn_dice or first_turns(game):
        yield from _picture(
            "Dice against turned clicks",
            plots.dice([game], next(name)),
            "The numbers are counts. A die is in the record if a player reported it or the device rolled it; turned "
            "clicks are only an indirect die. One game has too few throws for a conclusion.",
        )
    if game.claims:
        yield from _picture(
            "Timeline of claims",
            plots.claims(game, next(name)),
            "A full bar ended in a turn, a hatched one was dropped; a diamond is a turn without a claim.",
        )


def _tokens(game: GameAudit) -> Iterator[str]:
    yield text_table(("artifact", "when the game began"), [(label, ", ".join(it)) for label, it in game.dealt.items()])
    if not game.draws:
        yield "<p>No token was drawn.</p>"
        return
    yield "<p>What each player drew, who could read it, and where it went.</p>"
    yield text_table(
        ("entry", "time", "player", "artifact", "token", "known to", "went"),
        [
            (str(draw.entry), clock_text(draw.at_s), draw.name, draw.artifact, draw.token, draw.known_to, draw.went)
            for draw in game.draws
        ],
        numbers=2,
    )


def claim_text(found: FindingSeen, game: GameAudit) -> str:
    """Return whose claim a finding is about: a name and how certain it is, `no claim`, or nothing."""
    if found.claim is None:
        return ""
    if found.seat is None:
        return "no claim"
    return f"{game.seats.get(found.seat, found.seat)} ({found.claim})"


def _verdicts(game: GameAudit) -> str:
    so_far = " so far" if game.sealed else ""

    def item(each: SquareVerdict) -> str:
        count = f" ({each.findings})" if each.findings else ""
        words = VERDICT_WORDS[each.verdict] + (so_far if each.verdict == "pass" else "")
        return f'<li class="{CLASSES[each.verdict]}">{escape(each.square)}: {words}{count}</li>'

    return f'<ul class="squares">{"".join(map(item, game.verdicts))}</ul>'


def _picture(title: str, svg: str, caption: str) -> Iterator[str]:
    yield f"<section>\n<h3>{title}</h3>"
    yield _figure(svg, caption)
    yield "</section>"


def _figure(svg: str, caption: str) -> str:
    return f'<figure tabindex="0">\n{svg}\n<figcaption>{escape(caption)}</figcaption>\n</figure>'


def _statistics(files: Sequence[FileAudit], found: Statistics, name: Iterator[str]) -> Iterator[str]:
    games = [game for file in files for game in file.games if not game.sealed]
    yield f"<h2>Statistics of {found.games} {'game' if found.games == 1 else 'games'}</h2>"
    if found.sealed:
        yield f"<p>{found.sealed} more had not ended and are not used.</p>"
    yield "<h3>Dice</h3>"
    yield _figure(plots.dice(games, next(name)), "All games together.")
    yield text_table(
        ("die", "throws", "chi-squared", "p", "result"),
        [
            (die.what, str(die.throws), number(die.chi_squared), number(die.p, 4), die.words) for die in found.dice
        ],
    )  # fmt: skip
    yield "<h3>Squares</h3>"
    yield text_table(
        ("square", "games", "turns", "findings", "clicks/s, median", "clicks/s, top", "calibrated"),
        [
            (
                each.square, str(each.games), str(each.turns), str(each.findings), number(each.speed_median),
                number(each.speed_top), "yes" if each.calibrated else "no",
            )
            for each in found.squares
        ],
    )  # fmt: skip
    if found.detents:
        yield "<h3>Wear of the detents</h3>"
        yield from (f"<p>{escape(words)}</p>" for words in worn_words(found.detents))
        yield _figure(
            plots.wear(found.detents, next(name)),
            "Mean angle error of each detent, with its standard deviation. Wear increases the spread of one detent; a "
            "creeping magnet shifts all of them. X: looks worn.",
        )


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for a table, a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"
