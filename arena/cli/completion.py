"""`arena completion`: the script with which the Tab key completes commands, options and files in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from arena.cli.output import echo
from arena.cli.parameters import OneOf


@click.command()
@click.argument("shell", metavar="SHELL", type=OneOf(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Prints a script that completes commands in a shell.

    The Tab key then completes commands, options and files. For bash put this line into ~/.bashrc; for
    zsh put it into ~/.zshrc, with zsh instead of bash:

        eval "$(arena completion bash)"

    For fish, run this once:

        arena completion fish > ~/.config/fish/completions/arena.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    command = click.get_current_context().find_root().command
    echo(kind(command, {}, "arena", "_ARENA_COMPLETE").source())
