"""An audit as one self-contained HTML file: tables, and pictures as SVG. Pure; returns text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from pi_app.audit import plots
from pi_app.audit.statistics import Statistics, first_turns, worn_words
from pi_app.audit.values import FileAudit, FindingSeen, GameAudit, clock_text

LIGHT: Final = {
    "ink": "#1c1917", "muted": "#57534e", "grid": "#e2dfda", "paper": "#fdfcfa", "card": "#f4f1ec",
    "blue": "#1f5fa8", "orange": "#b45309", "red": "#b3261e", "good": "#276b3c",
}  # fmt: skip
DARK: Final = {
    "ink": "#ece8e1", "muted": "#a8a29b", "grid": "#3a3733", "paper": "#191715", "card": "#24211e",
    "blue": "#7fb2ee", "orange": "#f0a35e", "red": "#ff8f84", "good": "#86d39c",
}  # fmt: skip


MOST_DRAWN: Final = 12
"""Up to this many games on one page, each has its own pictures."""


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


STYLE: Final = f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
@media print {{ :root {{ {_variables(LIGHT)} }} }}
body {{ margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.7rem; margin: 0 0 .2rem; }} h2 {{ font-size: 1.25rem; margin: 2.6rem 0 .4rem; }}
h3 {{ font-size: 1.02rem; margin: 2rem 0 .3rem; }}
p {{ margin: .3rem 0 .7rem; max-width: 46rem; }} .muted {{ color: var(--muted); }}
table {{ border-collapse: collapse; width: 100%; font-size: .93rem; }}
.scroll {{ overflow-x: auto; }}
th {{ text-align: left; font-weight: 600; color: var(--muted); }}
th, td {{ padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--grid); vertical-align: top; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
td.short {{ white-space: nowrap; }}
.squares {{ display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: .6rem 0; list-style: none; }}
.squares li {{ background: var(--card); border-radius: .4rem; padding: .25rem .7rem;
  border-left: .3rem solid var(--good); }}
.squares li.fail {{ border-left: .3rem double var(--red); font-weight: 600; }}
.banner {{ background: var(--card); border-left: .3rem double var(--red); padding: .6rem 1rem; }}
figure {{ margin: .4rem 0 0; }} figcaption {{ color: var(--muted); font-size: .9rem; }}
svg {{ width: 100%; height: auto; display: block; }}
""".strip()  # fmt: skip


def page(files: Sequence[FileAudit], statistics: Statistics | None = None) -> str:
    """Return the whole file."""
    body = "\n".join(_body(files, statistics))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Trapdial audit</title>\n'
        f"<style>\n{STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(files: Sequence[FileAudit], statistics: Statistics | None) -> Iterator[str]:
    name = plots.names("p")
    yield "<h1>Dial audit</h1>"
    yield (
        '<p class="muted">Was each dial turned as the rules allow: which way, how far, when, on whose claim? The '
        "record cannot show everything: who spoke a die aloud, or whose turn it was.</p>"
    )
    games = sum(len(file.games) for file in files)
    drawn = games <= MOST_DRAWN
    if not drawn:
        yield f"<p>{games} games: tables only. For pictures, make a page of one file.</p>"
    for file in files:
        yield from _file(file, name, drawn=drawn)
    if statistics is not None:
        yield from _statistics(files, statistics, name)


def _file(file: FileAudit, name: Iterator[str], *, drawn: bool) -> Iterator[str]:
    yield f"<h2>{escape(file.file)}</h2>"
    if file.damage is not None:
        where = "The file" if file.damage.entry == 0 else f"Entry {file.damage.entry}"
        yield (
            f'<p class="banner"><strong>The record is damaged.</strong> {where} {escape(file.damage.seen)}. '
            "Only the entries before it were audited.</p>"
        )
    for game in file.games:
        yield from (_sealed(game) if game.sealed else _game(game, name, drawn=drawn))


def _sealed(game: GameAudit) -> Iterator[str]:
    yield f"<h3>Game {escape(game.game)}</h3>"
    yield (
        f"<p>The game has not ended ({game.entries} entries so far), so this page shows only pass or fail: traps stay "
        "sealed.</p>"
    )
    yield _verdicts(game)
    if game.findings:
        yield _table(
            ("entry", "time", "rule", "square", "claim"),
            [
                (str(f.entry), clock_text(f.at_s), f.rule, f.square or "", claim_text(f, game))
                for f in game.findings
            ],
            numbers=2,
        )  # fmt: skip


