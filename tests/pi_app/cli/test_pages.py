"""The phones' cards: what is printed on them and scanned from them, who may read them, and when they are void."""

from __future__ import annotations

import html
import itertools
import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.pages import address, card_codes
from pi_app.pages.address import Interface, page_url
from pi_app.plans.wiring import phone_cards
from pi_app.settings.load import example_path, load
from pi_app.text.languages import LANGUAGES
from tests.pi_app.pages.scanned import printed, scanned

PAGES = """
[pages]
address = "10.77.0.1"
network = "Zum Bären; \\"1:2\\""
passphrase = "hjkmnpqrstuv2345"
"""
WIFI = 'WIFI:T:WPA;S:Zum Bären\\; \\"1\\:2\\";P:hjkmnpqrstuv2345;;'


def table(folder: Path, pages: str = PAGES, size: str = "2x2") -> Path:
    path = folder / "trapdial.toml"
    path.write_text(example_path(size).read_text(encoding="utf-8") + pages, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["pages", "cards", *map(str, words)], prog_name="trapdial")


def codes(folder: Path) -> dict[str, bytes]:
    return dict(card_codes.load(folder / "journal.db.keys"))


def words_of(card: Path) -> list[str]:
    return [html.unescape(text) for text in re.findall(r">([^<>]+)</text>", card.read_text(encoding="utf-8"))]


def test_each_seat_gets_a_card_that_a_phone_scans(folder: Path) -> None:
    table(folder)
    done = run()
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "phone_cards: the phones' cards of Ann, Ben. Print them at 100 %, and give each to its player alone.\n"
        "They open http://10.77.0.1. Print them again if that address changes.\n"
    )
    cards = folder / "phone_cards"
    assert sorted(path.name for path in cards.iterdir()) == [
        "phone_card_ANN.svg",
        "phone_card_BEN.svg",
        "phone_cards_1.svg",
    ]
    ann, ben = (page_url("10.77.0.1", 80, codes(folder)[seat]) for seat in ("ANN", "BEN"))
    assert scanned(printed((cards / "phone_card_ANN.svg").read_text(encoding="utf-8"))) == [WIFI, ann]
    assert scanned(printed((cards / "phone_card_BEN.svg").read_text(encoding="utf-8"))) == [WIFI, ben]
    assert scanned(printed((cards / "phone_cards_1.svg").read_text(encoding="utf-8"))) == [WIFI, WIFI, ann, ben]


def test_the_card_says_what_the_page_cannot(folder: Path) -> None:
    table(folder, PAGES.replace("[pages]", "[pages]\nport = 8080"))
    run()
    text = words_of(folder / "phone_cards" / "phone_card_ANN.svg")
    code = page_url("", 80, codes(folder)["ANN"]).partition("#")[2]
    assert text[:-2] == [
        "Ann",
        "Your seat on your phone",
        "1. Scan this to join the Wi-Fi",
        'Wi-Fi: Zum Bären; "1:2"',
        "Passphrase:",
        "hjkmnpqrstuv2345",
        "2. On the same Wi-Fi, scan this",
        "http://10.77.0.1:8080",
        "No camera? Type this:",
        "http://10.77.0.1:8080/#",
        code[:13],
        code[13:],
        "If the page does not open",
        "•",
        "Is the phone on the same Wi-Fi? Turn off mobile data",
        "and VPN.",
        "•",
        "Type http://10.77.0.1:8080 with http, not https. Does",
        "a page open?",
        "•",
        "Some guest networks keep devices apart: use another",
        "one.",
        "•",
        "Play on: your own screen or lamp shows everything.",
        "Keep this card to yourself: scanning it takes",
        "over your seat.",
    ]
    assert text[-2] == "50 mm"


def test_without_a_network_there_is_one_code_and_a_note(folder: Path) -> None:
    table(folder, '\n[pages]\naddress = "10.77.0.1"\n')
    done = run("-o", "cards.svg")
    assert done.stderr == "note: [pages] names no network, so the cards only say: the same Wi-Fi as the table.\n"
    found = scanned(printed((folder / "cards.svg").read_text(encoding="utf-8")))
    assert found == [page_url("10.77.0.1", 80, code) for code in codes(folder).values()]
    assert "1. Join the same Wi-Fi as the table" in words_of(folder / "cards.svg")


