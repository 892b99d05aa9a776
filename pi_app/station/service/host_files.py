"""The files of a station as a service that are no units: users, folders, rules for devices, drop-ins. Pure.

Sources: systemd-system.conf(5), journald.conf(5), sysusers.d(5), tmpfiles.d(5), modules-load.d(5), udev(7).
"""

from __future__ import annotations

from typing import Final

from pi_app.station.staff.stick import RULE

STATE: Final = "/var/lib/trapdial"
SETTINGS: Final = "/etc/trapdial"

SYSUSERS: Final = f"""\
u trapdial - "Trapdial, the table" {STATE}
u trapdial-pages - "Trapdial, the pages for phones"
u trapdial-display - "Trapdial, the public display"
g i2c -
g gpio -
g dialout -
m trapdial i2c
m trapdial gpio
m trapdial dialout
"""

TMPFILES: Final = f"""\
# The settings name trap tables, which are secrets: only root writes them, and only the table reads them.
d {SETTINGS} 0750 root trapdial -
d {STATE} 0700 trapdial trapdial -
"""

UDEV: Final = f"""\
SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"
SUBSYSTEM=="gpio", KERNEL=="gpiochip[0-9]*", GROUP="gpio", MODE="0660"
# A USB stick, for the staff's report and for updates.
{RULE}"""

MODULES: Final = "i2c-dev\n"

JOURNALD: Final = """\
# Logs stay in memory: a card that is written to only for games lasts, and a plug pulled while writing harms nothing.
[Journal]
Storage=volatile
RuntimeMaxUse=16M
"""

MANAGER: Final = """\
# The machine's own watchdog: it starts the machine again when the system itself hangs. A Pi's ends near 16 s.
[Manager]
RuntimeWatchdogSec=14
"""
