"""The faces of bots: emblems, and the marks of their languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena.league.store import StoredTournament
from arena.referee.night.night_now import BotNow
from arena.text import one_line
from arena.view.league.snapshot import Snapshot
from arena.view.pictures.emblem import Emblem, emblem_of
from arena.view.pictures.language import Mark, mark_of
from arena.view.pictures.preview import preview

_PODIUM = 3


def emblems(snapshot: Snapshot) -> list[Emblem]:
    """The emblem of each entrant."""
    faces = snapshot.tournament.faces
    return [emblem_of(name, face.emblem) for name, face in zip(snapshot.names, faces, strict=True)]


def picture_of(snapshot: Snapshot) -> bytes:
    """The picture of a night for link previews."""
    best = sorted(snapshot.places, key=lambda entrant: (snapshot.places[entrant], entrant))
    drawn = emblems(snapshot)
    return preview([drawn[entrant] for entrant in best[:_PODIUM]])


def emblem_now(bot: BotNow) -> Emblem:
    """The emblem of a bot that a run tells of."""
    return emblem_of(one_line(bot.name), bot.face.cleaned.emblem)


def marks(snapshot: Snapshot) -> list[Mark | None]:
    """The mark of the language of each entrant's bot; None where it is not known."""
    return [mark_of(face.language) for face in snapshot.tournament.faces]


def emblems_by_name(tournaments: Iterable[StoredTournament]) -> Callable[[str], Emblem]:
    """Makes the function that gives the emblem of a name: the one of the last tournament that has one.

    Args:
        tournaments: the tournaments, oldest first.
    """
    drawn = {
        one_line(entrant.name): face.emblem
        for each in tournaments
        for entrant, face in zip(each.entrants, each.faces, strict=True)
        if face.emblem
    }
    return lambda name: emblem_of(one_line(name), drawn.get(one_line(name), ""))
