"""Says what a browser draws for a table of each game, as plain data. The browser does not know the rules.

A picture maps the names of places to their contents, so a change of the position is the places that differ.
Every number that follows from the cards (the worth of a pile, a score, which cards fit) is in the picture.
Cards are their numbers; `null` stands for a hidden card.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from arena.cards import JOKERS, SUIT_SYMBOLS, Card, Suit, card
from arena.games import PerGame
from arena.games.forty_one import card_value, hand_values
from arena.games.game import Seat, State
from arena.games.hyrule import trick_winner
from arena.games.kleftis_groups import group_words
from arena.games.nur_mut_actions import FITS
from arena.games.nur_mut_values import HIGHEST, PILES, Face
from arena.games.nyuri_values import worth
from arena.games.series import WIN
from arena.text import one_line

Parts = list[str | int]
"""A sentence in parts: texts, and numbers of seats in place of the players' names."""

Places = dict[str, Any]
Own = Mapping[Seat, Any]


class Picture(abc.ABC):
    """A table of one game. It is told every step, and gives the picture.

    Args:
        seats: the number of seats.
        options: the game's options.
    """

    tones: ClassVar[Mapping[str, str]] = {}
    """The kinds of events that the page marks, and the colour of each."""

    untold: ClassVar[str | None] = None
    """The words, after the seat's name, for an action without any public event; None if the action itself is
    hidden, in a game in which all seats choose before the actions are shown."""

    unit: ClassVar[tuple[str, str]] = ("point", "points")
    """What `score` counts, one and many."""

    sign: ClassVar[int] = 1
    """-1 if people say a score without its minus sign, because fewer is better."""

    about: ClassVar[Mapping[str, str]] = {}
    """What the numbers on the table mean, for people: by the kind of place, such as `worth`."""

    scenes: ClassVar[tuple[str, ...]] = ()
    """Cards for the steps of a turn in `arena.view.pictures.how_to`; see `cards_of` there."""

    score_of_hands: ClassVar[bool] = False
    """Whether the score of a deal follows from the hands, so that only who sees all hands knows it."""

    def __init__(self, seats: int, options: Any) -> None:
        self.seats = seats
        self.options = options

    @property
    def adds_up(self) -> bool:
        """Whether the scores of a series' deals add up; else its deals count as won or lost."""
        return False

    @property
    def tie(self) -> str:
        """What decides between seats with equal points in a game of one deal; empty if nothing does."""
        return ""

    def by_tie_rule(self, *, series: bool) -> str:
        """What decided between seats with equal points, for the end of a sentence.

        `series`: whether the game had several deals; then a further deal decides. If no rule does, it was a
        forfeit.
        """
        return f", by {'a further deal' if series else self.tie or 'a forfeit'}"

    def tell(self, event: Any) -> None:  # noqa: B027  # most pictures need no memory
        """Takes the events of the last action, as the viewer gets them."""

    def begin_step(self) -> None:  # noqa: B027  # most pictures need no memory
        """Begins another action, before its events are told."""

    def shown(self, public: Any, own: Own, state: State | None = None) -> Places:
        """The picture after the events that were told.

        Args:
            public: the observation of an onlooker.
            own: the observation of each seat whose view is shown.
            state: the position itself if all is shown, after the game; else None.
        """
        now = getattr(public, "current", public)  # the current deal of a series
        own = {seat: getattr(each, "current", each) for seat, each in own.items()}
        places = self.places(now, own, state)
        places["about"] = dict(self.about)
        if now is not public:
            places["deal"] = f"deal {public.deal + 1} of {max(public.deals, public.deal + 1)}"
            places["scores"] = [self._in_a_series(score) for score in public.scores]
            places["about"]["deal"] = "points of the deals before" if self.adds_up else "deals won so far"
        return places

    def _in_a_series(self, score: float) -> float:
        """The score of a seat over finished deals as people count it: points, or deals won."""
        return score if self.adds_up else round(score / WIN, 2)

    @abc.abstractmethod
    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        """The picture of one deal; see `shown`."""

    def scores(self, public: Any, own: Own) -> list[float] | None:
        """The number of each seat that decides the places if play ends here, higher is better.

        In a series whose deals do not add up these are the deals won. None if the viewer cannot know the
        scores, or the game has no such number. The arguments are those of `shown`.
        """
        now = getattr(public, "current", public)
        if now is public:
            return self.score(now, own)
        if not self.adds_up:
            return [self._in_a_series(score) for score in public.scores]
        if public.phase == "over":
            return list(public.scores)
        running = self.score(now, {seat: getattr(each, "current", each) for seat, each in own.items()})
        if running is None:
            return None
        return [score + more for score, more in zip(public.scores, running, strict=True)]

    def score(self, seen: Any, own: Own) -> list[float] | None:
        """The scores in one deal; see `scores`."""
        return None

    def feat(self, seat: Seat) -> Parts:
        """What a seat won the deal with, such as `five of the seven tricks`; empty if nothing is known."""
        return []


