"""Write printed parts as binary STL, and as 3MF with several parts side by side. In mm; the same parts give the same
bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Final
from xml.sax.saxutils import quoteattr

import numpy as np

from pi_app.plans.printed.solid import Floats, Solid, bounds, from_triangles, triangles
from pi_app.plans.printed.square import BED

_TRIANGLE: Final = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("nothing", "<u2")])
_HEAD: Final = b"Trapdial, binary STL, millimetres".ljust(80)
APART: Final = 5.0
"""Between two parts on the bed, and to its edge."""
_THEN: Final = (1980, 1, 1, 0, 0, 0)
_CORE: Final = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_MODEL: Final = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006"


def stl(solid: Solid) -> bytes:
    """One part as binary STL; normals are zero, since slicers compute them from the corners."""
    corners = triangles(solid)
    rows = np.zeros(len(corners), dtype=_TRIANGLE)
    rows["corners"] = corners
    return _HEAD + len(rows).to_bytes(4, "little") + rows.tobytes()


def read_stl(data: bytes) -> Solid:
    """The solid of a binary STL, equal corners merged."""
    corners: Floats = np.frombuffer(data, dtype=_TRIANGLE, offset=84)["corners"].astype(np.float64)
    return from_triangles(corners)


# --------------------------------------------------------------------------------------------------- a plate


def placed(parts: Mapping[str, Solid], bed: float = BED) -> dict[str, Solid]:
    """Arrange the parts in rows, largest first. Raises ValueError if they do not fit the bed."""
    rest = sorted(parts.items(), key=lambda item: -float((bounds(item[1])[1] - bounds(item[1])[0])[1]))
    x = y = row = APART
    found = {}
    for name, solid in rest:
        low, high = bounds(solid)
        wide, deep, _ = (high - low).tolist()
        if x + wide + APART > bed:
            x, y = APART, y + row + APART
            row = 0.0
        if x + wide + APART > bed or y + deep + APART > bed:
            raise ValueError(f"{name} does not fit on a bed of {bed:g} mm")
        found[name] = solid.translate((x - low[0], y - low[1], -low[2]))
        x, row = x + wide + APART, max(row, deep)
    return found


def three_mf(parts: Mapping[str, Solid]) -> bytes:
    """A 3MF file: each part is a named object in its place."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _members(parts):
            info = zipfile.ZipInfo(name, _THEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text)
    return file.getvalue()


def _members(parts: Mapping[str, Solid]) -> Iterator[tuple[str, str]]:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    kinds = (
        ("rels", "application/vnd.openxmlformats-package.relationships+xml"),
        ("model", "application/vnd.ms-package.3dmanufacturing-3dmodel+xml"),
    )
    defaults = "".join(f'<Default Extension="{end}" ContentType="{kind}"/>' for end, kind in kinds)
    yield "[Content_Types].xml", f'{head}<Types xmlns="{_RELATIONS}/content-types">{defaults}</Types>'
    start = f'Target="/3D/3dmodel.model" Id="model" Type="{_MODEL}"'
    yield (
        "_rels/.rels",
        f'{head}<Relationships xmlns="{_RELATIONS}/relationships"><Relationship {start}/></Relationships>',
    )
    objects = "".join(_object(number, name, solid) for number, (name, solid) in enumerate(parts.items(), 1))
    items = "".join(f'<item objectid="{number}"/>' for number in range(1, len(parts) + 1))
    body = f"<resources>{objects}</resources><build>{items}</build>"
    yield "3D/3dmodel.model", f'{head}<model unit="millimeter" xml:lang="en" xmlns="{_CORE}">{body}</model>'


def _object(number: int, name: str, solid: Solid) -> str:
    points, order = np.unique(np.round(triangles(solid), 5).reshape(-1, 3), axis=0, return_inverse=True)
    vertices = "".join(f'<vertex x="{x:.5f}" y="{y:.5f}" z="{z:.5f}"/>' for x, y, z in points.tolist())
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in order.reshape(-1, 3).tolist())
    mesh = f"<mesh><vertices>{vertices}</vertices><triangles>{faces}</triangles></mesh>"
    return f'<object id="{number}" type="model" name={quoteattr(name)}>{mesh}</object>'
