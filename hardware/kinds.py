"""Kinds of chips, each in a file of its own that is read when somebody asks for the first one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

Kind = TypeVar("Kind")


class Kinds(Mapping[str, Kind]):
    """Kinds by their names in the settings. A name is that of a file in `hardware/chips`, whose `KIND` is the value."""

    def __init__(self, kind: type[Kind], *names: str) -> None:
        self._kind, self._names = kind, names

    def __getitem__(self, name: str) -> Kind:
        if name not in self._names:
            raise KeyError(name)
        kind = import_module(f"hardware.chips.{name}").KIND
        assert isinstance(kind, self._kind)
        return kind

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