def test_a_passphrase_that_looks_like_hex_is_noted(folder: Path) -> None:
    table(folder, PAGES.replace("hjkmnpqrstuv2345", "deadbeef99"))
    assert run().stderr == (
        "note: the Wi-Fi's passphrase could be read as hexadecimal digits, and some phones then fail to join. "
        "Change it.\n"
    )


def test_only_the_owner_reads_them_and_they_are_not_overwritten(folder: Path) -> None:
    table(folder)
    run()
    cards = folder / "phone_cards"
    assert {stat.S_IMODE(path.stat().st_mode) for path in cards.iterdir()} == {0o600}
    assert stat.S_IMODE(cards.stat().st_mode) == 0o700
    before = {path: path.read_bytes() for path in cards.iterdir()}
    done = run("--new")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "phone_cards/phone_cards_1.svg: it is already there. Give another name, or say --overwrite.\n"
    )
    assert {path: path.read_bytes() for path in cards.iterdir()} == before


def test_the_same_codes_are_printed_again_and_new_ones_with_new(folder: Path) -> None:
    table(folder)
    run()
    first = codes(folder)
    assert run("--overwrite").exit_code == 0
    assert codes(folder) == first
    done = run("--overwrite", "--new")
    assert done.stdout.splitlines()[-1] == "The codes are new: older cards are void from the next game on."
    assert not set(codes(folder).values()) & set(first.values())


def test_a_new_seat_gets_a_code_and_the_others_keep_theirs(folder: Path) -> None:
    table(folder)
    run()
    first = codes(folder)
    seat = '\n[seat.CAL]\nname = "Cal"\nbutton_gpio = 23\nlamp_gpio = 22\n'
    table(folder, PAGES + seat)
    assert run("--overwrite").exit_code == 0
    assert {key: code for key, code in codes(folder).items() if key != "CAL"} == first
    assert len(codes(folder)["CAL"]) == 16


def test_five_seats_need_two_sheets_and_no_single_file(folder: Path) -> None:
    more = "".join(
        f'\n[seat.{key}]\nname = "{key}"\nbutton_gpio = {pin}\nlamp_gpio = {pin + 1}\n'
        for key, pin in (("CAL", 22), ("DEE", 24), ("EVE", 12))
    )
    table(folder, PAGES + more)
    done = run("-o", "cards.svg")
    assert done.stderr == "cards.svg: is one file, and the cards of 5 seats need 2 sheets. Name a folder with -o.\n"
    assert not (folder / "journal.db.keys").exists()
    assert run().exit_code == 0
    assert (folder / "phone_cards" / "phone_cards_2.svg").exists()


def test_the_keys_place_of_the_settings_has_them(folder: Path) -> None:
    stick = folder / "stick"
    stick.mkdir(mode=0o700)
    table(folder, f'\n[record]\nkeys = "{stick}"\n{PAGES}')
    assert run().exit_code == 0
    assert set(card_codes.load(stick / "journal.db.keys")) == {"ANN", "BEN"}
    assert not (folder / "journal.db.keys" / "card.codes").exists()


# ------------------------------------------------------------------------------------------------------- refusals


def test_without_pages_there_are_no_cards(folder: Path) -> None:
    table(folder, "")
    done = run()
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "trapdial.toml [pages]: is missing, so there are no pages for phones. Write a line [pages] into it: phones "
        "then get pages, on port 80.\n"
    )
    assert not (folder / "phone_cards").exists()


def test_without_an_address_there_are_no_cards(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "own_interfaces", list)
    table(folder, "\n[pages]\n")
    assert run().stderr == (
        "trapdial.toml [pages]: names no address, and this machine has none that phones can reach. Join a network "
        'first, or name the address that the table will have: address = "192.168.1.20".\n'
    )


