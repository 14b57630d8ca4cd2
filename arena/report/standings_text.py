"""The standings of a tournament as text: tables, and sentences below them. Names are printed as they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from arena.games import GAMES
from arena.league.summary import RANKED_FROM, LadderSummary, Made, StageSummary, Summary, Unplaced
from arena.report.bracket_text import bracket_lines, final_by_seed
from arena.report.tables import (
    NAME_IN_TEXT,
    WIDTH,
    Column,
    games_a_pair,
    interval,
    name_column,
    percent,
    percent_interval,
    rating_text,
    short,
    shortened,
    so_far,
    split_table,
    table,
    whole_percent,
    wrapped,
)
from arena.results import FAULT_REASONS, GameKey
from arena.standings.certain import Places
from arena.standings.unseating import MOST
from arena.standings.values import Crosstable, Cycle, NashAverage, Rating, Row
from arena.table.deal import pledges_digest
from arena.text import counted, joined, one_line
from arena.tournament.rulings import Withdraw

SCORE = "score: mean match score in %, from the share of opponents beaten in each game (a tie is half)"
UNFINISHED = "unfinished: a match that is not over counts as far as it is played"
EXPECTED = (
    "score: expected against the whole field, from the ratings, the same weight for each game; the results "
    "themselves mislead, since opponents are chosen"
)
"""The meaning of the scores of a ladder."""
BESIDE_BOUNDS = (
    "Intervals and bounds together hold in 95 of 100 cases. Intervals beside bounds alone hold less often, "
    "since luck decides which bot has an interval"
)
"""The limit of intervals where some entrants have a bound, as in a gauntlet with a bot far above the rest."""
BY_RATING = (
    "certain: the bot is between these places in the long run, by rating; with 95 % all these places are "
    "right together"
)
"""The meaning of the certain places of a tournament that is over."""
CERTAIN = (
    "certain: the bot is between these places; with 95 % all intervals of a column, and all these places, "
    "are right together, at every moment of the season"
)
"""The same of a ladder."""
PROVISIONAL = f"provisional: not ranked before it has {RANKED_FROM} boards in each game"
"""The meaning of the word behind a bot of a ladder."""
_RESULTS = "W-D-L: matches won, drawn and lost"
TIE_BREAKS = {
    "DE": "direct encounter, the match points that those of equal score took from each other",
    "SB": "Sonneborn-Berger, the match points from each opponent times those of that opponent",
    "WIN": "matches in which nobody else scored as much",
    "KS": "Koya, the match points from opponents with a score of 50.0 or more",
    "BH": "Buchholz, the sum of the opponents' match points",
    "BH-C1": "Buchholz without the lowest opponent",
}
"""The meaning of the codes of the tie-breaks."""
NASH = (
    "Nash: what a bot scores, in %, against the mix of bots from which none takes more than 50.0 "
    "(the Nash equilibrium of greatest entropy); it has no interval"
)
_ADVANCES = "◀"
_ADVANCING = f"{_ADVANCES}: advances to the next stage, as it stands"
_MATCH_POINTS = "match points: 1 for a match in which every opponent was beaten in every game"
_SHORT_FAULTS = {
    "timeout": "time",
    "illegal_action": "illeg",
    "unknown_turn": "turn",
    "crash": "",
    "disconnect": "disc",
    "protocol": "prot",
}
_INTERVAL = "95% interval"
K = TypeVar("K")
_MOST = 3  # the most cycles, and names, that are listed


def summary_text(summary: Summary, width: int = WIDTH) -> str:
    """All tables of a tournament: each stage, faults and times, and last the final ranking.

    Args:
        summary: the tournament.
        width: the cells of a line; a table that is too wide gets shorter headings, then is split, then has
            its names cut.
    """
    return "\n".join(_Text(summary, width).blocks())


def standings_columns(
    rows: Sequence[Row],
    names: Sequence[str],
    games: Sequence[str] = (),
    *,
    duels: bool | None = None,
    played: str = "",
    absent: Collection[int] = (),
) -> list[Column]:
    """The first columns of every table of standings.

    Args:
        rows: the standings.
        names: the names of all entrants, by number.
        games: the games whose scores have a column each.
        duels: whether matches won, drawn and lost are shown; None to show them if there are any.
        played: the short heading of the matches played.
        absent: the entrants without a decision, which have no rank.
    """
    if duels is None:
        duels = any(row.wins or row.draws or row.losses for row in rows)
    titles = [GAMES[game].title for game in games]
    shorts = [*map(_initials, titles)]
    if len(set(shorts)) < len(shorts):
        shorts = titles
    return [
        Column("#", ["-" if row.entrant in absent else str(row.rank) for row in rows]),
        name_column("bot", [names[row.entrant] for row in rows]),
        Column("played", [str(row.matches) for row in rows], short=played),
        Column("score", [percent(row.score) for row in rows]),
        *(
            Column(title, [percent(row.games[at].score) for row in rows], short=shorts[at])
            for at, title in enumerate(titles)
        ),
        *[Column("W-D-L", [f"{row.wins}-{row.draws}-{row.losses}" for row in rows])] * duels,
        *[Column("unfinished", [unfinished_words(row) for row in rows], short="unf", left=True)]
        * any(row.unfinished for row in rows),
    ]


def unfinished_words(row: Row) -> str:
    """How far the unfinished matches of an entrant are, such as `7 of 10 games`; empty without any."""
    return "" if row.unfinished is None else so_far(*row.unfinished)


def places(summary: Summary) -> list[str]:
    """The places of the final ranking as texts: none of an entrant without a decision."""
    absent = summary.absent | summary.unplaced.keys()
    return ["-" if line.entrant in absent else str(line.place) for line in summary.final]


def fault_words(charged: Sequence[int], times: str = "") -> str:
    """The number of faults of each kind, and of forfeits if they are given."""
    reasons = (*FAULT_REASONS, "forfeit")
    return ", ".join(
        f"{count}{times} {reason.replace('_', ' ')}"
        for count, reason in zip(charged, reasons, strict=False)
        if count
    )


def _initials(title: str) -> str:
    words = title.replace("-", " ").split()
    return "".join(word[0].upper() for word in words) if len(words) > 1 else title[:3]


class _Text:
    """Writes the text of a summary."""

    def __init__(self, summary: Summary, width: int) -> None:
        self._summary = summary
        self._width = width
        self._known = set[str]()  # the headings that were explained
        self._names = [one_line(entrant.name) for entrant in summary.tournament.entrants]

    def blocks(self) -> Iterator[str]:
        summary, tournament = self._summary, self._summary.tournament
        state = "" if tournament.finished else " (paused)" if summary.paused else " (not finished)"
        if summary.ended is not None:
            state = f" (ended early: {one_line(summary.ended)})" if summary.ended else " (ended early)"
        entrants = counted(len(tournament.entrants), "entrant")
        yield from self._wrapped(
            f"{one_line(summary.plan.name)}{state}: {entrants}, {counted(summary.games, 'game')}"
        )
        for stage in summary.stages:
            yield ""
            yield from self._stage(stage)
        yield ""
        yield from self._faults_and_times()
        yield ""
        for change in summary.alterations:
            because = f" ({one_line(change.reason)})" if change.reason else ""
            yield from self._wrapped(f"{one_line(change.ruling.words(self._names))}{because}.")
        for item in summary.withdrawals:
            yield from self._wrapped(self._withdrawal(item))
        yield from self._wrapped(f"cards: {summary.plan.shared_cards_text}.")
        yield "commitment to the deals, sha256:"
        yield f"  {tournament.key_commitment}"
        contributed = summary.contributed
        if contributed is not None:
            yield "digest of what the bots pledged for them, sha256:"
            yield f"  {pledges_digest(contributed.pledged).hex()}"
        if tournament.key is not None:
            yield "key of the deals:"
            yield f"  {tournament.key.hex()}"
            if contributed is not None and contributed.given:
                yield "bytes that the bots put in:"
                for entrant, given in contributed.given.items():
                    yield f"  {given.hex()}  {self._names[entrant]}"
        yield ""
        yield "Final ranking" if tournament.finished else "Ranking so far"
        yield from self._final()

    def _stage(self, stage: StageSummary) -> Iterator[str]:
        seats = f", tables of {stage.stage.seats}" if stage.stage.seats > 2 else ""
        matches = so_far(stage.played, stage.matches, "match", "matches")
        played = "" if stage.played == stage.matches else f", {matches} played"
        yield from self._wrapped(f"Stage {stage.stage.number + 1}: {stage.title}{seats}{played}")
        if stage.bracket is not None:
            yield ""
            yield from bracket_lines(
                stage.bracket,
                self._names,
                stage.begun,
                self._width,
                over=self._summary.tournament.finished is not None,
                paused=self._summary.paused,
            )
            if any(row.score is not None for row in stage.rows):
                yield ""
                yield "Scores in this stage"
                yield from self._standings(stage.rows)
            return
        for group in stage.groups:
            yield ""
            yield f"Group {group.name}"
            yield from self._ranked(group.rows, group.crosstable, stage.advancing)
        if not stage.groups:
            yield from self._ranked(stage.rows, stage.crosstable)

    def _ranked(
        self, rows: Sequence[Row], crosstable: Crosstable, advancing: Collection[int] = ()
    ) -> Iterator[str]:
        """Standings with their crosstable."""
        yield from self._standings(rows, advancing)
        if len(rows) > 1:
            yield ""
            yield from self._wrapped(
                "Who beat whom: score of the row against the column, in whole %, "
                f"from {games_a_pair(crosstable)}"
            )
            yield from self._crosstable(crosstable)

    def _standings(self, rows: Sequence[Row], advancing: Collection[int] = ()) -> Iterator[str]:
        games = self._summary.plan.games
        columns = standings_columns(
            rows, self._names, games if len(games) > 1 else (), played="pl", absent=self._summary.absent
        )
        headings = [column.heading for column in columns]
        two_seats, unfinished = "W-D-L" in headings, "unfinished" in headings
        if advancing:
            columns.append(Column(_ADVANCES, [_ADVANCES * (row.entrant in advancing) for row in rows]))
        yield from table(columns, self._width)
        yield from self._explained(
            SCORE, *[_RESULTS] * two_seats, *[UNFINISHED] * unfinished, *[_ADVANCING] * bool(advancing)
        )
        if used := [row for row in rows if row.tie_breaks]:
            yield ""
            yield from self._tie_breaks(used)

    def _tie_breaks(self, rows: Sequence[Row]) -> Iterator[str]:
        rules = self._summary.plan.tie_break_rules
        yield from self._wrapped(f"Equal scores, ranked by tie-breaks in this order ({rules})")
        texts = ["  ".join(f"{item.code} {short(item.value)}" for item in row.tie_breaks) for row in rows]
        columns = [
            Column("#", [str(row.rank) for row in rows]),
            self._bots(row.entrant for row in rows),
            Column("score", [percent(row.score) for row in rows]),
            Column("tie-breaks", texts, left=True, least=20),
        ]
        yield from table(columns, self._width)
        codes = dict.fromkeys(item.code for row in rows for item in row.tie_breaks)
        yield from self._explained(*(f"{code}: {TIE_BREAKS[code]}" for code in codes), _MATCH_POINTS)

    def _crosstable(self, crosstable: Crosstable) -> Iterator[str]:
        entrants, cells = crosstable
        numbers = [str(number + 1) for number in range(len(entrants))]
        texts = [["x" if cell is None else whole_percent(cell.score) for cell in row] for row in cells]
        columns = [
            Column(number, each) for number, each in zip(numbers, zip(*texts, strict=True), strict=True)
        ]
        return split_table([Column("#", numbers), self._bots(entrants)], columns, self._width)

    def _final(self) -> Iterator[str]:
        summary, tournament = self._summary, self._summary.tournament
        ratings = {rating.entrant: rating for rating in summary.ratings}
        order = [line.entrant for line in summary.final]
        columns = [
            Column("place", places(summary)),
            *certain_columns(summary.certain_places, order),
            self._bots(order),
            Column("score", [percent(share.score) for share in summary.shares]),
            Column(
                _INTERVAL,
                [percent_interval(share.low, share.high) for share in summary.shares],
                short="95%",
            ),
            Column("rating", [rating_text(ratings[entrant]) for entrant in order]),
            Column(_INTERVAL, [interval(ratings[entrant]) for entrant in order], short="95%"),
            *nash_columns(summary.nash, order),
        ]
        if summary.unplaced:
            columns.append(Column("", [summary.unplaced.get(entrant, "") for entrant in order], left=True))
        for what in ("version", "author"):
            texts = [getattr(tournament.entrants[entrant], what) for entrant in order]
            if any(texts):
                columns.append(name_column(what, texts))
        yield from table(columns, self._width)
        if summary.podium and (words := first_place_words(summary, self._name)):
            yield from self._wrapped(words)
        if words := unseating_words(summary, self._name):
            yield from self._wrapped(f"{words}{self._unseating_boards()}.")
        for note in rating_notes(summary, self._name):
            yield from self._wrapped(note)
        last = summary.stages[-1]
        if last.bracket is not None and final_by_seed(last.bracket):
            winner = self._name(summary.final[0].entrant)
            yield from self._wrapped(
                f"The final was tied and is decided by seed: the winner is {winner}, the better seed."
            )

    def _unseating_boards(self) -> str:
        boards = [*map(board_text, self._summary.unseating.boards)] if self._summary.unseating else []
        if len(boards) > _MOST:
            boards = [*boards[:_MOST], counted(len(boards) - _MOST, "other")]
        return f": {joined(boards)}" if boards else ""

    def _withdrawal(self, item: Made[Withdraw]) -> str:
        because = f" ({one_line(item.reason)})" if item.reason else ""
        consequence = item.ruling.consequence(self._summary.plan, f"stage {item.ruling.stage + 1}")
        return f"{self._name(item.ruling.entrant)} was withdrawn{because}: {consequence}."

    def _faults_and_times(self) -> Iterator[str]:
        rows = self._summary.rows
        columns = [self._bots(row.entrant for row in rows)]
        for number, reason in enumerate(FAULT_REASONS):
            column = Column(
                reason.replace("_", " "),
                [str(row.faults[number]) for row in rows],
                short=_SHORT_FAULTS[reason],
            )
            columns += [column] * any(row.faults[number] for row in rows)
        forfeits = Column("forfeits", [str(row.forfeits) for row in rows], short="forf")
        columns += [forfeits] * any(row.forfeits for row in rows)
        yield "Faults and times" if len(columns) > 1 else "Times (there were no faults)"
        columns.append(Column("decisions", [str(row.decisions) for row in rows], short="turns"))
        columns.append(
            Column(
                "ms/decision",
                [
                    "-" if row.time_per_decision is None else f"{float(row.time_per_decision) / 1000:.2f}"
                    for row in rows
                ],
                short="ms",
            )
        )
        yield from table(columns, self._width)

    def _explained(self, *texts: str) -> Iterator[str]:
        """The meaning of a table's headings and codes, each below the first table that has it."""
        for text in texts:
            if text not in self._known:
                self._known.add(text)
                yield from self._wrapped(text, "  ")

    def _bots(self, entrants: Iterable[int]) -> Column:
        return name_column("bot", [self._names[entrant] for entrant in entrants])

    def _name(self, entrant: int) -> str:
        return shortened(self._names[entrant], NAME_IN_TEXT)

    def _wrapped(self, text: str, indent: str = "") -> Iterator[str]:
        return wrapped(text, self._width, indent)


