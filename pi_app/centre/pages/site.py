"""Answers every address of a centre's pages, each reader with what that reader may see.

A shop gets the same answer for another shop's table as for one that does not exist.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import parse_qs

from pi_app.centre.clock.watch import IN_DOUBT
from pi_app.centre.findings.chains import chains
from pi_app.centre.findings.found import FleetFinding, kept_findings
from pi_app.centre.findings.tables import TableRow, table_rows
from pi_app.centre.pages import figures
from pi_app.centre.pages.door import CentreDoor, DoorClosedError, enter_page, needs_token, to_the_door
from pi_app.centre.pages.kept_rows import FleetNow, KeptRows, ReadFleet, RowsThen
from pi_app.centre.pages.one_table import MOST_EVIDENCE, RecordShown, TableSeen, sent_head, table_page
from pi_app.centre.pages.overview import MOST_QUERY, NO_FILTER, RowFilter, overview, public_page
from pi_app.centre.pages.rows import LEVELS, hashed, seen_by
from pi_app.centre.pages.shell import BARE_POLICY, HEADERS, CentrePage, answer, html_answer, policy, safe
from pi_app.centre.readers_file import ReadersFile
from pi_app.centre.roles import ReaderRights, rights_of
from pi_app.centre.service.app import PageRequest
from pi_app.centre.service.bundles import Bundles
from pi_app.centre.service.centre import AWAY, JSON, TEXT, Centre, CentreAnswer
from pi_app.centre.service.counts import CentreCounts
from pi_app.centre.settings import CentreSettings, ReaderSettings
from pi_app.centre.store.store import CentreStore, GameState, KeptGame, KeptRecord, StoreError
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.merkle import Tree

R = TypeVar("R")

LONGEST_PATH: Final = 600
LONGEST_QUERY: Final = 600
MOST_RENDERED: Final = 16
"""So many pages are kept as they were sent, for whoever asks within the same seconds."""

MOST_AUDITS: Final = 8
MOST_LEAVES: Final = 50_000
"""Up to this size the root over the entries here is computed, to be compared with one that was sent."""

_TABLE: Final = re.compile(r"/table/([0-9a-f]{64})")
_GAME: Final = re.compile(r"/game/([0-9a-f]{64})/(.{1,200})", re.DOTALL)
_READS: Final = ("GET", "HEAD")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSources:
    """What the pages are made from. `store`: a connection of their own, which threads use; `fleet`: reads what is
    known of all tables; `readers`: those of `centre.toml` as it is now; `own_log`: what is wrong with the centre's own
    log, as sentences for its auditor; `clock_words`: why the centre does not cosign, as sentences, empty if it does."""

    key: CentreKey
    store: CentreStore
    fleet: ReadFleet
    readers: Callable[[], Sequence[ReaderSettings]]
    counts: CentreCounts
    bundles: Bundles
    clock: Callable[[], float]
    own_log: Callable[[], Sequence[str]] = tuple
    clock_words: Callable[[], str] = str


@dataclass(frozen=True, slots=True)
class TableOfReader:
    """A table that the reader may see. `records`: the newest first."""

    row: TableRow
    records: Sequence[KeptRecord]
    findings: Sequence[FleetFinding]


class CentrePages:
    """The pages of one centre."""

    def __init__(self, sources: PageSources) -> None:
        self._from = sources
        self._door = CentreDoor(sources.key.key, sources.readers, sources.clock)
        self._rows = KeptRows(sources.fleet, sources.clock)
        self._rendered: OrderedDict[tuple[ReaderRights, bool], tuple[RowsThen, CentreAnswer]] = OrderedDict()
        self._audits: OrderedDict[tuple[str, ...], str] = OrderedDict()
        self._turn = asyncio.Lock()

    async def answer(self, asked: PageRequest) -> CentreAnswer:
        """Answer a request that is none of the protocol's."""
        if len(asked.path) > LONGEST_PATH or len(asked.query) > LONGEST_QUERY:
            return _bare(HTTPStatus.REQUEST_URI_TOO_LONG, "This address is too long.")
        route = self._route(asked.path)
        if route is None:
            return _bare(HTTPStatus.NOT_FOUND, "There is nothing here.")
        methods, work = route
        if asked.method not in methods:
            allowed = ("allow", ", ".join(methods))
            return _bare(HTTPStatus.METHOD_NOT_ALLOWED, "Another method is needed here.", allowed)
        try:
            return await work(asked)
        except DoorClosedError as closed:
            return closed.answer
        except StoreError:
            return _bare(HTTPStatus.SERVICE_UNAVAILABLE, AWAY, ("retry-after", "5"))

    def _route(self, path: str) -> tuple[Sequence[str], Callable[[PageRequest], Awaitable[CentreAnswer]]] | None:
        routes: Mapping[str, tuple[Sequence[str], Callable[[PageRequest], Awaitable[CentreAnswer]]]] = {
            "/": (_READS, self._overview),
            "/enter": ((*_READS, "POST"), self._enter),
            "/leave": (("POST",), self._leave),
            "/status.json": (_READS, self._status),
            "/metrics": (_READS, self._metrics),
        }
        if _TABLE.fullmatch(path):
            return _READS, self._table
        if _GAME.fullmatch(path):
            return _READS, self._game
        return routes.get(path)

    # ------------------------------------------------------------------------------------------------------- the door

    async def _enter(self, asked: PageRequest) -> CentreAnswer:
        if asked.method != "POST":
            return self._page(enter_page(), asked)
        found = self._door.enter(asked)
        return found if isinstance(found, CentreAnswer) else self._page(found, asked)

    async def _leave(self, asked: PageRequest) -> CentreAnswer:
        return self._door.leave(asked)

    def _rights(self, asked: PageRequest) -> ReaderRights:
        return rights_of(self._door.reader(asked))

    def _page(self, page: CentrePage, asked: PageRequest, rights: ReaderRights | None = None) -> CentreAnswer:
        name = self._from.key.name
        return answer(page, name, rights or ReaderRights(), packed=_takes_gzip(asked))

    # -------------------------------------------------------------------------------------------------------- reading

    async def _overview(self, asked: PageRequest) -> CentreAnswer:
        rights, then = self._rights(asked), await self._rows.get()
        wanted = _wanted(asked) if rights.sees_tables else NO_FILTER
        if wanted != NO_FILTER:
            return await asyncio.to_thread(self._render, asked, rights, then, wanted)
        key = (rights, _takes_gzip(asked))
        kept = self._rendered.get(key)
        if kept is None or kept[0] is not then:
            kept = then, await asyncio.to_thread(self._render, asked, rights, then, wanted)
            self._rendered[key] = kept
            self._rendered.move_to_end(key)
            if len(self._rendered) > MOST_RENDERED:
                self._rendered.popitem(last=False)
        return kept[1]

    def _render(self, asked: PageRequest, rights: ReaderRights, then: RowsThen, wanted: RowFilter) -> CentreAnswer:
        if not rights.sees_tables:
            return self._page(public_page(then.rows, then.at_s), asked, rights)
        troubles = [self._clock_words(rights), then.trouble]
        troubles += self._log_troubles() if rights.role == "auditor" else ()
        page = overview(seen_by(rights, then.rows), then.at_s, wanted, " ".join(filter(None, troubles)))
        return self._page(page, asked, rights)

    def _clock_words(self, rights: ReaderRights) -> str:
        """Return why the centre does not cosign. A shop learns nothing of other shops' tables by that."""
        words = self._from.clock_words()
        return words if rights.role == "auditor" or not words else IN_DOUBT

    def _log_troubles(self) -> Sequence[str]:
        try:
            return self._from.own_log()
        except StoreError:
            return ()  # the rows say so already

    async def _table(self, asked: PageRequest) -> CentreAnswer:
        return await self._of_table(asked, self._table_page)

    async def _game(self, asked: PageRequest) -> CentreAnswer:
        return await self._of_table(asked, self._game_page)

    async def _of_table(
        self,
        asked: PageRequest,
        work: Callable[[PageRequest, ReaderRights, TableOfReader], CentreAnswer],
    ) -> CentreAnswer:
        """Do the work, in a thread, one at a time, with the table that the address names. Say that there is none, if
        the reader may not see it."""
        rights = self._rights(asked)
        if not rights.sees_tables:
            return to_the_door()
        then, wanted = await self._rows.get(), asked.path.split("/")[2]

        def found() -> CentreAnswer:
            mine = {row.origin: row for row in then.rows if rights.sees(row.shop)}
            for records in chains(self._from.store.records()):
                row = mine.get(records[0].origin)
                if row is not None and any(hashed(each.origin) == wanted for each in records):
                    origins = {each.origin for each in records}
                    findings = [each for each in then.findings if each.origin in origins]
                    return work(asked, rights, TableOfReader(row, records, findings))
            return self._sorry(asked, rights, "There is no such table", "It may have another address now.")

        async with self._turn:
            return await asyncio.to_thread(found)

    def _sorry(self, asked: PageRequest, rights: ReaderRights, title: str, why: str, back: str = "/") -> CentreAnswer:
        body = (
            f'<h1>{safe(title)}</h1>\n<p class="lead">{safe(why)}</p>\n<p><a class="button" href="{back}">Back</a></p>'
        )
        return self._page(CentrePage(title, body, HTTPStatus.NOT_FOUND), asked, rights)

    def _table_page(self, asked: PageRequest, rights: ReaderRights, table: TableOfReader) -> CentreAnswer:
        seen = TableSeen(
            row=table.row,
            findings=table.findings,
            records=[self._shown(each) for each in table.records],
            skip=_number(asked, "skip"),
        )
        return self._page(table_page(seen, self._from.key.verifier, self._from.clock()), asked, rights)

    def _shown(self, record: KeptRecord) -> RecordShown:
        store = self._from.store
        evidence = [sent_head(each) for each in store.evidence.newest(record.origin, MOST_EVIDENCE)]
        sizes = {each.sent.size for each in evidence if each.sent is not None}
        roots = self._roots(record.number, {size for size in sizes if size <= min(record.known.size, MOST_LEAVES)})
        against = store.evidence.counts().get(record.origin)
        return RecordShown(
            record=record,
            evidence=evidence,
            contradictions=0 if against is None else against.count,
            roots=roots,
            games=store.games(record.number),
        )

    def _roots(self, number: int, sizes: set[int]) -> dict[int, bytes]:
        """Return the roots over the first entries of a record, at these sizes."""
        tree, roots = Tree.of(0, ()), {}
        for size in sorted(sizes):
            if size > tree.size:
                rows = self._from.store.rows(number, tree.size + 1, size)
                tree.extend([leaf for *_, leaf, _ in rows])  # type: ignore[misc]
            roots[size] = tree.root()
        return roots

    def _game_page(self, asked: PageRequest, rights: ReaderRights, table: TableOfReader) -> CentreAnswer:
        row, records = table.row, table.records
        _, _, wanted, name = asked.path.split("/", 3)
        back = f"/table/{hashed(row.origin)}"
        record = next(each for each in records if hashed(each.origin) == wanted)
        game = next(iter(self._from.store.games(record.number, [name])), None)
        if game is None:
            return self._sorry(asked, rights, "There is no such game", f"{row.name} has none of this name.", back)
        if game.state is not GameState.ENDED:
            deleted = game.state is GameState.DELETED
            why = "was deleted at the table" if deleted else "has not ended, and its traps stay sealed"
            return self._sorry(asked, rights, f"Game {name}", f"There is no audit: this game {why}.", back)
        from pi_app.centre.findings.game_audit import NoAuditError
        from pi_app.centre.pages.one_game import styles_of

        try:
            html = self._audit(record, game, row.name, back)
        except NoAuditError as error:
            return self._sorry(asked, rights, f"Game {name}", str(error), back)
        return html_answer(html, policy(*styles_of(html)), packed=_takes_gzip(asked))

    def _audit(self, record: KeptRecord, game: KeptGame, named: str, back: str) -> str:
        from pi_app.centre.pages.one_game import audit_of

        key = (record.origin, game.game, named)
        if key not in self._audits:
            rows = self._from.store.rows(record.number, game.first, game.last)
            self._audits[key] = audit_of(rows, game.game, named, back)
            if len(self._audits) > MOST_AUDITS:
                self._audits.popitem(last=False)
        return self._audits[key]

    # --------------------------------------------------------------------------------------------------- for programs

    async def _status(self, asked: PageRequest) -> CentreAnswer:
        rights = self._rights(asked)
        if not rights.sees_tables:
            return needs_token("Only readers with a token get this.")
        then = await self._rows.get()
        body = await asyncio.to_thread(
            figures.status, self._from.key.name, _for(rights, then), self._clock_words(rights)
        )
        return CentreAnswer(HTTPStatus.OK, body, JSON, (("content-security-policy", BARE_POLICY), *HEADERS))

    async def _metrics(self, asked: PageRequest) -> CentreAnswer:
        rights = self._rights(asked)
        if not rights.sees_tables:
            return needs_token("Only readers with a token get this.")
        then = await self._rows.get()
        sources = self._from
        seen, doubt = _for(rights, then), bool(sources.clock_words())
        text = await asyncio.to_thread(figures.metrics, rights, seen, sources.counts, sources.bundles, in_doubt=doubt)
        headers = (("content-security-policy", BARE_POLICY), *HEADERS)
        return CentreAnswer(HTTPStatus.OK, text.encode("utf-8", "replace"), figures.METRICS_TYPE, headers)


