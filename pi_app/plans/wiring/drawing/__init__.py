"""The wiring of a table as a drawing: every part with its pins, every wire from pin to pin.

`strands` lists the wires, `columns` places each part, `boxes` shapes it, `paths` routes each wire, `heights` and
`tracks` give the coordinates; `layout` has the result. `paint` draws it, `badges` adds the doctor's findings, `legend`
explains everything, `frame` puts it on paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pi_app.plans.pictures.marks import Picture
from pi_app.plans.wiring.drawing.badges import Badge, BadgeKind
from pi_app.plans.wiring.drawing.frame import framed
from pi_app.plans.wiring.drawing.layout import laid_out
from pi_app.plans.wiring.drawing.paint import painted
from pi_app.plans.wiring.values import Wiring

NO_MARKS: Final[Mapping[str, Badge]] = MappingProxyType({})


def drawn(
    wiring: Wiring, marks: Mapping[str, Badge] = NO_MARKS, notes: Sequence[str] = (), *, simulated: bool = False
) -> str:
    """The drawing as SVG. `marks`: the findings by part id; `notes`: further advice. `simulated`: print that in big
    letters."""
    from pi_app.plans.pictures.svg import svg

    return svg(scene_of(wiring, marks, notes, simulated=simulated))


def scene_of(
    wiring: Wiring, marks: Mapping[str, Badge] = NO_MARKS, notes: Sequence[str] = (), *, simulated: bool = False
) -> Picture:
    """The drawing as marks."""
    advised = {part: n for n, (part, mark) in enumerate(((p, m) for p, m in marks.items() if m.advice), 1)}
    said = {part: _said(mark, advised.get(part)) for part, mark in marks.items()}
    layout = laid_out(wiring, said)
    shapes = tuple(painted(layout, marks))
    advice = [*(marks[part].advice for part in advised), *notes]
    return framed(wiring, layout, shapes, marks, advice, simulated=simulated)


def _said(mark: Badge, number: int | None) -> str:
    word = mark.word or mark.seen.value
    return word if number is None else f"{word}: see {number}"


__all__ = ["Badge", "BadgeKind", "drawn", "scene_of"]
