"""The findings of a comparison: as text, as plain data for JSON, and as rows of a spreadsheet."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from arena.comparison.comparison import Racer
from arena.comparison.independence import DOUBTFUL, Independence
from arena.comparison.question import Estimate, Finding
from arena.comparison.race import RaceFinding
from arena.games import GAMES
from arena.league.compared import Answer, Compared, ComparisonSummary, Conducted, RaceSummary
from arena.report.standings_text import fault_words
from arena.report.tables import (
    WIDTH,
    Column,
    decimal,
    name_column,
    percent,
    percent_interval,
    spreadsheet,
    table,
    wrapped,
)
from arena.results import FAULT_REASONS
from arena.text import counted, joined, one_line

OVERALL = "all games"


def comparison_text(summary: ComparisonSummary, width: int = WIDTH) -> str:
    """The state of a comparison: for each pair a table, and the findings in words.

    Args:
        summary: the comparison.
        width: the cells of a line.
    """
    return "\n".join(_Text(summary, width).lines())


def short_finding(finding: Finding | None, one: str, other: str) -> str:
    """The finding about two bots as a short sentence; empty if there is none yet."""
    match finding:
        case Finding.BETTER:
            return f"{one} is better than {other}."
        case Finding.WORSE:
            return f"{other} is better than {one}."
        case Finding.NO_DIFFERENCE:
            return f"{one} and {other} are about as good."
        case None:
            return ""


def _no_difference(summary: ComparisonSummary) -> str:
    return f"no difference of {number(summary.format_.margin)} percentage points or more"


def finding_words(summary: ComparisonSummary, pair: Compared, answer: Answer) -> str:
    """The finding about a question, as a sentence without its full stop."""
    names = summary.tournament.entrants
    one, other = one_line(names[pair.one].name), one_line(names[pair.other].name)
    where = "in all games together" if answer.game is None else f"in {GAMES[answer.game].title}"
    boards = answer.estimate.boards
    unit = "board" if answer.game else "round"
    if answer.estimate.score is None:
        return f"nothing is known {where}: no {unit} is over"
    if answer.level == boards > 0 and all(each.alike == len(each.scores) for each in _games_of(pair, answer)):
        played = f"the only {unit} is" if boards == 1 else f"all {boards:,} {unit}s are"
        return f"{played} level {where}: they play alike"
    over = f"{interval_words(answer.estimate)} after {counted(boards, unit)}"
    if summary.race is not None:  # which asks about the best bot, and not about each pair
        return f"{interval_words(answer.estimate)} {where} after {counted(boards, unit)} for {one}"
    match answer.finding:
        case Finding.BETTER:
            text = f"{one} is better {where}: {over}"
        case Finding.WORSE:
            text = f"{other} is better {where}: {one} has {over}"
        case Finding.NO_DIFFERENCE:
            text = f"{_no_difference(summary)} {where}: {over}"
        case None if not summary.format_.stops:
            return f"nothing is clear {where}: {over}, settled beforehand, do not say which is better"
        case None if summary.over:
            enough = "was not enough" if boards == 1 else "were not enough"
            return f"still open {where}: {counted(boards, unit)} {enough}; {interval_words(answer.estimate)}"
        case None:
            return f"still open {where}: {over}"
    if summary.format_.stops:
        return f"{text}; {_errs(answer.error)} ever {_err(answer.error)} here"
    return f"{text}, settled beforehand; about {_errs(answer.error)} {_err(answer.error)} here"


def _errs(error: float) -> str:
    return f"at most {number(100 * error)} of 100 such comparisons"


def _err(error: float) -> str:
    return "errs" if error == 0.01 else "err"


def race_columns(racers: Sequence[Racer], finding: RaceFinding | None, names: Sequence[str]) -> list[Column]:
    """The columns of the table of a race."""
    states = [racer_state(each, finding) for each in racers]
    return [
        name_column("bot", [names[each.bot] for each in racers]),
        Column("score", [percent(each.score) for each in racers]),
        Column("rounds", [str(each.rounds) for each in racers]),
        Column("state", states, left=True),
    ]


def racer_state(racer: Racer, finding: RaceFinding | None) -> str:
    """The state of a bot in a race, in a word or two."""
    if not racer.left:
        return "out"
    return "last left" if finding is RaceFinding.BEST else "may be best"


def race_words(summary: ComparisonSummary, race: RaceSummary) -> str:
    """The finding of a race, as a sentence without its full stop."""
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    error = summary.format_.rule.overall.error
    where = (
        "in all games together" if len(summary.plan.games) > 1 else f"in {GAMES[summary.plan.games[0]].title}"
    )
    sure = f"{_errs(error)} ever {_err(error)} about the best bot"
    over = f"after {counted(race.rounds, 'round')}"
    left = [names[each.bot] for each in race.racers if each.left]
    named = "" if race.named is None else names[race.named]
    match race.finding:
        case RaceFinding.BEST:
            return (
                f"if one of the bots beats each other one {where}, it is {named}, the last one left {over}; "
                f"whether it beats each other one was not tested; {sure}"
            )
        case RaceFinding.NO_DIFFERENCE:
            others = [name for name in left if name != named]
            each = "each of " if len(others) > 1 else ""
            return (
                f"{_no_difference(summary)} {where} between {named} "
                f"and {each}{joined(others)}, {over}: if one of the bots beats each other one, it is "
                f"{named}, or {named} is less than that behind it; {sure}"
            )
        case RaceFinding.NO_BEST:
            return f"no bot beats each other one {where}: each is beaten by another, {over}; {sure}"
        case None:
            return f"still open {where}, {over}: {joined(left)} may be the best"


def against_first(summary: ComparisonSummary, race: RaceSummary) -> dict[int, Estimate]:
    """What is known of the score of the first racer against each other bot that it met, by bot."""
    first, known = race.racers[0].bot, {}
    for pair in summary.shown_pairs:
        estimate = pair.answers[0].estimate
        if estimate.boards:  # none against a withdrawn bot
            turns = pair.other == first
            known[pair.one if turns else pair.other] = turned(estimate) if turns else estimate
    return known


def turned(estimate: Estimate) -> Estimate:
    """The estimate for the other bot of the pair."""
    score = None if estimate.score is None else 1 - estimate.score
    return estimate._replace(score=score, low=1 - estimate.high, high=1 - estimate.low)


def error_words(summary: ComparisonSummary) -> str:
    """The chance that any of the findings is wrong, in words."""
    errors = summary.errors
    if summary.race is not None:
        return (
            "The chance that the finding is ever wrong about the best bot is at most "
            f"{number(100 * errors.findings)} %, however many bots there are. Each interval is right "
            "by itself, and not all of them together."
        )
    parts = " + ".join(
        f"{f'{count} x ' if count > 1 else ''}{number(100 * error)} %"
        for error, count in sorted(errors.parts.items(), reverse=True)
    )
    questions = counted(sum(errors.parts.values()), "question")
    if errors.all >= 1:
        return (
            f"Of {questions}: the chances of wrong findings sum up to {number(100 * errors.findings)} % "
            f"({parts}), so nothing is promised of all of them together."
        )
    if not summary.format_.stops:
        return (
            f"Of {questions}: the chance that any finding or interval is wrong is at most about "
            f"{number(100 * errors.all)} % ({parts})."
        )
    return (
        f"Of {questions}: the chance that any finding is ever wrong is at most "
        f"{number(100 * errors.findings)} % ({parts}); that any finding or interval is, "
        f"{number(100 * errors.all)} %."
    )


def doubt_words(pair: Compared) -> str:
    """The warning that the boards of a pair hang together; empty if they do not seem to."""
    doubts = [
        f"{OVERALL if answer.game is None else GAMES[answer.game].title} ({', '.join(_doubts(known))})"
        for answer in pair.answers
        if (known := answer.independence) is not None and known.doubtful
    ]
    if not doubts:
        return ""
    return (
        f"Warning: boards hang together in {', '.join(doubts)}. A bot may have learned or changed. "
        "Findings and intervals hold for independent boards; here they are wrong more often."
    )


def _doubts(known: Independence) -> Iterator[str]:
    """The signs of boards that are not independent, in words."""
    if known.apart >= DOUBTFUL:
        first, second = known.halves
        yield f"first half {percent(first)} %, second half {percent(second)} %"
    if known.alike >= DOUBTFUL:
        assert known.correlation is not None
        yield f"correlation of neighbours {known.correlation:.2f}"


def _games_of(pair: Compared, answer: Answer) -> Sequence[Answer]:
    """The answers about single games that belong to a question."""
    return pair.games if answer.game is None else (answer,)


def interval_words(estimate: Estimate) -> str:
    """The mean score with its interval, such as `91.8 % (89.0 to 94.1)`."""
    assert estimate.score is not None
    return f"{percent(estimate.score)} % ({percent(estimate.low)} to {percent(estimate.high)})"


def number(value: float) -> str:
    """A number with at most two decimals."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


