"""`trapdial extras`: packages that only some commands need."""

from __future__ import annotations

import sys

import click

from pi_app.cli.printing import echo

EXTRAS = ("parts", "hub", "peers", "centre")


@click.group(invoke_without_command=True, subcommand_metavar="[COMMAND] [ARGS]...")
@click.pass_context
def extras(context: click.Context) -> None:
    """List packages that only some commands need, or install them beside Trapdial."""
    if context.invoked_subcommand is None:
        from pi_app.workshop.extras import overview

        for line in overview():
            echo(line)
        echo("Install one with: trapdial extras install NAME")


@extras.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=click.Choice(EXTRAS))
@click.option("--unlocked", is_flag=True, help="Take the newest packages that are allowed, without their checksums.")
def install(names: tuple[str, ...], unlocked: bool) -> None:
    """Install the extras NAME: parts, hub, peers or centre.

    Their packages go into the environment that Trapdial runs in: exactly the versions and files that this version of
    Trapdial was locked with. If they cannot be fetched, nothing changes. Exit code 2 if nothing was installed; the
    message then has the command to type.
    """
    from pi_app.workshop import extras as found

    for name in names:
        needs = found.requirements(name)
        found.refuse(name, found.environment())
        echo(f"{name}: installing {', '.join(found.names(needs))} into {sys.prefix}", err=True)
        now = found.install(name, needs, locked=not unlocked)
        echo(f"{name}: installed: {', '.join(f'{package} {version}' for package, version in now.items())}")
