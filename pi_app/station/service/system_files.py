"""Files of a station that are the same everywhere: rules for devices, drop-ins, and what each unit is kept from."""

from __future__ import annotations

from typing import Final

from pi_app.station.staff.stick import RULE

LOCKED_DOWN: Final = """\
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
PrivateTmp=yes
RestrictAddressFamilies=AF_UNIX AF_INET
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
LimitCORE=0
UMask=0077
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
