"""The life of a visit: its states one by one, and what always holds whatever hands do."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pi_app.station.visits.guide import TurnStep
from pi_app.station.visits.inputs import (
    ClaimGone,
    Clicked,
    DialBetween,
    DieRolled,
    Held,
    HoursSay,
    Input,
    LetGo,
    LookShown,
    PhoneSeen,
    ResetDone,
    Tapped,
)
from pi_app.station.visits.visit import ALONE_NS, PLAYED, SECOND_NS, State, Visit, VisitRules, advance, warning_s
from tests.station import idle

RULES = VisitRules()
HANDS = st.one_of(
    st.builds(Tapped, st.sampled_from(["P1", "P2"])),
    st.builds(Held, st.sampled_from(["P1", "P2"])),
    st.builds(LetGo, st.sampled_from(["P1", "P2"])),
    st.builds(LookShown, st.sampled_from(["P1", "P2"])),
    st.builds(Clicked, st.sampled_from(["T01", "T02"])),
    st.builds(DialBetween, st.sampled_from(["T01", "T02"])),
    st.builds(PhoneSeen, st.sampled_from(["", "P1"])),
)
TABLE = st.one_of(st.builds(DieRolled, st.just("P1")), st.builds(ClaimGone, st.just("P1")), st.just(ResetDone()))


class Visits(RuleBasedStateMachine):
    """Hands, the table and time do anything at all."""

    def __init__(self) -> None:
        super().__init__()
        self.visit, self.now_ns, self.input_ns = Visit(), 0, 0
        self.reset: Visit | None = None

    def _after(self, ns: int, *inputs: Input) -> None:
        self.now_ns += ns
        if any(not isinstance(given, (DieRolled, ClaimGone, ResetDone, HoursSay)) for given in inputs):
            self.input_ns = self.now_ns
        before = self.visit
        self.visit = advance(before, inputs, self.now_ns, RULES)
        if before.state in PLAYED and self.visit.state not in PLAYED:
            assert self.now_ns - self.input_ns >= RULES.idle_ns, "a visit never ends early"
        if State.CLOSED in (before.state, self.visit.state):
            assert self.visit.state in (State.CLOSED, State.ATTRACT) or before.state is not State.CLOSED

    @rule(given=HANDS, ns=st.integers(0, 20 * SECOND_NS))
    def hand(self, given: Input, ns: int) -> None:
        self._after(ns, given)

    @rule(given=TABLE, ns=st.integers(0, SECOND_NS))
    def table(self, given: Input, ns: int) -> None:
        self._after(ns, given)

    @rule(open_now=st.booleans())
    def hours(self, open_now: bool) -> None:
        self._after(0, HoursSay(open_now))

    @rule(ns=st.integers(0, 200 * SECOND_NS))
    def silence(self, ns: int) -> None:
        self._after(ns)

    @precondition(lambda self: self.visit.state not in (State.CLOSED, State.ATTRACT))
    @rule()
    def without_input_it_attracts_again(self) -> None:
        visit, now_ns = replace(self.visit, open=True, woken=False), self.now_ns
        bound_ns = RULES.joining_ns + RULES.idle_ns + RULES.thanks_ns + RULES.reset_ns
        for _ in range(bound_ns // SECOND_NS + 2):
            now_ns += SECOND_NS
            warned, visit = warning_s(visit, now_ns, RULES), advance(visit, (), now_ns, RULES)
            if visit.state is State.THANKS and visit.since_ns == now_ns:
                assert warned is not None
                assert warned <= 15
            if visit.state is State.ATTRACT:
                return
        raise AssertionError(f"stuck in {visit.state}")

    @invariant()
    def a_warning_stands_for_the_last_seconds_alone(self) -> None:
        left_ns = self.visit.input_ns + RULES.idle_ns - self.now_ns
        said = warning_s(self.visit, self.now_ns, RULES)
        assert (said is not None) == (self.visit.state in PLAYED and left_ns <= RULES.warn_ns)
        assert said is None or 0 <= said <= 15


TestVisits = Visits.TestCase
TestVisits.settings = hypothesis_settings(max_examples=15, stateful_step_count=20, deadline=None)


def after(visit: Visit, at_s: float, *inputs: Input, rules: VisitRules = RULES) -> Visit:
    return advance(visit, inputs, round(at_s * SECOND_NS), rules)


def test_any_hand_and_any_phone_wakes_it() -> None:
    for given in (Tapped("P1"), Held("P1"), Clicked("T01"), DialBetween("T01"), PhoneSeen()):
        woken = after(Visit(), 5, given)
        assert (woken.state, woken.number) == (State.JOINING, 1)
    for idle_one in (DieRolled("P1"), ResetDone(), LetGo("P1")):
        assert after(Visit(), 5, idle_one).state is State.ATTRACT


def test_taps_go_through_the_languages_and_a_pause_takes_one() -> None:
    visit = after(Visit(), 5, Tapped("P1"))
    assert visit.language == 0
    visit = after(after(visit, 6, Tapped("P1")), 7, Tapped("P2"))
    assert (visit.state, visit.language) == (State.JOINING, 2)
    assert after(visit, 9.9).state is State.JOINING
    chosen = after(visit, 10)
    assert (chosen.state, chosen.language, chosen.guided.step) == (State.GUIDED, 2, TurnStep.TAP)


def test_a_hold_takes_the_language_at_once() -> None:
    visit = after(after(after(Visit(), 5, Tapped("P1")), 6, Tapped("P1")), 6.5, Held("P1"))
    assert (visit.state, visit.language) == (State.GUIDED, 1)


def test_joining_ends_alone_after_ten_seconds_and_for_restless_hands_after_twenty() -> None:
    visit = after(Visit(), 5, Clicked("T01"))
    assert after(visit, 14.9).state is State.JOINING
    assert after(visit, 15).state is State.GUIDED
    for second in range(6, 25):
        visit = after(visit, second, Tapped("P1"))
        assert visit.state is State.JOINING
    assert after(visit, 25, Tapped("P1")).state is State.GUIDED


def test_with_one_language_a_tap_begins() -> None:
    rules = VisitRules(languages=1)
    visit = after(Visit(), 5, Tapped("P1"), rules=rules)
    assert after(visit, 6, Tapped("P1"), rules=rules).state is State.GUIDED


def guided(at_s: float = 15) -> Visit:
    return after(after(Visit(), 5, Clicked("T01")), at_s)


def test_a_whole_first_turn_ends_in_free_play() -> None:
    visit = guided()
    visit = after(visit, 17, Tapped("P2"), DieRolled("P2"))
    assert (visit.guided.step, visit.guided.seat) == (TurnStep.ROLL, "P2")
    visit = after(visit, 21)
    assert visit.guided.step is TurnStep.TURN
    visit = after(visit, 22, Clicked("T03"))
    assert visit.guided.step is TurnStep.HOLD
    visit = after(visit, 24, Held("P2"), LookShown("P2"))
    assert visit.guided.step is TurnStep.SEEN
    visit = after(visit, 26, LetGo("P2"))
    assert after(visit, 31.9).state is State.GUIDED
    assert after(visit, 32).state is State.FREE
    assert after(visit, 27, Tapped("P1")).state is State.FREE


def test_whoever_walks_away_in_the_guide_is_warned_and_leaves_nothing() -> None:
    visit = guided()
    assert warning_s(after(visit, 79.9), round(79.9 * SECOND_NS), RULES) is None
    assert warning_s(after(visit, 80), 80 * SECOND_NS, RULES) == 15
    assert after(visit, 95).state is State.THANKS
    assert after(after(visit, 95), 110).state is State.RESET


def test_the_guide_lasts_ninety_seconds_at_most() -> None:
    visit = guided()
    for second in range(16, 105):
        visit = after(visit, second, DialBetween("T01"), PhoneSeen("P1"))
        assert visit.state is State.GUIDED
    assert after(visit, 105, PhoneSeen("P1")).state is State.FREE


def test_a_reset_ends_when_it_is_done_and_at_the_latest_after_a_second() -> None:
    thanks = after(guided(), 200)
    assert thanks.state is State.THANKS
    reset = after(thanks, 215)
    assert reset.state is State.RESET
    assert after(reset, 215.1, ResetDone()).state is State.ATTRACT
    assert after(reset, 216).state is State.ATTRACT
    assert after(reset, 216).language == 0


def test_the_next_group_need_not_wait_for_the_thanks() -> None:
    thanks = after(guided(), 200)
    woken = after(thanks, 202, Tapped("P1"))
    assert woken.state is State.THANKS
    reset = after(woken, 205)
    assert reset.state is State.RESET
    joined = after(reset, 205.1, ResetDone())
    assert (joined.state, joined.number) == (State.JOINING, 2)


def test_closing_time_lets_a_visit_go_on() -> None:
    visit = after(guided(), 20, HoursSay(open=False))
    assert visit.state is State.GUIDED
    visit = after(after(after(visit, 110), 125), 126)
    assert visit.state is State.CLOSED
    assert after(visit, 130, Tapped("P1"), Clicked("T01")).state is State.CLOSED
    assert after(visit, 140, HoursSay(open=True)).state is State.ATTRACT
    assert after(after(visit, 140, HoursSay(open=True)), 141, Tapped("P1")).state is State.JOINING


def test_a_button_that_chatters_for_ever_is_no_visitor() -> None:
    visit = Visit()
    seen = set()
    for second in range(1, 3 * ALONE_NS // SECOND_NS):
        visit = after(visit, second, Tapped("P1"))
        seen.add(visit.state)
    assert visit.state is State.ATTRACT
    assert visit.number == 1
    assert State.THANKS in seen
    assert after(visit, 2000, Clicked("T01")).state is State.JOINING


def test_random_schedules_end_neither_early_nor_late() -> None:
    found = idle.run(6)
    assert (found.schedules, found.early, found.late, found.unwarned) == (6, 0, 0, 0)
    assert found.inputs > 20
