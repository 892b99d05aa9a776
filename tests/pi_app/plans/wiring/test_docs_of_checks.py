"""`wiring_docs/electrical.md` matches the checks: every limit, every figure, and the examples' output."""

from __future__ import annotations

import re

import pytest

from pi_app.plans.config_txt import SPI_PINS
from pi_app.plans.wiring import electrical, jobs
from pi_app.plans.wiring.checks import checks, table
from pi_app.plans.wiring.nets import wired
from pi_app.settings.wiring import CONSOLE_PINS
from pi_app.settings.wiring_section import WiringSettings
from tests.docs.pages import blocks, prose, tables
from tests.pi_app.plans.wiring.checked import EXAMPLES, TEXTS, found
from tests.pi_app.plans.wiring.tables import read

PAGE = "wiring_docs/electrical.md"
SIZES = ("2x2", "8x4", "16x4")


def gpios(numbers: tuple[int, ...]) -> str:
    return " and ".join(f"GPIO {number}" for number in numbers)


def classes() -> str:
    """The rise times of the classes of speed."""
    told = [f"{ns} ns up to {'1 MHz' if hz == 1_000_000 else f'{hz // 1000} kHz'}" for hz, ns in electrical.RISE_NS]
    return ", ".join(told)


LIMITS = {
    "supply": f"at most `supply_ma` of `[wiring]`; of a hub {electrical.PICO_RAIL_MA} mA",
    "pin current": f"at most {electrical.PIN_MA:g} mA for one pin, {electrical.PINS_MA:g} mA for all",
    "levels": "no wire on 5 V",
    "addresses": "no two chips that answer together",
    "channels": "none used twice with one address",
    "pins": "none with two jobs",
    "pins of the serial console": f"{gpios(CONSOLE_PINS)} free",
    "pins of the ID EEPROM": f"{gpios(jobs.EEPROM_PINS)} free",
    "pins of SPI": f"GPIO {SPI_PINS[0]} to GPIO {SPI_PINS[-1]} free, if SPI is on",
    "lamps at rest": "no lamp on a pin that the Pi pulls to its lit level: GPIO 0 to 8 up, GPIO 9 to 27 down",
    "resets": "no mux without its RESET line",
    "screens": "none on a bus with dials",
    "clock": f"at most the slowest chip's maximum; {electrical.FASTEST['TCA9548A'][0] // 1000} kHz for a mux",
    "pull-ups": f"at least one, also on each channel, and at least {electrical.LEAST_OHM:.0f} Ohm in all",
    "capacitance": f"at most {electrical.MOST_PF} pF",
    "rise time": f"at most {classes()}",
    "I2C leads": f"at most {electrical.MOST_LEAD_M:g} m",
    "USB cables": f"at most {electrical.MOST_USB_M:g} m",
    "samples per second": f"at least `scan_hz` of `[table]`, and at least {electrical.ALARM_HZ}",
}


def test_every_check_is_listed_with_its_limit_and_its_source() -> None:
    rows = {row["check"]: row for row in tables(PAGE, "check", "limit", "source")[0]}
    drawn = [check for size in SIZES for check in found(EXAMPLES[size], spi=True)]
    assert list(rows) == list(LIMITS)
    assert {check.part for check in drawn} == set(rows)
    assert {part: row["limit"] for part, row in rows.items()} == LIMITS
    own = {"supply_ma of [wiring]", "Solomon Systech SSD1306", "UM10204's bits and 245 to 340 us a dial"}
    for check in drawn:
        assert check.source in own or check.source == rows[check.part]["source"], check


def test_every_capacitance_is_listed() -> None:
    told = {row["load"]: row["assumed"] for row in tables(PAGE, "load", "assumed")[0]}
    assert list(told.values()) == [
        f"`cable_pf_per_m`, {WiringSettings().cable_pf_per_m} pF if you do not know",
        f"{electrical.PIN_PF} pF",
        f"{electrical.MUX_PF} pF",
        f"{electrical.MUX_CHANNEL_PF} pF",
    ]


def test_the_table_of_pull_ups_is_the_formula() -> None:
    (rows,) = tables(PAGE, "pull-ups together", "100 kHz", "400 kHz", "1 MHz")
    assert [row["pull-ups together"] for row in rows] == ["4700 Ohm", "2200 Ohm", "1800 Ohm", "1302 Ohm", "967 Ohm"]
    for row in rows:
        ohm = int(row["pull-ups together"].split()[0])
        for speed, column in ((100_000, "100 kHz"), (400_000, "400 kHz"), (1_000_000, "1 MHz")):
            most = min(int(electrical.most_pf(ohm, speed)), electrical.MOST_PF)
            assert row[column] == f"{most} pF", (ohm, column)


@pytest.mark.parametrize(("size", "number"), [(size, number) for number, size in enumerate(SIZES)])
def test_the_worked_examples_are_up_to_date(size: str, number: int) -> None:
    assert blocks(PAGE, "text")[number].splitlines() == table(found(EXAMPLES[size]))


def test_the_sentence_on_the_page_is_the_programs_own() -> None:
    (quote,) = re.findall(r"(?:^> .*\n)+", prose(PAGE), re.MULTILINE)
    settings = read(TEXTS["2x2"].replace("bus_pull_up_ohm = 2200", "bus_pull_up_ohm = 4700"))
    said = [check.words for check in checks(wired(settings), settings)]
    assert " ".join(quote.replace("> ", " ").split()) in said
