"""Seeding: deals seeds out to tables and groups, and keeps entrants of the same group apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations


def snake(positions: Sequence[int], tables: int) -> list[tuple[int, ...]]:
    """Positions, best first, dealt out to tables (or groups) forwards and backwards in turn."""
    dealt: list[list[int]] = [[] for _ in range(tables)]
    for i, position in enumerate(positions):
        row, column = divmod(i, tables)
        dealt[column if row % 2 == 0 else tables - 1 - column].append(position)
    return [tuple(table) for table in dealt]


def apart(
    entrants: Sequence[int], group_of: Mapping[int, int], sections: Sequence[Sequence[frozenset[int]]]
) -> tuple[int, ...]:
    """New seeds for entrants, so that entrants of the same group meet as late as possible.

    The firsts of all groups get the first seeds, then come the seconds, and so on. Within each of these rows
    the order is changed so that entrants meet group mates of the rows before as late as possible, and
    otherwise as little as possible.

    Args:
        entrants: the entrants that go on, best first.
        group_of: the group of each.
        sections: for each round the sets of seeds, from 0, that can come to one table there.
    """
    place = Counter[int]()
    rows: dict[int, list[int]] = {}
    for entrant in entrants:
        rows.setdefault(place[group_of[entrant]], []).append(entrant)
        place[group_of[entrant]] += 1
    early = _early(sections, len(entrants))
    seeded: list[int] = []
    for row in rows.values():
        first = len(seeded)
        cost = [
            [
                sum(
                    early.get((seed, first + at), 0)
                    for seed, mate in enumerate(seeded)
                    if group_of[mate] == group_of[entrant]
                )
                + (at - wanted) ** 2
                for at in range(len(row))
            ]
            for wanted, entrant in enumerate(row)
        ]
        seeded += [row[each] for each in _cheapest(cost)]
    return tuple(seeded)


def _cheapest(cost: Sequence[Sequence[int]]) -> list[int]:
    """For each column the row that gets it, at the least total cost (the Hungarian method).

    Rows are added one by one. Each looks for the cheapest path, over rows that change their columns, to a
    free column. `saved` by row and `price` by column are the potentials, which make all reduced costs at
    least 0.
    """
    count = len(cost)
    saved, price = [0] * count, [0] * count
    taken: dict[int, int] = {}  # by column, its row
    for new in range(count):
        row, least, before = new, dict[int, int](), dict[int, int | None]()
        column: int | None = None
        visited: list[int] = []
        while True:
            for each in range(count):
                if each not in visited:
                    dearer = cost[row][each] - saved[row] - price[each]
                    if each not in least or dearer < least[each]:
                        least[each], before[each] = dearer, column
            column = min(
                (each for each in least if each not in visited), key=lambda each: (least[each], each)
            )
            step = least[column]
            for each in (new, *(taken[each] for each in visited)):
                saved[each] += step
            for each in visited:
                price[each] -= step
            least = {each: dearer - step for each, dearer in least.items()}
            if column not in taken:
                break
            visited.append(column)
            row = taken[column]
        end: int | None = column
        while end is not None:
            earlier = before[end]
            taken[end] = new if earlier is None else taken[earlier]
            end = earlier
    return [taken[column] for column in range(count)]


def _early(sections: Sequence[Sequence[frozenset[int]]], count: int) -> dict[tuple[int, int], int]:
    """The cost of two seeds, the better first, that are mates: a meeting costs more than all later ones."""
    costs: dict[tuple[int, int], int] = {}
    for number in range(len(sections) - 1, -1, -1):
        for section in sections[number]:
            for pair in combinations(sorted(section), 2):
                costs[pair] = (1 + count) ** (3 + 2 * (len(sections) - 1 - number))
    return costs
