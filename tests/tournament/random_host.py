"""Random tournaments under random hosts: games end in any order, and the host may ask for anything.

All is stored in a real league, with made-up results. After every step the live course, the course that is
made of the file, and the verification must agree, and the laws of matches and stages hold.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import permutations
from pathlib import Path

from arena.formats.bracket import Bracket, BracketMatch
from arena.league.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.stored import course_of, rulings_of, trust_of
from arena.league.tournament_file import parse_plan
from arena.league.verification import Verification
from arena.referee.night.control import Request
from arena.referee.night.host_requests import NewToken, Refused, Ruled, decide, undecided
from arena.results import GameKey, GameResult, Match, MatchKey, SeatResult, cyclic_seating
from arena.table.deal import commitment
from arena.tournament.course import Course, Due
from arena.tournament.courses import ComparisonCourse, LadderCourse, new_course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.rulings import Annul, Extend, Newcomer, Ruling
from arena.tournament.scoreboard import MatchState
from tests.referee.simulation import KEY, play_game

_OPEN = (MatchState.OPEN, MatchState.TIED)
_REQUESTS = (*["withdraw", "admit", "annul", "extend"] * 4, "limit", "pause", "go", "go", "go", "end")
_ALONE = (
    'format = "ladder"\n',
    'format = "comparison"\ncap = 4\nmargin = 15\nerror = 20\ngame_error = 10\n',
    'format = "comparison"\ncap = 3\npairs = "best"\n',
)


def random_plan(rng: random.Random) -> str:
    """The beginning of a tournament file: one stage or several, in any format, at tables of any size."""
    games = rng.sample(["hyrule", "kleftis"], rng.choice([1, 1, 2]))
    if rng.random() < 0.2:
        return f'name = "random"\ngames = {json.dumps(games)}\n[[stage]]\n{rng.choice(_ALONE)}'
    seats = rng.choice([2, 2, 2, 2, 3, 4, 5, 6, 7])
    head = f'name = "random"\ngames = {json.dumps(games)}\nboards = {rng.choice([1, 1, 2])}\n'
    if seats > 2:
        head = head.replace(json.dumps(games), json.dumps(["nur-mut"])) + f"seats = {seats}\n"
    stages = rng.choice([1, 1, 2, 3])
    return head + "".join(_random_stage(rng, seats, first=number == 0) for number in range(stages))


def _random_stage(rng: random.Random, seats: int, first: bool) -> str:
    formats = ["round-robin", "knockout"]
    if seats == 2:
        formats += ["swiss", "double-elimination", "gauntlet", "groups", "knockout"]
    name = rng.choice(formats)
    lines = ["[[stage]]", f'format = "{name}"']
    if name in ("round-robin", "gauntlet", "groups"):
        lines.append(f"cycles = {rng.choice([1, 1, 2])}")
    if name == "groups":
        lines.append("groups = 2")
    if name in ("knockout", "double-elimination"):
        lines.append(f"extra_boards = {rng.choice([0, 1, 2])}")
    if name == "swiss":
        lines.append(f"rounds = {rng.choice([1, 2])}")
    if not first:
        lines.append(f"advance = {max(seats, rng.choice([2, 3, 4]))}")
    return "\n".join(lines) + "\n"


def start(league: League, rng: random.Random) -> RandomHost:
    """A random tournament that begins in a league."""
    while True:
        text, entrants = random_plan(rng), rng.randint(4, 9)
        try:
            plan = parse_plan(text + "[[entrant]]\n" * entrants, Path("random.toml"))
            plan = dataclasses.replace(plan, seating="cyclic")  # to balance the seats would take long
        except ValueError:  # such as too few entrants for its formats
            continue
        return RandomHost(league, plan, text, entrants, rng)


class RandomHost:
    """A tournament in a league with a host who does anything.

    Attributes:
        history: what was done, for people who look for the cause of a failure.
    """

    def __init__(self, league: League, plan: Plan, text: str, entrants: int, rng: random.Random) -> None:
        self.league, self.plan, self.rng = league, plan, rng
        infos = tuple(EntrantInfo(f"bot {number}", "/bots/x") for number in range(entrants))
        info = TournamentInfo(
            plan.name, Path("/random.toml"), text, KEY, commitment(KEY), infos, plan.to_json()
        )
        self.number = league.start_tournament(info)
        self.course = new_course(plan, Effects(entrants))
        self.running: list[Due] = []
        self.tables = rng.randint(1, 6)
        self.history: list[object] = [text, f"{entrants} entrants, {self.tables} tables"]

    @property
    def names(self) -> list[str]:
        return [entrant.name for entrant in self.league.tournament(self.number).entrants]

    # --- What happens ---

    def step(self) -> None:
        """Something happens."""
        what = self.rng.random()
        if what < 0.03:
            self.interrupt()
        elif what < 0.22:
            self.ask(self.rng.choice(_REQUESTS))
        elif self.running:
            self.finish_some(self.rng.randint(1, len(self.running)))
        self.fill_tables()

    def fill_tables(self) -> None:
        """Gives out games until no table is free, while some entrants may be busy."""
        busy = {each for each in range(self.course.effects.entrants) if self.rng.random() < 0.1}
        while len(self.running) < self.tables and (due := self.course.take(busy)) is not None:
            self.running.append(due)

    def finish_some(self, count: int) -> None:
        """Some of the running games end, in any order, and are stored together."""
        self.rng.shuffle(self.running)
        over, self.running = self.running[:count], self.running[count:]
        games = [self._result(due) for due in over]
        self.history.append([str(game.result.key) for game in games])
        self.league.record_games(self.number, games)
        for game in games:
            self.course.add(game.result)

    def interrupt(self) -> None:
        """The run ends, with all games at its tables; then it goes on."""
        self.history.append("interrupted")
        self.running = []
        while self.rng.random() < 0.4:
            self._decide(self._request(self.rng.choice(_REQUESTS)), course_of(self.league, self.number))
        self.course = course_of(self.league, self.number)

    def ask(self, kind: str) -> None:
        """The host asks the run for something, which may be refused."""
        request = self._request(kind)
        if not self.running and not isinstance(self.course, LadderCourse):
            by_command = self._decision(request, course_of(self.league, self.number))
            assert self._decision(request, self.course) == by_command, request
        if not self._decide(request, self.course):
            return
        self.course = course_of(self.league, self.number, playing=self.running, before=self.course)
        self.running = [due for due in self.running if self.course.is_due(due)]

    def _request(self, kind: str) -> Request:
        return Request(kind, self._object_of(kind), "because", f"{len(self.history)}")

    def _decision(self, request: Request, course: Course) -> Ruled | NewToken | str:
        """What is decided, or why it is refused."""
        stored = undecided(self.league, self.number, request)
        assert stored is not None
        try:
            return decide(request, course, stored, self.league.path, partial(trust_of, self.league, stored))
        except Refused as refusal:
            return str(refusal)

    def _decide(self, request: Request, course: Course) -> bool:
        """Decides a request as the run, or a command, does; returns whether something is stored."""
        decided = self._decision(request, course)
        self.history.append((request[:2], decided))
        if not isinstance(decided, Ruled):
            return False
        self.league.record_ruling(self.number, decided.ruling.to_json(), request.reason, request.id)
        assert undecided(self.league, self.number, request) is None
        return True

    def play_on(self) -> None:
        """All that is left is played, without further requests but for the end of a pause."""
        self.ask("go" if self.plan.first.ends_by_itself else "end")
        self.running += iter(self.course.take, None)
        while self.running:
            self.finish_some(1)
            self.running += iter(self.course.take, None)

    def _object_of(self, kind: str) -> str:
        match kind:
            case "withdraw":
                return self.rng.choice(self.names)
            case "admit":
                return json.dumps(Newcomer(f"late {len(self.names)}", "address", "late:1")._asdict())
            case "limit":
                return f"{self.rng.randrange(3)} {self.rng.choice(self.names)}"
            case "extend":
                return self.rng.choice(["1", "boards 1"])
            case "annul":
                keys = [result.key for _, result in self.league.games(self.number)]
                if not keys:
                    return "1.1.1"
                key = self.rng.choice(keys)
                return self.rng.choice([str(key), ".".join(str(each + 1) for each in key.match_key)])
        return ""

    def _result(self, due: Due) -> FinishedGame:
        """A made-up result; ties are frequent."""
        seats = range(len(due.players))
        if self.rng.random() < 0.5:
            places = [1 + seat for seat in seats]
            self.rng.shuffle(places)
        else:
            places = [1 for _ in seats]
        forfeit = self.rng.choice(seats) if self.rng.random() < 0.05 else None
        results = [
            SeatResult(player, places[seat], -places[seat], forfeit=seat == forfeit)
            for seat, player in enumerate(due.players)
        ]
        record, times = _some_record(due.key.game, len(due.players))
        return FinishedGame(GameResult(due.key, tuple(results), "over"), record, times)

    # --- What must hold ---

    def check(self) -> None:
        """Checks everything that must hold at any moment."""
        stored = course_of(self.league, self.number, playing=self.running)
        assert all(map(self.course.is_due, self.running)), "a game runs that is not due"
        assert _seen(self.course) == _seen(stored), "the live course is not that of the file"
        self._check_stages()
        self._check_matches()

    def verify(self) -> None:
        """Verifies all that was stored so far, and counts the scores of matches once more."""
        for problem in Verification(self.league, replay=False).problems():
            assert problem is None, problem
        rulings = rulings_of(self.league, self.number)
        void = {each[:5] for ruling in rulings if isinstance(ruling, Annul) for each in ruling.boards}
        matches = defaultdict[MatchKey, list[GameResult]](list)
        for _, result in self.league.games(self.number):
            if result.key[:5] not in void:
                matches[result.key.match_key].append(result)
        assert self.course.tally.played == sum(map(len, matches.values()))
        for stage in self.course.stages:
            for key, found in self.course.results(stage).items():
                if key not in self.course.tally.walkovers:
                    regular = [each for each in matches[key] if not self._is_extra(each.key, rulings)]
                    assert found.scores == _scores(found.entrants, regular)

    def _is_extra(self, key: GameKey, rulings: Sequence[Ruling]) -> bool:
        """Whether a board that counts is an extra one, by the rulings alone."""
        boards, board = self.plan.boards, key.board
        for ruling in reversed(rulings):
            if isinstance(ruling, Annul):  # a fresh board stands for the one that it replaces
                replaced = {(*each[:4], each.fresh): each.board for each in ruling.boards}
                board = replaced.get((*key[:4], board), board)
            elif isinstance(ruling, Extend) and ruling.stage == key.stage and ruling.round <= key.round:
                boards += ruling.boards
        return board >= boards

    def _check_stages(self) -> None:
        """A stage begins when all matches of the one before are decided, and not without those that stay."""
        course = self.course
        if isinstance(course, LadderCourse):
            return
        for stage, later in zip(course.stages, course.stages[1:], strict=False):
            states = {course.state(match) for round_ in course.rounds(stage) for match in round_.matches}
            assert states.isdisjoint(_OPEN), "a stage began before the one before was over"
            staying = [each for each in stage.entrants if not course.effects.is_gone(each, stage.number)]
            gone = [each for each in later.entrants if course.effects.is_gone(each, stage.number)]
            assert not gone or set(staying) <= set(later.entrants), "a withdrawn bot goes on before another"
        if course.over and not course.effects.ended and not isinstance(course, ComparisonCourse):
            assert course.games == course.tally.played
            for stage in course.stages:
                for round_ in course.rounds(stage):
                    assert {course.state(match) for match in round_.matches}.isdisjoint(_OPEN)

    def _check_matches(self) -> None:
        """A withdrawn bot wins no walkover against one that stayed; a bracket shows what is decided."""
        course = self.course
        for stage in () if isinstance(course, LadderCourse) else course.stages:
            shown = {match.key: match.slots for match in _bracket_matches(course.bracket(stage))}
            for round_ in course.rounds(stage):
                for match in round_.matches:
                    state = course.state(match)
                    if match.key in shown and not course.effects.ended:
                        places = [slot.place for slot in shown[match.key]]
                        assert (None not in places) == (state not in _OPEN), (match, state, places)
                    if state is MatchState.WALKOVER:
                        self._check_walkover(match)

    def _check_walkover(self, match: Match) -> None:
        result = self.course.tally.result(match.key)
        assert result is not None, "a walkover is not counted"
        assert result.walkover
        standing = dict(zip(result.entrants, zip(result.scores, *result.extra, strict=True), strict=True))
        winner = max(standing, key=standing.__getitem__)
        others = [each for each in match.entrants if each != winner]
        is_gone = self.course.effects.is_gone
        assert not is_gone(winner, match.key.stage) or all(is_gone(each, match.key.stage) for each in others)


def _scores(entrants: Sequence[int], results: Sequence[GameResult]) -> tuple[Fraction, ...]:
    """The mean scores of a match's entrants in some games, counted from the places alone."""
    halves = dict.fromkeys(entrants, 0)
    for _, seats, _ in results:
        for one, other in permutations(seats, 2):
            halves[one.entrant] += 1 + (one.place < other.place) - (one.place > other.place)
    return tuple([Fraction(halves[each], 2 * len(results) * (len(entrants) - 1)) for each in entrants])


