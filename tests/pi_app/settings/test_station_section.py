"""`[station]`: its values, and every refusal as a whole sentence."""

from __future__ import annotations

import pytest

from pi_app.settings.station_section import StationSettings
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of
from tests.pi_app.settings.good import BUS, GOOD, changed, errors, good


def with_station(*lines: str) -> str:
    return changed(BUS, "[station]\n" + "".join(f"{line}\n" for line in lines) + BUS)


def test_without_the_section_a_table_is_no_station() -> None:
    assert good(GOOD).station is None
    assert good(with_station()).station == StationSettings()


def test_what_is_written_is_read() -> None:
    text = with_station(
        'idle_s = 120\nstarts = "printed"\nlanguages = ["de", "en"]',
        'hours = { mon = "09:00-12:30, 13:00-18:00", sun = "" }',
        'pin = "271828"\nbudget_mb = 500\nkeep = "heads"',
    )
    assert good(text).station == StationSettings(
        idle_s=120,
        starts="printed",
        languages=("de", "en"),
        hours={"mon": "09:00-12:30, 13:00-18:00", "sun": ""},
        pin="271828",
        budget_mb=500,
        keep="heads",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("idle_s = 29", "t.toml [station] idle_s = 29: must be whole seconds from 30 to 900"),
        ('starts = "anywhere"', "t.toml [station] starts = 'anywhere': must be 'found' or 'printed'"),
        ("languages = []", f"t.toml [station] languages (a list): must be a list of {one_of(LANGUAGES)}"),
        ('languages = ["de", "de"]', "t.toml [station] languages: names a language twice; name each one once"),
        (
            'hours = { mon = "10-19" }',
            "t.toml [station] hours (a section): must be a table of days, such as { mon = '10:00-19:00', sun = '' }",
        ),
        (
            'hours = { mon = "19:00-10:00" }',
            "t.toml [station] hours.mon: ends before it begins; write the earlier time first (only hours until 06:00 "
            "go on overnight)",
        ),
        ('pin = "1234"', "t.toml [station] pin = '1234': must be 6 to 12 digits, or empty"),
        ("budget_mb = 10", "t.toml [station] budget_mb = 10: must be whole megabytes from 50 to 1000000"),
        ('keep = "all"', "t.toml [station] keep = 'all': must be 'records' or 'heads'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(line: str, message: str) -> None:
    assert errors(with_station(line)) == [message]


@pytest.mark.parametrize("spans", ["", "10:00-19:00", "20:00-02:00", "10:00-12:00, 20:00-06:00", "00:00-24:00"])
def test_hours_may_go_on_overnight(spans: str) -> None:
    hours = f'hours = {{ sat = "{spans}" }}'
    station = good(with_station(hours)).station
    assert station is not None
    assert station.hours == {"sat": spans}


@pytest.mark.parametrize(
    "spans", ["10:00-10:00", "20:00-06:01", "20:00-02:00, 10:00-12:00", "10:00-12:00, 11:00-13:00"]
)
def test_times_out_of_order_are_refused(spans: str) -> None:
    assert len(errors(with_station(f'hours = {{ sat = "{spans}" }}'))) == 1