def _number(count: int) -> str:
    """A number as a text has it: in words to twelve."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)  # fmt: skip


def _hands(seen: Any, own: Own) -> Places:
    """The hands, None for a hidden one, and the number of cards in each."""
    places: Places = {}
    for seat, size in enumerate(seen.hand_sizes):
        places[f"hand.{seat}"] = list(map(int, own[seat].hand)) if seat in own else None
        places[f"count.{seat}"] = size
    return places


def _cards(pile: Sequence[Card | None]) -> list[int]:
    return [int(card) for card in pile if card is not None]


class NyuriPicture(Picture):
    """Nyuri: guarded piles, claims on them, and the stock."""

    about: ClassVar[Mapping[str, str]] = {
        "total": "hand and pile together: the most cards win",
        "worth": "what the pile is worth: a claim must be worth more",
        "claim": "what the shown cards are worth together",
        "stock": "when the last one is drawn, play stops and all cards are counted",
    }
    scenes: ClassVar[tuple[str, ...]] = ("9s Qs", "9s Qs < 10s Ks", "9s Qs → 10s Ks 9s Qs")
    tones: ClassVar[Mapping[str, str]] = {
        "claimed": "claim", "overbid": "claim", "stole": "steal", "penalty": "steal", "counted": "win",
        "deal_ended": "win",
    }  # fmt: skip
    unit: ClassVar[tuple[str, str]] = ("card", "cards")

    def __init__(self, seats: int, options: object) -> None:
        super().__init__(seats, options)
        self._steals = [0] * seats

    def tell(self, event: Any) -> None:
        if event.kind == "stole":
            self._steals[event.seat] += 1

    def score(self, seen: Any, own: Own) -> list[float]:
        return [
            size + sum(card is not None for card in pile)
            for size, pile in zip(seen.hand_sizes, seen.piles, strict=True)
        ]

    def feat(self, seat: Seat) -> Parts:
        steals = self._steals[seat]
        return [f"{_number(steals)} {'pile' if steals == 1 else 'piles'} stolen"]

    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        places = _hands(seen, own)
        for seat, pile in enumerate(seen.piles):
            places[f"pile.{seat}"] = _cards(pile)
            places[f"worth.{seat}"] = worth([card for card in pile if card is not None])
            places[f"total.{seat}"] = seen.hand_sizes[seat] + len(_cards(pile))
        best = {claim.owner: claim for claim in seen.claims}  # a later claim on a pile is always higher
        places["claims"] = [
            {
                "seat": claim.seat,
                "owner": claim.owner,
                "cards": list(map(int, claim.cards)),
                "sum": worth(claim.cards),
                "out": best[claim.owner] is not claim,
            }
            for claim in seen.claims
        ]
        places["placer"] = seen.placer if seen.phase != "over" else None
        places["stock"] = seen.stock
        places["spent"] = list(map(int, seen.spent))
        places["act"] = seen.to_act
        return places


_DISCARDS = 6  # Forty-one: how many of the last discards are shown


class FortyOnePicture(Picture):
    """Forty-one: hands with their suit and score, the stock, and the discards."""

    about: ClassVar[Mapping[str, str]] = {
        "score": "the score of this hand: one suit counts, all other cards count against it",
        "stock": "cards left to draw",
    }
    scenes: ClassVar[tuple[str, ...]] = ("back → Qs", "Ks 10s As 3d → 3d", "As Ks Qs 10s =41")
    tones: ClassVar[Mapping[str, str]] = {"play_ended": "win", "shown": "win", "deal_ended": "win"}
    score_of_hands: ClassVar[bool] = True

    @property
    def tie(self) -> str:
        return "the better worst card"  # F11

    def __init__(self, seats: int, options: Any) -> None:
        super().__init__(seats, options)
        self._shown: dict[int, tuple[Card, ...]] = {}
        self._drawn: int | None = None
        self._ended: Seat | None = None  # the seat that ended play

    @property
    def adds_up(self) -> bool:
        return bool(self.options.cumulative)

    def tell(self, event: Any) -> None:
        match event.kind:
            case "dealt":
                self._shown.clear()
            case "play_ended":
                self._ended = event.seat
            case "shown":
                self._shown[event.seat] = event.cards
            case "drew_stock" | "took_discard":
                drawn: Card | None = event.card
                self._drawn = None if drawn is None else int(drawn)
            case "discarded":
                self._drawn = None

    def score(self, seen: Any, own: Own) -> list[float] | None:
        if len(own) < self.seats:
            return None
        hands = ([each for each in own[seat].hand if each != own[seat].drawn] for seat in range(self.seats))
        return [sum(hand_values(hand)) for hand in hands]

    def feat(self, seat: Seat) -> Parts:
        hand = list(self._shown.get(seat, ()))
        suit = _counting_suit(hand) if hand else None
        if suit is None:
            return []
        count = sum(each.suit is suit for each in hand)
        name = Suit(suit).name.lower()
        feat: Parts = [f"{_number(count)} {name if count > 1 else name[:-1]}"]
        return feat if self._ended in (None, seat) else [*feat, ", though ", self._ended, " ended play"]

    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        places = _hands(seen, own)
        for seat, cards in self._shown.items():
            places[f"hand.{seat}"] = list(map(int, cards))
        acting = None if seen.phase == "over" else (seen.starter + len(seen.discards)) % self.seats
        for seat in range(self.seats):
            hand = places[f"hand.{seat}"]
            drawn = self._drawn if seat == acting and seen.phase == "discard" else None
            places[f"drawn.{seat}"] = drawn if hand is not None else None
            held = [] if hand is None else [card(each) for each in hand if each != drawn]
            places[f"score.{seat}"] = sum(hand_values(held)) if held else None
            suit = _counting_suit(held) if held else None
            places[f"suit.{seat}"] = None if suit is None else SUIT_SYMBOLS[suit]
            places[f"against.{seat}"] = [int(each) for each in held if each.suit is not suit]
        first = max(0, len(seen.discards) - _DISCARDS)
        places["discards"] = [
            {"card": int(each), "taken": taken, "seat": (seen.starter + first + number) % self.seats}
            for number, (each, taken) in enumerate(
                zip(seen.discards[first:], seen.taken[first:], strict=True)
            )
        ]
        places["takable"] = bool(seen.phase == "draw" and seen.discards and not seen.taken[-1])
        places["stock"] = seen.stock
        places["act"] = acting
        places["open"] = bool(self._shown)
        return places


def _counting_suit(hand: list[Card]) -> int | None:
    """The suit that counts for the holder."""

    def score(suit: int | None) -> tuple[int, tuple[int, ...]]:
        values = sorted(card_value(each) if each.suit == suit else -card_value(each) for each in hand)
        return sum(values), tuple(values)

    return max({each.suit for each in hand}, key=score)


class NurMutPicture(Picture):
    """Nur Mut: three piles, the cards that fit on them, and each seat's deck."""

    about: ClassVar[Mapping[str, str]] = {
        "size": "cards on this pile",
        "high": "the highest top: if courage fails, the player takes this pile",
        "fits": "the numbers that may be laid here: one higher or one lower",
        "left": "cards left in the deck: who has none wins",
        "lower": "the other face of the top card",
    }
    scenes: ClassVar[tuple[str, ...]] = ("n4 → n5", "n2 → brown", "n2 ↻ n6 → n7")
    tones: ClassVar[Mapping[str, str]] = {"flipped": "courage", "took_pile": "steal", "deal_ended": "win"}
    unit: ClassVar[tuple[str, str]] = ("card left", "cards left")
    sign: ClassVar[int] = -1

    def __init__(self, seats: int, options: object) -> None:
        super().__init__(seats, options)
        self._took: int | None = None
        self._flipped: int | None = None
        self._brave = [0] * seats  # the cards laid by courage

    def begin_step(self) -> None:
        self._took = self._flipped = None

    def tell(self, event: Any) -> None:
        if event.kind == "took_pile":
            self._took = event.pile
        elif event.kind == "flipped":
            self._flipped = event.seat
        elif event.kind == "laid" and event.reason == "courage":
            self._brave[event.seat] += 1

    @property
    def adds_up(self) -> bool:
        return True

    def score(self, seen: Any, own: Own) -> list[float]:
        return [-size for size in seen.deck_sizes]

    def feat(self, seat: Seat) -> Parts:
        brave = self._brave[seat]
        if not brave:
            return []
        return [f"{_number(brave)} {'card' if brave == 1 else 'cards'} laid by courage"]

    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        highest = max(seen.piles)
        places: Places = {}
        for pile, (face, size) in enumerate(zip(seen.piles, seen.pile_sizes, strict=True)):
            places[f"pile.{pile}"] = int(face)
            places[f"size.{pile}"] = size
            places[f"fits.{pile}"] = [each for each in range(1, HIGHEST + 1) if FITS[each][face]]
            places[f"high.{pile}"] = face == highest
        lower = self._lower(seen, state)
        for seat, (face, size) in enumerate(zip(seen.top_faces, seen.deck_sizes, strict=True)):
            places[f"top.{seat}"] = None if face is Face.HIDDEN else int(face)
            places[f"left.{seat}"] = size
            places[f"lower.{seat}"] = lower[seat]
        places["flipped"] = self._flipped
        places["took"] = self._took
        places["act"] = seen.to_act
        return places

    def _lower(self, seen: Any, state: State | None) -> list[int | None]:
        """The lower face of each deck's top card, if all is shown and it has one."""
        if state is None:
            return [None] * self.seats
        cards = state.cards()  # the decks, each with its top card last, and then the piles
        lower: list[int | None] = []
        end = 0
        for face, size in zip(seen.top_faces, seen.deck_sizes, strict=True):
            end += size
            known = size and face is not Face.HIDDEN
            top = cards[end - 1] if known else None
            under = None if top is None else top.back if top.front is face else top.front
            lower.append(None if under is None or under is Face.HIDDEN else int(under))
        assert end + sum(seen.pile_sizes) <= len(cards), f"{PILES} piles follow the decks"
        return lower


