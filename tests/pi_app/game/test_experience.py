import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game import events as ev
from pi_app.game import experience as rulings
from pi_app.game.chests import Chest
from pi_app.game.state import Game
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import Order, RefusedError, Reply
from pi_app.report.moment import Moment
from pi_app.text.language import words
from tests.pi_app.games import exposes, played, started

english = words("en")
CHESTS = (Chest(number=116, disarm="10", xp=30), Chest(number=7, disarm="6+", xp=20))


def begun() -> Moment:
    import msgspec

    return played(msgspec.structs.replace(started(), chests=CHESTS))


def said(line: str, moment: Moment) -> Moment:
    command = parse(line, moment.game, english)
    assert isinstance(command, Order)
    return played(command.event, moment=moment)


def after(*lines: str) -> Moment:
    moment = begun()
    for line in lines:
        moment = said(line, moment)
    return moment


def ruling(moment: Moment, viewer: str = "public") -> str:
    return moment.reports[viewer].lines["ruling"]


def xp(game: Game) -> tuple[int, ...]:
    return tuple(seat.xp for seat in game.seats.values())


@pytest.mark.parametrize(
    ("line", "told", "gained"),
    [
        ("xp ann 25 kill poison", "Note 1: Ann: 25 experience, killed by Venom (R-XP-1).", 25),
        ("xp ann 25 pole_arm", "Note 1: Ann: 25 experience, killed by Pole Arm (R-XP-1).", 25),
        ("kill ann figure by ram 30", "Note 1: Ann: 30 experience, killed by Ram (R-XP-1).", 30),
        ("kill ann figure by retaliation 9", "Note 1: Ann: 9 experience, killed by Magic Retaliation (R-XP-1).", 9),
        ("xp ann 5 kill attack", "Note 1: Ann: 5 experience, killed by an attack (R-XP-1).", 5),
        ("kill ann spawn by trap", "Note 1: Ann: no experience, killed by a trap (R-XP-2).", 0),
        ("xp ann 25 kill critical_miss", "Note 1: Ann: no experience, killed by a critical miss (R-XP-2).", 0),
        ("kill ann spawn by chest", "Note 1: Ann: no experience, killed by a chest (R-XP-2).", 0),
        ("kill ann spawn by artifact", "Note 1: Ann: no experience, killed by an artifact (R-XP-2).", 0),
        ("xp ann correction -5", "Note 1: Ann: -5 experience, as a correction.", -5),
    ],
)
def test_r_xp_1_and_r_xp_2_who_gains_what(line: str, told: str, gained: int) -> None:
    moment = after(line)
    assert [ruling(moment, viewer) for viewer in moment.reports] == [told] * 5
    assert xp(moment.game) == (gained, 0)


def test_a_ruling_that_is_said_again_is_read_again() -> None:
    once = after("kill ben spawn by trap")
    again = said("kill ben spawn by trap", once)
    assert again.news("public", once) == ("Note 2: Ben: no experience, killed by a trap (R-XP-2).",)


def test_r_xp_3_effect_first_then_experience() -> None:
    with pytest.raises(RefusedError, match="has not set off chest 116, or has its experience already"):
        after("xp ann chest 116")
    failed = after("chest 116 ann quick 3 4 2")
    assert ruling(failed) == (
        "Note 1: Ann sets off chest 116. Complete its effect, then type: xp ANN chest 116 (R-XP-3)."
    )
    assert xp(failed.game) == (0, 0)
    with pytest.raises(RefusedError):
        said("xp ben chest 116", failed)
    paid = said("xp ann chest 116", failed)
    assert ruling(paid) == "Note 2: Ann: 25 experience, chest 116 is complete (R-XP-3)."
    assert xp(paid.game) == (25, 0)
    with pytest.raises(RefusedError):
        said("xp ann chest 116", paid)


