"""The first page: totals in a sentence, what needs a person, a dot for each table, and every table in a row. Pure."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pi_app.centre.findings.tables import RowLevel, TableRow
from pi_app.centre.pages.rows import (
    FEWEST,
    LEVEL_WORDS,
    LEVELS,
    MANY_WORDS,
    ago,
    capital,
    counted,
    hashed,
    plays,
)
from pi_app.centre.pages.shell import CentrePage, safe

MOST_CARDS: Final = 12
"""So many tables that need a look are shown as cards at first; the others are below them, folded."""

MOST_QUERY: Final = 100

LONG_AGO_S: Final = 100 * 86_400
"""What is longer ago than this has a date."""


@dataclass(frozen=True, slots=True)
class RowFilter:
    """What a reader looks for: words that a row has, its level, its shop."""

    words: str = ""
    level: str = ""
    shop: str = ""

    def fits(self, row: TableRow) -> bool:
        """Return whether a row is one of those."""
        if (self.level and row.level != self.level) or (self.shop and row.shop != self.shop):
            return False
        text = " ".join((row.name, row.shop, *row.words)).casefold()
        return all(word in text for word in self.words.casefold().split())


NO_FILTER: Final = RowFilter()


def overview(rows: Sequence[TableRow], now_s: float, wanted: RowFilter = NO_FILTER, trouble: str = "") -> CentrePage:
    """Return the page of a reader who sees these rows, the worst first. `trouble`: why they are older than
    `now_s`, and what else is wrong with the centre."""
    shops = sorted({row.shop for row in rows})
    levels = Counter(row.level for row in rows)
    parts = [
        _part("totals", _totals(rows, levels, len(shops), now_s, trouble)),
        _part("needs", _needs(rows, levels, now_s)),
        _part("shops", _shops(rows) if len(rows) >= MOST_CARDS else ""),
        _find(shops, wanted) if rows else "",
        _part("rows", "".join(_rows(rows, now_s, wanted)), "ol", ' class="rows" id="rows"') if rows else "",
        f'<p class="none" id="none"{"" if rows and not any(map(wanted.fits, rows)) else " hidden"}>'
        "No table fits. Use fewer words, or another choice.</p>",
    ]
    return CentrePage(_title(levels), "\n".join(parts), fresh="tables")


def _part(name: str, inner: str, tag: str = "div", more: str = "") -> str:
    """Return a piece that the script replaces when it has changed."""
    return f'<{tag} data-part="{name}"{more}>\n{inner}\n</{tag}>'


def _title(levels: Counter[RowLevel]) -> str:
    return f"({levels['stop']}) Tables" if levels["stop"] else "Tables"


# ---------------------------------------------------------------------------------------------------------- totals


def _totals(rows: Sequence[TableRow], levels: Counter[RowLevel], shops: int, now_s: float, trouble: str) -> str:
    if not rows:
        lead = "No table is enrolled yet. Make a code for one: trapdial centre enrol NAME"
        return f'<h1>No tables</h1>\n<p class="lead">{lead}</p>{_as_of(now_s)}{_trouble(trouble)}'
    of = f" of {counted(shops, 'shop')}" if shops > 1 else ""
    said = [
        f"{levels[level]:,} {(LEVEL_WORDS if levels[level] == 1 else MANY_WORDS)[level]}"
        for level in LEVELS
        if levels[level]
    ]
    playing = sum(map(plays, rows))
    games = "No game is on." if not playing else f"Games are on at {playing:,} of them."
    how = ", and ".join(filter(None, (", ".join(said[:-1]), said[-1])))
    lead = f"{capital(how)}. {games}"
    return f'<h1>{counted(len(rows), "table")}{of}</h1>\n<p class="lead">{lead}</p>{_as_of(now_s)}{_trouble(trouble)}'


def _as_of(now_s: float) -> str:
    at = datetime.datetime.fromtimestamp(now_s, datetime.UTC)
    shown = f"{at.day} {at:%B %Y, %H:%M:%S} UTC"
    return f'\n<p class="asof">As of <time datetime="{at:%Y-%m-%dT%H:%M:%SZ}">{shown}</time>.</p>'


def _trouble(trouble: str) -> str:
    return f'\n<p class="trouble">{safe(trouble)}</p>' if trouble else ""


# ------------------------------------------------------------------------------------------------------- findings


def _needs(rows: Sequence[TableRow], levels: Counter[RowLevel], now_s: float) -> str:
    if not rows:
        return ""
    if not levels["stop"] and not levels["look"]:
        return '<h2>What needs a person</h2>\n<p class="calm">Nothing. Every table is well.</p>'
    cards = [_card(row, now_s) for row in rows if row.level != "well"]
    shown = max(MOST_CARDS, levels["stop"])
    folded = ""
    if more := cards[shown:]:
        need = "needs a look" if len(more) == 1 else "need a look"
        folded = (
            f'\n<details id="more"><summary>{counted(len(more), "more table")} {need}</summary>\n'
            f'<ul class="cards">\n{"".join(more)}</ul></details>'
        )
    return f'<h2>What needs a person</h2>\n<ul class="cards">\n{"".join(cards[:shown])}</ul>{folded}'


def _card(row: TableRow, now_s: float) -> str:
    says = "".join(f"<li>{safe(_sentence(word))}</li>" for word in row.words)
    shop = f"<small>{safe(row.shop)}</small>" if row.shop else "<small></small>"
    return (
        f'<li class="{row.level}">{_sign(row.level)}<a href="/table/{hashed(row.origin)}">{safe(row.name)}</a>{shop}'
        f'<ul class="says">{says}</ul></li>\n'
    )


def _sign(level: RowLevel) -> str:
    return f'<i class="sign" aria-hidden="true"></i><span class="unseen">{LEVEL_WORDS[level]}: </span>'


def _sentence(words: str) -> str:
    return f"{capital(words)}{'' if words.endswith('.') else '.'}"


# ----------------------------------------------------------------------------------------------------- every table


def _shops(rows: Sequence[TableRow]) -> str:
    by_shop = sorted(rows, key=lambda row: row.shop)
    boxes = "\n".join(_shop(shop, list(its)) for shop, its in groupby(by_shop, key=lambda row: row.shop))
    key = "".join(
        f'<li><span class="dots"><span class="{kind}"><i></i></span></span>{words}</li>'
        for kind, words in (("plays", "plays"), ("", "well"), ("look", "needs a look"), ("stop", "needs a person"))
    )
    return f'<h2>At a glance</h2>\n<div class="shops">\n{boxes}\n</div>\n<ul class="key" aria-hidden="true">{key}</ul>'


def _shop(shop: str, rows: Sequence[TableRow]) -> str:
    """Return a shop's dots. They repeat what the rows say, so screen readers and the Tab key pass them over."""
    count = counted(len(rows), "table")
    bad = Counter(row.level for row in rows)
    unseen = ", ".join(f"{bad[level]} {MANY_WORDS[level]}" for level in ("stop", "look") if bad[level])
    dots = "".join(
        f'<a class="{_dot(row)}" href="/table/{hashed(row.origin)}" tabindex="-1" '
        f'title="{safe(row.name)}: {safe(", ".join(row.words))}"><i></i></a>'
        for row in rows
    )
    seen = f'<span class="unseen">, {unseen}</span>' if unseen else ""
    return (
        f"<section><h3><span>{safe(shop) if shop else 'Tables'}</span> <small>{count}{seen}</small></h3>"
        f'<div class="dots" aria-hidden="true">{dots}</div></section>'
    )


