"""The faces of bots: emblems, and the marks of their languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena.league.store import StoredTournament
from arena.referee.night.night_now import BotNow
from arena.text import one_line
from arena.view.league.snapshot import Snapshot
from arena.view.pictures.emblem import Emblem, emblem_of, emblems_in, emblems_of
from arena.view.pictures.language import Mark, mark_of
from arena.view.pictures.preview import preview

_PODIUM = 3


def emblems(snapshot: Snapshot) -> list[Emblem]:
    """The emblem of each entrant."""
    return emblems_in(snapshot.tournament)


def picture_of(snapshot: Snapshot) -> bytes:
    """The picture of a night for link previews."""
    best = sorted(snapshot.places, key=lambda entrant: (snapshot.places[entrant], entrant))
    drawn = emblems(snapshot)
    return preview([drawn[entrant] for entrant in best[:_PODIUM]])


def emblems_now(bots: Iterable[BotNow]) -> list[Emblem]:
    """The emblem of each bot that a run tells of, in the order of the entrants."""
    return emblems_of((one_line(bot.name), bot.face.cleaned.emblem) for bot in bots)


def marks(snapshot: Snapshot) -> list[Mark | None]:
    """The mark of the language of each entrant's bot; None where it is not known."""
    return [mark_of(face.language) for face in snapshot.tournament.faces]


def emblems_by_name(tournaments: Iterable[StoredTournament]) -> Callable[[str], Emblem]:
    """Makes the function that gives the emblem of a name.

    It is that of the last tournament in which its author drew one, else that of the first with the name.

    Args:
        tournaments: the tournaments, oldest first.
    """
    known: dict[str, Emblem] = {}
    for each in tournaments:
        for entrant, face, emblem in zip(each.entrants, each.faces, emblems_in(each), strict=True):
            if face.emblem or one_line(entrant.name) not in known:
                known[one_line(entrant.name)] = emblem
    return lambda name: known.get(one_line(name)) or emblem_of(one_line(name))