@pytest.mark.parametrize(
    ("line", "won"),
    [
        ("chest 116 ann quick 4 5 6", False),
        ("chest 116 ann quick 4 6 1", True),
        ("chest 116 ann slow 4 4 1", True),
        ("chest 116 ann slow 4 3 6", False),
        ("chest 7 ann quick 5 5 4", True),
        ("chest 7 ann quick 5 5 5", False),
    ],
)
def test_r_cht_1_a_chest_is_disarmed_like_a_square(line: str, won: bool) -> None:
    game = after(line).game
    assert (xp(game)[0] > 0) is won


def test_t_dis_6_an_open_number_is_fixed_once() -> None:
    moment = after("chest 7 ann quick 1 1 6", "chest 7 ben quick 5 6")
    assert moment.game.rulings.chests[7].value == 12
    assert xp(moment.game) == (0, 0)
    assert xp(said("chest 7 ben quick 6 6", moment).game) == (0, 20)


def test_a_disarmed_chest_is_left_alone() -> None:
    moment = after("chest 116 ann quick 6 6 1")
    assert ruling(moment) == "Note 1: Ann disarms chest 116: 30 experience (T-DIS-8)."
    with pytest.raises(RefusedError, match=r"^Chest 116 is already disarmed \(T-DIS-5\)\.$"):
        said("chest 116 ben quick 6 6 1", moment)
    tried = ev.ChestTried(seat="BEN", chest=116, way="quick", dice=(6, 6), plus_die=1)
    assert xp(played(tried, moment=moment).game) == (30, 0)


def test_the_ledger_says_who_gained_what_and_why() -> None:
    moment = begun()
    assert parse("ledger", moment.game, english) == Reply(("No experience has been gained yet.",))
    disarm = ev.DisarmTried(seat="ANN", square="T01", way="slow", dice=(6, 6), plus_die=1)
    moment = played(*exposes("T01", 1, "ANN"), disarm, moment=moment)
    moment = said("kill ann spawn by trap", said("kill ben spawn by venom 12", moment))
    square_xp = moment.game.seats["ANN"].xp
    assert parse("ledger", moment.game, english) == Reply(
        (
            f"Ann: {square_xp} experience, T01 is disarmed (T-DIS-8).",
            "Ben: 12 experience, killed by Venom (R-XP-1).",
        )
    )


EARNED = st.builds(
    ev.Earned,
    seat=st.sampled_from(["ANN", "BEN"]),
    xp=st.integers(-999, 999),
    deed=st.sampled_from(["kill", "chest", "correction"]),
    means=st.sampled_from(sorted(rulings.MEANS)),
    chest=st.sampled_from([None, 7, 116, 5]),
)
DIE = st.integers(1, 6)
TRIED = st.builds(
    ev.ChestTried,
    seat=st.sampled_from(["ANN", "BEN"]),
    chest=st.sampled_from([7, 116, 5]),
    way=st.sampled_from(["quick", "slow"]),
    dice=st.tuples(DIE, DIE),
    plus_die=DIE,
)


@pytest.mark.slow
@given(st.lists(EARNED | TRIED, max_size=12))
def test_the_ledger_always_adds_up(events: list[ev.AnyEvent]) -> None:
    moment = played(*events, moment=begun())
    for seat in moment.game.seats.values():
        assert seat.xp == sum(each.xp for each in moment.game.rulings.ledger if each.seat == seat.seat)
    assert [ev.from_json(ev.to_json(event)) for event in events] == events


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("kill ann spawn by ram", "That kill counts (R-XP-1): add the experience after the means."),
        ("kill ann cow by ram", "Usage: kill SEAT spawn|figure by MEANS [N]"),
        ("xp ann 1000 kill ram", "Experience is a whole number up to 999, not '1000'."),
        ("xp ann ² kill ram", "Experience is a whole number up to 999, not '²'."),
        ("xp ann 3 kill retalation", "'retalation' is no means of killing here; did you mean 'retaliation'?"),
        ("xp ann 3", "Usage: xp SEAT N MEANS | chest NUMBER | correction N"),
        (
            "chest 5 ann quick 1 1 1",
            "This game has no chest '5'; the settings name the file that lists its chests.",
        ),
    ],
)
def test_nonsense_is_refused(line: str, told: str) -> None:
    with pytest.raises(RefusedError) as refused:
        parse(line, begun().game, english)
    assert str(refused.value) == told
