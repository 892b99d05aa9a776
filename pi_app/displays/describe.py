"""A seat's picture as one line of text, for a terminal in place of the small screen."""

from __future__ import annotations

from pi_app.report.face_words import effect, figures, marks, title
from pi_app.report.lamp_code import signs
from pi_app.report.pictures import Drift, Say, SeatPicture, ShowCard, ShowCode, ShowDie, ShowFace, ShowHead
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
        case ShowCode():
            return words(w.LABELLED).format(label=" ".join(picture.lines).rstrip(": \u00a0\u202f"), said=picture.link)
        case Drift(text=str(text)) if text:
            return text
        case ShowHead(lines=lines):
            return " ".join(lines)
        case _:
            return words(DARK)


def _face(face: ShowFace, words: Words) -> str:
    parts = [title(face, words), *figures(face, words)]
    text = words(FACE).format(square=face.label, face=", ".join(parts), effect=effect(face, words))
    said = marks(face, words)
    return f"{text} [{', '.join(said)}]" if said else text
