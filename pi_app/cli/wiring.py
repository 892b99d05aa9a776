"""`trapdial wiring`: everything for building a table, drawn from its settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import old_settings_argument, settings_option
from pi_app.cli.printing import echo
from pi_app.cli.progress import shown_progress
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.settings.model import Settings


@click.command()
@old_settings_argument
@settings_option
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Write everything into this folder."
)
@click.option(
    "--printed", "with_parts", is_flag=True, help="With -o: also the parts to 3D-print, for the clicks of these dials."
)
@click.option("--check", "only_check", is_flag=True, help="Check the plan, before power-on.")
@click.option("--json", "as_json", is_flag=True, help="With --check: one JSON object per line instead of sentences.")
@click.pass_context
def wiring(
    context: click.Context,
    settings_file: Path,
    output: Path | None,
    with_parts: bool,
    only_check: bool,
    as_json: bool,
) -> None:
    """Draw and list the wiring of a table: drawing, pins, buses, parts, cables, labels, cards, guide.

    --printed adds the parts of its squares for a 3D printer, as STL, 3MF and OpenSCAD source. Without the extra `parts`
    it adds the source alone, with exit code 1; `trapdial extras install parts` installs what the shapes need.

    DIR is created, or replaced if this command created it and no file in it was changed. With --check nothing is
    written: each check prints one line with its value, its limit and the source of the limit. Exit code 1 if something
    must not be built as planned; it is printed and listed at the top of the guide. Exit code 2 if the table cannot be
    wired as the settings describe; then nothing is written.
    """
    from pi_app.settings import load as reader

    if as_json and not only_check:
        raise click.UsageError("--json needs --check.")
    if with_parts and output is None:
        raise click.UsageError("--printed needs -o DIR.")
    if output is None and not only_check:
        raise click.UsageError("name a folder to write, with -o DIR, or use --check.")
    settings = reader.load(settings_file)
    fails = _checked(settings, everything=only_check, as_json=as_json)
    if output is not None:
        from pi_app.plans.wiring.folder import files, printed, write

        with shown_progress() as progress:
            parts = printed(settings, progress) if with_parts else {}
            made = files(settings, settings_file.name, parts, progress)
            progress(f"writing {output}")
            write(output, made)
        echo(f"{len(made)} files in {output}. Start with {output / 'guide.md'}.", err=as_json)
    lacks = with_parts and _lacks_shapes()
    if fails or lacks:
        context.exit(exit_codes.FOUND)


SOURCE_ALONE: Final = (
    "printed parts: only their OpenSCAD source was written, for the geometry library is not installed ({missing}). For "
    "STL and 3MF type `trapdial extras install parts`, and then this command again."
)


def _lacks_shapes() -> bool:
    """Print what to type if the printed parts could not be made; return whether that is so."""
    from pi_app.plans.printed.folder import missing_libraries

    missing = missing_libraries()
    if missing:
        echo(SOURCE_ALONE.format(missing=", ".join(missing)), err=True)
    return bool(missing)


def _checked(settings: Settings, *, everything: bool, as_json: bool) -> bool:
    """Print every check, or only those that fail; return whether one does."""
    from hardware.host import Host
    from pi_app.plans.config_txt import spi_is_on
    from pi_app.plans.wiring.checks import checks, failed, failing, json_lines, table
    from pi_app.plans.wiring.nets import wired

    found = checks(wired(settings), settings, spi=spi_is_on(Host()))
    for line in json_lines(found) if as_json else table(found) if everything else failing(found):
        echo(line, err=not everything)
    return failed(found)
