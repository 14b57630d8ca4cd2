"""`arena rehearse`: a stored game played back to a bot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import trio

from arena.cli.common import (
    FAILED,
    INTERRUPTED,
    entrant_of,
    first_error,
    league_argument,
    sandbox_option,
    tournament_option,
)
from arena.cli.output import echo, echo_json
from arena.cli.replay import find_game
from arena.cli.tls import shown_by, shown_options
from arena.games import GAMES
from arena.link.streams.dial import BotFault
from arena.link.tls.trust import OwnCertificate
from arena.link.wire.messages import Decision, decode_record, decode_times, request_json, response_json
from arena.runner.checkup.rehearsal import TABLE, Scene, Script, rehearse, script_of
from arena.runner.leagues.stored import plan_of
from arena.store import League
from arena.text import counted, one_line


@click.command("rehearse")
@league_argument
@click.argument("game")
@click.argument("bot", required=False)
@click.option(
    "--seat", type=click.IntRange(min=0), required=True, help="The seat whose turns are played back."
)
@click.option("--turn", type=click.IntRange(min=1), help="Stop at this turn and print its whole message.")
@click.option(
    "--dump",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write what the seat was sent, and answered, as lines of JSON; needs no BOT.",
)
@sandbox_option("How the bot is contained, if it is a folder (default: basic).")
@shown_options
@click.option("--json", "as_json", is_flag=True, help="Print the turns as JSON, and nothing else.")
@tournament_option
def rehearsal(
    league: Path,
    game: str,
    bot: str | None,
    seat: int,
    turn: int | None,
    dump: Path | None,
    sandbox: str | None,
    as_json: bool,
    tournament: int | None,
    shown: OwnCertificate | None,
) -> None:
    """Plays the turns of a seat in a stored game back to BOT, and compares.

    BOT, a folder or an address, is sent exactly what the seat's bot was sent, turn by turn and
    without a clock. What was chosen then and what BOT chooses now are printed side by side, and the
    game goes on as it was recorded. Write GAME as arena replay LEAGUE lists it. Exit code 1: the
    bot failed.
    """
    if bot is None and dump is None:
        raise click.UsageError("give a BOT to play to, or --dump FILE")
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
    report = _Report(script, as_json)
    report.begin(f"{GAMES[record.game].title}, game {stored.result.key}, seat {seat}: {names[seat]}")
    problem: BotFault | None = None
    log = league.with_suffix(".logs") / "rehearsal.log"
    log.parent.mkdir(exist_ok=True)
    try:
        trio.run(rehearse, script, record.game, entrant, log, _say, report.heard)
    except BotFault as fault:
        problem = fault
    except (KeyboardInterrupt, BaseExceptionGroup) as error:
        if isinstance(first_error(error), KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        raise first_error(error) from None
    message = request_json(script.scenes[-1].request)["turns"][0] if turn is not None else None
    report.finish(message, problem)
    if problem is not None:
        echo(f"arena: the bot {one_line(problem.message)}", err=True)
        sys.exit(FAILED)


def _say(line: str) -> None:
    echo(line, err=True)


def _write(path: Path, script: Script) -> None:
    """Writes a session as lines of JSON: each a request, and where it has a turn the recorded response."""
    lines: list[dict[str, Any]] = [{"request": request_json(script.start)}]
    for scene in script.scenes:
        answer = response_json([Decision(TABLE, scene.turn, scene.recorded)])
        lines.append({"request": request_json(scene.request), "response": answer})
    lines.append({"request": request_json(script.end)})
    try:
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}", param_hint="--dump") from None


class _Report:
    """What the bot chose then and now, as lines of text or as JSON at the end."""

    def __init__(self, script: Script, as_json: bool) -> None:
        self._as_json = as_json
        self._turns: list[dict[str, Any]] = []
        self._width = max([len("record"), *(len(_recorded(scene)) for scene in script.scenes)])

    def begin(self, title: str) -> None:
        """Names the game."""
        if not self._as_json:
            echo(f"{title}\nturn    {'record':{self._width}}  now")

    def heard(self, scene: Scene, now: int) -> None:
        """A turn was played."""
        other = now != scene.recorded
        if not self._as_json:
            text = _recorded(scene)
            echo(f"{scene.turn:4}  {'*' if other else ' '} {text:{self._width}}  {_text(scene, now)}")
        self._turns.append(
            {
                "turn": scene.turn,
                "record": {
                    "action": scene.recorded,
                    "text": _text(scene, scene.recorded),
                    "fault": None if scene.fault is None else scene.fault.reason,
                },
                "now": {"action": now, "text": _text(scene, now)},
                "same": not other,
            }
        )

    def finish(self, message: Any, problem: BotFault | None) -> None:
        """All turns were played, or the bot failed; `message` is a turn to be printed whole."""
        others = sum(not turn["same"] for turn in self._turns)
        if self._as_json:
            fault = None if problem is None else {"reason": problem.reason, "message": problem.message}
            result = {"turns": self._turns, "differences": others, "message": message, "fault": fault}
            echo_json(result)
            return
        turns = counted(len(self._turns), "turn")
        echo(f"{turns}, {others} chosen otherwise than in the record (*)")
        if message is not None:
            echo_json(message)


def _text(scene: Scene, index: int) -> str:
    """An action as text."""
    if index < len(scene.actions):
        return str(scene.actions[index])
    return f"action {index}, which is not one of 0 to {len(scene.actions) - 1}"


def _recorded(scene: Scene) -> str:
    fault = f" ({scene.fault.reason})" if scene.fault is not None else ""
    return _text(scene, scene.recorded) + fault