def certain_columns(certain: Mapping[K, Places], order: Sequence[K]) -> list[Column]:
    """The column of certain places; none if none are known."""
    return [Column("certain", [certain_place(certain.get(each, ())) for each in order])] if certain else []


def certain_place(found: Iterable[int], to: str = "-") -> str:
    """Between which places a bot certainly is, such as "2-4", or its one place; empty without any."""
    return to.join(map(str, dict.fromkeys(found)))


def first_place_words(summary: Summary, name: Callable[[int], str]) -> str:
    """Whether the first place is certain, and which bots it may be else; empty without certain places."""
    certain = summary.certain_places
    first = [line.entrant for line in summary.final if certain.get(line.entrant, (2, 2))[0] == 1]
    if not first:
        return ""
    if [line.entrant for line in summary.placed if line.place == 1] == first:
        return f"The first place is certain: with 95 %, {name(first[0])} is first in the long run."
    named = [*map(name, first[:_MOST])]
    if len(first) > _MOST:
        named.append(counted(len(first) - _MOST, "other"))
    some = " or ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    return f"The first place is not certain: in the long run, {some} may be first."


def unseating_words(summary: Summary, name: Callable[[int], str]) -> str:
    """What would unseat the winner, as a sentence without its full stop; empty if that is not computed."""
    found = summary.unseating
    if found is None:
        return ""
    last = summary.stages[-1].stage
    of = f"{counted(found.of, 'board')} of all matches"
    if len(summary.plan.stages) > 1:
        of += f" of stage {last.number + 1}"
    pairings = ", with the same pairings" if last.pairs_by_score else ""
    if found.rival is None:
        some = "" if found.of <= MOST else f"{MOST} "
        return (
            f"Whichever {some}of the {of} are left out, no bot has a higher score than "
            f"{name(found.winner)}{pairings}"
        )
    if not found.boards:
        return f"{name(found.winner)} and {name(found.rival)} have the same score"
    return (
        f"Without {len(found.boards)} of the {of}, {name(found.rival)} would have a higher score than "
        f"{name(found.winner)}{pairings}"
    )


