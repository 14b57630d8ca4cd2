"""`arena completion`: what makes the Tab key complete the arena's commands, options and files in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from arena.cli.output import echo
from arena.cli.parameters import OneOf


@click.command()
@click.argument("shell", metavar="SHELL", type=OneOf(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Prints what lets a shell complete arena's commands and options at the Tab key.

    For bash put this line into ~/.bashrc, for zsh the same with zsh into ~/.zshrc:

        eval "$(arena completion bash)"

    For fish, once:

        arena completion fish > ~/.config/fish/completions/arena.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    command = click.get_current_context().find_root().command
    echo(kind(command, {}, "arena", "_ARENA_COMPLETE").source())