class KleftisPicture(Picture):
    """Kleftis: each seat's open groups, and its secured cards."""

    about: ClassVar[Mapping[str, str]] = {
        "points": "points if play ended now: a secured card counts 1, an open card -1",
        "safe": "secured cards: each counts 1, and nobody can steal them",
        "group": "the group: cards of one rank, or a run of one suit",
        "stock": "cards left to draw; without any, the hands are played out",
    }
    scenes: ClassVar[tuple[str, ...]] = ("back → 9h", "7h 8h + 9h", "7h 8h 9h → back back back")
    tones: ClassVar[Mapping[str, str]] = {
        "stole": "steal",
        "secured": "secured",
        "counted": "win",
        "deal_ended": "win",
    }
    untold: ClassVar[str] = "secures nothing"

    @property
    def tie(self) -> str:
        return "more secured cards" if self.options.tiebreak == "secured" else ""  # K14

    def __init__(self, seats: int, options: object) -> None:
        super().__init__(seats, options)
        self._stolen: dict[
            int, int
        ] = {}  # the groups stolen since the last card was laid, and their owners before
        self._secured: dict[int, list[dict[str, Any]]] = {}

    def tell(self, event: Any) -> None:
        match event.kind:
            case "dealt":
                self._secured.clear()
                self._stolen.clear()
            case "played" | "built":
                self._stolen.clear()
            case "stole":
                self._stolen = {event.group: event.owner}
            case "secured":
                cards = list(map(int, event.cards))
                self._secured.setdefault(event.seat, []).append({"group": event.group, "cards": cards})

    @property
    def adds_up(self) -> bool:
        return True

    def score(self, seen: Any, own: Own) -> list[float]:
        return [_as_it_lies(board) for board in seen.dashboards]

    def feat(self, seat: Seat) -> Parts:
        groups = len(self._secured.get(seat, ()))
        return [f"{_number(groups)} secured {'group' if groups == 1 else 'groups'}"]

    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        places = _hands(seen, own)
        for seat, board in enumerate(seen.dashboards):
            places[f"groups.{seat}"] = [
                {
                    "group": group.group,
                    "words": group_words(group.cards),
                    "cards": list(map(int, group.cards)),
                    "touched": group.touched,
                    "from": self._stolen.get(group.group),
                }
                for group in board.groups
            ]
            places[f"safe.{seat}"] = board.secured
            places[f"secured.{seat}"] = list(self._secured.get(seat, ()))
            places[f"points.{seat}"] = _as_it_lies(board)
        places["stock"] = seen.stock
        places["act"] = seen.to_act
        return places


