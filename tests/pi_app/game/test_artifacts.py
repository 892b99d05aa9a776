from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.audit.replay import replay
from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game import tokens
from pi_app.game.chests import MOST_CHESTS, Chest
from pi_app.game.finding import Finding
from pi_app.game.findings import USED_TWICE
from pi_app.game.trap_table import Disarm, Face, Trap, TrapTable
from pi_app.journal import Journal, machine_stamp, read
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import Chance, Order, RefusedError, Reply
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from pi_app.report.pictures import ShowDie
from pi_app.report.seat_screen import seat_token
from pi_app.report.visibility import COMMON
from pi_app.settings.model import ArtifactSettings
from pi_app.text.errors import UserFileError
from pi_app.text.language import words
from pi_app.text.lengths import most_bytes
from tests.pi_app.games import played, started
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.playing import settings, table

english = words("en")
POOL = tokens.load(tokens.sample_path())


def begun(draw: art.DrawMode = "private", seed: int = 1) -> Moment:
    laid = art.laid(POOL, draw, random.Random(seed).randrange)
    return played(msgspec.structs.replace(started(), artifacts=laid))


def said(line: str, moment: Moment, pick: art.Pick = lambda n: 0) -> Moment:
    command = parse(line, moment.game, english)
    event = command.made(pick) if isinstance(command, Chance) else command.event if isinstance(command, Order) else None
    assert event is not None
    return played(event, moment=moment)


def after(*lines: str, draw: art.DrawMode = "private") -> Moment:
    moment = begun(draw)
    for line in lines:
        moment = said(line, moment)
    return moment


def now(moment: Moment) -> art.Artifacts:
    assert moment.game.artifacts is not None
    return moment.game.artifacts


def all_tokens(state: art.Artifacts) -> Counter[tuple[str, int]]:
    """Every token that is anywhere but kept for good as an item."""
    found: Counter[tuple[str, int]] = Counter()
    for colour, pile in state.piles.items():
        found.update((colour, token) for token in pile)
    for colours in state.lies.values():
        found.update((colour, token) for colour, tokens in colours.items() for token in tokens)
    found.update([*state.hands.values(), *state.kept.values()])
    return found


def test_ar_tok_3_each_artifact_has_its_tokens() -> None:
    lies = now(begun()).lies
    assert {label: {colour: len(tokens) for colour, tokens in here.items()} for label, here in lies.items()} == {
        "STATUE": {"yellow": 2, "red": 1},
        "OBELISK": {"blue": 2},
    }
    assert parse("artifacts", begun().game, english) == Reply(("STATUE: yellow 2, red 1.", "OBELISK: blue 2."))


def test_ar_tok_2_every_deal_is_as_likely_as_any_other() -> None:
    draw = random.Random(15)
    seen = Counter(art.laid(POOL, "private", draw.randrange).dealt["red"] for _ in range(900))
    assert set(seen) == {"0", "1", "2"}
    assert sum((count - 300) ** 2 / 300 for count in seen.values()) < 13.8  # 1 in 1000 at 2 degrees of freedom


def test_a_private_draw_is_read_by_its_player_alone() -> None:
    moment = after("artifact STATUE ann red")
    token = POOL.red[now(moment).hands["ANN"][1]]
    told = "Note 1: Ann draws a red token at STATUE: 4 speed, and the activation ends (AR-USE-2)."
    assert [report.lines["ruling"] for report in moment.reports.values()] == [told] * 5
    assert moment.reports["seat ANN"].lines["token"] == f"Your token: {token.name}. {token.text}"
    assert all(token.name not in str(moment.reports[name].lines) for name in (*COMMON, "seat BEN"))
    picture = seat_token(moment.game, "ANN", english)
    assert picture == ShowDie(lines=("Your token:", token.name, token.text))
    assert seat_token(moment.game, "BEN", english) is None


def test_a_player_reads_all_that_was_kept() -> None:
    moment = after("artifact STATUE ann yellow", "refresh ann", "keep ann", "artifact OBELISK ann", "keep ann")
    own = moment.reports["seat ANN"].lines
    assert (own["token"], own["kept"]) == ("", "You kept: Small healing, Healing")
    assert said("fallen ann", moment).reports["seat ANN"].lines["kept"] == "You kept: Small healing, Healing, -"
    assert "kept" not in said("fallen ben", moment).reports["seat BEN"].lines


def test_an_open_draw_is_read_by_everyone() -> None:
    moment = after("artifact STATUE ann yellow", "put ann", draw="public")
    name = POOL.yellow[now(begun("public")).lies["STATUE"]["yellow"][0]].name
    assert moment.reports["public"].lines["ruling"] == f"Note 2: Ann puts {name} back (AR-USE-7)."


