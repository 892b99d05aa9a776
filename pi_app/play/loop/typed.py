"""Carries out the lines that are typed at the table, in its command language."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pi_app.game import events as ev
from pi_app.game.conversion import SpawnFigure
from pi_app.game.ruleset import rules_line
from pi_app.game.state import Phase
from pi_app.journal.record.keys import KeyFileError
from pi_app.play.commands import words as commands
from pi_app.play.commands.experience import converted
from pi_app.play.commands.parse import parse
from pi_app.play.loop.beginning import Beginning
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.players import Players
from pi_app.play.loop.session import GameSession
from pi_app.play.loop.turns import Turns
from pi_app.play.seats_and_dials import TableSeat
from pi_app.play.typing_pace import TOO_MANY, TypingPace
from pi_app.report.seat_screen import Attention
from pi_app.report.visibility import PUBLIC, REFEREE
from pi_app.text.language import LABELLED, N_, listed
from pi_app.text.table_words import with_english


class TypedLines:
    """Executes typed lines."""

    def __init__(
        self,
        session: GameSession,
        watch: DialWatch,
        turns: Turns,
        beginning: Beginning,
        players: Players,
        spawn: Sequence[SpawnFigure],
        rate_hz: Callable[[], float],
    ) -> None:
        """`spawn` is the owner's Mage Spawn pool; `rate_hz` gives how often each dial is sampled."""
        self._session, self._watch, self._turns = session, watch, turns
        self._beginning, self._players = beginning, players
        self._spawn, self._rate_hz = spawn, rate_hz
        self._pace = TypingPace()

    def too_many(self) -> None:
        """Tell everybody once that lines do not count."""
        if self._pace.to_be_told():
            self._session.tell(PUBLIC.name, self._session.words(TOO_MANY))

    def execute(self, line: str) -> bool:
        """Carry out one line, or tell the referee why not. Return False for quit."""
        if not line.strip():
            return True
        if not self._pace.accepts(line, self._session.clock.now_ns()):
            self.too_many()
            return True
        self._turns.record_unclaimed()
        try:
            command = parse(line, self._session.game, self._session.words)
            if isinstance(command, commands.Convert):
                command = converted(command, self._spawn, self._session.game, self._session.words)
        except commands.RefusedError as refusal:
            self._session.tell_referee(str(refusal))
            return True
        match command:
            case commands.Order():
                self._carry_out(command)
            case commands.Throw(dice):
                self._throw(line, dice)
            case commands.Chance(made):
                self._order(made(self._players.dice.pick))
            case commands.Reply(lines):
                for sentence in lines:
                    self._session.tell_referee(sentence)
            case commands.Roll(seat):
                self._roll_asked(self._session.seats[seat])
            case commands.ShowPhoneCode(seat):
                self._session.tell_referee(self._players.show_code(self._session.seats[seat]))
            case commands.CheckStarts():
                self._check_asked()
            case commands.NewGame(shuffle):
                self._beginning.new_game(shuffle)
            case commands.Status():
                self._status()
            case commands.Help():
                for usage, meaning in commands.USAGE.values():
                    self._session.inform(
                        LABELLED, label=with_english(usage, self._session.words), said=self._session.words(meaning)
                    )
            case commands.Quit():
                return False
        return True

    def end(self) -> bool:
        """End the game that is on. Return whether that is on disk."""
        return self._order(ev.Ended())

    def _carry_out(self, order: commands.Order) -> None:
        """Record an order, with its notes, then record what follows from it."""
        if self._order(order.event, order.notes) and order.then is not None:
            self._order(order.then)

    def _throw(self, line: str, dice: int) -> None:
        """Roll the dice of a line. The line was parsed before, so that it is refused before anybody rolls."""
        thrown = tuple(self._players.dice.roll() for _ in range(dice))
        order = parse(line, self._session.game, self._session.words, thrown)
        if isinstance(order, commands.Order):
            self._carry_out(order)

    def _order(self, event: ev.AnyEvent, said: Sequence[str] = ()) -> bool:
        """Record an event. Return whether it is on disk."""
        if isinstance(event, ev.Shared):
            self._players.offer(event)
            return False
        if isinstance(event, ev.Homed):
            self._watch.home(event)
            return True
        if isinstance(event, ev.DialNoted):
            self._watch.tiles.accept(event)
            return True
        if isinstance(event, ev.Rolled):
            self._rolled(event)
            return True
        if isinstance(event, ev.Undone) and not self._may_take_back():
            return False
        if isinstance(event, ev.Ended):
            self._turns.close_all()
            self._watch.sum_up_flapping(all_now=True)
        if not self._session.record_event(event, said):
            return False
        match event:
            case ev.Claimed():
                self._players.claimed(event.seat, event.grade)
            case ev.ClaimDropped():
                self._session.show_sentence(self._session.seats[event.seat], Attention.CLAIM_BACK)
            case ev.Triggered() if self._session.game.claim_on(event.square) is not None:
                self._players.claimed(event.seat, "table", event.square)
            case ev.Drawn(seat=seat):
                self._session.show_token(self._session.seats[seat])
            case ev.Ended():
                self._publish_head()
            case _:
                pass
        return True

    def _may_take_back(self) -> bool:
        """Whether no dial has begun to turn because of the last typed word."""
        undo = self._session.game.undo
        before = {} if undo is None else {claim.seat: claim.square for claim in undo.game.claims}
        asked = [claim for claim in self._session.game.claims if claim.seat not in before]
        turning = [claim.square for claim in asked if claim.square and self._turns.begun(claim.square)]
        if turning:
            self._session.inform(N_("The dial of {square} is being turned, so that word stands."), square=turning[0])
            return False
        for claim in asked:
            self._session.show_sentence(self._session.seats[claim.seat], Attention.CLAIM_BACK)
        return True

    def _roll_asked(self, seat: TableSeat) -> None:
        if self._players.roll(seat, "table"):
            self._session.prompt(seat, Attention.CLAIM_TAKEN)

    def _rolled(self, event: ev.Rolled) -> None:
        """Record a roll at the table. The answer is the same for every number; a wrong one becomes a finding."""
        if self._session.seats[event.seat].turn_over:
            sentence = N_("{name} has looked and released the button: that turn is over.")
        elif not self._session.record_event(event):
            return
        else:
            sentence = N_("The roll of {name} is recorded.")
        self._session.inform(sentence, name=self._session.game.seats[event.seat].name)

    def _check_asked(self) -> None:
        if not self._session.playing:
            self._session.inform(N_("No game is on. Type 'new' to begin one."))
            return
        self._beginning.check()
        off = [square.label for square in self._session.game.squares.values() if square.start_ok is False]
        unhomed = [square.label for square in self._session.game.squares.values() if not square.homed]
        if unhomed:
            sentence = N_("Not homed, so their positions are unknown (T-AUD-1): {squares}.")
            if self._session.game.found_starts:
                sentence = N_("Their starts are taken as soon as they rest: {squares}.")
            self._session.inform(sentence, squares=listed(unhomed, self._session.words))
        if off:
            sentence = N_("Not at the start mark: {squares} (T-AUD-1).")
            self._session.inform(sentence, squares=listed(off, self._session.words))
        elif not unhomed:
            found = self._session.game.found_starts
            sentence = N_("Every dial is at its start.") if found else N_("Every dial is at its start mark.")
            self._session.inform(sentence)

    def _status(self) -> None:
        if self._session.game.phase is not Phase.NONE:
            self._session.tell_referee(rules_line(self._session.game.ruleset, self._session.words))
        found = self._session.moment.reports.get(REFEREE.name)
        for line in found.lines.values() if found is not None else ():
            if line:
                self._session.tell_referee(line)
        if rate_hz := round(self._rate_hz()):
            self._session.inform(N_("Each dial is sampled {rate} times a second now."), rate=rate_hz)

    def _publish_head(self) -> None:
        """Publish the head: anyone who takes a photo of it is a witness of the whole record."""
        try:
            head = self._session.journal.head()
        except KeyFileError as error:
            self._session.tell_referee(str(error))
            return
        sentence = self._session.words(N_("The record has {count} entries. Take a photo of its head: {head}"))
        self._session.tell(PUBLIC.name, sentence.format(count=head.size, head=head.text()))