class _Text:
    """Writes the text of a comparison."""

    def __init__(self, summary: ComparisonSummary, width: int) -> None:
        self._summary = summary
        self._width = width
        self._names = [one_line(entrant.name) for entrant in summary.tournament.entrants]

    def lines(self) -> Iterator[str]:
        """All lines."""
        summary = self._summary
        state = "" if summary.over else " (not finished)"
        if summary.ended:
            state = " (ended early)"
        seats = summary.format_.seats
        how = (
            "every board from both seats" if seats == 2 else f"tables of {seats}, every board from all seats"
        )
        yield from self._wrapped(
            f"{one_line(summary.plan.name)}{state}: {how}, {counted(summary.games, 'game')}"
        )
        if summary.race is not None:
            yield ""
            yield from self._race(summary.race)
        else:
            for pair in summary.pairs:
                yield ""
                yield from self._pair(pair)
        yield ""
        yield from self._wrapped(error_words(summary))
        if summary.can_go_on:
            more = "--cap" if summary.format_.stops else "--boards"
            what = "may answer what is open" if summary.format_.stops else "would make the intervals shorter"
            yield from self._wrapped(
                f"More boards {what}: the same command with a larger {more} goes on here."
            )
        yield ""
        yield from self._legend()
        for entrant in summary.withdrawn:
            left = (
                "the race goes on as if it had not been there"
                if summary.race is not None
                else "what it had left was not played, so what is open about it stays open"
            )
            yield from self._wrapped(f"{self._names[entrant]} was withdrawn; {left}.")
        if summary.extended and not summary.format_.stops:
            yield from self._wrapped(
                f"Boards were added to the first {number(summary.format_.cap)}: if that was decided after "
                "a look at the results, the intervals promise too much."
            )
        yield from self._faults()

    def _race(self, race: RaceSummary) -> Iterator[str]:
        """The bots of a race, the finding, and how the first one did against each other one."""
        yield from table(race_columns(race.racers, race.finding, self._names), self._width)
        yield from self._wrapped(f"- {race_words(self._summary, race)}.")
        yield ""
        yield f"{self._names[race.racers[0].bot]} against each other bot:"
        known = [(self._names[bot], estimate) for bot, estimate in against_first(self._summary, race).items()]
        yield from table(
            [
                name_column("bot", [name for name, _ in known]),
                Column("score", [percent(estimate.score) for _, estimate in known]),
                Column("interval", [percent_interval(each.low, each.high) for _, each in known]),
                Column("rounds", [str(estimate.boards) for _, estimate in known]),
            ],
            self._width,
        )
        for pair in self._summary.shown_pairs:
            if warning := doubt_words(pair):
                yield from self._wrapped(warning)

    def _pair(self, pair: Compared) -> Iterator[str]:
        one, other = self._names[pair.one], self._names[pair.other]
        if len(self._summary.pairs) > 1 or self._summary.format_.seats > 2:
            company = self._company(pair)
            yield from self._wrapped(f"{one} against {other}{company}")
        answers = pair.answers
        yield from table(
            [
                name_column(
                    "game", [GAMES[answer.game].title if answer.game else OVERALL for answer in answers]
                ),
                Column("score", [percent(answer.estimate.score) for answer in answers]),
                Column("interval", [percent_interval(a.estimate.low, a.estimate.high) for a in answers]),
                Column("boards", [str(answer.estimate.boards) for answer in answers]),
                Column("W-D-L", [f"{answer.won}-{answer.level}-{answer.lost}" for answer in answers]),
                Column("points", [_points(answer) for answer in answers]),
                Column("ms/decision", [_pace(answer) for answer in answers], short="ms/d"),
            ],
            self._width,
        )
        for answer in answers:
            sentence = finding_words(self._summary, pair, answer)
            yield from self._wrapped(f"- {sentence}.")
        if replaced := _replaced_words(pair):
            yield from self._wrapped(f"- {replaced}.")
        yield from self._less_luck(pair)
        if warning := doubt_words(pair):
            yield from self._wrapped(warning)
        yield from self._how_they_played(pair)

    def _less_luck(self, pair: Compared) -> Iterator[str]:
        """The answers with luck taken away, if they were asked for and are more precise."""
        one, other = self._names[pair.one], self._names[pair.other]
        words = {
            Finding.BETTER: f"{one} is better",
            Finding.WORSE: f"{other} is better",
            Finding.NO_DIFFERENCE: _no_difference(self._summary),
            None: "nothing is clear",
        }
        if self._summary.format_.stops:
            yield from self._bets_on_less_luck(pair)
            return
        for answer in pair.games:
            if answer.game is not None and (less := answer.less_luck) is not None:
                yield from self._wrapped(
                    f"- with luck taken away in {GAMES[answer.game].title} by the baseline {less.baseline}: "
                    f"{interval_words(less.estimate)}, "
                    f"as precise as about {less.factor:.1f} times as many boards: {words[less.finding]}."
                )

    def _bets_on_less_luck(self, pair: Compared) -> Iterator[str]:
        """In which games half of the bets are on scores with luck taken away, and what that does."""
        for answer in pair.games if self._summary.format_.less_luck else ():
            if answer.game is None or not answer.scores:
                continue
            where = GAMES[answer.game].title
            if (less := answer.less_luck) is not None:
                yield from self._wrapped(
                    f"- luck is taken away in {where} for half of the bets, by the baseline {less.baseline}: "
                    f"{percent(less.estimate.score)} % "
                    f"without it, which is as precise as about {less.factor:.1f} times as many boards."
                )
            elif answer.game in self._summary.format_.baselines_of:
                yield from self._wrapped(f"- taking luck away did not help in {where}: it was given up.")

    def _company(self, pair: Compared) -> str:
        format_ = self._summary.format_
        if format_.seats == 2:
            return ""
        if format_.company == "copies":
            return f", in its place among copies of {self._names[pair.other]}"
        company = ", ".join(self._names[format_.compared :])
        return f", in the same place in the company of {company}"

    def _how_they_played(self, pair: Compared) -> Iterator[str]:
        """Whether the bots are deterministic, which boards were alike, and the boards beyond the end."""
        repeated = sum(answer.repeated for answer in pair.games)
        same = sum(answer.same for answer in pair.games)
        if repeated:
            what = (
                "they play the same board the same way every time"
                if same == repeated
                else "they do not play the same board the same way every time"
            )
            yield from self._wrapped(
                f"Of {counted(repeated, 'board')} played twice {same} went the same way: {what}."
            )
        alike = sum(answer.alike for answer in pair.games)
        if alike:
            was = "was" if alike == 1 else "were"
            yield from self._wrapped(
                f"{counted(alike, 'level board')} {was} played alike from every seat, action by action."
            )
        if pair.beyond:
            are = "is kept and does" if pair.beyond == 1 else "are kept and do"
            yield from self._wrapped(
                f"{counted(pair.beyond, 'board')} begun before the end was known {are} not count."
            )

    def _legend(self) -> Iterator[str]:
        format_ = self._summary.format_
        if self._summary.race is not None:
            yield from self._wrapped("score: mean score in %, against all that the bot met")
            error = self._summary.pairs[0].answers[0].error  # a single game has the error of a game
            yield from self._wrapped(f"interval: {number(100 - 100 * error)}%, however often one looks")
            yield from self._wrapped(f"cards: {self._summary.plan.shared_cards_text}")
            return
        kind = "however often one looks" if format_.stops else "for a number of boards settled beforehand"
        games, overall = number(100 - format_.game_error), number(100 - format_.error)
        both = any(pair.overall for pair in self._summary.pairs)
        sure = f"{games}% each, {overall}% over all games" if both else f"{games}%"
        score = "mean score of the first bot in %"
        if format_.seats > 2 and format_.company == "given":
            score = "50 % and half of what the first bot's mean score is above the other's"
        yield from self._wrapped(f"score: {score}, with its interval ({sure}, {kind})")
        yield from self._wrapped("W-D-L: boards won, level and lost by the first bot, all seats together")
        yield from self._wrapped(
            "points: the game's own points on average, of the first bot and the other: shown, not tested"
        )
        yield from self._wrapped("ms/decision: of the first bot and the other")
        yield from self._wrapped(f"cards: {self._summary.plan.shared_cards_text}")

    def _faults(self) -> Iterator[str]:
        for name, charged in zip(self._names, self._summary.charged, strict=True):
            if any(charged):
                yield from self._wrapped(f"Faults of {name}: {fault_words(charged, ' x')}.")

    def _wrapped(self, text: str) -> Iterator[str]:
        return wrapped(text, self._width, "  ")


