"""`trapdial station sheet`: the sheet that hangs beside a station, a page for each language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.options import check_languages, overwrite_option, settings_option
from pi_app.cli.printing import echo
from pi_app.cli.whole_file import check_are_new, make_folder_of, write_whole, write_whole_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_app.plans.pictures.marks import Picture
    from pi_app.settings.model import Settings
    from pi_app.station.staff.sheet import SheetFacts
    from pi_app.text.errors import UserFileError

FOLDER: Final = Path("station_sheet")
ADDED: Final = """\
[station]
languages = ["{language}"]
pin = ""  # 6 to 12 digits of your own open the staff page; without them there is none
"""


@click.command()
@settings_option
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="LANGUAGE",
    help="Print this language; several times for several. Without it: the languages of [station].",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE.pdf",
    default=FOLDER,
    show_default=True,
    help="A folder for SVG pages, two for each language, or one PDF with all of them.",
)
@click.option("--with-pin", is_flag=True, help="Print the PIN of the staff page too. Keep that sheet from visitors.")
@overwrite_option
def sheet(settings_file: Path, languages: tuple[str, ...], output: Path, with_pin: bool, overwrite: bool) -> None:
    """Print the sheet for the staff, to hang beside the station.

    It says what the station is, how phones join, what the lamps say, and what to do when it is out of order, step by
    step. Its second page lists every trouble in the words of the staff page.
    """
    from pi_app.settings import load as reader

    check_languages(languages)
    settings = reader.load(settings_file)
    if settings.station is None:
        raise _no_station(settings)
    facts = _facts(settings, settings.station.pin, with_pin=with_pin)
    chosen = languages or settings.station.languages
    files = _files(output, tuple(dict.fromkeys(chosen)), facts)
    if not overwrite:
        check_are_new(files)
    _write(files)
    echo(f"{output}: the station's sheet. Print it at 100 %, both sides, and hang it where the staff sees it.")
    if facts.pages is not None and facts.address:
        echo(f"Its codes open {_url(facts)}. Print it again if that address changes.")
    if facts.pages is not None and not facts.address:
        echo("note: this machine has no address that phones can reach, so the sheet has no code for it.", err=True)


def _no_station(settings: Settings) -> UserFileError:
    """Return what to add to the settings of a table without [station], whose sheet would contradict itself."""
    from pi_app.text.errors import UserFileError, problem

    seen = "has no [station], so there is no station to print a sheet for"
    lines = ADDED.format(language=settings.table.language).splitlines()
    return UserFileError(
        [problem(settings.where, "", seen, "Add these lines at its end, then print again"), "", *lines]
    )


def _facts(settings: Settings, pin: str, *, with_pin: bool) -> SheetFacts:
    """Raises UserFileError if the PIN is asked for and there is none."""
    from pi_app.pages.address import own_address
    from pi_app.station.staff.sheet import SheetFacts
    from pi_app.text.errors import UserFileError

    if with_pin and not pin:
        seen = "has no pin, so there is no staff page"
        advice = 'Write pin = "..." there, 6 to 12 digits, or leave --with-pin out'
        raise UserFileError.at(settings.where, "[station]", seen, advice)
    address = own_address(settings.pages) if settings.pages else ""
    return SheetFacts(pages=settings.pages, address=address, pin=pin if with_pin else "", has_staff_page=bool(pin))


def _url(facts: SheetFacts) -> str:
    from pi_app.pages.address import shown_url

    return shown_url(facts.address, facts.pages.port if facts.pages else 80)


def _files(output: Path, languages: tuple[str, ...], facts: SheetFacts) -> Mapping[Path, list[Picture]]:
    from pi_app.station.staff.sheet import sheets

    if output.suffix == ".pdf":
        return {output: [page for language in languages for page in sheets(language, facts)]}
    return {
        output / f"station_sheet_{language}_{number}.svg": [page]
        for language in languages
        for number, page in enumerate(sheets(language, facts), 1)
    }


def _write(files: Mapping[Path, list[Picture]]) -> None:
    """Raises UserFileError if the disk refuses, or the library for PDF is missing."""
    for path, pages in files.items():
        make_folder_of(path)
        if path.suffix == ".pdf":
            from pi_app.plans.pictures.pdf import pdf

            write_whole_bytes(path, pdf(pages))
        else:
            from pi_app.plans.pictures.svg import svg

            write_whole(path, svg(pages[0]))