def test_ar_abl_1_an_ability_drawn_openly_is_kept_and_replaces_the_one_before() -> None:
    pool = msgspec.structs.replace(POOL, red=(FLIGHT, DODGE))
    moment = played(msgspec.structs.replace(started(), artifacts=art.laid(pool, "public", lambda n: 0)))
    drawn = said("artifact STATUE ann red", moment)
    with pytest.raises(RefusedError) as refused:
        said("put ann", drawn)
    assert str(refused.value) == ("Flight is an item or an ability and is kept (AR-USE-6, AR-ABL-1). Type: keep ANN")
    with pytest.raises(RefusedError) as refused:
        said("refresh ann", drawn)
    assert str(refused.value) == "Ann holds Flight, which does not refresh the artifacts (AR-REF-1)."
    kept = said("keep ann", drawn)
    assert kept.reports["seat ANN"].lines["kept"] == "You kept: Flight"
    again = played(
        ev.Refreshed(seat="ANN", dealt={"red": "1"}),
        ev.Drawn(seat="ANN", artifact="STATUE", colour="red", token=1),
        ev.TokenMoved(seat="ANN", way="kept"),
        moment=kept,
    )
    assert again.reports["seat ANN"].lines["kept"] == "You kept: Dodge"  # AR-ABL-2
    assert said("fallen ann", again).reports["seat ANN"].lines["kept"] == "You kept: -"  # AR-ABL-4


def test_ar_gen_2_each_hero_has_its_own_artifact_and_token() -> None:
    named = (ev.HeroNamed(seat="ANN", name=name) for name in ("Aria", "Borg"))
    moment = played(*named, moment=begun())
    with pytest.raises(RefusedError, match=r"^Ann has several Heroes; name one: Aria, Borg\.$"):
        said("artifact STATUE ann red", moment)
    both = said("artifact OBELISK borg", said("artifact STATUE aria red", moment))
    assert both.game.findings == ()
    assert sorted(now(both).hands) == ["Aria", "Borg"]
    told = both.reports["seat ANN"].lines["token"]
    assert told.count("Your token: ") == 2
    twice = said("artifact OBELISK aria", said("put aria", both))
    assert [found.rule for found in twice.game.findings] == ["AR-GEN-2"]


def test_s_6_every_token_of_a_colour_looks_the_same() -> None:
    """The same words over every possible deal: everyone but Ann reads the same."""
    read_by: dict[str, set[str]] = {}
    tokens = set()
    for seed in range(40):
        moment = begun(seed=seed)
        for line in ("artifact STATUE ann red", "keep ann", "activate ann", "artifact OBELISK ann", "put ann"):
            moment = said(line, moment)
            tokens.add(now(moment).hands.get("ANN"))
            for viewer in (*COMMON, "seat BEN"):
                read_by.setdefault(f"{line} {viewer}", set()).add(str(moment.reports[viewer].lines))
            read_by.setdefault(f"{line} digest", set()).add(moment.common_digest)
    assert len(tokens) > 4
    assert {key: len(texts) for key, texts in read_by.items() if len(texts) > 1} == {}


def test_ar_abl_2_a_new_ability_replaces_the_old_one_and_nothing_is_lost() -> None:
    pool = msgspec.structs.replace(POOL, red=(tokens.Token(name="Flight", lasts="ability", count=3),))
    moment = played(msgspec.structs.replace(started(), artifacts=art.laid(pool, "private", lambda n: 0)))
    before = all_tokens(now(moment))
    for line in ("artifact STATUE ann red", "refresh ann", "keep ann", "artifact STATUE ann red", "keep ann"):
        moment = said(line, moment)
        assert all_tokens(now(moment)) == before
    assert now(moment).kept == {"ANN": ("red", 0)}
    assert len(now(moment).piles["red"]) == 2
    fallen = said("fallen ann", moment)
    assert (now(fallen).kept, all_tokens(now(fallen))) == ({}, before)


def test_ar_ref_1_all_artifacts_are_topped_up() -> None:
    moment = after("artifact STATUE ann yellow", "artifact OBELISK ben", "put ben")
    full = said("put ann", said("refresh ann", moment))
    assert parse("artifacts", full.game, english) == Reply(("STATUE: yellow 2, red 1.", "OBELISK: blue 2."))
    assert all_tokens(now(full)) == all_tokens(now(begun()))


