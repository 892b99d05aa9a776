"""`trapdial place`: check the placement of traps in a dungeon drawn as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli import printing
from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import settings_named
from pi_app.cli.printing import echo, echo_json
from pi_app.text import exit_codes
from pi_app.text.language import N_, Words
from pi_app.text.printed import shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from pi_app.plans.placement.dungeon import Dungeon, Rounding, Spot
    from pi_app.plans.placement.findings import PlacementFinding
    from pi_app.plans.placement.verdict import Dials, PlacementVerdict
    from pi_app.settings.model import Settings

STYLES = {
    "rock": "bright_black", "wall": "bold", "floor": "", "hallway": "", "dead end": "yellow", "thing": "cyan",
    "trap": "bold reverse", "found": "bold red reverse",
}  # fmt: skip

LEGEND = N_(
    "· floor  : hallway  × leads to a dead end  □ begins there  + door  E entrance  S start  C chest  M monster token  "
    "T trap, or its letter  ! in front: a finding"
)


@click.group(cls=CommandGroup)
def place() -> None:
    """Check the placement of traps in a dungeon that is drawn as text."""


@place.command()
@click.argument("dungeon", metavar="DUNGEON")
@click.option(
    "--players", type=click.IntRange(1, 20), metavar="N", help="The number of players, if the map does not give it."
)
@click.option("--traps", "agreed", type=click.IntRange(0), metavar="N", help="Traps per player, as agreed (P-4).")
@click.option("--rounding", type=click.Choice(["floor", "ceil"]), help="How an incomplete fifty of squares counts.")
@settings_named("A table's trapdial.toml: its dials, players and switches, and its last game's start marks.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Also draw it: .svg or .png.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with everything.")
@click.pass_context
def check(
    context: click.Context, dungeon: str, players: int | None, agreed: int | None, rounding: Rounding | None,
    settings_file: Path | None, output: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Check DUNGEON (a file, or sample:SAMPLE-cellar) against each rule of placement, and draw the plan.

    Exit code 0 if nothing was found, 1 if something was, 2 if a file cannot be used.
    """
    from pi_app.plans.placement.files import load
    from pi_app.plans.placement.verdict import verdict
    from pi_app.text.language import words

    if output is not None:
        _check_output(output, dungeon)
    settings = _settings(settings_file)
    read = completed(load(dungeon), dungeon, players, agreed, rounding, settings)
    speak = words(settings.table.language if settings is not None else "en")
    found = verdict(read, None if settings is None else _dials(settings), speak)
    if output is not None:
        _draw(output, read, found, _title(dungeon), speak)
    if as_json:
        echo_json(_as_json(dungeon, read, found))
    else:
        _print(dungeon, read, found, speak)
    context.exit(exit_codes.FINE if found.kept else exit_codes.FOUND)


def _check_output(output: Path, dungeon: str) -> None:
    if output.suffix not in (".svg", ".png"):
        raise click.UsageError(f"--output draws .svg and .png; what is {str(output)!r}?")
    if output.exists() and Path(dungeon).exists() and output.samefile(dungeon):
        raise click.UsageError(f"--output would overwrite {output}; name another file.")


def _settings(file: Path | None) -> Settings | None:
    if file is None:
        return None
    from pi_app.settings import load as settings

    return settings.load(file)


def completed(
    dungeon: Dungeon, file: str, players: int | None, agreed: int | None, rounding: Rounding | None,
    settings: Settings | None,
) -> Dungeon:  # fmt: skip
    """Complete the dungeon: the command line comes before the map, and the settings after it."""
    from dataclasses import replace

    from pi_app.plans.placement.reading import numbered
    from pi_app.text.errors import UserFileError

    if players is not None and dungeon.players and len(dungeon.players) != players:
        seen = f"names {len(dungeon.players)} players, and --players says {players}"
        raise UserFileError.at(file, "players", seen, "Correct one of the two")
    if not dungeon.players:
        seats = 0 if settings is None else len(settings.seats)
        dungeon = replace(dungeon, players=numbered(seats if players is None else players))
    switch: Rounding = "floor" if settings is None else settings.ruleset.placement_rounding
    return replace(
        dungeon,
        agreed=dungeon.agreed if agreed is None else agreed,
        rounding=rounding or dungeon.rounding or switch,
    )


