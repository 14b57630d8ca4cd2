"""Luck, a control variate: the effect of the later cards on each decision, less their mean effect.

It is computed from a finished game alone. Let R(position, cards) be the score of a seat if
all seats play on greedily from a position (`arena.policies`), and the
later cards lie in that order. If a bot chose another action than the
baseline, its choice changed R by

    d(cards) = R(after its choice, cards) - R(after the baseline's choice, cards).

The luck of that choice is d(the cards as they lay) less the mean of d over
some fresh orders of the later cards. The luck of a game is the sum.

**Its mean is exactly zero for all bots.** A seat's choice
depends on what it was told. Given all that any seat was told, the later
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
error becomes larger than the gain. So the best multiple is learnt from
earlier boards (`Coefficient`).

That the effect of chance on a known value can be subtracted from an outcome
without bias is from M. Zinkevich et al., "Optimal unbiased estimators for evaluating
agent performance", AAAI 2006 (DIVAT), and N. Burch et al., "AIVAT", AAAI 2018.
There values are estimates, and chance is averaged event by event. Here the
value of a choice is computed with the cards as they lay, and again with
others, and only for choices that differ from the baseline.

**The multiple** (`Coefficient`): any multiple that is fixed before the
board is dealt does not change the expectation of its score. The best one is the
slope of the regression of scores on luck. It is near 1 if the luck of a pair of bots is known
well, and near 0 if it is hardly known.
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
"""Copies of a position with other later cards, for the action with a number."""

PAYS: Final = frozenset(id for id, game in GAMES.items() if game.luck_pays)
"""The games in which it divided the variance of a comparison by 1.2 or more (docs/fewer-games.md)."""
SAMPLES: Final = 16
"""The number of fresh orders of the later cards for each choice."""

FIRST: Final = 0.4
"""The multiple for the first board."""
BELIEF: Final = 1.0
"""The weight of `FIRST`: that of boards whose squared lucks have this sum, about 15 boards."""
TRIAL: Final = 40
"""After so many boards it is decided whether luck is subtracted at all."""
WORTH: Final = 1.15
"""It is, if that has divided the variance of the scores by at least so much."""


def luck_of(record: Record) -> Scores:
    """The luck of each seat in a finished game, in scores; it depends on the record alone.

    Args:
        record: a game of one of PAYS, with any options and number of seats.

    Raises BrokenRecord as `replay` does.
    """
    deck = GAMES[record.game].deck(record.options)

    def futures(position: State, number: int) -> Iterator[State]:
        for sample in range(SAMPLES):
            event = f"arena luck 1\n{number}\n{sample}"
            yield position.redrawn(KeyedBoard(hmac.digest(record.board_key, event.encode(), "sha256"), deck))

    return luck_from(first_position(record), record, futures, SAMPLES)


def luck_from(state: State, record: Record, futures: Futures, samples: int) -> Scores:
    """The luck in the actions of a record from some position on, which is played on.

    Args:
        state: the position before the first of the actions.
        record: the actions.
        futures: fresh orders of the later cards.
        samples: their number.
    """
    luck = (0.0,) * record.seats
    before = state.clone()
    for number, step in enumerate(replay(record, state)):
        usual = _usual(before, step.seat)
        if usual != step.action:
            here = _effect(before, step.seat, step.action, usual)
            for position in futures(before, number):
                there = _effect(position, step.seat, step.action, usual)
                luck = _sum(luck, tuple(map(sub, here, there)), samples)
        before = step.state.clone()
    return luck


def _usual(state: State, seat: Seat) -> Action:
    """The baseline's choice for a seat that is to act."""
    actions = state.legal_actions(seat)
    return actions[0] if len(actions) == 1 else greedy(state.observation(seat), actions)


def _sum(scores: Scores, more: Scores, parts: int) -> Scores:
    """The scores, plus other scores divided by `parts`."""
    return tuple([old + new / parts for old, new in zip(scores, more, strict=True)])


def _effect(position: State, seat: Seat, action: Action, usual: Action) -> Scores:
    """The change of each seat's final score by an action instead of the usual one, with these later cards."""
    scores = []
    for each in (action, usual):
        state = position.clone()
        state.apply(seat, each)
        scores.append(_played_out(state))
    return tuple([one - other for one, other in zip(*scores, strict=True)])


def _played_out(state: State) -> Scores:
    """Each seat's score if all play on like the baseline; changes the position."""
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


class Coefficient:
    """The multiple for the next board.

    Attributes:
        boards: the number of boards so far.
        pays: whether the luck of the next board is needed; if not, luck
            is no longer subtracted.
    """

    def __init__(self) -> None:
        self.boards = 0
        self.pays = True
        self._scores = self._squares = self._lucks = self._lucks_squared = self._products = 0.0
        self._corrected = self._corrected_squared = 0.0

    @property
    def value(self) -> float:
        """The multiple of its luck to subtract from the score of the next board."""
        if not self.pays:
            return 0.0
        together = self._products - self._scores * self._lucks / max(1, self.boards)
        slope = (BELIEF * FIRST + together) / (BELIEF + self._lucks_squared)
        return min(1.0, max(0.0, slope))

    def take(self, score: float, luck: float) -> float:
        """Subtracts the luck of the next board from its score, and learns from it.

        Args:
            score: the mean score of the board, from 0 to 1.
            luck: its mean luck; not used if it does not pay.

        Returns:
            the score without the luck.
        """
        corrected = score - self.value * luck
        self.boards += 1
        if self.pays:
            self._scores += score
            self._squares += score * score
            self._lucks += luck
            self._lucks_squared += luck * luck
            self._products += score * luck
            self._corrected += corrected
            self._corrected_squared += corrected * corrected
            if self.boards == TRIAL:
                self.pays = self.factor >= WORTH
        return corrected

    @property
    def factor(self) -> float:
        """The factor by which the variance of the scores was divided, over the boards with known luck."""
        seen = min(self.boards, TRIAL) if not self.pays else self.boards
        if not seen:
            return 1.0
        before = self._squares - self._scores**2 / seen
        after = self._corrected_squared - self._corrected**2 / seen
        return before / after if after > 0 else 1.0
