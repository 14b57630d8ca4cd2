"""What a tournament had come to when something was decided about it: whether the decision follows from that.

For a verification, which meets results and decisions in the order in which they
were stored; in memory that grows with the matches, but not with the games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from arena.formats.changes import Progress, TooLate
from arena.formats.stage import Stage
from arena.results import GameResult, MatchKey
from arena.table.deal import CONTRIBUTION_BYTES, pledge_of
from arena.tournament.course import Course
from arena.tournament.decisions import Admit, Annul, Contain, Contribute, Decision, Extend, Withdraw
from arena.tournament.plan import Plan
from arena.tournament.scoreboard import half_of_matches
from arena.tournament.void_boards import VoidBoards

_SOURCES = ("bot", "address", "join")


class SoFar:
    """What was played and decided of a tournament up to some entry of the hash chain.

    Args:
        plan: the tournament.
        entrants: how many there were when it began.
        void: all boards that are void in the end.
    """

    def __init__(self, plan: Plan, entrants: int, void: VoidBoards) -> None:
        self._plan = plan
        self._entrants = entrants
        self._decisions: list[Decision] = []
        self._course = Course(plan, entrants)  # which is told nothing: only the decisions shape it
        self._void_in_the_end = void
        self._games = Counter[MatchKey]()  # that count by now
        self._void_later = Counter[tuple[MatchKey, str, int]]()  # those on boards that are void in the end
        self._players: dict[MatchKey, tuple[int, ...]] = {}

    def add(self, result: GameResult) -> None:
        """A game was stored."""
        key = result.key
        self._games[key.match_key] += 1
        self._players.setdefault(key.match_key, tuple(seat.entrant for seat in result.seats))
        if self._void_in_the_end.has_game(key):
            self._void_later[key.match_key, key.game, key.board] += 1

    def decide(self, decision: Decision) -> Iterator[str]:
        """Takes up a decision that was stored; before, what is wrong with it."""
        match decision:
            case Withdraw():
                yield from self._withdrawal(decision)
            case Extend():
                yield from self._extension(decision)
            case Admit():
                yield from self._admission(decision)
            case Annul():
                for stage, round_, match, game, board, _ in decision.boards:
                    key = MatchKey(stage, round_, match)
                    self._games[key] -= self._void_later.pop((key, game, board), 0)
            case Contain() if len(decision.levels) != self._course.entrants:
                yield f"it is about {len(decision.levels)} bots, and there were {self._course.entrants}"
            case Contribute():
                yield from self._contribution(decision)
        self._decisions.append(decision)
        self._course = Course(self._plan, self._entrants, self._decisions)

    def _contribution(self, decision: Contribute) -> Iterator[str]:
        if self._games or self._decisions:
            yield "it is not the first thing after the beginning of the tournament"
        if not len(decision.pledges) == len(decision.contributions) == self._entrants:
            yield f"it is not about the {self._entrants} entrants that there were"
        for number, given in decision.given.items():
            if len(given) != CONTRIBUTION_BYTES or pledge_of(given) != decision.pledged.get(number):
                yield f"the bytes of entrant {number} are not those that it had pledged"

    def _withdrawal(self, decision: Withdraw) -> Iterator[str]:
        if not 0 <= decision.stage < len(self._plan.stages):
            yield f"there is no stage {decision.stage + 1}"
            return
        if not 0 <= decision.entrant < self._course.entrants:
            yield f"there is no entrant {decision.entrant}"
            return
        stage = self._course.shape(decision.stage)
        if not 0 <= decision.round <= (stage.round_count if stage.pairs_by_score else 0):
            yield f"it holds from round {decision.round + 1} on, which cannot be"
        played = self._matches_played(decision.stage, decision.entrant)
        # Who is in a later stage, and in which of its groups, is not known here.
        possible = (decision.entrant,) if decision.stage == 0 else stage.entrants
        halves = {half_of_matches(stage, entrant) for entrant in possible}
        if decision.annulled not in {stage.annuls_withdrawn and played < half for half in halves}:
            yield f"it does not follow from the {played} matches that entrant {decision.entrant} had played"

    def _extension(self, decision: Extend) -> Iterator[str]:
        if not 0 <= decision.stage < len(self._plan.stages):
            yield f"there is no stage {decision.stage + 1}"
            return
        if min(decision.cycles, decision.boards) < 0 or decision.cycles == decision.boards == 0:
            yield f"it adds {decision.cycles} cycles and {decision.boards} boards"
        if decision.cycles and not self._plan.stages[decision.stage].can_be_longer:
            yield f"stage {decision.stage + 1} has no cycles"
        stage = self._course.shape(decision.stage)
        last = stage.round_count - 1 if decision.boards and stage.depends_on_results else 0
        if not 0 <= decision.round <= last:
            yield f"it holds from round {decision.round + 1} on, which cannot be"
        if self._begun_after(decision.stage, decision.round if stage.depends_on_results else None):
            yield "what comes after what it extends had begun by then"

    def _admission(self, decision: Admit) -> Iterator[str]:
        if decision.entrant != self._course.entrants:
            yield f"it admits entrant {decision.entrant}, but the next one was {self._course.entrants}"
        if decision.how not in _SOURCES:
            yield f"nobody comes as {decision.how!r}"
        if self._begun_after(0, None):
            yield "the first stage was over by then"
            return
        stage = self._course.shape(0)
        try:
            least = self._plan.stages[0].late_from(stage, self._progress(stage))
        except TooLate as why:
            yield f"the tournament {why}"
            return
        last = len(stage.cycle_ends) or stage.round_count
        if not least <= decision.since < last:
            yield f"it holds from cycle or round {decision.since + 1} on, which cannot be"

    def _progress(self, stage: Stage) -> Progress:
        """How far the first stage was at the least, by what was stored: walkovers are not in that."""
        begun = max((key.round + 1 for key in self._games if key.stage == 0), default=0)
        over = 0
        if not stage.depends_on_results:
            while over < begun and (round_ := stage.round(over, {})) is not None:
                if not all(self._is_over(match.key) for match in round_.matches):
                    break
                over += 1
        return Progress(over, begun)

    def _begun_after(self, stage: int, round_: int | None) -> bool:
        """Whether anything was played of a later stage or, where a round is given, a later round of this."""
        return any(
            key.stage > stage or (round_ is not None and key.stage == stage and key.round > round_)
            for key, games in self._games.items()
            if games
        )

    def _matches_played(self, stage: int, entrant: int) -> int:
        return sum(
            key.stage == stage and entrant in players and self._is_over(key)
            for key, players in self._players.items()
        )

    def _is_over(self, key: MatchKey) -> bool:
        """Whether a match was played to its end, but for extra boards, which come after all others."""
        games = self._course.tally.boards_of(key) * len(self._plan.games) * len(self._players.get(key, ()))
        return 0 < games <= self._games[key]