def _points(answer: Answer) -> str:
    if answer.one.points is None or answer.other.points is None:
        return "-"
    return f"{answer.one.points:.1f} {answer.other.points:.1f}"


def _pace(answer: Answer) -> str:
    return f"{pace(answer.one)} {pace(answer.other)}"


def _replaced_words(pair: Compared) -> str:
    """How many single games one game replaces, with its interval, where that can be told."""
    known = [
        f"{games:.1f} in {GAMES[answer.game].title} ({low:.1f} to {high:.1f})"
        for answer in pair.games
        if answer.game is not None and answer.replaced is not None
        for games, low, high in [answer.replaced]
    ]
    if not known:
        return ""
    return f"one game here replaces so many single games on boards of their own (95 %): {joined(known)}"


def pace(part: Conducted) -> str:
    """Milliseconds a decision, with about three figures; `-` without decisions."""
    if not part.decisions:
        return "-"
    milliseconds = Fraction(part.time, 1000 * part.decisions)
    return f"{float(milliseconds):.{1 if milliseconds >= 10 else 2}f}"


def comparison_json(summary: ComparisonSummary) -> dict[str, Any]:
    """A comparison as plain data. Scores and errors are from 0 to 1, times in microseconds."""
    tournament, format_ = summary.tournament, summary.format_
    names = [entrant.name for entrant in tournament.entrants]
    return {
        "comparison": summary.plan.name,
        "over": summary.over,
        "settled": summary.settled,
        "can_go_on": summary.can_go_on,
        "finished": tournament.finished is not None,
        "ended_early": summary.ended,
        "games_played": summary.games,
        "seats": format_.seats,
        "stops": format_.stops,
        "margin": format_.margin / 100,
        "less_luck": format_.less_luck,
        "rounds": summary.rounds,
        "extended": summary.extended,
        "shared_cards": summary.plan.shared_cards,
        "commitment": tournament.key_commitment,
        "key": None if tournament.key is None else tournament.key.hex(),
        "entrants": [
            {
                "name": entrant.name,
                "bot": entrant.bot,
                "version": entrant.version,
                "author": entrant.author,
                "faults": dict(zip(FAULT_REASONS, charged, strict=False)),
                "forfeits": charged[-1],
            }
            for entrant, charged in zip(tournament.entrants, summary.charged, strict=True)
        ],
        "options": {game: dataclasses.asdict(summary.plan.options[game]) for game in summary.plan.games},
        "clock_ns": summary.plan.clock._asdict(),
        "withdrawn": [names[entrant] for entrant in summary.withdrawn],
        "errors": {
            "questions": sum(summary.errors.parts.values()),
            "findings": summary.errors.findings,
            "findings_and_intervals": summary.errors.all,
            "words": error_words(summary),
        },
        "race": None
        if (race := summary.race) is None
        else {
            "finding": None if race.finding is None else race.finding.value,
            "named": None if race.named is None else names[race.named],
            "rounds": race.rounds,
            "words": race_words(summary, race),
            "bots": [
                {"name": names[each.bot], "score": each.score, "rounds": each.rounds, "left": each.left}
                for each in race.racers
            ],
        },
        "pairs": [
            {
                "one": names[pair.one],
                "other": names[pair.other],
                "overall": None if pair.overall is None else _answer(summary, pair, pair.overall),
                "games": {str(answer.game): _answer(summary, pair, answer) for answer in pair.games},
                "boards_beyond": pair.beyond,
                "warning": doubt_words(pair) or None,
            }
            for pair in summary.pairs
        ],
    }


