"""Analyses for people and for programs: text, JSON and rows of a spreadsheet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.checkup.analysed import Analysed
from arena.checkup.analysis.bot import BotAnalysis, Cost, JudgedSeat
from arena.checkup.analysis.decision import CLOSE, DOUBT, Decision, Mistake
from arena.checkup.analysis.game import Source
from arena.checkup.analysis.weaknesses import FEW_GAMES, Weakness
from arena.report.game_log import thought_text
from arena.report.tables import Column, fitting, split_table, table, wrapped
from arena.standings.calibration import Calibration
from arena.table.record import Thought
from arena.text import counted, joined

_WEAKNESSES = 10  # how many are listed
_KINDS = 12
_PERHAPS = 3

NO_MISTAKE = "no decision was found to be a mistake"


def hundredths(score: float | None, sign: bool = False) -> str:
    """A score in hundredths: of the share of opponents beaten; `-` for none."""
    if score is None:
        return "-"
    text = f"{score * 100:+.0f}" if sign else f"{score * 100:.0f}"
    return {"-0": "0", "+0": "0"}.get(text, text)


def better_text(decision: Decision) -> str:
    """What would have been better, and by how much: `better: steal ..., +12 ± 3`."""
    return _better(decision.better.words, decision.cost, decision.error)


def mistake_text(mistake: Mistake) -> str:
    """A mistake in words: `turn 3: draw; better: steal ..., +12 ± 3`."""
    better = _better(mistake.better, mistake.cost, mistake.error)
    return f"turn {mistake.turn}: {mistake.chosen}; {better}"


def mistake_note(by: Iterable[str] = (), decisions: int = 0) -> str:
    """What a mistake is, in a sentence, and how many decisions are judged wrongly by chance.

    Args:
        by: what played the worlds to their end (`Decision.by`); empty if that is not known.
        decisions: how many were judged; 0 if that is not known.
    """
    players = joined(sorted({*by}) or ["the policy"])
    note = (
        f"A mistake costs more than its margin of error ({100 * (1 - DOUBT):.0f} % for each decision), "
        f"if all seats play on as {players}."
    )
    if decisions:
        wrong = f"{decisions * DOUBT:.1f}".removesuffix(".0")
        note += f" Of {counted(decisions, 'judged decision')}, at most {wrong} are judged wrongly on average."
    return note


def note_of(decisions: Sequence[Decision]) -> str:
    """What a mistake is among these decisions; see `mistake_note`."""
    return mistake_note((each.by for each in decisions), len(decisions))


def _better(action: str, cost: float, error: float) -> str:
    return f"better: {action}, {hundredths(cost, sign=True)} ± {hundredths(error)}"


def page_address(key: str, decision: Decision) -> str:
    """The address of the position of a decision on the page, as its seat saw it."""
    return f"/games/{key}?at={decision.ply}&view={decision.seat}"


Thoughts = Mapping[int, Thought]
"""What a seat's bot thought, by its turns."""


def game_lines(analysed: Analysed, width: int, thoughts: Sequence[Thoughts] = ()) -> Iterator[str]:
    """The analysis of a game: by seat what made its result, its mistakes, and its thoughts then."""
    yield f"{analysed.game}, game {analysed.key}"
    for seat, decisions in enumerate(analysed.decisions):
        if not decisions:
            continue
        yield ""
        yield f"seat {seat}: {analysed.names[seat]}, {_source_text(analysed.sources[seat])}"
        plies = [decision.ply + 1 for decision in decisions]
        yield from _decision_lines(decisions, width, plies, thoughts[seat] if thoughts else {})
    yield ""
    yield from wrapped(note_of([each for decisions in analysed.decisions for each in decisions]), width)


def session_lines(title: str, decisions: Sequence[Decision], width: int, thoughts: Thoughts) -> Iterator[str]:
    """The analysis of a session: its mistakes, by the numbers of their turns."""
    yield title
    yield from _decision_lines(decisions, width, [decision.turn for decision in decisions], thoughts)
    yield ""
    yield from wrapped(note_of(decisions), width)


