"""What is typed at the table: each line of its command language, carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pi_app.game import events as ev
from pi_app.game.conversion import SpawnFigure
from pi_app.game.ruleset import rules_line
from pi_app.game.state import Phase
from pi_app.play.commands import words as commands
from pi_app.play.commands.experience import converted
from pi_app.play.commands.parse import parse
from pi_app.play.loop.beginning import Beginning
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.players import Players
from pi_app.play.loop.sitting import Sitting
from pi_app.play.loop.turns import Turns
from pi_app.play.seats_and_dials import SeatPlace
from pi_app.report.seat_screen import Attention
from pi_app.report.visibility import PUBLIC, REFEREE
from pi_app.text.language import LABELLED, N_, listed


class TypedWords:
    """Whoever obeys the table's keyboard."""

    def __init__(
        self,
        sitting: Sitting,
        watch: DialWatch,
        turns: Turns,
        beginning: Beginning,
        players: Players,
        *,
        pick: Callable[[int], int],
        spawn: Sequence[SpawnFigure],
        rate_hz: Callable[[], float],
    ) -> None:
        """`pick` gives 0 to n-1, each as likely as the others; `spawn` is the owner's Mage Spawn pool; `rate_hz` says
        how often each dial is sampled."""
        self._sitting, self._watch, self._turns = sitting, watch, turns
        self._beginning, self._players = beginning, players
        self.pick, self._spawn, self._rate_hz = pick, spawn, rate_hz

    def obey(self, line: str) -> bool:
        """Carry out one line, or say why not. False: somebody said quit."""
        if not line.strip():
            return True
        try:
            command = parse(line, self._sitting.game, self._sitting.words)
        except commands.RefusedError as refusal:
            self._sitting.tell_referee(str(refusal))
            return True
        match command:
            case commands.Order():
                self._carry_out(command)
            case commands.Throw(dice):
                self._throw(line, dice)
            case commands.Chance(made):
                self._order(made(self.pick))
            case commands.Reply(lines):
                for told in lines:
                    self._sitting.tell_referee(told)
            case commands.Convert(figures, points):
                for told in converted(self._spawn, figures, points, self._sitting.words):
                    self._sitting.tell_referee(told)
            case commands.Roll(seat):
                self._roll_asked(self._sitting.seats[seat])
            case commands.CheckStarts():
                self._check_asked()
            case commands.NewGame(shuffle):
                self._beginning.new_game_asked(shuffle)
            case commands.Status():
                self._status()
            case commands.Help():
                for usage, meaning in commands.USAGE.values():
                    self._sitting.inform(LABELLED, label=usage, said=self._sitting.words(meaning))
            case commands.Quit():
                return False
        return True

    def _carry_out(self, order: commands.Order) -> None:
        """On disk first, then said, then what follows from it."""
        if self._order(order.event):
            for note in order.notes:
                self._sitting.tell_referee(note)
            if order.then is not None:
                self._order(order.then)

    def _throw(self, line: str, dice: int) -> None:
        """Roll for a line. It was looked at before: what may be refused is refused before anybody rolls."""
        thrown = tuple(self._players.die() for _ in range(dice))
        order = parse(line, self._sitting.game, self._sitting.words, thrown)
        if isinstance(order, commands.Order):
            self._carry_out(order)

    def _order(self, event: ev.AnyEvent) -> bool:
        """Whether it is on disk now."""
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
        if isinstance(event, ev.Ended):
            self._turns.close_all()
        if not self._sitting.happen(event):
            return False
        match event:
            case ev.Claimed():
                self._players.claimed(event.seat, event.grade)
            case ev.ClaimDropped():
                self._sitting.says(self._sitting.seats[event.seat], Attention.CLAIM_BACK)
            case ev.Triggered() if self._sitting.game.claim_on(event.square) is not None:
                self._players.claimed(event.seat, "table", event.square)
            case ev.Drawn(seat=seat):
                self._sitting.show_token(self._sitting.seats[seat])
            case ev.Ended():
                self._hand_out_the_head()
            case _:
                pass
        return True

    def _roll_asked(self, place: SeatPlace) -> None:
        if self._players.roll(place, "table"):
            self._sitting.prompt(place, Attention.CLAIM_TAKEN)

    def _rolled(self, event: ev.Rolled) -> None:
        """What was rolled at the table. The answer is the same for every number, and right or not is a finding."""
        if self._sitting.seats[event.seat].turn_over:
            told = N_("{name} has looked and let go: that turn is over.")
        elif not self._sitting.happen(event):
            return
        else:
            told = N_("What {name} rolled is written down.")
        self._sitting.inform(told, name=self._sitting.game.seats[event.seat].name)

    def _check_asked(self) -> None:
        if not self._sitting.playing:
            self._sitting.inform(N_("No game is on. Type 'new' to begin one."))
            return
        self._beginning.check()
        off = [square.label for square in self._sitting.game.squares.values() if square.start_ok is False]
        unhomed = [square.label for square in self._sitting.game.squares.values() if not square.homed]
        if unhomed:
            told = N_("Count steps and are not homed, so nobody knows (T-AUD-1): {squares}.")
            self._sitting.inform(told, squares=listed(unhomed, self._sitting.words))
        if off:
            told = N_("Not at the start mark: {squares} (T-AUD-1).")
            self._sitting.inform(told, squares=listed(off, self._sitting.words))
        elif not unhomed:
            self._sitting.inform(N_("Every dial stands at its start mark."))

    def _status(self) -> None:
        if self._sitting.game.phase is not Phase.NONE:
            self._sitting.tell_referee(rules_line(self._sitting.game.ruleset, self._sitting.words))
        found = self._sitting.moment.reports.get(REFEREE.name)
        for line in found.lines.values() if found is not None else ():
            if line:
                self._sitting.tell_referee(line)
        if rate_hz := round(self._rate_hz()):
            self._sitting.inform(N_("Each dial is sampled {rate} times a second now."), rate=rate_hz)

    def _hand_out_the_head(self) -> None:
        """Whoever takes a photo of it is a witness of the whole record."""
        head = self._sitting.journal.head()
        told = self._sitting.words(N_("The record has {count} entries. Take a photo of its head: {head}"))
        self._sitting.tell(PUBLIC.name, told.format(count=head.size, head=head.text()))