def _dials(settings: Settings) -> Dials:
    from pi_app.plans.placement.verdict import Dials

    journal = settings.beside(settings.table.journal)
    if not journal.exists():
        return Dials(tuple(settings.squares))
    from pi_app.audit.files import audit_file
    from pi_app.journal import JournalFileError

    found = audit_file(journal)
    if found.state == "damaged":
        advice = "Check with `trapdial journal verify`, or leave --settings out"
        raise JournalFileError.of(journal, "file", "is damaged", advice)
    games = found.games
    off = {each.square for each in games[-1].findings if "T-AUD-1" in each.rule_ids and each.square}
    return Dials(tuple(settings.squares), tuple(sorted(off)))


def _title(source: str) -> str:
    return source.partition(":")[2] if source.startswith("sample:") else Path(source).name


def _draw(output: Path, dungeon: Dungeon, found: PlacementVerdict, title: str, speak: Words) -> None:
    from pi_app.cli.whole_file import write_whole, write_whole_bytes
    from pi_app.plans.placement.picture import picture

    drawn = picture(dungeon, found, title, speak)
    if output.suffix == ".png":
        from pi_app.plans.pictures.png import png

        write_whole_bytes(output, png(drawn))
    else:
        from pi_app.plans.pictures.svg import svg

        write_whole(output, svg(drawn))


# ---------------------------------------------------------------------------------------------------- the verdict


def _as_json(source: str, dungeon: Dungeon, found: PlacementVerdict) -> str:
    import json

    ways = found.hallways
    return json.dumps(
        {
            "file": source,
            "squares": len(dungeon.floor),
            "players": list(dungeon.players),
            "rounding": dungeon.rounding,
            "traps_each": found.each,
            "traps_in_all": found.total,
            "hallways": "drawn" if ways.hallways_drawn else "computed",
            "dead_ends": "drawn" if ways.dead_ends_drawn else "computed",
            "dead_end_hallways": [
                {"squares": _places(dungeon, end.squares), "begins": _places(dungeon, end.mouth)}
                for end in ways.dead_ends
            ],
            "rules": [{"rule": rule.rule, "verdict": rule.sign.value, "words": rule.words} for rule in found.rules],
            "findings": [_finding_json(finding, dungeon) for finding in found.findings],
            **_artifacts_json(dungeon),
        },
        ensure_ascii=False,
        indent=1,
    )


def _artifacts_json(dungeon: Dungeon) -> dict[str, object]:
    """What lies on the map, what it costs to enter, and the sections; nothing for a map without them."""
    from pi_app.plans.placement.artifact_rules import speed_points
    from pi_app.plans.placement.things import ARTIFACT_NAMES, COLUMNS, is_furnished, on_squares, pieces

    if not is_furnished(dungeon):
        return {}
    sections: dict[str, set[Spot]] = {}
    for spot, letter in sorted((dungeon.sections or {}).items(), key=lambda item: item[1]):
        sections.setdefault(letter, set()).add(spot)
    return {
        "artifacts": [
            {
                "kind": ARTIFACT_NAMES[piece.kind], "letter": piece.kind.value, "whole": piece.whole,
                "squares": _places(dungeon, piece.squares),
            }
            for piece in pieces(dungeon)
        ],
        "speed_points": {str(cost): _places(dungeon, spots) for cost, spots in speed_points(dungeon).items()},
        "closed": _places(dungeon, on_squares(dungeon, *COLUMNS)),
        "sections": {letter: _places(dungeon, spots) for letter, spots in sections.items()},
    }  # fmt: skip


def _places(dungeon: Dungeon, spots: Iterable[Spot]) -> list[tuple[int, int]]:
    return [dungeon.sheet.place(spot) for spot in sorted(spots)]


def _finding_json(finding: PlacementFinding, dungeon: Dungeon) -> dict[str, object]:
    line, column = (None, None) if finding.spot is None else dungeon.sheet.place(finding.spot)
    return {
        "rule": finding.rule,
        "part": finding.part,
        "line": line,
        "column": column,
        "other": None if finding.other is None else dungeon.sheet.place(finding.other),
        "seen": finding.seen,
        "advice": finding.advice,
    }


