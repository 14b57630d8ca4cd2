"""Challenges: matches that authors ask for, at a standing league.

They are unrated: each is a comparison in a league file of its own. The host process plays one at a time
beside the ladder, at one table and at low priority, and none while a night is played. What is done next
follows from the database and the files alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from arena.formats.comparison import ComparisonFormat
from arena.hosting.database import UNDER_WAY, Challenge, Database, a_day_ago
from arena.hosting.place import Place
from arena.hosting.seasons import kept
from arena.hosting.settings import Settings
from arena.league.compared import ComparisonSummary, summarize_comparison
from arena.league.entrants import WrongEntrant, started
from arena.league.store import League, LeagueNotFound
from arena.league.tournament_file import Bots, TournamentFileError, made, write_made
from arena.referee.night.host_requests import ask
from arena.report.comparison_text import comparison_json, comparison_text
from arena.text import counted
from arena.tournament.rulings import Refused

_TOLD: Final = ("finding", "words", "score", "low", "high", "error", "boards", "won", "level", "lost")


def rests(database: Database) -> bool:
    """Whether no challenge is played now, because a night is."""
    return any(night.state == "playing" for night in database.nights())


def in_turn(database: Database) -> list[Challenge]:
    """The challenges that are open and whose versions are decided, in the order in which they are played.

    After the one that has begun come those of authors who asked for least in 24 hours, so that an author with
    many challenges keeps nobody waiting.
    """
    day = a_day_ago()
    return sorted(
        (each for each in database.open_challenges() if not _is_made(database, each)),
        key=lambda each: (
            each.state == "asked",
            database.challenged_since(each.account, day),
            each.id,
        ),
    )


def _is_made(database: Database, challenge: Challenge) -> bool:
    """Whether the version that challenges is built or checked yet."""
    version = database.version(challenge.version)
    return version is not None and version.state in UNDER_WAY


def progress(database: Database, challenge: Challenge, order: Sequence[int]) -> str:
    """How far a challenge is, in words; empty if it is not open. `order` has the ids of those `in_turn`."""
    if challenge.ended is not None:
        return ""
    if challenge.id not in order:
        return "waits until its version is built and checked"
    if rests(database):
        return "waits until the night is over"
    if before := order.index(challenge.id):
        return f"waits behind {counted(before, 'challenge')}"
    games = json.loads(challenge.report)["games_played"] if challenge.report else 0
    return f"is played: {counted(games, 'game')} so far" if challenge.state == "playing" else "is begun soon"


def obstacle(place: Place, database: Database, challenge: Challenge) -> str:
    """Why a challenge cannot be played, or not any more, in a sentence; empty if it can."""
    for id in (challenge.version, challenge.against):
        version = None if id is None else database.version(id)
        if version is None:
            continue
        bot = database.bot(version.bot)
        account = None if bot is None else database.account(bot.account)
        name = f"version {version.number} of {bot.name if bot else 'a bot'}"
        if account is None or account.revoked:
            return f"the account of the author of {name} is closed"
        if id == challenge.against and bot is not None and bot.active is None:
            return f"{bot.name} is withdrawn by now"
        if version.state != "accepted":
            return f"{name} is {version.state}: {version.reason}"
        if not place.bot(version.id).is_dir():
            return f"{name} is deleted by now: submit it again"
    return ""


def league_of(place: Place, challenge: int) -> Path:
    """The league file of a challenge."""
    return place.challenges / f"{challenge}.league"


def command(place: Place, settings: Settings, challenge: Challenge) -> tuple[str, ...]:
    """The words after `arena` that begin a challenge or go on with it. Raises WrongFile, OSError."""
    league = league_of(place, challenge.id)
    how = ("--hosted", "--sandbox", str(settings.trust.level))
    with suppress(LeagueNotFound), League.read(league) as store:
        if store.tournaments():
            return ("resume", str(league), *how)
    names, games = json.loads(challenge.names), tuple(json.loads(challenge.games))
    folders = [place.bot(challenge.version)]
    if challenge.against is not None:
        folders.append(place.bot(challenge.against))
    elif names[1] in settings.house_bots:
        folders.append(kept(place, settings.house_bots[names[1]]))
    else:
        raise TournamentFileError(f"{names[1]} is no bot of the host any more: challenge another bot")
    try:
        entrants = tuple(
            started(folder, games, settings.trust, name) for folder, name in zip(folders, names, strict=True)
        )
    except WrongEntrant as problem:
        raise TournamentFileError(str(problem)) from None
    rules = settings.rules._replace(games=games, boards=1, withdraw_after=0)
    stage = ComparisonFormat.of(2, 2, cap=challenge.boards)
    plan = rules.plan(" against ".join(names), (stage,), shared_cards="match")
    file = made(league.with_suffix(".json"), plan, Bots(1, entrants, settings.trust), home=place.folder)
    write_made(file)
    return ("run", str(file.path), "--league", str(league), *how)


def end(place: Place, challenge: int, reason: str) -> None:
    """Ends a challenge with what was played, if anything was. Nothing must play it."""
    with suppress(Refused, LeagueNotFound):
        ask(league_of(place, challenge), "end", reason=reason)


def report_of(place: Place, challenge: int) -> str:
    """What is known by the games of a challenge, as JSON; empty if it has not begun.

    It says nothing of the times and the faults of the challenged bot, which only its author sees.
    """
    from arena.view.views.standings import comparison_values  # only here, because it loads much

    with suppress(LeagueNotFound), League.read(league_of(place, challenge)) as league:
        for stored in league.tournaments():
            summary = _without_other(summarize_comparison(league, stored.id))
            [pair] = comparison_json(summary)["pairs"]
            answers = {
                name: {key: answer[key] for key in _TOLD}
                for name, answer in (("overall", pair["overall"]), *pair["games"].items())
                if answer is not None
            }
            report: dict[str, Any] = {
                "over": stored.finished is not None or summary.over,
                "games_played": summary.games,
                "verdict": next(iter(answers.values()))["words"],
                "answers": answers,
                "shown": comparison_values(summary),
                "text": comparison_text(summary),
            }
            return json.dumps(report, ensure_ascii=False)
    return ""


def _without_other(summary: ComparisonSummary) -> ComparisonSummary:
    """The summary without times and faults of the second bot, and without advice for `arena compare`."""
    [pair] = summary.pairs
    games = tuple(
        each._replace(other=each.other._replace(decisions=0, time=0, faults=(0,) * len(each.other.faults)))
        for each in pair.games
    )
    overall = pair.overall and pair.overall._replace(other=pair.overall.other._replace(decisions=0))
    own, other = summary.charged
    return summary._replace(
        pairs=(pair._replace(games=games, overall=overall),),
        charged=(own, (0,) * len(other)),
        can_go_on=False,
    )
