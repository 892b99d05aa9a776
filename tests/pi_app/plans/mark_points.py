"""The points of a plot's marks."""

from __future__ import annotations

from pi_app.plans.pictures.marks import Area, Areas, Block, Disc, Mark, Point, Polyline, Polylines, Text


def points(mark: Mark) -> list[Point]:
    match mark:
        case Polyline() | Area():
            return list(mark.points)
        case Polylines(ways) | Areas(ways):
            return [point for points_ in ways for point in points_]
        case Disc((x, y), radius):
            return [(x - radius, y - radius), (x + radius, y + radius)]
        case Block(rect):
            return [(rect.x, rect.y), (rect.right, rect.bottom)]
        case Text((x, y), text, size, _, anchor):
            width = 0.55 * size * len(text)
            left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
            return [(left, y - size), (left + width, y)]