def test_s_6_how_many_tokens_a_refresh_deals_tells_nothing_of_what_was_kept() -> None:
    """Ann keeps three red tokens. Abilities come back one for another, items do not; everyone counts the same."""
    for lasts in ("ability", "item", "at once"):
        pool = msgspec.structs.replace(POOL, red=(tokens.Token(name="A", lasts=lasts, count=3),))
        moment = played(msgspec.structs.replace(started(), artifacts=art.laid(pool, "private", lambda n: 0)))
        counts = []
        for _ in range(3):
            for line in ("artifact STATUE ann red", "refresh ann", "keep ann"):
                moment = said(line, moment)
            counts.append(len(now(moment).lies["STATUE"]["red"]))
            if not counts[-1]:
                break
        assert counts == [1, 1, 0]


def test_ar_use_7_a_token_that_acts_at_once_goes_back_even_if_kept() -> None:
    before = all_tokens(now(begun()))
    kept = after("artifact STATUE ann yellow", "keep ann")
    assert (now(kept).kept, all_tokens(now(kept))) == ({}, before)
    with pytest.raises(
        RefusedError, match=r"^Small healing takes effect at once and goes back \(AR-USE-7\)\. Type: put ANN$"
    ):
        after("artifact STATUE ann yellow", "keep ann", draw="public")


def test_ar_gen_2_a_second_use_in_one_activation_is_a_finding() -> None:
    twice = after("artifact STATUE ann red", "put ann", "artifact OBELISK ann")
    assert twice.game.findings == (Finding("AR-GEN-2", USED_TWICE, None, "ANN"),)
    assert now(twice).hands["ANN"][0] == "blue"
    assert after("artifact STATUE ann red", "put ann", "activate ann", "artifact OBELISK ann").game.findings == ()


FLIGHT = tokens.Token(name="Flight", lasts="ability", count=2)
DODGE = tokens.Token(name="Dodge", lasts="ability", count=2)

LABEL, COLOUR = st.sampled_from(["STATUE", "OBELISK", "X"]), st.sampled_from(tokens.COLOURS)
SEAT = st.sampled_from(["ANN", "BEN"])
ANYTHING = st.one_of(
    st.builds(ev.Drawn, seat=SEAT, artifact=LABEL, colour=COLOUR, token=st.integers(0, 7)),
    st.builds(ev.TokenMoved, seat=SEAT, way=st.sampled_from(["kept", "returned", "fallen"])),
    st.builds(ev.Activated, seat=SEAT),
    st.builds(ev.Refreshed, seat=SEAT, dealt=st.just({"red": "1"})),
)


@pytest.mark.slow
@given(st.lists(ANYTHING, max_size=10))
def test_whatever_happened_is_taken_as_it_happened(events: list[ev.AnyEvent]) -> None:
    played(*events, moment=begun())
    assert [ev.from_json(ev.to_json(event)) for event in events] == events


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("artifact STATUE ann", "Tokens of several colours lie under STATUE; name one: yellow, red."),
        ("artifact STATUE ann blue", "No such token lies under STATUE (AR-TOK-3)."),
        ("artifact STATUTE ann", "There is no artifact 'STATUTE'; did you mean 'STATUE'?"),
        ("put ann", "Ann holds no token."),
        ("refresh", "Usage: refresh HERO"),
        ("refresh ann", "Ann holds no token, so none says to refresh (AR-REF-1)."),
    ],
)
def test_the_impossible_is_refused(line: str, told: str) -> None:
    with pytest.raises(RefusedError) as refused:
        parse(line, begun().game, english)
    assert str(refused.value) == told


def test_one_token_at_a_time() -> None:
    with pytest.raises(RefusedError, match=r"^Ann still holds a token\. First type: keep ANN, or: put ANN$"):
        said("artifact OBELISK ann", after("artifact STATUE ann red"))


def test_ar_set_1_a_table_without_artifacts_says_so() -> None:
    with pytest.raises(RefusedError, match="plays without artifacts"):
        parse("artifact STATUE ann", played(started()).game, english)


def test_a_whole_table_draws_keeps_and_replays(tmp_path: Path) -> None:
    used = replace(settings(), artifacts=ArtifactSettings(pool=tokens.SAMPLE, draw="private"))
    with table(tmp_path, used) as at:
        at.say("artifact STATUE ann red")
        (drawn,) = [event for event in at.events() if isinstance(event, ev.Drawn)]
        name = POOL.red[drawn.token].name
        assert name in at.screens["ANN"]
        at.run(10)
        assert at.screens["ANN"] == "dark"
        at.press("ANN")
        assert name in at.screens["ANN"]
        at.let_go("ANN")
        assert at.screens["ANN"] == "dark"
        at.say("refresh ann")
        at.say("keep ann")
        at.press("ANN")
        assert name not in at.screens["ANN"]
        at.let_go("ANN")
        at.say("end")
        everyone = [line for viewer, line in at.lines if viewer != "seat ANN"]
        assert not any(name in line for line in everyone)
        path = at.journal
    assert len(replay(path)) == 1
    assert "token drawn" in {entry.event.__struct_config__.tag for entry in read(path, MAGE_KNIGHT)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there are no artifacts"),
        ('[[artifact]]\nlabel = "A"\nred = 1\n', "the artifacts want 1 red tokens, and there are 0 (AR-TOK-3)"),
        ('[[artifact]]\nlabel = "A"\n' * 2, "a label appears twice"),
        ('[[artifact]]\nlabel = "A"\n' * 13, "there is room for 12"),
        ('[[artifact]]\nlabel = "a"\n', "must be 1 to 12 capital letters and digits"),
        ("red = 1\n", "must be sections that begin with [[red]]"),
        ("red = = 1", "this is not TOML"),
    ],
)
def test_a_pool_that_cannot_be_used_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "pool.toml"
    file.write_text(text)
    with pytest.raises(UserFileError) as refused:
        tokens.load(file)
    assert reason in str(refused.value)


