"""Verifies a league from its own contents: nothing was dealt wrongly, changed, added or removed.

First the database checks its file. Then one pass over the league follows its hash
chain. It recomputes every link, derives every board from the tournament's key,
replays every record by the rules, and compares every result. It asks of every ruling
what was asked when it was made, of the course of what was stored before it. At the
end of a tournament every match must be in the schedule of that course. The memory
grows with the matches of a tournament, but not with its games. The pass reads a
snapshot, so the league may be written meanwhile.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from arena.comparison.baseline import require_baselines
from arena.formats.elimination import needs_extra_board
from arena.formats.format import Stage
from arena.formats.seating import Seatings
from arena.league.store import (
    ChainEntry,
    DamagedLeague,
    League,
    StoredRuling,
    StoredTournament,
    UnknownTournament,
)
from arena.league.store.chain import FIRST, link
from arena.league.stored import luck_in, plan_of, rulings_of
from arena.link.wire.messages import decode_record
from arena.link.wire.native import replayed
from arena.results import (
    FAULT_REASONS,
    GameKey,
    Match,
    MatchKey,
    MatchResult,
    Results,
    StoredGame,
)
from arena.table.deal import board_key, commitment
from arena.table.record import Record, first_position, replay
from arena.table.table import with_forfeits
from arena.tournament.courses import ComparisonCourse, new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import Ruling, effects_of, read_ruling
from arena.tournament.scoreboard import MatchState


class Problem(NamedTuple):
    """A problem: where it is, and what it is, in one sentence without its full stop."""

    where: str
    what: str


class Verified(NamedTuple):
    """The progress of a verification.

    Attributes:
        tournaments: how many tournaments, finished or not.
        games: how many games.
        head: the last link of the hash chain.
    """

    tournaments: int
    games: int
    head: bytes


class Verification:
    """The verification of one league.

    Args:
        league: the league, open for reading.
        replay: whether records are replayed, which takes most of the time, or only decoded.
        native: whether the native engine replays them if it can; else the rules in Python do.
        finds_luck: whether the luck of games is computed where it counts and is not kept.

    Attributes:
        verified: the progress so far.
        found_lucks: the lucks that were computed because they were not kept, by the numbers of the games and
            the baselines.
    """

    def __init__(
        self, league: League, *, replay: bool = True, native: bool = True, finds_luck: bool = False
    ) -> None:
        self._league = league
        self._replay = replay
        self._native = native
        self._finds_luck = finds_luck
        self.found_lucks: dict[tuple[int, str], float] = {}
        self._tournaments: dict[int, _Tournament] = {}  # the tournaments that have not ended
        self._seen: Counter[str] = Counter()
        self.verified = Verified(0, 0, FIRST)

    def problems(self) -> Iterator[Problem | None]:
        """Yields every problem when it is found, and None after every checked entry, for progress.

        If the file itself is damaged, nothing else is checked. Raises NeedsEngine if there are lucks, or
        `finds_luck` needs some, that only the native engine computes.
        """
        try:
            with self._league.snapshot():
                sound = True
                for what in self._league.file_damage():
                    sound = False
                    yield Problem("file", what)
                if sound:
                    yield from self._chain_problems()
        except DamagedLeague as damage:
            yield Problem("file", str(damage))

    def _chain_problems(self) -> Iterator[Problem | None]:
        head, position = FIRST, 0
        for entry in self._league.chain():
            position += 1
            where = f"{entry.thing} {entry.id}"
            if entry.position != position:
                yield Problem(
                    f"chain, position {position}", f"the entry is missing; next is {entry.position}"
                )
                position = entry.position
            try:
                fields = self._league.fields(entry)
                if entry.thing == "tournament":
                    self._begin(entry.id)
            except (UnknownTournament, ValueError) as problem:  # or an invalid plan or ruling
                yield Problem(where, str(problem))
                fields = None
            if fields is None and entry.thing in ("game", "decision"):
                yield Problem(where, "the chain has it, but the league does not: it was removed")
            elif fields is not None and link(head, fields) != entry.link:
                yield Problem(
                    where, "its link in the hash chain does not fit: it was changed, added or moved"
                )
            head = entry.link
            yield from self._check(entry, where)
            if entry.thing == "end" and (over := self._tournaments.pop(entry.id, None)) is not None:
                yield from over.check_schedule()
            self._seen[entry.thing] += 1
            self.verified = Verified(self._seen["tournament"], self._seen["game"], head)
            yield None
        for thing, count in self._league.counts().items():
            if count != self._seen[thing]:
                yield Problem("chain", f"it has {self._seen[thing]} of kind {thing}, but the league {count}")
        for tournament in self._tournaments.values():
            yield from tournament.check_schedule()
        for where, what in self._league.misfits():
            yield Problem(where, what)

    def _begin(self, number: int) -> None:
        """Begins a tournament.

        Raises ValueError if its plan or a ruling about it is invalid; NeedsEngine as `problems`.
        """
        stored, key = self._league.tournament(number), self._league.tournament_key(number)
        rulings_of(self._league, number)
        if self._replay:
            require_baselines(baseline for _, _, baseline, _ in self._league.lucks(number))
        lucks: dict[int, dict[str, float]] = {}
        for game, _, baseline, luck in self._league.lucks(number):
            lucks.setdefault(game, {})[baseline] = luck
        self._tournaments[number] = _Tournament(self._league, stored, key, lucks, self._native)

    def _check(self, entry: ChainEntry, where: str) -> Iterator[Problem]:
        if entry.thing == "tournament" and entry.id in self._tournaments:
            yield from self._tournaments[entry.id].check_beginning()
        thing = entry.game or entry.ruling
        if thing is None:
            return
        tournament = self._tournaments.get(thing.tournament)
        if tournament is None:
            yield Problem(where, f"it is of tournament {thing.tournament}, which is not going on")
        elif isinstance(thing, StoredGame):
            for what in tournament.check_game(entry.id, thing, self._replay):
                yield Problem(f"{where} ({thing.result.key})", what)
            if self._finds_luck:
                for baseline, luck in tournament.find_lucks(entry.id, thing):
                    self.found_lucks[entry.id, baseline] = luck
        else:
            for what in tournament.check_ruling(thing):
                yield Problem(where, what)


class _Tournament:
    """One tournament while its games are checked."""

    def __init__(
        self,
        league: League,
        stored: StoredTournament,
        key: bytes,
        lucks: Mapping[int, Mapping[str, float]],
        native: bool,
    ) -> None:
        self._league = league
        self._native = native
        self._stored = stored
        self._key = key
        self._plan = plan_of(stored)
        self._rulings: list[Ruling] = []  # that were checked so far
        effects = Effects(len(stored.first_entrants))
        self._course = new_course(self._plan, effects)  # of what was checked so far
        self._last_game = 0
        self._deal_key = self._course.deal_key(key)
        self._lucks = lucks  # by the numbers of the games, and the baselines
        self._told_lucks: list[tuple[GameKey, str, float]] = []
        self._seatings: dict[int, Seatings] = {}  # by stage

    def check_beginning(self) -> Iterator[Problem]:
        """Checks the key against the commitment, and the plan against the tournament's name."""
        if self._plan.name != self._stored.name:
            yield Problem(f"tournament {self._stored.id}", f"its plan is that of {self._plan.name!r}")
        if commitment(self._key) != self._stored.key_commitment:
            yield Problem(f"tournament {self._stored.id}", "its key is not the one that was committed to")

    def check_game(self, number: int, game: StoredGame, replay: bool) -> Iterator[str]:
        """Yields the problems of a game: its board, its record and, with `replay`, its result and luck."""
        key = game.result.key
        self._last_game = number
        if key.game not in self._plan.games:
            yield f"{key.game} is not one of the tournament's games"
            return
        try:
            record = decode_record(game.record)
            if replay:
                yield from self._check_record(game, record)
        except ValueError as problem:  # BrokenRecord, or a number out of range
            yield str(problem)
            return
        if not 0 <= key.rotation < len(game.result.seats):
            yield f"it has no rotation {key.rotation}"
            return
        scheduled = self._seating(key, len(game.result.seats))
        if scheduled is not None and key.seating != scheduled:
            yield f"its seats are taken by the match's entrants {key.seating}, not {scheduled} as scheduled"
        if not self._course.can_have(game.result):
            yield "it is not one that the comparison plays"
            return
        try:
            self._course.tell(Results.of(game.result))
            for baseline, luck in self._lucks.get(number, {}).items():
                self._tell_luck(key, baseline, luck)
                if replay and luck != luck_in(key, game.record, baseline):
                    yield "its luck is not that of its record"
        except ValueError as problem:
            yield str(problem)

    def find_lucks(self, number: int, game: StoredGame) -> Iterator[tuple[str, float]]:
        """The lucks of a game without problems that count and are not kept, by baseline; counts them."""
        key = game.result.key
        for baseline in sorted(self._course.wants_luck(key) - self._lucks.get(number, {}).keys()):
            luck = luck_in(key, game.record, baseline)
            self._tell_luck(key, baseline, luck)
            yield baseline, luck

    def _tell_luck(self, key: GameKey, baseline: str, luck: float) -> None:
        self._course.tell_luck(key, baseline, luck)
        self._told_lucks.append((key, baseline, luck))

    def _seating(self, key: GameKey, seats: int) -> tuple[int, ...] | None:
        """A game's seating by the schedule; None for a game outside of it, which is reported later."""
        try:
            if key.stage not in self._seatings:
                self._seatings[key.stage] = self._course.seatings(self._course.shape(key.stage))
            board = self._course.effects.void.planned(key.match_key, key.game, key.board)
            return self._seatings[key.stage].seating(key.match_key, seats, board, key.rotation)
        except LookupError:
            return None

    def _check_record(self, game: StoredGame, record: Record) -> Iterator[str]:
        key, results = game.result.key, game.result.seats
        if record.game != key.game or record.options != self._plan.options[key.game]:
            yield "its record is of another game or other options"
            return
        if record.seating != key.special_seating:
            yield "its record has another seating"
        if record.board_key != board_key(self._deal_key, key.game, self._plan.board_name(key)):
            yield "its board does not follow from the tournament's key and what the bots have put in"
        if record.seats != len(results) or record.starter != 0:
            yield f"its record has {record.seats} seats and starter {record.starter}"
            return
        outcome = replayed(record) if self._native else None
        if outcome is None:  # the rules in Python play, or say what is wrong
            state = first_position(record)
            for _ in replay(record, state):
                pass
            outcome = state.outcome
        if outcome is None:
            yield "its record ends before the game does"
            return
        outcome = outcome._replace(places=with_forfeits(outcome.places, record.forfeits))
        if outcome != record.outcome or outcome.reason != game.result.reason:
            yield f"by the rules it ends {outcome}, but it is recorded otherwise"
        for seat, result in enumerate(results):
            faults = Counter(fault.reason for at, _, fault in record.faults if at == seat)
            forfeit = faults.total() >= self._plan.max_faults
            if result.entrant not in range(len(self._stored.entrants)):
                yield f"seat {seat} is held by entrant {result.entrant}, whom the tournament does not have"
            if forfeit != (seat in record.forfeits):
                yield f"seat {seat} has {faults.total()} faults, which does not fit its forfeit"
            told = (result.place, result.points, result.forfeit, result.faults)
            counts = tuple(faults[reason] for reason in FAULT_REASONS)
            if told != (outcome.places[seat], outcome.points[seat], seat in record.forfeits, counts):
                yield f"the result of seat {seat} is not that of its record"

    def check_ruling(self, stored: StoredRuling) -> Iterator[str]:
        """Yields the problems of a ruling, given what was stored before it."""
        ruling = read_ruling(stored.ruling)
        self._course.advance_stages()
        yield from ruling.problems(self._course)
        self._rulings.append(ruling)
        if ruling.alters_matches:
            try:
                self._make_course_again()
            except (ValueError, LookupError) as problem:  # too wrong to have an effect
                self._rulings.pop()
                yield f"it cannot be carried out ({problem})"
        else:
            ruling.add_to(self._course.effects)
        self._deal_key = self._course.deal_key(self._key)

    def _make_course_again(self) -> None:
        """Makes the course of what was checked so far, with the effects of all rulings so far."""
        effects = effects_of(len(self._stored.first_entrants), self._rulings)
        if (after := self._course.after(effects)) is not None:
            self._course = after
            return
        self._course = new_course(self._plan, effects)
        self._seatings.clear()
        with contextlib.suppress(DamagedLeague):  # its games are problems
            for board in self._league.boards(self._stored.id, last=self._last_game):
                with contextlib.suppress(ValueError):  # it was a problem when its game was checked
                    self._course.tell_board(board)
        for told in self._told_lucks:
            self._course.tell_luck(*told)

    def check_schedule(self) -> Iterator[Problem]:
        """Checks that every match is in the schedule, and that a finished tournament lacks none."""
        where = f"tournament {self._stored.id}"
        try:
            self._course.advance_stages()
            yield from self._schedule_problems(where)
        except (ValueError, LookupError) as problem:  # too wrong to be paired
            yield Problem(where, f"its entrants and results do not give a schedule ({problem})")

    def _schedule_problems(self, where: str) -> Iterator[Problem]:
        finished = self._stored.finished is not None and not self._course.effects.ended
        if isinstance(self._course, ComparisonCourse):  # whose matches may end before all rounds
            if finished and (self._course.may_go_on or not self._course.over):
                yield Problem(where, "it is finished, but the comparison still asks for boards")
            return
        tally = self._course.tally
        scheduled = 0
        for stage in self._course.stages:
            results = self._course.results(stage)
            left = self._course.must_pair(stage)
            for round_ in self._course.rounds(stage):
                for match in round_.matches:
                    entrants = left.pop(match.key, match.entrants)
                    if entrants == match.entrants:
                        yield from self._check_match(where, stage, match, results.get(match.key), finished)
                    else:
                        yield Problem(
                            where,
                            f"{_named(match)} was played by entrants {entrants}, not {match.entrants}",
                        )
            for key in left:
                yield Problem(where, f"match {_match_text(key)} is not one that its stages pair")
            scheduled += sum(self._games_of(key, result) for key, result in results.items())
        if finished and scheduled != tally.played:
            yield Problem(where, f"{tally.played} games are stored, but its matches have {scheduled}")

    def _check_match(
        self, where: str, stage: Stage, match: Match, result: MatchResult | None, finished: bool
    ) -> Iterator[Problem]:
        state = self._course.state(match)
        if finished and state in (MatchState.OPEN, MatchState.TIED):
            lack = "is missing or not complete" if state is MatchState.OPEN else "lacks an extra board"
            yield Problem(where, f"{_named(match)} {lack}")
        elif state is MatchState.DECIDED and result is not None and result.extra:
            before_last = result._replace(extra=result.extra[:-1])
            if not needs_extra_board(match, before_last, stage.extra_boards):
                yield Problem(where, f"{_named(match)} has an extra board that it did not need")

    def _games_of(self, key: MatchKey, result: MatchResult) -> int:
        """How many games of a finished match the league must have."""
        tally = self._course.tally
        if key in tally.walkovers:
            return tally.walkovers[key]
        board = len(self._plan.games) * len(result.entrants)
        regular = tally.boards_of(key) * board
        return regular + (tally.extra_games(key) if key in tally.broken_ties else len(result.extra) * board)


def _named(match: Match) -> str:
    return f"match {_match_text(match.key)} ({match.label})"


def _match_text(key: MatchKey) -> str:
    return ".".join(str(number + 1) for number in key)
