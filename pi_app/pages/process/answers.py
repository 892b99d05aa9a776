"""What every answer carries, the answers of one line, and those to captive-portal probes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

CSP_OF_LINES: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

SAFE: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""In every answer, beside a Content-Security-Policy."""

TEXT: Final = "text/plain; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"
EVENTS: Final = "text/event-stream"
BYTES: Final = "application/octet-stream"

LINES: Final[Mapping[int, str]] = {
    400: "This is not a request that this page sends. Load the page again.",
    404: "There is no page here. Scan the code of your seat.",
    405: "This address takes no such request. Scan the code of your seat.",
    408: "This request took too long. Load the page again.",
    413: "This request is too long. Load the page again.",
    421: "This table's page has another address.",
    429: "Too many requests from here. Wait a minute, then load the page again.",
    431: "The headers of this request are too long. Load the page again.",
    500: "The page had an error. Load it again.",
    503: "The table does not answer now. Wait a moment, then load the page again.",
}
"""What each refusal says, for a person who sees it in a browser."""


def headers(csp: str = CSP_OF_LINES, *, closing: bool = False) -> dict[str, str]:
    return {**SAFE, "Content-Security-Policy": csp, **({"Connection": "close"} if closing else {})}


def line(status: int, words: str | None = None, *, closing: bool = False) -> Response:
    """A refusal: one line that says what to try."""
    text = LINES[status] if words is None else words
    more = {"Retry-After": "60"} if status == 429 else {}
    return Response(text + "\n", status, {**headers(closing=closing), **more}, TEXT)


def elsewhere(address: str) -> Response:
    """The answer to a request for another host."""
    shown = address if "://" in address else f"http://{address}/"
    return line(421, f"{LINES[421]} Open {shown} or scan the code of your seat.", closing=True)


def raw(status: int, phrase: str) -> bytes:
    """A refusal with its headers, for a connection that has no request to answer."""
    body = (LINES[status] + "\n").encode()
    head = [f"HTTP/1.1 {status} {phrase}", f"Content-Type: {TEXT}", f"Content-Length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in headers(closing=True).items()]
    return "\r\n".join([*head, "", ""]).encode("ascii") + body


def framed(csp: str, *, demo: bool) -> str:
    """The page's policy, with who may show it in a frame: the demo's page of all seats, or no page."""
    kept = [part.strip() for part in csp.split(";") if part.strip() and not part.strip().startswith("frame-ancestors")]
    return "; ".join([*kept, f"frame-ancestors {chr(39)}{'self' if demo else 'none'}{chr(39)}"])


# ------------------------------------------------------------------------------------------- captive portals

_APPLE: Final = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
_FIREFOX: Final = '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'

PROBES: Final[Mapping[str, tuple[int, str, str]]] = {
    "/generate_204": (204, "", TEXT),  # Android, ChromeOS
    "/gen_204": (204, "", TEXT),
    "/generate204": (204, "", TEXT),
    "/hotspot-detect.html": (200, _APPLE, "text/html"),
    "/library/test/success.html": (200, _APPLE, "text/html"),
    "/connecttest.txt": (200, "Microsoft Connect Test", "text/plain"),
    "/ncsi.txt": (200, "Microsoft NCSI", "text/plain"),
    "/success.txt": (200, "success\n", "text/plain"),  # Firefox
    "/canonical.html": (200, _FIREFOX, "text/html"),
    "/check_network_status.txt": (200, "NetworkManager is online\n", "text/plain"),
    "/nm-check.txt": (200, "NetworkManager is online\n", "text/plain"),
}
"""What phones and computers ask to find out whether a network leads to the internet, and the answer that tells them so:
then they open no sheet of their own, which would lose the seat when it closes."""

APPLES_HOST: Final = "captive.apple.com"
"""Apple's devices also ask for its first page."""


def probe(path: str, host: str) -> Response | None:
    """The answer that a probe expects, on any host; None if this is no probe."""
    found = PROBES.get(path) or (PROBES["/hotspot-detect.html"] if host == APPLES_HOST and path == "/" else None)
    if found is None:
        return None
    status, body, kind = found
    return Response(body or None, status, headers(), kind if body else None)
