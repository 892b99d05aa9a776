"""Checks what brings a phone to its seat's page: the address, the port, the cards, the confinement of the page process,
and the table's own access point with its DHCP, its DNS and the answers to captive-portal probes."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hardware.host import Host
from pi_app.journal import keys_of
from pi_app.journal.record.key_ring import CARD_CODES, KeyRing
from pi_app.pages.address import OWN_NETWORK, Interface, host_of, reachable, shown_url
from pi_app.pages.card_codes import printed
from pi_app.pages.messages import Confined
from pi_app.plans.check import Check, Sign, not_tried
from pi_app.settings.model import Settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.errors import UserFileError
from pi_app.workshop import access_point as ap
from pi_app.workshop.doctor.own_network import OwnNetwork

OTHER_PORT: Final = 8080
PROBES: Final = (
    ("connectivitycheck.gstatic.com", "/generate_204", 204, b""),
    ("captive.apple.com", "/hotspot-detect.html", 200, b"Success"),
    ("www.msftconnecttest.com", "/connecttest.txt", 200, b"Microsoft Connect Test"),
)
"""What Android, iOS and Windows ask, and a part of the answer that tells them to stay."""

NO_SUCH_NAME: Final = "trapdial-doctor.example"
_DHCP: Final = ":0043"
"""Port 67 in /proc/net/udp."""

NO_RADIO: Final = (
    "cannot be simulated; the lines above are of this machine, which serves the pages of `play --simulated`"
)
ON_THE_PI: Final = "Run `trapdial doctor` on the Pi."

_ESCAPES: Final = ("Landlock", "seccomp")
"""Each of these alone keeps the page process away from files."""


def examine_pages(
    settings: Settings, host: Host, network: OwnNetwork | None = None, *, simulated: bool = False
) -> Iterator[Check]:
    """Yield a Check for each step between a phone and its page. Without [pages] there is none. `simulated`: the table
    is; then `trapdial play --simulated` serves its pages on this machine, and an access point is not looked for."""
    section, asking = settings.pages, network or OwnNetwork()
    if section is None:
        return
    interfaces = reachable(asking.interfaces())
    found = next((each for each in interfaces if section.address in ("", each.address)), None)
    yield _address(section, interfaces, found)
    served: Mapping[str, Any] | None = None
    if found is not None:
        served = _status(asking, found.address, section.port)
        yield from _port(asking, found.address, section.port, served)
    yield _confinement(asking.confinement())
    yield from _cards(settings, None if found is None else host_of(found.address, section.port))
    if simulated:
        yield Check(Sign.UNSURE, "access point", "DHCP, DNS, captive probes", NO_RADIO, ON_THE_PI)
    elif section.address == OWN_NETWORK or OWN_NETWORK in {each.address for each in interfaces}:
        yield from _access_point(host)
        if found is not None:
            yield from _around(host, asking, section, served=served is not None)


# -------------------------------------------------------------------------------------------------- address and port


def _address(section: PagesSettings, interfaces: Sequence[Interface], found: Interface | None) -> Check:
    if found is None and section.address:
        place = f'[pages] address = "{section.address}"'
        if not interfaces:
            seen = "is not an address of this machine, which has none that phones can reach"
        else:
            seen = f"is not an address of this machine, which has {_listed(interfaces)}"
        other = "Name one of these, or leave it out." if interfaces else "Join the Wi-Fi of this place: sudo nmtui"
        advice = f"Start the access point: {ap.START}" if section.address == OWN_NETWORK else other
        return Check(Sign.FAILS, "pages", place, seen, advice)
    if found is None:
        seen = "this machine has no address that phones can reach"
        advice = "Join the Wi-Fi of this place (sudo nmtui), or make an own one: trapdial pages network"
        return Check(Sign.FAILS, "pages", "network", seen, advice)
    place = shown_url(found.address, section.port)
    others = [each for each in interfaces if each != found]
    if others and not section.address:
        seen = f"phones are sent to {found.name}, and this machine also has {_listed(others)}"
        advice = f'Name the one that phones can reach in the settings: [pages] address = "{found.address}"'
        return Check(Sign.UNSURE, "pages", place, seen, advice)
    return Check(Sign.GOOD, "pages", place, f"phones open this address, on {found.name}")


def _listed(interfaces: Sequence[Interface]) -> str:
    return ", ".join(f"{each.address} ({each.name})" for each in interfaces)


def _status(asking: OwnNetwork, address: str, port: int) -> Mapping[str, Any] | None:
    """What the page process counts; None if none answers there."""
    answer = asking.get(address, port, "/status.json", host_of(address, port))
    if answer is None or answer.status != 200:
        return None
    try:
        told = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:
        return None
    return told if isinstance(told, dict) and "joins" in told else None


def _port(asking: OwnNetwork, address: str, port: int, served: Mapping[str, Any] | None) -> Iterator[Check]:
    part, place = f"port {port}", "pages"
    if served is not None:
        yield _counts(part, place, served)
        return
    other = OTHER_PORT if port != OTHER_PORT else OTHER_PORT + 10
    match asking.opening(address, port):
        case 0:
            yield Check(Sign.GOOD, part, place, "is free; `trapdial play` opens it")
        case errno.EACCES | errno.EPERM:
            advice = (
                f"`sudo sysctl net.ipv4.ip_unprivileged_port_start={port}` allows it until the next start; a service "
                f"needs AmbientCapabilities=CAP_NET_BIND_SERVICE. Or write port = {other} into [pages]."
            )
            yield Check(Sign.FAILS, part, place, "this user may not open it", advice)
        case errno.EADDRINUSE:
            advice = (
                f"`sudo ss -ltnp 'sport = :{port}'` names the program. If it is trapdial, try again in a minute; "
                f"else stop it, or write port = {other} into [pages]."
            )
            yield Check(Sign.FAILS, part, place, "is in use, and no page of this table answers there", advice)
        case number:
            advice = f"Write port = {other} into [pages]."
            yield Check(Sign.FAILS, part, place, f"cannot be opened (errno {number})", advice)


def _counts(part: str, place: str, served: Mapping[str, Any]) -> Check:
    pages, joins, joined, streams, refused = (
        _number(served, name) for name in ("pages", "joins", "joined", "streams", "refused")
    )
    if not pages:
        advice = (
            "If a phone tried: is it on the same Wi-Fi, without mobile data and VPN? Guest networks may keep devices "
            "apart."
        )
        return Check(Sign.UNSURE, part, place, "is served, and no phone has asked for the page yet", advice)
    fast = f"; {refused} requests came too fast and were refused" if refused else ""
    asked = (
        f"is served: the page was asked for {_times(pages)}; {joined} of {joins} scans got through; {streams} open now"
    )
    if joined < joins:
        advice = "A code is used up by one phone. Scan the one that the seat's screen shows now, or the newest card."
        return Check(Sign.UNSURE, part, place, f"{asked}{fast}", advice)
    return Check(Sign.GOOD, part, place, f"{asked}{fast}")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _number(told: Mapping[str, Any], name: str) -> int:
    number = told.get(name, 0)
    return number if isinstance(number, int) else 0


def _confinement(found: Confined | None) -> Check:
    part, place = "page process", "its confinement"
    if found is None:
        return Check(Sign.FAILS, part, place, "could not be tried", "Install Trapdial again; then report this line.")
    without = f"; not: {', '.join(found.lacks)}" if found.lacks else ""
    seen = f"{', '.join(found.holds) or 'nothing'}{without}"
    if any(word in each for each in found.holds for word in _ESCAPES):
        return Check(Sign.GOOD, part, place, seen)
    advice = (
        "A person who breaks into it could read this user's files. Use a kernel with seccomp, as Raspberry Pi OS has."
    )
    return Check(Sign.UNSURE, part, place, seen, advice)


# -------------------------------------------------------------------------------------------------------- the cards


def _cards(settings: Settings, now: str | None) -> Iterator[Check]:
    ring = _ring(settings)
    part, place = "cards", str(ring.folder / CARD_CODES)
    try:
        cards = printed(ring)
    except UserFileError as error:
        yield Check(Sign.FAILS, part, place, str(error))
        return
    blind = [seat for seat in settings.seats.values() if seat.screen is None and seat.key not in cards.codes]
    for seat in blind:
        seen = "has no screen and no card, so no phone can join it"
        yield Check(Sign.UNSURE, part, f"seat {seat.key}", seen, "Print one: trapdial pages cards")
    if cards.codes and now is not None and cards.host != now:
        seen = f"were printed for {cards.host}, and phones now open {now}"
        advice = (
            f"Print them again: trapdial pages cards --overwrite. Or give this machine the address {cards.host} again."
        )
        yield Check(Sign.UNSURE, part, place, seen, advice)
    elif cards.codes:
        yield Check(Sign.GOOD, part, place, f"are valid for {', '.join(cards.codes)}")


def _ring(settings: Settings) -> KeyRing:
    journal = settings.beside(settings.table.journal)
    ring = keys_of(journal)
    return KeyRing(ring.folder)


# --------------------------------------------------------------------------------------------- the own access point


def _access_point(host: Host) -> Iterator[Check]:
    part, place = "access point", ap.NAME
    yield from _blocked(host)
    if "running" not in host.ask(["nmcli", "-t", "-f", "RUNNING", "general"]):
        advice = "sudo apt install network-manager, then: sudo systemctl start NetworkManager"
        yield Check(Sign.FAILS, part, place, "NetworkManager does not answer", advice)
        return
    active = _rows(host.ask(["nmcli", "-t", "-f", "NAME,DEVICE", "connection", "show", "--active"]))
    known = _rows(host.ask(["nmcli", "-t", "-f", "NAME", "connection", "show"]))
    if ap.NAME in active:
        yield Check(Sign.GOOD, part, place, f"is up on {active[ap.NAME]}")
    elif ap.NAME in known:
        advice = f"{ap.START}. If that fails: journalctl -u NetworkManager -n 30"
        yield Check(Sign.FAILS, part, place, "is not up", advice)
    else:
        yield Check(Sign.FAILS, part, place, "has no profile", f"{ap.INSTALL}, then: {ap.START}")
    for board, seen in _SUSPECTS.items():
        if board in host.model():
            yield Check(Sign.UNSURE, part, host.model(), seen, "Try it with a phone first, or use a USB Wi-Fi stick.")


_SUSPECTS: Final = {
    "Zero 2 W": "on some of these boards phones join and get nothing (RPi-Distro/firmware-nonfree#59)",
    "Zero W": "with Raspberry Pi OS Trixie, access points with a passphrase failed on it (raspberrypi/linux#7247)",
}


def _rows(text: str) -> dict[str, str]:
    """The first and the second field of each line that nmcli prints."""
    rows = (line.split(":") for line in text.splitlines() if line)
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def _blocked(host: Host) -> Iterator[Check]:
    for switch in sorted((host.root / "sys/class/rfkill").glob("*")):
        folder = f"sys/class/rfkill/{switch.name}"
        if host.text(f"{folder}/type") == "wlan" and "1" in (host.text(f"{folder}/soft"), host.text(f"{folder}/hard")):
            advice = "Set its country: sudo raspi-config nonint do_wifi_country DE. Then: sudo rfkill unblock wifi"
            yield Check(Sign.FAILS, "Wi-Fi", switch.name, "is switched off", advice)


def _around(host: Host, asking: OwnNetwork, section: PagesSettings, *, served: bool) -> Iterator[Check]:
    """DHCP, DNS and probes on the access point."""
    again = f"{ap.STOP}; sudo nmcli connection up {ap.NAME}"
    bound = [line.split()[1] for line in host.text("proc/net/udp").splitlines()[1:] if len(line.split()) > 1]
    if any(local.endswith(_DHCP) for local in bound):
        yield Check(Sign.GOOD, "DHCP", OWN_NETWORK, "a server waits for phones")
    else:
        seen = "no server waits, so phones get no address"
        yield Check(Sign.FAILS, "DHCP", OWN_NETWORK, seen, f"sudo apt install dnsmasq-base, then: {again}")
    told = asking.address_of_name(OWN_NETWORK, NO_SUCH_NAME)
    if told == OWN_NETWORK:
        yield Check(Sign.GOOD, "DNS", OWN_NETWORK, "every name leads to the table")
    else:
        seen = "does not answer" if told is None else f"names lead to {told}" if told else "names lead nowhere"
        advice = f"{ap.INSTALL}, then: {again}"
        yield Check(Sign.FAILS, "DNS", OWN_NETWORK, seen, advice)
    yield _probes(asking, section.port, served=served)


def _probes(asking: OwnNetwork, port: int, *, served: bool) -> Check:
    part = "captive probes"
    if port != 80:
        seen = "phones ask on port 80, and find no internet there"
        return Check(Sign.UNSURE, part, f"port {port}", seen, "They may leave the Wi-Fi: write port = 80 into [pages].")
    if not served:
        return not_tried(part, "port 80", "no game serves the pages now")
    for name, path, status, words in PROBES:
        answer = asking.get(OWN_NETWORK, port, path, name)
        if answer is None or answer.status != status or words not in answer.body:
            seen = f"{name}{path} gets {'no answer' if answer is None else f'another answer ({answer.status})'}"
            return Check(Sign.FAILS, part, "port 80", seen, "Phones may open a sheet or leave: report this line.")
    return Check(Sign.GOOD, part, "port 80", "are answered, so phones open no sheet of their own")
