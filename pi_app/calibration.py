"""Where a dial's detents really are: learnt from one slow turn, kept in a TOML file. Pure; text in, text out.

Printed dials and glued magnets are a few degrees off, so every detent gets its own centre. A calibration that
could hide a mistake is refused with the reason, rather than kept with a warning.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pi_app.dial import DialShape
from pi_app.dial_form import DialForm, form_of, most_beside_deg
from pi_app.errors import UserFileError, problem

FORMAT: Final = 1
STANDS_MS: Final = 150
"""A dial that stayed within `STILL_DEG` for this long stood in a detent."""

STILL_DEG: Final = 1.0
WIDEST_SPREAD_DEG: Final = 2.0
MOST_UNEVEN_DEG: Final = 8.0
"""More than this from an even pitch, and a detent was missed, or the magnet sits too far off the middle."""

_KEYS: Final = ("clicks", "counts_per_turn", "invert", "centres", "spread", "margin")
_TILE_KEYS: Final = ("tile", "revision")
_TILE: Final = r"24aa02uid:[0-9A-F]{8}|24aa025e48:[0-9A-F]{12}"
_CALIBRATE: Final = "Calibrate this dial again with `trapdial calibrate`"


@dataclass(frozen=True, slots=True)
class Calibration:
    """One dial's detents, in the chip's own counts.

    `centres[k]`: the angle at position k. `spread[k]`: how far the angle wandered while it stood there, end to end.
    `margin[k]`: how far the worst sample at that detent was from the nearer midline to a neighbour. `tile`: the number
    of the tile that it was learnt from, if its memory gave one, and `revision`: how often that tile was calibrated.
    """

    clicks: int
    counts_per_turn: int
    invert: bool
    centres: tuple[int, ...]
    spread: tuple[int, ...]
    margin: tuple[int, ...]
    tile: str = ""
    revision: int = 0

    @classmethod
    def of_centres(
        cls,
        centres: Sequence[int],
        spread: Sequence[int],
        *,
        counts_per_turn: int,
        invert: bool,
        tile: str = "",
        revision: int = 0,
    ) -> Calibration:
        """The same with its margins worked out."""
        rooms = _rooms(centres, counts_per_turn, -1 if invert else 1)
        margin = tuple(int(room - wandered / 2) for room, wandered in zip(rooms, spread, strict=True))
        return cls(len(centres), counts_per_turn, invert, tuple(centres), tuple(spread), margin, tile, revision)

    @property
    def form(self) -> DialForm:
        """How its detents are spread, and what that says of its magnet."""
        return form_of(self.centres, self.counts_per_turn, invert=self.invert)

    def shape(self, *, rest_ms: float = 600, gap_limit_ms: float = 35) -> DialShape:
        """The dial as the tracker wants it. Raises ValueError if its detents stand too close."""
        even = DialShape(clicks=self.clicks, counts_per_turn=self.counts_per_turn)
        narrowest = min(_rooms(self.centres, self.counts_per_turn, -1 if self.invert else 1))
        return DialShape(
            clicks=self.clicks,
            counts_per_turn=self.counts_per_turn,
            centres=self.centres,
            invert=self.invert,
            seated_counts=min(even.seated, 0.6 * narrowest),
            hysteresis_counts=min(even.hysteresis, 0.3 * narrowest),
            rest_ms=rest_ms,
            gap_limit_ms=gap_limit_ms,
        )


class CalibrationDoubtError(Exception):
    """The turn does not tell where the detents are. `reasons` are whole sentences; the text has one line for each."""

    def __init__(self, reasons: Iterable[str], dial: Calibration | None = None) -> None:
        """`dial`: what was learnt all the same, to be looked at and not to be used."""
        self.reasons, self.dial = tuple(reasons), dial
        super().__init__("\n".join(self.reasons))


# -------------------------------------------------------------------------------------------- learning


@dataclass(slots=True)
class _Stop:
    """A stretch in which the dial stood: its angles as ways from the first one."""

    raw: int
    ways: list[int]

    @property
    def middle(self) -> int:
        return sorted(self.ways)[len(self.ways) // 2]

    @property
    def lately(self) -> int:
        """Where it stood in the last samples: a slow drift is one stop, and shows as its spread."""
        return sorted(self.ways[-25:])[len(self.ways[-25:]) // 2]

    @property
    def spread(self) -> int:
        """End to end."""
        return max(self.ways) - min(self.ways)


def learn(
    samples: Iterable[tuple[int, int | None]], *, clicks: int = 12, counts_per_turn: int = 4096, invert: bool = False
) -> Calibration:
    """The calibration from one slow turn: start at the start mark, then counter-clockwise click by click, standing
    a moment in every detent, once round and back to the start mark.

    `samples`: time in ns and raw angle (None: a failed read). Raises CalibrationDoubtError with every reason found.
    """
    stops = _stops(samples, counts_per_turn)
    detents = _merged(stops, counts_per_turn, clicks)
    sign = -1 if invert else 1
    _check_turn(detents, clicks, counts_per_turn, sign)
    centres, spreads = _centres(detents, clicks, counts_per_turn)
    dial = Calibration.of_centres(centres, spreads, counts_per_turn=counts_per_turn, invert=invert)
    if reasons := doubts(centres, spreads, counts_per_turn=counts_per_turn, invert=invert):
        raise CalibrationDoubtError(reasons, dial)
    return dial


def doubts(centres: Sequence[int], spread: Sequence[int], *, counts_per_turn: int, invert: bool) -> list[str]:
    """Why a dial with these detents is not to be played on, in whole sentences; nothing for a sound one."""
    form = form_of(centres, counts_per_turn, invert=invert)
    wandering = _wandering(spread, counts_per_turn)
    if form.worn:
        return [*_worn(form, spread, counts_per_turn), *wandering]
    uneven = _uneven(centres, counts_per_turn, -1 if invert else 1)
    return [*(_bent(form) or uneven if uneven else []), *wandering]


def _wrap(counts: int, turn: int) -> int:
    return (counts + turn // 2) % turn - turn // 2


def _stops(samples: Iterable[tuple[int, int | None]], turn: int) -> list[_Stop]:
    still, stops = turn * STILL_DEG / 360, list[_Stop]()
    stop, since_ns, strays = _Stop(0, []), 0, 0
    last_ns = 0
    for at_ns, raw in samples:
        if raw is None:
            continue
        way = _wrap(raw - stop.raw, turn)
        if stop.ways and abs(way - stop.lately) <= still * 2:
            stop.ways.append(way)
            strays, last_ns = 0, at_ns
        elif stop.ways and strays == 0:
            strays = 1
        else:
            if last_ns - since_ns >= STANDS_MS * 1e6:
                stops.append(stop)
            stop, since_ns, last_ns, strays = _Stop(raw, [0]), at_ns, at_ns, 0
    if stop.ways and last_ns - since_ns >= STANDS_MS * 1e6:
        stops.append(stop)
    return stops


def _merged(stops: Sequence[_Stop], turn: int, clicks: int) -> list[_Stop]:
    """Stops in the same detent as one: a dial may settle a little while it stands."""
    detents: list[_Stop] = []
    for stop in stops:
        if detents:
            last = detents[-1]
            way = _wrap(stop.raw + stop.middle - last.raw - last.middle, turn)
            if abs(way) < turn / clicks / 3:
                offset = _wrap(stop.raw - last.raw, turn)
                last.ways += [offset + each for each in stop.ways]
                continue
        detents.append(_Stop(stop.raw, list(stop.ways)))
    return detents


def _check_turn(detents: Sequence[_Stop], clicks: int, turn: int, sign: int) -> None:
    """Once round, detent by detent, the right way; or say what happened in place of it."""
    if len(detents) < 2:
        where = "in one place only" if detents else "nowhere"
        raise _doubt(
            f"The dial stood still {where}; turn it click by click, once round, and wait a moment in every detent."
        )
    angles = [stop.raw + stop.middle for stop in detents]
    steps = [sign * _wrap(after - before, turn) for before, after in pairwise(angles)]
    backward = sum(step < 0 for step in steps)
    if backward == len(steps):
        flip = "leave `invert` out" if sign < 0 else "set `invert = true`"
        raise _doubt(
            "The angle fell where it should grow: the dial was turned clockwise, or its sensor counts the "
            f"other way. Turn it counter-clockwise; if you did, {flip}."
        )
    if backward:
        raise _doubt("The dial went back and forth; turn it counter-clockwise only, once round.")
    if max(steps) > 1.5 * turn / clicks:
        stop = steps.index(max(steps)) + 1
        raise _doubt(
            f"After stop {stop} the dial went past position {stop} without standing in it; wait a moment in every "
            "detent. If it will not stay there, that detent is missing or worn flat: look at its lobe."
        )
    if len(steps) != clicks:
        more = "more" if len(steps) > clicks else "fewer"
        raise _doubt(
            f"The dial stood in {len(steps)} detents on its way round, {more} than the {clicks} of its trap "
            "table. Turn it exactly once round, back to the start mark; if you did, `clicks` is wrong."
        )
    if (off := abs(sum(steps) - turn) * 360 / turn) > MOST_UNEVEN_DEG:
        raise _doubt(
            f"After {clicks} clicks the dial was {off:.0f} degrees from where it began: it has not {clicks} "
            "detents, or one was counted wrongly."
        )


def _doubt(reason: str) -> CalibrationDoubtError:
    return CalibrationDoubtError([reason])


def _centres(detents: Sequence[_Stop], clicks: int, turn: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Centres and spreads; the start mark was visited twice, and both visits count."""
    first, again = detents[0], detents[clicks]
    offset = _wrap(again.raw - first.raw, turn)
    start = _Stop(first.raw, [*first.ways, *(offset + way for way in again.ways)])
    stops = [start, *detents[1:clicks]]
    return tuple((stop.raw + stop.middle) % turn for stop in stops), tuple(stop.spread for stop in stops)


