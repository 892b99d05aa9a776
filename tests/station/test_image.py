"""The layer for rpi-image-gen has the form that its documentation describes, and takes the package that is built.

The rules are those of its docs/layer/index.adoc and of its own lint: DEB822 fields in a comment between METABEGIN and
METAEND, known fields alone, a name and a version, a prefix and no orphaned attributes; then YAML for bdebstrap.
"""

from __future__ import annotations

import datetime
import email.parser
import hashlib
import json
import lzma
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pi_app.station.package.imager import entry, main

IMAGE = Path(__file__).resolve().parents[2] / "wiring_docs/image"
LAYER = IMAGE / "layer/trapdial-station.yaml"
CONFIG = IMAGE / "config/trapdial-station.yaml"
FIELDS = {"Name", "Version", "Category", "Desc", "Requires"}
ATTRIBUTES = {"Desc", "Required", "Valid", "Set"}
HOOKS = {"packages", "setup-hooks", "essential-hooks", "customize-hooks", "cleanup-hooks"}
ANCHORS = {"@SRCROOT", "@IGROOT"}


def fields() -> dict[str, str]:
    """The metadata of the layer."""
    lines = LAYER.read_text(encoding="utf-8").split("# METABEGIN\n")[1].split("# METAEND\n")[0].splitlines()
    assert all(line == "#" or line.startswith("# ") for line in lines)
    text = "\n".join(line[2:] for line in lines if line != "#")
    read = email.parser.HeaderParser().parsestr(text)
    assert len(read) == len(set(read)), "a field twice"
    return {name: " ".join(str(value).split()) for name, value in read.items()}


def variables() -> dict[str, dict[str, str]]:
    """Each variable with its attributes; its default is under ''."""
    found: dict[str, dict[str, str]] = {}
    for name, value in fields().items():
        if name.startswith("X-Env-Var-"):
            variable, _, attribute = name.removeprefix("X-Env-Var-").partition("-")
            found.setdefault(variable, {})[attribute] = value
    return found


def body() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(LAYER.read_text(encoding="utf-8"))
    return found


def test_the_metadata_is_what_the_tool_knows() -> None:
    found = fields()
    known = {f"X-Env-Layer-{name}" for name in FIELDS} | {"X-Env-VarPrefix"}
    assert {name for name in found if not name.startswith("X-Env-Var-")} == known
    assert found["X-Env-Layer-Name"] == LAYER.stem
    assert re.fullmatch(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}", found["X-Env-Layer-Version"])
    assert found["X-Env-Layer-Requires"].split(",") == ["systemd-min", "rpi-boot-firmware"]


def test_every_variable_is_whole_and_its_default_is_valid() -> None:
    for name, attributes in variables().items():
        assert re.fullmatch(r"[a-z_]+", name)
        assert set(attributes) == {"", *ATTRIBUTES}, name
        assert attributes["Required"] in ("y", "n")
        pattern = attributes["Valid"].removeprefix("regex:")
        assert pattern != attributes["Valid"]
        assert re.match(pattern, attributes[""]), name
        assert set(re.findall(r"\$\{(@\w+)\}", attributes[""])) <= ANCHORS


def test_the_body_has_hooks_of_bdebstrap_that_a_shell_reads() -> None:
    assert set(body()) == {"mmdebstrap"}
    found = body()["mmdebstrap"]
    assert set(found) <= HOOKS
    for hook in found["customize-hooks"]:
        subprocess.run(["sh", "-n"], input=hook, text=True, check=True)
        assert "set -eu" in hook
        named = set(re.findall(r"\$IGconf_(\w+)", hook))
        assert named <= {f"{fields()['X-Env-VarPrefix']}_{name}" for name in variables()}


def test_every_variable_is_used() -> None:
    hooks = "\n".join(body()["mmdebstrap"]["customize-hooks"])
    assert [name for name in variables() if f"$IGconf_trapdial_{name}" not in hooks] == []


def test_the_configuration_takes_the_layer() -> None:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    assert config["layer"] == {"app": fields()["X-Env-Layer-Name"]}
    assert config["trapdial"] == {"package": variables()["package"][""]}
    assert all(re.fullmatch(r"[a-z_]+", section) for section in config)


def test_the_package_is_the_one_that_is_built() -> None:
    from pi_app.station.package.wheelhouse import project

    assert variables()["package"][""].endswith(f"/trapdial_{project()['version']}_arm64.deb")
    assert f"build/trapdial_{project()['version']}_arm64.deb" in (IMAGE / "README.md").read_text(encoding="utf-8")


def test_an_entry_for_the_imager(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = tmp_path / "card.img.xz"
    image.write_bytes(lzma.compress(b"a card" * 1000))
    made = entry(image, "https://shop.example/images/", datetime.date(2026, 11, 23))
    assert (made["extract_size"], made["url"]) == (6000, "https://shop.example/images/card.img.xz")
    assert made["extract_sha256"] == hashlib.sha256(b"a card" * 1000).hexdigest()
    assert "init_format" not in made
    assert main([str(image), "https://shop.example"]) == 0
    assert json.loads(capsys.readouterr().out)["os_list"][0]["image_download_size"] == image.stat().st_size
    image.write_bytes(b"no xz")
    assert (main([str(image), ""]), main([])) == (2, 2)
    assert capsys.readouterr().err == (
        f"{image}: it cannot be read (Input format not supported by decoder). Name an image that is "
        "compressed with xz.\n"
        "Say: python -m pi_app.station.package.imager IMAGE.img.xz ADDRESS\n"
    )
    image.write_bytes(lzma.compress(b"a card" * 1000)[:-9])
    assert main([str(image), ""]) == 2
    assert "it cannot be read (Compressed file ended before" in capsys.readouterr().err
