"""The rules of the games, and the registry of games: the built-in ones, and those of other packages.

A game is one value, a `Game`: its rules, and the places of its values, its sampler,
its greedy policy, its picture and its encoding. All code that lists games reads `GAMES`.
A package adds a game by an entry point of the group `arena.games` that names its `Game`.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, Final

from arena.games import forty_one, hyrule, kleftis, nur_mut, nyuri
from arena.games.game import Game

BUILT_IN: Final[dict[str, Game]] = {
    each.id: each for each in (nyuri.GAME, forty_one.GAME, nur_mut.GAME, kleftis.GAME, hyrule.GAME)
}
"""The built-in games by their ids, in the order of all lists."""

FIRST_GAMES: Final = ("nyuri", "forty-one", "nur-mut", "kleftis", "hyrule")
"""The games of the first release, which a bot plays that does not say: it may be older than the others."""

ENTRY_POINTS: Final = "arena.games"
"""The group of the entry points by which packages add games."""


@cache
def _of_packages() -> dict[str, Game]:
    """The games that installed packages add, by id. A package that cannot be used is named in a warning."""
    from importlib.metadata import entry_points  # only here: slow to import, and few processes need it

    found: dict[str, Game] = {}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            game = entry.load()
        except Exception as error:  # noqa: BLE001 - any error: the arena goes on without the game
            problem = f"{type(error).__name__}: {error}"
        else:
            problem = _problem(game, entry.name, found)
        if problem:
            warnings.warn(f"the game {entry.name} ({entry.value}) is left out: {problem}", stacklevel=2)
        else:
            found[game.id] = game
    return found


def _problem(game: Any, name: str, others: Collection[str]) -> str:
    """Why an entry point's game is not added; empty if it is."""
    if not isinstance(game, Game):
        return "it is not an instance of arena.games.game.Game"
    if game.id != name:
        return f"its id is {game.id!r}, and the entry point must have the same name"
    if game.id in BUILT_IN or game.id in others:
        return "there is a game of this id already"
    return "" if game.values else "it does not say where its values stand"


class _Games(Mapping[str, Game]):
    """The built-in games and those of packages, which are searched when one is needed."""

    def __getitem__(self, id: str) -> Game:
        return BUILT_IN[id] if id in BUILT_IN else _of_packages()[id]

    def __iter__(self) -> Iterator[str]:
        yield from BUILT_IN
        yield from _of_packages()

    def __len__(self) -> int:
        return len(BUILT_IN) + len(_of_packages())


GAMES: Final[Mapping[str, Game]] = _Games()
"""All games by their ids: the built-in ones, then those of packages."""


class MissingPart(KeyError):
    """A game lacks a needed part, such as a sampler."""

    def __str__(self) -> str:
        return str(self.args[0])


class PerGame(Mapping[str, Any]):
    """One part of each game that has it, such as the sampler, by game id; imported at the first look-up.

    Args:
        part: the attribute of `Game` that names the part's place, such as `sampler`.
    """

    def __init__(self, part: str) -> None:
        self._part = part
        self._found: dict[str, Any] = {}

    def __getitem__(self, game: str) -> Any:
        if game not in self._found:
            where = getattr(find_game(game), self._part) if game in GAMES else ""
            if not where:
                raise MissingPart(f"the game {game} has no {self._part}")
            self._found[game] = resolve_name(where)
        return self._found[game]

    def __iter__(self) -> Iterator[str]:
        return (id for id, game in GAMES.items() if getattr(game, self._part))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def find_game(id: str) -> Game:
    """The game with an id. Raises ValueError, naming the valid ids, if there is none."""
    if id not in GAMES:
        raise ValueError(f"there is no game {id!r}; the games are {', '.join(GAMES)}")
    return GAMES[id]


def does_not_play(wanted: Iterable[str], played: Collection[str]) -> str:
    """Says which of the wanted games a bot does not play; empty if it plays all of them."""
    missing = ", ".join(game for game in wanted if game not in played)
    return f"does not play {missing}" if missing else ""
