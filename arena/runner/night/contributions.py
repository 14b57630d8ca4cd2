"""What the bots put into the deals: gathered once all are there, before the first game.

Each has pledged its bytes by their hash when it came. Now all are told the
commitment to the tournament's key and the digest of all pledges, and give their
bytes: by then the key and all bytes are fixed, so nobody can choose the deals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import trio

from arena.link.streams.dial import BotFault
from arena.runner.sitting.keeper import Keeper
from arena.table.deal import pledges_digest
from arena.tournament.rulings import Contribute

_AT_ONCE = 64  # bots that are asked; a thousand would wait for each other, and for their time too


async def gathered(
    keepers: Sequence[Keeper], commitment: bytes, say: Callable[[str], None]
) -> Contribute | None:
    """What the bots give; None where none has pledged anything.

    Args:
        keepers: those of all entrants, in their order.
        commitment: to the tournament's key.
        say: called with a line for people about a bot that does not give what it pledged.
    """
    pledged = {number: each.info.pledge for number, each in enumerate(keepers) if each.info}
    pledged = {number: pledge for number, pledge in pledged.items() if pledge}
    if not pledged:
        return None
    digest = pledges_digest(pledged)
    given: dict[int, bytes] = {}
    at_once = trio.CapacityLimiter(_AT_ONCE)

    async def ask(number: int) -> None:
        keeper = keepers[number]
        try:
            async with at_once:
                given[number] = await keeper.bytes_for_deals(pledged[number], commitment, digest)
        except BotFault as fault:
            say(f"{keeper.entrant.name} puts nothing into the deals: it {fault.message}")

    async with trio.open_nursery() as nursery:
        for number in pledged:
            nursery.start_soon(ask, number)
    return Contribute(_by_entrant(pledged, len(keepers)), _by_entrant(given, len(keepers)))


def _by_entrant(values: Mapping[int, bytes], entrants: int) -> tuple[str, ...]:
    return tuple(values.get(number, b"").hex() for number in range(entrants))