def _dot(row: TableRow) -> str:
    return row.level if row.level != "well" else "plays" if plays(row) else ""


def _find(shops: Sequence[str], wanted: RowFilter) -> str:
    def option(value: str, words: str, chosen: str) -> str:
        return f'<option value="{safe(value)}"{" selected" if value == chosen else ""}>{safe(words)}</option>'

    levels = [
        ("", "Every level"),
        *((level, capital(LEVEL_WORDS[level])) for level in LEVELS),
    ]
    by_level = "".join(option(value, words, wanted.level) for value, words in levels)
    by_shop = ""
    if len(shops) > 1:
        choices = option("", "Every shop", wanted.shop) + "".join(
            option(shop, shop, wanted.shop) for shop in shops if shop
        )
        by_shop = f'<select name="shop" aria-label="Shop">{choices}</select>'
    return (
        '<h2 id="tables">Every table</h2>\n<form class="find" id="find" role="search" method="get" action="/">'
        f'<input type="search" name="q" maxlength="{MOST_QUERY}" placeholder="Search: a name, a shop, a word" '
        f'aria-label="Search tables" value="{safe(wanted.words)}" autocomplete="off">'
        f'<select name="level" aria-label="RowLevel">{by_level}</select>{by_shop}<button>Show</button>'
        '<output aria-live="polite"></output></form>'
    )


def _rows(rows: Iterable[TableRow], now_s: float, wanted: RowFilter) -> Iterator[str]:
    for row in rows:
        words = "".join(f"<span>{safe(word)}</span>" for word in row.words)
        hidden = "" if wanted.fits(row) else " hidden"
        yield (
            f'<li class="{row.level}" data-shop="{safe(row.shop)}"{hidden}>{_sign(row.level)}'
            f'<a href="/table/{hashed(row.origin)}">{safe(row.name)}</a><small>{safe(row.shop)}</small>'
            f'<span class="words">{words}</span><span class="size">{counted(row.size, "entry", "entries")}</span>'
            f"{last_seen(row, now_s)}</li>\n"
        )


def last_seen(row: TableRow, now_s: float) -> str:
    """Return when a table was last seen, as HTML."""
    if not row.seen_s:
        return "<time>never seen</time>"
    at = datetime.datetime.fromtimestamp(row.seen_s, datetime.UTC)
    since_s = now_s - row.seen_s
    said = ago(since_s) if since_s < LONG_AGO_S else f"{at:%Y-%m-%d}"
    return f'<time datetime="{at:%Y-%m-%dT%H:%M:%SZ}">{said}</time>'


# ------------------------------------------------------------------------------------------------------ the public


def public_page(rows: Sequence[TableRow], now_s: float) -> CentrePage:
    """Return what everybody may see: how many tables play, and where their checkpoints are. No number below five."""
    playing = sum(map(plays, rows))
    lead = (
        f"Games are on at {playing:,} tables now." if playing >= FEWEST else "Games are on at fewer than 5 tables now."
    )
    listed = "<p>Fewer than 5 tables hand their records over to this centre, so they are not listed.</p>"
    if len(rows) >= FEWEST:
        links = "".join(
            f'<li><a href="/{each}/checkpoint">{each}</a></li>' for each in sorted(hashed(r.origin) for r in rows)
        )
        listed = f'<ul class="list letters">{links}</ul>'
    body = (
        f'<h1>{lead}</h1>\n<p class="lead">Each table keeps a record of its games that can only grow. This centre '
        "signs how far it has seen each record.</p>"
        f'{_as_of(now_s)}\n<h2>Checkpoints</h2>\n<p class="quiet">Whoever keeps one can prove later that nothing '
        f"before it was changed. The format is C2SP's tlog-checkpoint.</p>\n{listed}"
    )
    return CentrePage("Records", body)
