"""A comparison: for each pair of bots a question about each game and one over all games, and their boards.

Every round is one board of each game with an open question, played by every
match. The matches of the first rounds are played a second time, as matches of
their own after the others. They do not count: they show whether the bots play
the same board the same way every time.

A game is played as long as its own question is open, or the question over all
games, which uses whole rounds. Boards count in their order. So it depends
on the boards alone which of them count, not on when they were played. Boards
beyond these are kept, and do not count.

In a race (`arena.comparison.race`) the questions are not answered one by one. A pair plays
until one of the two drops out, or the race is over. Its boards count by whole rounds.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from math import ceil, fsum, inf
from typing import NamedTuple

from arena.comparison.betting import Scored
from arena.comparison.coefficient import MOST_IN_BETS, Baselines
from arena.comparison.question import LEVEL, Precision, Question
from arena.comparison.race import Race
from arena.results import halves

Rotations = tuple[float, ...]
"""The score, from 0 to 1, of a match's first entrant in each game of a board, by rotation."""


class Contest(NamedTuple):
    """Two bots that are compared, and their matches.

    Attributes:
        one, other: the entrants.
        match: the match of a round in which `one` is the first entrant.
        against: the match in which `other` sits in its place, with the same
            company; None if the company is `other` itself, because then that match
            would give nothing new.
    """

    one: int
    other: int
    match: int
    against: int | None = None

    @property
    def matches(self) -> tuple[int, ...]:
        """The matches of the contest."""
        return (self.match,) if self.against is None else (self.match, self.against)


REPEATED = 2
"""The number of first rounds that are played twice, to see whether the bots play boards the same way.

A race has none of these: there are many pairs."""


class Rule(NamedTuple):
    """The rule by which a comparison ends.

    Attributes:
        stops: whether it stops when its questions are answered; else all rounds are played.
        game: the precision of the question about each game.
        overall: the precision of the question over all games, or of the race.
        race: whether it is a race for the best.
        less_luck: the games in which half of the bets are on scores without luck, each with the baselines
            that are tried.
    """

    stops: bool
    game: Precision
    overall: Precision
    race: bool = False
    less_luck: Mapping[str, tuple[str, ...]] = {}