def board_text(board: GameKey) -> str:
    """The name of a match's board, such as 1.3.2/nyuri/1, by one of its games."""
    return str(board).rpartition(".")[0]


def islands_of(ratings: Sequence[Rating]) -> list[list[int]]:
    """The sets of entrants that no chain of games connects; none if all rated entrants are connected."""
    found: dict[int, list[int]] = {}
    for rating in ratings:
        if rating.groups:
            found.setdefault(rating.island, []).append(rating.entrant)
    return [found[number] for number in sorted(found)] if len(found) > 1 else []


def score_notes(summary: Summary) -> Iterator[str]:
    """What the scores and places of the final ranking mean, as far as that is not plain."""
    ladder = isinstance(summary, LadderSummary)
    if ladder:
        yield EXPECTED
    elif len(summary.plan.games) > 1:
        yield "score: the mean of the scores in each game, on all boards"
    if summary.certain_places:
        yield CERTAIN if ladder else BY_RATING
    if Unplaced.PROVISIONAL in summary.unplaced.values():
        yield PROVISIONAL


def rating_of(summary: Summary) -> str:
    """Of what the ratings beside the final ranking are."""
    return "the mean of all games" if isinstance(summary, LadderSummary) else "all games pooled"


def rating_notes(summary: Summary, name: Callable[[int], str]) -> Iterator[str]:
    """The sentences below the final ranking."""
    several = len(summary.plan.games) > 1
    yield from score_notes(summary)
    of = f", {rating_of(summary)}" if several else ""
    by_score = any(stage.stage.pairs_by_score for stage in summary.stages)
    yield from fit_notes(summary.ratings, of, by_score=by_score)
    if islands := islands_of(summary.ratings):
        yield _unconnected(islands, name)
    yield from cycle_notes(summary.cycles, name)
    if several:
        for game, cycles in summary.game_cycles.items():
            yield from cycle_notes(cycles, name, f"In {GAMES[game].title} ")
    if summary.nash:
        yield NASH


