"""Both libraries compute the same hash."""

from __future__ import annotations

import hashlib
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from nacl import bindings as sodium

from pi_app.journal.record import sha


@given(st.binary(max_size=3000))
def test_both_give_the_same(data: bytes) -> None:
    sha.in_bulk()
    assert sha.sha256(data) == hashlib.sha256(data).digest() == sodium.crypto_hash_sha256(data)


def test_a_table_that_is_played_loads_no_openssl() -> None:
    program = "import sys, pi_app.simulated.demo; sys.exit('hashlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
