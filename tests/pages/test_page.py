"""The page in three browsers: a person joins, looks, lets go, sleeps and comes back; a seat moves; a game ends."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pi_app.simulated.phone import knock
from pi_app.text.languages import LANGUAGES
from tests.pages import contents
from tests.pages.conftest import ENGINES
from tests.pages.contents import CANARY, content
from tests.pages.engines import Chromium, Engine, engine
from tests.pages.fake_table import FakeTable
from tests.pages.states import STATES, Show, at_table

pytestmark = pytest.mark.slow

HAS_ANN = "document.getElementById('you').textContent === 'You are Ann.'"
GLASS = "document.getElementById('glass').textContent"
SEATS_KEPT = "return Object.keys(JSON.parse(localStorage.getItem('trapdial') || '{\"seats\":{}}').seats).length"

_SEEN_AT_THE_END = """
window.left = [];
for (const name of ['pointerup', 'pointercancel', 'keyup', 'blur', 'visibilitychange', 'pagehide', 'contextmenu'])
  window.addEventListener(name, () => left.push([name, document.getElementById('glass').textContent]));
"""
"""Listeners that run after the page's own: what is still on the glass at the end of each event."""


@pytest.fixture(params=ENGINES)
def browser(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with engine(request.param) as running:
        yield running


@pytest.fixture
def chromium() -> Iterator[Chromium]:
    with engine("chromium") as running:
        assert isinstance(running, Chromium)
        yield running


@pytest.fixture
def table() -> Iterator[FakeTable]:
    with FakeTable({"Ann": content("Ann"), "Ben": content("Ben", "de")}) as running:
        running.seats["Ann"].picture = contents.picture("face")
        yield running


def joined(browser: Engine, table: FakeTable, seat: str = "Ann") -> None:
    browser.go(table.link(seat))
    assert browser.until(HAS_ANN)


def test_a_phone_joins_looks_lets_go_comes_back_and_is_moved(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    assert table.asked == ["GET /", "POST /join"], "two requests to the first frame, and no other file"
    assert browser.run("return location.href") == table.address, "the code has left the address bar"
    assert browser.run("return document.title") == "Trapdial"
    assert browser.text("#news li:first-child") == "T05: exposed by Ben."
    assert browser.text("#glass") == ""

    browser.run(_SEEN_AT_THE_END)
    browser.press("#hold")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    browser.lift()
    assert browser.until("left.length")
    assert browser.run("return left[0]") == ["pointerup", ""]
    assert browser.text("#glass") == ""
    assert CANARY not in browser.run("return document.documentElement.outerHTML.split('<script>')[0]")
    assert table.got("Ann", 2, 3)

    before = len(table.asked)
    browser.reload()
    assert browser.until(HAS_ANN)
    assert "POST /stream" in table.asked[before:]
    assert "POST /join" not in table.asked[before:]
    assert CANARY not in browser.run("return JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")

    fragment = table.link("Ann").partition("#")[2]
    body, _ = knock(base64.b32decode(fragment + "=" * 6))
    assert not isinstance(table.knock("join", body), str)
    assert browser.until("document.getElementById('link').textContent === 'Another phone has this seat now.'")
    assert browser.run(SEATS_KEPT) == 0
    assert not browser.shown("#hold")


def test_a_code_that_was_used_is_said_to_be_used(browser: Engine, table: FakeTable) -> None:
    link = table.link("Ann")
    table.seats["Ann"].codes.clear()
    browser.go(link)
    assert browser.until("document.getElementById('link').textContent.startsWith('This code is used up.')")
    assert browser.run(SEATS_KEPT) == 0


def test_a_phone_without_a_code_says_what_to_do(browser: Engine, table: FakeTable) -> None:
    browser.go(table.address)
    assert browser.until("document.getElementById('link').textContent === 'Scan the code of your seat.'")
    assert table.asked[:1] == ["GET /"]
    assert not [each for each in table.asked if each.startswith("POST")]


def test_a_claim_is_taken_and_taken_back(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    assert browser.text("#tap") == "My turn"
    browser.tap("#tap")
    assert browser.until("document.getElementById('tap').textContent === 'Take back'")
    assert browser.text("#hint") == "The next dial that moves is yours."
    browser.tap("#tap")
    assert browser.until("document.getElementById('tap').textContent === 'My turn'")
    assert table.got("Ann", 1, 1)


def test_two_seats_on_one_phone_each_have_a_tab_and_a_hold(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    browser.go(table.link("Ben"))
    assert browser.until("document.getElementById('you').textContent === 'Du bist Ben.'")
    assert browser.run("return [...document.querySelectorAll('#seats button')].map((each) => each.textContent)") == [
        "Ann", "Ben",
    ]  # fmt: skip
    assert browser.run("return document.documentElement.lang") == "de"
    browser.press("#hold")
    browser.lift()
    browser.tap("#seats button:first-child")
    assert browser.until(HAS_ANN)
    browser.press("#hold")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    browser.lift()
    assert table.got("Ben", 2, 3)
    assert table.got("Ann", 2, 3)


def test_a_lost_connection_is_said_and_comes_back(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    table.cut = True
    table.cut_streams()
    assert browser.until("document.getElementById('link').textContent.startsWith('No connection.')")
    table.cut = False
    assert browser.until("document.getElementById('link').textContent === 'Back online.'")
    assert browser.until("document.getElementById('link').textContent === ''")
    assert browser.run("return document.getElementById('news').children.length") == 3


def test_a_lost_connection_ends_a_hold(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    browser.press("#hold")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    table.cut = True
    table.cut_streams()
    assert browser.until(f"!{GLASS}")
    browser.lift()


def test_a_hold_that_is_not_answered_is_said_to_be_unanswered(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    table.answers = False
    browser.press("#hold")
    assert browser.until("document.getElementById('link').textContent.startsWith('No connection. Look at your screen')")
    browser.lift()
    assert browser.until("document.getElementById('link').textContent === ''")


def test_space_looks_while_it_is_down(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    browser.focus("#hold")
    browser.key("keyDown", " ")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    browser.key("keyUp", " ")
    assert browser.text("#glass") == ""
    assert table.got("Ann", 2, 3)


def test_the_menu_of_a_long_press_stays_shut_and_any_other_menu_ends_the_hold(
    browser: Engine, table: FakeTable
) -> None:
    joined(browser, table)
    menu = "return arguments[0].map((css) => document.querySelector(css).dispatchEvent(\
        new MouseEvent('contextmenu', {bubbles: true, cancelable: true})))"
    browser.press("#hold")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    if browser.touch == "touch":
        assert browser.run(menu, ["#hold", "#hold span"]) == [False, False], "prevented"
        assert CANARY in browser.text("#glass")
    assert browser.run(menu, ["#news"]) == [True]
    assert browser.text("#glass") == ""
    browser.lift()


def test_a_tap_shows_for_four_seconds_where_it_is_asked_for(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    browser.run("document.querySelector('details').open = true")
    browser.run("document.getElementById('settap').click()")
    assert browser.text("#hold span") == "Tap to look"
    browser.tap("#hold")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    assert browser.until(f"!{GLASS}")
    assert browser.until("true")
    browser.tap("#hold")
    assert browser.until(f"{GLASS}.includes('{CANARY}')")
    browser.tap("#hold")
    assert browser.until(f"!{GLASS}", 1000), "a second tap ends it"


def test_a_seat_that_knows_nothing_lights_the_same_area(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    area = "const r = document.getElementById('glass').getBoundingClientRect(); return [r.width, r.height, \
        getComputedStyle(document.getElementById('glass')).backgroundColor]"
    found = []
    for picture in (
        contents.picture("face"),
        contents.picture("nothing"),
        contents.picture("card"),
        contents.picture("die"),
    ):
        table.seats["Ann"].picture = picture
        browser.press("#hold")
        assert browser.until(GLASS)
        found.append(browser.run(area))
        browser.lift()
    assert found[1:] == found[:1] * 3


def test_the_end_of_a_game_drops_the_keys_and_hands_over_the_heads(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    qr = {"size": 57, "rows": base64.b64encode(bytes(range(256)) * 2).decode()}
    assert not browser.shown("#end"), "during play a frame has a head and no code"
    browser.run("document.getElementById('more').open = true")
    assert browser.shown("#more .save"), "a player can keep the heads at any time"
    table.show(head="TRAPDIAL1 0000000002 BBBBBBBBBB", phase="ended", qr=qr)
    table.end("Ann", "over")
    assert browser.until("document.getElementById('link').textContent === 'The game is over.'")
    assert browser.shown("#qr svg")
    assert not browser.shown("#hold")
    assert browser.run(SEATS_KEPT) == 0
    browser.run(
        "window.blobs = []; URL.createObjectURL = (blob) => { blob.text().then((t) => blobs.push(t)); return '#'; };"
        "document.querySelector('#end .save').click()"
    )
    assert browser.until("blobs[0]") == "TRAPDIAL1 0000000001 AAAAAAAAAA\nTRAPDIAL1 0000000002 BBBBBBBBBB\n"
    browser.reload()
    assert browser.until("document.getElementById('link').textContent === 'Scan the code of your seat.'")


@pytest.mark.parametrize(("word", "said"), [("game", "No game is on."), ("disk", "The table cannot save this. Wait …")])
def test_a_table_that_cannot_now_is_waited_for(browser: Engine, table: FakeTable, word: str, said: str) -> None:
    joined(browser, table)
    table.refuses = word
    table.cut_streams()
    assert browser.until(f"document.getElementById('link').textContent === '{said}'")
    assert browser.run(SEATS_KEPT) == 1
    table.refuses = ""
    assert browser.until("document.getElementById('link').textContent === ''")
    assert browser.shown("#hold")


def test_a_frame_that_is_old_changed_or_of_another_seat_changes_nothing(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    body, _ = knock(base64.b32decode(table.link("Ben").partition("#")[2] + "=" * 6))
    assert not isinstance(table.knock("join", body), str)
    ann, ben = table.seats["Ann"].content, table.seats["Ben"].content
    ann["state"] = "Old."
    old = table.frame("Ann")
    table.show("Ann", state="New.")
    assert browser.until("document.getElementById('state').textContent === 'New.'")
    ann["state"], ben["state"] = "Changed.", "Of Ben."
    changed = bytearray(table.frame("Ann"))
    changed[100] ^= 1
    for frame in (old, bytes(changed), table.frame("Ben"), b"", b"\0" * 64):
        table.send("Ann", frame)
    browser.run(
        "window.states = []; new MutationObserver(() => states.push(document.getElementById('state').textContent))"
        ".observe(document.getElementById('state'), {childList: true, characterData: true, subtree: true})"
    )
    table.show("Ann", state="Last.")
    assert browser.until("states[0]") == "Last."


def test_leaving_a_seat_takes_two_taps(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    browser.run("document.querySelector('details').open = true; document.getElementById('leave').click()")
    assert browser.text("#leave") == "Tap once more to leave"
    assert table.seats["Ann"].posts == []
    browser.run("document.getElementById('leave').click()")
    assert browser.until("document.getElementById('link').textContent === 'Scan the code of your seat.'")
    assert browser.run(SEATS_KEPT) == 0


def test_a_knock_that_the_network_loses_is_sent_again_over_another_connection(
    browser: Engine, table: FakeTable
) -> None:
    table.loses = 1
    browser.go(table.link("Ann"))
    assert browser.until(HAS_ANN)
    assert table.asked.count("POST /join") == 2


def test_a_gesture_that_the_network_loses_is_sent_again_and_counts_once(browser: Engine, table: FakeTable) -> None:
    browser.go(table.link("Ann"))
    assert browser.until(HAS_ANN)
    table.loses = 1
    browser.run("document.getElementById('tap').click()")
    assert table.got("Ann", 1)
    assert table.asked.count("POST /up") >= 2


def test_a_page_that_came_before_the_game_began_knocks_again_with_its_name(browser: Engine, table: FakeTable) -> None:
    table.game = bytes(range(16))
    browser.go(table.link("Ann"))
    assert browser.until(HAS_ANN)
    assert table.asked.count("POST /join") == 2


def test_a_finger_that_the_table_takes_as_down_for_too_long_is_lifted_again(browser: Engine, table: FakeTable) -> None:
    """Where the network has lost every copy of its post."""
    browser.go(table.link("Ann"))
    assert browser.until(HAS_ANN)
    table.seats["Ann"].held = True
    table.send_all()
    assert table.got("Ann", 3)


def test_missing_words_of_a_frame_have_stand_ins(browser: Engine, table: FakeTable) -> None:
    table.seats["Ann"].content["ui"] = {}
    browser.go(table.link("Ann"))
    assert browser.until("document.getElementById('you').textContent === 'Ann'")
    assert browser.text("#hold span") == "hold"
    assert browser.text("#tap") == "turn"
    assert browser.text("#hint") == "shade", "its key"
    assert "undefined" not in browser.text("main")


def test_what_is_read_aloud_was_asked_for(browser: Engine, table: FakeTable) -> None:
    joined(browser, table)
    browser.press("#hold")
    assert browser.until(GLASS)
    assert browser.text("#aloud") == ""
    browser.lift()
    browser.run(
        "window.questions = []; window.confirm = (text) => { questions.push(text); return questions.length > 1; }"
    )
    browser.run("document.getElementById('setread').click()")
    assert browser.run("return document.getElementById('setread').checked") is False, "no headphones"
    browser.run("document.getElementById('setread').click()")
    assert browser.run("return questions[1]").endswith("Are your headphones on?")
    browser.press("#hold")
    assert browser.until("document.getElementById('aloud').textContent").startswith("T03. Spiked Pit. ")
    browser.lift()
    assert browser.text("#aloud") == ""


# ------------------------------------------------------------------------------------------------------- Chromium only


HIDDEN = "Object.defineProperty(Document.prototype, 'visibilityState', {get: () => window.out || 'visible'});"
TOLD = "document.dispatchEvent(new Event('visibilitychange'));"


def test_a_page_that_nobody_sees_spends_no_code(chromium: Chromium, table: FakeTable) -> None:
    chromium.cdp("Page.addScriptToEvaluateOnNewDocument", source=HIDDEN + "window.out = 'hidden';")
    chromium.go(table.link("Ann"))
    assert chromium.until("document.readyState === 'complete'")
    assert not [each for each in table.asked if each.startswith("POST")]
    assert chromium.run("return location.href") == table.address, "the code has left the address bar already"
    chromium.run("window.out = 'visible';" + TOLD)
    assert chromium.until(HAS_ANN)


def test_a_hidden_page_closes_its_stream_and_opens_another_when_it_is_seen(
    chromium: Chromium, table: FakeTable
) -> None:
    chromium.cdp("Page.addScriptToEvaluateOnNewDocument", source=HIDDEN)
    joined(chromium, table)
    for number in range(1, 21):
        chromium.press("#hold")
        assert chromium.until(GLASS)
        chromium.run("window.out = 'hidden';" + TOLD)
        assert chromium.text("#glass") == ""
        table.show("Ann", state=f"Round {number}.")
        chromium.run("window.out = 'visible';" + TOLD)
        assert chromium.until(f"document.getElementById('state').textContent === 'Round {number}.'")
        chromium.lift()
    assert table.asked.count("POST /stream") == 20


def test_the_accessibility_tree_holds_no_secret_unless_it_is_read_aloud(chromium: Chromium, table: FakeTable) -> None:
    joined(chromium, table)

    def tree() -> str:
        return json.dumps(chromium.cdp("Accessibility.getFullAXTree"))

    for picture in (contents.picture("face"), contents.picture("die"), contents.picture("card")):
        table.seats["Ann"].picture = picture
        public = tree()
        secret = [word for word in words_of(picture) if word not in public]
        assert secret
        chromium.press("#hold")
        assert chromium.until(GLASS)
        found = tree()
        assert "Hold to look" in found
        assert [word for word in secret if word in found] == []
        chromium.lift()
        assert chromium.until(f"!{GLASS}")
    chromium.run("window.confirm = () => true; document.getElementById('setread').click()")
    table.seats["Ann"].picture = contents.picture("face")
    chromium.press("#hold")
    assert chromium.until("document.getElementById('aloud').textContent")
    assert CANARY in tree()
    chromium.lift()
    assert CANARY not in tree()


def words_of(picture: dict[str, Any]) -> list[str]:
    """Every text of a picture that a neighbour must not learn."""
    texts = [
        picture.get("title"),
        picture.get("effect"),
        *picture.get("lines", ()),
        *(row[1] for row in picture.get("rows", ())),
    ]
    return [text for text in texts if text]


def test_every_hold_vibrates_for_as_long_and_only_where_it_is_asked_for(chromium: Chromium, table: FakeTable) -> None:
    joined(chromium, table)
    chromium.run("window.buzzed = []; navigator.vibrate = (pattern) => { buzzed.push(pattern); return true; }")
    found = []
    for asked in (False, True):
        if asked:
            chromium.run("document.getElementById('setbuzz').click()")
        for kind in ("face", "nothing", "die"):
            table.seats["Ann"].picture = contents.picture(kind)
            chromium.press("#hold")
            assert chromium.until(GLASS)
            chromium.lift()
            assert chromium.until(f"!{GLASS}")
            found.append(chromium.run("return buzzed.splice(0)"))
    assert found[:3] == [[], [], []]
    assert [stop for _, stop in found[3:]] == [0, 0, 0], "it ends with the hold"
    patterns = [pattern for pattern, _ in found[3:]]
    assert patterns[0] != patterns[1] == patterns[2]
    assert {(len(pattern), sum(pattern)) for pattern in patterns} == {(10, 2260)}


def test_the_policy_of_the_page_stops_nothing_of_its_own(chromium: Chromium) -> None:
    stopped = (
        "addEventListener('securitypolicyviolation', (event) => { (window.stopped ||= []).push(event.blockedURI); });"
    )
    chromium.cdp("Page.addScriptToEvaluateOnNewDocument", source=stopped)
    for state in STATES:
        with at_table(chromium, state, Show("en", 390, 844)):
            assert chromium.run("return window.stopped || []") == [], state
    chromium.run(
        "const s = document.createElement('script'); s.textContent = 'window.foreign = 1'; document.body.append(s)"
    )
    assert chromium.run("return window.foreign ?? null") is None
    assert chromium.until("window.stopped") == ["inline"]


def test_two_windows_of_one_browser_do_not_take_a_seat_from_each_other_for_ever(
    chromium: Chromium, table: FakeTable
) -> None:
    chromium.cdp("Page.addScriptToEvaluateOnNewDocument", source=HIDDEN)
    joined(chromium, table)
    first = chromium.window()
    chromium.other_window()
    chromium.go(table.address)
    assert chromium.until(HAS_ANN)
    second = chromium.window()
    chromium.other_window(first)
    assert chromium.until("document.getElementById('link').textContent === 'Another phone has this seat now.'")
    assert table.asked.count("POST /stream") == 1
    assert chromium.run(SEATS_KEPT) == 1, "the other window keeps it"
    chromium.run(TOLD)
    assert chromium.until("document.getElementById('link').textContent === 'Back online.'"), "it is looked at again"
    chromium.other_window(second)
    assert chromium.until("document.getElementById('link').textContent === 'Another phone has this seat now.'")
    assert table.asked.count("POST /stream") == 2


@pytest.mark.parametrize("width", [320, 390])
def test_every_face_in_every_language_stands_on_the_glass_whole(
    chromium: Chromium, table: FakeTable, width: int
) -> None:
    chromium.cdp("Emulation.setDeviceMetricsOverride", width=width, height=640, deviceScaleFactor=1, mobile=True)
    joined(chromium, table)
    for language in LANGUAGES:
        for face in contents.every_face(language):
            table.seats["Ann"].picture = face
            chromium.press("#hold")
            assert chromium.until(f"{GLASS}.includes({json.dumps(face['title'])})")
            over, size = chromium.run(
                "const g = document.getElementById('glass');"
                "return [g.scrollHeight - g.clientHeight, parseFloat(getComputedStyle(g).fontSize)]"
            )
            chromium.lift()
            assert over <= 0, (language, face["title"], size)
            assert size >= 11, (language, face["title"])


def test_every_browser_language_has_its_first_words(table: FakeTable) -> None:
    words = {
        "de-AT": "Scanne den Code deines Platzes.",
        "es": "Escanea el código de tu puesto.",
        "fr": "Scanne le code de ta place.",
        "it": "Scansiona il codice del tuo posto.",
        "pl": "Scan the code of your seat.",
    }
    for language, sentence in words.items():
        with engine("chromium", language=language) as running:
            running.go(table.address)
            assert running.until(f"document.getElementById('link').textContent === {json.dumps(sentence)}"), language
