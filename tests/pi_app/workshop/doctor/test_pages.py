"""The doctor's lines for phones: each says what was seen and what to do."""

from __future__ import annotations

import errno
import http.server
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hardware.host import Host
from pi_app.journal.record.key_ring import KeyRing
from pi_app.pages import card_codes
from pi_app.pages.address import Interface
from pi_app.pages.card_codes import CardCodes
from pi_app.pages.messages import Confined
from pi_app.settings.model import Settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import own_network
from pi_app.workshop.doctor.own_network import Answer, OwnNetwork
from pi_app.workshop.doctor.pages import PROBES, examine_pages
from tests.pi_app.hosts import SOUND, put
from tests.pi_app.workshop.doctor.looking import PI_4, SMALL, seen

WIFI = Interface("wlan0", "192.168.1.8", wireless=True)
CABLE = Interface("eth0", "192.168.1.7")
AP = Interface("wlan0", "10.77.0.1", wireless=True)
COUNTS: Mapping[str, Any] = {
    "pages": 12,
    "joins": 4,
    "joined": 4,
    "streams": 3,
    "refused": 0,
}
HELD = Confined(("no capabilities", "no files, programs or new sockets (seccomp)"), ("its own user",))
UDP = "  sl  local_address rem_address\n  1: 01004D0A:0043 00000000:0000 07\n"
CONFINED = (
    "ok  page process (its confinement): no capabilities, no files, programs or new sockets (seccomp); not: its own "
    "user"
)


def network(
    *interfaces: Interface, counts: Mapping[str, Any] | None = None, opening: int = 0, name: str | None = "10.77.0.1"
) -> OwnNetwork:
    """A network with these interfaces; with `counts`, the page process answers on it."""

    def get(address: str, port: int, path: str, host: str) -> Answer | None:
        assert address in {each.address for each in interfaces}
        if counts is None:
            return None
        for probed, its_path, status, words in PROBES:
            if (host, path) == (probed, its_path):
                return Answer(status, words)
        assert path == "/status.json"
        return Answer(200, msgspec.json.encode(counts)) if host.startswith(address) else Answer(421, b"")

    return OwnNetwork(
        lambda: list(interfaces), get, lambda server, asked: name, lambda address, port: opening, lambda: HELD
    )


def nmcli(running: str = "running", active: str = "", known: str = "") -> Callable[[Sequence[str]], str]:
    def ask(words: Sequence[str]) -> str:
        return running if "general" in words else active if "--active" in words else known

    return ask


RUNS = nmcli()


def told(folder: Path, section: PagesSettings | None, net: OwnNetwork, ask: Any = RUNS) -> list[str]:
    settings: Settings = replace(SMALL, where=str(folder / "trapdial.toml"), pages=section)
    return [str(check) for check in examine_pages(settings, Host(root=folder, ask=ask, **SOUND), net)]


# ------------------------------------------------------------------------------------------------ address and port


def test_without_pages_there_is_no_line(tmp_path: Path) -> None:
    assert told(tmp_path, None, network(WIFI)) == []


def test_of_a_simulated_table_all_but_the_radio_is_looked_at(tmp_path: Path) -> None:
    """Also with the own access point's address: its lines are for the Pi."""

    def refuse(words: Sequence[str]) -> str:
        raise AssertionError(words)

    own = network(AP, counts={**COUNTS, "pages": 3, "joins": 2, "joined": 2})
    settings = replace(SMALL, where=str(tmp_path / "trapdial.toml"), pages=PagesSettings(address=AP.address))
    host = Host(root=tmp_path, ask=refuse, **SOUND)
    assert [str(check) for check in examine_pages(settings, host, own, simulated=True)] == [
        "ok  pages (http://10.77.0.1): phones open this address, on wlan0",
        "ok  port 80 (pages): is served: the page was asked for 3 times; 2 of 2 scans got through; 3 open now",
        CONFINED,
        "??  access point (DHCP, DNS, captive probes): cannot be simulated; the lines above are of this machine, which "
        "serves the pages of `play --simulated`. Run `trapdial doctor` on the Pi.",
    ]


def test_before_a_game_the_port_is_free(tmp_path: Path) -> None:
    assert told(tmp_path, PagesSettings(), network(WIFI)) == [
        "ok  pages (http://192.168.1.8): phones open this address, on wlan0",
        "ok  port 80 (pages): is free; `trapdial play` opens it",
        CONFINED,
    ]


