"""Shuffled trap tables for one game, so that knowing the printed dials gives no advantage (S-9).

Pure: the caller passes the source of random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from pi_app.game.trap_table import REACH_OF_A_DIE, Face, TrapTable

Pick = Callable[[int], int]
"""n -> a number from 0 to n-1, all equally likely."""

T = TypeVar("T")


def dealt(tables: Sequence[TrapTable], pick: Pick) -> tuple[TrapTable, ...]:
    """The same tables on other squares, with the faces within reach of one die reordered. Tables are exchanged only
    between dials with as many clicks and the same marks, so that the start and disarmed marks stay in place."""
    places: dict[object, list[int]] = {}
    for place, table in enumerate(tables):
        places.setdefault((table.clicks, _marks(table)), []).append(place)
    out = list(tables)
    for alike in places.values():
        for place, source in zip(alike, permuted(alike, pick), strict=True):
            out[place] = _turned(tables[source], pick)
    return tuple(out)


def permuted(values: Sequence[T], pick: Pick) -> list[T]:
    """In random order, all orders equally likely (Fisher and Yates)."""
    out = list(values)
    for last in range(len(out) - 1, 0, -1):
        other = pick(last + 1)
        out[last], out[other] = out[other], out[last]
    return out


_MARKS: Final = ("start", "disarmed")


def _marks(table: TrapTable) -> tuple[tuple[int, str], ...]:
    return tuple((face.position, face.kind) for face in table.faces if face.kind in _MARKS)


def _turned(table: TrapTable, pick: Pick) -> TrapTable:
    """Reorder the faces within reach of a die (T-DIAL-10). A click keeps its printed number."""
    within = [face for face in table.faces if face.position in REACH_OF_A_DIE and face.kind not in _MARKS]
    faces = list(table.faces)
    for place, face in zip(within, permuted(within, pick), strict=True):
        faces[place.position] = _moved(face, place)
    return replace(table, faces=tuple(faces))


def _moved(face: Face, place: Face) -> Face:
    number = place.position if place.click_number is None else place.click_number
    return replace(face, position=place.position, click_number=number)