def largest(letter: str) -> tokens.Pool:
    most = min(40, most_bytes(40) // len(letter.encode()))
    kind = tokens.Token(name="", text=letter * most, lasts="ability", count=30)
    kinds = tuple(
        msgspec.structs.replace(kind, name=letter * (most // 2 - 1) + str(n)) for n in range(tokens.MOST_KINDS)
    )
    labels = [f"ARTIFACT{n:04}" for n in range(tokens.MOST_ARTIFACTS)]
    many = tuple(tokens.Artifact(label=label, yellow=9, blue=9, red=9) for label in labels)
    return tokens.Pool(yellow=kinds, blue=kinds, red=kinds, artifact=many)


def written(pool: tokens.Pool) -> str:
    rows = [(colour, token) for colour in tokens.COLOURS for token in pool.of(colour)]
    parts = [
        f'[[{colour}]]\nname = "{each.name}"\ntext = "{each.text}"\nlasts = "{each.lasts}"\ncount = {each.count}\n'
        for colour, each in rows
    ]
    return "\n".join(parts) + "".join(
        f'\n[[artifact]]\nlabel = "{each.label}"\nyellow = {each.yellow}\nblue = {each.blue}\nred = {each.red}\n'
        for each in pool.artifact
    )


@pytest.mark.parametrize("letter", ["x", "ä", "🗡"])
def test_the_largest_pool_fits_into_the_record(letter: str, tmp_path: Path) -> None:
    """With as many chests as there may be; so does a refresh of all tokens."""
    pool, problems = tokens.parse(written(largest(letter)), "pool.toml")
    assert (pool, problems) == (largest(letter), ())
    assert pool is not None
    begin = msgspec.structs.replace(
        started(),
        artifacts=art.laid(pool, "private", lambda n: 0),
        chests=tuple(Chest(number=999 - n, disarm="14+", xp=999) for n in range(MOST_CHESTS)),
    )
    empty: art.Lying = {each.label: MappingProxyType({}) for each in pool.artifact}
    with Journal(tmp_path / "journal.db", MAGE_KNIGHT, machine_stamp) as journal:
        moment = journal.append("g", NO_GAME, begin)
        dealt = art.topped_up(msgspec.structs.replace(now(moment), lies=empty), lambda n: 0)
        assert {colour: len(those) for colour, those in dealt.items()} == {"yellow": 108, "blue": 108, "red": 108}
        journal.append("g", moment, ev.Refreshed(seat="ANN", dealt=dealt))
    first, _ = read(tmp_path / "journal.db", MAGE_KNIGHT)
    assert first.event == begin


def test_s_6_every_deal_takes_the_same_room_and_the_longest_tables_fit_beside_it(tmp_path: Path) -> None:
    """Otherwise the length of the first entry would reveal the dials' content at a table with artifacts."""
    acid = Face(position=9, kind="trap", click_number=99, trap=Trap.NOXIOUS_ACID_POOL, disarm=Disarm(99, variable=True))
    rooms = set()
    for seed, face in enumerate((acid, Face(position=0, kind="clear"), acid)):
        table = TrapTable(name="x" * 40, provenance="house", clicks=32, faces=(face,) * 32)
        laid = art.laid(largest("ä"), "private", random.Random(seed).randrange)
        chests = tuple(Chest(number=999 - n, disarm="14+", xp=999) for n in range(MOST_CHESTS))
        begin = msgspec.structs.replace(started(*[table] * 4), artifacts=laid, chests=chests)
        with Journal(tmp_path / f"{seed}.db", MAGE_KNIGHT, machine_stamp) as journal:
            journal.append("g", NO_GAME, begin)
        rooms |= {(len(public), len(sealed)) for _, public, sealed, *_ in rows(tmp_path / f"{seed}.db")}
    assert len(rooms) == 1