def site_of(
    settings: CentreSettings,
    centre: Centre,
    store: CentreStore,
    clock: Callable[[], float],
    says: Callable[[str], None],
    own_log: Callable[[], Sequence[str]] = tuple,
) -> CentrePages:
    """Return the pages of a centre. `store`: a connection of their own; `says`: prints a line for who runs it;
    `own_log`: what is wrong with the centre's own log."""
    return CentrePages(
        PageSources(
            key=centre.key,
            store=store,
            fleet=lambda now_s: FleetNow(table_rows(store, int(now_s)), kept_findings(store)),
            readers=ReadersFile(settings, says),
            counts=centre.counts,
            bundles=centre.bundles,
            clock=clock,
            own_log=own_log,
            clock_words=centre.watch.words,
        )
    )


def _bare(status: HTTPStatus, words: str, *more: tuple[str, str]) -> CentreAnswer:
    return CentreAnswer(
        status, f"{words}\n".encode(), TEXT, (("content-security-policy", BARE_POLICY), *HEADERS, *more)
    )


def _for(rights: ReaderRights, then: RowsThen) -> RowsThen:
    """Return what a reader may see."""
    findings = tuple(each for each in then.findings if rights.sees(each.shop))
    return replace(then, rows=tuple(seen_by(rights, then.rows)), findings=findings)


def _takes_gzip(asked: PageRequest) -> bool:
    return "gzip" in asked.headers.get("accept-encoding", "").lower()


def _query(asked: PageRequest) -> Mapping[str, list[str]]:
    try:
        return parse_qs(asked.query.decode("ascii"), max_num_fields=8)
    except ValueError:
        return {}


def _wanted(asked: PageRequest) -> RowFilter:
    said = _query(asked)
    words, level, shop = (said.get(name, [""])[0] for name in ("q", "level", "shop"))
    return RowFilter(words[:MOST_QUERY], level if level in LEVELS else "", shop[:MOST_QUERY])


def _number(asked: PageRequest, name: str) -> int:
    text = _query(asked).get(name, [""])[0]
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 0
