"""The course of a tournament: goes through the schedule, and gives out the games that are due.

A course is made from the plan and all rulings so far, and gets the results. Its
state depends only on the plan, the results and the rulings, and not on their order.
So it is the same whether a tournament is played, resumed, displayed or verified.

`Course` is that of stages that are played to their end. Ladders and comparisons are kinds of it
(`arena.tournament.courses`), which answer some questions in another way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import ClassVar, NamedTuple

from arena.formats.format import Progress, Round, Stage
from arena.formats.seating import Seatings
from arena.results import GameKey, GameResult, Match, MatchKey, MatchResult, Results
from arena.tournament.backlog import Backlog, Hindrances
from arena.tournament.effects import Effects
from arena.tournament.instances import instance_number
from arena.tournament.plan import Plan
from arena.tournament.scoreboard import MatchState, Scoreboard


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
    """A match that is being played: its games without a result, and those that were not given out.

    The latter are listed by the instances that play them (see `Course.take`).
    """

    __slots__ = ("left", "match", "ready")

    def __init__(self, match: Match, left: set[GameKey], ready: dict[int, deque[Due]]) -> None:
        self.match = match
        self.left = left
        self.ready = ready

    @property
    def is_begun(self) -> bool:
        """Whether a game without a result was given out."""
        return sum(map(len, self.ready.values())) < len(self.left)


class _Part(NamedTuple):
    """The games of a match that are played by the same instances of its entrants."""

    match: Match
    instance: int


class Course(Scoreboard):
    """The course of a tournament: its standings, and the games that are due.

    Args:
        plan: the tournament.
        effects: the effects of all rulings about it.
        playing: games that already run; they are not due if the schedule still
            has them with these entrants.

    Attributes:
        matches_stay: why the host cannot change its matches any more, as the end of a sentence about it;
            empty if the host can.
        takes_versions: whether a late entrant may be the next version of an earlier one, which it replaces.
    """

    matches_stay: ClassVar[str] = ""
    takes_versions: ClassVar[bool] = False

    def __init__(self, plan: Plan, effects: Effects, playing: Collection[Due] = ()) -> None:
        super().__init__(plan, effects)
        self._seatings: list[Seatings] = []  # of each stage
        self._playing = set(playing)
        self._news: list[News] = []
        self._order: Sequence[int] = ()  # of the rounds of the stage, in which they are paired
        self._round = 0  # how many rounds are paired
        self._last_paired: Sequence[Match] = ()  # the matches of the last paired round of the stage
        self._pairing: Iterator[Match] = iter(())  # those that are still to come
        self._open: dict[MatchKey, _OpenMatch] = {}
        self._waiting = Backlog[_Part]()  # matches with games to be given out
        self._begin_stage(range(effects.first_entrants))

    # --- What happens ---

    def add(self, result: GameResult) -> None:
        """Adds the result of a game that was due. Raises Unexpected."""
        open_match = self._open.get(result.key.match_key)
        if open_match is None or not self.expects(result):
            raise Unexpected(f"game {result.key} is not one that is to be played now")
        self.tell(Results.of(result))
        open_match.left.remove(result.key)
        if not open_match.left:
            del self._open[result.key.match_key]
            if self._plan_match(open_match.match):
                self._waiting.add_together(self._parts(open_match.match))
            if (over := self.tally.result(open_match.match.key)) and open_match.match.key not in self._open:
                self._tell_news(MatchOver(open_match.match, over, walkover=False))
                if self._may_advance():
                    self.advance_stages()

    def follow(self, results: Iterable[GameResult]) -> bool:
        """Counts results that were stored since, if the course can follow others that play its games.

        Returns whether it can. If not, make it anew of all that is stored.
        """
        return False

    def after(self, effects: Effects, playing: Collection[Due] = ()) -> Course | None:
        """The course after further rulings, with all results; None if they have to be told to a new one.

        `effects`, `playing`: as for a new course. If there is a course, do not use this one any more.
        """
        return None

    def advance_stages(self) -> None:
        """Goes on to the present stage; to be called when all stored results were added to the tally."""
        while True:
            stage = self.stages[-1]
            if stage.depends_on_results or self.effects.withdrawn:
                self._walk_over(stage)
            if not self._begin_next_stage():
                break
        self._catch_up()

    def _may_advance(self) -> bool:
        """Whether walkovers of a further round, or a further stage, may follow from the last result."""
        stage = self.stages[-1]
        if stage.is_in_turn:
            return all(map(self.is_decided, self._last_paired))
        return self.is_over(stage)

    def take(self, busy: Container[int] | Hindrances = ()) -> Due | None:
        """The next due game in the order of the schedule; None if there is none at the moment.

        Each game is given out once. It stays due until its result is added.

        Args:
            busy: entrants whose games cannot be played now, or all hindrances. These games are skipped, and
                later matches of the schedule are considered. If the plan has several instances of a bot,
                each has a number of its own (`instance_number`): the rotation says which ones play a game.
        """
        if self.effects.paused or self.effects.ended:
            return None
        while (entry := self._waiting.take(busy, self._next_parts)) is not None:
            match, instance = entry.item
            if match.key in self._open or self._plan_match(match):
                ready = self._open[match.key].ready.get(instance)
                if ready:
                    due = ready.popleft()
                    if ready:
                        self._waiting.put_back(entry)
                    return due
        return None

    def _parts(self, match: Match) -> list[tuple[_Part, tuple[int, ...]]]:
        """The parts of a match with games to be given out, and the numbers of their instances."""
        planned = self._open.get(match.key)
        instances = range(min(self.plan.instances, len(match.entrants))) if planned is None else planned.ready
        return [
            (_Part(match, each), tuple([instance_number(entrant, each) for entrant in match.entrants]))
            for each in instances
        ]

    @property
    def _waiting_matches(self) -> dict[MatchKey, Match]:
        """The matches with games to be given out, by key."""
        return {part.match.key: part.match for part in self._waiting}

    def expects(self, result: GameResult) -> bool:
        """Whether a result may be added: its game is due, with these entrants."""
        return self.is_due(Due(result.key, tuple([seat.entrant for seat in result.seats])))

    def is_due(self, due: Due) -> bool:
        """Whether a game that was given out is still to be played, with these entrants."""
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

    def _tell_news(self, news: News) -> None:
        self._news.append(news)

    # --- How far it is ---

    @property
    def games(self) -> int:
        """The number of all games, played or to come; extra boards count when they come due."""
        extra = sum(map(self._extra_games, self.stages))
        saved = sum(2 * self._on_each_seat(key) - played for key, played in self.tally.walkovers.items())
        further = sum(
            stage.seats
            * (self._match_count(stage) - stage.match_count)
            * self._on_each_seat(_last_match(stage))
            for stage in self.stages
        )
        return self._planned + extra + further - saved

    @property
    def total(self) -> int | None:
        """The same; None if there is no end of games."""
        return self.games

    @property
    def knows_matches(self) -> bool:
        """Whether it is known beforehand which matches of the present stage are played."""
        return not self.stages[-1].depends_on_results

    def _extra_games(self, stage: Stage) -> int:
        """How many games a stage has on extra boards, with all of the next board of each tied match."""
        if not stage.extra_boards:
            return 0
        games = self.tally.extra_played(stage.number)
        if stage is self.stages[-1]:  # rounds come in turn, so only matches of the last one may be tied
            for match in self._last_paired or [*self.rounds(stage)][-1].matches:
                result = self.tally.result(match.key)
                if self.state(match) is MatchState.TIED and result is not None:
                    games += (len(result.extra) + 1) * len(match.entrants) * len(self.plan.games)
                    games -= self.tally.extra_games(match.key)
        return games

    def _on_each_seat(self, match: MatchKey) -> int:
        """How many regular games a match has for each of its seats."""
        return self.tally.boards_of(match) * len(self.plan.games)

    @cached_property
    def _planned(self) -> int:
        """How many regular games all stages have, including later ones; to be asked when results are told."""
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

    # --- What a comparison asks ---

    @property
    def settled(self) -> bool:
        """Whether all that was asked is answered, so that more boards would change nothing."""
        return False

    @property
    def baselines(self) -> frozenset[str]:
        """The baselines whose luck counts in any games, as far as is known now."""
        return frozenset()

    def wants_luck(self, key: GameKey) -> frozenset[str]:
        """The baselines whose luck in a game counts, as far as is known now."""
        return frozenset()

    def _wants(self, match: MatchKey, game: str) -> bool:
        """Whether a match still needs its boards of a game."""
        return True

    # --- What the host shows ---

    def is_staged(self, match: MatchKey) -> bool:
        """Whether the host shows the results of a match."""
        first = self.plan.reveal
        return first is not None and match.stage >= first

    def hides(self, match: MatchKey) -> bool:
        """Whether nobody may see the results of a match, because the host has not shown it yet."""
        effects = self.effects
        return self.is_staged(match) and not (effects.shows_all or effects.ended or match in effects.shown)

    def to_show(self) -> list[Match]:
        """The hidden matches that can be paired and have anything to show, in the order of the schedule."""
        if self.plan.reveal is None:
            return []
        return [
            match
            for stage in self.stages[self.plan.reveal :]
            for round_ in self.rounds(stage)
            for match in round_.matches
            if self.hides(match.key) and (self.tally.has_begun(match.key) or not self.is_decided(match))
        ]

    @property
    def waits_to_show(self) -> bool:
        """Whether all games are played, and the host has not shown all matches."""
        return self.over and bool(self.to_show())

    def games_left(self) -> int:
        """How many games are left, as far as known: without future extra boards."""
        return 0 if self.effects.ended else max(0, self.games - self.tally.played)

    def progress(self, stage: Stage) -> Progress:
        """The progress of a stage that has begun; a round counts as begun when a game of it was given out."""
        over, begun = 0, self._rounds_running(stage)
        for number, round_ in enumerate(self.rounds(stage)):
            keys = [match.key for match in round_.matches]
            if over == number and all(self.tally.result(key) for key in keys):
                over += 1
            if begun <= number and any(map(self.tally.has_begun, keys)):
                begun = number + 1
        return Progress(over, begun)

    def _rounds_running(self, stage: Stage) -> int:
        """How many rounds of a stage there are up to the last one with a game that was given out."""
        return max((key.round + 1 for key in self._running if key.stage == stage.number), default=0)

    @property
    def _running(self) -> list[MatchKey]:
        """The matches with games that were given out and have no result."""
        return [key for key, match in self._open.items() if match.is_begun]

    def begun_after(self, stage: int, round_: int | None) -> bool:
        """Whether a game of a later stage was given out or, for a round, of a later round of this stage."""
        if round_ is None and stage + 1 == len(self.plan.stages):
            return False
        played = (key for key, _ in self.tally.begun() if self.tally.walkovers.get(key) != 0)
        return any(
            key.stage > stage or (round_ is not None and key.stage == stage and key.round > round_)
            for key in chain(self._running, played)
        )

    # --- What a ruling means ---

    def leaves_at(self, stage: Stage) -> int:
        """The first round of the present stage, from 0, that is paired without an entrant that leaves now.

        It is 0 in formats that do not pair by score, where withdrawn entrants keep their matches.
        """
        return sum(1 for _ in self.rounds(stage)) if stage.pairs_by_score else 0  # the last may be running

    def may_leave_at(self, stage: Stage) -> range:
        """The rounds of a stage from which on a withdrawal may hold, at most."""
        return range((stage.round_count if stage.pairs_by_score else 0) + 1)

    def void_with(
        self, match: MatchKey, games: Sequence[str], boards: Sequence[int] | None
    ) -> tuple[list[tuple[MatchKey, str, int]], int]:
        """What is void if boards of a match are.

        Args:
            match: the match.
            games: the ids of the games in which they are void.
            boards: the planned numbers of the boards; None for the whole match.

        Returns the void boards, each with its match, game and planned number: first those that are asked for,
        and then those that depend on them. And how many of these boards, in a row, share a fresh one.
        """
        numbers = self._boards(match) if boards is None else boards
        void = [(match, game, board) for game in games for board in numbers]
        if boards is not None:  # extra boards depend on the earlier ones
            extra = range(max(self.plan.boards, max(boards) + 1), len(self._boards(match)))
            void += [(match, game, board) for game in self.plan.games for board in extra]
        by_results = self.stages[match.stage].depends_on_results
        for stage in self.stages[match.stage :]:
            # All that may have begun, including matches without a finished game.
            for key in (paired.key for round_ in self.rounds(stage) for paired in round_.matches):
                if key.stage > match.stage or (by_results and key.round > match.round):
                    void += [(key, game, board) for game in self.plan.games for board in self._boards(key)]
        return void, 1

    def _boards(self, match: MatchKey) -> range:
        """The planned numbers of the boards of a match, including extra boards, even one that may run."""
        result = self.tally.result(match)
        extra = len(result.extra) + 1 if result and self.stages[match.stage].extra_boards else 0
        return range(self.tally.boards_of(match) + extra)

    # --- What a verification asks ---

    def can_have(self, result: GameResult) -> bool:
        """Whether a game may be one of the tournament; a wrong pairing may show only in `must_pair`."""
        return True

    def must_pair(self, stage: Stage) -> dict[MatchKey, tuple[int, ...]]:
        """The matches that the rounds of a stage must have, since they were played, with their entrants."""
        return {key: each.entrants for key, each in self.results(stage).items()}

    # --- Going through the schedule ---

    def _catch_up(self) -> None:
        """Goes on to the matches of the games that already run, as their results may come now.

        Games that are not found do not count; if they come due later, they are played again.
        """
        ahead = {due.key.match_key for due in self._playing}
        while ahead and (match := self._next_paired()) is not None:
            if self._plan_match(match) if match.key in ahead else self._is_to_come(match):
                self._waiting.add_together(self._parts(match))
            ahead.discard(match.key)
        self._playing = set(filter(self.is_due, self._playing))

    def _begin_stage(self, entrants: Sequence[int]) -> None:
        number = len(self.stages)
        changes = self.effects.changes.get(number, ())
        stage = self.plan.stages[number].stage(number, entrants, self.effects.gone_from(number), changes)
        self.stages.append(stage)
        self._seatings.append(self.seatings(stage))
        self._order, self._round = stage.order, 0
        self._last_paired, self._pairing = (), iter(())
        self.__dict__.pop("_planned", None)  # a stage with its entrants may have other matches than its shape
        self._tell_news(StageBegan(stage))

    def _next_parts(self) -> list[tuple[_Part, tuple[int, ...]]]:
        """The parts of the next match with games to be given out; empty if there is none now.

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
        parts = [part for match in found for part in self._parts(match)]
        return sorted(parts, key=lambda part: part[0].instance)

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
        if stage.is_in_turn and not all(map(self.is_decided, self._last_paired)):
            return False
        number = self._order[self._round] if self._round < len(self._order) else stage.round_count
        round_ = stage.round(number, self.results_for_pairing(stage, number))
        if round_ is None:
            return self._begin_next_stage()
        self._count_unplayed(stage, number, round_)
        self._begin_round(round_)
        self._tell_news(RoundBegan(stage, round_))
        return True

    def _begin_round(self, round_: Round) -> None:
        self._round += 1
        self._last_paired, self._pairing = round_.matches, iter(round_.matches)

    def _begin_next_stage(self) -> bool:
        """Begins the next stage if the present one is over and not the last; returns whether it did."""
        stage = self.stages[-1]
        if len(self.stages) == len(self.plan.stages) or not self.is_over(stage):
            return False
        self._begin_stage(self.advancing(stage))
        return True

    def _plan_match(self, match: Match) -> bool:
        """Plans the rest of a match: its games, an extra board, or nothing more.

        Returns whether there are games to be given out.
        """
        boards = range(self.tally.boards_of(match.key))
        match self.state(match):
            case MatchState.WALKOVER:
                self._walk_over_match(match)
                return False
            case MatchState.DECIDED | MatchState.GIVEN_UP:
                return False
            case MatchState.TIED:
                result = self.tally.result(match.key)
                assert result is not None
                extra = len(boards) + len(result.extra)
                boards = range(extra, extra + 1)
        left = self._left(match, boards)
        if not left:  # what a comparison still wanted of it is played
            return False
        ready: dict[int, deque[Due]] = {}
        for due in left:
            if due not in self._playing:
                instance = due.key.rotation if self.plan.instances > 1 else 0
                ready.setdefault(instance, deque()).append(due)
        self._open[match.key] = _OpenMatch(match, {due.key for due in left}, ready)
        return bool(ready)

    def _left(self, match: Match, boards: range) -> list[Due]:
        """The games of some boards that have no result, in playing order."""
        seats, seatings = len(match.entrants), self._seatings[match.key.stage]
        left = []
        for board in boards:
            orders = [seatings.seating(match.key, seats, board, rotation) for rotation in range(seats)]
            for game in self.plan.games:
                if not self._wants(match.key, game):
                    continue
                number = self.effects.void.played(match.key, game, board)
                for rotation, order in enumerate(orders):
                    key = GameKey(*match.key, game, board, rotation, order)
                    if not self.tally.has(key):
                        players = tuple([match.entrants[position] for position in order])
                        left.append(Due(key._replace(board=number), players))
        return left

    def _walk_over(self, stage: Stage) -> None:
        """Counts the walkovers of all matches of a stage that can be paired."""
        while True:
            known = self._decided_of(stage)
            for number, round_ in enumerate(self.rounds(stage)):
                self._count_unplayed(stage, number, round_)
                for match in round_.matches:
                    if self.state(match) is MatchState.WALKOVER:
                        self._walk_over_match(match)
            if not stage.depends_on_results or self._decided_of(stage) == known:
                return

    def _decided_of(self, stage: Stage) -> int:
        """How many matches of a stage have a result, and how many ties a withdrawal has broken."""
        return self.tally.matches_finished(stage.number) + len(self.tally.broken_ties)

    def _count_unplayed(self, stage: Stage, number: int, round_: Round) -> None:
        """Counts the byes and absences of a round, in formats that count them."""
        if stage.pairs_by_score:
            for entrant in round_.byes:
                self.tally.add_unplayed(stage.number, number, entrant, won=True)
            for entrant in round_.absent:
                self.tally.add_unplayed(stage.number, number, entrant, won=False)

    def _walk_over_match(self, match: Match) -> None:
        """Counts a walkover, unless it is counted already.

        Of a tied match the played boards count, and the opponent wins the next extra board.
        """
        result = self.tally.result(match.key)
        if result is not None and result.walkover:
            return
        one, other = match.entrants
        # The one that stayed longer wins, so that a later ruling does not change an earlier walkover.
        order = list(self.effects.withdrawn)
        winner = max((one, other), key=lambda each: order.index(each) if each in order else len(order))
        if result is None:
            self.tally.add_walkover(match.key, (one, other), winner)
        else:
            self.tally.break_tie(match.key, winner)
        result = self.tally.result(match.key)
        assert result is not None
        self._tell_news(MatchOver(match, result, walkover=True))


def _last_match(stage: Stage) -> MatchKey:
    """The key of the match in a stage's last round, which some formats play only after some results."""
    return MatchKey(stage.number, stage.round_count - 1, 0)
