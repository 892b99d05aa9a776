"""A sender hands everything over in order, whatever dies on either side, and says what a person must mend."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from pi_app.journal import Journal
from pi_app.journal.cosigned import NOTES, cosigned, cosigned_folder
from pi_app.journal.record.checkpoints import device_of, origin_of
from pi_app.journal.record.handover import read_handover
from pi_app.journal.record.heads import head_in
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender import outbox as outbox_module
from pi_app.sender import sender as words
from pi_app.sender.by_hand import hand_over_all
from pi_app.sender.client import CentreReply, UnreachableError
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.sender import CHALLENGE_S, HEARTBEAT_S, REFUSED_S, SMALL_BYTES, RecordSender
from tests.pi_app.centre.records import CENTRE, STRANGER, Desk, a_game, entries_of
from tests.pi_app.sender.shop import Shop, until_idle


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


def test_everything_is_handed_over_and_then_nothing(shop: Shop) -> None:
    sender = shop.sender()
    assert until_idle(sender) == shop.here == 8
    asked = shop.client.asked
    sender.step()
    assert shop.client.asked == asked, "an idle table asks nothing"
    shop.play("g2")
    assert until_idle(sender) == shop.here == 16
    (note,) = cosigned(shop.path)
    assert head_in(note).size == 16


@dataclass
class SlowLine:
    """A line on which a body of more than so many bytes takes too long: the centre says so, or closes it unseen."""

    shop: Shop
    most_bytes: int
    answers: bool
    sizes: list[int] = field(default_factory=list)

    def post(self, path: str, body: bytes) -> CentreReply:
        self.sizes.append(len(body))
        if len(body) <= self.most_bytes:
            return self.shop.client.post(path, body)
        if self.answers:
            return CentreReply(408, b"The request took too long.\n")
        raise UnreachableError("The connection was reset.", connected=True)


@pytest.mark.parametrize("answers", [True, False])
def test_over_a_slow_line_less_is_handed_over_at_once(shop: Shop, *, answers: bool) -> None:
    shop.play("g2", "g3", "g4", "g5")
    line = SlowLine(shop, 15_000, answers)
    sender = shop.sender()
    sender.client = line
    assert until_idle(sender) == shop.here == 40
    failed = [size for size in line.sizes if size > line.most_bytes]
    assert 1 <= len(failed) <= 4, "it is not tried again and again"
    line.most_bytes = 10**6
    shop.play(*(f"more-{number}" for number in range(20)))
    line.sizes.clear()
    assert until_idle(sender) == shop.here == 200
    assert max(line.sizes) > 30_000, "it grows again"


def test_a_small_hand_over_that_is_cut_off_makes_the_next_one_no_smaller(shop: Shop) -> None:
    sender = shop.sender()
    until_idle(sender)
    line = SlowLine(shop, 0, answers=False)
    sender.client, sender.now_s = line, lambda: 10**9
    sender.step()
    assert 0 < line.sizes[0] < SMALL_BYTES, "a heartbeat has no entry"
    shop.play("g2", "g3", "g4")
    sender.client, asked = shop.client, shop.client.asked
    assert until_idle(sender) == shop.here == 32
    assert shop.client.asked == asked + 1


def test_a_centre_that_is_away_makes_no_hand_over_smaller(shop: Shop) -> None:
    sender, away = shop.sender(), True

    def post(path: str, body: bytes) -> CentreReply:
        if away:
            raise UnreachableError("Connection refused.")
        return shop.client.post(path, body)

    sender.client = SimpleNamespace(post=post)
    for _ in range(20):
        sender.step()
    away = False
    asked = shop.client.asked
    assert until_idle(sender) == 8
    assert shop.client.asked == asked + 1


def test_a_sender_that_was_killed_goes_on_where_it_was(shop: Shop) -> None:
    until_idle(shop.sender())
    shop.play("g2")
    asked = shop.client.asked
    assert until_idle(shop.sender()) == 16
    assert shop.client.asked == asked + 1


def test_an_idle_table_shows_its_checkpoint_now_and_then(shop: Shop) -> None:
    """So a centre that was restored from a backup gets back what it lost, also of a table that plays no more."""
    sender, now_s = shop.sender(), [0.0]
    sender.now_s = lambda: now_s[0]
    until_idle(sender)
    shop.client.desk.store.close()
    shop.client.desk = Desk(shop.new_store("restored.db"))
    now_s[0] = HEARTBEAT_S - 1
    sender.step()
    assert shop.here == 0
    now_s[0] = HEARTBEAT_S
    assert until_idle(sender) == shop.here == 8


@dataclass
class AskingCentre:
    """A centre that gives a challenge with each answer. `challenges`: those that it was shown, by request; None for a
    hand-over that shows nothing."""

    shop: Shop
    gives: str = "ab" * 56
    challenges: list[str | None] = field(default_factory=list)

    def post(self, path: str, body: bytes) -> CentreReply:
        handed = read_handover(body)
        device = device_of(handed.origin)
        assert device is not None
        if (present := handed.present) is not None:
            assert present.is_signed(device, CENTRE.verifier, handed.more, handed.checkpoint.text)
        self.challenges.append(None if present is None else present.challenge)
        return replace(self.shop.client.post(path, body), challenge=self.gives)


def test_a_table_shows_that_it_is_there_with_the_challenge_of_the_last_answer(shop: Shop) -> None:
    sender, now_s, centre = shop.sender(), [0.0], AskingCentre(shop)
    sender.now_s, sender.client = lambda: now_s[0], centre
    until_idle(sender)
    assert centre.challenges == [None, "ab" * 56], "one request more for a table that was switched on"
    for number in range(3):
        centre.gives = f"{number}0" * 56
        now_s[0] += HEARTBEAT_S
        until_idle(sender)
        shop.play(f"more-{number}")
        until_idle(sender)
    assert centre.challenges[2:] == ["ab" * 56, "00" * 56, "00" * 56, "10" * 56, "10" * 56, "20" * 56], "and no other"


def test_a_hand_over_by_hand_ends_once_the_table_was_seen(shop: Shop) -> None:
    centre = AskingCentre(shop)
    (done,) = hand_over_all(shop.path, centre, CENTRE.verifier, lambda _: b"")
    assert (done.entries, centre.challenges) == (8, [None, "ab" * 56])


def test_an_old_challenge_is_not_used_and_no_table_asks_for_ever(shop: Shop) -> None:
    sender, now_s, centre = shop.sender(), [0.0], AskingCentre(shop)
    sender.now_s, sender.client = lambda: now_s[0], centre
    until_idle(sender)
    centre.challenges.clear()
    now_s[0] = CHALLENGE_S
    until_idle(sender)
    assert centre.challenges == [None, "ab" * 56]
    for centre.gives in ("", "what others want signed"):
        centre.challenges.clear()
        now_s[0] += HEARTBEAT_S
        until_idle(sender)
        now_s[0] += HEARTBEAT_S
        until_idle(sender)
    assert centre.challenges == [None, None], "a centre that gives none"


def test_without_its_place_the_centre_says_where_to_go_on(shop: Shop) -> None:
    until_idle(shop.sender())
    (cosigned_folder(shop.path) / NOTES).unlink()
    shop.play("g2")
    assert until_idle(shop.sender()) == shop.here == 16


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    some.lists(some.sampled_from(["lost", "before", "busy", "kill", "play", "fine", "forget", "restore"]), max_size=25)
)
def test_any_deaths_on_either_side_lose_and_double_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, happens: list[str]
) -> None:
    monkeypatch.setattr(outbox_module, "MOST_ENTRIES", 3)
    shop = Shop(tmp_path_factory.mktemp("shop"))
    sender, games = shop.sender(), 1

    def lost(_: CentreReply) -> CentreReply:
        raise UnreachableError("The answer was lost.")

    for what in happens:
        spoils: Callable[[CentreReply], CentreReply] = lambda reply: reply  # noqa: E731
        if what == "lost":
            spoils = lost
        elif what == "busy":
            spoils = lambda _: CentreReply(503, b"busy", retry_s=3)  # noqa: E731
        elif what == "kill":
            sender = shop.sender()
        elif what == "play":
            games += 1
            shop.play(f"g{games}")
        elif what == "forget":
            (cosigned_folder(shop.path) / NOTES).unlink(missing_ok=True)
        elif what == "restore":
            shop.client.desk.store.close()
            shop.client.desk = Desk(shop.new_store(f"restored-{len(list(shop.folder.iterdir()))}.db"))
        shop.client.spoils = spoils
        step = sender.step()
        assert step.trouble is None
    shop.client.spoils = lambda reply: reply
    assert until_idle(shop.sender()) == shop.here == 8 * games
    record = shop.client.desk.record(origin_of(shop.key.public))
    rows = [(row[1], row[2], row[3]) for row in shop.client.desk.store.rows(record.number)]
    assert rows == entries_of(shop.path)
    shop.close()


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (CentreReply(404, b""), words.NOT_ENROLLED),
        (CentreReply(410, b""), words.REVOKED),
        (CentreReply(422, b""), words.TWO_HISTORIES),
        (CentreReply(400, b"Nothing was taken: entry 3 has a wrong length."), words.REFUSED),
        (CentreReply(301, b""), words.REFUSED),
        (CentreReply(200, b""), words.NOT_COSIGNED),
        (CentreReply(200, b"\xff"), words.NOT_COSIGNED),
        (CentreReply(409, b"x"), words.REFUSED),
        (CentreReply(409, b"99\n"), None),
    ],
)
def test_what_a_person_must_mend_is_said_and_not_asked_again_for_a_minute(
    shop: Shop, reply: CentreReply, trouble: str | None
) -> None:
    shop.client.spoils = lambda _: reply
    sender = shop.sender()
    step = sender.step()
    assert step.trouble == trouble
    assert (step.pause_s >= REFUSED_S) is (trouble is not None)
    assert cosigned(shop.path) == ()
    if trouble is None:
        assert sender.step().trouble == words.CUT_OFF, "the centre has more than this table"


def test_a_centre_with_another_key_is_not_believed(shop: Shop) -> None:
    sender = shop.sender()
    sender.centre = replace(CENTRE.verifier, public=STRANGER.public)
    assert sender.step().trouble == words.NOT_COSIGNED
    assert cosigned(shop.path) == ()


def test_a_centre_that_names_the_same_place_again_and_again_is_not_asked_at_once(shop: Shop) -> None:
    shop.client.spoils = lambda _: CentreReply(409, b"3\n")
    sender = shop.sender()
    sender.step()
    assert sender.pace.failures == 0
    for number in range(1, 6):
        sender.step()
        assert sender.pace.failures == number


def test_two_tables_with_one_key_are_found_with_their_next_entry(shop: Shop, tmp_path: Path) -> None:
    """A card that was cloned."""
    import shutil

    until_idle(shop.sender())
    other = tmp_path / "clone"
    other.mkdir()
    for each in shop.folder.glob("journal.db*"):
        (shutil.copytree if each.is_dir() else shutil.copy)(each, other / each.name)
    shop.play("g2")
    until_idle(shop.sender())
    with Journal(other / "journal.db", MAGE_KNIGHT) as journal:
        a_game(journal, "g3", 1)
    clone = RecordSender(
        Outbox(other / "journal.db", shop.key), shop.client, CENTRE.verifier, SendingPace(random.Random(1))
    )
    troubles = [clone.step().trouble for _ in range(3)]
    assert words.TWO_HISTORIES in troubles or words.CUT_OFF in troubles