def _as_it_lies(board: Any) -> int:
    """The points of a dashboard of Kleftis if play ended now."""
    return int(board.secured) - sum(len(group.cards) for group in board.groups)


class HyrulePicture(Picture):
    """Hyrule: a slot for each seat's card of the trick, and why a card wins.

    Neither sealed cards nor the seats that have sealed one are shown (H18): the slots stay empty until all
    cards turn over at once.
    """

    about: ClassVar[Mapping[str, str]] = {
        "captured": "cards taken in tricks: the most win",
        "leader": "opens this trick, with the most captured cards",
        "tallest": "opens while all have captured equally many cards",
    }
    scenes: ClassVar[tuple[str, ...]] = ("Qs", "Qs 7c 2d", "2d > Qs 7c")
    tones: ClassVar[Mapping[str, str]] = {"trick_won": "win", "swapped": "claim", "deal_ended": "win"}
    unit: ClassVar[tuple[str, str]] = ("card", "cards")

    def __init__(self, seats: int, options: Any) -> None:
        super().__init__(seats, options)
        self._trick: list[tuple[int, Card]] = []
        self._won: int | None = None
        self._tricks = [0] * seats

    def begin_step(self) -> None:
        if self._won is not None:
            self._trick, self._won = [], None

    def tell(self, event: Any) -> None:
        match event.kind:
            case "dealt":
                self._trick, self._won = [], None
            case "played":
                self._trick.append((event.seat, event.card))
            case "trick_won":
                self._won = event.seat
                self._tricks[event.seat] += 1

    def score(self, seen: Any, own: Own) -> list[float]:
        return list(seen.captured)

    def feat(self, seat: Seat) -> Parts:
        won, all_tricks = self._tricks[seat], _number(sum(self._tricks))
        return [
            f"all {all_tricks} tricks"
            if won == sum(self._tricks)
            else f"{_number(won)} of the {all_tricks} tricks"
        ]

    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        places = _hands(seen, own)
        order = {seat: number for number, (seat, _) in enumerate(self._trick)}
        cards = dict(self._trick)
        best, why = self._best()
        for seat in range(self.seats):
            places[f"slot.{seat}"] = int(cards[seat]) if seat in cards else None
            places[f"order.{seat}"] = order.get(seat)
            places[f"captured.{seat}"] = seen.captured[seat]
        places["best"], places["why"] = best, why
        places["won"] = self._won
        places["leader"] = None if seen.phase == "over" else seen.leader
        places["tallest"] = seen.tallest
        places["sealing"] = seen.phase == "seal"
        places["stock"] = seen.stock
        places["discards"] = list(map(int, seen.discards))
        places["act"] = seen.to_act
        return places

    def _best(self) -> tuple[int | None, str]:
        """The seat that is winning the trick or has won it, and why."""
        if not self._trick:
            return None, ""
        cards = [card for _, card in self._trick]
        winner = trick_winner(cards, last_joker=self.options.double_joker == "last")
        seat = next(seat for seat, card in self._trick if card == winner)
        return seat, _reason(winner, cards)


