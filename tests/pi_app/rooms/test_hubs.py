"""Rooms on a hub: above the feed their dials are like the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.rooms.audit import audit
from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.settings import load, parse
from pi_app.text.errors import UserFileError
from tests.pi_app.hubs import PULLED, TableWithHub
from tests.pi_app.rooms.tables import At, text

ON_THE_HUB = text().replace('bus = "dials"\nmux = 0x70\nchannel = 3\n', 'hub = "west"\nchannel = 3\n') + (
    '\n[hub.west]\nid = "e6616408432b5c21"\n'
)


def test_a_room_on_a_hub_is_turned_judged_and_recorded_as_one_on_a_bus(tmp_path: Path) -> None:
    settings = parse(ON_THE_HUB, "rooms.toml")
    assert (settings.wires.squares["R4"].hub, settings.wires.squares["R4"].bus) == ("west", None)
    told: list[str] = []
    twins = TableWithHub(settings.wires)
    with RoomDemo(settings, tmp_path / "rooms.db", told.append, twins=twins) as demo:
        at = At(demo, told, tmp_path / "rooms.db")
        at.says("card ann 2", "reveal R4", "gear ann R4", "turn R4 -1", "end turn")
        assert (at.game.rooms["R4"].q, at.findings) == (3, [])
        at.says("card ben 3", "reveal R3", "gear ben R4 remote", "turn R3 1", "turn R4 -1")
        assert (at.game.rooms["R3"].q, at.findings) == (1, [("D-AUD-2", "R4")])
        twins.link.plug(False)
        lost = at.says("")
        assert lost[0] == "R4: its dial cannot be read. Check its plug."
        assert PULLED in lost[1]
        at.says("turn R4 -1")
        twins.link.plug(True)
        at.says("", "")
        assert at.findings[1:] == [("D-AUD-4", "R4"), ("D-AUD-2", "R4")]
        game = at.game
    (found,) = audit(tmp_path / "rooms.db")
    assert found.moment.game == game


def test_play_reads_a_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rooms.toml"
    path.write_text(ON_THE_HUB, encoding="utf-8")
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: TableWithHub(load(path).wires))
    played = CliRunner().invoke(main, ["rooms", "play", str(path)], input="card ann 2\nreveal R4\nend game\n")
    assert played.exit_code == 0, played.output
    assert "R4: 0 degrees clockwise from where it was revealed." in played.stdout
    assert "cannot be read" not in played.stdout


def refused(settings: str) -> list[str]:
    with pytest.raises(UserFileError) as error:
        parse(settings, "rooms.toml")
    return list(error.value.problems)


def test_a_hub_that_is_not_there_and_a_room_without_a_place_are_refused() -> None:
    assert refused(ON_THE_HUB.replace('hub = "west"', 'hub = "east"')) == [
        "rooms.toml [room.R4] hub = 'east': there is no such hub; there is [hub.west]"
    ]
    assert refused(ON_THE_HUB.replace('hub = "west"\n', "")) == [
        "rooms.toml [room.R4]: names no `bus` and no `hub`; its dial hangs on one of them"
    ]


def test_a_table_may_have_hubs_alone() -> None:
    pieces = ON_THE_HUB.split("\n[bus.dials]")[0] + "\n[player.ann]" + ON_THE_HUB.partition("\n[player.ann]")[2]
    alone = pieces.replace('bus = "dials"\nmux = 0x70\n', 'hub = "west"\n')
    assert {square.hub for square in parse(alone, "rooms.toml").wires.squares.values()} == {"west"}
