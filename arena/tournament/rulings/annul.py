"""The ruling that makes games void; they are played again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Self

from arena.formats.stage import Stage
from arena.results import MatchKey, read_game_key, read_match_key
from arena.text import counted
from arena.tournament.course import Course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.rulings.ruling import Form, Refused, Ruling
from arena.tournament.void_boards import VoidBoard


@dataclasses.dataclass(frozen=True)
class Annul(Ruling):
    """Games are void and played again, on fresh boards: always a whole board, from all seats.

    Attributes:
        boards: the boards; after them, where others were paired by how they
            came out, all boards of these.
    """

    form = Form(
        "Annul",
        "The game's board, or all of the match, is void and played again on fresh boards.",
        "Game such as 1.3.2/nyuri/1.2, or match such as 1.3.2",
    )
    may_prolong = True

    boards: tuple[VoidBoard, ...]
    kind: str = "annul"

    @classmethod
    def of(cls, course: Course, match: MatchKey, games: Sequence[str], boards: Sequence[int] | None) -> Self:
        """The annulment of boards of a match in some games, as the tournament stands.

        Args:
            course: the tournament.
            match: the match.
            games: the ids of the games.
            boards: the numbers that were planned for the boards; None for all of the match.
        """
        if course.plan.stages[match.stage].rounds_share_boards:
            return cls._of_round(course, match, games)
        void = [
            (match, game, board)
            for game in games
            for board in (_boards_of(course, match) if boards is None else boards)
        ]
        stage = course.stages[match.stage]
        if boards is not None:  # whether there are extra boards follows from those before
            extra = range(max(course.plan.boards, max(boards) + 1), len(_boards_of(course, match)))
            void += [(match, game, board) for game in course.plan.games for board in extra]
        for other in course.stages[match.stage :]:
            for key in _paired(course, other):
                later_round = stage.depends_on_results and key.round > match.round
                if key.stage > match.stage or later_round:
                    void += [
                        (key, game, board) for game in course.plan.games for board in _boards_of(course, key)
                    ]
        numbers = count(course.void.next_fresh)
        return cls(
            tuple(
                VoidBoard(*key, game, course.void.played(key, game, board), next(numbers))
                for key, game, board in void
            )
        )

    @classmethod
    def _of_round(cls, course: Course, match: MatchKey, games: Sequence[str]) -> Self:
        """The same where all matches of a round are on the same boards, and stay so."""
        round_ = course.stages[match.stage].round(match.round, {})
        assert round_ is not None
        matches = sorted((other.key for other in round_.matches), key=match.__ne__)  # that one first
        return cls(
            tuple(
                VoidBoard(*key, game, course.void.played(key, game, 0), fresh)
                for fresh, game in enumerate(games, course.void.next_fresh)
                for key in matches
            )
        )

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """`what`: a game such as 1.3.2/nyuri/1.2, or a match such as 1.3.2."""
        game = read_game_key(what)
        match = read_match_key(what) if game is None else game.match_key
        if match is None:
            raise Refused(f"{what!r} is no game such as 1.3.2/nyuri/1.2, and no match such as 1.3.2")
        if match.stage >= len(course.stages) or not course.tally.has_begun(match):
            raise Refused(f"{course.plan.name} has played nothing of {what}: nothing is to be annulled")
        if game is None:
            return cls.of(course, match, course.plan.games, None)
        if game.game not in course.plan.games or course.void.has_game(game):
            raise Refused(f"{course.plan.name} has no game {what} that counts")
        return cls.of(course, match, [game.game], [course.void.planned(match, game.game, game.board)])

    def _refusal(self, course: Course) -> str | None:
        if not course.tally.has_begun(MatchKey(*self.boards[0][:3])):
            return "has played nothing of that, so there is nothing to annul"
        return None

    def apply(self, effects: Effects) -> None:
        effects.void.add(self.boards)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        boards = tuple(VoidBoard(*board) for board in values["boards"])
        return super().from_values({**values, "boards": boards})

    def words(self, names: Sequence[str]) -> str:
        return f"{counted(len(self.boards), 'board')} void and played again"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"void{because} and played again: {counted(len(self.boards), 'board')}"]

    def alteration(self) -> dict[str, Any]:
        return {"boards": len(self.boards)}


def _boards_of(course: Course, match: MatchKey) -> range:
    """The numbers of the boards that are planned of a match, with the extra ones, also one that may run."""
    result = course.tally.result(match)
    extra = len(result.extra) + 1 if result and course.stages[match.stage].extra_boards else 0
    return range(course.tally.boards_of(match) + extra)


def _paired(course: Course, stage: Stage) -> Iterator[MatchKey]:
    """The matches of a stage that may have begun: also those of which a game runs, but none is over."""
    for round_ in course.rounds(stage):
        for match in round_.matches:
            yield match.key