def _game(game: GameAudit, name: Iterator[str], *, drawn: bool) -> Iterator[str]:
    mark = " SIMULATED: no real dial was read." if game.simulated else ""
    count, began = len(game.findings), game.began[:19].replace("T", " ")
    yield f"<h3>{escape(game.table_name or '')}: game {escape(game.game)}</h3>"
    yield (
        f'<p class="muted">{escape(began)} UTC, {clock_text(game.length_s)} long, entries {game.first} to {game.last}.'
        f"{mark}</p>"
    )
    yield f"<p><strong>{count} {'finding' if count == 1 else 'findings'}.</strong></p>"
    yield _verdicts(game)
    if count:
        yield _table(
            ("entry", "time", "rule", "square", "claim", "what was found"),
            [
                (str(f.entry), clock_text(f.at_s), f.rule, f.square or "", claim_text(f, game), f.words or "")
                for f in game.findings
            ],
            numbers=2,
        )  # fmt: skip
    if drawn:
        yield from _pictures(game, name)
    yield "<h3>Who could have known</h3>"
    yield from _known(game)
    if game.dealt:
        yield "<h3>What lay under the artifacts</h3>"
        yield from _tokens(game)


def _pictures(game: GameAudit, name: Iterator[str]) -> Iterator[str]:
    if plots.moved(game):
        yield "<h3>Each dial's path</h3>"
        yield _figure(
            plots.paths(game, next(name)),
            "Counter-clockwise is up. A dashed line is an unknown path; X marks a finding; a name is the "
            "player who claimed.",
        )
    if game.rests:
        yield "<h3>Angle error per detent</h3>"
        yield _figure(
            plots.errors(game, next(name)),
            "How far from the centre of its detent a dial came to rest, counter-clockwise up. For a dial without a "
            "calibration it is the distance from an even pitch, and mostly shows how its magnet is glued.",
        )
    if game.disarm_dice or game.turn_dice or first_turns(game):
        yield "<h3>Dice against turned clicks</h3>"
        yield _figure(
            plots.dice([game], next(name)),
            "The numbers are counts. A die is in the record if a player reported it or the device rolled it; turned "
            "clicks are only an indirect die. One game has too few throws for a conclusion.",
        )
    if game.claims:
        yield "<h3>Timeline of claims</h3>"
        yield _figure(
            plots.claims(game, next(name)),
            "A full bar ended in a turn, a hatched one was dropped; a diamond is a turn without a claim.",
        )


def _known(game: GameAudit) -> Iterator[str]:
    if not game.known:
        yield "<p>No player learned a trap.</p>"
        return
    yield "<p>From when on each player could know what a square holds, and how.</p>"
    yield _table(
        ("square", "player", "from entry", "time", "how", "first looked again"),
        [
            (
                known.square,
                known.name,
                str(known.entry),
                clock_text(known.at_s),
                known.by,
                "" if known.looked_at_s is None else f"{clock_text(known.looked_at_s)} (entry {known.looked_entry})",
            )
            for known in game.known
        ],
    )


def _tokens(game: GameAudit) -> Iterator[str]:
    yield _table(("artifact", "when the game began"), [(label, ", ".join(it)) for label, it in game.dealt.items()])
    if not game.draws:
        yield "<p>No token was drawn.</p>"
        return
    yield "<p>What each player drew, who could read it, and where it went.</p>"
    yield _table(
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
    items = "".join(
        f"<li>{escape(v.square)}: pass</li>"
        if v.passed
        else f'<li class="fail">{escape(v.square)}: FAIL ({v.findings})</li>'
        for v in game.verdicts
    )
    return f'<ul class="squares">{items}</ul>'


def _figure(svg: str, caption: str) -> str:
    return f"<figure>\n{svg}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """Return a table. The first `numbers` columns are numbers; the last one may be long."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)

    def cells(row: Sequence[str]) -> str:
        return "".join(f"<td{_class(number, len(row), numbers)}>{escape(text)}</td>" for number, text in enumerate(row))

    body = "\n".join(f"<tr>{cells(row)}</tr>" for row in rows)
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _class(column: int, columns: int, numbers: int) -> str:
    if column < numbers:
        return ' class="number"'
    return ' class="short"' if column < columns - 1 else ""


def _statistics(files: Sequence[FileAudit], found: Statistics, name: Iterator[str]) -> Iterator[str]:
    games = [game for file in files for game in file.games if not game.sealed]
    yield f"<h2>Statistics of {found.games} {'game' if found.games == 1 else 'games'}</h2>"
    if found.sealed:
        yield f"<p>{found.sealed} more had not ended and are not used.</p>"
    yield "<h3>Dice</h3>"
    yield _figure(plots.dice(games, next(name)), "All games together.")
    yield _table(
        ("die", "throws", "chi-squared", "p", "result"),
        [
            (die.what, str(die.throws), number(die.chi_squared), number(die.p, 4), die.words) for die in found.dice
        ],
    )  # fmt: skip
    yield "<h3>Squares</h3>"
    yield _table(
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
