"""Bots that come when their tournament has begun: where they are, by the ruling that admitted them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from arena.games import does_not_play
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.sandbox import Sandbox, Trust
from arena.runner.entrants import Entrant
from arena.runner.tournament_file import TournamentFileError
from arena.tournament.rulings import Admit


def late_entrant(admit: Admit, games: Collection[str], trust: Trust) -> Entrant:
    """The entrant that a ruling admits to a tournament of these games.

    Raises TournamentFileError where its bot is not there, does not play them, or asks
    for more than bots are trusted with.
    """
    if admit.how == "join":
        return Entrant(admit.name, join=True)
    if admit.how == "address":
        return Entrant(admit.name, address=admit.source)
    try:
        bot = read_bot_manifest(Path(admit.source))
    except BotManifestError as problem:
        raise TournamentFileError(f"the bot of {admit.name}, who came late: {problem}") from None
    if refusal := does_not_play(games, bot.games) or trust.refusal(bot.needs):
        raise TournamentFileError(f"the bot of {admit.name}, who came late, {refusal}")
    return Entrant(admit.name, bot=bot, sandbox=Sandbox(trust.level, bot.needs))
