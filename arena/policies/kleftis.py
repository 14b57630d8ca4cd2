"""Greedy Kleftis: steal the biggest group, else build the biggest, else play; secure all groups."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.kleftis_groups import groups_made
from arena.games.kleftis_values import Build, Observation, Play, Secure, Steal

KleftisAction = Play | Build | Steal | Secure


def choose(seen: Observation, actions: Sequence[KleftisAction]) -> KleftisAction:
    """The action with the highest immediate value."""
    sizes = {group.group: len(group.cards) for dashboard in seen.dashboards for group in dashboard.groups}

    def worth(action: KleftisAction) -> int:
        match action:
            case Secure(groups):
                return len(groups)
            case Steal(_, _, group):
                return 200 + sizes[group]
            case Build(_, group):
                return 100 + sizes[group]
            case Play(card):  # the card with the most matches in the hand, to build on later
                return sum(other in seen.hand for other in groups_made((card,)))

    return max(actions, key=worth)
