"""Who meets whom on a ladder: the matches whose results change the order of the bots most.

What counts is the loss from a wrong order: how far apart two bots are that stand in the wrong order. A match
is worth what it is expected to take off that loss.

**Strengths.** One strength a bot, in logits (400 points of a rating are odds of 10 to 1), by a Bradley-Terry
fit to the mean scores of matches. A strength is pulled to 0 as by a normal prior with `SPREAD`, and that of a
next version to the strength of its predecessor with `NEAR`. A match counts as so many games as its score
varies like (`Planner.worth`). The matrix of variances is that of the fit, with the matches that are paired
but not used yet: their information is known beforehand, their results are not. A bot that is gone leaves the
fit when its last match is used: what its matches told about the others becomes a normal prior of theirs (the
likelihood is approximated by a normal one at the strengths of that moment). So the time for a round depends
on the bots that are there, and not on those that ever were. The fit of ratings
(`arena/standings/bradley_terry.py`) is another one: it has a correction instead of priors, and its figures
may change with the arena. The rounds of a stored ladder must not.

**The gain** of a match between two bots whose strengths differ by d, with the standard error s of that
difference, z = |d| / s, and the information I of a match:

    u * phi(z) * s * (1 - 1 / sqrt(1 + I * s * s))

phi is the normal density. To first order this is by how much the match lowers s * (phi(z) - z * Phi(-z)),
the expected loss from a wrong order. u is `TOP_WORTH` if one of the two is among the first `TOP`, else 1. A
match is not worth playing if the difference is known to `CERTAIN`, or if d is more than `SURE` times s, so
that the order is beyond doubt. But a bot with fewer than `RANKED` matches plays in any case.

**A round** has a match for every `SHARE` bots that may play in it. They are chosen one by one, in this order:

1. a bot that has not played for `STARVED` of its turns, against one of the `NEAREST` in strength;
2. bots with fewer than `RANKED` matches, at the best gain;
3. all others, at the best gain; but every `FLOOR`th match is for the bot with the fewest matches, against one
   of the `NEAREST`.

**Turns.** A bot that takes k times as long for a match as the fastest tenth has the pace k. Bots of pace 1
play in about every second round; a bot of a larger pace may play in one of 2k rounds, in which it is mostly
chosen. So each bot has about the same time. A bot whose pace is not known plays its second match when the
result of its first one is used; a next version has the pace of its predecessor. If an author has more bots
than most authors, that author's bots take turns in the same way. A match of a bot of pace k is used
`WINDOW` * k rounds later, whether it is over earlier or not. So a round does not depend on the order in which
matches end, and a slow bot holds up nobody.

Equal gains are decided by fixed numbers that look random, one for each pair and round. They change a gain by
up to one in a thousand, far more than computers differ in rounding. Strengths are rounded before they are
compared, so that equal ones are equal everywhere. So each computer finds the same pairs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from copy import copy
from statistics import median
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.results import MatchResult

WINDOW: Final = 8
"""After so many rounds the result of a match between fast bots is used to pair others."""

MOST_PACE: Final = 64
"""The largest pace."""

RANKED: Final = 10
"""A bot is ranked from so many matches on."""

STARVED: Final = 20
"""A bot that has been passed over for so many of its turns comes first."""

SHARE: Final = 4
"""A round has a match for so many bots."""

LONGEST_TURN: Final = MOST_PACE * SHARE // 2
"""In so many rounds each bot may play at least once."""

FLOOR: Final = 5
"""One in so many matches is for the bot with the fewest."""

NEAREST: Final = 5
"""How many opponents a bot that comes first is matched with, the nearest in strength."""

LEAVING: Final = 16
"""In one of so many rounds, bots that are gone leave the fit."""

SURE: Final = 4.0
"""The order of two bots is beyond doubt if they are so many standard errors apart."""

TOP, TOP_WORTH = 8, 3.0
"""How many bots stand at the top, and how much more their order is worth."""

_LOGIT = math.log(10) / 400  # of one point of a rating
SPREAD, NEAR, CERTAIN = 200 * _LOGIT, 100 * _LOGIT, 35 * _LOGIT
_WIDTH = 1.96  # standard errors of an interval with 95 %
_GAMES, _MATCHES = 10.0, 20.0  # a match counts as so many games until more is known; for so many matches
_FASTEST = 1_000_000  # microseconds of a match; below this, a bot's time costs nobody anything
_STEPS, _EXACT = 50, 1e-11  # of the fit
_DIGITS = 8  # of strengths that are compared: equal bots are equal on each machine
_NEVER = 1 << 62  # a round that never comes

Floats = NDArray[np.float64]


class Bot(NamedTuple):
    """A bot on the ladder.

    Attributes:
        entrant: its number.
        author: its author; empty if unknown, then it has an author of its own.
        replaces: the entrant whose next version it is; None for none.
        since: the first round, from 0, in which it may play.
        gone: the first round without it; None while it stays.
    """

    entrant: int
    author: str
    replaces: int | None
    since: int
    gone: int | None


class Pair(NamedTuple):
    """A match: its bots, the smaller number first, and the pace of the slower one."""

    one: int
    other: int
    pace: int = 1


class Planner:
    """Chooses the matches of a ladder, round after round.

    Args:
        bots: all bots that ever play, in the order of their numbers.
        rounded: whether strengths are rounded before they are compared.
    """

    def __init__(self, bots: Sequence[Bot], *, rounded: bool = True) -> None:
        self._rounded = rounded
        # Of all bots that ever play:
        self._strength = np.zeros(0)  # the last one, of a bot that has left the fit
        self._matches = np.zeros(0, dtype=np.int64)  # paired so far, without those that were given up
        self._used = np.zeros(0, dtype=np.int64)  # the matches whose results were used
        self._pending = np.zeros(0, dtype=np.int64)  # the matches that are paired and not used
        self._timed = np.zeros(0, dtype=np.int64)  # the matches with times
        self._time = np.zeros(0, dtype=np.int64)  # microseconds
        self._last = np.zeros(0, dtype=np.int64)  # the last round in which it played
        # Of the bots in the fit, in the order in which they came:
        self._inside = np.zeros(0, dtype=np.int64)
        self._row: dict[int, int] = {}
        self._won = np.zeros((0, 0))  # the sum of the scores of each against each
        self._played = np.zeros((0, 0))  # and the number of their matches
        self._waiting = np.zeros((0, 0))  # the matches that are paired and not used
        self._pull = np.zeros((0, 0))  # the priors: the matrix, and its product with their mean
        self._push = np.zeros(0)
        self._begun = -1  # the last round that was planned
        self._chosen = 0  # how many matches were chosen when nobody came first
        self._misses, self._chances = _MATCHES / _GAMES / 4, _MATCHES / 4
        self._stale = True
        self._take(bots)

    def following(self, bots: Sequence[Bot]) -> Planner:
        """A planner that goes on after the last round of this one with other bots; this one stays as it is.

        It plans as a new one that is given these bots would, after the same rounds and results.

        Args:
            bots: the bots of this planner and then further ones. Only what is to come may differ.

        Raises ValueError if they differ in what was planned already.
        """
        now = self._begun + 1
        if as_of(self._bots, now) != as_of(bots, now):
            raise ValueError(f"the bots differ before round {now}")
        planner = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray | dict):
                setattr(planner, name, value.copy())
        planner._take(bots)
        return planner

    def _take(self, bots: Sequence[Bot]) -> None:
        more = len(bots) - len(self._strength)
        self._bots = tuple(bots)
        self._place = {bot.entrant: number for number, bot in enumerate(bots)}
        self._before = {
            number: self._place[bot.replaces]
            for number, bot in enumerate(bots)
            if bot.replaces is not None and bot.replaces in self._place
        }
        self._since = np.array([bot.since for bot in bots], dtype=np.int64)
        self._gone = np.array([_NEVER if bot.gone is None else bot.gone for bot in bots], dtype=np.int64)
        for name in ("_strength", "_matches", "_used", "_pending", "_timed", "_time", "_last"):
            setattr(self, name, np.pad(getattr(self, name), (0, more)))
        self._shares = (b"", np.zeros(0, dtype=np.int64))  # a cache: see `_sharing`

    @property
    def fitted(self) -> int:
        """How many bots are in the fit."""
        return len(self._inside)

    @property
    def worth(self) -> float:
        """As many games as a match counts for: the variance of one game, over that of a match."""
        return self._chances / self._misses

    def use(self, pair: Pair, result: MatchResult | None) -> None:
        """Uses the result of a match that was chosen; None if the match was given up."""
        one, other = self._place[pair.one], self._place[pair.other]
        first, second = self._row[one], self._row[other]
        self._waiting[first, second] -= 1
        self._waiting[second, first] -= 1
        for each in (one, other):
            self._pending[each] -= 1
            if result is None:
                self._matches[each] -= 1
            else:
                self._used[each] += 1
        if result is None:
            return
        scores = dict(zip(result.entrants, map(float, result.scores), strict=True))
        chance = 1 / (1 + math.exp(self._strength[other] - self._strength[one]))
        self._misses += (scores[pair.one] - chance) ** 2
        self._chances += chance * (1 - chance)
        for row, column, entrant in ((first, second, pair.one), (second, first, pair.other)):
            self._won[row, column] += scores[entrant]
            self._played[row, column] += 1
        for entrant, time in zip(result.entrants, result.times, strict=False):
            self._time[self._place[entrant]] += time
            self._timed[self._place[entrant]] += 1
        self._stale = True

    def plan(self, number: int) -> list[Pair]:
        """The matches of round `number`, from 0; rounds are asked for in order, each once."""
        came = np.flatnonzero((self._since > self._begun) & (self._since <= number))
        self._begun = number
        if len(came):
            self._enter(came)
        if number % LEAVING == 0:
            self._leave(number)
        here = np.flatnonzero((self._since <= number) & (number < self._gone))
        if len(here) < 2:
            return []
        paces = self._paces(here)
        slower = np.minimum(paces * self._sharing(here), MOST_PACE)
        turns = np.where(slower > 1, slower * SHARE // 2, 1)  # at most LONGEST_TURN
        awake = (number - self._last[here] >= turns) & ~self._unknown(here)
        if awake.sum() < 2:
            return []
        choice = _Round(self, number, here, awake, turns)
        pairs = []
        for one, other in choice.pairs(max(1, round(int(awake.sum()) / SHARE))):
            pace = int(max(paces[one], paces[other]))
            first, second = sorted((int(here[one]), int(here[other])))
            self._waiting[self._row[first], self._row[second]] += 1
            self._waiting[self._row[second], self._row[first]] += 1
            self._pending[[first, second]] += 1
            self._matches[[first, second]] += 1
            self._last[[first, second]] = number
            pairs.append(Pair(self._bots[first].entrant, self._bots[second].entrant, pace))
        return pairs

    def _enter(self, came: NDArray[np.int64]) -> None:
        """Takes bots into the fit, each with its prior."""
        self._last[came] = self._since[came] - 1
        size = len(self._inside)
        self._inside = np.append(self._inside, came)
        self._row |= {each: size + at for at, each in enumerate(came.tolist())}
        for name in ("_won", "_played", "_waiting", "_pull"):
            setattr(self, name, np.pad(getattr(self, name), (0, len(came))))
        self._push = np.pad(self._push, (0, len(came)))
        for each in came.tolist():
            at, before = self._row[each], self._before.get(each)
            if before is None:
                self._pull[at, at] += SPREAD**-2
                continue
            self._pull[at, at] += NEAR**-2
            if (old := self._row.get(before)) is not None:
                self._pull[old, old] += NEAR**-2
                self._pull[at, old] -= NEAR**-2
                self._pull[old, at] -= NEAR**-2
            else:
                self._push[at] += NEAR**-2 * self._strength[before]
        self._stale = True

    def _leave(self, number: int) -> None:
        """Takes bots that are gone out of the fit; what their matches tell becomes a prior of the others."""
        out = (self._gone[self._inside] <= number) & (self._pending[self._inside] == 0)
        if not out.any():
            return
        strength, _ = self._fit()
        stay = ~out
        both = np.ix_(stay, stay)
        chance = _chances(strength)
        played, over = self._played.copy(), self._won - self._played * chance
        played[both] = over[both] = 0.0
        slope = self.worth * over.sum(axis=1) + self._push - self._pull @ strength
        told = _information(self.worth * played * chance * (1 - chance)) + self._pull
        # The strengths of the others, when those that leave are integrated out (the Schur complement).
        carried = np.linalg.solve(told[np.ix_(out, out)], told[np.ix_(out, stay)]).T
        pull = told[both] - carried @ told[np.ix_(out, stay)]
        self._pull = (pull + pull.T) / 2
        self._push = self._pull @ strength[stay] + slope[stay] - carried @ slope[out]
        self._won, self._played, self._waiting = self._won[both], self._played[both], self._waiting[both]
        self._inside = self._inside[stay]
        self._row = {each: at for at, each in enumerate(self._inside.tolist())}

    def _paces(self, here: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pace of each bot that is here; a bot without times has that of its predecessor, or 1."""
        sources = self._sources(here, self._timed)
        timed = self._timed[sources]
        times = np.maximum(_FASTEST, self._time[sources] // np.maximum(timed, 1))
        known = np.sort(times[timed > 0])
        if not len(known):
            return np.ones(len(here), dtype=np.int64)
        paces = np.clip(np.rint(times / known[(len(known) - 1) // 10]), 1, MOST_PACE)
        return np.asarray(paces, dtype=np.int64)

    def _unknown(self, here: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which bots play a match by which their pace will be known."""
        return np.asarray((self._used[self._sources(here, self._used)] == 0) & (self._pending[here] > 0))

    def _sources(self, here: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each bot its newest predecessor, or itself, about which something is known; else the oldest."""
        sources = here.copy()
        for at in np.flatnonzero(known[here] == 0).tolist():
            each = int(here[at])
            while not known[each] and each in self._before:
                each = self._before[each]
            sources[at] = each
        return sources

    def _sharing(self, here: NDArray[np.int64]) -> NDArray[np.int64]:
        """Among how many bots of its author each bot takes turns."""
        asked = here.tobytes()
        if self._shares[0] != asked:
            authors = [self._bots[each].author or f"entrant {each}" for each in here.tolist()]
            bots = Counter(authors)
            usual = median(bots.values())
            shares = [max(1, math.ceil(bots[author] / usual)) for author in authors]
            self._shares = asked, np.array(shares, dtype=np.int64)
        return self._shares[1]

    def _fit(self) -> tuple[Floats, Floats]:
        """The strengths of the bots in the fit, and the information of all matches, with the priors."""
        strength, worth = self._strength[self._inside], self.worth
        for _ in range(_STEPS if self._stale else 0):
            chance = _chances(strength)
            slope = worth * (self._won - self._played * chance).sum(axis=1)
            slope += self._push - self._pull @ strength
            step = np.linalg.solve(
                _information(worth * self._played * chance * (1 - chance)) + self._pull, slope
            )
            strength = strength + np.clip(step, -2.0, 2.0)
            if np.abs(step).max() < _EXACT:
                break
        self._strength[self._inside], self._stale = strength, False
        chance = _chances(strength)
        known = (self._played + self._waiting) * worth * chance * (1 - chance)
        return strength, _information(known) + self._pull


class _Round:
    """The choice of the matches of one round; all indices are those of the bots that are here."""

    def __init__(
        self,
        planner: Planner,
        number: int,
        here: NDArray[np.int64],
        awake: NDArray[np.bool_],
        turns: NDArray[np.int64],
    ) -> None:
        strength, information = planner._fit()
        self._planner = planner
        rows = np.array([planner._row[each] for each in here.tolist()])
        self._variance = np.linalg.inv(information)[np.ix_(rows, rows)]
        strength = np.round(strength[rows], _DIGITS) if planner._rounded else strength[rows]
        self._apart = np.abs(strength[:, None] - strength[None, :])
        chance = 1 / (1 + np.exp(self._apart))
        self._told = planner.worth * chance * (1 - chance)  # the information of a match
        self._free = awake.copy()
        self._matches = planner._matches[here].copy()
        top = np.zeros(len(here), dtype=bool)
        top[np.lexsort((here, -strength))[:TOP]] = True
        self._worth = np.where(top[:, None] | top[None, :], TOP_WORTH, 1.0) * (
            1 + 1e-3 * _noise(here, number)
        )
        self._met = (planner._played + planner._waiting)[np.ix_(rows, rows)]
        waited = number - planner._last[here]
        self._starved = [
            each for each in np.argsort(-waited, kind="stable") if waited[each] > STARVED * turns[each]
        ]

    def pairs(self, most: int) -> list[tuple[int, int]]:
        """The pairs, at most so many; fewer if no more are worth playing."""
        found: list[tuple[int, int]] = []
        while len(found) < most and (pair := self._next()) is not None:
            one, other = pair
            found.append(pair)
            self._free[[one, other]] = False
            self._matches[[one, other]] += 1
            row = self._variance[:, one] - self._variance[:, other]
            told = float(self._told[one, other])
            spread = float(row[one] - row[other])
            self._variance -= told / (1 + told * spread) * np.outer(row, row)
        return found

    def _next(self) -> tuple[int, int] | None:
        gains = self._gains()
        for each in self._starved:
            if self._free[each] and (pair := self._near(int(each), gains)) is not None:
                return pair
        new = self._free & (self._matches < RANKED)
        if new.any() and (pair := _best(np.where(new[:, None] | new[None, :], gains, 0.0))) is not None:
            return pair
        self._planner._chosen += 1
        if self._planner._chosen % FLOOR == 0:
            for each in np.lexsort((self._worth.sum(axis=1), self._matches)):
                if self._free[each] and (pair := self._near(int(each), gains)) is not None:
                    return pair
        return _best(gains)

    def _gains(self) -> Floats:
        """What each match is worth; 0 for those that cannot be played now, or are not worth playing."""
        own = np.diag(self._variance)
        error = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * self._variance, 1e-12))
        density = np.exp(-0.5 * (self._apart / error) ** 2) / math.sqrt(2 * math.pi)
        gains: Floats = self._worth * density * error * (1 - 1 / np.sqrt(1 + self._told * error**2))
        new = self._matches < RANKED
        gains = np.maximum(gains, 1e-300)  # bots far apart are still worth a match, if nothing else is
        known = (_WIDTH * error < CERTAIN) | (self._apart > SURE * error)
        gains[known & ~new[:, None] & ~new[None, :]] = 0.0
        gains[~self._free, :] = 0.0
        gains[:, ~self._free] = 0.0
        np.fill_diagonal(gains, 0.0)
        return gains

    def _near(self, each: int, gains: Floats) -> tuple[int, int] | None:
        """A bot against one of the nearest: the one that it has met least."""
        possible = [int(other) for other in np.flatnonzero(gains[each])]
        nearest = sorted(
            possible, key=lambda other: (self._apart[each, other] / self._worth[each, other], other)
        )
        if not nearest:
            return None
        return each, min(nearest[:NEAREST], key=lambda other: self._met[each, other])


def _best(gains: Floats) -> tuple[int, int] | None:
    """The pair with the largest gain; None if no match is worth playing."""
    one, other = divmod(int(np.argmax(gains)), len(gains))
    return (one, other) if gains[one, other] > 0 else None


def as_of(bots: Sequence[Bot], number: int) -> list[tuple[int, Bot]]:
    """What the rounds before round `number` depend on: the bots that were there by then, and their places."""
    return [
        (place, bot._replace(gone=None if bot.gone is None or bot.gone >= number else bot.gone))
        for place, bot in enumerate(bots)
        if bot.since < number
    ]


def _chances(strength: Floats) -> Floats:
    """The chance of each bot against each."""
    chances: Floats = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    return chances


def _information(known: Floats) -> Floats:
    """The information of matches about all strengths, from that of each pair about its difference."""
    return np.asarray(np.diag(known.sum(axis=1)) - known)


def _noise(here: NDArray[np.int64], number: int) -> Floats:
    """A number from 0 to 1 for each pair and round, the same for both orders (splitmix64)."""
    low, high = np.minimum(here[:, None], here[None, :]), np.maximum(here[:, None], here[None, :])
    with np.errstate(over="ignore"):
        mixed = (low.astype(np.uint64) << np.uint64(32)) + high.astype(np.uint64)
        mixed += np.uint64(0x9E3779B97F4A7C15) * np.uint64(number + 1)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    noise: Floats = mixed.astype(np.float64) / 2.0**64
    return noise
