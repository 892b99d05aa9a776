"""A group of commands that suggests the command that a mistyped one is closest to."""

from __future__ import annotations

import click


class CommandGroup(click.Group):
    """Refuses an unknown command with a guess, or with the way to the list of all commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if self.get_command(ctx, word) is None and not word.startswith("-"):
            from pi_app.text.suggest import guess

            meant = guess(word, self.list_commands(ctx))
            advice = f"Did you mean {meant}?" if meant else f"`{ctx.command_path} --help` lists the commands."
            raise click.UsageError(f"No such command {word!r}. {advice}", ctx)
        return super().resolve_command(ctx, args)