def test_the_address_of_this_machine_is_taken_and_others_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Interface("eth0", "192.168.1.7"), Interface("wlan0", "192.168.1.8", wireless=True)]
    monkeypatch.setattr(address, "own_interfaces", lambda: found)
    table(folder, "\n[pages]\n")
    assert run().stdout.splitlines()[1] == (
        "They open http://192.168.1.8 (this machine also has 192.168.1.7: name one in [pages] address). Print them "
        "again if that address changes."
    )


def test_a_keys_folder_that_others_can_read_is_refused(folder: Path) -> None:
    table(folder)
    (folder / "journal.db.keys").mkdir(mode=0o755)
    (folder / "journal.db.keys").chmod(0o755)
    done = run()
    assert (done.exit_code, done.stdout) == (2, "")
    keys = folder / "journal.db.keys"
    assert done.stderr == f"{keys} can be read by other users (mode 755). Type: chmod 700 {keys}.\n"
    assert not (folder / "phone_cards").exists()


def test_codes_that_were_damaged_are_refused_and_new_ones_help(folder: Path) -> None:
    table(folder)
    run()
    (folder / "journal.db.keys" / "card.codes").write_text("10.77.0.1\nANN nonsense\n")
    done = run("--overwrite")
    assert done.stderr == (
        "journal.db.keys/card.codes line 2: a code has 26 letters and digits, and this has 8. Make new ones, and print "
        "the cards again: trapdial pages cards --new.\n"
    )
    assert run("--overwrite", "--new").exit_code == 0


# ---------------------------------------------------------------------------------------------------- the drawing


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_fits_its_card(language: str, folder: Path) -> None:
    path = table(folder, PAGES.replace("10.77.0.1", "192.168.178.120").replace("[pages]", "[pages]\nport = 65535"))
    path.write_text(re.sub('(?m)^language = "[^"]*"', f'language = "{language}"', path.read_text(encoding="utf-8")))
    run()
    card = (folder / "phone_cards" / "phone_card_ANN.svg").read_text(encoding="utf-8")
    places = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)" font-size="2.[79]"', card)]
    top = (297 - 2 * 130 - 4) / 2
    assert places == sorted(places)
    assert places[-1] <= top + 130 - 1.5
    assert min(later - earlier for earlier, later in itertools.pairwise(places) if later > earlier) >= 3


def test_a_sheet_without_codes_has_nothing_to_scan_and_no_passphrase(folder: Path) -> None:
    (sheet,) = phone_cards.sheets(load(table(folder)), "", {})
    assert scanned(printed(sheet)) == []
    assert "hjkmnpqrstuv2345" not in sheet
    assert sheet.count("trapdial pages cards") == 4


def test_the_wiring_has_the_cards_without_their_secrets_and_names_the_command(folder: Path) -> None:
    """Its folder may lie open on the table."""
    table(folder)
    run()
    done = CliRunner().invoke(main, ["wiring", "-o", "wiring"])
    assert done.exit_code == 0, done.output
    sheet = (folder / "wiring" / "phone_cards_1.svg").read_text(encoding="utf-8")
    assert scanned(printed(sheet)) == []
    assert "http://10.77.0.1" in sheet
    secrets = ["hjkmnpqrstuv2345", *(page_url("", 80, code).partition("#")[2][:13] for code in codes(folder).values())]
    for path in (folder / "wiring").iterdir():
        assert not [each for each in secrets if each in path.read_text(encoding="utf-8")], path
    guide = (folder / "wiring" / "guide.md").read_text(encoding="utf-8")
    assert "from `trapdial pages cards --settings trapdial.toml`" in guide
    assert "[phone_cards_1.svg](phone_cards_1.svg)" in (folder / "wiring" / "README.md").read_text(encoding="utf-8")


def test_without_pages_the_wiring_has_no_cards(folder: Path) -> None:
    table(folder, "")
    assert CliRunner().invoke(main, ["wiring", "-o", "wiring"]).exit_code == 0
    assert not list((folder / "wiring").glob("phone*"))
    assert "pages cards" not in (folder / "wiring" / "guide.md").read_text(encoding="utf-8")
