"""Options that several commands share, and how a command with many options gets them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from pi_app.journal import Journal
    from pi_app.journal.record.happenings import Event
    from pi_app.journal.recorded_game import RecordedMoment
    from pi_app.plans.check import Check
    from pi_app.text.user_file import Problem

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


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def settings_named(help_text: str, default: Path | None = None) -> Decorator:
    """Return the option -s/--settings, which has this name in every command. Without a `default` it may be left out."""
    return click.option(
        "-s",
        "--settings",
        "settings_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        default=default,
        show_default=default is not None,
        help=help_text,
    )


settings_option = settings_named("The table's settings.", Path("trapdial.toml"))

witness_option = click.option(
    "--witness",
    "texts",
    metavar="HEAD",
    multiple=True,
    help="A head that a witness kept, or a file with some, such as a phone's heads.txt; repeat for more.",
)

squares_option = click.option(
    "--square", "labels", multiple=True, metavar="LABEL", help="Only this square; repeat for more."
)


in_play_option = click.option(
    "--in-play", is_flag=True, help="Do it although a game is on: its record gets an entry, and its audit a finding."
)

overwrite_option = click.option("--overwrite", is_flag=True, help="Replace a file that is already there.")


def no_force_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse the old --force, which meant two things, with the two options that have its place."""

    def refuse(context: click.Context, _: click.Parameter, given: bool) -> None:
        if given and not context.resilient_parsing:
            raise click.UsageError(
                "--force is gone: say --in-play to do it although a game is on, which its record keeps, or --overwrite "
                "to replace a file."
            )

    return click.option("--force", is_flag=True, hidden=True, expose_value=False, callback=refuse)(command)


# ------------------------------------------------------------------------------------------- old spellings


STILL_WORKS: Final = "The old spelling goes on working."


class _OldArgument(click.Argument):
    """An argument that only old command lines have; the usage line does not show it."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        return []


def old_settings_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take its settings as an argument too, as it did before -s, with a notice."""

    @functools.wraps(command)
    def run(*before: Any, old_settings: Path | None, **given: Any) -> Any:
        context = click.get_current_context()
        if old_settings is not None:
            if context.get_parameter_source("settings_file") is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"-s and {str(old_settings)!r} both name the settings; give one of them.")
            notice(f"name the settings with -s: {context.command_path} -s {old_settings}. {STILL_WORKS}")
            given["settings_file"] = old_settings
        return command(*before, **given)

    return click.argument("old_settings", cls=_OldArgument, required=False, type=click.Path(path_type=Path))(run)


def old_output_option(old: str, field: str) -> Decorator:
    """Let a command take its -o/--output, which its function gets as `field`, under an old name too, with a notice."""

    def wrapped(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(*before: Any, old_output: Path | None, **given: Any) -> Any:
            if old_output is not None:
                if given[field] is not None:
                    raise click.UsageError(f"-o and {old} both name the output; give one of them.")
                notice(f"{old} is now -o: -o {old_output}. {STILL_WORKS}")
                given[field] = old_output
            return command(*before, **given)

        return click.option(old, "old_output", hidden=True, type=click.Path(path_type=Path))(run)

    return wrapped


def notice(sentence: str) -> None:
    """Print a notice on standard error."""
    from pi_app.cli.terminal import warn

    warn(f"note: {sentence}")


# --------------------------------------------------------------------------------------------- their values


def problem_line(problem: Problem) -> str:
    """Write one problem of a file as a line."""
    return f"{problem.severity.value}: {problem if problem.file else problem.reason}"


def json_line(file: str, problem: Problem) -> str:
    """Write one problem of a file as a JSON object."""
    import json

    facts = {"file": file, "severity": problem.severity.value, "place": problem.place, "seen": problem.seen}
    return json.dumps(facts | {"reason": problem.reason})


def check_json(check: Check) -> str:
    """Write one check of a part as a JSON object."""
    import json

    facts = {"sign": check.sign.value, "part": check.part, "place": check.place, "seen": check.seen}
    return json.dumps(facts | {"try": check.advice})


def to_go_on_with(record: Journal[M, E], resume: bool) -> tuple[str, M] | None:
    """Return the unfinished game of a record, or None. Raises UserFileError if there is one and `resume` is not set."""
    from pi_app.text.errors import UserFileError

    unfinished = record.unfinished()
    if unfinished is None and (other := record.unfinished_of_another_kind()) is not None:
        from pi_app.play.resuming import another_kind

        advice = "End it with the command that began it (`trapdial play`, `trapdial rooms play`), or name another file"
        raise another_kind(record.path, other, f"{advice} with --journal, or begin another with --new")
    if unfinished is not None and not resume:
        advice = "Say --resume to go on with it, or --new to begin another"
        raise UserFileError.at(str(record.path), "(file)", "it holds a game that was not ended", advice)
    return unfinished


def check_languages(languages: Iterable[str]) -> None:
    """Raises UsageError for a language without a catalogue."""
    from pi_app.text.language import PSEUDO_LANGUAGE
    from pi_app.text.languages import LANGUAGES
    from pi_app.text.suggest import did_you_mean

    for language in languages:
        if language not in (*LANGUAGES, PSEUDO_LANGUAGE):
            raise click.UsageError(
                f"--language {language}: there is no such language; {did_you_mean(language, LANGUAGES)}"
            )
