"""Judges one decision: the expected score of every action, what the choice cost, and how sure that is.

**Two stages.** First all actions are tried in a few worlds, the better half of them in more, and so on until
two are left; the chosen action is never dropped. Where the work does not suffice for the next half, or all
actions have scored the same, the two best follow at once. That settles which action looks best, and how many
fresh worlds the decision gets, and nothing else. The chosen one looks best, unless another is ahead of it by
more than one standard error. Then the choice and that other action (or the next best) are tried in fresh
worlds, the same for both. The cost is the mean difference in the fresh worlds. So it is not too high because
the best of many was picked, which is known as the winner's curse.

**Several looks.** The fresh worlds are looked at after an eighth, a quarter, a half and all of them. If the
two actions are apart, the rest is left out; also if the choice looks best and the two are close. Each look
may be wrong in its own part of 5 %, so all four together are wrong in at most 5 % (Bonferroni). The last look
has the greatest part, so that the earlier ones widen its margin little, as in a group sequential test
(O'Brien and Fleming, Biometrics 35, 1979). The margins of the other actions allow for the rounds of the first
stage, in equal parts.

**The margin** is Student's quantile times the standard error, as if one world more had been seen that was off
by a whole score. Without that, actions which differ in one world of a hundred would seem to be equal
after thirty (the "rule of three" asks for about the same).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.checkup.analysis.turns import Turn
from arena.games.game import Action
from arena.standings.student import quantile

_Values = npt.NDArray[np.float64]
Trial = Callable[[Sequence[int], int], npt.ArrayLike]
"""Tries actions of a turn, named by their indices, in so many worlds that were not used before.