def _gaps(centres: Sequence[int], turn: int, sign: int) -> list[int]:
    """Counts from each position to the next, counter-clockwise."""
    return [(sign * (after - before)) % turn for before, after in zip(centres, [*centres[1:], centres[0]], strict=True)]


def _rooms(centres: Sequence[int], turn: int, sign: int) -> list[float]:
    """Counts from each centre to the nearer midline."""
    gaps = _gaps(centres, turn, sign)
    return [min(gap, gaps[k - 1]) / 2 for k, gap in enumerate(gaps)]


def _uneven(centres: Sequence[int], turn: int, sign: int) -> list[str]:
    pitch = turn / len(centres)
    return [
        f"From position {k} to {(k + 1) % len(centres)} the dial turned {gap * 360 / turn:.0f} degrees instead of "
        f"{360 / len(centres):.0f}; more than {MOST_UNEVEN_DEG:.0f} off is too much. Check that the magnet sits in "
        "the middle, and that no detent was missed."
        for k, gap in enumerate(_gaps(centres, turn, sign))
        if abs(gap - pitch) > turn * MOST_UNEVEN_DEG / 360
    ]


def _wanders(spread: int, turn: int) -> bool:
    return spread > turn * WIDEST_SPREAD_DEG / 360


def _worn(form: DialForm, spread: Sequence[int], turn: int) -> list[str]:
    """Detents beside their place, but for those that hold the dial nowhere: that is said of them already."""
    most = most_beside_deg(len(form.off_deg))
    return [
        f"At position {k} the dial stands {abs(form.beside_deg[k]):.1f} degrees beside where its other detents put it; "
        f"{most:.0f} is the most. That detent is worn or broken: look at its lobe, and at the nose that falls into it."
        for k in form.worn
        if not _wanders(spread[k], turn)
    ]