def _decision_lines(
    decisions: Sequence[Decision], width: int, numbers: Sequence[int], thoughts: Thoughts
) -> Iterator[str]:
    """The cost of a seat's decisions, and its mistakes with the numbers of the decisions."""
    own = [decision for decision in decisions if not decision.fault]
    cost = hundredths(sum(decision.cost for decision in own))
    error = hundredths(math.hypot(*(decision.error for decision in own if decision.cost)))
    verdicts = Counter(decision.verdict for decision in decisions)
    close = ""
    if verdicts["close"]:
        close = f"in {verdicts['close']} the next action is less than {hundredths(CLOSE)} better or worse; "
    yield fitting(
        f"  {counted(len(decisions), 'decision')} cost {cost} ± {error} in all; {close}"
        f"in {verdicts['cannot tell']} it cannot tell which action is best",
        width,
        "  ",
    )
    judged = [*zip(numbers, decisions, strict=True)]
    wrong = [each for each in judged if each[1].verdict == "mistake"]
    maybe = [each for each in judged if each[1].verdict == "cannot tell" and each[1].cost > each[1].error / 2]
    maybe.sort(key=lambda each: -each[1].cost)
    for title, found in (
        ("mistakes:" if wrong else NO_MISTAKE, wrong),
        ("perhaps mistakes, the most expensive first:", maybe[:_PERHAPS]),
    ):
        if found or found is wrong:
            yield f"  {title}"
        for number, decision in found:
            by_fault = f" (played for it: {decision.fault.replace('_', ' ')})" if decision.fault else ""
            line = f"  {number:4}. {decision.choice.words}{by_fault}; {better_text(decision)}"
            yield fitting(line, width, " " * 8)
            if (thought := thoughts.get(decision.turn)) is not None:
                told = thought_text(thought, [each.words for each in decision.tried])
                yield fitting(f"        it thought: {told}", width, " " * 10)


def _source_text(source: Source) -> str:
    parts = f"deal {hundredths(source.deal, True)}, luck {hundredths(source.luck, True)}"
    parts += f", own play {hundredths(source.own, True)}, others {hundredths(source.others, True)}"
    if source.forfeits:
        parts += f", forfeits {hundredths(source.forfeits, True)}"
    return f"scored {hundredths(source.score)}: 50, {parts} (± {hundredths(source.error)})"


def bot_lines(found: BotAnalysis, width: int, own: Calibration | None = None) -> Iterator[str]:
    """The analysis of a bot: its weaknesses, costs by category, its dearest decisions, its own estimates."""
    total = found.total()
    yield f"{found.name}: {counted(len(found.played), 'game')}, {counted(total.decisions, 'decision')}"
    if (source := found.sources()) is not None:
        yield fitting(f"on average it {_source_text(source)}", width, "  ")
    if not total.decisions:
        return
    yield fitting(
        f"its decisions cost {_per_game(total)} a game, {100 * total.share:.1f} % of what it could expect; "
        f"it made {counted(total.mistakes, 'mistake')}",
        width,
        "  ",
    )
    yield from wrapped(f"  {note_of([each for _, each in found.own()])}", width, "  ")
    faults = found.faults()
    if faults.decisions:
        yield fitting(
            f"the default actions that were played for it cost {_per_game(faults)} in each of "
            f"{counted(faults.games, 'game')}",
            width,
            "  ",
        )
    yield ""
    yield "Weaknesses, the most expensive first"
    weaknesses = [each for each in found.weaknesses() if each.cost > 0][:_WEAKNESSES]
    if weaknesses:
        yield from split_table(
            [
                Column("game", [each.game for each in weaknesses], left=True),
                Column("what it does", [weakness_text(each) for each in weaknesses], left=True, least=30),
            ],
            [
                Column("times", [str(each.decisions) for each in weaknesses]),
                Column("mistakes", [str(each.mistakes) for each in weaknesses]),
                Column("cost", [_with_margin(each.cost, each.error) for each in weaknesses]),
            ],
            width,
        )
        yield from wrapped(
            f"±: {100 * (1 - DOUBT):.0f} % for all weaknesses together, told from {FEW_GAMES} games on. "
            "In the tables below it is that for each line by itself.",
            width,
        )
    else:
        yield "  none that the games show"
    for title, costs in (
        ("By game", found.by_game()),
        ("By phase", found.by_phase()),
        ("By the kind of action that it chose", found.by_kind()[:_KINDS]),
        ("By size of table", found.by_seats()),
    ):
        yield ""
        yield title
        yield from table(
            [
                Column("", [each.name for each in costs], left=True),
                Column("games", [str(each.games) for each in costs]),
                Column("decisions", [str(each.decisions) for each in costs]),
                Column("mistakes", [str(each.mistakes) for each in costs]),
                Column("cost a game", [_per_game(each) for each in costs]),
            ],
            width,
        )
    dearest = found.dearest()
    if dearest:
        yield ""
        yield "The most expensive decisions"
    for played, decision in dearest:
        yield fitting(f"  {decision.choice.words}; {better_text(decision)}", width, " " * 8)
        yield f"        {page_address(played.key, decision)}"
    if own is not None:
        yield ""
        yield f"Its own estimates in {counted(own.games, 'game')}, in hundredths"
        yield fitting(
            f"the squared error of its first estimates is {own.first:.3f}, of its last ones {own.last:.3f}; "
            f"always saying its mean score would give {own.plain:.3f}",
            width,
            "  ",
        )
        yield from table(
            [
                Column("expected", [hundredths(each.estimate) for each in own.bands]),
                Column("scored", [hundredths(each.score) for each in own.bands]),
                Column("estimates", [str(each.estimates) for each in own.bands]),
            ],
            width,
        )


