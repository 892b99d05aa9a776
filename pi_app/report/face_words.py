"""A face in words, for every display that has no room problem: a line of text, a phone."""

from __future__ import annotations

from pi_app.game.trap_words import trap_name
from pi_app.report.pictures import ShowFace
from pi_app.text import language as w
from pi_app.text.language import Words


def title(face: ShowFace, words: Words) -> str:
    """The trap's name; or that there is none."""
    if face.trap is not None:
        return words(trap_name(face.trap))
    return words(w.CLEAR if face.kind == "clear" else w.OTHER)


def effect(face: ShowFace, words: Words) -> str:
    """What it does to a Hero."""
    return words(w.OTHER_EFFECT if face.kind == "other" else face.effect)


def figures(face: ShowFace, words: Words) -> list[str]:
    """Click number, disarm number, experience, and the chances of both ways to disarm it, as far as they are known."""
    said = []
    if face.click_number is not None:
        said.append(words(w.CLICK).format(number=face.click_number))
    if face.disarm is not None:
        said.append(words(w.DISARM).format(value=face.disarm))
    if face.xp is not None:
        said.append(words(w.XP).format(xp=face.xp))
    if face.quick_of_36 is not None and face.slow_of_36 is not None:
        said.append(words(w.QUICK).format(chance=face.quick_of_36))
        said.append(words(w.SLOW).format(chance=face.slow_of_36))
    return said


def marks(face: ShowFace, words: Words) -> list[str]:
    """That its numbers are made up, and that no real dial was read."""
    return [words(mark) for mark, given in ((w.SAMPLE, face.sample), (w.SIMULATED, face.simulated)) if given]
