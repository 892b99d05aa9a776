"""What must never be seen on a drawing, as lists of what is: empty if all is well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pi_app.plans.pictures.marks import Area, Block, Disc, Picture, Point, Polyline, Rect, Text
from pi_app.plans.wiring.drawing.layout import DrawingLayout, Routed
from pi_app.plans.wiring.drawing.style import extent

Piece = tuple[Point, Point]


def pieces(wire: Routed) -> Iterator[Piece]:
    """The straight pieces of a wire that have a length."""
    for one, other in pairwise(wire.points):
        if one != other:
            yield one, other


def overlapping(rects: Iterable[tuple[str, Rect]]) -> list[tuple[str, str]]:
    """Pairs that share more than an edge."""
    found = []
    open_: list[tuple[str, Rect]] = []
    for name, rect in sorted(rects, key=lambda each: each[1].y):
        open_ = [each for each in open_ if each[1].bottom > rect.y]
        found += [(other, name) for other, there in open_ if rect.overlaps(there)]
        open_.append((name, rect))
    return found


def slanted(layout: DrawingLayout) -> list[Piece]:
    """Pieces of wires that are neither level nor upright."""
    every = (piece for wire in layout.wires for piece in pieces(wire))
    return [piece for piece in every if piece[0][0] != piece[1][0] and piece[0][1] != piece[1][1]]


def through_boxes(layout: DrawingLayout) -> list[tuple[str, str]]:
    """Wires that run inside a box, with the box."""
    boxes = [(part, placed.rect.grown(-0.5)) for part, placed in layout.boxes.items()]
    return [
        (wire.strand.lead.label, part)
        for wire in layout.wires
        for piece in pieces(wire)
        for part, rect in boxes
        if room_of(piece).overlaps(rect)
    ]


def room_of(piece: Piece) -> Rect:
    (x, y), (to_x, to_y) = piece
    return Rect(min(x, to_x), min(y, to_y), abs(to_x - x), abs(to_y - y)).grown(0.01)


def on_top_of_each_other(layout: DrawingLayout) -> list[tuple[float, Piece]]:
    """Wires that share a stretch, not only a crossing."""
    lines: dict[tuple[str, float], list[tuple[float, float, int]]] = defaultdict(list)
    for n, wire in enumerate(layout.wires):
        for (x, y), (to_x, to_y) in pieces(wire):
            if y == to_y:
                lines["level", round(y, 3)].append((min(x, to_x), max(x, to_x), n))
            else:
                lines["upright", round(x, 3)].append((min(y, to_y), max(y, to_y), n))
    found = []
    for (_, at), stretches in lines.items():
        stretches.sort()
        for (_, end, one), (start, stop, other) in pairwise(stretches):
            if start < end and one != other:
                found.append((at, ((start, end), (start, stop))))
    return found


def under_foreign_labels(layout: DrawingLayout) -> list[tuple[str, str]]:
    """Wires of one lead that run under the sleeve of another, or under what is soldered into another."""
    covers = [(sleeve.lead, sleeve.rect.grown(-0.5)) for sleeve in layout.sleeves]
    covers += [
        (each.strand.lead.label, rect.grown(-0.5)) for each in layout.codes for rect in (each.rect, *each.series)
    ]
    found = []
    for wire in layout.wires:
        rooms = [room_of(piece) for piece in pieces(wire)]
        label = wire.strand.lead.label
        foreign = [(lead, rect) for lead, rect in covers if lead != label]
        found += [(label, lead) for lead, rect in foreign if any(room.overlaps(rect) for room in rooms)]
    return found


def words_on_words(scene: Picture) -> list[tuple[str, str]]:
    """Texts that touch each other."""
    return overlapping((words.text, extent(words)) for words in scene.marks if isinstance(words, Text))


def words_across_edges(scene: Picture, layout: DrawingLayout) -> list[str]:
    """Texts that lie partly in a part's box and partly outside of it."""
    blocks = [shape for shape in scene.marks if isinstance(shape, Block)]
    boxes = [block.rect for block in blocks if block.ink == "board" and block.corner == 4]
    assert len(boxes) == len(layout.boxes)
    words = [shape for shape in scene.marks if isinstance(shape, Text)]
    return [each.text for each in words for box in boxes if extent(each).overlaps(box) and not box.holds(extent(each))]


def outside(scene: Picture) -> list[object]:
    """What lies beyond the sheet."""
    sheet = Rect(0, 0, scene.width, scene.height)
    return [shape for shape in scene.marks if not all(sheet.holds(rect) for rect in _rooms(shape))]


def _rooms(shape: object) -> Sequence[Rect]:
    match shape:
        case Polyline(points=points) | Area(points=points):
            return [Rect(x, y, 0, 0) for x, y in points]
        case Block(rect=rect):
            return [rect]
        case Text():
            return [extent(shape)]
        case Disc(at=(x, y), radius=radius):
            return [Rect(x, y, 0, 0).grown(radius)]
    raise AssertionError(shape)