def test_several_addresses_are_named(tmp_path: Path) -> None:
    assert told(tmp_path, PagesSettings(port=8080), network(WIFI, CABLE))[0] == (
        "??  pages (http://192.168.1.8:8080): phones are sent to wlan0, and this machine also has 192.168.1.7 (eth0). "
        'Name the one that phones can reach in the settings: [pages] address = "192.168.1.8"'
    )
    assert told(tmp_path, PagesSettings(address="192.168.1.7"), network(WIFI, CABLE))[0] == (
        "ok  pages (http://192.168.1.7): phones open this address, on eth0"
    )


@pytest.mark.parametrize(
    ("section", "interfaces", "line"),
    [
        (
            PagesSettings(),
            (Interface("lo", "127.0.0.1", virtual=True),),
            "!!  pages (network): this machine has no address that phones can reach. Join the Wi-Fi of this place "
            "(sudo nmtui), or make an own one: trapdial pages network",
        ),
        (
            PagesSettings(address="192.168.1.20"),
            (WIFI,),
            '!!  pages ([pages] address = "192.168.1.20"): is not an address of this machine, which has 192.168.1.8 '
            "(wlan0). Name one of these, or leave it out.",
        ),
        (
            PagesSettings(address="192.168.1.20"),
            (),
            '!!  pages ([pages] address = "192.168.1.20"): is not an address of this machine, which has none that '
            "phones can reach. Join the Wi-Fi of this place: sudo nmtui",
        ),
    ],
)
def test_an_address_that_no_phone_reaches_fails(
    tmp_path: Path, section: PagesSettings, interfaces: tuple[Interface, ...], line: str
) -> None:
    assert told(tmp_path, section, network(*interfaces)) == [line, CONFINED]


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (
            errno.EACCES,
            "!!  port 80 (pages): this user may not open it. `sudo sysctl net.ipv4.ip_unprivileged_port_start=80` "
            "allows it until the next start; a service needs AmbientCapabilities=CAP_NET_BIND_SERVICE. Or write port = "
            "8080 into [pages].",
        ),
        (
            errno.EADDRINUSE,
            "!!  port 80 (pages): is in use, and no page of this table answers there. `sudo ss -ltnp 'sport = :80'` "
            "names the program. If it is trapdial, try again in a minute; else stop it, or write port = 8080 "
            "into [pages].",
        ),
        (errno.EIO, "!!  port 80 (pages): cannot be opened (errno 5). Write port = 8080 into [pages]."),
    ],
)
def test_a_port_that_cannot_be_opened_has_its_cure(tmp_path: Path, number: int, line: str) -> None:
    assert told(tmp_path, PagesSettings(), network(WIFI, opening=number))[1] == line


# ------------------------------------------------------------------------------------------------- the page process


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {},
            "ok  port 80 (pages): is served: the page was asked for 12 times; 4 of 4 scans got through; 3 open now",
        ),
        (
            {"pages": 0, "joins": 0, "joined": 0},
            "??  port 80 (pages): is served, and no phone has asked for the page yet. If a phone tried: is it on the "
            "same Wi-Fi, without mobile data and VPN? Guest networks may keep devices apart.",
        ),
        (
            {"pages": 1, "joins": 3, "joined": 1, "refused": 7},
            "??  port 80 (pages): is served: the page was asked for once; 1 of 3 scans got through; 3 open now; 7 "
            "requests came too fast and were refused. A code is used up by one phone. Scan the one that the seat's "
            "screen shows now, or the newest card.",
        ),
    ],
)
def test_what_the_page_process_counts(tmp_path: Path, change: Mapping[str, int], line: str) -> None:
    assert told(tmp_path, PagesSettings(), network(WIFI, counts={**COUNTS, **change}))[1:] == [line, CONFINED]


def test_a_page_process_that_is_not_kept_from_files_is_noted(tmp_path: Path) -> None:
    found = Confined(("no capabilities",), ("its own user",))
    lines = told(tmp_path, PagesSettings(), replace(network(WIFI), confinement=lambda: found))
    assert lines[2] == (
        "??  page process (its confinement): no capabilities; not: its own user. A person who breaks into it could "
        "read this user's files. Use a kernel with seccomp, as Raspberry Pi OS has."
    )
    lines = told(tmp_path, PagesSettings(), replace(network(WIFI), confinement=lambda: None))
    assert lines[2] == (
        "!!  page process (its confinement): could not be tried. Install Trapdial again; then report this line."
    )


# -------------------------------------------------------------------------------------------------------- the cards


def keep_cards(folder: Path, host: str, *seats: str) -> Path:
    ring = KeyRing(folder / "journal.db.keys")
    card_codes.keep(ring, CardCodes(host, {seat: bytes([number] * 16) for number, seat in enumerate(seats)}))
    return ring.folder / "card.codes"


