"""The course of a tournament: which games may be played now, and what has just happened.

A course is made of the plan and of all rulings so far, is told the results
that there are, and gives out the games that are due. What it comes to depends
on the plan, the results and the rulings alone, not on their order; so it is
the same whether a tournament is played, resumed, looked at or verified.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from arena.comparison.comparison import REPEATED
from arena.formats.format import Progress, Round, Stage
from arena.formats.seating import Seatings
from arena.results import GameKey, GameResult, Match, MatchKey, MatchResult
from arena.tournament.backlog import Backlog
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.scoreboard import Scoreboard


class StageBegan(NamedTuple):
    """A stage begins."""

    stage: Stage

    @property
    def key(self) -> tuple[int | str, ...]:
        """Which news this is among all of a tournament."""
        return (self.stage.number,)


class RoundBegan(NamedTuple):
    """A round is paired."""

    stage: Stage
    round: Round

    @property
    def key(self) -> tuple[int | str, ...]:
        """See `StageBegan`."""
        return self.stage.number, self.round.label


class MatchOver(NamedTuple):
    """A match is over, played or by a walkover."""

    match: Match
    result: MatchResult
    walkover: bool

    @property
    def key(self) -> tuple[int | str, ...]:
        """See `StageBegan`."""
        return self.match.key


News = StageBegan | RoundBegan | MatchOver


_MOST_WAITING = 10_000
"""So many matches may wait for entrants that are busy before no further ones are looked at."""


class Due(NamedTuple):
    """A game that may be played: which, and the entrants by seat."""

    key: GameKey
    players: tuple[int, ...]


class Unexpected(ValueError):
    """A result that does not belong to a game that was due."""


class _Open:
    """A match that is being played: its games without a result, and those of them to be given out."""

    __slots__ = ("left", "match", "ready")

    def __init__(self, match: Match, left: set[GameKey], ready: deque[Due]) -> None:
        self.match = match
        self.left = left
        self.ready = ready


class Course(Scoreboard):
    """A tournament in its course: how it stands, and what is to be played next.

    Args:
        plan: the tournament.
        effects: what all rulings about it mean.
        playing: games that are being played already, which are not due, as
            long as they are to be played by these entrants.
    """

    def __init__(self, plan: Plan, effects: Effects, playing: Collection[Due] = ()) -> None:
        super().__init__(plan, effects)
        self._seatings: list[Seatings] = []  # of each stage
        self._playing = set(playing)
        self._news: list[News] = []
        self._order: Sequence[int] = ()  # the rounds of the stage, in the order in which they are paired
        self._round = 0  # how many of them are paired
        self._pairing: Iterator[Match] = iter(())  # the matches of the last of them that are still to come
        self._open: dict[MatchKey, _Open] = {}
        self._waiting = Backlog[Match]()  # matches with games to be given out
        self._begin_stage(range(effects.first_entrants))

    # --- What happens ---

    def add(self, result: GameResult) -> None:
        """Counts a game that was due. Raises Unexpected."""
        open_ = self._open.get(result.key.match_key)
        if open_ is None or not self.expects(result):
            raise Unexpected(f"game {result.key} is not one that is to be played now")
        self.tell(result)
        open_.left.remove(result.key)
        if not open_.left:
            del self._open[result.key.match_key]
            if self._look_at(open_.match):
                self._waiting.add(open_.match, open_.match.entrants)
            if (over := self.tally.result(open_.match.key)) and open_.match.key not in self._open:
                self._news.append(MatchOver(open_.match, over, walkover=False))

    def settle(self) -> None:
        """Goes on to the stage that the results in the tally lead to: to be called when they were told it."""
        while True:
            stage = self.stages[-1]
            if stage.depends_on_results or (self.withdrawn and not self.plan.stages[stage.number].compares):
                self._walk_over(stage)
            if not self.is_over(stage) or len(self.stages) == len(self.plan.stages):
                break
            self._begin_stage(self.advancing(stage))
        self._catch_up()

    def take(self, busy: Container[int] = ()) -> Due | None:
        """The next game that is due, in the order of the schedule; None where none is at the moment.

        Each is given out once. It stays due until its result is added.

        Args:
            busy: entrants whose games are not due now. As long as the order of the schedule
                has only such games, matches further on are looked at.
        """
        if self.paused or self.ended:
            return None
        while (entry := self._waiting.take(busy, self._next_matches)) is not None:
            match = entry.item
            if match.key in self._open or self._look_at(match):
                ready = self._open[match.key].ready
                due = ready.popleft()
                if ready:
                    self._waiting.put_back(entry)
                return due
        return None

    def expects(self, result: GameResult) -> bool:
        """Whether the result of a game may be added: one that was due, played by those who were to."""
        return self._is_open(Due(result.key, tuple([seat.entrant for seat in result.seats])))

    def _is_open(self, due: Due) -> bool:
        open_ = self._open.get(due.key.match_key)
        return (
            open_ is not None
            and due.key in open_.left
            and all(
                open_.match.entrants[position] == player
                for position, player in zip(due.key.seating, due.players, strict=True)
            )
        )

    def news(self) -> list[News]:
        """What has happened since the last call, in order."""
        news, self._news = self._news, []
        return news

    # --- How far it is ---

    @property
    def games(self) -> int:
        """How many games there are, played or to be played: extra boards count as they come due.

        Of a comparison that stops when it is sure: how many there will be, as it looks.
        """
        if self.plan.compares:
            (stage,) = self.stages
            left = self.comparison.boards_left(stage.round_count, self._given_up(stage), as_it_looks=True)
            return self.tally.played + stage.seats * left
        extra = sum(self._is_extra(key) for open_ in self._open.values() for key in open_.left)
        saved = sum(2 * self._on_each_seat(key) - played for key, played in self.tally.walkovers.items())
        further = sum(
            stage.seats * (self.matches(stage) - stage.match_count) * self._on_each_seat(_last_match(stage))
            for stage in self.stages
        )
        return self._planned + self.tally.extra + extra + further - saved

    def _is_extra(self, key: GameKey) -> bool:
        board = self.void.planned(key.match_key, key.game, key.board)
        return board >= self.tally.boards_of(key.match_key)

    def _on_each_seat(self, match: MatchKey) -> int:
        """How many regular games a match has from each of its seats."""
        return self.tally.boards_of(match) * len(self.plan.games)

    @cached_property
    def _planned(self) -> int:
        """How many regular games all stages have, also those to come."""
        stages = [*self.stages, *map(self.shape, range(len(self.stages), len(self.plan.stages)))]
        boards = self.plan.boards * sum(stage.seat_count for stage in stages)
        for number, added in self.effects.added.items():
            for first, more in added:
                boards += more * (stages[number].seat_count - self._seats_before(stages[number], first))
        return boards * len(self.plan.games)

    def _seats_before(self, stage: Stage, number: int) -> int:
        """How many seats the matches of a stage's rounds before one have together; these are paired."""
        return sum(
            len(match.entrants) for each in islice(self.rounds(stage), number) for match in each.matches
        )

    def games_left(self) -> int:
        """How many games are left, as far as that is known: extra boards are not."""
        return 0 if self.ended else max(0, self.games - self.tally.played)

    def progress(self, stage: Stage) -> Progress:
        """How far a stage that has begun is, as far as is known here: what was given out counts as begun."""
        over = 0
        begun = max((key.round + 1 for key in self._open if key.stage == stage.number), default=0)
        for number, round_ in enumerate(self.rounds(stage)):
            keys = [match.key for match in round_.matches]
            if over == number and all(self.tally.result(key) for key in keys):
                over += 1
            if begun <= number and any(map(self.tally.has_begun, keys)):
                begun = number + 1
        return Progress(over, begun)

    # --- Going through the schedule ---

    def _catch_up(self) -> None:
        """Walks on to the matches of the games that are being played, whose results may come now.

        Those that are not found are played in vain: where they come due later, they are played anew.
        """
        ahead = {due.key.match_key for due in self._playing}
        while ahead and (match := self._next_paired()) is not None:
            if self._look_at(match) if match.key in ahead else self._is_to_come(match):
                self._waiting.add(match, match.entrants)
            ahead.discard(match.key)
        self._playing = set(filter(self._is_open, self._playing))

    def _begin_stage(self, entrants: Sequence[int]) -> None:
        number = len(self.stages)
        changes = self.effects.changes.get(number, ())
        stage = self.plan.stages[number].stage(number, entrants, self.effects.gone_from(number), changes)
        self.stages.append(stage)
        self._seatings.append(self.seatings(stage))
        self._order, self._round, self._pairing = stage.order, 0, iter(())
        self._news.append(StageBegan(stage))

    def _next_matches(self) -> list[tuple[Match, tuple[int, ...]]]:
        """The next match of which there are games to be given out, with its entrants; none where none is now.

        Those that a late bot is to catch up with come together, to be played beside each other.
        """
        found: list[Match] = []
        while len(self._waiting) + len(found) < _MOST_WAITING and (match := self._next_paired()) is not None:
            if not self._is_to_come(match):
                continue
            late = self.stages[-1].newcomer(match.key.round) is not None
            if found and not late:
                self._pairing = chain([match], self._pairing)
                break
            found.append(match)
            if not late:
                break
        return [(match, match.entrants) for match in found]

    def _is_to_come(self, match: Match) -> bool:
        """Whether a match that comes next has games to be given out; what is over is looked at for that.

        What is not is looked at when the first of its games is asked for: its games would take memory.
        """
        if self.tally.result(match.key) is None and not self._lacks_entrant(match):
            return True
        return self._look_at(match)

    def _next_paired(self) -> Match | None:
        """The next match of the schedule; None where none can be paired at the moment."""
        while (match := next(self._pairing, None)) is None:
            if not self._go_on():
                return None
        return match

    def _go_on(self) -> bool:
        """Pairs the next round, or begins the next stage; returns whether that could be done."""
        stage = self.stages[-1]
        under_way = self._open or self._waiting
        if under_way and (stage.depends_on_results or self._round == len(self._order)):
            return False
        if self.comparison.settled and self._round >= REPEATED:
            return False
        number = self._order[self._round] if self._round < len(self._order) else stage.round_count
        round_ = stage.round(number, self.results(stage) if stage.depends_on_results else {})
        if round_ is not None:
            self._count_unplayed(stage, number, round_)
            self._round += 1
            self._pairing = iter(round_.matches)
            self._news.append(RoundBegan(stage, round_))
            return True
        if len(self.stages) == len(self.plan.stages):
            return False
        self._begin_stage(self.advancing(stage))
        return True

    def _look_at(self, match: Match) -> bool:
        """Plans what is to be played of a match: its games, an extra board, or nothing more.

        Returns whether any of it is to be given out.
        """
        regular = self.tally.boards_of(match.key)
        boards = range(regular)
        while True:
            left = self._left(match, boards)
            if left and self._walk_over_match(match):
                return False
            if left:
                ready = deque(due for due in left if due not in self._playing)
                self._open[match.key] = _Open(match, {due.key for due in left}, ready)
                return bool(ready)
            if self.is_decided(match):
                return False
            result = self.tally.result(match.key)
            assert result is not None
            extra = regular + len(result.extra)
            boards = range(extra, extra + 1)

    def _left(self, match: Match, boards: range) -> list[Due]:
        """The games of some boards that were not played, in playing order."""
        if self.is_given_up(match):
            return []
        seats, seatings = len(match.entrants), self._seatings[match.key.stage]
        left = []
        for board in boards:
            orders = [seatings.seating(match.key, seats, board, rotation) for rotation in range(seats)]
            for game in self.plan.games:
                if not self.comparison.wants(match.key.match, game, match.key.round):
                    continue
                number = self.void.played(match.key, game, board)
                for rotation, order in enumerate(orders):
                    key = GameKey(*match.key, game, board, rotation, order)
                    if not self.tally.has(key):
                        players = tuple([match.entrants[position] for position in order])
                        left.append(Due(key._replace(board=number), players))
        return left

    def _walk_over(self, stage: Stage) -> None:
        """Counts the walkovers of all matches of a stage that can be paired."""
        while True:
            known = len(self.results(stage)) if stage.depends_on_results else 0
            for number, round_ in enumerate(self.rounds(stage)):
                self._count_unplayed(stage, number, round_)
                for match in round_.matches:
                    if self.tally.result(match.key) is None:
                        self._walk_over_match(match)
            if not stage.depends_on_results or len(self.results(stage)) == known:
                return

    def _count_unplayed(self, stage: Stage, number: int, round_: Round) -> None:
        """Counts the byes and absences of a round, where they count."""
        if stage.pairs_by_score:
            for entrant in round_.byes:
                self.tally.add_unplayed(stage.number, number, entrant, won=True)
            for entrant in round_.absent:
                self.tally.add_unplayed(stage.number, number, entrant, won=False)

    def _walk_over_match(self, match: Match) -> bool:
        """Counts a match that is not finished as a walkover, where it is one."""
        if not self.is_walkover(match):
            return False
        one, other = match.entrants
        # The one that stayed longer gets it, so that a later ruling does not change an earlier one.
        order = list(self.withdrawn)
        winner = max((one, other), key=lambda each: order.index(each) if each in order else len(order))
        self.tally.add_walkover(match.key, (one, other), winner)
        result = self.tally.result(match.key)
        assert result is not None
        self._news.append(MatchOver(match, result, walkover=True))
        return True


def _last_match(stage: Stage) -> MatchKey:
    """The match of a stage's last round: the one that only some results call for, if there is such."""
    return MatchKey(stage.number, stage.round_count - 1, 0)
