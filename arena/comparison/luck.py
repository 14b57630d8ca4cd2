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

**Which multiple pays** (`Coefficient`): any multiple that is settled before the
board is dealt leaves the expectation of its score as it is. The best one is the
slope of scores on luck; it is near 1 where the luck of a pair of bots is known
well, and near 0 where hardly anything is known.
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

FIRST: Final = 0.4
"""The multiple for the first board."""
BELIEF: Final = 1.0
"""How much that counts: as boards whose lucks squared sum up to so much, some 15 of them."""
TRIAL: Final = 40
"""After so many boards it is settled whether luck is taken away at all."""
WORTH: Final = 1.15
"""It is where it has divided the variance of the scores at least by so much."""


def luck_of(record: Record) -> Scores:
    """The luck of each seat in a finished game, in scores; it follows from the record alone.

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
    """The luck in the actions of a record that was begun in some position, which is played on.

    Args:
        state: the position before the first of the actions.
        record: the actions.
        futures: fresh orders of the cards to come.
        samples: how many these are.
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


class Coefficient:
    """The multiple for the next board.

    Attributes:
        boards: how many boards were seen.
        pays: whether it is worth while to know the luck of the next board;
            where it is not, nothing is taken away any more.
    """

    def __init__(self) -> None:
        self.boards = 0
        self.pays = True
        self._scores = self._squares = self._lucks = self._lucks_squared = self._products = 0.0
        self._corrected = self._corrected_squared = 0.0

    @property
    def value(self) -> float:
        """The multiple of its luck to take from the score of the next board."""
        if not self.pays:
            return 0.0
        together = self._products - self._scores * self._lucks / max(1, self.boards)
        slope = (BELIEF * FIRST + together) / (BELIEF + self._lucks_squared)
        return min(1.0, max(0.0, slope))

    def take(self, score: float, luck: float) -> float:
        """Takes the luck of the next board from its score, and learns from it.

        Args:
            score: the mean score of the board, from 0 to 1.
            luck: its mean luck; anything where it does not pay.

        Returns:
            the score without it.
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
        """By how much the variance of the scores was divided, over the boards whose luck was known."""
        seen = min(self.boards, TRIAL) if not self.pays else self.boards
        if not seen:
            return 1.0
        before = self._squares - self._scores**2 / seen
        after = self._corrected_squared - self._corrected**2 / seen
        return before / after if after > 0 else 1.0