def test_cards_for_another_address_are_noted(tmp_path: Path) -> None:
    place = keep_cards(tmp_path, "192.168.1.20", "ANN", "BEN")
    assert told(tmp_path, PagesSettings(), network(WIFI))[3] == (
        f"??  cards ({place}): were printed for 192.168.1.20, and phones now open 192.168.1.8. Print them again: "
        "trapdial pages cards --overwrite. Or give this machine the address 192.168.1.20 again."
    )
    keep_cards(tmp_path, "192.168.1.8", "ANN", "BEN")
    assert told(tmp_path, PagesSettings(), network(WIFI))[3] == f"ok  cards ({place}): are valid for ANN, BEN"


def test_a_seat_without_screen_and_card_cannot_join(tmp_path: Path) -> None:
    blind = msgspec.structs.replace(SMALL.seats["ANN"], screen=None)
    settings = replace(
        SMALL, where=str(tmp_path / "trapdial.toml"), pages=PagesSettings(), seats={"ANN": blind, "BEN": blind}
    )
    lines = [str(each) for each in examine_pages(settings, Host(root=tmp_path, **SOUND), network(WIFI))]
    assert lines[3] == (
        "??  cards (seat ANN): has no screen and no card, so no phone can join it. Print one: trapdial pages cards"
    )


def test_damaged_codes_fail(tmp_path: Path) -> None:
    place = keep_cards(tmp_path, "192.168.1.8", "ANN")
    place.write_text("192.168.1.8\nANN short\n")
    assert told(tmp_path, PagesSettings(), network(WIFI))[3] == (
        f"!!  cards ({place}): {place} line 2: a code has 26 letters and digits, and this has 5. Make new ones, and "
        "print the cards again: trapdial pages cards --new."
    )


# --------------------------------------------------------------------------------------------- the own access point

OWN = PagesSettings(address="10.77.0.1")


def test_an_own_access_point_that_works(tmp_path: Path) -> None:
    put(tmp_path, "proc/net/udp", UDP)
    lines = told(tmp_path, OWN, network(AP, counts=COUNTS), nmcli(active="trapdial:wlan0\n"))
    assert lines[3:] == [
        "ok  access point (trapdial): is up on wlan0",
        "ok  DHCP (10.77.0.1): a server waits for phones",
        "ok  DNS (10.77.0.1): every name leads to the table",
        "ok  captive probes (port 80): are answered, so phones open no sheet of their own",
    ]


START = "sudo nmcli connection reload && sudo nmcli connection up trapdial"
AGAIN = "sudo nmcli connection down trapdial; sudo nmcli connection up trapdial"


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (
            nmcli(running=""),
            "!!  access point (trapdial): NetworkManager does not answer. sudo apt install network-manager, then: sudo "
            "systemctl start NetworkManager",
        ),
        (
            nmcli(known="Inn\ntrapdial\n", active="Inn:wlan0\n"),
            f"!!  access point (trapdial): is not up. {START}. If that fails: journalctl -u NetworkManager -n 30",
        ),
        (
            nmcli(known="Inn\n"),
            "!!  access point (trapdial): has no profile. sudo $(command -v trapdial) pages network --install, then: "
            + START,
        ),
    ],
)
def test_an_access_point_that_is_not_up(tmp_path: Path, ask: Any, line: str) -> None:
    assert told(tmp_path, OWN, network(WIFI), ask) == [
        '!!  pages ([pages] address = "10.77.0.1"): is not an address of this machine, which has 192.168.1.8 (wlan0). '
        f"Start the access point: {START}",
        CONFINED,
        line,
    ]


def test_no_dhcp_no_dns_and_no_game(tmp_path: Path) -> None:
    lines = told(tmp_path, OWN, network(AP, name=None), nmcli(active="trapdial:wlan0\n"))
    assert lines[4:] == [
        "!!  DHCP (10.77.0.1): no server waits, so phones get no address. sudo apt install dnsmasq-base, then: "
        + AGAIN,
        f"!!  DNS (10.77.0.1): does not answer. sudo $(command -v trapdial) pages network --install, then: {AGAIN}",
        "??  captive probes (port 80): was not checked, because no game serves the pages now",
    ]


@pytest.mark.parametrize(("name", "seen"), [("", "names lead nowhere"), ("9.9.9.9", "names lead to 9.9.9.9")])
def test_names_that_lead_elsewhere(tmp_path: Path, name: str, seen: str) -> None:
    lines = told(tmp_path, OWN, network(AP, name=name))
    assert f"!!  DNS (10.77.0.1): {seen}. sudo $(command -v trapdial) pages network --install, then: {AGAIN}" in lines


