"""A seat's picture as one line of text, for a terminal in place of the small screen."""

from __future__ import annotations

from pi_app.game.trap_words import trap_name
from pi_app.report.lamp_code import signs
from pi_app.report.pictures import Say, SeatPicture, ShowCard, ShowDie, ShowFace
from pi_app.text import language as w
from pi_app.text.language import Words

DARK = w.N_("dark")
ON_SCREEN = w.N_("screen: {shown}")
FACE = w.N_("{square}: {face}. {effect}")


def describe(picture: SeatPicture, words: Words) -> str:
    """The text of the screen in the seat's language. A face in words is as secret as its picture."""
    match picture:
        case ShowFace():
            return _face(picture, words)
        case Say() | ShowDie():
            said = " ".join(picture.lines)
            return words(w.LABELLED).format(label=picture.label, said=said) if picture.label else said
        case ShowCard():
            rows = ", ".join(f"{signs(flashes)} {word}" for flashes, word in picture.rows)
            return words(w.LABELLED).format(label=f"{picture.title} {picture.page}", said=rows)
        case _:
            return words(DARK)


def _face(face: ShowFace, words: Words) -> str:
    parts = [_title(face, words)]
    if face.click_number is not None:
        parts.append(words(w.CLICK).format(number=face.click_number))
    if face.disarm is not None:
        parts.append(words(w.DISARM).format(value=face.disarm))
    if face.xp is not None:
        parts.append(words(w.XP).format(xp=face.xp))
    if face.quick_of_36 is not None and face.slow_of_36 is not None:
        parts.append(words(w.QUICK).format(chance=face.quick_of_36))
        parts.append(words(w.SLOW).format(chance=face.slow_of_36))
    marks = [words(mark) for mark, given in ((w.SAMPLE, face.sample), (w.SIMULATED, face.simulated)) if given]
    text = words(FACE).format(square=face.label, face=", ".join(parts), effect=words(face.effect))
    return f"{text} [{', '.join(marks)}]" if marks else text


def _title(face: ShowFace, words: Words) -> str:
    if face.trap is not None:
        return words(trap_name(face.trap))
    return words(w.CLEAR if face.kind == "clear" else w.OTHER)