def fit_notes(
    ratings: Sequence[Rating], of: str = "", *, by_score: bool = False, whole: str = "their mean"
) -> Iterator[str]:
    """What the ratings of a table are, and how to read them.

    Args:
        ratings: all ratings of the fit.
        of: what the fit is of, after a comma; empty if that is plain.
        by_score: whether some of the games belong to a Swiss.
        whole: what 1500 is if all are anchors.
    """
    rated = [rating for rating in ratings if rating.groups]
    anchors = [rating for rating in rated if rating.anchor]
    mean = whole if len(anchors) == len(rated) else f"the mean of the {len(anchors)} best known"
    where = f", 1500 is {mean}" if anchors and not islands_of(ratings) else ""
    yield f"rating: Bradley-Terry{of}; 400 points are odds of 10 to 1{where}"
    if any(rating.bound for rating in rated):
        yield (
            "above, below: it lost nothing, or won nothing, that would bound its rating on the other side; "
            "a result so clean has a chance of 2.5 % at the bound"
        )
        yield BESIDE_BOUNDS
    if by_score:
        yield (
            "A Swiss pairs by results, which makes ratings of the best too high and of the worst too low. "
            "So each rating is the mean of two: of the results alone, and as if each bot had also played "
            "three level boards against one average bot. The interval holds the intervals of both"
        )


