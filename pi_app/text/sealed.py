"""Print values with secrets as `(sealed)`, in log lines, tracebacks and pretty printers."""

from __future__ import annotations

from typing import Any, ClassVar, Final

SEALED: Final = "(sealed)"


class Sealed:
    """A mixin: the value prints as `Name((sealed))`, also by rich's `__rich_repr__`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({SEALED})"

    __str__ = __repr__

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("contents", SEALED)]


class PartlySealed:
    """Mixed into a value, it prints the fields that `_open` names, and `_hidden` as `(sealed)`."""

    __slots__ = ()
    _open: ClassVar[tuple[str, ...]]
    _hidden: ClassVar[str]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._open)
        return f"{type(self).__name__}({fields}, {self._hidden}={SEALED})"

    __str__ = __repr__

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [*((name, getattr(self, name)) for name in self._open), (self._hidden, SEALED)]
