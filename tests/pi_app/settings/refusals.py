"""Single mistakes in a good settings file, each with its message."""

from __future__ import annotations

from typing import Final

from pi_app.game.trap_table_file import FORMAT_PAGE
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of
from tests.pi_app.settings.good import BUS, HEAD, SCREENS, SEATS, SQUARES

REFUSALS: Final = [
    # keys and values
    ('name = "Small table"', "", "t.toml [table]: 'name' is missing; it must be a text of 1 to 40 characters"),
    ("[table]", "[tabel]", "t.toml: there is no key 'tabel'; did you mean 'table'?"),
    ("[square.T01]", "[squares.T01]", "t.toml: there is no key 'squares'; did you mean 'square'?"),
    ("channel = 1", "chanel = 1", "t.toml [square.T01]: there is no key 'chanel'; did you mean 'channel'?"),
    (
        "channel = 1",
        "channel = 8",
        "t.toml [square.T01] channel = 8: must be from 0 to 7; a mux has eight channels",
    ),
    (
        "channel = 1",
        "channel = true",
        "t.toml [square.T01] channel = true: must be a channel from 0 to 7, on a hub from 0 to 15",
    ),
    (
        'bus = "dials"\nmux = 0x70\nchannel = 1\n',
        "",
        "t.toml [square.T01]: names no `bus` and no `hub`; its dial hangs on one of them",
    ),
    ("mux = 0x70", "mux = 0x78", "t.toml [square.T01] mux = 0x78: must be a mux address from 0x70 to 0x77"),
    (
        "address = 0x70",
        "address = 0x36",
        "t.toml [[bus.dials.mux]] address = 0x36: must be a mux address from 0x70 to 0x77",
    ),
    (
        'bus = "screens"',
        'bus = "screens"\naddress = 0x3E',
        "t.toml [seat.ANN.screen] address = 0x3E: must be 0x3C or 0x3D",
    ),
    (
        'bus = "screens"',
        'bus = "screens"\nchip = "ssd1305"',
        "t.toml [seat.ANN.screen] chip = 'ssd1305': this version does not drive it; did you mean 'ssd1306'?",
    ),
    (
        "channel = 1",
        'channel = 1\nchip = "as5601"',
        "t.toml [square.T01] chip = 'as5601': this version does not drive it; did you mean 'as5600'?",
    ),
    ("channel = 1", 'channel = 1\ninvert = "no"', "t.toml [square.T01] invert = 'no': must be true or false"),
    (
        'name = "Small table"',
        'name = "x"\nrest_ms = 0.6',
        "t.toml [table] rest_ms = 0.6: must be whole milliseconds from 100 to 10000",
    ),
    (
        'name = "Small table"',
        'name = "x"\nshow_s = nan',
        "t.toml [table] show_s = nan: must be seconds from 1 to 60",
    ),
    (
        'name = "Small table"',
        'name = "x\\u001b[2J"',
        r"t.toml [table] name = 'x\x1b[2J': must be made of printable characters",
    ),
    (
        'name = "Small table"',
        'name = "x"\nlanguage = "DE"',
        f"t.toml [table] language = 'DE': must be {one_of(LANGUAGES)}",
    ),
    (
        'name = "Small table"',
        'name = "x"\nlanguage = "tlh"',
        f"t.toml [table] language = 'tlh': must be {one_of(LANGUAGES)}",
    ),
    (
        '"/dev/i2c-1"',
        '"/dev/i2c-1\\n"',
        r"t.toml [bus.dials] device = '/dev/i2c-1\n': must be made of printable characters",
    ),
    ('"/dev/i2c-1"', '"i2c-1"', "t.toml [bus.dials] device = 'i2c-1': must be a device such as '/dev/i2c-1'"),
    (
        '"/dev/i2c-1"',
        '"/dev/i2c-1"\ntimeout_ms = 55',
        "t.toml [bus.dials] timeout_ms = 55: must be whole tens of milliseconds from 10 to 1000",
    ),
    (
        "lamp_gpio = 20",
        "lamp_gpio = 28",
        "t.toml [seat.ANN] lamp_gpio = 28: must be a GPIO number from 0 to 27",
    ),
    (
        "button_gpio = 16",
        "",
        "t.toml [seat.ANN]: 'button_gpio' is missing; it must be a GPIO number from 0 to 27",
    ),
    # sections
    (HEAD, "table = 3\n", "t.toml table = 3: must be a section that begins with [table]"),
    (BUS, "", "t.toml [square.T01] bus = 'dials': there is no such bus; there is [bus.screens]"),
    (SQUARES, "", "t.toml: there is no [square.NAME] section; there must be at least one"),
    (SEATS, "", "t.toml: there is no [seat.NAME] section; there must be at least one"),
    (
        "[[bus.dials.mux]]",
        "[bus.dials.mux]",
        "t.toml [bus.dials] mux (a section): must be sections that begin with [[bus.dials.mux]]",
    ),
    (
        "[square.T01]",
        "[square]\nT03 = 3\n[square.T01]",
        "t.toml [square.T03]: must be a section that begins with [square.T03]",
    ),
    # labels and names
    (
        "[square.T01]",
        "[square.TOOLONG]",
        "t.toml [square.TOOLONG]: its name must be 1 to 6 letters and digits",
    ),
    ("[square.T01]", '[square."T-1"]', "t.toml [square.T-1]: its name must be 1 to 6 letters and digits"),
    (
        "[square.T01]",
        "[square.CAGE]",
        "t.toml [square.CAGE]: this label hints at what lies under it; choose a neutral one, such as T01",
    ),
    (
        "[square.T01]",
        "[square.t02]",
        "t.toml [square.T02] label = 'T02': is already the label of [square.t02]; choose another",
    ),
    ('"Ben"', '"ANN"', "t.toml [seat.BEN] name = 'ANN': is already the name of [seat.ANN]; choose another"),
    (
        '"Ben"',
        '"Referee"',
        "t.toml [seat.BEN]: no seat may be called 'referee': displays and records use that word",
    ),
    (
        "lamp_gpio = 21",
        "",
        "t.toml [seat.BEN]: has neither a lamp nor a screen; a seat needs at least one of them",
    ),
    # the rules
    (
        BUS,
        '[ruleset]\nreexpose = "rerol"\n' + BUS,
        "t.toml [ruleset] reexpose = 'rerol': must be 'view_only', 'reroll' or 'forbid'",
    ),
    (
        BUS,
        "[ruleset]\ndisarm_stealth = 13\n" + BUS,
        "t.toml [ruleset] disarm_stealth = 13: must be a whole number from -12 to 12",
    ),
    # what hangs where
    (
        "channel = 2",
        "channel = 1",
        "t.toml [square.T02]: 0x36 at bus dials mux 0x70 channel 1 is already used by [square.T01]; move one",
    ),
    (
        "mux = 0x70\nchannel = 2\n",
        "",
        "t.toml [square.T02]: AS5600 0x36 at bus dials would answer together with [square.T01] at bus dials "
        "mux 0x70 channel 1; move one behind its own mux channel",
    ),
    ("channel = 2\n", "", "t.toml [square.T02] mux = 0x70: needs 'channel' beside it"),
    ("mux = 0x70\nchannel = 2", "channel = 2", "t.toml [square.T02] channel = 2: needs 'mux' beside it"),
    (
        "mux = 0x70\nchannel = 2",
        "mux = 0x71\nchannel = 2",
        "t.toml [square.T02] mux = 0x71: there is no [[bus.dials.mux]] with this address; write one, or name the "
        "mux that is there",
    ),
    (
        "lamp_gpio = 21\n",
        'lamp_gpio = 21\n[seat.BEN.screen]\nbus = "screens"\n',
        "t.toml [seat.BEN.screen]: 0x3C at bus screens is already used by [seat.ANN.screen]; move one",
    ),
    (
        SCREENS,
        SCREENS + "[[bus.screens.mux]]\naddress = 0x71\n[[bus.screens.mux]]\naddress = 0x71\n",
        "t.toml [[bus.screens.mux]] address = 0x71: two muxes have this address; set A2, A1 and A0 differently "
        "on one of them",
    ),
    (
        "/dev/i2c-6",
        "/dev/i2c-1",
        "t.toml [bus.screens] device = '/dev/i2c-1': is already the device of [bus.dials]; write one section",
    ),
    # pins
    (
        "lamp_gpio = 21",
        "lamp_gpio = 16",
        "t.toml [seat.BEN] lamp_gpio = 16: GPIO 16 is already button_gpio of [seat.ANN]; move one",
    ),
    (
        "lamp_gpio = 21",
        "lamp_gpio = 17",
        "t.toml [seat.BEN] lamp_gpio = 17: GPIO 17 is already reset_gpio of [[bus.dials.mux]]; move one",
    ),
    (
        "lamp_gpio = 21",
        "lamp_gpio = 3",
        "t.toml [seat.BEN] lamp_gpio = 3: GPIO 3 is a line of [bus.dials] /dev/i2c-1",
    ),
    # pace
    (
        'name = "Small table"',
        'name = "x"\nscan_hz = 20',
        "t.toml [table] gap_limit_ms = 35: scan_hz = 20 leaves 50 ms between two samples, so no turn can "
        "be followed; raise scan_hz",
    ),
    (
        'name = "Small table"',
        'name = "x"\ngap_limit_ms = 5\nscan_hz = 1000',
        "t.toml [bus.dials] speed_hz = 10000: one scan of all its dials takes 10 ms, longer than "
        "gap_limit_ms = 5; use a faster or a second bus",
    ),
    # trap tables
    (
        'table = "red"',
        'table = "rde"',
        f"t.toml [square.T01] table: there is no such file; check the name and the folder; {FORMAT_PAGE}",
    ),
]
