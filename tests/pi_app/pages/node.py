"""The functions of `crypto.js`, run by Node and called from a test."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

NODE: Final = shutil.which("node")
MISSING: Final = "no Node.js on this machine; Debian's package is nodejs"

_PIPE: Final = Path(__file__).with_name("crypto_pipe.js")
_CRYPTO: Final = Path(__file__).resolve().parents[3] / "pi_app/pages/page/crypto.js"


class CryptoJs:
    """One Node process; close it by leaving the `with` block."""

    def __init__(self, *more: str) -> None:
        """`more`: other scripts of the page's folder, which come after crypto.js."""
        assert NODE is not None, MISSING
        files = [str(_CRYPTO), *(str(_CRYPTO.with_name(name)) for name in more)]
        self._process = subprocess.Popen([NODE, str(_PIPE), *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def call(self, name: str, *arguments: Any) -> Any:
        """Call one function; bytes go and come as bytes."""
        return _read(self._asked(json.dumps([name, *map(_written, arguments)]).encode()))

    def messages(self, packed: bytes) -> Any:
        """Open and seal many messages: how many were right, or a sentence on the first that was not."""
        return self._asked(b"\0" + packed)

    def _asked(self, request: bytes) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(len(request).to_bytes(4, "big") + request)
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def _written(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [*map(_written, value)]
    return value


def _read(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"hex"}:
        return bytes.fromhex(value["hex"])
    if isinstance(value, dict):
        return {key: _read(each) for key, each in value.items()}
    return value
