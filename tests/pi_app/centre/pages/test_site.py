"""Every address of a centre's pages for every role: what each sees, and that a shop learns of no other."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from pi_app.centre.clock.watch import IN_DOUBT
from pi_app.centre.findings.found import FleetFinding
from pi_app.centre.findings.tables import RowLevel, TableRow
from pi_app.centre.pages.kept_rows import KEEP_S
from pi_app.centre.pages.rows import hashed
from pi_app.centre.pages.shell import script, style
from pi_app.centre.roles import COOKIE_S
from pi_app.centre.settings import ReaderSettings
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import StoreError
from pi_app.journal.record.checkpoints import origin_of
from tests.pi_app.centre.pages.hall import (
    AUDITOR,
    GUEST,
    LYON,
    NOW_S,
    OSLO,
    PageHall,
    a_row,
    many_rows,
    page_hall,
)
from tests.pi_app.centre.pages.played import play_at
from tests.pi_app.centre.service.asking import Replied, ask, living

SECRETS = ("Oslo", "Table 9", "trapdial.invalid/record/")
"""What no page for the public, or for the shop in Lyon, may have."""

TOKENS = {"auditor": AUDITOR, "lyon": LYON, "oslo": OSLO, "guest": GUEST, "public": "", "wrong": "WRONG"}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[PageHall]:
    """Two tables in Lyon, the first with two games of which one has ended, and one in Oslo."""
    with page_hall(tmp_path) as made:
        origin = play_at(tmp_path, made.store, "Table 1", "Lyon")
        made.rows = [
            a_row("Table 1", origin=origin, words=("plays",)),
            a_row("Table 2", origin=origin_of(b"2" * 32), level="look", words=("its clock is not set", "idle")),
            a_row("Table 9", shop="Oslo", origin=origin_of(b"9" * 32), level="stop", words=("forked",)),
        ]
        made.findings = [a_finding(made.rows[0]), a_finding(made.rows[2])]
        yield made


def a_finding(row: TableRow) -> FleetFinding:
    return FleetFinding(
        kind="worn", table=row.name, shop=row.shop, origin=row.origin, level="look", words=f"{row.name}: <b>worn</b>."
    )


def paths(hall: PageHall) -> dict[str, str]:
    lyon, oslo = hashed(hall.rows[0].origin), hashed(hall.rows[2].origin)
    return {
        "first page": "/",
        "filtered": "/?q=table&level=look&shop=Lyon",
        "own table": f"/table/{lyon}",
        "other table": f"/table/{oslo}",
        "no table": f"/table/{'0' * 64}",
        "ended game": f"/game/{lyon}/g1",
        "running game": f"/game/{lyon}/g2",
        "no game": f"/game/{lyon}/g9",
        "other game": f"/game/{oslo}/g1",
        "status": "/status.json",
        "metrics": "/metrics",
        "door": "/enter",
    }


TO_THE_DOOR = 303
EXPECTED: dict[str, tuple[int, int, int, int]] = {
    # auditor, Lyon's owner, Oslo's owner, the public
    "first page": (200, 200, 200, 200),
    "filtered": (200, 200, 200, 200),
    "own table": (200, 200, 404, TO_THE_DOOR),
    "other table": (404, 404, 404, TO_THE_DOOR),  # it has a row, and no record in the store
    "no table": (404, 404, 404, TO_THE_DOOR),
    "ended game": (200, 200, 404, TO_THE_DOOR),
    "running game": (404, 404, 404, TO_THE_DOOR),
    "no game": (404, 404, 404, TO_THE_DOOR),
    "other game": (404, 404, 404, TO_THE_DOOR),
    "status": (200, 200, 200, 401),
    "metrics": (200, 200, 200, 401),
    "door": (200, 200, 200, 200),
}


def main_of(got: Replied) -> bytes:
    """The page without the name of who reads."""
    return got.body.partition(b"</header>")[2] or got.body


def test_every_address_for_every_role(hall: PageHall) -> None:
    assert paths(hall).keys() == EXPECTED.keys()
    for name, path in paths(hall).items():
        got = tuple(hall.get(path, TOKENS[who]).status for who in ("auditor", "lyon", "oslo", "public"))
        assert got == EXPECTED[name], name
        assert main_of(hall.get(path, TOKENS["guest"])) == main_of(hall.get(path)), name


@pytest.mark.parametrize("who", ["lyon", "guest", "public"])
def test_no_address_shows_a_shop_or_the_public_that_there_are_others(hall: PageHall, who: str) -> None:
    for name, path in paths(hall).items():
        if who == "lyon" and "table/" in path:
            continue
        got = hall.get(path, TOKENS[who])
        text = got.body.decode() + repr(got.headers)
        for secret in SECRETS if who != "lyon" else SECRETS[:2]:
            assert secret not in text, (name, secret)


def test_a_shop_gets_the_same_answer_for_anothers_table_as_for_none(hall: PageHall) -> None:
    there = paths(hall)
    for other, none in (("other table", "no table"), ("other game", "no table")):
        mine, theirs = hall.get(there[other], LYON), hall.get(there[none], LYON)
        assert (mine.status, mine.body, mine.headers) == (theirs.status, theirs.body, theirs.headers)
    alone = hall.get("/", LYON)
    hall.rows = hall.rows[:2]
    hall.now_s += 100
    hall.get("/", LYON)
    hall.now_s = NOW_S
    assert hall.get("/", LYON).body == alone.body
    assert hall.reads == 3


def test_a_shop_sees_its_own_tables_and_no_figure_of_the_whole_centre(hall: PageHall) -> None:
    status = msgspec.json.decode(hall.get("/status.json", LYON).body)
    assert [each["name"] for each in status["tables"]] == ["Table 2", "Table 1"]
    metrics = hall.get("/metrics", LYON).body.decode()
    assert 'trapdial_centre_tables{level="stop"} 0' in metrics
    assert 'trapdial_centre_findings{kind="worn"} 1' in metrics
    assert 'trapdial_centre_findings{kind="worn"} 2' in hall.get("/metrics", AUDITOR).body.decode()
    assert [each["findings"] for each in status["tables"]] == [[], ["Table 1: <b>worn</b>."]]
    own = hall.get(paths(hall)["own table"], LYON).body.decode()
    assert '<span class="unseen">Needs a look: </span>&lt;b&gt;worn&lt;/b&gt;.</p>' in own
    for whole in ("answers_total", "cosignatures", "commit_seconds", "origin="):
        assert whole not in metrics
        assert whole in hall.get("/metrics", AUDITOR).body.decode()


def test_the_public_sees_how_many_play_from_five_on(tmp_path: Path) -> None:
    with page_hall(tmp_path) as hall:
        for count, said, links in ((4, "fewer than 5 tables", 0), (5, "at 5 tables now", 5)):
            hall.rows = [a_row(f"T{n}", ("plays",), origin=origin_of(bytes([n]) * 32)) for n in range(count)]
            hall.now_s += KEEP_S
            body = hall.get("/").body.decode()
            assert said in body
            assert len(re.findall(r'href="/[0-9a-f]{64}/checkpoint"', body)) == links
            assert "T0" not in body


# ------------------------------------------------------------------------------------------------------------- the door


def enters(hall: PageHall, token: str, **headers: str) -> Replied:
    body = f"token={quote(token)}".encode()
    return living(hall.app, lambda: hall.one("POST", "/enter", headers=headers, body=body))


def test_a_token_opens_the_door_and_a_cookie_keeps_it_open(hall: PageHall) -> None:
    got = enters(hall, AUDITOR.lower())
    assert (got.status, got.headers["location"]) == (303, "/")
    cookie, *flags = got.headers["set-cookie"].split("; ")
    assert flags == [f"Max-Age={COOKIE_S}", "Path=/", "HttpOnly", "SameSite=Strict"]
    assert "Ann, auditor" in hall.get("/", cookie=f"a=b; {cookie}").body.decode()
    assert hall.get("/status.json", cookie=cookie).status == 200
    hall.now_s += COOKIE_S
    assert hall.get("/status.json", cookie=cookie).status == 401
    hall.now_s = NOW_S
    hall.readers = [each for each in hall.readers if each.name != "Ann"]
    assert hall.get("/status.json", cookie=cookie).status == 401, "a reader who was removed"


def test_through_tls_the_cookie_goes_nowhere_else(hall: PageHall) -> None:
    for scope in ({"scheme": "https"}, {"client": ("127.0.0.1", 1)}):

        async def work(more: Mapping[str, object] = scope) -> Replied:
            headers = {"x-forwarded-proto": "https", "x-forwarded-for": "1.2.3.4"}
            return await ask(hall.app, "POST", "/enter", [f"token={AUDITOR}".encode()], headers=headers, more=more)

        cookie = living(hall.app, work).headers["set-cookie"]
        assert cookie.startswith("__Host-trapdial-reader=")
        assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict; Secure")


def test_leaving_takes_the_cookie_back(hall: PageHall) -> None:
    got = hall.get("/leave", method="POST")
    assert (got.status, got.headers["location"]) == (303, "/")
    assert got.headers["set-cookie"] == "trapdial-reader=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"


def test_wrong_tokens_wait_on_the_page_and_for_programs(hall: PageHall) -> None:
    assert "This token is not known here." in enters(hall, "<b>").body.decode()
    assert [enters(hall, "wrong").status for _ in range(3)] == [403] * 3
    wrong = hall.get("/status.json", "WRONG")
    assert (wrong.status, wrong.headers["www-authenticate"]) == (401, 'Bearer realm="trapdial centre"')
    for late in (enters(hall, "wrong"), hall.get("/status.json", "WRONG")):
        assert (late.status, late.headers["retry-after"]) == (429, "20")
        assert late.body == b"Too many wrong tokens came from your address. Wait 20 seconds, then try again.\n"
    assert hall.get("/").status == 200, "the public's page stays open"
    hall.now_s += 20
    assert enters(hall, "wrong").status == 403


def test_wrong_tokens_of_a_stranger_at_the_same_address_shut_no_reader_out(hall: PageHall) -> None:
    for _ in range(9):
        enters(hall, "wrong")
    assert enters(hall, AUDITOR).status == 303
    assert hall.get("/status.json", AUDITOR).status == 200
    assert enters(hall, "wrong").status == 429, "a right one forgives nothing"


@pytest.mark.parametrize(("proxy", "status"), [("127.0.0.1", 403), ("::1", 403), ("10.0.0.9", 429)])
def test_a_proxy_of_this_machine_alone_says_who_was_wrong(hall: PageHall, proxy: str, status: int) -> None:
    async def enter(sender: str, token: str) -> Replied:
        body, headers = f"token={token}".encode(), {"x-forwarded-for": f"9.9.9.9, {sender}"}
        return await ask(hall.app, "POST", "/enter", [body], headers=headers, more={"client": (proxy, 5)})

    async def work() -> list[int]:
        wrong = [await enter("1.1.1.1", "WRONG") for _ in range(5)]
        return [each.status for each in (*wrong, await enter("1.1.1.1", "WRONG"), await enter("2.2.2.2", "WRONG"))]

    assert living(hall.app, work) == [403] * 5 + [429, status]


def test_a_form_of_another_site_is_refused(hall: PageHall) -> None:
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303)):
        assert enters(hall, AUDITOR, sec_fetch_site=site).status == status, site
        assert hall.get("/leave", method="POST", sec_fetch_site=site).status == status, site


@pytest.mark.parametrize(
    "body", [b"", b"token", b"token=%ff%00", b"\xff\xfe", b"a=1&b=2&c=3&d=4&e=5", b"token=" + b"A" * 900]
)
def test_a_form_that_is_none_opens_nothing(hall: PageHall, body: bytes) -> None:
    got = living(hall.app, lambda: hall.one("POST", "/enter", body=body))
    assert (got.status, "set-cookie" in got.headers) == (403, False)


# ------------------------------------------------------------------------------------------------------------- attacks


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/", 405),
        ("PUT", "/metrics", 405),
        ("DELETE", f"/table/{'0' * 64}", 405),
        ("POST", f"/game/{'0' * 64}/g", 405),
        ("GET", "/leave", 405),
        ("PATCH", "/enter", 405),
        ("TRACE", "/status.json", 405),
        ("GET", "/table/", 404),
        ("GET", f"/table/{'0' * 63}", 404),
        ("GET", f"/table/{'0' * 64}/", 404),
        ("GET", f"/table/{'F' * 64}", 404),
        ("GET", f"/game/{'0' * 64}/", 404),
        ("GET", f"/game/{'0' * 64}/{'x' * 201}", 404),
        ("GET", "/../etc/passwd", 404),
        ("GET", "//", 404),
        ("GET", "/centre.js", 404),
        ("GET", "/\x00", 404),
        ("GET", "/" + "a" * 10_000, 414),
        ("GET", "/?" + "q=" * 400, 414),
        ("GET", "/?q=" + "%ff" * 20, 200),
        ("GET", "/?" + "a=1&" * 60, 200),
        ("GET", "/?level=evil&shop=%00&q=%00", 200),
        ("HEAD", "/", 200),
    ],
)
def test_requests_of_no_browser(hall: PageHall, method: str, path: str, status: int) -> None:
    got = hall.get(path, AUDITOR, method=method)
    assert got.status == status
    if status == 405:
        assert method not in got.headers["allow"].split(", ")


@pytest.mark.parametrize(
    "cookie",
    ["", "=", ";;;", "trapdial-reader", "trapdial-reader=", "trapdial-reader=" + "9" * 5_000, "trapdial-reader=1.QQ.00",
     "__Host-trapdial-reader=1.QQ.00", "trapdial-reader=\xff", "a" * 8_000],
)  # fmt: skip
def test_a_cookie_that_is_none_is_the_public(hall: PageHall, cookie: str) -> None:
    assert hall.get("/", cookie=cookie).body == hall.get("/").body


@pytest.mark.parametrize("sent", ["Bearer", "Bearer ", "Bearer \xff", "bearer x y", "Bearer " + "A" * 5_000])
def test_a_bearer_that_is_none_is_refused(hall: PageHall, sent: str) -> None:
    assert hall.get("/status.json", authorization=sent).status == 401


def test_every_answer_forbids_what_it_does_not_need(hall: PageHall) -> None:
    for path in [*paths(hall).values(), "/none", f"/table/{'1' * 64}"]:
        for token in (AUDITOR, ""):
            headers = hall.get(path, token).headers
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none';"), path
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert "http" not in policy
            assert headers["cache-control"] == "no-store"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"


# ------------------------------------------------------------------------------------------------------------- markup

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;\u202e"


class Tags(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def acted_on(body: bytes) -> list[tuple[str, dict[str, str | None]]]:
    tags = Tags()
    tags.feed(body.decode().replace(f"<script>{script()}</script>", "").replace(f"<style>{style()}</style>", ""))
    tags.close()
    return tags.found


def test_no_name_is_markup(hall: PageHall) -> None:
    shops: list[tuple[str, RowLevel]] = [(EVIL, "stop"), ("Lyon", "look"), (f"{EVIL}2", "well")]
    hall.rows = [
        a_row(EVIL, (EVIL, "plays"), level, shop=shop, origin=origin_of(bytes([n]) * 32))
        for n, (shop, level) in enumerate(shops)
    ]
    hall.readers.append(ReaderSettings(name=EVIL, role="shop", shop=EVIL, token_sha256=hall.readers[0].token_sha256))
    hall.readers.pop(0)
    for path in ("/", f"/?q={quote(EVIL)}&shop={quote(EVIL)}&level={quote(EVIL)}", f"/table/{quote(EVIL)}",
                 f"/game/{hashed(hall.rows[0].origin)}/{EVIL}"):  # fmt: skip
        body = hall.get(path, AUDITOR).body
        assert "\u202e".encode() not in body
        for tag, attributes in acted_on(body):
            assert tag not in ("script", "img", "iframe", "object"), path
            assert not any(name.startswith("on") or name == "style" for name in attributes), path
            assert (attributes.get("href") or "/").startswith(("/", "#", "data:image/svg")), path


def test_every_page_has_its_parts_for_those_who_do_not_see_it(hall: PageHall) -> None:
    for path in ("/", paths(hall)["own table"], "/enter"):
        found = acted_on(hall.get(path, AUDITOR).body)
        tags = [tag for tag, _ in found]
        assert [tags.count(each) for each in ("h1", "main", "title", "header")] == [1, 1, 1, 1], path
        assert [attributes.get("lang") for tag, attributes in found if tag == "html"] == ["en"]
        labelled = {attributes.get("for") for tag, attributes in found if tag == "label"}
        for tag, attributes in found:
            if tag in ("input", "select"):
                assert attributes.get("aria-label") or attributes.get("id") in labelled, path
        named = [attributes["id"] for _, attributes in found if "id" in attributes]
        assert len(named) == len(set(named)), path


# ------------------------------------------------------------------------------------------------------------- figures


def test_rows_are_read_once_in_some_seconds(tmp_path: Path) -> None:
    with page_hall(tmp_path, many_rows(40)) as hall:
        first = hall.all_of([("GET", "/", AUDITOR, {})] * 5 + [("GET", "/status.json", OSLO, {})] * 5)
        assert ({each.status for each in first}, hall.reads) == ({200}, 1)
        hall.now_s += KEEP_S + 0.1
        hall.get("/", AUDITOR)
        assert hall.reads == 2
        hall.now_s -= 1_000
        hall.get("/", AUDITOR)
        assert hall.reads == 3, "a clock that was set back"


def test_only_the_auditor_reads_what_is_wrong_with_the_centres_own_log(hall: PageHall) -> None:
    hall.log_troubles.append("w1 has cosigned <3> entries, and 1 are here.")
    said = b'<p class="trouble">w1 has cosigned &lt;3&gt; entries, and 1 are here.</p>'
    assert [said in hall.get("/", token).body for token in (AUDITOR, LYON, "")] == [True, False, False]


def test_every_reader_sees_that_the_clock_is_in_doubt_and_the_auditor_why(hall: PageHall) -> None:
    hall.clock_words = "It shows another date than <3> of 5 tables."
    why, short = b"It shows another date than &lt;3&gt; of 5 tables.", IN_DOUBT.encode()
    pages = [hall.get("/", token).body for token in (AUDITOR, LYON, "")]
    assert [(why in page, short in page) for page in pages] == [(True, False), (False, True), (False, False)]
    clocks = [msgspec.json.decode(hall.get("/status.json", token).body)["clock"] for token in (AUDITOR, LYON)]
    assert clocks == [hall.clock_words, IN_DOUBT]
    assert b"\ntrapdial_centre_clock_in_doubt 1\n" in hall.get("/metrics", AUDITOR).body
    hall.clock_words = ""
    assert b"\ntrapdial_centre_clock_in_doubt 0\n" in hall.get("/metrics", AUDITOR).body
    assert b"clock_in_doubt" not in hall.get("/metrics", LYON).body


def test_a_store_that_is_away_leaves_the_last_rows_and_says_so(hall: PageHall, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise StoreError("The database is away.")

    hall.get("/", AUDITOR)
    monkeypatch.setattr(hall, "refuses", away)
    hall.now_s += KEEP_S + 0.1
    body = hall.get("/", AUDITOR).body.decode()
    assert "These are the last rows that could be read. The database is away." in body
    assert "Table 2" in body
    assert msgspec.json.decode(hall.get("/status.json", AUDITOR).body)["trouble"].endswith("The database is away.")
    monkeypatch.setattr(SqliteStore, "records", away)
    got = hall.get(paths(hall)["own table"], AUDITOR)
    assert (got.status, got.body, got.headers["retry-after"]) == (503, b"The centre's database does not answer.\n", "5")


def test_a_browser_gets_it_compressed(hall: PageHall) -> None:
    plain, packed = hall.get("/", AUDITOR), hall.get("/", AUDITOR, accept_encoding="gzip, br")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert "cookie" in plain.headers["vary"]
