"""Commands that play with a single bot: `arena check-bot`, and `arena rehearse` with a stored game."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.checkup.checklist import check_bot
from arena.checkup.rehearsal import rehearse
from arena.checkup.session_file import Scene, Script, read_session, script_of, session_of
from arena.checkup.values import Check, Conditions
from arena.cli.checkup_progress import checkup_progress
from arena.cli.options import (
    clock_options,
    duration_of,
    entrant_of,
    league_argument,
    sandbox_option,
    tournament_option,
)
from arena.cli.output import echo, echo_json, say_engine
from arena.cli.parameters import SESSION, OneOf
from arena.cli.process import FAILED, INTERRUPTED, run_async
from arena.cli.replay import find_game
from arena.cli.tls import shown_by, shown_options
from arena.face import in_blocks
from arena.games import GAMES, does_not_play
from arena.league.store import League
from arena.league.stored import plan_of
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError, build
from arena.link.local.process import GUARDED, run_beside
from arena.link.local.sandbox import Level, Sandbox, Trust, missing, usual
from arena.link.streams.dial import BotFault
from arena.link.tls.trust import OwnCertificate
from arena.link.wire.messages import decode_record, decode_times, request_json
from arena.report.checkup_text import checkup_json, checkup_text
from arena.table.clock import TimeControl
from arena.text import counted, one_line

_FEW = 8  # tables that a quick check plays at once


@click.command("check-bot")
@click.argument("bot")
@click.option("--game", "games", multiple=True, type=OneOf(list(GAMES)), help="Check only this game.")
@click.option(
    "--quick", is_flag=True, help="Play fewer games: only the usual options, and fewer tables at once."
)
@clock_options
@sandbox_option("How the bot is contained, if it is a folder (default: basic).")
@click.option(
    "--as", "as_at", metavar="URL", help="Check with the games, clock, level and limits of a standing league."
)
@click.option(
    "--shell",
    is_flag=False,
    flag_value="",
    metavar="[COMMAND]",
    help="Check nothing: run COMMAND, or a shell, where the bot runs: in its sandbox and folder.",
)
@shown_options
@click.option("-v", "--verbose", is_flag=True, help="Print each line of the build.")
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON, and nothing else.")
def checkup(
    bot: str,
    games: tuple[str, ...],
    quick: bool,
    clock: dict[str, str],
    sandbox: str | None,
    as_at: str | None,
    shell: str | None,
    verbose: bool,
    as_json: bool,
    shown: OwnCertificate | None,
) -> None:
    """Checks, point by point, whether a bot is ready.

    BOT is a folder with a bot.toml, or an address. The arena builds and starts the bot. The bot plays
    every game that it claims, with every number of seats and every option, and then many tables at
    once. The arena kills it, and it has to come back. It has to end on SIGTERM. It joins a tournament, loses
    its connection there, has to come back, and has to exit when the tournament is over. An address,
    host:port or unix:/path, is dialled; checks that only the bot's host can make are skipped.

    The command says how long that will take as soon as the bot has made some decisions. A bot that
    thinks as long as its clock allows takes hours. With a short clock, such as --bank 5s, it takes
    minutes.

    With --as, the bot is checked as the standing league at URL does it, except for what other options say.

    With --shell you try by hand what fails only in the sandbox: a command, such as --shell "ls -la", or
    without one a shell. It has what the bot has: its environment, and its limits of files, network, memory
    and processes. Its exit code is that of the command.

    Exit code 0: ready for league night; 1: a check failed; 2: wrong use.
    """
    if as_at is not None:
        from arena.hosting.client import Client  # only here: it loads much, and few need it

        environment = Client(as_at).get("/api/environment")
        games = games or tuple(environment["games"])
        there = {name: text for name, text in environment["clock"].items() if name in TimeControl._fields}
        clock = {**there, **clock}
        sandbox = sandbox or _level_as(environment["level"])
    entrant = entrant_of(bot, sandbox, shown)
    if as_at is not None and entrant.bot is not None:
        _require_allowed(entrant.bot, entrant.sandbox.level, environment)
    if shell is not None:
        if entrant.bot is None:
            raise click.UsageError("--shell is for a bot in a folder: the arena does not start this one")
        sys.exit(run_async(_try_by_hand, entrant.bot, entrant.sandbox, shell))
    if entrant.bot and (problem := does_not_play(games, entrant.bot.games)):
        plays = ", ".join(entrant.bot.games)
        raise click.UsageError(f"{entrant.name} {problem}; it plays {plays}")
    conditions = Conditions(games=games, joins=as_at is None)
    given = {name: duration_of(text, f"--{name}", 0) for name, text in clock.items()}
    conditions = replace(conditions, clock=conditions.clock._replace(**given))
    if quick:
        conditions = replace(conditions, thorough=False, tables=_FEW)

    say_engine()
    if entrant.bot and entrant.bot.emblem and not as_json:
        echo(f"Its emblem on the page:\n{in_blocks(entrant.bot.emblem)}")
    checks: list[Check] = []
    try:
        with checkup_progress(as_json, verbose) as (tell, say, show, hear):

            def found(check: Check) -> None:
                checks.append(check)
                tell(check)

            run_async(partial(check_bot, hear=hear), entrant, conditions, found, say, show)
    except KeyboardInterrupt:
        echo("\narena: ended by Ctrl-C", err=True)
        if as_json:
            echo_json({**checkup_json(bot, checks), "ready": False, "interrupted": True})
        sys.exit(INTERRUPTED)
    if as_json:
        echo_json({**checkup_json(bot, checks), "interrupted": False})
    else:
        echo(checkup_text(checks))
    if any(check.status == "failed" for check in checks):
        sys.exit(FAILED)


async def _try_by_hand(bot: BotManifest, sandbox: Sandbox, command: str) -> int:
    """Runs a command, or without one a shell, where a bot runs; returns its exit code."""
    say = partial(echo, err=True)
    try:
        await build(bot, say, sandbox)
    except BuildError as problem:  # which may be what its author looks into
        say(f"arena: {problem}")
    if not GUARDED:
        raise click.UsageError("this system has no sandbox: run the command in the bot's folder")
    say(f"{bot.name}: {sandbox.limited}")
    shell = ("sh", "-c", command) if command else ("sh", "-i") if sys.stdin.isatty() else ("sh",)
    return await run_beside(bot, sandbox, shell)


def _level_as(there: str) -> str | None:
    """The level of a standing league, as far as this machine has it; None for the usual one."""
    lacking = missing(Level(there))
    if not lacking:
        return there
    echo(
        f'the league contains bots at level "{there}", for which this machine lacks {", ".join(lacking)}: '
        f'the bot is checked at level "{usual()}"',
        err=True,
    )
    return None


def _require_allowed(bot: BotManifest, level: Level, environment: Mapping[str, Any]) -> None:
    """Raises UsageError if a bot asks for more than a standing league allows."""
    limits = environment["limits"]
    trust = Trust(level, limits["network"], limits["memory"], limits["threads"])
    if refusal := trust.refusal(bot.needs):
        raise click.UsageError(
            f"{bot.name} {refusal.what} at {environment['name']}: ask for less in its bot.toml"
        )


@click.command("rehearse")
@league_argument
@click.argument("game", required=False)
@click.argument("bot", required=False)
@click.option("--seat", type=click.IntRange(min=0), help="The seat whose turns are played back.")
@click.option("--turn", type=click.IntRange(min=1), help="Stop at this turn and print its whole message.")
@click.option(
    "--dump",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the seat's messages and answers to FILE as lines of JSON; needs no BOT.",
)
@sandbox_option("How the bot is contained, if it is a folder (default: basic).")
@shown_options
@click.option("--json", "as_json", is_flag=True, help="Print the turns as JSON, and nothing else.")
@tournament_option
def rehearsal(
    league: Path,
    game: str | None,
    bot: str | None,
    seat: int | None,
    turn: int | None,
    dump: Path | None,
    sandbox: str | None,
    as_json: bool,
    tournament: int | None,
    shown: OwnCertificate | None,
) -> None:
    """Plays a seat's turns in a stored game back to BOT.

    BOT is a folder or an address. It is sent exactly what the seat's bot was sent, turn by turn and
    without a clock. The command prints side by side what was chosen then and what BOT chooses now, and
    the game goes on as it was recorded. Write GAME as arena replay LEAGUE lists it. Exit code 1: the
    bot failed.

    A session FILE.jsonl, which --dump or arena bots get-game wrote, stands for LEAGUE and GAME: then give
    BOT alone.
    """
    if league.suffix == SESSION:
        if bot is not None or seat is not None or tournament is not None:
            raise click.UsageError(f"{league} is a session of one seat: give it and a BOT alone")
        bot = game
        game_id, script = read_session(league)
        title = f"{GAMES[game_id].title}, session {league}"
    else:
        if game is None or seat is None:
            raise click.UsageError("give a GAME of the league, and its --seat")
        game_id, script, title = _stored(league, game, seat, tournament)
    if bot is None and dump is None:
        raise click.UsageError("give a BOT, or --dump FILE")
    if turn is not None:
        if turn > len(script.scenes):
            raise click.BadParameter(
                f"the seat had {counted(len(script.scenes), 'turn')}", param_hint="--turn"
            )
        script = script._replace(scenes=script.scenes[:turn])
    if dump is not None:
        _write(dump, script)
    if bot is None:
        return
    entrant = entrant_of(bot, sandbox, shown_by(league, shown))
    width = max([len("record"), *(len(_recorded(scene)) for scene in script.scenes)])
    turns: list[dict[str, Any]] = []

    def heard(scene: Scene, now: int) -> None:
        turns.append(_turn_json(scene, now))
        if not as_json:
            mark = "*" if now != scene.recorded else " "
            echo(f"{scene.turn:4}  {mark} {_recorded(scene):{width}}  {_text(scene, now)}")

    if not as_json:
        echo(title)
        echo(f"turn    {'record':{width}}  now")
    log = league.with_suffix(".logs") / "rehearsal.log"
    log.parent.mkdir(exist_ok=True)
    fault: BotFault | None = None
    interrupted = False
    try:
        run_async(rehearse, script, game_id, entrant, log, partial(echo, err=True), heard)
    except BotFault as problem:
        fault = problem
    except KeyboardInterrupt:
        interrupted = True
    message = request_json(script.scenes[-1].request)["turns"][0] if turn is not None else None
    differences = sum(not each["same"] for each in turns)
    if as_json:
        as_data = fault and {"reason": fault.reason, "message": fault.message}
        echo_json(
            {
                "turns": turns,
                "differences": differences,
                "message": message,
                "fault": as_data,
                "interrupted": interrupted,
            }
        )
    else:
        echo(f"{counted(len(turns), 'turn')}, {differences} chosen otherwise than in the record (*)")
        if message is not None:
            echo_json(message)
    if interrupted:
        sys.exit(INTERRUPTED)
    if fault is not None:
        echo(f"arena: the bot {one_line(fault.message)}", err=True)
        sys.exit(FAILED)


def _stored(league: Path, game: str, seat: int, tournament: int | None) -> tuple[str, Script, str]:
    """The id of a stored game, a seat's script, and a title for both. Raises BadParameter."""
    with League.read(league) as store:
        stored = find_game(store, game, tournament)
        info = store.tournament(stored.tournament)
    record = decode_record(stored.record)
    if seat >= record.seats:
        raise click.BadParameter(f"the game has seats 0 to {record.seats - 1}", param_hint="--seat")
    plan = plan_of(info)
    names = [info.entrants[item.entrant].name for item in stored.result.seats]
    told = names if plan.show_names else ()
    script = script_of(
        record, seat, decode_times(stored.times), plan.clock_of(stored.result.seats[seat].entrant), told
    )
    title = f"{GAMES[record.game].title}, game {stored.result.key}, seat {seat}: {names[seat]}"
    return record.game, script, title


def _turn_json(scene: Scene, now: int) -> dict[str, Any]:
    """A turn as data, with the recorded choice and the choice of now."""
    return {
        "turn": scene.turn,
        "record": {
            "action": scene.recorded,
            "text": _text(scene, scene.recorded),
            "fault": scene.fault and scene.fault.reason,
        },
        "now": {"action": now, "text": _text(scene, now)},
        "same": now == scene.recorded,
    }


def _write(path: Path, script: Script) -> None:
    """Writes a script as a session."""
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in session_of(script))
    try:
        path.write_text("".join(lines), "utf-8")
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}", param_hint="--dump") from None


def _text(scene: Scene, index: int) -> str:
    """An action as text."""
    if index < len(scene.actions):
        return str(scene.actions[index])
    return f"action {index}, which is not one of 0 to {len(scene.actions) - 1}"


def _recorded(scene: Scene) -> str:
    fault = f" ({scene.fault.reason})" if scene.fault is not None else ""
    return _text(scene, scene.recorded) + fault
