"""The interface that every game implements.

The rules are pure. A game does no I/O, reads no clock, knows no protobuf and
never draws a random number: **chance is data**, handed in as a `Board`. **A seat's
observation is a value of its own**, built from what the seat may
know; it is never a state with secrets taken out. The vocabulary:

* a `Game` is a set of rules; a `State` is one position of a running game;
* an `Action` is a choice of a seat, an `Event` is told to a viewer,
  an `Observation` is what a viewer sees. All three are named tuples of plain
  values whose last field `kind` names them, so that values of different kinds
  never compare equal. `str()` gives each as readable text;
* seats are numbered from 0 in play order; a viewer is a seat, or `SPECTATOR`.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn, Protocol, Self, TypeVar

Seat = int
SPECTATOR: Final = None
Viewer = int | None
"""A seat number, or `SPECTATOR` (None): a viewer who sees only what all may see."""

T = TypeVar("T")


class Action(Protocol):
    """A decision of a seat: a named tuple; `str()` gives its readable text."""

    @property
    def kind(self) -> str: ...
    def __hash__(self) -> int: ...


class Event(Protocol):
    """A message to a viewer about the game: a named tuple; `str()` gives its readable text."""

    @property
    def kind(self) -> str: ...
    def __hash__(self) -> int: ...


class Observation(Protocol):
    """One viewer's observation of a position; `str()` gives a few readable lines.

    Its `kind` is the game's id with `_` for `-`, and its `phase` is `over` once the game is over.
    """

    @property
    def kind(self) -> str: ...
    @property
    def phase(self) -> str: ...


class Happening(NamedTuple):
    """One thing that happened: the public event, and the events of seats that are told more.

    Spectators and all seats that are not named get the public event,
    so forgetting to name a seat hides a card and never shows one.
    """

    public: Event
    private: Event | None = None
    seats: tuple[Seat, ...] = ()

    def told_to(self, viewer: Viewer) -> Event:
        """The event for a viewer."""
        return self.private if self.private is not None and viewer in self.seats else self.public

    @property
    def full(self) -> Event:
        """The event with all its details: for the log of a finished game, never for a seat."""
        return self.public if self.private is None else self.private


class Chance(Protocol):
    """The random draws of one chance event; each call continues after the last one."""

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n-1, n >= 1."""

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        """`below(n)` for each n of `bounds`, one after the other."""

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """The items in a uniform random order, as a new list."""


class Deal(Protocol):
    """One deal: the ordered deck, and the chance that may be needed in play."""

    @property
    def deck(self) -> Sequence[Any]:
        """The cards of `Game.deck()` in dealing order: the first is dealt first."""

    def chance(self, purpose: str, seat: Seat, count: int) -> Chance:
        """The draws of one chance event, named by its purpose, the seat it
        belongs to and the number of such events that the seat had before (from 0).

        The same name gives the same draws whatever happened before, so chance
        never drifts between the rotations of a board.
        """


class Board(Protocol):
    """A numbered board: deal 0 is the board's deal, 1, 2, ... follow in a series."""

    def deal(self, number: int) -> Deal: ...


class Outcome(NamedTuple):
    """The outcome of a game.

    Attributes:
        places: per seat, 1 for the best; tied seats share a place (1, 1, 3).
        points: per seat, the game's own points (cards, hand values), higher is better.
        reason: why the game ended, in lower-case words with underscores, such as `stock_empty`.
    """

    places: tuple[int, ...]
    points: tuple[int, ...]
    reason: str


class IllegalAction(ValueError):
    """An action that is not legal in the position; the position is unchanged."""


class WrongOption(ValueError):
    """A game option that does not exist or whose value is not allowed; the text names the valid ones."""


