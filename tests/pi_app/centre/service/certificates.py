"""Certificates for tests, each signed by itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

REQUEST = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=IP:127.0.0.1",
]


def make_certificates(folder: Path, *names: str) -> None:
    """Make NAME.pem and NAME.key of this machine, or skip the test."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: it makes the certificates of this test")
    for name in names:
        subprocess.run(
            [openssl, *REQUEST, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"],
            check=True,
            capture_output=True,
        )