def _answer(summary: ComparisonSummary, pair: Compared, answer: Answer) -> dict[str, Any]:
    estimate = answer.estimate
    return {
        "finding": None if answer.finding is None else answer.finding.value,
        "words": finding_words(summary, pair, answer),
        "score": estimate.score,
        "low": estimate.low,
        "high": estimate.high,
        "error": answer.error,
        "anytime": estimate.anytime,
        "boards": estimate.boards,
        "found_after": answer.after,
        "boards_expected": answer.expected,
        "won": answer.won,
        "level": answer.level,
        "lost": answer.lost,
        "board_scores": answer.scores,
        **_replaced(answer),
        "played_alike": answer.alike,
        "played_twice": answer.repeated,
        "the_same_way": answer.same,
        "independence": None
        if (known := answer.independence) is None
        else {**known._asdict(), "doubtful": known.doubtful},
        "less_luck": None
        if (less := answer.less_luck) is None
        else {
            "finding": None if less.finding is None else less.finding.value,
            "score": less.estimate.score,
            "low": less.estimate.low,
            "high": less.estimate.high,
            "factor": less.factor,
            "baseline": less.baseline,
        },
        "one": _conducted(answer.one),
        "other": _conducted(answer.other),
    }


def _replaced(answer: Answer) -> dict[str, float | None]:
    games, low, high = answer.replaced or (None, None, None)
    return {"games_replaced": games, "games_replaced_low": low, "games_replaced_high": high}