class Study:
    """The questions about two bots.

    Attributes:
        contest: the two bots and their matches.
        stops: whether the questions may be answered before all rounds are played.
        games: the question about each game.
        overall: the question over all games, which uses whole rounds; None for a single game.
        race: whether they race; then no question is answered by itself.
        rounds: in a race, how many rounds count; None as long as both may be the best.
        rounds_expected: how many these will probably be; None if there is no estimate.
        baselines: for each game with less luck, whose luck is subtracted.
    """

    def __init__(self, contest: Contest, games: Sequence[str], rule: Rule) -> None:
        self.contest = contest
        self.baselines = {
            game: Baselines(rule.less_luck[game], MOST_IN_BETS) for game in games if game in rule.less_luck
        }
        self.games = {
            game: Question(rule.game, stops=rule.stops, less_luck=game in self.baselines) for game in games
        }
        self.overall = None
        if len(games) > 1:
            self.overall = Question(rule.overall, stops=rule.stops, less_luck=bool(self.baselines))
        self.stops = rule.stops
        self.race = rule.race
        self.rounds: int | None = None
        self.rounds_expected: int | None = None

    @property
    def round_scores(self) -> Sequence[float]:
        """The scores of the complete rounds."""
        (question,) = [self.overall] if self.overall else self.games.values()
        return question.scores

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, with the one over all games last."""
        return (*self.games.values(), *([self.overall] if self.overall else []))

    @property
    def settled(self) -> bool:
        """Whether all questions are answered."""
        if self.race:
            return self.rounds is not None
        return all(question.finding is not None for question in self.questions)

    def boards_wanted(self, game: str) -> int | None:
        """How many boards of a game count; None as long as that is open."""
        if self.race:
            return self.rounds
        needed = self.games[game].boards_needed
        if self.overall is None or needed is None:
            return needed
        rounds = self.overall.boards_needed
        return None if rounds is None else max(needed, rounds)

    def boards_expected(self, game: str) -> int | None:
        """How many boards of a game will probably count; None if there is no estimate."""
        if self.boards_wanted(game) is not None or not self.stops:
            return self.boards_wanted(game)
        if self.race:
            return self.rounds_expected
        expected = [question.boards_expected() for question in (self.games[game], self.overall) if question]
        return None if None in expected else max(each for each in expected if each is not None)

    def counted(self, game: str) -> int:
        """How many boards of a game count by now."""
        played, wanted = len(self.games[game].scores), self.boards_wanted(game)
        return played if wanted is None else min(played, wanted)

    def counted_rounds(self) -> int:
        """How many rounds count by now for the question over all games."""
        assert self.overall is not None
        wanted = self.rounds if self.race else self.overall.boards_needed
        return len(self.overall.scores) if wanted is None else min(len(self.overall.scores), wanted)

    def wants_luck(self, game: str, round_: int) -> tuple[str, ...]:
        """The baselines whose luck of a board counts, as far as is known now."""
        wanted = self.boards_wanted(game)
        if game not in self.baselines or (wanted is not None and round_ >= wanted):
            return ()
        return self.baselines[game].wanted

    def ask(self, game: str, score: float, lucks: Mapping[str, float]) -> None:
        """Adds a board to the question about its game, with its luck by each baseline that is wanted."""
        baselines = self.baselines.get(game)
        if baselines is None:
            self.games[game].add(score)
        else:
            reach = baselines.value
            self.games[game].add(score, Scored(_clean(baselines.take(score, lucks)), reach))

    def ask_round(self, number: int) -> None:
        """Adds a round to the question over all games, once it is complete in all of them."""
        assert self.overall is not None
        scores = [question.scores[number] for question in self.games.values()]
        corrected = None
        if self.overall.corrected is not None:
            ways = [
                Scored(question.scores[number], 0.0)
                if question.corrected is None
                else question.corrected[number]
                for question in self.games.values()
            ]
            corrected = Scored(*(_clean(fsum(each) / len(ways)) for each in zip(*ways, strict=True)))
        self.overall.add(_clean(fsum(scores) / len(scores)), corrected)


class Racer(NamedTuple):
    """A bot in a race.

    Attributes:
        bot: the entrant.
        score: its mean score in all rounds that count, against all others that it met; None without any.
        rounds: how many rounds it played.
        left: whether it may still be the best.
    """

    bot: int
    score: float | None
    rounds: int
    left: bool


class _BoardsLeft:
    """The number of boards that are left of all matches; only what may have changed is counted again.

    Args:
        of_one: returns how many boards of a match and a game are left, of so many rounds.

    Attributes:
        changed: the matches and games of which the number may have changed.
    """

    def __init__(self, of_one: Callable[[int, str, int], int]) -> None:
        self._of_one = of_one
        self._asked: tuple[int, frozenset[int]] | None = None  # what the numbers below are for
        self._left: dict[tuple[int, str], int] = {}
        self._sum = 0
        self.changed: set[tuple[int, str]] = set()

    def sum(self, everything: Iterable[tuple[int, str]], rounds: int, gone: Collection[int]) -> int:
        """The number for some matches and games, of so many rounds, without the matches that are gone."""
        asked = rounds, frozenset(gone)
        if asked != self._asked:
            self._asked, self._left, self._sum = asked, {}, 0
            self.changed.update(everything)
        for which in self.changed:
            left = 0 if which[0] in gone else self._of_one(*which, rounds)
            self._sum += left - self._left.get(which, 0)
            self._left[which] = left
        self.changed.clear()
        return self._sum


class Comparison:
    """All pairs that are compared, and the boards that were played for them.

    Args:
        contests: the pairs.
        games: the ids of the games.
        seats: the size of a table.
        rule: the rule by which it ends.
        gone: the withdrawn entrants; a race goes on as if they had not been there.

    Attributes:
        studies: the questions about each pair.
        race: the race for the best; None without one.
        matches: how many matches a round has, without the repeated ones.
    """

    def __init__(
        self,
        contests: Sequence[Contest],
        games: Sequence[str],
        seats: int,
        rule: Rule,
        gone: Collection[int] = (),
    ) -> None:
        self.studies = tuple(Study(contest, games, rule) for contest in contests)
        self.games = tuple(games)
        self._seats = seats
        self._stops = rule.stops
        self._repeated = 0 if rule.race else REPEATED
        self.matches = 1 + max((match for contest in contests for match in contest.matches), default=-1)
        self._studies_of: dict[int, list[Study]] = {}
        for study in self.studies:
            for match in study.contest.matches:
                self._studies_of.setdefault(match, []).append(study)
        self._open: dict[tuple[int, str, int], dict[int, float]] = {}  # incomplete boards
        self._boards: dict[tuple[int, str], dict[int, Rotations]] = {}
        self._complete: dict[tuple[int, str], list[int]] = {}  # the rounds of these boards, in order
        self._left = _BoardsLeft(self._left_of)
        self._left_as_it_looks = _BoardsLeft(self._left_of_as_it_looks)
        self.race: Race | None = None
        if rule.race:
            bots = sorted({bot for contest in contests for bot in (contest.one, contest.other)})
            self.race = Race(bots, rule.overall)
            self.race.leave(gone)
            self._leave_race()
        self._lucks: dict[tuple[int, str, int, str], dict[int, float]] = {}  # by baseline; by rotation
        self._lacking: set[tuple[Study, str]] = set()  # whose next board is complete, but for its luck

    def add_board(
        self, match: int, game: str, round_: int, places: Iterable[tuple[int, Sequence[int]]]
    ) -> None:
        """Adds games of a board: for each its rotation, and the places of the match's entrants."""
        for rotation, of_game in places:
            self.add_game(match, game, round_, rotation, first_score(of_game))

    def add_game(self, match: int, game: str, round_: int, rotation: int, score: float) -> None:
        """Adds a game.

        Args:
            match: the number of the match in the round.
            game: the game's id.
            round_: the number of the round, from 0.
            rotation: the number of the game on its board.
            score: the score of the match's first entrant, from 0 to 1.
        """
        board = self._open.setdefault((match, game, round_), {})
        board[rotation] = score
        if len(board) == self._seats:
            del self._open[match, game, round_]
            self._boards.setdefault((match, game), {})[round_] = tuple(
                [board[each] for each in range(self._seats)]
            )
            insort(self._complete.setdefault((match, game), []), round_)
            self._note_change([match])
            for study in self._studies_of.get(match, ()):
                self._ask(study, game)

    def add_luck(self, match: int, game: str, round_: int, rotation: int, baseline: str, luck: float) -> None:
        """Adds the bounded luck of the match's first entrant in a game, before or after its score."""
        self._lucks.setdefault((match, game, round_, baseline), {})[rotation] = luck
        for study in self._studies_of.get(match, ()):
            self._ask(study, game)

    def wants_luck(self, match: int, game: str, round_: int) -> frozenset[str]:
        """The baselines whose luck in a game counts, as far as is known now."""
        studies = self._studies_of.get(match, ())
        return frozenset(name for study in studies for name in study.wants_luck(game, round_))

    @property
    def baselines(self) -> frozenset[str]:
        """The baselines whose luck counts in any games, as far as is known now."""
        tried = (each for study in self.studies for each in study.baselines.values())
        return frozenset(name for each in tried for name in each.wanted)

    @property
    def lacks_luck(self) -> bool:
        """Whether boards are complete, but do not count yet because the luck of their games is not known."""
        return any(study.wants_luck(game, len(study.games[game].scores)) for study, game in self._lacking)

    def _ask(self, study: Study, game: str) -> None:
        """Adds all boards that can be added, after a new board or the luck of a game."""
        self._note_change(study.contest.matches)
        self._lacking.discard((study, game))
        question = study.games[game]
        while (score := self._score(study.contest, game, len(question.scores))) is not None:
            wanted = study.baselines[game].wanted if game in study.baselines else ()
            lucks = {name: self._luck(study.contest, game, len(question.scores), name) for name in wanted}
            known = {name: luck for name, luck in lucks.items() if luck is not None}
            if len(known) < len(lucks):
                self._lacking.add((study, game))
                break
            study.ask(game, score, known)
        overall = study.overall
        while overall is not None and all(
            len(each.scores) > len(overall.scores) for each in study.games.values()
        ):
            study.ask_round(len(overall.scores))
        if self.race is not None and not study.settled:
            self._go_on(self.race)

    def _go_on(self, race: Race) -> None:
        """Adds all rounds to the race that are complete for all pairs that are left."""
        while race.finding is None:
            left = [study for study in self.studies if study.rounds is None]
            if not left or any(len(study.round_scores) <= race.rounds for study in left):
                return
            race.add_round(
                {(study.contest.one, study.contest.other): study.round_scores[race.rounds] for study in left}
            )
            self._leave_race()

    def _look_ahead(self) -> None:
        """Estimates for each pair in a race how many rounds it will play."""
        left = [study for study in self.studies if study.race and study.rounds is None]
        if self.race is None or not left or not all(study.round_scores for study in left):
            return
        scores = {(study.contest.one, study.contest.other): study.round_scores for study in left}
        expected = self.race.rounds_expected(scores)
        for study in left:
            rounds = min(expected[study.contest.one], expected[study.contest.other])
            study.rounds_expected = None if rounds == inf else ceil(rounds)
            self._note_change(study.contest.matches)

    def racers(self) -> list[Racer]:
        """The bots in the race, the best ones first: those that stayed longer, then those with more score."""
        assert self.race is not None
        found = []
        for bot in (*self.race.left, *self.race.out):
            scores = [
                score if bot == study.contest.one else 1 - score
                for study in self.studies
                if bot in (study.contest.one, study.contest.other)
                for score in study.round_scores[: self.race.rounds if study.rounds is None else study.rounds]
            ]
            mean = fsum(scores) / len(scores) if scores else None
            found.append(Racer(bot, mean, self.race.out.get(bot, self.race.rounds), bot in self.race.left))
        named = self.race.named
        found.sort(key=lambda each: (each.bot != named, not each.left, -each.rounds, -(each.score or 0.0)))
        return found

    def _leave_race(self) -> None:
        """Settles the pairs of which one is not in the race any more, or all pairs if it is over."""
        assert self.race is not None
        for study in self.studies:
            in_race = {study.contest.one, study.contest.other} <= {*self.race.left}
            if study.rounds is None and (self.race.finding is not None or not in_race):
                study.rounds = self.race.rounds
                self._note_change(study.contest.matches)

    def _luck(self, contest: Contest, game: str, round_: int, baseline: str) -> float | None:
        """The luck of `one` on a board by a baseline; None if that of a game is not known."""
        lucks = [self._lucks.get((match, game, round_, baseline), {}) for match in contest.matches]
        if any(len(each) < self._seats for each in lucks):
            return None
        own, *others = [fsum(each.values()) / self._seats for each in lucks]
        return (own - others[0]) / 2 if others else own

    def _score(self, contest: Contest, game: str, round_: int) -> float | None:
        """A board's score of a pair: 1 if `one` won everything; None if it is incomplete."""
        own = self.rotations(contest.match, game, round_)
        if own is None:
            return None
        score = fsum(own) / self._seats
        if contest.against is None:
            return _clean(score)
        others = self.rotations(contest.against, game, round_)
        if others is None:
            return None
        return _clean(LEVEL + (score - fsum(others) / self._seats) / 2)

    def rotations(self, match: int, game: str, round_: int) -> Rotations | None:
        """The scores of a board's games; None if it is incomplete."""
        return self._boards.get((match, game), {}).get(round_)

    def wants(self, match: int, game: str, round_: int) -> bool:
        """Whether a board is still wanted, as far as is known now."""
        if match >= self.matches:
            return round_ < self._repeated
        for study in self._studies_of.get(match, ()):
            wanted = study.boards_wanted(game)
            if wanted is None or round_ < wanted:
                return True
        return False

    @property
    def settled(self) -> bool:
        """Whether all questions are answered, so that more boards would change nothing."""
        return self._stops and all(study.settled for study in self.studies)

    def is_over(self, rounds: int, gone: Collection[int] = ()) -> bool:
        """Whether all wanted boards of so many rounds are played, as far as is known now.

        `gone`: the matches that are no longer played.
        """
        return self.boards_left(rounds, gone) == 0

    def boards_left(self, rounds: int, gone: Collection[int] = (), *, as_it_looks: bool = False) -> int:
        """How many boards of all matches are wanted and incomplete.

        Args:
            rounds: the number of rounds.
            gone: the matches that are no longer played.
            as_it_looks: whether to count the expected boards of open questions instead of all rounds.
        """
        if as_it_looks:
            self._look_ahead()
        counted = self._left_as_it_looks if as_it_looks else self._left
        return counted.sum(product(range(2 * self.matches), self.games), rounds, gone)

    def _note_change(self, matches: Iterable[int]) -> None:
        """Notes that the number of boards that are left of some matches may have changed."""
        changed = [*product(matches, self.games)]
        self._left.changed.update(changed)
        self._left_as_it_looks.changed.update(changed)

    def _left_of(self, match: int, game: str, rounds: int, *, as_it_looks: bool = False) -> int:
        """How many boards of a match and a game are wanted and incomplete (see `boards_left`)."""
        wanted = self._repeated
        if match < self.matches:
            wanted = max(
                (
                    _or_all(study.boards_expected(game) if as_it_looks else study.boards_wanted(game), rounds)
                    for study in self._studies_of.get(match, ())
                ),
                default=0,
            )
        wanted = min(wanted, rounds)
        return wanted - bisect_left(self._complete.get((match, game), ()), wanted)

    def _left_of_as_it_looks(self, match: int, game: str, rounds: int) -> int:
        return self._left_of(match, game, rounds, as_it_looks=True)

    def played_beyond(self, study: Study) -> int:
        """How many boards of a pair are complete, or begun, and do not count."""
        return sum(
            round_ >= study.counted(game)
            for match in study.contest.matches
            for game in self.games
            for round_ in [
                *self._boards.get((match, game), ()),
                *(number for of, kind, number in self._open if (of, kind) == (match, game)),
            ]
        )


def _clean(score: float) -> float:
    """A score without its last digits, so that a level score is exactly LEVEL, also as a sum of thirds."""
    return round(score, 12)


def _or_all(wanted: int | None, rounds: int) -> int:
    return rounds if wanted is None else wanted


def first_score(places: Iterable[int]) -> float:
    """The score of the first of some entrants by their places: the share of the others beaten, ties half."""
    own, *others = places
    return halves(own, others) / (2 * len(others))
