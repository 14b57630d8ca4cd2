"""Luck, a control variate: the effect of the later cards on each decision, less their mean effect.

It is computed from a finished game alone. Let R(position, cards) be the score of a seat if
all seats play on like the baseline from a position, and the
later cards lie in that order. If a bot chose another action than the
baseline, its choice changed R by

    d(cards) = R(after its choice, cards) - R(after the baseline's choice, cards).

The luck of that choice is d(the cards as they lay) less the mean of d over
some fresh orders of the later cards. The luck of a game is the sum.

**Its mean is exactly zero for all bots and any baseline.** A seat's choice
depends on what it was told, and so does the baseline's. Given all that any seat was told, the later
cards and the fresh orders are exchangeable (`State.redrawn`). So for every choice
d has the same expectation for both, and subtracting a
multiple of the luck from a score does not change the expectation of the score.
Nothing is assumed about the bots, except that they do not know the later
cards, for instance from another game on the board.

**It removes much of the variance if the bots play much like the
baseline.** The sum of the first terms is the score less R of the deal, which
is the same for both bots after each had each seat. The rest is the mean
effect of each choice, that is, the bot's skill, and the
error of that mean. With few fresh orders, many differences and long games that
error becomes larger than the gain. So the baseline and the best multiple are learnt from
earlier boards (`arena.comparison.coefficient`).

That the effect of chance on a known value can be subtracted from an outcome
without bias is from M. Zinkevich et al., "Optimal unbiased estimators for evaluating
agent performance", AAAI 2006 (DIVAT), and N. Burch et al., "AIVAT", AAAI 2018.
There values are estimates, and chance is averaged event by event. Here the
value of a choice is computed with the cards as they lay, and again with
others, and only for choices that differ from the baseline.

**Bounded luck** is for bets, which need bounded scores. The n fresh orders are compared one after another,
and each adds an nth of d(as they lay) - d(fresh). Once the sum of the d(fresh) reaches 1/2 - 1/n for some
seat, the rest of the game is left out. That is decided by fresh orders that were compared before, which say
nothing about the later cards. So each comparison that is still made has the mean zero, and the sum has. For a
board, whose games have the bot in every seat:

* The d(fresh) add up to at most 1/2, because each adds an nth at most.
* Let R(k) be R after the k-th choice, and R(0) that of the deal. The k-th d(as they lay) is R(k) - R(k-1):
  the baseline's choice leads to the same end as the choice before. It counts with a weight (the share
  of its fresh orders that were compared), and these weights never rise. So the weighted sum is that of
  p(k) * (R(k) - R(0)), where the p(k) are the weights' falls, and add up to 1 at most. It lies between
  -R(0) and 1 - R(0), and the mean of R(0) over the seats is 1/2.

So the luck of a board lies between -1 and 1, and a score less c times the luck between -c and 1 + c.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import starmap
from math import inf
from operator import sub
from typing import NamedTuple

from arena.comparison.baseline import ENGINE_ONLY, SAMPLES, require_baselines
from arena.games import GAMES
from arena.games.game import Action, Seat, State
from arena.link.wire.native import choices
from arena.policies import greedy
from arena.results import halves
from arena.table.deal import KeyedBoard
from arena.table.record import Record, first_position, replay

Scores = tuple[float, ...]
"""A number for each seat."""
Futures = Callable[[State, int], Iterable[State]]
"""Copies of a position with other later cards, for the action with a number."""

Usual = Callable[[State, Seat], Action]
"""A baseline's choice for a seat that is to act; it depends on nothing but what the seats were told."""


def luck_of(record: Record, baseline: str = "greedy", *, bounded: bool = False) -> Scores:
    """The luck of each seat in a finished game, in scores; it depends on the record alone.

    Args:
        record: a game, with any options and number of seats.
        baseline: one of the game's `luck_baselines`.
        bounded: whether the luck is bounded.

    Raises NeedsEngine; BrokenRecord as `replay` does.
    """
    samples = SAMPLES[baseline]
    full = 0.5 - 1 / samples if bounded else inf
    return luck_in(choices_of(record, baseline), record.seats, samples, full)


