"""A fast and simple way to play, by which a position is measured, for the games where that pays.

It chooses by what is seen alone, always the same, and looks one step ahead: as
the example bot `greedy` does. How strong it is does not matter for what is
measured with it to be right; the more the bots play like it, the more it tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from arena.cards import Card
from arena.games import forty_one_values as forty_one
from arena.games import kleftis_values as kleftis
from arena.games import nur_mut_values as nur_mut
from arena.games.forty_one import hand_values
from arena.games.game import Action, Seat, State
from arena.games.kleftis_groups import groups_made
from arena.games.series import SeriesObservation

_FortyOneAction = forty_one.DrawStock | forty_one.TakeDiscard | forty_one.EndPlay | forty_one.Discard
_NurMutAction = (
    nur_mut.PassTurn | nur_mut.Tuck | nur_mut.Place | nur_mut.TryTop | nur_mut.Courage | nur_mut.ChoosePile
)
_KleftisAction = kleftis.Play | kleftis.Build | kleftis.Steal | kleftis.Secure

STOP_AT: Final = 30
"""The score with which it ends play in Forty-one."""
LIKELY, CHEAP = 0.5, 2
"""It shows courage in Nur Mut where that fits so likely, and else takes no more cards than that."""


def choose(game: str, state: State, seat: Seat) -> Action:
    """The action of a seat that is to act, in the game with that id."""
    actions: Sequence[Any] = state.legal_actions(seat)
    if len(actions) == 1:
        only: Action = actions[0]
        return only
    seen: Any = state.observation(seat)
    return CHOOSERS[game](seen.current if isinstance(seen, SeriesObservation) else seen, actions)


def _forty_one(seen: forty_one.Observation, actions: Sequence[_FortyOneAction]) -> Action:
    """Takes the discard if it helps, drops the worst card, and ends play with a high score."""
    if seen.phase == "discard":
        return max(actions, key=lambda action: _score_without(seen.hand, action))
    by_kind = {action.kind: action for action in actions}
    now = sum(hand_values(seen.hand))
    if "end_play" in by_kind and (now >= STOP_AT or seen.stock == 0):
        return by_kind["end_play"]
    if "take_discard" in by_kind:
        five = (*seen.hand, seen.discards[-1])
        if max(_score_without(five, forty_one.Discard(card)) for card in seen.hand) > now:
            return by_kind["take_discard"]
    return by_kind.get("draw_stock") or actions[0]


def _score_without(hand: Sequence[Card], action: _FortyOneAction) -> int:
    """What a hand counts after a discard."""
    assert isinstance(action, forty_one.Discard)
    return sum(hand_values([card for card in hand if card != action.card]))


def _nur_mut(seen: nur_mut.Observation, actions: Sequence[_NurMutAction]) -> Action:
    """Lays the card that fits; else is brave where that is likely to fit and cheap, or tucks."""
    by_kind = {action.kind: action for action in reversed(actions)}  # of several piles the first
    brave = ""
    if "courage" in by_kind:
        fitting = {face for top in seen.piles for face in (top - 1, top + 1) if 1 <= face <= nur_mut.HIGHEST}
        highest = max(seen.piles)
        price = max(size for top, size in zip(seen.piles, seen.pile_sizes, strict=True) if top == highest)
        if len(fitting) / nur_mut.HIGHEST >= LIKELY and price <= CHEAP:
            brave = "courage"
    return next(
        (by_kind[kind] for kind in ("choose_pile", "place", brave, "try_top", "tuck") if kind in by_kind),
        actions[0],
    )


def _kleftis(seen: kleftis.Observation, actions: Sequence[_KleftisAction]) -> Action:
    """Steals the biggest group, else builds on the biggest, else plays; secures all it can."""
    sizes = {group.group: len(group.cards) for board in seen.dashboards for group in board.groups}

    def worth(action: _KleftisAction) -> int:
        match action:
            case kleftis.Secure(groups):
                return len(groups)
            case kleftis.Steal(_, _, group):
                return 200 + sizes[group]
            case kleftis.Build(_, group):
                return 100 + sizes[group]
            case kleftis.Play(card):  # with the most friends in the hand, to be built on later
                return sum(other in seen.hand for other in groups_made((card,)))

    return max(actions, key=worth)


CHOOSERS: Final[Mapping[str, Callable[[Any, Sequence[Any]], Action]]] = {
    "forty-one": _forty_one,
    "nur-mut": _nur_mut,
    "kleftis": _kleftis,
}
"""How to choose in each game that has such a way, from what is seen and what is legal."""
