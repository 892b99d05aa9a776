"""`/status.json` and `/metrics`, read as programs read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from pi_app.centre.findings.found import FleetFinding
from pi_app.centre.pages.figures import CentreStatus, metrics, status
from pi_app.centre.pages.kept_rows import RowsThen
from pi_app.centre.pages.rows import hashed
from pi_app.centre.roles import ReaderRights
from pi_app.centre.service.bundles import Bundles
from pi_app.centre.service.counts import CentreCounts
from pi_app.centre.service.histogram import Histogram
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal.record.checkpoints import origin_of
from tests.pi_app.centre.pages.hall import NOW_S, a_row

AUDITOR = ReaderRights("auditor", name="Ann")
LYON = ReaderRights("shop", "Lyon", "Leo")

ROWS = (
    a_row('Table "1"\\ \n2', ("forked", "plays"), "stop", origin=origin_of(b"1" * 32), seen_s=NOW_S - 90),
    a_row("Table 3", ("idle",), "well", origin=origin_of(b"3" * 32), size=0, seen_s=0),
)
FOUND = FleetFinding(
    kind="fork", table="T", shop="Lyon", origin=ROWS[0].origin, level="stop", words="T: its record has two histories."
)
SEEN = RowsThen(ROWS, (FOUND,), NOW_S)


@pytest.fixture
def bundles(tmp_path: Path) -> Iterator[Bundles]:
    store = SqliteStore(tmp_path / "centre.db")
    made = Bundles(store)
    for size, seconds in ((1, 0.004), (3, 0.3), (900, 9)):
        made.sizes.add(size)
        made.entries.add(10 * size)
        made.seconds.add(seconds)
    yield made
    store.close()


def samples(text: str) -> dict[tuple[str, str], float]:
    """Each sample, by its name and one label that tells it from others."""
    found: dict[tuple[str, str], float] = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation, family.name
        assert family.type in ("gauge", "counter", "histogram"), family.name
        for each in family.samples:
            labels = each.labels
            told = next((labels[name] for name in ("kind", "le", "table", "level", "status") if name in labels), "")
            assert (each.name, told) not in found
            found[each.name, told] = each.value
    return found


def test_an_auditor_gets_every_figure(bundles: Bundles) -> None:
    counts = CentreCounts(answers={200: 7, 422: 1}, entries=60, cosignatures=7, evidence=1)
    found = samples(metrics(AUDITOR, SEEN, counts, bundles))
    assert found["trapdial_centre_tables", "stop"] == 1
    assert found["trapdial_centre_tables", "well"] == 1
    assert found["trapdial_centre_playing", ""] == 1
    assert found["trapdial_centre_table_level", 'Table "1"\\ \n2'] == 2
    assert found["trapdial_centre_table_entries", "Table 3"] == 0
    assert found["trapdial_centre_table_silent_seconds", 'Table "1"\\ \n2'] == 90
    assert ("trapdial_centre_table_silent_seconds", "Table 3") not in found, "it was never seen"
    assert found["trapdial_centre_answers_total", "422"] == 1
    assert found["trapdial_centre_findings", "fork"] == 1
    assert found["trapdial_centre_entries_total", ""] == 60
    assert found["trapdial_centre_bundle_commits_bucket", "2"] == 1
    assert found["trapdial_centre_bundle_commits_bucket", "5"] == 2
    assert found["trapdial_centre_bundle_commits_bucket", "+Inf"] == 3
    assert found["trapdial_centre_bundle_commits_count", ""] == 3
    assert found["trapdial_centre_bundle_commits_sum", ""] == 904
    assert found["trapdial_centre_commit_seconds_bucket", "0.005"] == 1


def test_a_shop_gets_the_figures_of_its_tables_alone(bundles: Bundles) -> None:
    text = metrics(LYON, SEEN, CentreCounts(answers={200: 7}, entries=60), bundles)
    assert {name for name, _ in samples(text)} == {
        "trapdial_centre_tables",
        "trapdial_centre_playing",
        "trapdial_centre_table_level",
        "trapdial_centre_table_entries",
        "trapdial_centre_table_silent_seconds",
        "trapdial_centre_findings",
    }
    assert "trapdial.invalid" not in text


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_name_is_a_label(name: str, shop: str) -> None:
    row = a_row(name, shop=shop, origin=origin_of(b"1" * 32))
    text = metrics(LYON, RowsThen((row,), (), NOW_S), CentreCounts(), Bundles.__new__(Bundles))
    labels = [
        each.labels
        for family in text_string_to_metric_families(text)
        for each in family.samples
        if each.name == "trapdial_centre_table_level"
    ]
    assert [(each["table"], each["shop"]) for each in labels] == [(name, shop)]


def test_the_status_has_a_form_of_its_own() -> None:
    found = msgspec.json.decode(status("c/1", replace(SEEN, at_s=NOW_S + 0.5, trouble="Away.")), type=CentreStatus)
    assert (found.version, found.centre, found.at_s, found.trouble) == (1, "c/1", NOW_S, "Away.")
    first = found.tables[0]
    assert (first.level, first.words, first.seen_s) == ("stop", ("forked", "plays"), NOW_S - 90)
    assert (first.findings, found.tables[1].findings) == (("T: its record has two histories.",), ())
    assert first.page == f"/table/{hashed(ROWS[0].origin)}"


@given(st.lists(st.floats(-5, 30, allow_nan=False), max_size=50))
def test_a_histogram_counts_each_value_once(values: list[float]) -> None:
    counted = Histogram((0, 1, 10))
    for value in values:
        counted.add(value)
    assert list(counted.at_most()) == [
        (bound, sum(value <= bound for value in values)) for bound in (0, 1, 10, float("inf"))
    ]
    assert counted.count == len(values)