def _bent(form: DialForm) -> list[str]:
    """Detents that are uneven because of their magnet: a wave that alone would be too much."""
    found = []
    for times, wave, why, advice in (
        (1, form.once, "Its magnet sits beside the middle", "Glue it within 0.25 mm of the chip's middle."),
        (2, form.twice, "Its magnet or its chip is tilted", "Let the magnet lie flat and the board be level with it."),
    ):
        clicks = len(form.off_deg)
        if wave is not None and 2 * wave.degrees * math.sin(math.pi * times / clicks) > MOST_UNEVEN_DEG / 2:
            round_ = "once" if times == 1 else "twice"
            found.append(
                f"{why}: that bends the angle by {wave.degrees:.0f} degrees either way, {round_} round, and leaves too "
                f"little room between detents. {advice}"
            )
    return found


def _wandering(spreads: Sequence[int], turn: int) -> list[str]:
    return [
        f"At position {k} the angle wandered over {spread * 360 / turn:.1f} degrees; {WIDEST_SPREAD_DEG:.0f} is the "
        "most. Check that the detent holds and that the magnet is near enough."
        for k, spread in enumerate(spreads)
        if _wanders(spread, turn)
    ]


# -------------------------------------------------------------------------------------------- the file


def dump(calibrations: Mapping[str, Calibration]) -> str:
    """The text of a calibration file, by the squares' labels."""
    lines = ["# Written by `trapdial calibrate`. Angles are the sensor's own counts.", f"format = {FORMAT}"]
    for label, dial in calibrations.items():
        lines += ["", f"[squares.{_key(label)}]", f"clicks = {dial.clicks}"]
        lines += [f"counts_per_turn = {dial.counts_per_turn}", f"invert = {'true' if dial.invert else 'false'}"]
        lines += [f"{name} = {list(getattr(dial, name))}" for name in ("centres", "spread", "margin")]
        if dial.tile:
            lines += [f'tile = "{dial.tile}"', f"revision = {dial.revision}"]
    return "\n".join(lines) + "\n"


