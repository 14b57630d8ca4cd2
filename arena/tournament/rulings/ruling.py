"""The base class of rulings: what the host or the rules add to a tournament."""

from __future__ import annotations

import abc
import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

from arena.names import did_you_mean, same_name
from arena.tournament.course import Course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.so_far import SoFar


class Refused(Exception):
    """A request that makes no sense as things stand; the text is one sentence."""


class Form(NamedTuple):
    """How the host asks for a ruling on the page.

    Attributes:
        verb: the text of the button.
        effect: what the ruling does, in a sentence.
        about: the label of what the host has to enter; empty for nothing.
    """

    verb: str
    effect: str
    about: str = ""


class Ruling(abc.ABC):
    """Something that the host or the rules add to a tournament.

    Each kind is a frozen dataclass. A ruling holds all that it means. So the state of
    a tournament depends only on which results and rulings there are, not on their order.

    Attributes:
        kind: its name in leagues, JSON and requests of the host.
        form: how the host asks for it; None where only the rules add it.
        may_prolong: whether it makes sense when a comparison has played all its boards and has open
            questions.
    """

    kind: str
    form: ClassVar[Form | None] = None
    may_prolong: ClassVar[bool] = False

    # --- When it makes sense ---

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """The ruling that a request of the host asks for. Raises Refused.

        Args:
            what: what the request says besides the kind.
            course: the tournament as it stands.
            names: the names of all entrants, by number.
        """
        return cls()

    def refusal(self, course: Course) -> str | None:
        """Why it makes no sense now, the end of a sentence about the tournament; None where it does."""
        if course.over and not (self.may_prolong and course.may_go_on):
            return "is over"
        return self._refusal(course)

    def _refusal(self, course: Course) -> str | None:
        """The same for a tournament that is not over."""
        return None

    def problems(self, so_far: SoFar) -> Iterator[str]:
        """For a verification: why it does not follow from what was stored before it."""
        yield from ()

    # --- What it does ---

    @abc.abstractmethod
    def apply(self, effects: Effects) -> None:
        """Adds what it means to what all rulings mean."""

    # --- How it is stored ---

    def values(self) -> dict[str, Any]:
        """What is stored of it, as JSON has it."""
        assert dataclasses.is_dataclass(self)
        return dataclasses.asdict(self)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The ruling of which this was stored. Raises LookupError, TypeError or ValueError."""
        return cls(**values)

    def to_json(self) -> str:
        """The ruling as it is stored."""
        return json.dumps(self.values())

    # --- How it reads ---

    @abc.abstractmethod
    def words(self, names: Sequence[str]) -> str:
        """What it means, as a sentence without its full stop."""

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        """What the terminal of the tournament says when it is made.

        Args:
            names: the names of all entrants, by number.
            because: the reason in parentheses after a space; empty where none is given.
            plan: the tournament.
        """
        return [f"{self.words(names)}{because}"]

    def alteration(self) -> dict[str, Any]:
        """What it altered, for the standings as JSON; empty where these do not list it as an alteration."""
        return {}


def entrant_of(wanted: str, names: Sequence[str]) -> int:
    """The number of an entrant by its name. Raises Refused."""
    for number, name in enumerate(names):
        if same_name(name) == same_name(wanted):
            return number
    raise Refused(f"there is no entrant {wanted!r}; {did_you_mean(wanted, names)}")
