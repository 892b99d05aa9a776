"""`trapdial audit`: check whether every dial was turned as the rules allow; verify a signed page of an audit."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.journal import read_witnesses, refuse_export
from pi_app.cli.options import old_output_option, witness_option
from pi_app.cli.printing import console, echo, echo_json, echo_text
from pi_app.cli.whole_file import write_whole_bytes
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries

if TYPE_CHECKING:
    from pi_app.audit.forms import Made


class WithVerify(click.Group):
    """A command with files that has a second one, `verify`, as its first word. A file with that name is `./verify`."""

    allow_interspersed_args = True

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        found = self.commands.get(args[0]) if args else None
        if found is not None:
            return found.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.group(cls=WithVerify, invoke_without_command=True, subcommand_metavar="")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with everything.")
@click.option("--csv", "as_csv", is_flag=True, help="A table for a spreadsheet, with one line per finding.")
@old_output_option("--html", "html")
@click.option(
    "-o", "--output", "html", type=click.Path(path_type=Path), metavar="FILE.html",
    help="Also write a page with pictures.",
)  # fmt: skip
@click.option("--sign", is_flag=True, help="With -o: sign the page with the key of the device that wrote FILES.")
@click.option("--stats", is_flag=True, help="Add statistics over all games: dice, wear of the detents, turning speed.")
@click.option("--rules", is_flag=True, help="Add the sentence of each rule that a finding names.")
@witness_option
@click.pass_context
def audit(context: click.Context, /, files: tuple[Path, ...], texts: tuple[str, ...], **chosen: Any) -> None:
    """Check each game in FILES: whether every dial was turned as the rules allow, and who could have known what when.

    For a game that has not ended, only the verdict on each square is shown, with rule ids and times. Exit code 0 if
    nothing was found, 1 if something was, 3 if a game has no end, 4 if a record is damaged or cut off, 5 if one is not
    what a witness saw or what another one says; 2 if a file cannot be used.
    """
    html = chosen["html"]
    if chosen["as_json"] and chosen["as_csv"]:
        raise click.UsageError("--json and --csv cannot be combined; give one of them.")
    if html is not None and any(html.exists() and html.samefile(file) for file in files if file.exists()):
        raise click.UsageError(f"--output would overwrite {html}; name another file.")
    if chosen["sign"] and html is None:
        raise click.UsageError("--sign signs a page; name its file with -o.")
    from pi_app.audit.files import NothingProvenError, audit_files, strange_heads
    from pi_app.audit.forms import to_csv, to_json
    from pi_app.audit.statistics import statistics
    from pi_app.audit.values import EXITS, worst

    for file in files:
        refuse_export(file)
        _refuse_page(file)
    heads = read_witnesses(texts)
    try:
        audits = audit_files(files, heads)
    except NothingProvenError as error:
        echo(f"NOT PROVEN: {error}", err=True)
        context.exit(EXITS[error.state])
    over_all = statistics(game for each in audits for game in each.games) if chosen["stats"] else None
    made = _made()
    if html is not None:
        from pi_app.audit.page import page

        written = page(audits, over_all, made).encode()
        write_whole_bytes(html, _signed(written, files) if chosen["sign"] else written)
        next_step = (
            f"signed; `trapdial audit verify {quote(str(html))}` verifies it"
            if chosen["sign"]
            else "open it in a browser"
        )
        echo(f"{html}: the page is written, {next_step}.", err=True)
    if chosen["as_json"]:
        echo_json(to_json(audits, over_all, made))
    elif chosen["as_csv"]:
        echo_text(to_csv(audits))
    else:
        from pi_app.cli.audit_output import print_audits

        print_audits(console(highlight=False), audits, over_all, rules=chosen["rules"])
    strangers = strange_heads(audits, heads)
    for head in strangers:
        echo(f"A witness saw {count_entries(head.size)} of a device that has no record here.", err=True)
    context.exit(worst([*(each.exit_code for each in audits), *([EXITS["forked"]] if strangers else [])]))


def _refuse_page(file: Path) -> None:
    """Raise UserFileError for a page that this command wrote."""
    from pi_app.audit.signing import is_page

    if is_page(file):
        seen = "is a page of an audit, and no journal"
        advice = f"Name the journal; `trapdial audit verify {quote(str(file))}` verifies the page's signature"
        raise UserFileError.at(str(file), "", seen, advice)


def _made() -> Made:
    from datetime import UTC, datetime

    from pi_app.audit.forms import Made
    from pi_app.play.first_event import version

    return Made(program=f"Trapdial {version()}", date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")


def _signed(page: bytes, files: tuple[Path, ...]) -> bytes:
    """Sign a page with the key of the one device that wrote all of its journals."""
    from pi_app import journal as jn
    from pi_app.audit.signing import signed
    from pi_app.journal.record.keys import KeyFileError

    keys = []
    for file in files:
        folder = jn.keys_of(file).folder
        try:
            key = jn.keys_of(file).known_device()
        except KeyFileError as error:
            raise UserFileError([str(error)]) from error
        wrote = {jn.verify(file, log=log, opens=False).device for log in jn.logs(file)}
        if key is None or wrote != {key.public}:
            seen = "has no key of its device in it" if key is None else "has the key of another device"
            raise UserFileError.at(
                "--sign", str(folder), seen, "Sign on the machine that wrote the journal, beside its keys folder"
            )
        keys.append(key)
    if len({key.public for key in keys}) != 1:
        raise UserFileError.at("--sign", "", "these files are of several devices", "Make one page for each device")
    return signed(page, keys[0])


@audit.command()
@click.argument("pages", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--journal", type=click.Path(path_type=Path), metavar="FILE", help="Also compare with this journal.")
@click.pass_context
def verify(context: click.Context, pages: tuple[Path, ...], journal: Path | None) -> None:
    """Verify each of PAGES, which `trapdial audit -o --sign` wrote: who signed it, and that it was not changed.

    Exit code 0 if all are genuine, 4 if one was changed after it was signed, 5 if the journal is another one than the
    page is about, 2 if a page is not signed or cannot be read.
    """
    from pi_app.audit.signing import read_signed
    from pi_app.audit.values import EXITS, worst
    from pi_app.journal.record.verdict import fingerprint

    codes = [0]
    for page in pages:
        found = read_signed(page)
        if not found.genuine:
            echo(f"{page}: CHANGED. It is not what its signature was made for; ask for the page again.")
            codes.append(EXITS["damaged"])
            continue
        echo(f"{page}: GENUINE. Signed by the device {fingerprint(found.device)}, and unchanged since.")
        for name, digest in found.journals:
            echo(f"It is about {name}, SHA-256 {digest}.")
        if journal is None:
            echo("Compare the device with the one that `trapdial journal head` prints at its table.")
        elif (problem := _not_about(journal, found.device, {digest for _, digest in found.journals})) is not None:
            echo(f"{page}: ANOTHER JOURNAL. {problem}")
            codes.append(EXITS["forked"])
        else:
            echo(f"{journal} is that journal, and its device signed the page.")
    context.exit(worst(codes))


def _not_about(journal: Path, device: bytes, digests: set[str]) -> str | None:
    """Return why a page is not about a journal."""
    from pi_app import journal as jn
    from pi_app.audit.files import sha256_of

    if device not in {jn.verify(journal, log=log, opens=False).device for log in jn.logs(journal)}:
        return f"{journal} was written by another device than the one that signed."
    if sha256_of(journal) not in digests:
        return f"{journal} is not the file that was audited, or it has grown since."
    return None