def _unconnected(islands: Sequence[Sequence[int]], name: Callable[[int], str]) -> str:
    sets = ", ".join(f"({_names(island, name)})" for island in islands[:_MOST])
    more = f" and {len(islands) - _MOST} more" if len(islands) > _MOST else ""
    return (
        f"No chain of games connects these sets of bots: {sets}{more}. Each has a 1500 of its own: "
        "compare ratings within a set only, until they have met."
    )


def cycle_notes(cycles: Sequence[Cycle], name: Callable[[int], str], where: str = "") -> Iterator[str]:
    """The sentences that name cycles, `where` they are."""
    for cycle in cycles[:_MOST]:
        a, b, c = map(name, cycle.entrants)
        first, second, third = (f"{score * 100:.0f} %" for score in cycle.scores)
        yield (
            f"{where}{a} beats {b} ({first}), {b} beats {c} ({second}) and {c} beats {a} ({third}), "
            "by more than chance explains. A rating cannot show that: which of the three is rated best "
            "depends on who else plays."
        )
    if len(cycles) > _MOST:
        there = f"{where}there are" if where else "There are"
        yield f"{there} {counted(len(cycles) - _MOST, 'more such cycle')}."


def nash_columns(averages: Mapping[int, NashAverage], order: Sequence[int]) -> list[Column]:
    """The column of Nash averages, which stands beside the ratings where a cycle is named, and else not."""
    found = [averages.get(entrant) for entrant in order]
    return [Column("Nash", [percent(each and each.score) for each in found])] if any(found) else []


def _names(entrants: Sequence[int], name: Callable[[int], str]) -> str:
    named = ", ".join(map(name, entrants[:_MOST]))
    return named if len(entrants) <= _MOST else f"{named} and {len(entrants) - _MOST} more"