def load(text: str, file: str) -> dict[str, Calibration]:
    """The calibrations in a text, by label. Raises UserFileError with every problem of it; `file` is its name."""
    try:
        top = tomllib.loads(text)
    except (ValueError, RecursionError) as trouble:
        seen = "this is not TOML, or it was cut off"
        raise UserFileError.at(file, _line_of(trouble, text), seen, _CALIBRATE) from None
    problems: list[str] = []
    if top.get("format") != FORMAT:
        problems.append(problem(file, _place(text, None, "format"), f"`format` must be {FORMAT}", _CALIBRATE))
    squares = top.get("squares")
    if not isinstance(squares, dict) or not squares:
        problems.append(problem(file, "", "it has no section [squares.LABEL]", _CALIBRATE))
        squares = {}
    problems += [
        problem(file, _place(text, None, key), f"nobody knows the key {key!r}", "Take it out")
        for key in top
        if key not in ("format", "squares")
    ]
    found = {label: _one(file, text, label, row, problems) for label, row in squares.items()}
    owners: dict[str, str] = {}
    for label, dial in found.items():
        if dial is not None and dial.tile and owners.setdefault(dial.tile, label) != label:
            seen = f"its tile is the one of [squares.{_key(owners[dial.tile])}] as well"
            problems.append(problem(file, _place(text, label, "tile"), seen, _CALIBRATE))
    if problems:
        raise UserFileError(problems)
    return {label: dial for label, dial in found.items() if dial is not None}


def _one(file: str, text: str, label: str, row: object, problems: list[str]) -> Calibration | None:
    before = len(problems)

    def complain(key: str | None, seen: str, advice: str = _CALIBRATE) -> None:
        problems.append(problem(file, _place(text, label, key), seen, advice))

    if not isinstance(row, dict):
        complain(None, "is no section")
        return None
    for key in row:
        if key not in _KEYS + _TILE_KEYS:
            complain(key, f"nobody knows the key {key!r}", f"The keys are {', '.join(_KEYS + _TILE_KEYS)}")
    for key in _KEYS:
        if key not in row:
            complain(None, f"{key!r} is missing")
    clicks, turn, invert = row.get("clicks"), row.get("counts_per_turn"), row.get("invert")
    if "clicks" in row and not _is_count(clicks, 2, 100):
        complain("clicks", "`clicks` must be a number from 2 to 100")
    if "counts_per_turn" in row and not _is_count(turn, 64, 1 << 20):
        complain("counts_per_turn", "`counts_per_turn` must be a number from 64 to 1048576")
    if "invert" in row and not isinstance(invert, bool):
        complain("invert", "`invert` must be true or false")
    tile, revision = row.get("tile", ""), row.get("revision", 0)
    if not isinstance(tile, str) or not re.fullmatch(_TILE if "tile" in row else "", tile):
        complain("tile", '`tile` must be the number of a tile, such as "24aa02uid:12345678"')
    if not _is_count(revision, 0, 65535):
        complain("revision", "`revision` must be a number from 0 to 65535")
    if len(problems) > before or not (isinstance(clicks, int) and isinstance(turn, int)):
        return None
    for key in ("centres", "spread", "margin"):
        values = row[key]
        if not isinstance(values, list) or not all(_is_count(value, 0, turn - 1) for value in values):
            complain(key, f"`{key}` must be a list of numbers from 0 to {turn - 1}")
        elif len(values) != clicks:
            complain(key, f"`{key}` has {len(values)} numbers for {clicks} clicks")
    if len(problems) > before:
        return None
    centres, spread, margin = (tuple(row[key]) for key in ("centres", "spread", "margin"))
    dial = Calibration(clicks, turn, bool(invert), centres, spread, margin, str(tile), revision)
    return dial if _works(dial, complain) else None


def works(dial: Calibration) -> bool:
    """Whether a dial can be followed with this; one that `learn` or `load` gave always can."""
    return _works(dial, lambda key, seen: None)


def _works(dial: Calibration, complain: Callable[[str, str], None]) -> bool:
    sign = -1 if dial.invert else 1
    if sum(_gaps(dial.centres, dial.counts_per_turn, sign)) != dial.counts_per_turn:
        complain("centres", "the centres do not go once round counter-clockwise (is `invert` right?)")
        return False
    if reasons := _uneven(dial.centres, dial.counts_per_turn, sign):
        complain("centres", reasons[0].split(". ")[0])
        return False
    try:
        dial.shape()
    except ValueError as trouble:
        complain("centres", str(trouble))
        return False
    return True


def _is_count(value: object, lowest: int, highest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _key(label: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", label):
        return label
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


_AT_LINE: Final = re.compile(r"at line (\d+)")


def _line_of(trouble: Exception, text: str) -> str:
    at = _AT_LINE.search(str(trouble))
    return f"line {at[1] if at else text.rstrip().count(chr(10)) + 1}"


def _place(text: str, label: str | None, key: str | None) -> str:
    """`line 7 [squares.T03]`, as well as a look at the text can tell."""
    section = None
    header = None if label is None else f"[squares.{_key(label)}]"
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words.startswith("["):
            section = words
            if key is None and section == header:
                return f"line {number} {header}"
        elif key is not None and section == header and re.match(rf"\"?{re.escape(key)}\"?\s*=", words):
            return f"line {number}" + ("" if header is None else f" {header}")
    return header or ""
