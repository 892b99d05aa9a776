"""Verdicts: of each square, and of a whole file. A square passes only if the record and the device prove it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from pi_app.audit.values import FOLLOWED, TILE, FileAudit, FindingSeen, GameAudit, SquareVerdict, Verdict

UNPROVEN: Final = (FOLLOWED, TILE)
"""Faults after which a dial may have been turned unseen, or under another name. All other faults change no verdict."""

WORST_FIRST: Final[tuple[Verdict, ...]] = ("fail", "not proven", "pass", "not turned")


VERDICT_WORDS: Final[dict[Verdict, str]] = {
    "not proven": "NOT PROVEN",
    "fail": "FAIL",
    "pass": "PASS",
    "not turned": "Not turned",
}
"""In the order in which they are said."""


def square_verdicts(
    labels: Sequence[str], findings: Sequence[FindingSeen], faults: Sequence[FindingSeen], turned: Collection[str]
) -> tuple[SquareVerdict, ...]:
    """Return the verdict on each square of a sound record. `turned`: the squares whose dials moved."""
    return tuple(
        SquareVerdict(
            square=label,
            verdict=_verdict(label, findings, faults, turned),
            findings=_count(label, findings),
            faults=_count(label, faults),
        )
        for label in labels
    )


def _verdict(
    label: str, findings: Sequence[FindingSeen], faults: Sequence[FindingSeen], turned: Collection[str]
) -> Verdict:
    if _count(label, findings):
        return "fail"
    if any(each.square == label and rule in UNPROVEN for each in faults for rule in each.rule_ids):
        return "not proven"
    return "pass" if label in turned else "not turned"


def _count(label: str, found: Sequence[FindingSeen]) -> int:
    return sum(each.square == label for each in found)


def unproven(game: GameAudit) -> GameAudit:
    """Return the game with every square "not proven". A person who can change one entry without the device's key can
    bind the entries before it again, so no verdict counts."""
    return replace(game, verdicts=tuple(replace(each, verdict="not proven") for each in game.verdicts))


def file_verdict(games: Iterable[GameAudit], *, sound: bool) -> Verdict:
    """Return the worst verdict of a file; `not proven` for a record that is damaged or not what a witness saw."""
    if not sound:
        return "not proven"
    found: set[Verdict] = set()
    for game in games:
        found |= {each.verdict for each in game.verdicts} | ({"fail"} if game.findings else set())
    return next((each for each in WORST_FIRST if each in found), "not turned")


def over_all(files: Iterable[FileAudit]) -> Verdict:
    """Return the worst verdict of several files: one that is not proven as a whole comes first."""
    its = list(files)
    if any(each.damage is not None or each.against for each in its):
        return "not proven"
    return min((each.verdict for each in its), key=WORST_FIRST.index, default="not turned")


def not_proven(file: FileAudit) -> str | None:
    """Return why a whole file is not proven, in sentences; None if its record is sound."""
    if file.damage is None and not file.against:
        return None
    said: list[str] = []
    if file.damage is not None:
        where = "The file" if file.damage.entry == 0 else f"Entry {file.damage.entry}"
        said.append(f"{where} {file.damage.seen}. Only the entries before it were audited.")
    if file.against:
        witnessed = any(one.startswith("Witness ") for one in file.against)
        said += [*(["A witness saw another record."] if witnessed else []), *file.against]
    stand = [game.game for game in file.games if any(each.verdict != "not proven" for each in game.verdicts)]
    if stand:
        said.append(
            f"A witness's head vouches for {', '.join(stand)}; {'its' if len(stand) == 1 else 'their'} verdicts stand."
        )
    return " ".join(said)


def counted_found(file: FileAudit, *games: GameAudit) -> str:
    """Return how many findings and device faults games have, in words."""
    findings, faults = sum(len(game.findings) for game in games), sum(len(game.faults) for game in games)
    said = [
        f"{count} {word if count == 1 else f'{word}s'}"
        for count, word in ((findings, "finding"), (faults, "device fault"))
        if count
    ]
    return (" and ".join(said) or "nothing was found") + (" before the damage" if file.damage is not None else "")
