"""Every game is played once, whatever becomes of the workers; and who ends them is found."""

from __future__ import annotations

import itertools
import random
from collections import Counter, deque

from hypothesis import given
from hypothesis import strategies as st

from arena.cluster.allocation import MOST_GAMES, TARGET, WINDOW, Allocation
from arena.cluster.batches import Batch
from arena.games import GAMES
from arena.results import GameKey
from arena.runner.rooms.room import Seating
from arena.table.clock import TimeControl
from arena.table.table import TableRules

RULES = TableRules(GAMES["hyrule"], GAMES["hyrule"].parse_options({}), 2, TimeControl(1, 1, 1), 3)


def board(match: int, number: int, players: tuple[int, ...]) -> list[Seating]:
    """The games of a board of two."""
    return [
        Seating(GameKey(0, 0, match, "hyrule", number, rotation), RULES, b"", players[:: 1 - 2 * rotation])
        for rotation in range(2)
    ]


def round_robin(bots: int, boards: int) -> list[Seating]:
    """All games of all pairs."""
    pairs = enumerate(itertools.combinations(range(bots), 2))
    return [game for match, pair in pairs for number in range(boards) for game in board(match, number, pair)]


def nobody(player: int, reason: str, message: str) -> None:
    raise AssertionError(f"bot {player}: {message}")


def none(player: int) -> None:
    raise AssertionError(f"bot {player} comes up nowhere")


class Simulation:
    """Workers that play, are lost and come back; some bots end whoever plays them."""

    def __init__(self, seed: int, workers: int, killers: set[int]) -> None:
        self.rng = random.Random(seed)
        self.killers = killers
        self.accused: dict[int, str] = {}
        self.counted: Counter[GameKey] = Counter()
        self.allocation = Allocation(4, self._accuse, self._comes_up_nowhere)
        for worker in range(workers):
            self.allocation.joined(f"w{worker}")

    def _accuse(self, player: int, reason: str, message: str) -> None:
        self.accused[player] = message

    def _comes_up_nowhere(self, player: int) -> None:
        self.accused[player] = "comes up nowhere"

    def asked(self, batch: Batch) -> set[int]:
        """The bots that really play in a batch."""
        if batch.unasked:
            return set()
        present = {batch.trial.player} if batch.trial is not None else set(batch.players)
        return present - set(self.accused)

    def play(self, accidents: int) -> None:
        """Plays all there is, with so many accidents for which no bot is to blame."""
        for _ in range(20_000):
            self.allocation.spread()
            deque(self.allocation.next(), maxlen=0)
            busy = [address for address, each in self.allocation.workers.items() if each.queue]
            if not busy:
                return
            address = self.rng.choice(busy)
            batch = self.allocation.workers[address].queue[0]
            number = batch.number
            if not self.killers.isdisjoint(self.asked(batch)):
                self._lose(address)
            elif accidents and self.rng.random() < 0.2:
                accidents -= 1
                self._accident(address, batch)
            else:
                played = self.allocation.played(number, 0.1 * len(batch.seatings))
                self.counted.update(seating.key for seating in played or ())
                assert self.allocation.played(number, 1.0) is None  # which comes a second time
        raise AssertionError("it never ended")

    def _accident(self, address: str, batch: Batch) -> None:
        match self.rng.randrange(5):
            case 0:
                self._lose(address)
            case 1:
                self.allocation.again(batch.number, address)
            case 2:
                self.allocation.missed(batch.number, batch.players[0])
            case 3:
                seatings, _numbers = self.allocation.recall()
                for seating in seatings:
                    self.allocation.open(seating)
            case 4:
                self.allocation.dismissed(address)
                self.allocation.joined(f"{address}, another")

    def _lose(self, address: str) -> None:
        self.allocation.lost(address)
        self.allocation.joined(address)


@given(st.integers(), st.integers(1, 5), st.integers(2, 5), st.integers(1, 9), st.integers(0, 9))
def test_every_game_counts_once_whatever_happens(seed, workers, bots, boards, accidents):
    games = round_robin(bots, boards)
    simulation = Simulation(seed, workers, set())
    for seating in games:
        simulation.allocation.open(seating)
    simulation.play(accidents)
    assert simulation.counted == {seating.key: 1 for seating in games}
    assert simulation.allocation.in_play == 0


@given(st.integers(), st.integers(1, 4), st.integers(3, 5), st.sets(st.integers(0, 4), max_size=3))
def test_who_ends_workers_is_found_and_nobody_else(seed, workers, bots, killers):
    killers &= set(range(bots))
    games = round_robin(bots, 5)
    simulation = Simulation(seed, workers, killers)
    for seating in games:
        simulation.allocation.open(seating)
    simulation.play(accidents=1)
    assert set(simulation.accused) == killers
    assert simulation.counted == {seating.key: 1 for seating in games}
    losses = sum(worker.lost for worker in simulation.allocation.workers.values())
    assert losses <= 1 + 20 * len(killers)


