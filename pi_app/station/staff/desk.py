"""What the staff page shows and does, behind its door: finished sentences in the language that the page asks for.

An ask is JSON: `{"do": "look", "lang": "de"}`. `do` is `look`, `hours` (with `hours`), `report`, `update`, `install`
(with `token`) or `test`. An answer is JSON of `StaffView`. Nothing here is made from a game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from hardware.host import Host
from pi_app.pages.station_status import StationStatus
from pi_app.settings.station_section import StationLanguage
from pi_app.station.staff.opening_hours import OpeningHours, WrongDay, wrong_days
from pi_app.station.staff.stick import write_report
from pi_app.station.staff.stick_update import Offer, StickUpdate
from pi_app.station.troubles.ring import RingEntry, TroubleRing
from pi_app.station.troubles.troubles import TroubleFound
from pi_app.text.language import N_, Words
from pi_app.text.language import words as words_of

LAST: Final = 5
"""So many troubles of the past are shown."""

READY: Final = N_("Ready: everything works.")
NOW: Final = N_("Now")
LAST_TROUBLES: Final = N_("The last troubles")
NONE: Final = N_("None.")
HOURS: Final = N_("Opening hours")
OPEN_NOW: Final = N_("Open now.")
CLOSED_NOW: Final = N_("Closed now.")
OPEN_THAT_DAY: Final = N_("open")
CLOSED_THAT_DAY: Final = N_("closed")
OPEN_SWITCH: Final = N_("{day}: open")
ALL_DAY: Final = N_("open all day")
OPENS: Final = N_("from")
CLOSES: Final = N_("to")
ANOTHER: Final = N_("{day}: open a second time")
HOURS_HELP: Final = N_("No times: open all day. A closing time until 06:00 is on the next day.")
KEPT: Final = N_("The opening hours are saved.")
NO_TIMES: Final = N_("{day}: fill in both times. For a day that is open all day, clear both.")
ORDER: Final = N_("{day}: it would close before it opens. Only a closing time until 06:00 is on the next day.")
NOT_KEPT: Final = N_("The memory card did not save the opening hours: they apply until the next restart.")
SAVE: Final = N_("Save")
REPORT: Final = N_("Write a report to a USB stick")
UPDATE: Final = N_("Update from the USB stick")
NO_UPDATE: Final = N_("This station cannot be updated from here.")
TEST: Final = N_("Self-test")
OVER: Final = "over"
BEGAN: Final = "began"
JUST_NOW: Final = N_("just now")
MINUTES: Final = N_("{minutes} min ago")
HOURS_AGO: Final = N_("{hours} h ago")
EARLIER: Final = N_("before the last start")
WEEK: Final = {
    "mon": N_("Monday"),
    "tue": N_("Tuesday"),
    "wed": N_("Wednesday"),
    "thu": N_("Thursday"),
    "fri": N_("Friday"),
    "sat": N_("Saturday"),
    "sun": N_("Sunday"),
}
NOT_UNDERSTOOD: Final = N_("The station did not understand this page. Load it again.")

WRONG: Final = {WrongDay.NO_TIMES: NO_TIMES, WrongDay.ORDER: ORDER}

_MINUTE_NS: Final = 60_000_000_000
_HOUR_NS: Final = 60 * _MINUTE_NS


class StaffAskText(msgspec.Struct, frozen=True):
    """One ask."""

    do: str = "look"
    lang: StationLanguage = "en"
    hours: dict[str, str] | None = None
    token: str = ""


class ShownTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """A trouble with what to do. `when`: empty for one of now."""

    seen: str
    do: str
    when: str = ""


class StaffView(msgspec.Struct, frozen=True, kw_only=True):
    """All that the page shows, and `said`, the sentence about what was asked for. `texts`: headings and buttons; a
    button without a text is not shown."""

    said: str
    state: str
    lamp: str
    now: tuple[ShownTrouble, ...]
    last: tuple[ShownTrouble, ...]
    hours: tuple[tuple[str, str, str], ...]
    """The key, the name and the hours of each day."""
    is_open: str
    test: tuple[str, ...]
    texts: Mapping[str, str]
    program: str
    last_update: str = ""
    """Why the last update was refused."""
    token: str = ""
    """Confirms the update that `said` describes; empty if there is none to install."""
    install: str = ""
    """The button that does so."""
    wrong: Mapping[str, str] = {}
    """By day, why its hours were refused: the page keeps what was entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffSources:
    """Where a desk gets what it shows. `boot`: the id of this boot; `test`: the lines of the self-test now; `update`:
    None without updates."""

    found: Callable[[], tuple[TroubleFound, ...]]
    status: Callable[[], StationStatus]
    ring: TroubleRing
    hours: OpeningHours
    host: Host
    boot: str
    now_ns: Callable[[], int]
    test: Callable[[Words], tuple[str, ...]]
    update: StickUpdate | None = None


