"""The course of a tournament: goes through the schedule, and gives out the games that are due.

A course is made from the plan and all rulings so far, and gets the results. Its
state depends only on the plan, the results and the rulings, and not on their order.
So it is the same whether a tournament is played, resumed, displayed or verified.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from arena.comparison.comparison import REPEATED
from arena.formats.format import Progress, ResultsMissing, Round, Stage
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
        """The identity of the news in its tournament."""
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
"""While so many matches wait for busy entrants, no further ones are considered."""


class Due(NamedTuple):
    """A game that may be played now, with its entrants by seat."""

    key: GameKey
    players: tuple[int, ...]


class Unexpected(ValueError):
    """The result is not of a game that was due."""


class _OpenMatch:
    """A match that is being played: its games without a result, and those that were not given out."""

    __slots__ = ("left", "match", "ready")

    def __init__(self, match: Match, left: set[GameKey], ready: deque[Due]) -> None:
        self.match = match
        self.left = left
        self.ready = ready


class Course(Scoreboard):
    """The course of a tournament: its standings, and the games that are due.

    Args:
        plan: the tournament.
        effects: the effects of all rulings about it.
        playing: games that already run; they are not due if the schedule still
            has them with these entrants.
        before: the course of the same ladder before further rulings, if there is one. This
            course goes on with its tally and its rounds, so no result needs to be told again.
            `before` must not be used any more.
    """

    def __init__(
        self, plan: Plan, effects: Effects, playing: Collection[Due] = (), before: Course | None = None
    ) -> None:
        super().__init__(plan, effects)
        self._seatings: list[Seatings] = []  # of each stage
        self._playing = set(playing)
        self._news: list[News] = []
        self._order: Sequence[int] = ()  # of the rounds of the stage, in which they are paired
        self._round = 0  # how many rounds are paired
        self._paired = 0  # the same of the courses before this one
        self._pairing: Iterator[Match] = iter(
            ()
        )  # the matches of the last paired round that are still to come
        self._open: dict[MatchKey, _OpenMatch] = {}
        self._waiting = Backlog[Match]()  # matches with games to be given out
        self._begin_stage(range(effects.first_entrants))
        if before is not None:
            self._go_on_after(before)

    def _go_on_after(self, before: Course) -> None:
        self.tally = before.tally
        if self.stages[-1].take_over(before.stages[-1]):
            pairing = list(before._pairing)  # what is left of the last round
            before._pairing = iter(pairing)
            keys = [*before._open, *(match.key for match in [*before._waiting, *pairing])]
            self._round = min((key.round for key in keys), default=before._round)
            self._paired = max(before._paired, before._round)

    # --- What happens ---

    def add(self, result: GameResult) -> None:
        """Adds the result of a game that was due. Raises Unexpected."""
        open_match = self._open.get(result.key.match_key)
        if open_match is None or not self.expects(result):
            raise Unexpected(f"game {result.key} is not one that is to be played now")
        self.tell(result)
        open_match.left.remove(result.key)
        if not open_match.left:
            del self._open[result.key.match_key]
            if self._plan_match(open_match.match):
                self._waiting.add(open_match.match, open_match.match.entrants)
            if (over := self.tally.result(open_match.match.key)) and open_match.match.key not in self._open:
                self._news.append(MatchOver(open_match.match, over, walkover=False))

    def advance_stages(self) -> None:
        """Goes on to the present stage; to be called when all stored results were added to the tally."""
        while True:
            stage = self.stages[-1]
            if stage.endless:
                break
            if stage.depends_on_results or (self.withdrawn and not self.plan.stages[stage.number].compares):
                self._walk_over(stage)
            if not self.is_over(stage) or len(self.stages) == len(self.plan.stages):
                break
            self._begin_stage(self.advancing(stage))
        self._catch_up()

    def take(self, busy: Container[int] = ()) -> Due | None:
        """The next due game in the order of the schedule; None if there is none at the moment.

        Each game is given out once. It stays due until its result is added.

        Args:
            busy: entrants whose games cannot be played now. Their games are skipped, and
                later matches of the schedule are considered.
        """
        if self.paused or self.ended:
            return None
        while (entry := self._waiting.take(busy, self._next_matches)) is not None:
            match = entry.item
            if match.key in self._open or self._plan_match(match):
                ready = self._open[match.key].ready
                due = ready.popleft()
                if ready:
                    self._waiting.put_back(entry)
                return due
        return None

    def expects(self, result: GameResult) -> bool:
        """Whether a result may be added: its game is due, with these entrants."""
        return self._is_open(Due(result.key, tuple([seat.entrant for seat in result.seats])))

    def _is_open(self, due: Due) -> bool:
        open_match = self._open.get(due.key.match_key)
        return (
            open_match is not None
            and due.key in open_match.left
            and all(
                open_match.match.entrants[position] == player
                for position, player in zip(due.key.seating, due.players, strict=True)
            )
        )

    def news(self) -> list[News]:
        """The news since the last call, in order."""
        news, self._news = self._news, []
        return news

    # --- How far it is ---

    @property
    def games(self) -> int:
        """The number of all games, played or to come; extra boards count when they come due.

        For a comparison that may stop early it is an estimate. On a ladder, only paired matches count.
        """
        if self.plan.compares:
            (stage,) = self.stages
            left = self.comparison.boards_left(stage.round_count, self._given_up(stage), as_it_looks=True)
            return self.tally.played + stage.seats * left
        if self.plan.endless:
            begun = sum(len(each.left) for each in self._open.values())
            waiting = [match for match in self._waiting if match.key not in self._open]
            return self.tally.played + begun + sum(2 * self._on_each_seat(match.key) for match in waiting)
        extra = sum(self._is_extra(key) for open_match in self._open.values() for key in open_match.left)
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
        """How many regular games a match has for each of its seats."""
        return self.tally.boards_of(match) * len(self.plan.games)

    @cached_property
    def _planned(self) -> int:
        """How many regular games all stages have, including later ones."""
        stages = [*self.stages, *map(self.shape, range(len(self.stages), len(self.plan.stages)))]
        boards = self.plan.boards * sum(stage.seat_count for stage in stages)
        for number, added in self.effects.added.items():
            for first, more in added:
                boards += more * (stages[number].seat_count - self._seats_before(stages[number], first))
        return boards * len(self.plan.games)

    def _seats_before(self, stage: Stage, number: int) -> int:
        """How many seats the matches before a round of a stage have together; these rounds are paired."""
        return sum(
            len(match.entrants) for each in islice(self.rounds(stage), number) for match in each.matches
        )

    def games_left(self) -> int:
        """How many games are left, as far as known: without future extra boards."""
        return 0 if self.ended else max(0, self.games - self.tally.played)

    def progress(self, stage: Stage) -> Progress:
        """The progress of a stage that has begun; a round counts as begun when a game of it was given out."""
        over = 0
        begun = max((key.round + 1 for key in self._open if key.stage == stage.number), default=0)
        if stage.endless:
            return Progress(0, max(begun, self._round, self._paired, self.tally.rounds_begun))
        for number, round_ in enumerate(self.rounds(stage)):
            keys = [match.key for match in round_.matches]
            if over == number and all(self.tally.result(key) for key in keys):
                over += 1
            if begun <= number and any(map(self.tally.has_begun, keys)):
                begun = number + 1
        return Progress(over, begun)

    # --- Going through the schedule ---

    def _catch_up(self) -> None:
        """Goes on to the matches of the games that already run, as their results may come now.

        Games that are not found do not count; if they come due later, they are played again.
        """
        ahead = {due.key.match_key for due in self._playing}
        while ahead and (match := self._next_paired()) is not None:
            if self._plan_match(match) if match.key in ahead else self._is_to_come(match):
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
        """The next match with games to be given out, and its entrants; empty if there is none now.

        The matches of a late bot come together, so that they can be played at the same time.
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
        """Whether the next match has games to be given out.

        Only a match with results is planned for this. Others are planned when their first game is taken,
        to save memory.
        """
        if self.tally.result(match.key) is None and not self._lacks_entrant(match):
            return True
        return self._plan_match(match)

    def _next_paired(self) -> Match | None:
        """The next match of the schedule; None if none can be paired now."""
        while (match := next(self._pairing, None)) is None:
            if not self._go_on():
                return None
        return match

    def _go_on(self) -> bool:
        """Pairs the next round, or begins the next stage; returns whether it could."""
        stage = self.stages[-1]
        under_way = self._open or self._waiting
        waits = stage.depends_on_results and not stage.endless
        if under_way and (waits or self._round == len(self._order)):
            return False
        if self.comparison.settled and self._round >= REPEATED:
            return False
        number = self._order[self._round] if self._round < len(self._order) else stage.round_count
        try:
            round_ = stage.round(number, self.results_for_pairing(stage))
        except ResultsMissing:
            if stage.endless:
                return False
            raise
        if round_ is not None:
            self._count_unplayed(stage, number, round_)
            self._round += 1
            self._pairing = iter(round_.matches)
            if round_.matches or not stage.endless:
                self._news.append(RoundBegan(stage, round_))
            return True
        if len(self.stages) == len(self.plan.stages):
            return False
        self._begin_stage(self.advancing(stage))
        return True

    def _plan_match(self, match: Match) -> bool:
        """Plans the rest of a match: its games, an extra board, or nothing more.

        Returns whether there are games to be given out.
        """
        regular = self.tally.boards_of(match.key)
        boards = range(regular)
        while True:
            left = self._left(match, boards)
            if left and self._walk_over_match(match):
                return False
            if left:
                ready = deque(due for due in left if due not in self._playing)
                self._open[match.key] = _OpenMatch(match, {due.key for due in left}, ready)
                return bool(ready)
            if self.is_decided(match):
                return False
            result = self.tally.result(match.key)
            assert result is not None
            extra = regular + len(result.extra)
            boards = range(extra, extra + 1)

    def _left(self, match: Match, boards: range) -> list[Due]:
        """The games of some boards that have no result, in playing order."""
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
        """Counts the byes and absences of a round, in formats that count them."""
        if stage.pairs_by_score:
            for entrant in round_.byes:
                self.tally.add_unplayed(stage.number, number, entrant, won=True)
            for entrant in round_.absent:
                self.tally.add_unplayed(stage.number, number, entrant, won=False)

    def _walk_over_match(self, match: Match) -> bool:
        """Counts an unfinished match as a walkover, if it is one; returns whether it is."""
        if not self.is_walkover(match):
            return False
        one, other = match.entrants
        # The one that stayed longer wins, so that a later ruling does not change an earlier walkover.
        order = list(self.withdrawn)
        winner = max((one, other), key=lambda each: order.index(each) if each in order else len(order))
        self.tally.add_walkover(match.key, (one, other), winner)
        result = self.tally.result(match.key)
        assert result is not None
        self._news.append(MatchOver(match, result, walkover=True))
        return True


def _last_match(stage: Stage) -> MatchKey:
    """The key of the match in a stage's last round, which some formats play only after some results."""
    return MatchKey(stage.number, stage.round_count - 1, 0)
