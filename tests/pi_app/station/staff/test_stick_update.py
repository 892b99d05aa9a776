"""What the staff page says of a stick, and what it asks for: the package that was confirmed, and no other."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.station.package.signing import sign
from pi_app.station.service.systemctl import Systemd
from pi_app.station.staff.stick_update import NOT_ASKED, ON_TRIAL, REFUSED, UPDATE_BEGINS, Offer, StickUpdate
from pi_app.station.updates import trees
from pi_app.station.updates.minisign import read_signature
from pi_app.station.updates.placing import install
from pi_app.station.updates.refusals import PackageRefusedError, Refusal, last_refusal, note_refusal
from pi_app.station.updates.trust import read_request
from pi_app.text.errors import UserFileError
from tests.pi_app.hosts import host, put
from tests.station.tiny import BUILDER, NEW, OLD, enabled, key, payload, quiet, tiny_package, trust


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """A USB stick without a package."""
    put(tmp_path, "proc/mounts", "/dev/sda1 /media/trapdial vfat rw,nosuid 0 0\n")
    folder = tmp_path / "media/trapdial"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of the trees, with version 1.0."""
    folder = tmp_path / "home"
    folder.mkdir()
    install(payload(tmp_path, OLD), folder, enabled())
    return folder


@pytest.fixture
def update(tmp_path: Path, home: Path) -> StickUpdate:
    """The updates of that station."""
    return StickUpdate(
        host=host(tmp_path),
        request=tmp_path / "run/update",
        home=home,
        builder=lambda: trust().builder,
        program=OLD,
    )


def on_stick(stick: Path, version: str = NEW) -> Path:
    """A package on the stick, with the signature of the builder."""
    folder = stick.parent / f"made-{version}"
    folder.mkdir(exist_ok=True)
    file = stick / f"trapdial_{version}_arm64.deb"
    file.write_bytes(tiny_package(folder, version, None).read_bytes())
    sign(file, BUILDER, 0)
    return file


def signature_of(package: Path) -> Path:
    return package.with_name(f"{package.name}.minisig")


def test_a_signed_package_is_offered_with_its_version_and_its_signer(update: StickUpdate, stick: Path) -> None:
    signed = read_signature(signature_of(on_stick(stick)).read_bytes()).signed
    assert update.offer(str) == Offer(
        "Version 2.0 is on the stick, signed by the builder of this station (key 4242424242424242). "
        "Version 1.0 runs now.",
        base64.b64encode(signed).decode(),
        "Install version 2.0",
    )


def test_several_packages_are_named_and_none_is_offered(update: StickUpdate, stick: Path) -> None:
    for version in (NEW, "3.0"):
        on_stick(stick, version)
    assert update.offer(str) == Offer(
        "The stick has several packages: trapdial_2.0_arm64.deb, trapdial_3.0_arm64.deb. Leave only the right one on "
        "it, and try again."
    )


def test_what_is_not_the_builders_is_not_offered(update: StickUpdate, stick: Path) -> None:
    package = on_stick(stick)
    sign(package, key("E"), 0)
    assert update.offer(str) == Offer(REFUSED[Refusal.OTHER_SIGNER])
    signature_of(package).write_bytes(b"no signature")
    assert update.offer(str) == Offer(REFUSED[Refusal.DAMAGED])
    signature_of(package).unlink()
    assert update.offer(str) == Offer(REFUSED[Refusal.UNSIGNED])
    signature_of(package).mkdir()
    assert update.offer(str) == Offer(REFUSED[Refusal.DAMAGED])
    assert replace(update, builder=lambda: None).offer(str) == Offer(REFUSED[Refusal.NO_BUILDER])


def test_the_version_that_is_shown_is_signed(update: StickUpdate, stick: Path) -> None:
    """The name of the file on the stick says nothing: anybody can change it."""
    package = on_stick(stick)
    signature_of(package).rename(stick / "trapdial_9.9_arm64.deb.minisig")
    package.rename(stick / "trapdial_9.9_arm64.deb")
    assert update.offer(str).button == "Install version 2.0"


