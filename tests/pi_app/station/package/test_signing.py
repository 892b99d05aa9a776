"""The builder's key: made once, outside of the source, readable for its owner alone; what `make deb` says of it."""

from __future__ import annotations

import base64
import zipfile
from pathlib import Path

import pytest

from pi_app.station.package import __main__ as command
from pi_app.station.package import build
from pi_app.station.package.build import Signer
from pi_app.station.package.debian import Package
from pi_app.station.package.signing import key_place, make_key, open_key, read_public
from pi_app.station.package.wheelhouse import ROOT, CannotBuildError, own
from pi_app.station.updates.minisign import SUFFIX
from tests.station.tiny import BUILDER, key


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the builder's key is to be."""
    monkeypatch.delenv("TRAPDIAL_BUILDER_KEY", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config/trapdial/builder.key"


def refusal(file: Path) -> str:
    with pytest.raises(CannotBuildError) as refused:
        open_key(file)
    return str(refused.value)


def test_the_first_build_makes_the_key_and_says_so(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert key_place() == place
    first = command.find_signer(None, None)
    assert capsys.readouterr().err.startswith(f"{place}: there was no builder's key, so this one was made. Keep a copy")
    assert place.stat().st_mode & 0o777 == 0o600
    assert (first.trusted, place.with_suffix(".pub").read_bytes()) == (first.key.public_text,) * 2
    assert command.find_signer(None, None) == first
    assert command.find_signer(place, None) == first
    assert capsys.readouterr().err == ""


def test_a_variable_names_another_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_key(tmp_path / "stick/mine.key")
    monkeypatch.setenv("TRAPDIAL_BUILDER_KEY", str(tmp_path / "stick/mine.key"))
    assert command.find_signer(None, None).key == made


def test_a_key_that_was_named_is_never_made(tmp_path: Path) -> None:
    with pytest.raises(CannotBuildError) as refused:
        command.find_signer(tmp_path / "none.key", None)
    assert str(refused.value) == (
        f"{tmp_path}/none.key: this key cannot be read (No such file or directory). Name a key of minisign."
    )


def test_a_key_is_never_written_over(place: Path) -> None:
    make_key(place)
    with pytest.raises(CannotBuildError, match=r"the builder's key cannot be written \(File exists\)"):
        make_key(place)


def test_a_key_in_the_source_is_refused() -> None:
    file = ROOT / "builder.key"
    assert refusal(file) == f"{file}: the builder's key lies in the source. Move it to a place of your own."
    with pytest.raises(CannotBuildError, match="lies in the source"):
        make_key(file)


def test_what_is_no_key_is_refused(tmp_path: Path, place: Path) -> None:
    make_key(place)
    head, line = place.read_bytes().splitlines()
    data = base64.b64decode(line)
    file = tmp_path / "other.key"
    for text in (b"", head, head + b"\n?", place.with_suffix(".pub").read_bytes()):
        file.write_bytes(text)
        assert refusal(file).startswith(f"{file}: this ")
    file.write_bytes(head + b"\n" + base64.b64encode(data[:2] + b"Sc" + data[4:]))
    assert refusal(file) == (f"{file}: this key has a passphrase. Take it off a copy with: minisign -C -W -s {file}")


def test_a_damaged_copy_of_a_key_is_refused(tmp_path: Path, place: Path) -> None:
    """It would sign packages that no station takes."""
    make_key(place)
    head, line = place.read_bytes().splitlines()
    whole = base64.b64decode(line)
    file = tmp_path / "copy.key"
    for at in (62, 93, 94, 125):  # both ends of the secret half, and of the public one
        data = bytearray(whole)
        data[at] ^= 1
        file.write_bytes(head + b"\n" + base64.b64encode(data))
        assert refusal(file) == (
            f"{file}: this key is damaged: its two halves do not belong together. Take another copy of it."
        )


def test_a_next_key_needs_a_key_that_signs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--unsigned", "--next-key", str(tmp_path / "next.pub")])
    assert "--next-key needs a key that signs: leave --unsigned out" in capsys.readouterr().err


def test_a_folder_that_takes_no_package_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_key(tmp_path / "mine.key")
    (tmp_path / "file").touch()
    assert command.main(["--key", str(tmp_path / "mine.key"), "--into", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == (
        f"The package was not built: {tmp_path}/file: it cannot be written (File exists). Make room there, or name "
        "another folder with --into.\n"
    )


def test_a_time_that_is_none_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for time in ("noon", "-5", "1e9"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", time)
        assert command.main(["--unsigned", "--into", str(tmp_path)]) == 1
        assert capsys.readouterr().err == (
            f"The package was not built: SOURCE_DATE_EPOCH is {time!a}, not a number of seconds since 1970. Write one, "
            "or unset it.\n"
        )
    assert not [*tmp_path.glob("*.deb")]


def test_an_old_signature_is_never_beside_a_new_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build without a key, or one that a full disk ends, leaves no signature of the package before."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # a machine without git has no date of the source
    monkeypatch.setattr(build, "own", lambda *_: tmp_path / "trapdial.whl")
    monkeypatch.setattr(build, "fetched", lambda *_: [])
    monkeypatch.setattr(build, "package", lambda *_: Package({"Package": "trapdial"}, {}, {}, ()))
    (signed,) = build.built(["amd64"], tmp_path, "1.0", Signer(BUILDER, BUILDER.public_text))
    beside = signed.with_name(signed.name + SUFFIX)
    assert beside.exists()
    assert build.built(["amd64"], tmp_path, "1.0") == [signed]
    assert not beside.exists()


def test_packages_can_name_the_key_of_those_after_them(tmp_path: Path, place: Path) -> None:
    old = make_key(place)
    (tmp_path / "next.pub").write_bytes(key("N").public_text)
    assert command.find_signer(None, tmp_path / "next.pub") == Signer(old, key("N").public_text)
    with pytest.raises(CannotBuildError, match="this is no public key of minisign"):
        read_public(place)


@pytest.mark.slow
def test_the_program_in_a_package_knows_its_builder_and_one_without_a_key_knows_nobody(tmp_path: Path) -> None:
    for builder in (BUILDER.public_text, None):
        folder = tmp_path / str(builder is None)
        folder.mkdir()
        with zipfile.ZipFile(own(folder, 0, "0.2.0", builder)) as wheel:
            names = [name for name in wheel.namelist() if name.endswith(".pub")]
            assert names == ([] if builder is None else ["pi_app/station/updates/builder.pub"])
            assert [wheel.read(name) for name in names] == ([] if builder is None else [builder])
