"""Options that several commands share, and how a command with many options gets them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pi_app.journal import Journal
    from pi_app.journal.record.happenings import Event
    from pi_app.journal.recorded_game import RecordedMoment

M = TypeVar("M", bound="RecordedMoment")
E = TypeVar("E", bound="Event")


def as_one_value(kind: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Hand a command the options that `kind`, a dataclass, has fields for as its last positional argument."""
    names = [field.name for field in dataclasses.fields(kind)]

    def wrapped(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(*before: Any, **given: Any) -> None:
            command(*before, kind(**{name: given.pop(name) for name in names}), **given)

        return run

    return wrapped


settings_option = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    default=Path("trapdial.toml"),
    show_default=True,
    help="The table's settings.",
)

squares_option = click.option(
    "--square", "labels", multiple=True, metavar="LABEL", help="Only this square; repeat for more."
)


def to_go_on_with(record: Journal[M, E], resume: bool) -> tuple[str, M] | None:
    """Return the unfinished game of a record, or None. Raises UserFileError if there is one and `resume` is not set."""
    from pi_app.text.errors import UserFileError

    unfinished = record.unfinished()
    if unfinished is not None and not resume:
        advice = "Say --resume to go on with it, or --new to begin another"
        raise UserFileError.at(str(record.path), "(file)", "it holds a game that was not ended", advice)
    return unfinished


def check_languages(languages: Iterable[str]) -> None:
    """Raises UsageError for a language without a catalogue."""
    from pi_app.settings.model import LANGUAGES
    from pi_app.text.language import PSEUDO_LANGUAGE
    from pi_app.text.suggest import did_you_mean

    for language in languages:
        if language not in (*LANGUAGES, PSEUDO_LANGUAGE):
            raise click.UsageError(
                f"--language {language}: there is no such language; {did_you_mean(language, LANGUAGES)}"
            )
