"""Results in which some bots beat others."""

from collections import Counter

from arena.standings.tally import Group


def beats(one, other, times):
    """So many groups, of which `one` takes three of four games."""
    return Counter({Group((one, other), (4,)): times, Group((one, other), (2,)): times})
