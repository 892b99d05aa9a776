"""What the board must report, beside what is true there. Pure: reports in, rows of a table out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Report = Mapping[str, Any]

MARK: Final = "PI {"
TURN: Final = 4096
MOST_OFF: Final = 3
"""Counts that a learnt detent may be off: 0.26 degrees, of a noise of 0.03 to 0.07 degrees."""
LEAST_EDGES: Final = 4
CLOCKWISE: Final = "T-AUD-4"
"""The rule that a dial turned clockwise breaks."""
NO_LINE: Final = "(no line)"

DOCTOR: Final[Mapping[str, str]] = {
    "machine": "ok Raspberry Pi 3 Model B",
    "pins": "ok can be used, by lgpio, on gpiochip0",
    "button of seat ANN": "ok is not pressed",
    "button of seat BEN": "!! was pressed all the time",
    "bus dials": "ok opened; one transaction per call",
    "mux 0x70": "ok answers and switches; its RESET is not wired",
    "encoder of T01": "ok magnet good (gain 64 of 128)",
    "encoder of T02": "?? magnet seen, but near a limit (gain 120 of 128)",
    "encoder of T03": "?? magnet too weak (gain 128 of 128)",
    "encoder of T04": "!! gave no answer (errno 121)",
    "encoder of T05": "!! no magnet seen (gain 128 of 128)",
}
"""The doctor's line of each part, where the program drives the mux: how the board's chips and pins were set."""

WITH_KERNEL_MUX: Final[Mapping[str, str]] = {
    "button of seat BEN": "ok is not pressed",
    **{f"bus t0{n}": "ok opened; one transaction per call" for n in (1, 2, 3)},
    **{f"encoder of T0{n}": "ok magnet good (gain 64 of 128)" for n in (1, 2, 3)},
}
"""The same where the kernel drives it, with all magnets good."""


@dataclass(frozen=True)
class Row:
    """One comparison. `found` and `truth` are for people; `holds` is the verdict."""

    step: str
    what: str
    truth: str
    found: str
    holds: bool


def parsed(lines: Iterable[str]) -> dict[str, Report]:
    """The reports in a console's lines, by step. Lines that the kernel broke are left out, and are missed later."""
    reports: dict[str, Report] = {}
    for line in lines:
        _, mark, rest = line.partition(MARK)
        try:
            report = json.loads(f"{{{rest}") if mark else {}
        except ValueError:
            continue
        if isinstance(report, dict) and "step" in report:
            reports[str(report["step"])] = report
    return reports


def rows(reports: Mapping[str, Report]) -> list[Row]:
    """Every comparison. A report that is missing is a row that does not hold."""
    found: list[Row] = []
    for step, compare in _STEPS.items():
        if step in reports:
            found += compare(step, reports[step])
        else:
            found.append(Row(step, "report", "one", "none", False))
    return found


def table(found: Sequence[Row]) -> list[str]:
    """The comparisons in columns."""
    cells = [("", "step", "what", "truth", "found")]
    cells += [("ok" if row.holds else "!!", row.step, row.what, row.truth, row.found) for row in found]
    widths = [max(len(row[n]) for row in cells) for n in range(4)]
    return ["  ".join([*(row[n].ljust(widths[n]) for n in range(4)), row[4]]).rstrip() for row in cells]


def _equal(step: str, what: str, truth: object, found: object) -> Row:
    return Row(step, what, str(truth), str(found), truth == found)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "none"


def _took(step: str, report: Report) -> Row:
    return Row(step, "seconds on the board", "", f"{report['seconds']:.1f}", True)


def _doctor(step: str, report: Report) -> Iterator[Row]:
    wanted = DOCTOR if step == "doctor" else WITH_KERNEL_MUX
    said = {part["part"]: f"{part['sign']} {part['seen']}" for part in report["parts"]}
    for part, truth in wanted.items():
        yield _equal(step, part, truth, said.get(part, NO_LINE))
    scan = next((words for part, words in said.items() if part.startswith("scan of bus")), NO_LINE)
    yield Row(step, "scan", "100 samples a second", scan.partition(" (")[0], scan.startswith("ok 100 samples"))
    failing = sorted(part for part, words in said.items() if words.startswith("!!"))
    faulty = sorted(part for part, words in wanted.items() if words.startswith("!!"))
    yield _equal(step, "failing", _listed(faulty), _listed(failing))
    yield _equal(step, "exit code", 1 if failing else 0, report["code"])
    yield _took(step, report)


