"""A good settings file in parts, and what the reader says of changed ones."""

from __future__ import annotations

from pi_app.game.trap_table_file import ParsedTable, load_sample
from pi_app.settings.load import parse
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from pi_app.text.user_file import Severity

HEAD = '[table]\nname = "Small table"\n'
BUS = '[bus.dials]\ndevice = "/dev/i2c-1"\n[[bus.dials.mux]]\naddress = 0x70\nreset_gpio = 17\n'
SCREENS = '[bus.screens]\ndevice = "/dev/i2c-6"\n'
SQUARES = "".join(
    f'[square.T0{n}]\nbus = "dials"\nmux = 0x70\nchannel = {n}\ntable = "{"red" if n == 1 else "blue"}"\n'
    for n in (1, 2)
)
SEATS = (
    '[seat.ANN]\nname = "Ann"\nbutton_gpio = 16\nlamp_gpio = 20\n[seat.ANN.screen]\nbus = "screens"\n'
    '[seat.BEN]\nname = "Ben"\nbutton_gpio = 26\nlamp_gpio = 21\n'
)
GOOD = HEAD + BUS + SCREENS + SQUARES + SEATS

TABLES = {"red": load_sample("SAMPLE-12"), "blue": load_sample("SAMPLE-A")}


def made_up(source: str) -> ParsedTable:
    """Return a trap table that is not a sample, so that good settings give no warning."""
    if source not in TABLES:
        raise UserFileError([f"/t/{source}: there is no such file; check the name and the folder"])
    table = TABLES[source]
    values = {name: getattr(table, name) for name in table.__struct_fields__}
    return ParsedTable(type(table)(**{**values, "provenance": "house"}), ())


def good(text: str) -> Settings:
    read = parse(text, "t.toml", made_up)
    assert isinstance(read, Settings), [str(problem) for problem in read]
    return read


def errors(text: str) -> list[str]:
    read = parse(text, "t.toml", made_up)
    assert not isinstance(read, Settings)
    return [str(problem) for problem in read if problem.severity is Severity.ERROR]


def warnings(text: str) -> list[str]:
    return [str(problem) for problem in good(text).warnings]


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


# ----------------------------------------------------------------------------------------------- good settings