def test_batches_are_of_whole_boards_and_grow_to_their_time():
    allocation = Allocation(4, nobody, none)
    allocation.joined("w")
    for seating in round_robin(2, 3000):
        allocation.open(seating)
    sizes = []
    for _ in range(60):
        for _address, batch in allocation.next():
            assert len({seating.key.board for seating in batch.seatings}) * 2 == len(batch.seatings)
        if not allocation.workers["w"].queue:
            break
        batch = allocation.workers["w"].queue[0]
        sizes.append(len(batch.seatings))
        allocation.played(batch.number, 0.05 * len(batch.seatings))
        assert len(allocation.workers["w"].queue) < WINDOW
    assert sizes[0] == 4
    assert max(sizes) <= min(MOST_GAMES, TARGET / 0.05 + 1)
    assert TARGET / 0.05 in sizes
    assert sizes[-1] < max(sizes)  # what is left is shared


def test_a_bot_that_comes_up_nowhere_is_asked_no_more_and_one_that_does_elsewhere_plays_there():
    simulation = Simulation(1, 2, set())
    for seating in round_robin(2, 40):
        simulation.allocation.open(seating)
    for _ in range(50):
        given = dict(simulation.allocation.next())
        for address, batch in given.items():
            if address == "w0":
                simulation.allocation.missed(batch.number, 1)
            else:
                simulation.counted.update(
                    seating.key for seating in simulation.allocation.played(batch.number, 1.0) or ()
                )
    assert not simulation.accused
    simulation.play(0)
    assert len(simulation.counted) == 80
    allocation = simulation.allocation
    for seating in round_robin(2, 1):
        allocation.open(seating)
    while not simulation.accused:
        for _, batch in allocation.next():
            allocation.missed(batch.number, 1)
    assert list(simulation.accused) == [1]


def test_a_bot_that_comes_up_somewhere_is_asked_wherever_else_it_does_not():
    nowhere: list[int] = []
    allocation = Allocation(2, nobody, nowhere.append)
    for number in range(6):
        allocation.joined(f"w{number}")
    for seating in round_robin(2, 60):
        allocation.open(seating)
    deque(allocation.next(), maxlen=0)
    for number in range(1, 6):  # all of which may say so while the first batch is being played
        batch = allocation.workers[f"w{number}"].queue[0]
        allocation.missed(batch.number, 1)
    assert nowhere == []
    (first, *_) = allocation.workers["w0"].queue
    assert allocation.played(first.number, 60.0) is not None
    (later, *_) = allocation.workers["w0"].queue
    allocation.missed(later.number, 1)
    for _ in range(3):
        for number in range(1, 6):
            for batch in allocation.workers[f"w{number}"].queue[:1]:
                allocation.missed(batch.number, 1)
    assert nowhere == [1]  # and not once more


@given(st.integers(), st.integers(2, 5))
def test_the_games_of_a_bot_can_be_taken_back_and_all_others_are_played(seed, bots):
    games = round_robin(bots, 20)
    simulation = Simulation(seed, 2, set())
    for seating in games:
        simulation.allocation.open(seating)
    deque(simulation.allocation.next(), maxlen=0)
    simulation.allocation.lost("w1")  # so that some are to be given again
    taken, numbers = simulation.allocation.without(0)
    assert sorted(seating.key for seating in taken) == [each.key for each in games if 0 in each.players]
    assert all(simulation.allocation.played(number, 1.0) is None for number in numbers)
    simulation.play(0)
    assert simulation.counted == {seating.key: 1 for seating in games if 0 not in seating.players}


def test_a_worker_without_work_gets_what_queues_elsewhere():
    allocation = Allocation(2, nobody, none)
    allocation.joined("w0")
    for seating in round_robin(2, WINDOW):
        allocation.open(seating)
    deque(allocation.next(), maxlen=0)
    assert len(allocation.workers["w0"].queue) == WINDOW
    last = allocation.workers["w0"].queue[-1].number
    allocation.joined("w1")
    assert allocation.spread() == [last]
    assert [address for address, _batch in allocation.next()] == ["w1"]
    assert allocation.spread() == []
    assert allocation.played(last, 1.0) is None  # which was taken back


def test_what_comes_to_nothing_at_a_worker_is_played_elsewhere():
    allocation = Allocation(2, nobody, none)
    allocation.joined("w0")
    allocation.joined("w1")
    (seating, *_) = round_robin(2, 1)
    allocation.open(seating)
    for _ in range(2):
        ((address, batch),) = allocation.next()
        if address == "w1":
            break
        allocation.again(batch.number, address)
    assert address == "w1"


def test_a_worker_that_is_done_without_is_nobodys_fault_and_gets_nothing_more():
    accused: list[int] = []
    allocation = Allocation(2, lambda player, *_: accused.append(player), none)
    (game, other) = board(0, 0, (0, 1))
    allocation.open(game)
    allocation.open(other)
    for number in range(9):
        allocation.joined(f"w{number}")
        ((address, batch),) = allocation.next()
        assert address == f"w{number}"
        assert (batch.losses, batch.trial) == (0, None)
        number_there = batch.number
        assert allocation.dismissed(address) == [number_there]
    assert accused == []
