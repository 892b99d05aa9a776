"""What [centre] in the settings starts, and what the referee reads of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec
import pytest

from pi_app import journal as jn
from pi_app.journal import JournalFileError
from pi_app.journal.cosigned import WITNESSES, PinnedWitness, pin, pinned
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.play import open_sender
from pi_app.play.open_sender import SenderNotices, handing_over, pin_centre, seed_of, sender_orders, witnessed_stamp
from pi_app.play.witnessed_clock import WitnessedClock
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders, SenderSays, SenderTrouble, keep_said, sending_file
from pi_app.sender.process import Reporting, run
from pi_app.sender.records import cosigned_size
from pi_app.sender.sender import NOT_ENROLLED, REFUSED
from pi_app.sender.turns import WITNESS_WAITS
from pi_app.settings.centre_section import CentreSection
from tests.pi_app.centre.records import CENTRE, STRANGER
from tests.pi_app.playing import settings
from tests.pi_app.sender.http_centre import HttpCentre
from tests.pi_app.sender.one_witness import WITNESS, Witness
from tests.pi_app.sender.shop import Shop

KEY = CENTRE.verifier.text()
SECTION = CentreSection(address="http://127.0.0.1:9", key=KEY)


def test_orders_have_whole_paths_and_an_address_with_a_slash(tmp_path: Path) -> None:
    used = replace(settings(), where=str(tmp_path / "trapdial.toml"))
    assert sender_orders(used, tmp_path / "journal.db") is None
    section = CentreSection(address="https://c.example", key=KEY, authority="c.pem")
    orders = sender_orders(replace(used, centre=section), tmp_path / "journal.db")
    assert orders is not None
    assert (orders.journal, orders.address) == (str(tmp_path / "journal.db"), "https://c.example/")
    assert orders.authority == str(tmp_path / "c.pem")


def test_without_a_centre_nothing_is_started_or_changed(tmp_path: Path) -> None:
    stamp = jn.machine_stamp
    with handing_over(settings(), tmp_path / "journal.db"):
        assert list(tmp_path.iterdir()) == []
    assert witnessed_stamp(settings(), tmp_path / "journal.db", stamp) is stamp
    assert isinstance(
        witnessed_stamp(replace(settings(), centre=SECTION), tmp_path / "journal.db", stamp), WitnessedClock
    )


def test_with_a_centre_the_record_is_handed_over_until_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = partial(msgspec.structs.replace, spread=False)
    monkeypatch.setattr(open_sender, "SenderKeeper", lambda orders, seed: SenderKeeper(at_once(orders), seed))
    shop = Shop(tmp_path)
    centre = HttpCentre(shop.client)
    section = CentreSection(address=centre.address, key=KEY)
    with handing_over(replace(settings(), centre=section), shop.path):
        centre.until(lambda: shop.here == 8 and sending_file(shop.path).exists())
    assert not sending_file(shop.path).exists()
    assert [each.verifier for each in pinned(shop.path)] == [CENTRE.verifier], "so `journal verify` names it"
    centre.close()
    shop.close()


def test_a_witness_alone_sees_heads_and_no_entry(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    witness = HttpCentre(Witness(shop))
    pin(shop.path, PinnedWitness(key=WITNESS.text(), address=witness.address))
    assert sender_orders(settings(), shop.path) == SenderOrders(journal=str(shop.path))
    with handing_over(settings(), shop.path):
        witness.until(lambda: cosigned_size(shop.path, WITNESS) == 8)
    assert set(witness.asked) == {"add-checkpoint"}
    assert [each.verifier for each in pinned(shop.path)] == [WITNESS]
    witness.close()
    shop.close()


def test_damaged_witnesses_are_a_trouble_of_the_hand_over(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.path.with_name(shop.path.name + WITNESSES).write_bytes(b"{")
    orders = sender_orders(settings(), shop.path)
    assert orders is not None
    with pytest.raises(JournalFileError, match="has no witnesses that can be read"):
        run(orders, Reporting(lambda line: None))
    shop.close()


def test_a_witness_that_is_pinned_under_the_centres_name_stays(tmp_path: Path) -> None:
    other = VerifierKey(CENTRE.verifier.name, COSIGNS, STRANGER.public).text()
    pin(tmp_path / "journal.db", PinnedWitness(key=other))
    pin_centre(tmp_path / "journal.db", KEY)
    assert [each.key for each in pinned(tmp_path / "journal.db")] == [other]


@pytest.mark.parametrize("locked", [False, True])
def test_the_seed_is_handed_on_only_if_its_file_is_encrypted(tmp_path: Path, locked: bool) -> None:
    shop = Shop(tmp_path)
    if locked:
        jn.keys_of(shop.path).set_passphrase("seven brass cogs")
    assert seed_of(shop.path) == (shop.key.seed if locked else b"")
    shop.close()


def test_the_referee_reads_each_trouble_once_and_its_end(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    notices = SenderNotices(journal, str)
    assert notices.poll() == ()
    keep_said(journal, SenderSays())
    assert list(notices.poll()) == []
    keep_said(journal, SenderSays(troubles=(SenderTrouble(sentence=NOT_ENROLLED),)))
    assert list(notices.poll()) == [f"hand-over: {NOT_ENROLLED}"]
    assert list(notices.poll()) == []
    keep_said(
        journal, SenderSays(troubles=(refused := SenderTrouble(sentence=REFUSED, why="entry 3 has a wrong length."),))
    )
    assert list(notices.poll()) == [
        "hand-over: The centre does not take what this table hands over: entry 3 has a wrong length."
    ]
    waits = SenderTrouble(sentence=WITNESS_WAITS, name="w1", why="It does not answer.")
    keep_said(journal, SenderSays(troubles=(refused, waits)))
    assert list(notices.poll()) == ["hand-over: Witness w1 was not reached: It does not answer."]
    keep_said(journal, SenderSays(troubles=(waits,)))
    assert list(notices.poll()) == []
    keep_said(journal, SenderSays())
    assert list(notices.poll()) == ["hand-over: it works again."]


def test_the_referee_reads_that_the_process_cannot_be_confined(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    notices = SenderNotices(journal, str)
    keep_said(journal, SenderSays(confined=False))
    (said,) = notices.poll()
    assert said.startswith("hand-over: this system has no Landlock")
    assert list(notices.poll()) == []