def _bracket_matches(bracket: Bracket | None) -> list[BracketMatch]:
    if bracket is None:
        return []
    third = [bracket.third_place] if bracket.third_place else []
    return [match for round_ in bracket.rounds for match in round_.matches if match.key] + third


def _seen(course: Course) -> object:
    """What people see of a course."""
    ladder = isinstance(course, LadderCourse)  # the run has paired rounds that are not stored
    return (
        course.over,
        course.final(),
        [
            (
                stage.entrants,
                course.standings(stage),
                course.results(stage),
                not ladder
                and [(match, course.state(match)) for each in course.rounds(stage) for match in each.matches],
            )
            for stage in course.stages
        ],
        ladder or (course.games, course.games_left()),
        course.tally.groups,
        course.tally.walkovers,
        course.tally.broken_ties,
    )


@cache
def _some_record(game: str, seats: int) -> tuple[bytes, bytes]:
    """The stored record of some game, which stands for all others."""
    plan = parse_plan(
        f'name = "x"\ngames = ["{game}"]\nseats = {seats}\n' + "[[entrant]]\n" * seats, Path("x.toml")
    )
    key = GameKey(0, 0, 0, game, 0, 0, cyclic_seating(seats, 0))
    found = play_game(plan, Due(key, tuple(range(seats))))
    return found.record, found.times
