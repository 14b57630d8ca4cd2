"""Rebuilds positions from a public observation and the hidden cards.

Whatever else a position holds must follow from the spectator's observation, the
legal actions and what is known when a table begins. Taken from the position
itself are only: hands, stocks, decks and what lies under a pile's top (the
hidden cards), the secured cards of Kleftis (of which there is a count), the
numbers that name its groups and those that name chance events, and in Hyrule's
chance rules what is sealed and by whom (H18).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.games.forty_one import FortyOneState
from arena.games.game import SPECTATOR
from arena.games.hyrule import ChanceRules, Strategy
from arena.games.kleftis import KleftisState
from arena.games.kleftis_groups import open_group
from arena.games.nur_mut import NurMutState
from arena.games.nyuri import NyuriState
from arena.games.nyuri_actions import card_set
from arena.games.series import SeriesState


def rebuilt(state: Any, starter: int) -> Any:
    """The position that looks like this one.

    Args:
        state: a position of a game that is not over.
        starter: the seat that started its first deal.
    """
    seen = state.observation(SPECTATOR)
    if type(state) is SeriesState:
        deal_starter = (starter + seen.deal) % len(seen.scores)
        for name in ("starter", "tallest"):  # which some games show
            deal_starter = getattr(seen.current, name, deal_starter)
        current = rebuilt(state._current, deal_starter)
        return made(
            state,
            known=("_board", "_new_deal", "_plan"),
            _current=current,
            _deal=seen.deal,
            _level=seen.level,
            _outcome=None,
            _scores=seen.scores,
            _starter=deal_starter,
            _tie=seen.tie_scores or (0,) * len(seen.scores),
            to_act=current.to_act,
        )
    return REBUILD[type(state)](state, seen, starter)


def made(state: Any, known: tuple[str, ...], **values: Any) -> Any:
    """A position of the same class: `known` as it is in `state`, the rest from `values`."""
    twin = object.__new__(type(state))
    slots = {name for each in type(state).__mro__ for name in getattr(each, "__slots__", ())}
    assert slots == {*known, *values, "opening"}
    for name in known:
        value = getattr(state, name)
        if isinstance(value, list):
            value = [item.copy() if isinstance(item, list) else item for item in value]
        setattr(twin, name, value)
    for name, value in values.items():
        setattr(twin, name, value)
    twin.opening = ()
    return twin


def nyuri(state: Any, seen: Any, starter: int) -> Any:
    piles = [[card for card in pile if card is not None] for pile in seen.piles]
    return made(
        state,
        known=("_deal", "_options", "_hands", "_stock", "_penalties"),
        _claims=list(seen.claims),
        _legal=None,
        _owned=[card_set([*hand, *pile]) for hand, pile in zip(state._hands, piles, strict=True)],
        _outcome=None,
        _phase=seen.phase,
        _piles=[tuple(pile) for pile in piles],
        _placer=seen.placer,
        _spent=list(seen.spent),
        _stalled=seen.stalled,
        to_act=(seen.to_act,),
    )


def forty_one(state: Any, seen: Any, starter: int) -> Any:
    seat = (seen.starter + len(seen.discards)) % len(seen.hand_sizes)
    return made(
        state,
        known=("_hands", "_drawn", "_stock", "_min_stop_score", "_stall_limit", "_turns"),
        _discards=list(seen.discards),
        _legal=state.legal_actions(seat),
        _outcome=None,
        _seat=seat,
        _stalled=seen.stalled,
        _starter=seen.starter,
        _taken=list(seen.taken),
        to_act=(seat,),
    )


def nur_mut(state: Any, seen: Any, starter: int) -> Any:
    choosing = seen.phase == "choose_pile"
    return made(
        state,
        known=("_decks", "_piles", "_rest", "_terms", "_failures", "_tucked"),  # where cards lie, and chance
        _again=seen.again,
        _choosing=("courage" if seen.by_courage else "place") if choosing else "",
        _legal=None,
        _outcome=None,
        _passes=seen.passes,
        _stalled=seen.stalled,
        _turns=seen.turns,
        to_act=(seen.to_act,),
    )


def kleftis(state: Any, seen: Any, starter: int) -> Any:
    seats = len(seen.hand_sizes)
    touched = [group.group for board in seen.dashboards for group in board.groups if group.touched]
    closing = seats if state._options.final_secure else 0  # K9
    if not (seen.stock or any(seen.hand_sizes) or touched):
        first = (starter + 52) % seats  # after the 52 turns of playing a card
        closing = seats - 1 - (seen.to_act - first) % seats
    return made(
        state,
        known=("_hands", "_stock", "_options", "_secured", "_group_count"),
        _closing=closing,
        _dashboards=[
            [open_group(group.group, group.cards) for group in board.groups] for board in seen.dashboards
        ],
        _legal=state.legal_actions(seen.to_act),
        _outcome=None,
        _seat=seen.to_act,
        _securing=seen.phase == "secure",
        _touched=touched[0] if touched else None,
        to_act=(seen.to_act,),
    )


def hyrule(state: Any, seen: Any, starter: int) -> Any:
    turn = (
        {"_sealed": list(state._sealed), "to_act": state.to_act}
        if seen.phase == "seal"
        else {
            "_first": seen.trick[0].seat if seen.trick else seen.to_act,
            "_legal": None,
            "_swapped": seen.swapped,
            "_no_swap": seen.no_swap,
            "_trick": [played.card for played in seen.trick],
            "to_act": (seen.to_act,),
        }
    )
    return made(
        state,
        known=("_hands", "_deck", "_options", "_seats"),
        _captured=list(seen.captured),
        _discards=list(seen.discards),
        _drawn=len(state._deck) - seen.stock,
        _leader=seen.leader,
        _outcome=None,
        _played=list(seen.played),
        _tallest=seen.tallest,
        **turn,
    )


REBUILD: dict[Any, Callable[[Any, Any, int], Any]] = {
    NyuriState: nyuri,
    FortyOneState: forty_one,
    NurMutState: nur_mut,
    KleftisState: kleftis,
    Strategy: hyrule,
    ChanceRules: hyrule,
}
