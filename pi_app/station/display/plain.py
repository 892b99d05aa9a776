"""The display as lines of text, for any terminal, a pipe, or a screen reader. Pure but for the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pi_app.station.public.feed import FeedReader
from pi_app.station.public.scene import LOST, PublicScene, SceneTexts
from pi_app.text.language import words as words_of
from pi_app.text.printed import shown

EVERY_S: Final = 0.2


def text_of(scene: PublicScene) -> tuple[str, ...]:
    """A scene as lines: in the visit's language, or one after the other in all until visitors choose one."""
    lines = [line for language in scene.languages for line in _texts(scene, scene.texts[language])]
    flags = [f"{'> ' if each.language == scene.chosen else '  '}{each.name}: {each.says}" for each in scene.flags]
    return tuple(map(shown, [*lines, *flags, *filter(None, [scene.address, scene.head])]))


def _texts(scene: PublicScene, texts: SceneTexts) -> Iterator[str]:
    mark = f" [{texts.simulated}]" if texts.simulated else ""
    said = scene.warning_s is None or str(scene.warning_s) in texts.title
    seconds = "" if said else f" ({scene.warning_s} s)"
    yield " ".join(filter(None, [f"{texts.step}:" if texts.step else "", f"{texts.title}{seconds}{mark}"]))
    yield from texts.says
    yield from (f"{place.label}: {text}" for place, text in zip(scene.squares, texts.squares, strict=True))
    if texts.counts:
        yield ", ".join(f"{number} {word}" for number, word in texts.counts)
    yield from filter(None, [texts.proof, texts.trouble])
    if texts.join:
        yield ". ".join(texts.join)


def run(
    feed: FeedReader,
    clock: Callable[[], int],
    say: Callable[[str], None],
    wait: Callable[[float], bool],
    language: str = "en",
) -> None:
    """Write each scene that differs from the one before, and when the table goes and comes back, until `wait` says
    that it is over."""
    written: tuple[str, ...] = ()
    while True:
        now_ns = clock()
        feed.read(now_ns)
        lines = () if feed.scene is None else text_of(feed.scene)
        if feed.lost(now_ns):
            lines = (words_of(language)(LOST), *filter(None, [shown(feed.why)]))
        if lines and lines != written:
            written = lines
            for line in (*lines, ""):
                say(line)
        if wait(EVERY_S):
            return