def weakness_text(weakness: Weakness) -> str:
    """A weakness in words."""
    return f"{weakness.habit}: {weakness.difference}" if weakness.habit else weakness.difference


def _per_game(cost: Cost) -> str:
    if not cost.games:
        return "0"
    return _with_margin(cost.cost / cost.games, None if cost.error is None else cost.error / cost.games)


def _with_margin(score: float, error: float | None) -> str:
    return hundredths(score) if error is None else f"{hundredths(score)} ± {hundredths(error)}"


def game_json(analysed: Analysed, thoughts: Sequence[Thoughts] = ()) -> dict[str, Any]:
    """The analysis of a game as data, with what each seat's bot thought; scores are from 0 to 1."""
    return {
        "key": analysed.key,
        "game": analysed.game,
        "seats": [
            {
                "name": name,
                "source": _rounded(analysed.sources[seat]._asdict()),
                "decisions": [
                    {
                        **decision_json(analysed.key, each),
                        **_thought_data(each, thoughts[seat] if thoughts else {}),
                    }
                    for each in analysed.decisions[seat]
                ],
            }
            for seat, (name, decisions, told) in enumerate(
                zip(analysed.names, analysed.decisions, thoughts or [{} for _ in analysed.names], strict=True)
            )
        ],
    }


def session_json(game: str, seat: int, decisions: Iterable[Decision], thoughts: Thoughts) -> dict[str, Any]:
    """The analysis of a session as data, with what the bot thought; scores are from 0 to 1."""
    told = [{**_decision_data(each), **_thought_data(each, thoughts)} for each in decisions]
    return {"game": game, "seat": seat, "decisions": told}


def decision_json(key: str, decision: Decision) -> dict[str, Any]:
    """A decision as data."""
    return {**_decision_data(decision), "page": page_address(key, decision)}


def _decision_data(decision: Decision) -> dict[str, Any]:
    data: dict[str, Any] = _rounded(decision.as_data())
    return {**data, "tried": [_rounded(each) for each in data["tried"]]}


def _thought_data(decision: Decision, thoughts: Thoughts) -> dict[str, Any]:
    """What the bot thought at a decision, with texts of actions for indices; null if it told nothing."""
    if (thought := thoughts.get(decision.turn)) is None:
        return {"thought": None}
    actions = [each.action for each in decision.tried]
    values = {actions[index]: value for index, value in thought.values.items() if index < len(actions)}
    return {"thought": thought._asdict() | {"values": values}}


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()}


def bot_json(found: BotAnalysis, own: Calibration | None = None) -> dict[str, Any]:
    """The analysis of a bot as data; scores are from 0 to 1."""
    source = found.sources()

    def costs(found: Iterable[Cost]) -> list[dict[str, Any]]:
        return [_rounded(each._asdict()) for each in found]

    return {
        "name": found.name,
        "games": len(found.played),
        "source": None if source is None else _rounded(source._asdict()),
        "total": _rounded(found.total()._asdict()),
        "faults": _rounded(found.faults()._asdict()),
        "weaknesses": [_rounded(each._asdict()) for each in found.weaknesses()],
        "by_game": costs(found.by_game()),
        "by_phase": costs(found.by_phase()),
        "by_kind": costs(found.by_kind()),
        "by_seats": costs(found.by_seats()),
        "dearest": [
            {"key": played.key, "seat": played.seat, **decision_json(played.key, decision)}
            for played, decision in found.dearest()
        ],
        "estimates": calibration_json(own),
    }


def calibration_json(own: Calibration | None) -> dict[str, Any] | None:
    """How well a bot's own estimates hold, as data; None if it gave none."""
    if own is None:
        return None
    return {**_rounded(own._asdict()), "bands": [_rounded(each._asdict()) for each in own.bands]}


DECISION_COLUMNS = (
    "key", "game", "seats", "seat", "name", "ply", "turn", "phase", "by", "fault", "kind", "chosen", "score",
    "score_error", "best", "difference", "cost", "error", "verdict", "actions", "worlds", "page",
)  # fmt: skip


def decision_rows(bots: Sequence[BotAnalysis]) -> Iterator[dict[str, object]]:
    """A row for each decision of some bots."""
    for found in bots:
        for played in found.played:
            for decision in played.decisions:
                yield _row(played, decision)


def _row(played: JudgedSeat, decision: Decision) -> dict[str, object]:
    choice = decision.choice
    values = (
        played.key, played.game, len(played.names), played.seat, played.names[played.seat], decision.ply,
        decision.turn, decision.phase, decision.by, decision.fault, choice.kind, choice.action,
        f"{choice.score:.4f}", f"{choice.error:.4f}", decision.better.action, decision.difference,
        f"{decision.cost:.4f}", f"{decision.error:.4f}", decision.verdict, len(decision.tried), choice.worlds,
        page_address(played.key, decision),
    )  # fmt: skip
    return dict(zip(DECISION_COLUMNS, values, strict=True))
