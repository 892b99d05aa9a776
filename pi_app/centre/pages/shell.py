"""What every page of a centre has around it: head, style, script, who reads, and the policy that allows no other code.

Whatever a table, a shop or an address is called goes through `safe`. Style and script are files beside this one; the
Content-Security-Policy names their hashes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Final

from pi_app.centre.roles import PUBLIC, ReaderRights
from pi_app.centre.service.centre import CentreAnswer
from pi_app.text.printed import shown

HTML: Final = "text/html; charset=utf-8"
HERE: Final = Path(__file__).parent

HEADERS: Final = (
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)
BARE_POLICY: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The policy of an answer that is no page."""

_ICON: Final = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 28 28'%3E%3Cpath fill='%23d9a441' "
    "d='M14 0l14 14-14 14L0 14zm0 8l-6 6 6 6 6-6z'/%3E%3C/svg%3E"
)


@dataclass(frozen=True, slots=True)
class CentrePage:
    """A page before it is sent. `body`: the HTML of `<main>`; `fresh`: a name, if the script
    loads it again while it is open."""

    title: str
    body: str
    status: HTTPStatus = HTTPStatus.OK
    fresh: str = ""


def safe(text: str) -> str:
    """Return text as HTML that shows it: no markup, no invisible or turned letters."""
    return escape(shown(text))


@cache
def style() -> str:
    """The style sheet of all pages."""
    return (HERE / "centre.css").read_text(encoding="utf-8")


@cache
def script() -> str:
    """The script: it filters, refreshes and reads a token from a link. Every page can be read without it."""
    return (HERE / "centre.js").read_text(encoding="utf-8")


def policy(*styles: str, scripts: tuple[str, ...] = ()) -> str:
    """Return a Content-Security-Policy under which these styles and scripts run, and nothing else is loaded."""
    script_src = f" script-src {' '.join(map(_hash, scripts))}; connect-src 'self';" if scripts else ""
    return (
        f"default-src 'none';{script_src} style-src {' '.join(map(_hash, styles))}; img-src data:; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )


def document(page: CentrePage, centre: str, rights: ReaderRights = PUBLIC) -> str:
    """Return the whole HTML of a page of the centre with this name."""
    fresh = f' data-page="{page.fresh}"' if page.fresh else ""
    return (
        '<!DOCTYPE html>\n<html lang="en" translate="no">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="robots" content="noindex">\n'
        f'<title>{safe(page.title)} · {safe(centre)}</title>\n<link rel="icon" href="{_ICON}">\n'
        f"<style>{style()}</style>\n</head>\n<body{fresh}>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header><p class="brand"><a href="/">Trapdial centre</a> <span>{safe(centre)}</span></p>{_who(rights)}'
        f'</header>\n<main id="main" tabindex="-1">\n{page.body}\n</main>\n'
        f'<p id="lost" role="status"></p>\n<script>{script()}</script>\n</body>\n</html>\n'
    )


def answer(page: CentrePage, centre: str, rights: ReaderRights = PUBLIC, *, packed: bool = False) -> CentreAnswer:
    """Return the answer with a page, compressed if the browser takes that."""
    return html_answer(document(page, centre, rights), policy(style(), scripts=(script(),)), page.status, packed=packed)


def html_answer(html: str, csp: str, status: HTTPStatus = HTTPStatus.OK, *, packed: bool = False) -> CentreAnswer:
    """Return an answer with this HTML and policy."""
    body = html.encode("utf-8", "replace")
    more: tuple[tuple[str, str], ...] = (("vary", "accept-encoding, cookie, authorization"),)
    if packed:
        body, more = gzip.compress(body, 5, mtime=0), (("content-encoding", "gzip"), *more)
    return CentreAnswer(status, body, HTML, (("content-security-policy", csp), *HEADERS, *more))


def _who(rights: ReaderRights) -> str:
    if not rights.name:
        return '<nav><a class="button" href="/enter">Enter</a></nav>'
    role = f"shop {rights.shop}" if rights.role == "shop" else rights.role
    return (
        f'<nav><span>{safe(rights.name)}, {safe(role)}</span><form method="post" action="/leave">'
        "<button>Leave</button></form></nav>"
    )


@cache
def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
