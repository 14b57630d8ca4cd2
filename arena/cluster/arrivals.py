"""What comes from workers, looked at where it arrives: nothing of it is believed before.

What cannot be true is the trouble of the worker that sent it, neither a bot's nor
the referee's: `Untrue` says what, and whoever asked asks another worker. So
everything that a worker returns passes through here, from its bytes on.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Collection, Mapping
from typing import Any

from arena.cluster import worker
from arena.cluster.bundle import Bundle
from arena.cluster.desk import Facts
from arena.cluster.parcels import Absent, Answer, Bot, Introduced, Kept, Lacks, Order, Result, Trouble, Word
from arena.cluster.scrutiny import Untrue, counts, game_told, require, require_fault
from arena.link.streams.dial import BotInfo
from arena.link.wire.convert import WIRES
from arena.text import one_line

_LONGEST = 30 * 86_400.0  # seconds: no batch takes so long


def answer_in(function: Callable[[bytes], bytes], value: Any, data: object) -> Answer | Untrue:
    """What a worker answers; for a batch that takes as long as to play its games by the rules.

    Args:
        function: which of `worker` was called.
        value: what with, before it was pickled.
        data: what it returned.
    """
    try:
        answer = _unpickled(data)
        if type(answer) is Trouble:
            require(type(answer.report) is str, "its report is no text")
            return answer
        return _LOOKS[function](value, answer)
    except Untrue as problem:
        return problem
    except Exception as error:  # noqa: BLE001 - what was sent has brought it about
        return Untrue(f"what it sends is broken ({one_line(f'{type(error).__name__}: {error}')})")


def facts_in(data: object) -> Facts:
    """What a worker says it is. Raises Untrue, and whatever errors where it is nothing of the kind."""
    facts = _unpickled(data)
    require(type(facts) is Facts, "it does not say what it is")
    texts = (facts.host, *facts.lacking, *facts.versions.keys(), *facts.versions.values())
    require(_texts(*texts) and type(facts.lacking) is tuple, "it does not say what it is")
    return Facts(dict(facts.versions), facts.host, facts.lacking)


def _unpickled(data: object) -> Any:
    require(type(data) is bytes, "what it sends is broken")
    assert isinstance(data, bytes)
    return pickle.loads(data)


def _batch(order: Order, answer: Any) -> Answer:
    if type(answer) is Result:
        return _result(order, answer)
    return _not_there(order.bots, answer)


def _introduced(asked: tuple[str, int, Bot], answer: Any) -> Answer:
    _, player, bot = asked
    if type(answer) is Introduced:
        return Introduced(_info(answer.info))
    return _not_there({player: bot}, answer)


def _kept(asked: Bundle, answer: Any) -> Answer:
    require(type(answer) is Kept, _OTHER)
    return Kept()


def _not_there(bots: Mapping[int, Bot], answer: Any) -> Answer:
    """Why nothing was played: bundles that are not there, or a bot; both of those that were asked for."""
    if type(answer) is Lacks:
        known = {bot.bundle for bot in bots.values() if bot.bundle}
        lacking = set(answer.bundles)
        require(bool(lacking) and lacking <= known, "it lacks what it does not need")
        return Lacks(sorted(lacking))
    require(type(answer) is Absent, _OTHER)
    require(type(answer.player) is int and answer.player in bots, "it misses a bot that it was not to start")
    require(_texts(answer.message, answer.output) and type(answer.built) is bool, _OTHER)
    require_fault(answer.reason, answer.message)
    return Absent(*answer)


def _result(order: Order, result: Result) -> Result:
    seconds = (result.seconds, result.setting_up)
    fits = all(type(each) is float and math.isfinite(each) and 0 <= each < _LONGEST for each in seconds)
    require(fits and counts(result.decisions) and counts(result.cpu), "its times are no times")
    positions = sorted(told.position for told in result.games)
    asked = list(range(len(order.seatings)))
    require(positions == asked, "it tells of other games than it was given")
    games = [game_told(told, order.seatings[told.position], result.seconds) for told in result.games]
    words = [_word(order.bots, word) for word in result.words]
    return result._replace(games=games, words=words)


def _word(bots: Collection[int], word: Word) -> Word:
    fits = type(word) is Word and type(word.player) is int and word.player in bots and _texts(word.what)
    require(fits, "it tells of a bot that it was not to start")
    return word


def _info(info: BotInfo) -> BotInfo:
    texts = info.name, info.version, info.author
    fits = _texts(*texts) and all(map(str.isprintable, texts)) and type(info.pledge) is bytes
    fits = fits and set(info.games) <= WIRES.keys() and counts(info.max_tables)
    require(type(info) is BotInfo and fits, "it tells what no bot says of itself")
    return info._replace(games=tuple(info.games))


def _texts(*values: object) -> bool:
    return all(type(value) is str for value in values)


_OTHER = "it answers what it was not asked"
_LOOKS: dict[Callable[[bytes], bytes], Callable[[Any, Any], Answer]] = {
    worker.play: _batch,
    worker.introduce: _introduced,
    worker.keep: _kept,
}
