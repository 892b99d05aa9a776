"""STL and 3MF: files read back equal, and the same parts give the same bytes."""

from __future__ import annotations

import io
import zipfile
from itertools import combinations
from xml.etree import ElementTree

import pytest

from pi_app.plans.printed.files import placed, read_stl, stl, three_mf
from pi_app.plans.printed.parts import PARTS, assembled, on_bed
from pi_app.plans.printed.solid import block, bounds, disc, is_whole, rectangle
from tests.pi_app.plans.printed.made import USUAL, parts

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"


@pytest.mark.parametrize("name", PARTS)
def test_a_part_comes_back_from_its_file(name: str) -> None:
    solid = on_bed(name, parts()[name])
    again = read_stl(stl(solid))
    assert is_whole(again)
    assert again.volume() == pytest.approx(solid.volume(), rel=1e-4)
    assert bounds(solid)[0][2] == pytest.approx(0)


def test_the_bytes_of_a_triangle() -> None:
    data = stl(block(rectangle(0, 0, 1, 2), 0, 3))
    assert data[:33] == b"Trapdial, binary STL, millimetres"
    assert data[80:84] == (12).to_bytes(4, "little")
    assert len(data) == 84 + 12 * 50
    assert data[84:96] == bytes(12)


def test_the_same_parts_have_the_same_bytes() -> None:
    again = assembled(USUAL)
    for name in ("dial", "spring", "clamp"):
        assert stl(again[name]) == stl(parts()[name])
    assert three_mf({"clamp": again["clamp"]}) == three_mf({"clamp": parts()["clamp"]})


def test_parts_lie_beside_each_other_on_the_bed() -> None:
    lying = placed({name: on_bed(name, solid) for name, solid in parts().items()})
    assert sorted(lying) == sorted(PARTS)
    boxes = [bounds(solid) for solid in lying.values()]
    assert all(low.min() >= -1e-6 and high.max() <= 220 for low, high in boxes)
    for (low, high), (other_low, other_high) in combinations(boxes, 2):
        assert (low[:2] > other_high[:2]).any() or (other_low[:2] > high[:2]).any()


def test_a_bed_that_is_too_small() -> None:
    with pytest.raises(ValueError, match=r"^plate does not fit on a bed of 30 mm$"):
        placed({"plate": block(disc(40), 0, 2)}, 30)


def test_slicers_can_read_the_3mf() -> None:
    lying = placed({"clamp": parts()["clamp"], "spring": parts()["spring"]})
    with zipfile.ZipFile(io.BytesIO(three_mf(lying))) as archive:
        assert archive.namelist() == ["[Content_Types].xml", "_rels/.rels", "3D/3dmodel.model"]
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        model = ElementTree.fromstring(archive.read("3D/3dmodel.model"))
    assert model.get("unit") == "millimeter"
    objects = model.findall(f"{CORE}resources/{CORE}object")
    assert [each.get("name") for each in objects] == [*lying]
    assert [item.get("objectid") for item in model.findall(f"{CORE}build/{CORE}item")] == ["1", "2"]
    for each, solid in zip(objects, lying.values(), strict=True):
        faces = [[int(face.get(key, "")) for key in ("v1", "v2", "v3")] for face in each.iter(f"{CORE}triangle")]
        edges = [(face[n], face[n - 1]) for face in faces for n in range(3)]
        assert len(faces) == solid.num_tri()
        assert sorted(edges) == sorted((b, a) for a, b in edges), "every side belongs to two triangles"