def _conducted(part: Conducted) -> dict[str, Any]:
    return {
        "games": part.games,
        "points": part.points,
        "decisions": part.decisions,
        "time_us": part.time,
        "faults": dict(zip(FAULT_REASONS, part.faults, strict=True)),
        "forfeits": part.forfeits,
    }


def comparison_rows(summary: ComparisonSummary) -> Iterator[list[str]]:
    """A row of headings, then a row for each question; scores are from 0 to 1."""
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    return spreadsheet(
        [
            {"one": names[pair.one], "other": names[pair.other], **_cells(answer)}
            for pair in summary.pairs
            for answer in pair.answers
        ]
    )


def _cells(answer: Answer) -> dict[str, object]:
    estimate = answer.estimate
    return {
        "game": answer.game,
        "finding": None if answer.finding is None else answer.finding.value,
        "score": decimal(estimate.score),
        "low": decimal(estimate.low),
        "high": decimal(estimate.high),
        "error": f"{answer.error:g}",
        "anytime": "yes" if estimate.anytime else "no",
        "boards": estimate.boards,
        "found_after": answer.after,
        "won": answer.won,
        "level": answer.level,
        "lost": answer.lost,
        **{key: decimal(value) for key, value in _replaced(answer).items()},
        "points_one": decimal(answer.one.points),
        "points_other": decimal(answer.other.points),
        "ms_per_decision_one": _milliseconds(answer.one),
        "ms_per_decision_other": _milliseconds(answer.other),
        "faults_one": sum(answer.one.faults),
        "faults_other": sum(answer.other.faults),
    }


def _milliseconds(part: Conducted) -> str:
    return decimal(part.time / 1000 / part.decisions, 3) if part.decisions else ""