def test_probes_that_get_another_answer(tmp_path: Path) -> None:
    asking = network(AP, counts=COUNTS)

    def get(address: str, port: int, path: str, host: str) -> Answer | None:
        return Answer(302, b"") if "apple" in host else asking.get(address, port, path, host)

    lines = told(tmp_path, OWN, replace(asking, get=get))
    assert lines[-1] == (
        "!!  captive probes (port 80): captive.apple.com/hotspot-detect.html gets another answer (302). Phones may "
        "open a sheet or leave: report this line."
    )
    lines = told(tmp_path, replace_port(OWN, 8080), asking)
    assert lines[-1] == (
        "??  captive probes (port 8080): phones ask on port 80, and find no internet there. They may leave the Wi-Fi: "
        "write port = 80 into [pages]."
    )


def replace_port(section: PagesSettings, port: int) -> PagesSettings:
    return msgspec.structs.replace(section, port=port)


def test_a_switched_off_radio_and_suspect_boards(tmp_path: Path) -> None:
    put(tmp_path, "sys/class/rfkill/rfkill0/type", "wlan\n")
    put(tmp_path, "sys/class/rfkill/rfkill0/soft", "1\n")
    put(tmp_path, "sys/class/rfkill/rfkill1/type", "bluetooth\n")
    put(tmp_path, "sys/class/rfkill/rfkill1/soft", "1\n")
    put(tmp_path, "proc/device-tree/model", PI_4.replace(b"4 Model B", b"Zero 2 W"))
    lines = told(tmp_path, OWN, network(AP), nmcli(active="trapdial:wlan0\n"))
    assert lines[3] == (
        "!!  Wi-Fi (rfkill0): is switched off. Set its country: sudo raspi-config nonint do_wifi_country DE. Then: "
        "sudo rfkill unblock wifi"
    )
    assert lines[5] == (
        "??  access point (Raspberry Pi Zero 2 W Rev 1.4): on some of these boards phones join and get nothing "
        "(RPi-Distro/firmware-nonfree#59). Try it with a phone first, or use a USB Wi-Fi stick."
    )


# --------------------------------------------------------------------------------------------- asked on real sockets


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"{self.headers['Host']} {self.path}".encode()
        self.send_response(200 if self.path == "/here" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[int]:
    with http.server.HTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_a_page_is_asked_for_under_its_name() -> None:
    with serving() as port:
        assert own_network.get("127.0.0.1", port, "/here", "captive.apple.com") == Answer(
            200, b"captive.apple.com /here"
        )
        assert own_network.get("127.0.0.1", port, "/", "x") == Answer(404, b"x /")
        assert own_network.opening("127.0.0.1", port) == errno.EADDRINUSE
    assert own_network.get("127.0.0.1", port, "/here", "x") is None
    assert own_network.opening("127.0.0.1", port) == 0


@contextmanager
def naming(answer: Callable[[bytes], bytes]) -> Iterator[int]:
    """A DNS server that answers one question."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def once() -> None:
            asked, sender = server.recvfrom(600)
            server.sendto(answer(asked), sender)

        thread = threading.Thread(target=once)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def named(asked: bytes, address: str, answers: int = 1) -> bytes:
    """What dnsmasq 2.90 answers to a question for an IPv4 address, byte for byte."""
    record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(address)
    return asked[:2] + struct.pack(">5H", 0x8580, 1, answers, 0, 0) + asked[12:] + record * answers


def test_a_name_is_asked_for() -> None:
    with naming(lambda asked: named(asked, "10.77.0.1")) as port:
        assert own_network.address_of_name("127.0.0.1", "a.example", port) == "10.77.0.1"
    with naming(lambda asked: named(asked, "10.77.0.1", answers=0)) as port:
        assert own_network.address_of_name("127.0.0.1", "a.example", port) == ""
    with naming(lambda asked: b"\0" * 30) as port:
        assert own_network.address_of_name("127.0.0.1", "a.example", port) == ""
    assert own_network.address_of_name("127.0.0.1", "a.example", port) is None


class _RealTable(SimulatedTable):
    simulated = False


def test_the_doctor_of_real_parts_and_that_of_twins_have_the_lines(tmp_path: Path) -> None:
    settings = replace(SMALL, pages=PagesSettings(address="203.0.113.9"))
    for kind in (_RealTable, SimulatedTable):
        lines = [str(each) for each in seen(settings, tmp_path, kind(settings))]
        (found,) = [each for each in lines if "  pages (" in each]
        assert found.startswith(
            '!!  pages ([pages] address = "203.0.113.9"): is not an address of this machine, which '
        )
        assert any("cannot be simulated" in each for each in lines) == (kind is SimulatedTable)