def _reason(winner: Card, cards: list[Card]) -> str:
    if len(cards) == 1:
        return "the only card so far"
    if max(cards) >= JOKERS[0]:
        return "the joker beats all but a five" if winner.suit is None else "a five beats the joker"
    suits = {card.suit for card in cards}
    if winner.suit is Suit.HEARTS and Suit.DIAMONDS in suits:
        return "hearts beat diamonds"
    name = winner.suit.name.lower() if winner.suit is not None else ""
    if sum(card.suit is winner.suit for card in cards) > 1:
        return f"the highest of {name}"
    return f"{name} are the highest suit here"


class PlainPicture(Picture):
    """A table of a game that has no picture of its own: the observation in words."""

    def places(self, seen: Any, own: Own, state: State | None) -> Places:
        """See `Picture`."""
        return {
            "act": getattr(seen, "to_act", None),
            "table": _text(seen),
            **{f"told.{seat}": _text(own[seat]) if seat in own else "" for seat in range(self.seats)},
        }


def _text(observation: Any) -> str:
    return "\n".join(map(one_line, str(observation).splitlines()))


PICTURES: Final[Mapping[str, type[Picture]]] = PerGame("picture")
"""The picture of each game that has one, by its id."""


def new_picture(game: str, seats: int, options: Any) -> Picture:
    """The picture of a table: of its game, or in words if the game has none."""
    return PICTURES.get(game, PlainPicture)(seats, options)
