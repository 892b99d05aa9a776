"""The manual page of `trapdial`, made from the commands themselves: their help texts and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Final

import click

from pi_app.cli.main import WITH_TRACEBACK, main
from pi_app.text import exit_codes

EXIT_CODES: Final = {
    str(exit_codes.FINE): "success",
    str(exit_codes.FOUND): "something was found: a finding; or a fault in the wires, with the part, its place, the "
    "symptom, and what to try",
    str(exit_codes.UNUSABLE): "an error in one of your files or in an option",
    str(exit_codes.NO_END): "the record is sound, and a game in it has no end",
    str(exit_codes.DAMAGED): "the record is damaged or cut off",
    str(exit_codes.FORKED): "the record is not what a witness saw",
    str(exit_codes.BUG): "a bug; one line says where it is",
    "128 + n": f"signal n ended it; {exit_codes.CLOSED_OUTPUT}: its output was closed",
}


def manual() -> str:
    """Write the page in roff's man macros; `man -l` shows it."""
    root = click.Context(main, info_name="trapdial", **main.context_settings)
    lines = [
        f'.TH TRAPDIAL 1 "" "Trapdial {version("trapdial")}" "Trapdial"',
        ".SH NAME",
        r"trapdial \- read the dials of trap squares, and show each trap to exactly one player",
        ".SH SYNOPSIS",
        ".B trapdial",
        r"[\fB\-h\fR | \fB\-V\fR] \fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(main.help or ""),
        ".SH OPTIONS",
        *_options(root, main.get_params(root)),
        ".SH COMMANDS",
    ]
    for context, command in _commands(main, root):
        lines += _command(context, command)
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES.items():
        lines += [".TP", rf"\fB{_plain(code)}\fR", _line(meaning)]
    lines += [
        *(".PP", "Some commands have codes of their own; their help lists them."),
        *(".SH ENVIRONMENT", ".TP", rf"\fB{WITH_TRACEBACK}\fR"),
        "Show the traceback of a bug. It may contain secrets of the game.",
        *(".SH FILES", ".TP", r"\fItrapdial.toml\fR", "The table's settings, in the current folder."),
        *(".TP", r"\fIjournal.db\fR", "The record of its games, unless the settings name another file."),
        *(".SH SEE ALSO", r"\fBtrapdial docs\fR lists the pages of the documentation; \fBtrapdial docs\fR \fIPAGE\fR"),
        "shows one.",
    ]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[click.Context, click.Command]]:
    """Every command that can be run, in the order of the help."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        own = click.Context(command, parent=context, info_name=name)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield own, command
        if isinstance(command, click.Group):
            yield from _commands(command, own)


def _command(context: click.Context, command: click.Command) -> Iterator[str]:
    """One command: how it is called, what it does, and its options."""
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS {_plain(_path(context))} {_plain(usage)}"
    yield from _paragraphs(command.help or "")
    yield from _options(context, command.params)


def _path(context: click.Context) -> str:
    """Return the words that call a command, without the arguments of the group that it is in."""
    above = "" if context.parent is None else f"{_path(context.parent)} "
    return f"{above}{context.info_name}"


def _options(context: click.Context, parameters: Iterable[click.Parameter]) -> Iterator[str]:
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            yield ".TP"
            yield rf"\fB{_plain(record[0])}\fR"
            yield _line(record[1])


def _paragraphs(help_text: str) -> Iterator[str]:
    """Each paragraph of a help text. One that begins with \\b keeps its lines, as click keeps them."""
    for number, paragraph in enumerate(re.split(r"\n\s*\n", help_text.partition("\f")[0].strip())):
        if number:
            yield ".PP"
        lines = paragraph.splitlines()
        if lines[:1] == ["\b"]:
            yield from (".nf", *(_line(line) for line in lines[1:]), ".fi")
        else:
            yield from (_line(line.strip()) for line in lines)


def _line(text: str) -> str:
    """A line of text; one that begins with a dot or an apostrophe is no request."""
    return (r"\&" if text.startswith((".", "'")) else "") + _plain(text)


def _plain(text: str) -> str:
    """Escape what roff would read as its own."""
    return text.replace("\\", r"\e").replace("-", r"\-")
