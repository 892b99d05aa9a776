"""The table's own access point: its files, as NetworkManager's and dnsmasq's own programs read them."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.pages.address import looks_like_hex
from pi_app.settings.load import example_path
from pi_app.settings.pages_section import PagesSettings
from pi_app.workshop import access_point as ap

DNSMASQ = shutil.which("dnsmasq", path="/usr/sbin:/usr/bin:/sbin")
needs_nmcli = pytest.mark.skipif(
    shutil.which("nmcli") is None, reason="nmcli is not installed: apt install network-manager"
)
needs_dnsmasq = pytest.mark.skipif(DNSMASQ is None, reason="dnsmasq is not installed: apt install dnsmasq-base")

SECTION = PagesSettings(address="10.77.0.1", network="Trapdial", passphrase="hjkmnpqrstuv2345")
PROFILE = """\
[connection]
id=trapdial
uuid=7b1a2d9e-6c0f-5b7e-9a51-1077001e7a1d
type=wifi
autoconnect=false

[wifi]
mode=ap
band=bg
ssid=Trapdial
ap-isolation=1

[wifi-security]
key-mgmt=wpa-psk
proto=rsn;
pairwise=ccmp;
group=ccmp;
pmf=1
psk=hjkmnpqrstuv2345

[ipv4]
method=shared
address1=10.77.0.1/24