def _calibrate(step: str, report: Report) -> Iterator[Row]:
    truth, centres = report["truth"], report["centres"]
    yield _equal(step, "exit code", 0, report["code"])
    yield _equal(step, "detents", len(truth), len(centres))
    off = [abs((centre - true + TURN / 2) % TURN - TURN / 2) for centre, true in zip(centres, truth, strict=False)]
    worst = max(off, default=float(TURN))
    steps = [(after - before) % TURN * 360 / TURN for before, after in zip(truth, [*truth[1:], truth[0]], strict=True)]
    wanted = f"off by at most {MOST_OFF} counts ({min(steps):.1f} to {max(steps):.1f} degrees apart)"
    yield _took(step, report)
    yield Row(step, "worst detent", wanted, f"{worst:.1f} counts", worst <= MOST_OFF)


def _play(step: str, report: Report) -> Iterator[Row]:
    yield _equal(step, "exit code", 0, report["code"])
    yield from _turns(step, report["truth"], report["turned"])
    yield _took(step, report)


def _turns(step: str, truth: Sequence[Report], turned: Sequence[Report]) -> Iterator[Row]:
    """Who turned which dial by how many clicks, in order."""
    yield _equal(step, "turns", len(truth), len(turned))
    for true, turn in zip(truth, turned, strict=False):
        speed = abs(true["clicks"]) / true["seconds"]
        how = f"{turn['samples']} samples, longest gap {turn['longest_gap_ms']:.0f} ms"
        wanted, said = _clicks(true), _clicks(turn)
        yield Row(step, f"turn, {speed:.1f} clicks a second", wanted, f"{said} ({how})", said == wanted)


def _clicks(turn: Report) -> str:
    clicks = "?" if turn["clicks"] is None else f"{turn['clicks']:+d}"
    return f"{turn['seat']} {turn['square']} {clicks} clicks"


def _lamps(step: str, report: Report) -> Iterator[Row]:
    for lamp, edges in report["edges"].items():
        yield Row(step, lamp, f"{LEAST_EDGES} edges or more", str(edges), edges >= LEAST_EDGES)


def _verify(step: str, report: Report) -> Iterator[Row]:
    yield _equal(step, "exit code", 0, report["code"])


def _audit(step: str, report: Report) -> Iterator[Row]:
    """The turns that the audit shows, and its findings: one for each dial that was turned clockwise."""
    clockwise = [f"{true['square']} {CLOCKWISE}" for true in report["truth"] if true["clicks"] < 0]
    yield _equal(step, "exit code", 1 if clockwise else 0, report["code"])
    try:
        (audited,) = json.loads(report["printed"])["files"]
        (game,) = audited["games"]
    except ValueError:
        yield Row(step, "games", "one", report["complaints"] or report["printed"], False)
        return
    yield _equal(step, "state of the record", "whole", audited["state"])
    yield _equal(step, "simulated", False, game["simulated"])
    yield from _turns(step, report["truth"], game["turns"])
    findings = [f"{found['square']} {rule['rule']}" for found in game["findings"] for rule in found["rules"]]
    yield _equal(step, "findings", _listed(clockwise), _listed(findings))


def _booted(step: str, report: Report) -> Iterator[Row]:
    yield Row(step, "Python runs", "yes", f"after {report['seconds']:.1f} s of the board's time", True)


_STEPS: Final = {
    "booted": _booted,
    "doctor": _doctor,
    "doctor_kernel_mux": _doctor,
    "calibrate": _calibrate,
    "play": _play,
    "lamps": _lamps,
    "verify": _verify,
    "audit": _audit,
}