def choices_of(record: Record, baseline: str = "greedy") -> Iterator[Choice]:
    """The choices in a record that differ from the baseline's, with as many fresh orders as `SAMPLES` says.

    The native engine finds the same as the rules in Python, in less time.

    Raises NeedsEngine; BrokenRecord as `replay` does; ValueError if the game does not have the baseline.
    """
    require_baselines([baseline])
    found = choices(record, SAMPLES[baseline], baseline)
    if found is not None:
        for seat, here, there in found:
            yield Choice(seat, _effect(*here), starmap(_effect, there))
        return
    if baseline in ENGINE_ONLY:
        for _ in replay(record, first_position(record)):  # which says what is wrong with the record
            pass
        raise ValueError(f"{record.game} does not have the baseline {baseline}")
    yield from choices_from(first_position(record), record, futures_of(record, SAMPLES[baseline]))


def futures_of(record: Record, samples: int) -> Futures:
    """So many fresh orders of the later cards for each action of a record; they follow from its key."""
    deck = GAMES[record.game].deck(record.options)

    def futures(position: State, number: int) -> Iterator[State]:
        for sample in range(samples):
            event = f"arena luck 1\n{number}\n{sample}"
            yield position.redrawn(KeyedBoard(hmac.digest(record.board_key, event.encode(), "sha256"), deck))

    return futures


def luck_in(choices: Iterable[Choice], seats: int, samples: int, full: float = inf) -> Scores:
    """The luck of each seat in some choices.

    Args:
        choices: the choices.
        seats: the number of seats.
        samples: the number of fresh orders for each choice.
        full: once the mean effects reach this for some seat, the rest is left out.
    """
    luck = usually = (0.0,) * seats
    for choice in choices:
        for there in choice.there:
            luck = _sum(luck, tuple(map(sub, choice.here, there)), samples)
            usually = _sum(usually, there, samples)
            if max(map(abs, usually)) >= full:
                return luck
    return luck


class Choice(NamedTuple):
    """A choice other than the baseline's, and its effect on the final score of each seat.

    Attributes:
        seat: the seat that chose.
        here: the effect with the cards as they lay.
        there: the effect with each fresh order of the later cards; to be read before the next choice.
    """

    seat: Seat
    here: Scores
    there: Iterator[Scores]


def greedily(state: State, seat: Seat) -> Action:
    """The choice of the baseline greedy."""
    actions = state.legal_actions(seat)
    return actions[0] if len(actions) == 1 else greedy(state.observation(seat), actions)


def choices_from(state: State, record: Record, futures: Futures, usual: Usual = greedily) -> Iterator[Choice]:
    """The choices in the actions of a record that differ from the baseline's.

    Args:
        state: the position before the first of the actions; it is played on.
        record: the actions.
        futures: fresh orders of the later cards.
        usual: the baseline.
    """
    before = state.clone()
    for number, step in enumerate(replay(record, state)):
        expected = usual(before, step.seat)
        if expected != step.action:
            actions = (step.action, expected)
            here = _tried(before, step.seat, actions, usual)
            there = (_tried(position, step.seat, actions, usual) for position in futures(before, number))
            yield Choice(step.seat, here, there)
        before = step.state.clone()


def _sum(scores: Scores, more: Scores, parts: int) -> Scores:
    """The scores, plus other scores divided by `parts`."""
    return tuple([old + new / parts for old, new in zip(scores, more, strict=True)])


def _tried(position: State, seat: Seat, actions: tuple[Action, Action], usual: Usual) -> Scores:
    """The change of each seat's final score by an action instead of the usual one, with these later cards."""
    ends = []
    for action in actions:
        state = position.clone()
        state.apply(seat, action)
        ends.append(played_out(state, usual))
    return _effect(*ends)


def _effect(places: Sequence[int], usual: Sequence[int]) -> Scores:
    """The change of each seat's score by a choice, given the places after it and after the usual one."""
    return tuple(map(sub, scores_of(places), scores_of(usual)))


def played_out(state: State, usual: Usual = greedily) -> tuple[int, ...]:
    """Each seat's place if all play on like the baseline; changes the position."""
    while state.to_act:
        seat = state.to_act[0]
        state.apply(seat, usual(state, seat))
    outcome = state.outcome
    assert outcome is not None
    return outcome.places


def scores_of(places: Sequence[int]) -> Scores:
    """The score of each seat by the places: the share of the others that it beat, ties half."""
    others = len(places) - 1
    # Rounded in these steps: a verification compares stored lucks to the last digit.
    return tuple([halves(own, places) / 2 / others - 0.5 / others for own in places])
