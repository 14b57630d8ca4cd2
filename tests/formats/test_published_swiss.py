"""The pairings of the arena beside those of a published Swiss."""

from collections.abc import Iterable
from fractions import Fraction

import pytest

from arena.formats.swiss import Contender, pair
from tests.standings import world_rapid


@pytest.mark.campaign
def test_pairs_are_as_near_in_score_as_in_a_published_swiss():
    """Pairs each of its rounds again from the earlier results; the arena has no rule for colours."""
    met: dict[int, list[int]] = {each: [] for each in range(len(world_rapid.FINAL))}
    scores = dict.fromkeys(met, Fraction(0))

    def unequal(pairs: Iterable[tuple[int, int]]) -> Fraction:
        return sum((abs(scores[one] - scores[other]) for one, other in pairs), Fraction(0))

    for number, games in enumerate(world_rapid.ROUNDS):
        row = tuple(Contender(each, each + 1, scores[each], tuple(met[each])) for each in met)
        pairing = pair(row, number)
        assert pairing.bye is None
        assert not any(other in met[one] for one, other in pairing.pairs)
        assert unequal(pairing.pairs) <= unequal((one, other) for one, other, _ in games)
        for one, other, what in games:
            met[one].append(other)
            met[other].append(one)
            taken = {"1": Fraction(1), "=": Fraction(1, 2), "0": Fraction(0)}[what]
            scores[one] += taken
            scores[other] += 1 - taken
