"""The analysis of one game: its decisions, and what luck and play made of its result."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from arena.checkup.analysis.decision import DOUBT, PHASES, Decision, Trial, judge, screen
from arena.checkup.analysis.turns import Setup, Turn, setup_of, turns_of
from arena.checkup.analysis.work import USUAL_WORK, WORK, Counted, Share, shared_out, to_screen
from arena.comparison.baseline import SAMPLES
from arena.comparison.luck import choices_of, played_out, scores_of
from arena.games import GAMES
from arena.games.game import Seat, State
from arena.policies import GREEDY, thoughtful_policy
from arena.sampling import SAMPLERS
from arena.sampling.native import EngineDraw
from arena.sampling.playing import Policy, try_actions
from arena.standings.student import quantile
from arena.table.record import Record, first_position

MOST_WORLDS: Final = 1024
"""The most fresh worlds for a decision."""


class CannotAnalyse(ValueError):
    """A game cannot be analysed; the text says in one sentence why."""


class Source(NamedTuple):
    """What made a seat's result, in parts that add up to the score less an even share, which is 0.5.

    Attributes:
        score: the result, from 0 to 1.
        deal: what the seat would have got with these cards if all had played greedily, less an even share.
        luck: what the later cards added to the choices of all, against their mean effect.
        own: the mean effect of the seat's own choices that were not greedy.
        others: that of the choices of the others.
        forfeits: the effect of forfeits on the places.
        error: the margin of error of `luck`, and of `own` and `others` together.
    """

    score: float
    deal: float
    luck: float
    own: float
    others: float
    forfeits: float
    error: float


class Searcher(NamedTuple):
    """What tries the actions of a turn.

    Attributes:
        name: its name: a policy of the house, which plays the worlds to their end for all seats, or a bot.
        worlds: the most fresh worlds for a decision if nothing else is asked for.
        trial: makes a trial of a turn's actions; the worlds follow from 32 bytes.
        work: the work for all decisions of a seat; None if each decision may have the most worlds.
        done: the work that was done for the turn.
    """

    name: str
    worlds: int
    trial: Callable[[Turn, bytes], Trial]
    work: float | None = None
    done: Callable[[], float] = float


SearcherOf = Callable[[Turn, Setup], Searcher]
"""Chooses what tries the actions of a turn at a table."""


def house_of(turn: Turn, setup: Setup) -> Searcher:
    """The policy of the house for a turn: thoughtful if the native engine plays the worlds, else greedy."""
    if isinstance(turn.draw, EngineDraw):
        return Searcher("thoughtful", MOST_WORLDS, partial(_trial, thoughtful_policy))
    counted = Counted()
    work = WORK.get(setup.game, USUAL_WORK) / setup.seats
    return Searcher("greedy", MOST_WORLDS, partial(_counted, counted), work, lambda: counted.work)


def require_analysable(game: str) -> None:
    """Raises CannotAnalyse if a game has no sampler or no greedy policy, as the games of some packages."""
    title = GAMES[game].title
    if game not in SAMPLERS:
        raise CannotAnalyse(f"{title} cannot be analysed: its package brings no sampler of positions")
    if game not in GREEDY:
        raise CannotAnalyse(f"{title} cannot be analysed: its package brings no greedy policy")


def decisions_of(
    record: Record,
    seat: Seat,
    worlds: int | None = None,
    seed: str = "",
    state: State | None = None,
    searcher_of: SearcherOf = house_of,
) -> Iterator[Decision]:
    """The judged decisions of a seat, one after another.

    The worlds of a decision follow from the seed and from all that the seat was told, and from nothing else.
    So a card that the seat could not know changes nothing.

    Args:
        record: the game.
        seat: the seat.
        worlds: the most fresh worlds for a decision; None for as many as the searcher has work for.
        seed: any text.
        state: the first position, if it is not that of the record's board.
        searcher_of: chooses what tries the actions of each turn.

    Raises CannotAnalyse; BrokenRecord as `replay` does.
    """
    require_analysable(record.game)
    first = first_position(record) if state is None else state
    return judged(
        lambda: turns_of(record, seat, first.clone()),
        setup_of(record),
        len(record.actions),
        worlds,
        seed,
        searcher_of,
    )


def judged(
    turns: Callable[[], Iterable[Turn]],
    setup: Setup,
    plies: int,
    worlds: int | None = None,
    seed: str = "",
    searcher_of: SearcherOf = house_of,
    times: float = 1.0,
    tell: Callable[[float], None] = lambda share: None,
) -> Iterator[Decision]:
    """The decisions of some turns; see `decisions_of`.

    Args:
        turns: gives the turns, at each call again.
        setup: what is played.
        plies: the number of actions of the game, as the turns count them.
        worlds, seed, searcher_of: as for `decisions_of`.
        times: how many times as much work is done as usually for all decisions of a seat.
        tell: called with the share of the work that is done.
    """
    count = sum(1 for _ in turns())

    def begun(stage: int) -> Iterator[tuple[Turn, Searcher, Trial]]:
        """The turns with what tries their actions in a stage, in worlds of its own."""
        for place, turn in enumerate(turns()):
            tell((stage + place / count) / 2)
            searcher = searcher_of(turn, setup)
            text = f"arena analysis 2\n{seed}\n{stage}\n{turn.told.hex()}"
            yield turn, searcher, searcher.trial(turn, hashlib.sha256(text.encode()).digest())

    shares, most, left = [], 0, 0.0
    limited = False
    for turn, searcher, trial in begun(0):
        most = math.ceil(searcher.worlds * max(times, 1.0)) if worlds is None else worlds
        limited = worlds is None and searcher.work is not None
        each = 0.0
        if searcher.work is None or not limited:
            screened = screen(turn, trial, most)
        else:
            work = searcher.work * times / count
            trial([turn.chosen], 1)
            each = searcher.done()
            screened = screen(turn, trial, min(most, to_screen(work, len(turn.actions), each)), 1)
            left += work - searcher.done()
        shares.append(Share(screened, each))
    game = GAMES[setup.game]
    fresh = shared_out(shares, left, most) if limited else [most] * count
    for (turn, searcher, trial), share, some in zip(begun(1), shares, fresh, strict=True):
        phase = PHASES[3 * turn.ply // plies]
        words = [game.words(action, seen=turn.view[1]) for action in turn.actions]
        yield judge(turn, words, share.screened, trial, phase, searcher.name, some)


def _counted(counted: Counted, turn: Turn, seed: bytes) -> Trial:
    """Tries actions of a turn greedily, and counts the work."""
    tried = _trial(counted.choose, turn, seed)

    def trial(actions: Sequence[int], worlds: int) -> Any:
        counted.begin(len(actions) * worlds)
        return tried(actions, worlds)

    return trial


def _trial(policy: Policy, turn: Turn, seed: bytes) -> Trial:
    """Tries actions of a turn by a policy."""
    rng = random.Random(seed)

    def trial(actions: Sequence[int], worlds: int) -> Any:
        tried = [turn.actions[index] for index in actions]
        return try_actions(turn.draw, turn.seat, tried, policy, rng, worlds)

    return trial


def sources_of(record: Record) -> list[Source]:
    """What made each seat's result, as `arena.comparison.luck` tells luck and play apart.

    Raises CannotAnalyse; BrokenRecord as `replay` does.
    """
    require_analysable(record.game)
    seats = range(record.seats)
    samples = SAMPLES["greedy"]
    greedily = scores_of(played_out(first_position(record)))
    played = list(greedily)
    own, others, spread = [0.0] * record.seats, [0.0] * record.seats, [0.0] * record.seats
    for choice in choices_of(record):
        effects = list(choice.there)
        for seat in seats:
            values = [effect[seat] for effect in effects]
            mean = sum(values) / samples
            played[seat] += choice.here[seat]
            (own if seat == choice.seat else others)[seat] += mean
            spread[seat] += sum((value - mean) ** 2 for value in values) / (samples - 1) / samples
    scores = scores_of(record.outcome.places)
    even = 0.5
    return [
        Source(
            score=scores[seat],
            deal=greedily[seat] - even,
            luck=played[seat] - greedily[seat] - own[seat] - others[seat],
            own=own[seat],
            others=others[seat],
            forfeits=scores[seat] - played[seat],
            error=quantile(DOUBT / 2, samples - 1) * math.sqrt(spread[seat]),
        )
        for seat in seats
    ]