def _print(source: str, dungeon: Dungeon, found: PlacementVerdict, speak: Words) -> None:
    console = printing.console(highlight=False)
    _print_plan(console, dungeon, found, speak)
    _print_rules(console, found, speak)
    if found.findings:
        _print_findings(console, dungeon, found, speak)
    nothing, count = N_("Nothing was found."), N_("Findings: {count}.")
    words = speak(nothing if found.kept else count).format(count=len(found.findings))
    console.print(shown(f"{source}: {words} {_how(dungeon, found, speak)}"), markup=False)


def _how(dungeon: Dungeon, found: PlacementVerdict, speak: Words) -> str:
    ways = found.hallways
    hallways = N_("Hallways: as drawn.") if ways.hallways_drawn else N_("Hallways: computed, at most {width} wide.")
    ends = N_("Dead ends: as drawn.") if ways.dead_ends_drawn else N_("Dead ends: computed.")
    return f"{speak(hallways).format(width=dungeon.hallway_width)} {speak(ends)}"


def _print_plan(console: Console, dungeon: Dungeon, found: PlacementVerdict, speak: Words) -> None:
    from rich.text import Text

    from pi_app.plans.placement.plain import plan
    from pi_app.plans.placement.things import ARTIFACT_NAMES

    spots = [finding.spot for finding in found.findings if finding.spot is not None]
    rows = plan(dungeon, found.hallways, spots)
    wide = 2 * len(rows[0])
    if wide > console.width:
        told = N_("The plan is {wide} characters wide, and there is room for {room}. Draw it: -o plan.svg")
        console.print(speak(told).format(wide=wide, room=console.width), markup=False)
        return
    for row in rows:
        console.print(Text.assemble(*((cell.text, STYLES[cell.look]) for cell in row)), no_wrap=True)
    console.print(speak(LEGEND), style="bright_black", markup=False)
    names = (f"{kind.value} {speak(name)}" for kind, name in ARTIFACT_NAMES.items() if dungeon.of(kind))
    unbroken = "  ".join(name.replace(" ", "\N{NO-BREAK SPACE}") for name in names)
    for line in textwrap.wrap(unbroken, console.width):
        console.print(line.replace("\N{NO-BREAK SPACE}", " "), style="bright_black", markup=False)


def _print_rules(console: Console, found: PlacementVerdict, speak: Words) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from pi_app.plans.placement.findings import RuleStatus
    from pi_app.plans.placement.picture import SIGNS

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column(speak(N_("rule")), no_wrap=True)
    table.add_column(speak(N_("verdict")), ratio=1)
    colours = {RuleStatus.KEPT: "green", RuleStatus.BROKEN: "bold red", RuleStatus.OPEN: "yellow"}
    for rule in found.rules:
        table.add_row(Text(SIGNS[rule.sign], colours[rule.sign]), Text(rule.rule), Text(rule.words))
    console.print(table)


def _print_findings(console: Console, dungeon: Dungeon, found: PlacementVerdict, speak: Words) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=speak(N_("Findings")), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for head in ("", speak(N_("rule")), speak(N_("which")), speak(N_("line:column"))):
        table.add_column(head, no_wrap=True)
    table.add_column(speak(N_("what was seen, and what to do")), ratio=1)
    for number, finding in enumerate(found.findings, 1):
        table.add_row(*_cells(number, finding, dungeon))
    console.print(table)


def _cells(number: int, finding: PlacementFinding, dungeon: Dungeon) -> list[Text]:
    from rich.text import Text

    from pi_app.plans.placement.picture import where

    seen = f"{finding.seen[:1].upper()}{finding.seen[1:]}. {finding.advice}"
    return [
        Text(shown(cell))
        for cell in (str(number), finding.rule, finding.part, where(finding, dungeon).strip(" ()"), seen)
    ]


# ---------------------------------------------------------------------------------------------------- new


@place.command()
@click.argument("file", type=click.Path(path_type=Path))
def new(file: Path) -> None:
    """Write an empty map with its legend to FILE. An existing file is never overwritten."""
    from pi_app.plans.placement.files import EMPTY
    from pi_app.text.user_file import read_text, write_new

    write_new(file, read_text(EMPTY))
    echo(f"Written to {file}. Draw in it, then: trapdial place check {file}")
