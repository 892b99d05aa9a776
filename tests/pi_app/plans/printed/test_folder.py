"""All files of one kind of square, or a refusal and no files."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.plans.printed import checks as measured
from pi_app.plans.printed import folder
from pi_app.plans.printed.checks import MeshCheck
from pi_app.plans.printed.files import placed
from pi_app.plans.printed.folder import made, write_parts
from pi_app.plans.printed.parts import PARTS, PLATES, on_bed
from pi_app.plans.printed.square import PrintedSquare
from pi_app.text.errors import UserFileError
from tests.pi_app.plans.printed.made import parts


def test_everything_is_written(tmp_path: Path) -> None:
    report = write_parts(tmp_path / "parts", 12)
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == sorted(report.files)
    names = [*(f"{name}.stl" for name in PARTS), "trap_square.scad", *PLATES, "parts.md"]
    assert sorted(report.files) == sorted(names)
    assert report.square == PrintedSquare(clicks=12)
    page = (tmp_path / "parts" / "parts.md").read_text(encoding="utf-8")
    assert page.startswith("# Printed parts of a trap square with 12 clicks\n\nThese parts have not been printed yet.")
    assert all(f"| {name}.stl |" in page for name in PARTS)
    assert "| dial | lobes | 12 | 12 |" in page


def refusal(**wrong: object) -> tuple[str, ...]:
    with pytest.raises(UserFileError) as refused:
        made(replace(PrintedSquare(), **wrong))  # type: ignore[arg-type]
    return refused.value.problems


def test_numbers_are_refused_before_anything_is_made() -> None:
    assert refusal(clicks=5, board=30) == refusal(clicks=5)


def test_a_failed_check_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missed = MeshCheck("comb", "longest side", 76.0, "mm", None, 60)
    monkeypatch.setattr(measured, "checks", lambda *_, **__: (missed,))
    with pytest.raises(UserFileError) as refused:
        write_parts(tmp_path / "parts", 12)
    assert refused.value.problems == (
        "comb (longest side): measured 76.00 mm, must be at most 60 mm. Change the numbers of the square.",
    )
    assert not (tmp_path / "parts").exists()


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "find_spec", lambda name: None if name == "manifold3d" else sys.modules[name].__spec__)
    with pytest.raises(UserFileError) as refused:
        write_parts(tmp_path / "parts", 12)
    assert refused.value.problems == (
        "printed parts: the geometry library is not installed (manifold3d). Install it with "
        "`trapdial extras install parts`.",
    )


def test_the_refusal_needs_no_geometry_library() -> None:
    program = "import sys; sys.modules['manifold3d'] = None; import pi_app.plans.printed.folder"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "parts").write_text("mine")
    with pytest.raises(UserFileError) as refused:
        write_parts(tmp_path / "parts", 12)
    assert refused.value.problems == (f"{tmp_path / 'parts'}: it is a file. Name a folder for the parts.",)
    assert (tmp_path / "parts").read_text() == "mine"


def test_a_disk_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "made", lambda *_, **__: ({"top.stl": b""}, ()))
    (tmp_path / "parts" / "top.stl").mkdir(parents=True)
    with pytest.raises(UserFileError) as refused:
        write_parts(tmp_path / "parts", 12)
    assert refused.value.problems == (
        f"{tmp_path / 'parts'}: the parts cannot be written (Is a directory). "
        "Check the folder, its permissions and the disk.",
    )


def test_plates_need_no_large_printer() -> None:
    lying = {name: on_bed(name, solid) for name, solid in parts().items()}
    for names in PLATES.values():
        assert sorted(placed({name: lying[name] for name in names}, 150)) == sorted(names)


def test_a_plate_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "checks", lambda *_, **__: ())
    with pytest.raises(UserFileError) as refused:
        made(PrintedSquare(), bed=90)
    assert refused.value.problems == ("plate (square.3mf): top does not fit on a bed of 90 mm. Use a larger bed.",)
