"""How much of a score was luck: what the cards to come did to each decision, less what they do on average.

From a finished game alone. Let R(position, cards) be the score of a seat when
all seats play on from a position greedily (`arena.policies`), and the
cards to come lie in that order. Where a bot chose something else than the
baseline, its choice changed R by

    d(cards) = R(after its choice, cards) - R(after the baseline's choice, cards).

The luck of that choice is d(the cards as they lay) less the mean of d over
some fresh orders of the cards to come; the luck of a game is the sum.

**Its mean is exactly zero, whoever plays, and however.** What a seat chooses
depends on what it was told, and given all that was told to anyone the cards to
come and the fresh orders are exchangeable (`State.redrawn`). So every choice
has the same expectation of d on either side, whatever was chosen, and taking a
multiple of the luck from a score leaves the expectation of the score as it is.
It need not be known what the bots are; only that they do not know the cards to
come, from another game on the board for instance.

**It takes away much of the variance where the bots play much like the
baseline**: the sum of the first terms is the score less R of the deal, which
is the same for both bots once each had each seat. So what is left is the mean
effect of each choice, the value of the choice, that is, of the bot; and the
error of that mean. With few fresh orders, many differences and long games that
error grows beyond what is gained. So the multiple that pays is learnt from
boards played before (`Coefficient`).

The idea that what chance does to a known value may be taken from an outcome
without bias is M. Zinkevich et al., "Optimal unbiased estimators for evaluating
agent performance", AAAI 2006 (DIVAT), and N. Burch et al., "AIVAT", AAAI 2018.
There values are estimates and chance is averaged over event by event. Here the
value of one choice is taken under the cards as they lay, and again under
others: so it need be computed where the bots differ from the baseline only.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator
from operator import sub
from typing import Final

from arena.games import GAMES
from arena.games.game import Action, Outcome, Seat, State
from arena.policies import greedy
from arena.table.deal import KeyedBoard
from arena.table.record import Record, first_position, replay

Scores = tuple[float, ...]
"""A number for each seat."""
Futures = Callable[[State, int], Iterable[State]]
"""Positions that differ from one in the cards to come, at the action with a number."""

PAYS: Final = frozenset(id for id, game in GAMES.items() if game.luck_pays)
"""The games where it divided the variance of a comparison by 1.2 or more (docs/fewer-games.md)."""
SAMPLES: Final = 16
"""How many fresh orders of the cards to come a choice is tried under."""
ENOUGH: Final = 0.5 - 1 / SAMPLES
"""No more is looked at once the effects under other cards come to so much for some seat, in the mean."""
MOST: Final = 1 + ENOUGH + 1 / SAMPLES
"""What the luck of a seat in one game never exceeds."""
MOST_OF_BOARD: Final = MOST - 0.5
"""What the mean luck of a bot never exceeds, over one board that it played from every seat."""


def luck_of(record: Record, enough: float = ENOUGH) -> Scores:
    """The luck of each seat in a finished game, in scores; it follows from the record alone.

    It lies between -MOST and MOST. For what is looked at under other cards
    comes to ENOUGH, and the last of it. And what is looked at under the cards
    as they lay comes to a mean of some R in the game less R of the deal, as
    what counts of a choice is never more than of the one before. Over the games
    of a board R of the deal comes to one half, for each of the bots.

    Args:
        record: a game of one of PAYS, with any options and number of seats.
        enough: more than ENOUGH, such as `math.inf`, where no bound is needed;
            more luck is found then.

    Raises BrokenRecord as `replay` does.
    """
    deck = GAMES[record.game].deck(record.options)

    def futures(position: State, number: int) -> Iterator[State]:
        for sample in range(SAMPLES):
            event = f"arena luck 1\n{number}\n{sample}"
            yield position.redrawn(KeyedBoard(hmac.digest(record.board_key, event.encode(), "sha256"), deck))

    return luck_from(first_position(record), record, futures, SAMPLES, enough)


def luck_from(state: State, record: Record, futures: Futures, samples: int, enough: float) -> Scores:
    """The luck in the actions of a record that was begun in some position, which is played on.

    Args:
        state: the position before the first of the actions.
        record: the actions.
        futures: fresh orders of the cards to come.
        samples: how many these are.
        enough: as in `luck_of`.
    """
    luck = elsewhere = (0.0,) * record.seats
    before = state.clone()
    for number, step in enumerate(replay(record, state)):
        usual = _usual(before, step.seat)
        if usual != step.action:
            here = _effect(before, step.seat, step.action, usual)
            for position in futures(before, number):
                there = _effect(position, step.seat, step.action, usual)
                elsewhere = _sum(elsewhere, there, samples)
                luck = _sum(luck, tuple(map(sub, here, there)), samples)
                if max(map(abs, elsewhere)) >= enough:
                    return luck
        before = step.state.clone()
    return luck


def _usual(state: State, seat: Seat) -> Action:
    """What the baseline chooses for a seat that is to act."""
    actions = state.legal_actions(seat)
    return actions[0] if len(actions) == 1 else greedy(state.observation(seat), actions)


def _sum(scores: Scores, more: Scores, parts: int) -> Scores:
    """The scores and one of so many parts of others."""
    return tuple([old + new / parts for old, new in zip(scores, more, strict=True)])


def _effect(position: State, seat: Seat, action: Action, usual: Action) -> Scores:
    """By how much an action changes what each seat scores in the end, with these cards to come."""
    scores = []
    for each in (action, usual):
        state = position.clone()
        state.apply(seat, each)
        scores.append(_played_out(state))
    return tuple([one - other for one, other in zip(*scores, strict=True)])


def _played_out(state: State) -> Scores:
    """What each seat scores where all play on like the baseline; the position is played on."""
    while state.to_act:
        seat = state.to_act[0]
        state.apply(seat, _usual(state, seat))
    outcome = state.outcome
    assert outcome is not None
    return scores_of(outcome)


def scores_of(outcome: Outcome) -> Scores:
    """The score of each seat: the share of the others that it beat, ties half."""
    others = len(outcome.places) - 1
    return tuple(
        [
            sum((own < other) + (own == other) / 2 for other in outcome.places) / others - 0.5 / others
            for own in outcome.places
        ]
    )