class StaffDesk:
    """The desk of one station: a `staff_door.Desk`."""

    def __init__(self, sources: StaffSources) -> None:
        self._sources = sources

    def __call__(self, text: bytes) -> bytes:
        """Return the answer to an ask."""
        try:
            asked = msgspec.json.decode(text, type=StaffAskText)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            asked = StaffAskText(do="")
        words = words_of(asked.lang)
        refused = wrong_days(asked.hours or {}) if asked.do == "hours" else {}
        wrong = {day: words(WRONG[why]).format(day=words(WEEK[day])) for day, why in refused.items()}
        offer = Offer(" ".join(wrong.values())) if wrong else self._do(asked, words)
        view = self.view(words, offer.sentence)
        return msgspec.json.encode(msgspec.structs.replace(view, wrong=wrong, token=offer.token, install=offer.button))

    def _do(self, asked: StaffAskText, words: Words) -> Offer:
        """Carry out an ask; return a sentence about it, and an update that it offers."""
        update = self._sources.update
        match asked.do:
            case "look" | "test":
                return Offer("")
            case "hours":
                return Offer(words(self._change_hours(asked.hours)))
            case "report":
                return Offer(write_report(self._sources.host, self.report()).said(words))
            case "update":
                return Offer(words(NO_UPDATE)) if update is None else update.offer(words)
            case "install":
                return Offer(words(NO_UPDATE) if update is None else update.begin(asked.token, words))
        return Offer(words(NOT_UNDERSTOOD))

    def _change_hours(self, hours: dict[str, str] | None) -> str:
        try:
            return KEPT if self._sources.hours.change(hours) else NOT_UNDERSTOOD
        except OSError:
            return NOT_KEPT

    # ------------------------------------------------------------------------------------------------------- showing

    def view(self, words: Words, said: str = "") -> StaffView:
        """Return all that the page shows."""
        sources = self._sources
        found, status = sources.found(), sources.status()
        return StaffView(
            said=said,
            state="" if found else words(READY),
            lamp=status.lamp,
            now=tuple(ShownTrouble(seen=each.seen(words), do=each.do(words)) for each in found),
            last=self._last(words),
            hours=tuple((day, words(name), sources.hours.hours.get(day, "-")) for day, name in WEEK.items()),
            is_open=words(OPEN_NOW if status.open else CLOSED_NOW),
            test=sources.test(words),
            texts=self._texts(words),
            program=status.program,
            last_update="" if sources.update is None else sources.update.last(words),
        )

    def _texts(self, words: Words) -> Mapping[str, str]:
        texts = {
            "now": NOW,
            "last": LAST_TROUBLES,
            "none": NONE,
            "hours": HOURS,
            "help": HOURS_HELP,
            "open": OPEN_THAT_DAY,
            "closed": CLOSED_THAT_DAY,
            "switch": OPEN_SWITCH,
            "all_day": ALL_DAY,
            "from": OPENS,
            "to": CLOSES,
            "another": ANOTHER,
            "save": SAVE,
            "report": REPORT,
            "test": TEST,
            "update": "" if self._sources.update is None else UPDATE,
        }
        return {key: words(text) for key, text in texts.items()}

    def _last(self, words: Words) -> tuple[ShownTrouble, ...]:
        """The last troubles that began, the newest first."""
        began = [entry for entry in self._sources.ring.entries() if not entry.over]
        shown = ((entry, entry.found) for entry in began)
        return tuple(
            ShownTrouble(seen=found.seen(words), do=found.do(words), when=self._when(entry, words))
            for entry, found in shown
            if found is not None
        )[:LAST]

    def _when(self, entry: RingEntry, words: Words) -> str:
        if entry.boot != self._sources.boot:
            return words(EARLIER) if entry.clock == "none" else entry.wall[:16].replace("T", " ")
        past_ns = max(0, self._sources.now_ns() - entry.mono_ns)
        if past_ns < _MINUTE_NS:
            return words(JUST_NOW)
        if past_ns < _HOUR_NS:
            return words(MINUTES).format(minutes=past_ns // _MINUTE_NS)
        return words(HOURS_AGO).format(hours=past_ns // _HOUR_NS)

    def report(self) -> str:
        """Return the report for the owner, in English: the status, the machine, and all troubles in the ring. It has no
        secret, no address and nothing of a visitor."""
        host, status = self._sources.host, self._sources.status()
        lines = [
            f"Trapdial {status.program}",
            f"machine: {host.model() or 'not a Raspberry Pi'}",
            f"kernel: {host.text('proc/sys/kernel/osrelease')}",
            f"status: {msgspec.json.encode(status).decode()}",
            "hours: " + (msgspec.json.encode(dict(self._sources.hours.hours)).decode()),
            "troubles, the newest first (number, code, place, began or over, boot, its seconds, date, clock):",
        ]
        lines += (
            f"{entry.number} {entry.code} ({entry.place}) {OVER if entry.over else BEGAN} {entry.boot} "
            f"{entry.mono_ns // 1_000_000_000} {entry.wall} {entry.clock}"
            for entry in self._sources.ring.entries()
        )
        return "".join(f"{line}\n" for line in lines)
