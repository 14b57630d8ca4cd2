"""Tie-breaks of Swisses drawn at random, beside a second computation.

It follows the FIDE Handbook's C.07 (in force since 1 March 2026) article by article and shares no code with
the arena. In the edition of 2024 article 16.4 has no limits, and the arena's rules count walkovers for DE
(6.1.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.results import MatchKey
from arena.standings.table import ranking, standings
from arena.standings.tally import Tally
from arena.standings.tiebreaks import Scoresheets
from tests.examples import examples
from tests.standings.games import DRAW, LOSS, WIN, add_all, board

CODES = ("BH-C1", "BH", "SB", "DE", "WIN")


@dataclass
class Cell:
    """A round of an entrant: `game`, `forfeit` (won or lost), `bye` or `out`; the opponent; its points."""

    kind: str
    opponent: int = -1
    points: F = F(0)


Sheet = list[Cell]


@st.composite
def swisses(draw: st.DrawFn) -> tuple[Tally, dict[int, Sheet]]:
    """A Swiss: entrants come late, and leave; who leaves while a round is played loses it without play."""
    count, rounds = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    comes = [draw(st.sampled_from([0, 0, 0, *range(rounds)])) for _ in range(count)]
    leaves = [draw(st.sampled_from([rounds, rounds, rounds, *range(rounds)])) for _ in range(count)]
    sheets: dict[int, Sheet] = {each: [] for each in range(count)}
    tally = Tally(("a",), 1)
    for number in range(rounds):
        order = draw(st.permutations(range(count)))
        there = [each for each in order if comes[each] <= number <= leaves[each]]
        for i in range(0, len(there) - 1, 2):
            one, other = there[i : i + 2]
            gone = [each for each in (one, other) if leaves[each] == number]
            if gone:
                loser = draw(st.sampled_from(gone))
                winner = one if loser == other else other
                tally.add_walkover(MatchKey(0, number, i), (one, other), winner)
                sheets[winner].append(Cell("forfeit", loser, F(1)))
                sheets[loser].append(Cell("forfeit", winner))
                continue
            places = [draw(st.sampled_from([WIN, DRAW, LOSS])) for _ in range(2)]
            add_all(tally, board((one, other), *places, match=(0, number, i)))
            points = sum((F({WIN: 2, DRAW: 1, LOSS: 0}[each], 4) for each in places), F(0))
            sheets[one].append(Cell("game", other, points))
            sheets[other].append(Cell("game", one, 1 - points))
        if len(there) % 2:
            tally.add_unplayed(0, number, there[-1], won=True)
            sheets[there[-1]].append(Cell("bye", points=F(1)))
        for each in set(range(count)) - {*there}:
            tally.add_unplayed(0, number, each, won=False)
            sheets[each].append(Cell("out"))
    return tally, sheets


def is_voluntary(cell: Cell) -> bool:
    """16.1.2: a requested bye (16.1.1, also every round after a withdrawal), or a forfeit loss."""
    return cell.kind == "out" or (cell.kind == "forfeit" and cell.points == 0)


def category(sheet: Sheet, at: int) -> str:
    """16.2."""
    cell, later = sheet[at], sheet[at + 1 :]
    if cell.kind == "bye":
        return "16.2.1"
    if cell.kind == "forfeit":
        return "16.2.2" if cell.points == 1 else "16.2.4"
    return "16.2.5" if all(map(is_voluntary, later)) else "16.2.3"


def adjusted(sheet: Sheet) -> F:
    """16.3."""
    total = F(0)
    for at, cell in enumerate(sheet):
        drawn = cell.kind != "game" and category(sheet, at) == "16.2.5"
        total += F(1, 2) if drawn else cell.points
    return total


def contributions(sheets: dict[int, Sheet], me: int, edition: int) -> list[F]:
    """For each round the score of the opponent (16.3) or of the dummy (16.4)."""
    sheet, found = sheets[me], []
    for at, cell in enumerate(sheet):
        if cell.kind == "game":
            found.append(adjusted(sheets[cell.opponent]))
            continue
        dummy = sum((each.points for each in sheet), F(0))
        if edition == 2026:
            by_forfeit = category(sheet, at) in ("16.2.2", "16.2.4")
            dummy = min(dummy, adjusted(sheets[cell.opponent]) if by_forfeit else F(1, 2) * len(sheet))
        found.append(dummy)
    return found


def buchholz(sheets: dict[int, Sheet], me: int, edition: int) -> F:
    """8.1."""
    return sum(contributions(sheets, me, edition), F(0))


def buchholz_cut(sheets: dict[int, Sheet], me: int, edition: int) -> F:
    """14.1.2 a, 16.5."""
    values = contributions(sheets, me, edition)
    cut = min(values)
    voluntary = [value for value, cell in zip(values, sheets[me], strict=True) if is_voluntary(cell)]
    if voluntary and min(voluntary) >= cut:
        cut = min(voluntary)
    return sum(values, F(0)) - cut


def sonneborn_berger(sheets: dict[int, Sheet], me: int, edition: int) -> F:
    """9.1."""
    values = contributions(sheets, me, edition)
    return sum((value * cell.points for value, cell in zip(values, sheets[me], strict=True)), F(0))


def encounter(sheets: dict[int, Sheet], me: int, other: int, edition: int) -> F | None:
    """6.1.1, 6.1.2."""
    kinds = ("game", "forfeit") if edition == 2024 else ("game",)
    points = [cell.points for cell in sheets[me] if cell.opponent == other and cell.kind in kinds]
    return sum(points, F(0)) / len(points) if points else None


def direct(sheets: dict[int, Sheet], tied: Sequence[int], edition: int) -> list[list[int]]:
    """6.2, and 6.3 with every outcome of the missing games tried."""
    known, missing = dict.fromkeys(tied, F(0)), []
    for one, other in combinations(tied, 2):
        points = encounter(sheets, one, other, edition)
        if points is None:
            missing.append((one, other))
        else:
            known[one] += points
            known[other] += 1 - points
    if not missing:
        groups = [
            [each for each in tied if known[each] == score] for score in sorted({*known.values()})[::-1]
        ]
        if len(groups) == 1:
            return groups
        return [place for group in groups for place in direct(sheets, group, edition)]
    tables = []
    for outcome in product((0, 1), repeat=len(missing)):
        table = dict(known)
        for (one, other), won in zip(missing, outcome, strict=True):
            table[one] += won
            table[other] += 1 - won
        tables.append(table)
    first, rest = [], list(tied)
    while len(rest) > 1:
        alone = [
            each
            for each in rest
            if all(table[each] > table[other] for table in tables for other in rest if other != each)
        ]
        if not alone:
            break
        first.append(alone)
        rest.remove(alone[0])
    return first + (direct(sheets, rest, edition) if first else [rest])


def wins(sheets: dict[int, Sheet], me: int) -> int:
    """7.1; a match of several games is won by who has more than half of the points."""
    return sum(cell.points > F(1, 2) for cell in sheets[me])


def ranked(sheets: dict[int, Sheet], edition: int) -> list[list[int]]:
    """4.2: by points, then by the tie-breaks; those that share a place are together."""
    keys = {
        each: (
            sum((cell.points for cell in sheet), F(0)),
            buchholz_cut(sheets, each, edition),
            buchholz(sheets, each, edition),
            sonneborn_berger(sheets, each, edition),
        )
        for each, sheet in sheets.items()
    }
    places = []
    for key in sorted({*keys.values()})[::-1]:
        for group in direct(sheets, [each for each in sheets if keys[each] == key], edition):
            for won in sorted({wins(sheets, each) for each in group})[::-1]:
                places.append([each for each in group if wins(sheets, each) == won])
    return places


@pytest.mark.parametrize("edition", [2024, 2026])
@examples(400)
@given(swisses())
def test_tie_breaks_and_ranks_are_those_of_the_articles(edition, night):
    tally, sheets = night
    computed = Scoresheets(tally, 0, edition)
    for each in sheets:
        assert computed.buchholz(each) == buchholz(sheets, each, edition)
        assert computed.buchholz(each, cut=True) == buchholz_cut(sheets, each, edition)
        assert computed.sonneborn_berger(each) == sonneborn_berger(sheets, each, edition)
    rows = standings(tally, range(len(sheets)), 0, CODES, swiss=True, edition=edition)
    assert [[*place] for place in ranking(rows)] == ranked(sheets, edition)
