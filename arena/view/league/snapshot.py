"""A snapshot of a tournament at one moment: its standings and schedule, and a headline."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from arena.formats.format import Stage
from arena.league.compared import ComparisonSummary, summarize_comparison
from arena.league.store import League, StoredRuling, StoredTournament
from arena.league.stored import FollowedCourse
from arena.league.summary import StageSummary, Summary, strengths_of, summary_of
from arena.report.bracket_text import NOT_PLAYED, PAUSED, TIED, WALKOVER
from arena.report.comparison_text import comparison_text, race_words, short_finding
from arena.report.tables import percent, so_far
from arena.results import GameKey, Match, MatchKey, MatchResult
from arena.standings.strengths import StrengthsByGame
from arena.standings.values import Rating, Unfinished
from arena.text import joined, one_line
from arena.tournament.course import Course
from arena.tournament.courses import ComparisonCourse
from arena.tournament.effects import VoidBoards
from arena.tournament.plan import Plan
from arena.tournament.scoreboard import MatchState
from arena.view.league.choices import Choices, choices_of
from arena.view.league.history import History, history

_TEXT_WIDTH = 100


class MatchView(NamedTuple):
    """A match of the schedule.

    Attributes:
        match: the match.
        result: the result once its boards are over; None until then.
        begun: whether it has begun.
        state: how far it is.
        words: the same in words; empty if it is to be played and has not begun.
    """

    match: Match
    result: MatchResult | None
    begun: bool
    state: MatchState
    words: str

    @property
    def decided(self) -> bool:
        """Whether it is over for good: no extra boards break a tie."""
        return self.result is not None and self.state.is_final

    @property
    def best(self) -> frozenset[int]:
        """The entrants that were first once it was over, by their scores and then by the extra boards."""
        if self.result is None or not self.decided:
            return frozenset()
        scores = [*zip(self.result.scores, *self.result.extra, strict=True)]
        first = max(scores)
        reached = zip(self.result.entrants, scores, strict=True)
        return frozenset(entrant for entrant, each in reached if each == first)

    @property
    def walkover(self) -> bool:
        """Whether a withdrawal decided it."""
        return self.state is MatchState.WALKOVER


class RoundView(NamedTuple):
    """A round of the schedule: how many of its matches are over, and whether all are.

    `newcomer` is the late entrant that plays it as a match of its own, None for other rounds.
    """

    stage: int
    number: int
    label: str
    matches: tuple[MatchView, ...]
    byes: tuple[int, ...]
    played: int
    over: bool
    newcomer: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Snapshot:
    """A tournament at one moment.

    Attributes:
        length: the length of the league (`League.length`), which names the moment.
        tournament: the tournament as the league has it.
        plan: the plan of the tournament.
        names: the names of the entrants, with printable characters only.
        summary: its standings; None for a comparison.
        compared: the findings of a comparison; None for other tournaments.
        text: the same in words; empty for other tournaments.
        rounds: the rounds that are paired, in order; of a ladder, the last ones that have begun.
        coming: how many rounds of the current stage are not paired yet.
        matches_of: how many matches each entrant of the current stage has in all.
        decisions: the rulings, oldest first.
        places: the place of each entrant so far; none of an entrant without a decision or a score.
        intervals: the length of the league when the intervals of the ratings were computed; 0 without any.
        choices: what the host can decide.
        void: the annulled boards.
        unplayed: the matches that were won without play, as far as they were not over before.
        histories: the standings after each round, by the number of the stage and the name of the group (None
            without groups); none of brackets, ladders and comparisons.
    """

    length: int
    tournament: StoredTournament
    plan: Plan
    names: tuple[str, ...]
    summary: Summary | None
    compared: ComparisonSummary | None
    text: str
    rounds: tuple[RoundView, ...]
    coming: int
    matches_of: Mapping[int, Fraction]
    decisions: tuple[StoredRuling, ...]
    places: Mapping[int, int]
    intervals: int
    choices: Choices
    void: VoidBoards
    unplayed: frozenset[MatchKey]
    histories: Mapping[tuple[int, str | None], History]

    @property
    def finished(self) -> bool:
        """Whether the tournament is over for good."""
        return self.tournament.finished is not None

    @property
    def has_recap(self) -> bool:
        """Whether it is over and there are games to tell of; a comparison has no recap."""
        return self.finished and self.summary is not None and self.summary.games > 0

    @property
    def has_all_rounds(self) -> bool:
        """Whether `rounds` begins with the first one."""
        return not self.rounds or self.rounds[0].number == 0

    @property
    def rounds_over(self) -> list[RoundView]:
        """The rounds that are over, without the matches that a late entrant plays by itself."""
        return [each for each in self.rounds if each.over and each.newcomer is None]

    @property
    def schedule(self) -> list[RoundView]:
        """The rounds, with all matches that a late entrant plays by itself in a stage as one."""
        shown: dict[tuple[int, int, int | None], RoundView] = {}
        for each in self.rounds:
            key = (each.stage, each.number if each.newcomer is None else 0, each.newcomer)
            one = shown.get(key)
            if one is not None:
                each = each._replace(
                    number=one.number,
                    matches=one.matches + each.matches,
                    played=one.played + each.played,
                    over=one.over and each.over,
                )
            shown[key] = each._replace(byes=()) if each.newcomer is not None else each
        return list(shown.values())

    @property
    def ranks(self) -> dict[tuple[int, int], int]:
        """By the number of the current stage and the entrant: the rank in its table."""
        if self.summary is None:
            return {}
        stage = self.summary.stages[-1]
        tables = [group.rows for group in stage.groups] or [stage.rows]
        return {(stage.stage.number, row.entrant): row.rank for rows in tables for row in rows}

    def with_ratings_of(self, other: Snapshot | None) -> Snapshot:
        """The same snapshot with the ratings and intervals of an earlier one; unchanged if that has none."""
        if self.summary is None or other is None or other.summary is None:
            return self
        if len(other.summary.ratings) != len(self.summary.ratings):
            return self
        order = {line.entrant: number for number, line in enumerate(self.summary.final)}

        def in_order(ratings: tuple[Rating, ...]) -> tuple[Rating, ...]:
            return tuple(sorted(ratings, key=lambda each: order[each.entrant]))

        ends = {
            line.entrant: share for line, share in zip(other.summary.final, other.summary.shares, strict=True)
        }
        shares = tuple(
            share._replace(low=ends[line.entrant].low, high=ends[line.entrant].high)
            for line, share in zip(self.summary.final, self.summary.shares, strict=True)
        )
        summary = dataclasses.replace(
            self.summary,
            shares=shares,
            ratings=in_order(other.summary.ratings),
            game_ratings={game: in_order(each) for game, each in other.summary.game_ratings.items()},
        )
        return dataclasses.replace(self, summary=summary, intervals=other.length)

    def match_label(self, key: MatchKey) -> str:
        """The name of a match, such as `round 2, match 1`."""
        matches = (view.match for round_ in self.rounds for view in round_.matches)
        return next((match.label for match in matches if match.key == key), f"match {key}")

    def deal_words(self, key: GameKey, seats: int) -> str:
        """The board of a game, and how the bots sit at it, in words: `board 2, seats swapped`."""
        return ", ".join(self.deal_parts(key, seats))

    def deal_parts(self, key: GameKey, seats: int) -> list[str]:
        """The same in parts; the first one is the board."""
        planned = self.void.planned(key.match_key, key.game, key.board)
        annulled = ["annulled"] if self.void.has_game(key) else []
        replayed = ["replayed on a new board"] if planned != key.board else []
        return [*deal_parts(key._replace(board=planned), seats), *(annulled or replayed)]

    def shows_hands(self, key: GameKey) -> bool:
        """Whether the hidden cards of a finished game may be shown: nobody will play that deal again."""
        if self.finished or self.plan.hands_shown_after == "game":
            return True
        shown = [each for each in self.rounds if each.stage == key.stage]
        if shown and key.round < shown[0].number:
            return True
        rounds = [each for each in shown if each.number == key.round]
        if self.plan.hands_shown_after == "match":
            matches = [each for round_ in rounds for each in round_.matches]
            return any(each.decided for each in matches if each.match.key == key.match_key)
        return any(each.over for each in rounds)


class Followed:
    """A tournament of which snapshots are taken again and again while it is played.

    Args:
        tournament: the tournament's id.

    Attributes:
        course: its course.
        strengths: what the last snapshot without intervals found in the results; None before the first.
    """

    def __init__(self, tournament: int) -> None:
        self.course = FollowedCourse(tournament)
        self.strengths: StrengthsByGame | None = None


def snapshot_at(league: League, followed: Followed, *, intervals: bool) -> Snapshot:
    """The snapshot of a tournament of a league. Raises StoreError, UnknownPlan.

    Without `intervals` the ratings have none; computing these takes most of the time. What is found without
    them is kept for the next snapshot: it needs less memory.
    """
    with league.snapshot():
        length, tournament = league.length(), followed.course.tournament
        stored = league.tournament(tournament)
        course = followed.course.now(league)
        summary = compared = None
        if isinstance(course, ComparisonCourse):
            compared = summarize_comparison(league, tournament)
        else:
            strengths = strengths_of(course, followed.strengths, intervals=intervals)
            summary = summary_of(league, tournament, course, strengths)
            if not intervals:
                followed.strengths = strengths
        decisions = tuple(league.rulings(tournament))
    rounds = tuple(
        each for stage in course.stages for each in _rounds(course, stage, over=stored.finished is not None)
    )
    present = course.stages[-1]
    paired = sum(1 for each in rounds if each.stage == present.number)
    return Snapshot(
        length=length,
        tournament=stored,
        plan=course.plan,
        names=tuple(one_line(entrant.name) for entrant in stored.entrants),
        summary=summary,
        compared=compared,
        text=comparison_text(compared, _TEXT_WIDTH) if compared else "",
        rounds=rounds,
        coming=course.rounds_to_come(present, paired),
        matches_of={entrant: present.matches_of(entrant) for entrant in present.entrants},
        decisions=decisions,
        places=_places(course, summary),
        intervals=length if intervals else 0,
        choices=choices_of(course),
        void=course.effects.void,
        unplayed=frozenset(course.tally.walkovers),
        histories={} if summary is None else _histories(course, summary),
    )


def _places(course: Course, summary: Summary | None) -> dict[int, int]:
    if summary is None:
        return {line.entrant: line.place for line in course.final()}
    unknown = {row.entrant for row in summary.rows if row.score is None}
    return {line.entrant: line.place for line in summary.placed if line.entrant not in unknown}


def _histories(course: Course, summary: Summary) -> dict[tuple[int, str | None], History]:
    found: dict[tuple[int, str | None], History] = {}
    for stage in (each.stage for each in summary.followed_stages):
        tables: list[tuple[str | None, Sequence[int]]] = [(each.name, each.entrants) for each in stage.groups]
        tables = tables or [(None, stage.entrants)]
        for name, entrants in tables:
            shown = frozenset(entrants) - summary.absent
            found[stage.number, name] = history(course, stage, entrants, shown)
    return found


def _rounds(course: Course, stage: Stage, *, over: bool) -> list[RoundView]:
    """The rounds of a stage; `over`: whether the tournament is, so that nothing more is played."""
    rounds, far = [], course.tally.unfinished(stage.number)
    for number, round_ in course.shown_rounds(stage).items():
        matches = []
        for match in round_.matches:
            result, begun = course.tally.result(match.key), course.tally.has_begun(match.key)
            state = course.state(match)
            words = _words(state, far.get(match.key), over=over)
            if words and state in (MatchState.OPEN, MatchState.TIED) and course.effects.paused and not over:
                words += PAUSED
            matches.append(MatchView(match, result, begun, state, words))
        played = sum(each.decided for each in matches)
        rounds.append(
            RoundView(
                stage=stage.number,
                number=number,
                label=round_.label,
                matches=tuple(matches),
                byes=round_.byes,
                played=played,
                over=played == len(matches),
                newcomer=stage.newcomer(number),
            )
        )
    return rounds


def _words(state: MatchState, far: Unfinished | None, *, over: bool) -> str:
    """How far a match is, in words; `over`: whether nothing more is played."""
    match state:
        case MatchState.DECIDED:
            return "over"
        case MatchState.WALKOVER:
            return WALKOVER
        case MatchState.TIED:
            return "tied" if over else TIED
        case MatchState.GIVEN_UP:
            return "given up"
    return so_far(*far) if far is not None else NOT_PLAYED if over else ""


def deal_parts(key: GameKey, seats: int) -> list[str]:
    """A board, and how the bots sit at it unless they sit as planned: `board 2`, `seats swapped`."""
    seating = "seats swapped" if seats == 2 else f"seating {key.rotation + 1}"
    return [f"board {key.board + 1}", *([seating] if key.rotation else [])]


def isolated(name: str) -> str:
    """A name for a sentence, isolated so that right-to-left letters do not reorder the text around it."""
    return f"\u2068{name}\u2069"


def headline(snapshot: Snapshot | None) -> str:
    """The state of the tournament in one sentence."""
    if snapshot is None:
        return "No tournament has begun yet."
    summary = snapshot.summary
    if summary is None:
        return _found(snapshot) or one_line(snapshot.tournament.name)
    if not summary.games:
        return "No results yet."
    first = [isolated(snapshot.names[line.entrant]) for line in summary.final if line.place == 1]
    if snapshot.finished or summary.stages[-1].bracket is not None:
        winner = summary.stages[-1].bracket.winner if summary.stages[-1].bracket else None
        if winner is not None:
            return f"{isolated(snapshot.names[winner])} wins."
    if snapshot.finished:
        if summary.ended is not None:
            last = summary.stages[-1]
            after = so_far(last.played, last.matches, "match", "matches")
            return f"Ended early after {after}: {joined(first)} {'is' if len(first) == 1 else 'are'} first."
        return f"{joined(first)} {'wins' if len(first) == 1 else 'win together'}."
    stage = summary.stages[-1]
    if stage.bracket is not None:
        over = sum(each.played for each in snapshot.rounds if each.stage == snapshot.rounds[-1].stage)
        matches = so_far(over, stage.matches, "match", "matches")
        return f"{stage.title.capitalize()}: {matches} over."
    return _leading(summary.leading, snapshot.names, _how_early(summary, stage))


def _how_early(summary: Summary, stage: StageSummary) -> str:
    """How much of a stage is played, as the end of a sentence; empty if all is, or if it has no end."""
    if stage.matches in (None, stage.played):
        return ""
    if stage.played:
        return f" after {so_far(stage.played, stage.matches, 'match', 'matches')}"
    return f" after {so_far(summary.games, summary.total)}"


def _found(snapshot: Snapshot) -> str:
    """The finding of a race, or of a comparison of two over all games; empty if there is no single one."""
    compared = snapshot.compared
    if compared is not None and compared.race is not None:
        words = race_words(compared, compared.race)
        return f"{words[0].upper()}{words[1:]}."
    pairs = compared.pairs if compared is not None else ()
    if len(pairs) != 1:
        return ""
    one, other = (isolated(snapshot.names[entrant]) for entrant in (pairs[0].one, pairs[0].other))
    return short_finding(pairs[0].answers[0].finding, one, other)


def _leading(
    ranked: Sequence[tuple[int, int, Fraction | float | None]],
    names: Sequence[str],
    after: str,
) -> str:
    """Who leads, and by how much in the numbers that the tables show.

    Args:
        ranked: the rank, the entrant and the score of each, the best first.
        names: the names of all entrants, by number.
        after: how early it is, as the end of a sentence.
    """
    if not ranked:
        return "No bot is ranked yet."
    if (most := ranked[0][2]) is None:
        return "No game counts yet."
    best = [isolated(names[entrant]) for rank, entrant, _ in ranked if rank == ranked[0][0]]
    if len(best) > 1:
        return f"{joined(best[:3])} lead together{after}."
    if len(ranked) == 1 or (second := ranked[1][2]) is None:
        return f"{best[0]} leads{after}."
    if second == most:
        return f"{best[0]} leads by tie-breaks{after}."
    lead = Decimal(percent(most)) - Decimal(percent(second))
    return f"{best[0]} leads by {lead or 'less than 0.1'}{after}."