def test_only_what_was_confirmed_is_asked_for(update: StickUpdate, stick: Path) -> None:
    token = update.offer(str).token
    package = on_stick(stick)
    assert update.begin(token, str) == REFUSED[Refusal.CHANGED]
    token = update.offer(str).token
    assert update.begin(token, str) == NOT_ASKED, "there is no folder for it"
    update.request.parent.mkdir()
    assert update.begin(token, str) == UPDATE_BEGINS
    assert read_request(update.request) == read_signature(signature_of(package).read_bytes()).signed
    package.write_bytes(package.read_bytes() + b"x")
    sign(package, BUILDER, 0)
    assert update.begin(token, str) == REFUSED[Refusal.CHANGED]
    package.unlink()
    assert update.begin(token, str).startswith("There is no USB stick with a Trapdial package.")


@pytest.mark.parametrize("text", [b"?", b"A" * 200, None])
def test_a_request_that_names_no_signature_is_refused(tmp_path: Path, text: bytes | None) -> None:
    file = tmp_path / "update"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(PackageRefusedError) as refused:
        read_request(file)
    assert str(refused.value) == (
        f"{file}: it does not say which package was confirmed. Ask for the update on the staff page again."
    )


@pytest.fixture
def carry_out(update: StickUpdate, stick: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Result]:
    """What the service manager runs when the staff have asked."""
    monkeypatch.setattr("pi_app.cli.station_update.Systemd", lambda: Systemd(quiet, home / "nowhere"))
    monkeypatch.setattr("pi_app.cli.station_update.trees.HOME", home)
    monkeypatch.setattr("pi_app.station.updates.minisign.builder_key", lambda: trust().builder)
    monkeypatch.setattr("pi_app.station.staff.stick.sticks", lambda host: iter((stick,)))
    return lambda: CliRunner().invoke(main, ["station", "update", "--asked", str(update.request)])


def test_what_the_staff_confirmed_is_installed(
    update: StickUpdate, stick: Path, home: Path, carry_out: Callable[[], Result]
) -> None:
    on_stick(stick)
    update.request.parent.mkdir()
    update.begin(update.offer(str).token, str)
    note_refusal(home, Refusal.DAMAGED)
    assert carry_out().exit_code == 0
    now = trees.running(home)
    assert (now and now.version, update.last(str)) == (NEW, "")
    assert update.begin(update.offer(str).token, str) == ON_TRIAL


def test_a_damaged_package_is_said_on_the_staff_page(
    update: StickUpdate, stick: Path, home: Path, carry_out: Callable[[], Result]
) -> None:
    package = on_stick(stick)
    update.request.parent.mkdir()
    update.begin(update.offer(str).token, str)
    package.write_bytes(package.read_bytes()[:-9])
    done = carry_out()
    assert (done.exit_code, done.stderr) == (
        2,
        f"{package}: the package is damaged (its signature is of another file). Copy or download the package again.\n",
    )
    assert update.last(str) == (
        "The last update from a stick was refused. The package is damaged. Copy it and the file .minisig to the stick "
        "again."
    )


def test_what_else_goes_wrong_is_said_on_the_staff_page(
    update: StickUpdate, stick: Path, home: Path, carry_out: Callable[[], Result]
) -> None:
    on_stick(stick, "0.9")
    update.request.parent.mkdir()
    update.begin(update.offer(str).token, str)
    assert carry_out().exit_code == 2
    assert last_refusal(home) is Refusal.OLDER
    on_stick(stick, NEW)
    assert carry_out().exit_code == 2
    assert last_refusal(home) is Refusal.SEVERAL
    (stick / "trapdial_0.9_arm64.deb").unlink()
    assert carry_out().exit_code == 2
    assert last_refusal(home) is Refusal.CHANGED
    (stick / "trapdial_2.0_arm64.deb").unlink()
    assert carry_out().exit_code == 2
    assert last_refusal(home) is Refusal.FAILED


@pytest.mark.parametrize("text", ["", "no word", "\u00e9"])
def test_a_spoiled_word_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "refused").write_text(text, encoding="utf-8")
    assert last_refusal(tmp_path) is None
    note_refusal(tmp_path / "none", Refusal.OLDER)
    assert issubclass(PackageRefusedError, UserFileError)