[ipv6]
method=disabled
"""


def table(folder: Path, pages: str) -> Path:
    path = folder / "trapdial.toml"
    path.write_text(example_path("2x2").read_text(encoding="utf-8") + pages, encoding="utf-8")
    return path


def section_of(network: str, passphrase: str = "") -> str:
    return f"\n[pages]\naddress = '10.77.0.1'\nnetwork = '{network}'\npassphrase = '{passphrase}'\n"


def root_of(folder: Path) -> Path:
    for path in (ap.PROFILE, ap.DNS):
        (folder / "root" / path).parent.mkdir(parents=True)
    return folder / "root"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["pages", "network", *map(str, words)], prog_name="trapdial")


def test_the_profile_is_wpa2_isolated_and_shared() -> None:
    assert ap.profile(SECTION) == PROFILE


def test_without_a_passphrase_it_is_open() -> None:
    assert "[wifi-security]" not in ap.profile(PagesSettings(network="Trapdial"))


# ---------------------------------------------------------------------------------- read by the programs themselves


def keyfile(text: str) -> dict[str, str]:
    """Every line of a keyfile, as `section.key`."""
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line[1:-1]
        elif "=" in line:
            key, _, value = line.partition("=")
            found[f"{section}.{key}"] = value
    return found


@needs_nmcli
@pytest.mark.parametrize(
    ("network", "passphrase"),
    [
        ("Trapdial", "hjkmnpqrstuv2345"),
        ("Trapdial", ""),
        ("Zum Bären; =\\", "a\\b;c=d#e f"),
        ("#x", " two spaces "),
        (" x ", '"quoted"!'),
        ("1;2;", "12345678"),
    ],
)
def test_networkmanager_reads_the_profile_as_it_was_meant(network: str, passphrase: str) -> None:
    made = keyfile(ap.profile(PagesSettings(network=network, passphrase=passphrase)))
    asked = ["nmcli", "--offline", "connection", "modify", "connection.autoconnect", "no"]
    done = subprocess.run(
        asked, input=ap.profile(PagesSettings(network=network, passphrase=passphrase)), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    read = keyfile(done.stdout)
    assert read.keys() == made.keys()
    assert as_bytes(read.pop("wifi.ssid")) == network.encode()
    assert made.pop("wifi.ssid")
    assert unescaped(read.pop("wifi-security.psk", "")) == passphrase
    made.pop("wifi-security.psk", None)
    assert read == made


def as_bytes(ssid: str) -> bytes:
    """A name in a keyfile, in either of the two ways that NetworkManager writes."""
    if re.fullmatch(r"(\d+;)+", ssid):
        return bytes(map(int, ssid.split(";")[:-1]))
    return unescaped(ssid.replace("\\\\;", ";")).encode()


def unescaped(value: str) -> str:
    return value.replace("\\s", " ").replace("\\\\", "\\")


@needs_nmcli
def test_networkmanager_refuses_a_profile_with_a_bad_line() -> None:
    """So the test above would see one."""
    broken = PROFILE.replace("mode=ap", "mode=sheep")
    asked = ["nmcli", "--offline", "connection", "modify", "connection.autoconnect", "no"]
    assert subprocess.run(asked, input=broken, capture_output=True, text=True).returncode != 0


@needs_dnsmasq
def test_dnsmasq_takes_its_line_and_refuses_a_broken_one(tmp_path: Path) -> None:
    conf = tmp_path / "trapdial.conf"
    for text, code in ((ap.DNS_TEXT, 0), (ap.DNS_TEXT.replace("10.77.0.1", "10.77.0.1.9"), 1)):
        conf.write_text(text)
        done = subprocess.run([str(DNSMASQ), "--test", "-C", str(conf)], capture_output=True, text=True)
        assert done.returncode == code, done.stderr


# --------------------------------------------------------------------------------------------------- the command


def test_it_is_printed_and_nothing_is_written(tmp_path: Path) -> None:
    done = run("-s", table(tmp_path, section_of("Trapdial", "hjkmnpqrstuv2345")))
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        f"# /etc/NetworkManager/system-connections/trapdial.nmconnection\n{PROFILE}\n"
        f"# /etc/NetworkManager/dnsmasq-shared.d/trapdial.conf\n{ap.DNS_TEXT}\n"
    )


def test_it_is_installed_for_root_alone_and_removed(tmp_path: Path) -> None:
    settings, root = table(tmp_path, section_of("Trapdial", "hjkmnpqrstuv2345")), root_of(tmp_path)
    done = run("-s", settings, "--install", "--root", root)
    profile, dns = root / ap.PROFILE, root / ap.DNS
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        f"{profile}: written.\n{dns}: written.\n"
        "Type: sudo nmcli connection reload && sudo nmcli connection up trapdial\n"
    )
    assert (profile.read_text(), dns.read_text()) == (PROFILE, ap.DNS_TEXT)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (profile, dns)] == [0o600, 0o644]
    done = run("--remove", "--root", root)
    assert done.stdout == (
        f"{profile}: deleted.\n{dns}: deleted.\n"
        "Type: sudo nmcli connection down trapdial; sudo nmcli connection reload\n"
    )
    assert not profile.exists()
    assert run("--remove", "--root", root).stdout == f"{profile}: there is none.\n"


def test_a_file_that_was_changed_is_replaced_only_with_the_flag(tmp_path: Path) -> None:
    settings, root = table(tmp_path, section_of("Trapdial")), root_of(tmp_path)
    (root / ap.DNS).write_text("address=/#/10.0.0.1\n")
    done = run("-s", settings, "--install", "--root", root)
    assert (done.exit_code, done.stdout) == (2, "")
    assert (
        done.stderr == f"{root / ap.DNS}: it is already there, with another content. Say --overwrite to replace it.\n"
    )
    assert not (root / ap.PROFILE).exists()
    assert run("-s", settings, "--install", "--root", root, "--overwrite").exit_code == 0
    assert (root / ap.DNS).read_text() == ap.DNS_TEXT
    assert run("-s", settings, "--install", "--root", root).exit_code == 0, "the same content is no other"


def test_without_networkmanager_it_says_so(tmp_path: Path) -> None:
    done = run("-s", table(tmp_path, section_of("Trapdial")), "--install", "--root", tmp_path)
    assert done.exit_code == 2
    assert done.stderr == (
        f"{tmp_path / ap.PROFILE}: its folder is missing: NetworkManager is not installed there. "
        "On a Pi: sudo apt install network-manager.\n"
    )


def test_without_root_it_says_sudo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(ap, "replace_file", forbidden)
    root = root_of(tmp_path)
    done = run("-s", table(tmp_path, section_of("Trapdial")), "--install", "--root", root)
    assert done.stderr == (
        f"{root / ap.PROFILE}: it cannot be written (Permission denied). Type: sudo $(command -v trapdial) and the "
        "rest.\n"
    )


def test_without_a_network_it_suggests_lines_and_installs_nothing(tmp_path: Path) -> None:
    settings, root = table(tmp_path, "\n[pages]\nport = 8080\n"), root_of(tmp_path)
    done = run("-s", settings)
    lines = done.stdout.splitlines()
    assert lines[:-1] == [
        f"Write these lines into {settings}, then type this command again:",
        "",
        "[pages]",
        "port = 8080",
        'address = "10.77.0.1"',
        'network = "Trapdial"',
    ]
    assert re.fullmatch(r'passphrase = "[g-z]{12}[2-9]{4}"', lines[-1])
    done = run("-s", settings, "--install", "--root", root)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        f"{settings} [pages]: names no network, so the access point would have no name. Type `trapdial pages network` "
        "for lines to write there.\n"
    )


def test_another_address_in_the_settings_is_noted(tmp_path: Path) -> None:
    settings = table(tmp_path, section_of("Trapdial").replace("10.77.0.1", "192.168.1.20"))
    done = run("-s", settings, "--install", "--root", root_of(tmp_path))
    assert done.stderr == (f'note: write address = "10.77.0.1" into [pages] of {settings}: the cards then name it.\n')


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (section_of("ä" * 17), "network: has 34 bytes; a Wi-Fi's name has at most 32. Use a shorter name, or fewer "
         "letters with accents"),
        (section_of("T", "straße-77"), "passphrase: has letters that a Wi-Fi does not take; use English letters and "
         "digits"),
    ],
)  # fmt: skip
def test_what_no_wifi_can_have_is_refused(section: str, said: str, tmp_path: Path) -> None:
    settings = table(tmp_path, section)
    done = run("-s", settings)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"{settings} [pages] {said}\n"


@pytest.mark.parametrize("words", [("--install", "--remove"), ("--overwrite",)])
def test_options_that_contradict_each_other(words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 2


def test_a_passphrase_is_easy_to_type_and_never_hex() -> None:
    made = {ap.new_passphrase() for _ in range(200)}
    assert len(made) == 200
    assert not any(looks_like_hex(each) or re.search("[a-fol01]", each) for each in made)