class State(abc.ABC):
    """One position of a running game.

    Attributes:
        to_act: the seats that must choose now, in play order: one, or several
            for a simultaneous choice; empty when and only when the game is over.
            Simultaneous choices are applied one by one. The result does not depend
            on their order; none is shown before all are made.
        opening: the happenings of the set-up, to be told before the first turn.
    """

    __slots__ = ("opening", "to_act")

    to_act: tuple[Seat, ...]
    opening: Sequence[Happening]

    @abc.abstractmethod
    def legal_actions(self, seat: Seat) -> Sequence[Action]:
        """Every legal action of a seat that is to act, in the game's documented
        order, without repetition; empty for a seat that is not to act.

        The first is the game's default action, which is played for a seat that
        does not answer. Callers must not change the sequence.
        """

    @abc.abstractmethod
    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        """Plays an action and returns what happened, in order.

        An equal value of another type, such as a plain tuple, is the same
        action. Raises IllegalAction, and changes nothing, if the action is
        not in `legal_actions(seat)`.
        """

    @abc.abstractmethod
    def observation(self, viewer: Viewer) -> Observation:
        """The observation of a viewer now: complete enough to choose without memory."""

    @property
    @abc.abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome once the game is over, else None."""

    @abc.abstractmethod
    def clone(self) -> Self:
        """An independent copy: playing on in one never changes the other."""

    @abc.abstractmethod
    def redrawn(self, board: Board) -> Self:
        """An independent copy in which all later chance is drawn anew, from a fresh board.

        All that was dealt, drawn or shown to any seat stays as it is. Given that, the
        later chance has the same distribution in the copy as here, for
        uniformly random boards.

        Args:
            board: a board with the same deck as the game's board, and independent of it.
        """

    @abc.abstractmethod
    def cards(self) -> list[Any]:
        """Every card of the deal, wherever it lies, to check that none is lost."""

    def _listed(self, seat: Seat, action: Action) -> Any:
        """The legal action that equals `action`, to be used in its place.

        Raises IllegalAction if there is none.
        """
        legal = self.legal_actions(seat)
        try:
            return legal[legal.index(action)]  # compares by identity first
        except ValueError:
            refuse(self, seat, action)


def refuse(state: State, seat: Seat, action: Action) -> NoReturn:
    """Raises IllegalAction for an action that is not legal in a position."""
    raise IllegalAction(f"seat {seat} cannot {_readable(action)}: {_demand(state, seat)}") from None


def _demand(state: State, seat: Seat) -> str:
    if not state.to_act:
        return "the game is over"
    if seat not in state.to_act:
        return f"the table waits for seat {' '.join(map(str, state.to_act))}"
    legal = state.legal_actions(seat)
    more = f" or {len(legal) - MOST_NAMED} more" if len(legal) > MOST_NAMED else ""
    return f"it may {', '.join(map(str, legal[:MOST_NAMED]))}{more}"


MOST_NAMED: Final = 14
"""The most legal actions that an error names."""


def _readable(action: Any) -> str:
    try:
        return str(action)
    except (AttributeError, LookupError, TypeError, ValueError):  # fields from which no text can be made
        return repr(action)


class Game(abc.ABC):
    """One game: its rules, and the places of its other parts.

    Parts in other packages are named as `module:name`, so that the rules import none of them.
    Only `values` is needed to play; the others each enable one use, such as looking ahead.

    Attributes:
        id: the name in files and on the command line, such as `forty-one`.
        title: the name as printed.
        Options: the frozen dataclass of the game's options (see `option()`).
        values: the module of its actions, events and observation. The class of a
            value of kind `trick_won` is `TrickWon`, that of the observation `Observation`.
        sampler: its `arena.sampling.sampler.Sampler`, for bots that look ahead.
        greedy: its greedy policy, a function of an observation and the legal actions (`arena.policies`).
        encoding: its `arena.rl.encoding.Encoding`, for training.
        picture: its `arena.view.pictures.games.Picture`, which the page shows.
        usual_decisions: about how many decisions a seat makes in a deal between bots that
            play well; bots use it to share out their time.
        luck_baselines: the baselines with which correcting for luck (`arena.comparison.luck`) divides the
            variance of a comparison by 1.2 or more (docs/fewer-games.md); `greedy` needs the greedy policy,
            and the others are for built-in games.
    """

    id: str
    title: str
    Options: type[Any]
    values: str = ""
    sampler: str = ""
    greedy: str = ""
    encoding: str = ""
    picture: str = ""
    usual_decisions: int = 40
    luck_baselines: tuple[str, ...] = ()

    @abc.abstractmethod
    def seats(self, options: Any) -> range:
        """The numbers of seats that can play under these options."""

    @abc.abstractmethod
    def deck(self, options: Any) -> Sequence[Any]:
        """The deck before shuffling, in its documented order."""

    @abc.abstractmethod
    def new(self, board: Board, seats: int, options: Any, starter: Seat = 0) -> State:
        """The first position of a game on `board`.

        Raises WrongOption if `seats` is not in `self.seats(options)`.
        """

    @abc.abstractmethod
    def max_decisions(self, seats: int, options: Any) -> int:
        """A proved upper bound on the number of actions in one game."""

    def words(
        self, value: Action | Event, told: Sequence[Event] = (), seen: Observation | None = None
    ) -> str:
        """An action or an event in words for people who look at a game.

        It is the text of the value, unless that names things that people know by another name. What an action
        names is known from what follows from it, or from what lay there before.

        Args:
            value: the action or the event.
            told: the events that follow from the action.
            seen: the position before the action, as anybody sees it.
        """
        return str(value)

    def parse_options(self, given: Mapping[str, Any]) -> Any:
        """The options with `given` values in place of defaults.

        Raises WrongOption, which names the game, the option and the valid values.
        """
        fields = {field.name: field for field in dataclasses.fields(self.Options)}
        for name, value in given.items():
            if name not in fields:
                raise WrongOption(
                    f"{self.id} has no option {name!r}; its options are {', '.join(fields) or 'none'}"
                )
            problem = fields[name].metadata["check"](value)
            if problem:
                raise WrongOption(f"{self.id} option {name} = {value!r}: {problem}")
        return self.Options(
            **{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        )


def options_of_then(options_class: type[Any], stored: Mapping[str, Any]) -> Any:
    """The options from stored values; an option that did not exist then gets its value `before`.

    Args:
        options_class: a game's `Options`.
        stored: the value of each option that existed; a list stands for a tuple.

    Raises WrongOption if an unknown option is stored, or one of the first
    release is missing.
    """
    fields = {field.name: field for field in dataclasses.fields(options_class)}
    unknown = stored.keys() - fields.keys()
    missing = [
        name for name, field in fields.items() if name not in stored and field.metadata["before"] is None
    ]
    if unknown or missing:
        what = f"unknown: {', '.join(sorted(unknown))}" if unknown else f"missing: {', '.join(missing)}"
        raise WrongOption(f"the stored options are not those of this version ({what})")
    values = {name: stored.get(name, field.metadata["before"]) for name, field in fields.items()}
    return options_class(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    )


def option(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] = (),
    low: int = 0,
    high: int | None = None,
    before: Any = None,
) -> Any:
    """A field of a game's `Options` dataclass.

    Args:
        default: the default; its type is the option's type: bool, int, str or
            a tuple of str.
        help: one line with the ruling's number, such as "N4: equal sums steal too".
        choices: for a str, the allowed values.
        low, high: for an int, the allowed range, both ends included.
        before: for an option that came after the first release, the rule from
            before it existed: its value in records and leagues without
            it, whatever the default is or becomes. In the protocol such an
            option is an `optional` field.
    """

    def check(value: Any) -> str | None:
        if isinstance(default, tuple):
            ok = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
            return None if ok else "must be a list of texts"
        if type(value) is not type(default):
            wanted = {bool: "true or false", int: "a whole number", str: "a text"}[type(default)]
            return f"must be {wanted}"
        if choices and value not in choices:
            return f"must be one of {', '.join(choices)}"
        in_range = type(value) is not int or (low <= value and (high is None or value <= high))
        if not in_range:
            return f"must be at least {low}" + (f" and at most {high}" if high is not None else "")
        return None

    metadata = {
        "help": help, "choices": tuple(choices), "low": low, "high": high, "check": check, "before": before
    }  # fmt: skip
    return dataclasses.field(default=default, metadata=metadata)


def in_order_of(deck: Sequence[T], cards: Collection[T]) -> list[T]:
    """The cards in the deck's order; the deck has each of them once."""
    wanted = {*cards}
    return [card for card in deck if card in wanted]


def places_by(keys: Sequence[Any]) -> tuple[int, ...]:
    """The place of each seat; a higher key is better, and equal keys share a place."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)
