"""The unit with which systemd runs a centre, as text. Pure.

Sources: systemd.service(5), systemd.exec(5), systemd.resource-control(5).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

USER: Final = "trapdial-centre"
STATE: Final = "/var/lib/trapdial-centre"
UNIT: Final = "/etc/systemd/system/trapdial-centre.service"

FIRST_FREE_PORT: Final = 1024
"""Ports below this need a right of their own."""

WATCHDOG_S: Final = 30
MOST_MEMORY: Final = "1G"
MOST_FILES: Final = 65_536
"""Each table has a connection, and each is an open file."""


@dataclass(frozen=True, slots=True)
class CentreUnit:
    """What the unit depends on. `program`: the path of `trapdial`; `settings`: that of centre.toml; `port`: where the
    centre listens."""

    program: str
    settings: Path
    port: int

    def text(self) -> str:
        """Write the unit."""
        right = "CAP_NET_BIND_SERVICE" if self.port < FIRST_FREE_PORT else ""
        ambient = f"AmbientCapabilities={right}\n" if right else ""
        folder = self.settings.parent
        writes = (
            "" if str(folder) == STATE else f"# SQLite keeps its files beside the settings.\nReadWritePaths={folder}\n"
        )
        return f"""\
# {UNIT}
# Printed by `trapdial centre run --print-unit`. Put changes of your own into a drop-in: systemctl edit trapdial-centre

[Unit]
Description=Trapdial, a centre: it keeps the records of many tables
Wants=network-online.target
After=network-online.target postgresql.service
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={self.program} centre run -s {self.settings}
# It waits for its database as long as that takes.
TimeoutStartSec=infinity
Restart=always
RestartSec=2
# A stop by SIGTERM is an end in good order: the unit is inactive then, not failed.
SuccessExitStatus=143
WatchdogSec={WATCHDOG_S}
TimeoutStopSec=20
KillMode=mixed
User={USER}
Group={USER}
StateDirectory={STATE.rpartition("/")[2]}
StateDirectoryMode=0700
WorkingDirectory={STATE}
{writes}Environment=LANG=C.UTF-8 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
LimitNOFILE={MOST_FILES}
MemoryMax={MOST_MEMORY}

NoNewPrivileges=yes
CapabilityBoundingSet={right}
{ambient}ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProcSubset=pid
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
PrivateTmp=yes
PrivateDevices=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
LimitCORE=0
UMask=0077

[Install]
WantedBy=multi-user.target
"""
