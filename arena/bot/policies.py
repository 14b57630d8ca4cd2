"""Makes the simple policies of `arena.policies` importable for authors of bots."""

from arena.policies import GREEDY as GREEDY
from arena.policies import greedy as greedy
from arena.policies import greedy_policy as greedy_policy
from arena.policies import random_policy as random_policy
from arena.policies import thoughtful_policy as thoughtful_policy
