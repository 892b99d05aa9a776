"""Print values with secrets as `(sealed)`, in log lines, tracebacks and pretty printers."""

from __future__ import annotations

from typing import Any, Final

SEALED: Final = "(sealed)"


class Sealed:
    """A mixin: the value prints as `Name((sealed))`, also by rich's `__rich_repr__`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({SEALED})"

    __str__ = __repr__

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("contents", SEALED)]
