"""The door of a centre's pages: a token opens it, and a cookie keeps it open for a while.

Programs send the token with each request instead (`Authorization: Bearer TOKEN`). Wrong tokens are slowed down for each
address. A right one always opens: it has 130 random bits, and wrong ones from the same address, or through the same
proxy, shut no reader out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from pi_app.centre.pages.shell import BARE_POLICY, HEADERS, CentrePage
from pi_app.centre.roles import (
    COOKIE_S,
    LONGEST_COOKIE,
    MOST_TYPED,
    WrongTokens,
    cookie_key,
    cookie_of,
    reader_in,
    reader_of,
)
from pi_app.centre.service.app import PageRequest
from pi_app.centre.service.centre import TEXT, CentreAnswer
from pi_app.centre.settings import ReaderSettings
from pi_app.journal.record.keys import DeviceKey

SAFE_COOKIE: Final = "__Host-trapdial-reader"
PLAIN_COOKIE: Final = "trapdial-reader"
"""Without TLS a browser refuses the safe name."""

_OUT: Final = "Max-Age=0"


class DoorClosedError(Exception):
    """The request is refused; `answer` says why."""

    def __init__(self, answer: CentreAnswer) -> None:
        self.answer = answer
        super().__init__(answer.body.decode())


class CentreDoor:
    """Says who reads. `readers`: those of `centre.toml`, as it is now."""

    def __init__(
        self, key: DeviceKey, readers: Callable[[], Sequence[ReaderSettings]], clock: Callable[[], float]
    ) -> None:
        self._key, self._readers, self._clock = cookie_key(key), readers, clock
        self._wrong = WrongTokens()

    def reader(self, asked: PageRequest) -> ReaderSettings | None:
        """Return who sends a request; None for the public. Raises DoorClosedError for a program's wrong token."""
        kind, _, token = asked.headers.get("authorization", "").strip().partition(" ")
        if kind.lower() == "bearer":
            found = self._try(token, asked.address)
            if found is None:
                raise DoorClosedError(needs_token("This token is not known here."))
            return found
        cookie = _cookie(asked)
        return None if cookie is None else reader_in(cookie, self._key, self._readers(), self._clock())

    def enter(self, asked: PageRequest) -> CentreAnswer | CentrePage:
        """Answer a typed token: with a cookie, or with the page to type it again. Raises DoorClosedError."""
        _check_is_own(asked)
        try:
            typed = parse_qs(asked.body.decode("ascii"), max_num_fields=4).get("token", [""])[0]
        except ValueError:
            typed = ""
        found = self._try(typed, asked.address)
        if found is None:
            return enter_page("This token is not known here. Check each letter, or ask who runs this centre.")
        until_s = int(self._clock()) + COOKIE_S
        return _moved("/", _set(asked, cookie_of(found, self._key, until_s), f"Max-Age={COOKIE_S}"))

    def leave(self, asked: PageRequest) -> CentreAnswer:
        """Answer a reader who leaves."""
        _check_is_own(asked)
        return _moved("/", _set(asked, "", _OUT))

    def _try(self, token: str, address: str) -> ReaderSettings | None:
        found = reader_of(token, self._readers())
        if found is not None:
            return found
        now_s = self._clock()
        if wait_s := self._wrong.wait_s(address, now_s):
            raise DoorClosedError(
                _bare(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    f"Too many wrong tokens came from your address. Wait {wait_s} seconds, then try again.",
                    ("retry-after", str(wait_s)),
                )
            )
        self._wrong.count(address, now_s)
        return None


def enter_page(wrong: str = "") -> CentrePage:
    """Return the page that asks for a token."""
    said = f'<p class="bad" role="alert">{wrong}</p>' if wrong else ""
    body = (
        '<div class="door"><h1>Who reads?</h1>\n<p>Type the token that you were given, with or without its dashes.</p>'
        f"{said}\n"
        '<form method="post" action="/enter"><label for="token">Token</label>'
        f'<input id="token" name="token" type="password" autocomplete="current-password" maxlength="{MOST_TYPED}" '
        'required spellcheck="false" autocapitalize="characters"><button>Enter</button></form>\n'
        f'<p class="quiet">A browser stays in for {COOKIE_S // 3_600} hours. Readers are made with '
        "<code>trapdial centre reader add</code>.</p></div>"
    )
    return CentrePage("Enter", body, HTTPStatus.FORBIDDEN if wrong else HTTPStatus.OK)


def needs_token(why: str) -> CentreAnswer:
    """Return the answer to a program without a token."""
    words = f"{why} Send one: Authorization: Bearer TOKEN"
    return _bare(HTTPStatus.UNAUTHORIZED, words, ("www-authenticate", 'Bearer realm="trapdial centre"'))


def to_the_door() -> CentreAnswer:
    """Return the answer to a browser without a token."""
    return _moved("/enter")


def _bare(status: HTTPStatus, words: str, *more: tuple[str, str]) -> CentreAnswer:
    return CentreAnswer(
        status, f"{words}\n".encode(), TEXT, (("content-security-policy", BARE_POLICY), *HEADERS, *more)
    )


def _moved(where: str, *more: tuple[str, str]) -> CentreAnswer:
    return _bare(HTTPStatus.SEE_OTHER, f"See {where}", ("location", where), *more)


def _check_is_own(asked: PageRequest) -> None:
    """Raises DoorClosedError for a form of another site, as far as the browser says where it came from."""
    site = asked.headers.get("sec-fetch-site", "same-origin")
    if site not in ("same-origin", "none"):
        raise DoorClosedError(
            _bare(HTTPStatus.FORBIDDEN, "This form was sent by another site. Open the centre's own page.")
        )


def _cookie(asked: PageRequest) -> str | None:
    wanted = _name(asked)
    for each in asked.headers.get("cookie", "").split(";"):
        name, _, value = each.strip().partition("=")
        if name == wanted and 0 < len(value) <= LONGEST_COOKIE:
            return value
    return None


def _set(asked: PageRequest, value: str, age: str) -> tuple[str, str]:
    more = "; Secure" if asked.secure else ""
    return "set-cookie", f"{_name(asked)}={value}; {age}; Path=/; HttpOnly; SameSite=Strict{more}"


def _name(asked: PageRequest) -> str:
    return SAFE_COOKIE if asked.secure else PLAIN_COOKIE
