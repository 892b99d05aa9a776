"""Where a dial's detents really are, kept in a TOML file; `pi_app.dials.learn_detents` finds them. Pure; text in, text
out.

Printed dials and glued magnets are a few degrees off, so every detent gets its own centre. A calibration that could
hide a mistake is refused with the reason, not kept with a warning.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.dials.detents import DialShape, wrapped
from pi_app.dials.magnet_error import DetentErrors, detent_errors, most_beside_deg
from pi_app.text.errors import UserFileError, problem

FORMAT: Final = 1
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
    of the tile that it was learnt from, if its memory has one, and `revision`: how often that tile was calibrated.
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
        """Return a calibration with its margins worked out."""
        rooms = _room_beside(centres, counts_per_turn, -1 if invert else 1)
        margin = tuple(int(room - wandered / 2) for room, wandered in zip(rooms, spread, strict=True))
        return cls(len(centres), counts_per_turn, invert, tuple(centres), tuple(spread), margin, tile, revision)

    @property
    def errors(self) -> DetentErrors:
        """How far its detents are off, and what that reveals about its magnet."""
        return detent_errors(self.centres, self.counts_per_turn, invert=self.invert)

    def off_deg(self, raw: int, centre: int) -> float:
        """Return how far an angle is from a centre, in degrees."""
        return wrapped(raw - centre, self.counts_per_turn) * 360 / self.counts_per_turn

    def shape(self, *, rest_ms: float = 600, gap_limit_ms: float = 35) -> DialShape:
        """Return the dial's shape for the tracker. Raises ValueError if its detents stand too close."""
        even = DialShape(clicks=self.clicks, counts_per_turn=self.counts_per_turn)
        narrowest = min(_room_beside(self.centres, self.counts_per_turn, -1 if self.invert else 1))
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
    """The turn does not show where the detents are. `reasons` are whole sentences; the text has one line for each."""

    def __init__(self, reasons: Iterable[str], dial: Calibration | None = None) -> None:
        """`dial`: the calibration learnt all the same, to be shown and not used."""
        self.reasons, self.dial = tuple(reasons), dial
        super().__init__("\n".join(self.reasons))


# ---------------------------------------------------------------------------------------- what is doubtful


def doubts(centres: Sequence[int], spread: Sequence[int], *, counts_per_turn: int, invert: bool) -> list[str]:
    """Return why a dial with these detents must not be used, in whole sentences; nothing for a sound one."""
    off = detent_errors(centres, counts_per_turn, invert=invert)
    wandering = _wandering(spread, counts_per_turn)
    if off.worn:
        return [*_worn(off, spread, counts_per_turn), *wandering]
    uneven = _uneven(centres, counts_per_turn, -1 if invert else 1)
    return [*(_bent(off) or uneven if uneven else []), *wandering]


def _gaps(centres: Sequence[int], turn: int, sign: int) -> list[int]:
    """Return the counts from each position to the next, counter-clockwise."""
    return [(sign * (after - before)) % turn for before, after in zip(centres, [*centres[1:], centres[0]], strict=True)]


def _room_beside(centres: Sequence[int], turn: int, sign: int) -> list[float]:
    """Return the counts from each centre to the nearer midline."""
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


def _worn(off: DetentErrors, spread: Sequence[int], turn: int) -> list[str]:
    """Report detents beside their place, except those that do not hold the dial: `_wandering` reports them."""
    most = most_beside_deg(len(off.off_deg))
    return [
        f"At position {k} the dial stands {abs(off.beside_deg[k]):.1f} degrees beside where its other detents put it; "
        f"{most:.0f} is the most. That detent is worn or broken: look at its lobe, and at the nose that falls into it."
        for k in off.worn
        if not _wanders(spread[k], turn)
    ]


def _bent(off: DetentErrors) -> list[str]:
    """Report uneven detents whose magnet is the cause: a wave that alone would be too much."""
    found = []
    for times, wave, why, advice in (
        (1, off.once, "Its magnet sits beside the middle", "Glue it within 0.25 mm of the chip's middle."),
        (
            2,
            off.twice,
            "Its magnet or its chip is tilted",
            "Let the magnet lie flat and the board be level with it.",
        ),
    ):
        clicks = len(off.off_deg)
        if wave is not None and 2 * wave.degrees * math.sin(math.pi * times / clicks) > MOST_UNEVEN_DEG / 2:
            round_ = "once" if times == 1 else "twice"
            found.append(
                f"{why}: that bends the angle by {wave.degrees:.0f} degrees either way, {round_} round, and leaves too "
                f"little room between detents. {advice}"
            )
    return found


def _wandering(spreads: Sequence[int], turn: int) -> list[str]:
    return [
        f"At position {k} the angle was not steady while the dial stood: it wandered over {spread * 360 / turn:.1f} "
        f"degrees; {WIDEST_SPREAD_DEG:.0f} is the most. Move the magnet nearer to the chip, or take a stronger one."
        for k, spread in enumerate(spreads)
        if _wanders(spread, turn)
    ]


# -------------------------------------------------------------------------------------------- the file


def dump(calibrations: Mapping[str, Calibration]) -> str:
    """Return the text of a calibration file, by the squares' labels."""
    lines = ["# Written by `trapdial calibrate`. Angles are the sensor's own counts.", f"format = {FORMAT}"]
    for label, dial in calibrations.items():
        lines += ["", f"[squares.{_key(label)}]", f"clicks = {dial.clicks}"]
        lines += [f"counts_per_turn = {dial.counts_per_turn}", f"invert = {'true' if dial.invert else 'false'}"]
        lines += [f"{name} = {list(getattr(dial, name))}" for name in ("centres", "spread", "margin")]
        if dial.tile:
            lines += [f'tile = "{dial.tile}"', f"revision = {dial.revision}"]
    return "\n".join(lines) + "\n"


def load(text: str, file: str) -> dict[str, Calibration]:
    """Return the calibrations in a text, by label. Raises UserFileError with every problem; `file` is its name."""
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
        problem(file, _place(text, None, key), f"unknown key {key!r}", "Remove it")
        for key in top
        if key not in ("format", "squares")
    ]
    found = {label: _one(file, text, label, row, problems) for label, row in squares.items()}
    owners: dict[str, str] = {}
    for label, dial in found.items():
        if dial is not None and dial.tile and owners.setdefault(dial.tile, label) != label:
            seen = f"its tile is also the one of [squares.{_key(owners[dial.tile])}]"
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
            complain(key, f"unknown key {key!r}", f"The keys are {', '.join(_KEYS + _TILE_KEYS)}")
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
    """Whether a dial can be followed with this; always so if `learn` or `load` returned it."""
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
    """Return the place of a key as `line 7 [squares.T03]`, as far as a search of the text finds it."""
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