It returns the score of the seat for each world (row) and each of the actions (column). A world is a sampled
position with all later chance."""
Verdict = Literal["mistake", "best", "close", "cannot tell"]
Phase = Literal["opening", "middle", "end"]
PHASES: Final[tuple[Phase, ...]] = ("opening", "middle", "end")

DOUBT: Final = 0.05
"""The probability with which a margin of error may be exceeded."""

CLOSE: Final = 0.1
"""Two actions are close if, with its margin of error, their difference is less than this."""

_ROUND = 2  # a round of the first stage plays on this part of the most worlds, shared out among its actions
_LEAST = 3  # worlds of a round, at least
_LAST = 8  # worlds of the last round, at least
_SURE = 3.0  # standard errors with which a difference is mostly told
_QUANTILE = 2.4  # a margin of error in standard errors
_PRIOR = 2  # worlds as which the spread of all actions counts beside that of the last two
_LOOKS = ((8, 0.004), (4, 0.006), (2, 0.01), (1, 0.03))  # each: a part of the worlds, and of the doubt
_FEW = 16  # fresh worlds, below which margins are wide whatever is seen


@dataclasses.dataclass(frozen=True, slots=True)
class Tried:
    """A legal action and its expected score.

    Attributes:
        action: the action as text.
        words: the action in words for people (`Game.words`).
        kind: its kind (`kind_of`).
        score: the expected score of the seat after it, from 0 to 1.
        error: the margin of error of the score.
        worlds: the number of worlds in which it was tried.
    """

    action: str
    words: str
    kind: str
    score: float
    error: float
    worlds: int


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """A judged decision.

    Attributes:
        ply: the number of actions before it.
        turn: the number of the turn at its seat, from 1.
        seat: the seat.
        phase: the third of the game's actions in which it was made.
        by: what played the worlds to their end: a policy of the house, or a bot.
        fault: why the default action was played for the seat; empty if its bot chose.
        tried: every legal action, in the game's order.
        chosen: the index of the action that was played.
        best: the index of the action that looked best in the first stage, which may be the chosen one.
        cost: how much higher the expected score is after `best` than after the chosen action; 0 if they are
            the same.
        error: the margin of error of the cost; if `best` was chosen, that of the difference to the next.
        verdict: `mistake` if the cost is above its margin; `best` if the choice is better than the next
            by more than the margin; `close` if the difference with its margin is below `CLOSE`; else
            `cannot tell`.
        difference: in words, what the best action does otherwise (`difference_of`); empty if it was chosen.
    """

    ply: int
    turn: int
    seat: int
    phase: Phase
    by: str
    fault: str
    tried: tuple[Tried, ...]
    chosen: int
    best: int
    cost: float
    error: float
    verdict: Verdict
    difference: str

    @property
    def choice(self) -> Tried:
        """The action that was played."""
        return self.tried[self.chosen]

    @property
    def better(self) -> Tried:
        """The action that looked best."""
        return self.tried[self.best]

    def as_data(self) -> dict[str, Any]:
        """The same as JSON knows it."""
        return dataclasses.asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Decision:
        """What `as_data` returned."""
        return cls(**{**data, "tried": tuple(Tried(**each) for each in data["tried"])})


class Mistake(NamedTuple):
    """A decision whose verdict is `mistake`; see `Decision`.

    Attributes:
        turn: the number of the turn.
        chosen: the action that was played, in words.
        better: the action that was better, in words.
        cost: how much higher the expected score is after it.
        error: the margin of error of the cost.
    """

    turn: int
    chosen: str
    better: str
    cost: float
    error: float


def mistakes_in(decisions: Iterable[Decision]) -> list[Mistake]:
    """The decisions that were mistakes, the most expensive first."""
    found = [
        Mistake(each.turn, each.choice.words, each.better.words, each.cost, each.error)
        for each in decisions
        if each.verdict == "mistake"
    ]
    return sorted(found, key=lambda each: -each.cost)


class Screened(NamedTuple):
    """What the first stage found about a turn.

    Attributes:
        scores: the scores of each action by world.
        rival: the best action but the chosen one.
        gain: how far the rival is ahead of the chosen action, which may be below 0.
        spread: about the standard deviation of that in one world. Few worlds often show none, so that of all
            actions counts too.
        suspect: whether the rival is ahead by more than a standard error.
    """

    scores: list[_Values]
    rival: int
    gain: float
    spread: float
    suspect: bool

    def told_in(self, gain: float) -> float:
        """How many fresh worlds probably tell whether two actions so far apart are apart or close."""
        clear = max(abs(gain), CLOSE - abs(gain))
        noise = (_SURE * self.spread) ** 2
        return max(_FEW, (noise + math.hypot(noise, 2 * _QUANTILE * clear)) / (2 * clear**2))


def judge(
    turn: Turn, words: Sequence[str], screened: Screened, trial: Trial, phase: Phase, by: str, most: int
) -> Decision:
    """Judges a decision: the second stage.

    Args:
        turn: the turn.
        words: its actions in words.
        screened: what the first stage found.
        trial: tries its actions.
        phase: the third of the game in which it was made.
        by: what plays the worlds to their end.
        most: the most fresh worlds.
    """
    scores, rival = screened.scores, screened.rival
    best = rival if screened.suspect else turn.chosen
    estimates = (_estimate(each, DOUBT / rounds_of(len(scores))) for each in scores)
    means, margins = map(list, zip(*estimates, strict=True))
    worlds = [*map(len, scores)]
    fresh = np.empty((0, 2))
    gain = error = doubt = 0.0
    for part, doubt in _LOOKS:
        some = math.ceil(most / part)
        if part > 1 and some < _LEAST:
            continue
        more = max(some, _LEAST) - len(fresh)
        fresh = np.concatenate((fresh, np.asarray(trial((turn.chosen, rival), more))))
        gain, error = _estimate(fresh[:, 1] - fresh[:, 0], doubt)
        if abs(gain) > error or (best == turn.chosen and abs(gain) + error < CLOSE):
            break
    for column, index in enumerate((turn.chosen, rival)):
        means[index], margins[index] = _estimate(fresh[:, column], doubt)
        worlds[index] = len(fresh)
    verdict: Verdict = "cannot tell"
    if best == turn.chosen and gain < -error:
        verdict = "best"
    elif best != turn.chosen and gain > error:
        verdict = "mistake"
    elif abs(gain) + error < CLOSE:
        verdict = "close"
    return Decision(
        ply=turn.ply,
        turn=turn.number,
        seat=turn.seat,
        phase=phase,
        by=by,
        fault=turn.fault,
        tried=tuple(
            Tried(str(action), words[index], kind_of(action), means[index], margins[index], worlds[index])
            for index, action in enumerate(turn.actions)
        ),
        chosen=turn.chosen,
        best=best,
        cost=gain if best != turn.chosen else 0.0,
        error=error,
        verdict=verdict,
        difference=""
        if best == turn.chosen
        else difference_of(turn.actions[turn.chosen], turn.actions[best]),
    )


def rounds_of(actions: int) -> int:
    """The rounds of the first stage of a turn with so many actions, at most."""
    return math.ceil(math.log2(actions))


def screen(turn: Turn, trial: Trial, most: int, least: int = _LEAST) -> Screened:
    """Tries all actions of a turn: the first stage.

    Args:
        turn: the turn.
        trial: tries its actions.
        most: each round plays on half so many worlds, shared out among its actions.
        least: the worlds of a round but the last, at least.
    """
    scores: list[_Values] = [np.empty(0) for _ in turn.actions]
    left = [*range(len(turn.actions))]
    budget = rounds_of(len(left)) * most / _ROUND
    last = _LAST
    apart, tried = 0.25, 0  # as if a quarter of a world were off by a whole score
    while True:
        worlds = max(last if len(left) == 2 else least, math.ceil(most / _ROUND / len(left)))
        found = np.asarray(trial(left, worlds))
        budget -= worlds * len(left)
        apart += float(((found - found[:, [left.index(turn.chosen)]]) ** 2).sum())
        tried += worlds * (len(left) - 1)
        for column, index in enumerate(left):
            scores[index] = np.concatenate((scores[index], found[:, column]))
        ranked = sorted(left, key=lambda index: (index != turn.chosen, -scores[index].mean()))
        if len(left) == 2:
            break
        half = max(2, math.ceil(len(left) / 2))
        if bool((found == found[:, :1]).all()):
            half, last, most = 2, _LEAST, 0  # more worlds would hardly tell more
        elif least * half + 2 * _LAST > budget:
            half = 2
        left = sorted(ranked[:half])
    gains = scores[ranked[1]] - scores[turn.chosen]
    count, mean = len(gains), float(gains.mean())
    squares = float(((gains - mean) ** 2).sum())
    suspect = mean > math.sqrt(squares / (count - 1) / count)
    spread = math.sqrt((squares + _PRIOR * apart / tried) / (count + _PRIOR))
    return Screened(scores, ranked[1], mean, spread, suspect)


def _estimate(values: _Values, doubt: float) -> tuple[float, float]:
    """The mean of some values, and the margin of error that it exceeds with the probability `doubt`."""
    count = len(values)
    mean = float(values.mean())
    if count == 1:
        return mean, 1.0
    spread = float(((values - mean) ** 2).sum()) + 1.0  # one world more, off by a whole score
    error = quantile(doubt / 2, count - 1) * math.sqrt(spread / (count - 1) / count)
    return mean, min(error, 1.0)


def kind_of(action: Action) -> str:
    """The kind of an action in words, and what it leaves empty: `steal`, or `place without guard`."""
    fields = action._asdict()  # type: ignore[attr-defined]  # every action is a named tuple
    empty = [name for name, value in fields.items() if value is None or value == ()]
    kind = action.kind.replace("_", " ")
    return f"{kind} without {' and '.join(empty)}" if empty else kind


def difference_of(chosen: Action, better: Action) -> str:
    """What a better action does otherwise: `play instead of steal`, `place without guard instead of with`, or
    `place with the wrong base`."""
    kinds = kind_of(chosen), kind_of(better)
    if kinds[0] != kinds[1]:
        if kinds[0].startswith(f"{kinds[1]} without "):
            return f"{kinds[0]} instead of with"
        if kinds[1].startswith(f"{kinds[0]} without "):
            return f"{kinds[1].replace(' without ', ' with ')} instead of without"
        return f"{kinds[0]} instead of {kinds[1]}"
    fields = chosen._asdict(), better._asdict()  # type: ignore[attr-defined]  # as above
    other = [name for name in fields[0] if fields[0][name] != fields[1][name]]
    return f"{kinds[0]} with the wrong {' and '.join(other)}"
