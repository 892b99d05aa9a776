"""`trapdial pages`: the cards that phones join with, and an access point of the table's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import overwrite_option, settings_option
from pi_app.cli.printing import echo, echo_lines
from pi_app.cli.whole_file import check_are_new, make_folder_of, write_whole

if TYPE_CHECKING:
    from pi_app.settings.model import Settings
    from pi_app.settings.pages_section import PagesSettings

FOLDER: Final = Path("phone_cards")


@click.group(cls=CommandGroup)
def pages() -> None:
    """Phones as private screens: print the cards that they join with, or set up an access point.

    [pages] in the settings switches the pages on: `trapdial docs phones`.
    """


@pages.command()
@settings_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE.svg",
    default=FOLDER,
    show_default=True,
    help="A folder for the sheet and each seat's own card, or a file for the sheet alone.",
)
@click.option("--new", "renew", is_flag=True, help="Make new codes: all older cards are void from the next game on.")
@overwrite_option
def cards(settings_file: Path, output: Path, renew: bool, overwrite: bool) -> None:
    """Print the phones' cards, one for each seat.

    Each is in its player's language, and has a QR code for the Wi-Fi and one for the seat's page. A card stays valid
    from game to game. Its code is a secret: a person who scans it can take over the seat, which all players are told.
    The codes are kept with the journal's keys. Refused while a game is on.
    """
    from pi_app.journal.key_place import prepare_keys
    from pi_app.pages import card_codes
    from pi_app.pages.address import host_of
    from pi_app.settings import load as reader

    settings = reader.load(settings_file)
    _refuse_in_play(settings_file)
    section = _section(settings)
    address = _address(section, settings.where)
    named = _named(settings, output)
    if not overwrite:
        check_are_new(named)
    ring = prepare_keys(settings.beside(settings.table.journal), settings.keys_place, unlock=False)
    before = card_codes.NO_CARDS if renew else card_codes.printed(ring)
    codes = card_codes.renewed(settings.seats, before.codes)
    card_codes.keep(ring, card_codes.CardCodes(host_of(address, section.port), codes))  # first: no card is ever void
    _write(settings, address, codes, named)
    names = ", ".join(seat.name for seat in settings.seats.values())
    echo(f"{output}: the phones' cards of {names}. Print them at 100 %, and give each to its player alone.")
    echo(f"They open {_spoken(address, section)}. Print them again if that address changes.")
    if renew:
        echo("The codes are new: older cards are void from the next game on.")
    for line in _doubts(section):
        echo(line, err=True)


def _section(settings: Settings) -> PagesSettings:
    from pi_app.text.errors import UserFileError

    if settings.pages is None:
        advice = "Write a line [pages] into it: phones then get pages, on port 80"
        raise UserFileError.at(settings.where, "[pages]", "is missing, so there are no pages for phones", advice)
    return settings.pages


def _address(section: PagesSettings, where: str) -> str:
    from pi_app.pages.address import own_address
    from pi_app.text.errors import UserFileError

    address = own_address(section)
    if not address:
        seen = "names no address, and this machine has none that phones can reach"
        advice = 'Join a network first, or name the address that the table will have: address = "192.168.1.20"'
        raise UserFileError.at(where, "[pages]", seen, advice)
    return address


def _spoken(address: str, section: PagesSettings) -> str:
    from pi_app.pages.address import own_interfaces, reachable, shown_url

    url = shown_url(address, section.port)
    others = [each.address for each in reachable(own_interfaces()) if each.address != address]
    if section.address or not others:
        return url
    return f"{url} (this machine also has {', '.join(others)}: name one in [pages] address)"


def _refuse_in_play(settings_file: Path) -> None:
    """Raises UserFileError while a game is on: a card lets its holder take over a seat."""
    from pi_app.play.opened import journals_of, open_game
    from pi_app.text.errors import UserFileError, problem

    running = {path: game for path in journals_of([settings_file]) if (game := open_game(path)) is not None}
    if running:
        because = "a card would let its holder take over another player's seat"
        advice = "End the game first; until then a seat's own screen shows a code: type phone and the seat at the table"
        raise UserFileError(
            problem(str(path), "", f"game {game} in it has not ended, and {because}", advice)
            for path, game in running.items()
        )


def _named(settings: Settings, output: Path) -> Mapping[Path, str | None]:
    """The files to write, with the seat of each; None for a sheet. Raises UserFileError."""
    from pi_app.plans.wiring.cards import PER_PAGE
    from pi_app.text.errors import UserFileError

    sheets = -(-len(settings.seats) // PER_PAGE)
    if output.suffix == ".svg" and not output.is_dir():
        if sheets > 1:
            seen = f"is one file, and the cards of {len(settings.seats)} seats need {sheets} sheets"
            raise UserFileError.at(str(output), "", seen, "Name a folder with -o")
        return {output: None}
    own: dict[Path, str | None] = {output / f"phone_cards_{number}.svg": None for number in range(1, sheets + 1)}
    return own | {output / f"phone_card_{key}.svg": key for key in settings.seats}


def _write(settings: Settings, address: str, codes: Mapping[str, bytes], named: Mapping[Path, str | None]) -> None:
    from pi_app.plans.wiring import phone_cards

    sheets = iter(phone_cards.sheets(settings, address, codes))
    for path, seat in named.items():
        make_folder_of(path)
        if seat is None:
            write_whole(path, next(sheets))
        else:
            write_whole(path, phone_cards.card(settings, settings.seats[seat], address, codes[seat]))


def _doubts(section: PagesSettings) -> list[str]:
    """What may keep a phone from joining this Wi-Fi, in sentences."""
    from pi_app.pages.address import looks_like_hex

    found = [
        f"note: the Wi-Fi's {what} could be read as hexadecimal digits, and some phones then fail to join. Change it."
        for what, text in (("name", section.network), ("passphrase", section.passphrase))
        if looks_like_hex(text)
    ]
    if not section.network:
        found.append("note: [pages] names no network, so the cards only say: the same Wi-Fi as the table.")
    return found


@pages.command()
@settings_option
@click.option("--install", is_flag=True, help="Write the two files for NetworkManager; needs root.")
@click.option("--remove", is_flag=True, help="Delete them.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/"),
    metavar="DIR",
    help="With --install or --remove: the root of another system, such as an image.",
)
@overwrite_option
def network(settings_file: Path, install: bool, remove: bool, root: Path, overwrite: bool) -> None:
    """Make an access point of the table's own.

    For places without a Wi-Fi: this prints two files for NetworkManager, or writes them with --install. Its name and
    passphrase are those in [pages]; if they are missing, this suggests some. Phones reach the table at 10.77.0.1, and
    nothing else: Android then prefers mobile data. `trapdial docs phones` says what is known to fail on which Pi.
    """
    from pi_app.pages.address import OWN_NETWORK
    from pi_app.settings import load as reader
    from pi_app.workshop import access_point as ap

    if install and remove:
        raise click.UsageError("--install and --remove exclude each other.")
    if overwrite and not install:
        raise click.UsageError("--overwrite needs --install.")
    if remove:
        gone = ap.remove(root)
        for path in gone:
            echo(f"{path}: deleted.")
        echo(f"Type: {ap.FORGET}" if gone else f"{root / ap.PROFILE}: there is none.")
        return
    settings = reader.load(settings_file)
    section = _section(settings)
    if not section.network:
        _suggest(settings.where, section, install=install)
        return
    files = ap.files(section)
    if not install:
        for path, text in files.items():
            echo_lines((f"# /{path}", *text.splitlines(), ""))
        return
    for path in ap.install(files, root, overwrite=overwrite):
        echo(f"{path}: written.")
    echo(f"Type: {ap.START}")
    if section.address != OWN_NETWORK:
        echo(
            f'note: write address = "{OWN_NETWORK}" into [pages] of {settings.where}: the cards then name it.', err=True
        )


def _suggest(where: str, section: PagesSettings, *, install: bool) -> None:
    """Print the lines for [pages] that an access point needs. Raises UserFileError if it was to be installed."""
    from pi_app.text.errors import UserFileError
    from pi_app.workshop import access_point as ap

    lines = ap.suggested(section)
    if install:
        seen = "names no network, so the access point would have no name"
        advice = "Type `trapdial pages network` for lines to write there"
        raise UserFileError.at(where, "[pages]", seen, advice)
    echo(f"Write these lines into {where}, then type this command again:")
    echo("")
    for line in lines:
        echo(line)
