"""A package index, or somebody on the way to it, gives another file than the one that Trapdial was locked with. On a
centre, root would run it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pi_app.text.errors import UserFileError
from pi_app.workshop import extras


@pytest.mark.slow
def test_another_file_than_the_locked_one_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same name and version, and even the newest that is allowed."""
    (pin,) = [line for line in extras.lock_of("hub").read_text(encoding="utf-8").splitlines() if "==" in line]
    version = pin.partition("==")[2].split()[0]
    index, target = tmp_path / "index", tmp_path / "target"
    index.mkdir()
    with zipfile.ZipFile(index / f"mpremote-{version}-py3-none-any.whl", "w") as wheel:
        info = f"mpremote-{version}.dist-info"
        wheel.writestr("mpremote.py", "# what somebody else put in its place\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: mpremote\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    for name, value in {"NO_INDEX": "1", "FIND_LINKS": str(index), "TARGET": str(target)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(UserFileError) as refused:
        extras.install("hub", extras.requirements("hub"))
    assert "pip could not install mpremote (a file is not the locked one). Do not install it: " in str(refused.value)
    assert not target.exists()
    extras.install("hub", extras.requirements("hub"), locked=False)
    assert (target / "mpremote.py").exists(), "this index has what is asked for; only the hash is another"
