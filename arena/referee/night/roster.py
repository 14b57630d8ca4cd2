"""Connects the bots of a tournament before the first game, and admits late bots.

The referee starts bots, dials bots, and lets guests dial in to its lobby. Before the first game it asks the
bots for the bytes that they have pledged for the deals.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import trio

from arena.face import NO_FACE, Face
from arena.games import does_not_play
from arena.league.entrants import Entrant
from arena.league.tournament_file import TournamentFile, is_made
from arena.link.lobby.door_process import CannotListen
from arena.link.lobby.lobby import Lobby
from arena.link.lobby.tickets import Ticket
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError, build_all
from arena.link.streams.bot_fault import BotFault
from arena.link.tls.address import Address
from arena.processes.tuning import usable_processors
from arena.referee.night.control import Control
from arena.referee.night.night_now import Awaited, BotNow, NightNow
from arena.referee.night.settings import CannotRun, Invitation, Settings, Watcher, require_secrecy
from arena.referee.night.tokens import Token, Tokens
from arena.referee.presence import State
from arena.referee.sitting.keeper import GuestKeeper, Keeper, Start
from arena.referee.sitting.sitting import Sitting
from arena.table.clock import SECOND
from arena.table.deal import commitment, pledges_digest
from arena.text import file_name
from arena.tournament.rulings import Contribute

WITHDRAWN = BotFault("disconnect", "the bot was withdrawn from the tournament")
"""Why the bot of an entrant that is withdrawn is dismissed."""

STATES = {
    State.COMING: "coming",
    State.HERE: "here",
    State.LOST: "lost",
    State.ABSENT: "gone",
    State.GONE: "gone",
    State.DISMISSED: "gone",
}
"""What the host is told of the states of bots (see `BotNow`)."""

_GRACE = 1.0  # seconds for the last messages to guests
_NAMED = 3  # how many of the missing bots are named
_AT_ONCE = 64  # bots that are asked at once; a thousand would delay each other too long


class _Building(NamedTuple):
    """A bot that is built: its folder, words for people, and since when by the monotonic clock."""

    folder: Path
    words: str
    since: float


class Roster:
    """The bots of a tournament.

    Args:
        file: the tournament.
        sitting: the sitting in which they play.
        settings: the settings of the run, such as the address of the lobby.
        watcher: gets the news.
        tokens: the guests' tokens; a guest without a token gets one.
        control: the control socket.
        way_out: says what the host can do about entrants of a tournament that goes on and cannot play, by
            their names, as a clause; None for a tournament that begins.
        begins: when the tournament begins; None if it begins when all are here.
    """

    def __init__(
        self,
        file: TournamentFile,
        sitting: Sitting,
        settings: Settings,
        watcher: Watcher,
        tokens: Tokens,
        control: Control,
        way_out: Callable[[Sequence[str]], str] | None = None,
        begins: datetime | None = None,
    ) -> None:
        self._file = file
        self._sitting = sitting
        self._settings = settings
        self._watcher = watcher
        self._tokens = tokens
        self._control = control
        self._way_out = way_out
        processors = tuple(usable_processors())
        self._start = Start(trio.CapacityLimiter(len(processors)), processors, file.plan.instances)
        self._keepers: list[Keeper] = []
        self._guests: dict[int, GuestKeeper] = {}  # the keepers of guests
        self._lobby: Lobby | None = None  # until the first guest is expected
        self._lobby_at: Address | None = None
        self._begins_at: float | None = None  # by trio's clock
        self._begun = False
        self._building: _Building | None = None  # the last one that was begun
        if begins is not None:
            self._wait_until(begins)

    @property
    def lobby_at(self) -> str:
        """Where bots dial in, as `Address` writes it; empty without a lobby."""
        return str(self._lobby_at or "")

    async def night(self) -> NightNow:
        """What the host wants to know of the bots at this moment: who is here, and who is waited for."""
        plan, begins_in = self._file.plan, -1.0
        if not self._begun and self._begins_at is not None:
            begins_in = max(0.0, self._begins_at - trio.current_time())
        if not self._keepers:
            return NightNow(
                True,
                title=plan.name,
                about=plan.about,
                begins_in=begins_in,
                bots=[self._expected(*each) for each in enumerate(self._file.entrants)],
                building=self._building.words if self._building else "",
            )
        turns = await self._sitting.rooms.open_turns()
        now = time.monotonic()
        return NightNow(
            True,
            self._begun,
            plan.name,
            plan.about,
            begins_in,
            self._control.waits,
            self.lobby_at,
            self._sitting.running,
            [
                BotNow(
                    keeper.entrant.name,
                    keeper.entrant.join,
                    STATES[keeper.presence.state],
                    now - keeper.presence.since,
                    self._sitting.tables_of(keeper.player),
                    keeper.face,
                )
                for keeper in self._keepers
            ],
            [
                Awaited(turn.player, str(turn.key), turn.table, turn.waited / SECOND, turn.left / SECOND)
                for turn in turns
            ],
        )

    def _expected(self, player: int, entrant: Entrant) -> BotNow:
        """The bot of an entrant before it is started: it is built, or was, or will be."""
        building, state, seconds = self._building, "coming", 0.0
        if player in self._file.gone:
            state = "gone"
        elif building and entrant.bot and entrant.bot.folder == building.folder:
            state, seconds = "building", time.monotonic() - building.since
        face = Face(entrant.bot.language, entrant.bot.emblem) if entrant.bot else NO_FACE
        return BotNow(entrant.name, entrant.join, state, seconds, 0, face)

    @asynccontextmanager
    async def present(self) -> AsyncIterator[Sequence[Keeper]]:
        """Connects every bot or gives it up; releases all within seconds when the context is left.

        Bots are built first if needed, and about as many are started at once
        as there are processors. Raises BuildError if one
        cannot be built, and CannotRun if the lobby cannot open, half of the
        bots do not start or a bot does not play a game of the tournament.
        """
        for number, entrant in enumerate(self._file.entrants):
            if number not in self._file.gone:
                way_out = self._way_out([entrant.name]) if self._way_out else ""
                require_secrecy(entrant, self._settings, way_out)
        await self._build(*self._file.entrants)  # those that play no more have no bot
        keepers = self._keepers = [self._keeper(*item) for item in enumerate(self._file.entrants)]
        for player in self._file.gone:
            keepers[player].dismiss(WITHDRAWN)
        coming = [keeper for keeper in keepers if keeper.player not in self._file.gone]
        try:
            if any(isinstance(keeper, GuestKeeper) for keeper in coming):
                self._expect([keeper for keeper in keepers if isinstance(keeper, GuestKeeper)])
            async with self._sitting.open():
                for keeper in coming:
                    self._sitting.add_bot(keeper)
                await self._settled(coming)
                self._check_games(keepers)
                self._begun = True
                yield keepers
        finally:
            if self._lobby is not None:
                self._control.lobby = ""
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(self._lobby.stop, _GRACE)

    def _wait_until(self, begins: datetime) -> None:
        """Makes the tournament begin at this time; if it has passed, people are told that it does not."""
        left = (begins - datetime.now(UTC)).total_seconds()
        at = begins.astimezone().strftime("%Y-%m-%d %H:%M")
        if left > 0:
            self._begins_at = trio.current_time() + left
            self._watcher.say(f"the tournament begins at {at}")
        else:
            self._watcher.say(f"{at} has passed, so the tournament begins when all are here")

    async def admit(self, entrant: Entrant) -> None:
        """Adds one more bot while the others play; it need not be connected when this returns.

        Raises CannotRun if it is a guest and the lobby cannot open, or if TLS is
        required and it has none.
        """
        require_secrecy(entrant, self._settings)
        keeper = self._keeper(len(self._keepers), entrant)
        if isinstance(keeper, GuestKeeper):
            self._expect([keeper], late=True)
        self._keepers.append(keeper)
        self._sitting.add_bot(keeper, partial(self._bring, keeper))

    def give_token(self, player: int, token: Token) -> None:
        """Gives a guest a new token; the old one is no longer valid. Raises CannotRun."""
        name = self._keepers[player].entrant.name
        try:
            self._tokens.put(name, token)
        except OSError as error:
            raise CannotRun(f"the token of {name} cannot be kept: {error.strerror}") from None
        if self._lobby is not None:
            self._lobby.give(token.digest, Ticket(player, name, token.once))

    async def _build(self, *entrants: Entrant) -> None:
        """Builds bots, unless a cluster does. Raises BuildError."""
        if self._settings.cluster is None:
            bots = ((entrant.bot, entrant.sandbox) for entrant in entrants if entrant.bot)
            await build_all(bots, self._watcher.say, self._note_building)

    def _note_building(self, manifest: BotManifest, number: int, of: int) -> None:
        self._building = _Building(manifest.folder, f"{manifest.name}, {number} of {of}", time.monotonic())

    async def _bring(self, keeper: Keeper) -> None:
        """Builds a late bot, and runs its keeper."""
        try:
            await self._build(keeper.entrant)
            await keeper.run()  # a cluster's workers build it
        except BuildError as problem:
            keeper.say(f"cannot be built: {problem.message}")
            keeper.dismiss(BotFault("crash", problem.message))

    def _keeper(self, player: int, entrant: Entrant) -> Keeper:
        if entrant.address is not None and self._settings.tls is not None:
            entrant = dataclasses.replace(entrant, shown=self._settings.tls.identity.shown)
        sitting, tell = self._sitting, self._watcher.attendance
        if entrant.join:
            return GuestKeeper(player, entrant, sitting, tell)
        make = self._settings.keeper if self._settings.cluster is None else self._settings.cluster.keeper
        log = self._settings.logs / f"{file_name(entrant.name)}.log"
        return make(player, entrant, sitting, tell, log, self._start)

    def _expect(self, guests: Sequence[GuestKeeper], late: bool = False) -> None:
        """Lets guests dial in to the lobby, which opens for the first one. Blocks briefly. Raises CannotRun.

        Guests without a token get one; late guests get theirs later.
        """
        coming = [guest.entrant.name for guest in guests if guest.player not in self._file.gone]
        made = dict.fromkeys(coming, "")  # the new tokens
        try:
            for name in made:
                if self._tokens.of(name) is None and not late:
                    made[name] = self._tokens.make(name, self._settings.one_time)
        except OSError as error:
            raise CannotRun(f"the tokens cannot be kept beside the league: {error.strerror}") from None
        self._guests |= {guest.player: guest for guest in guests}
        lobby = self._lobby or self._new_lobby()
        for guest in guests:
            lobby.expect(guest.player)
        if self._lobby_at is None:
            self._lobby_at = self._listen(lobby)
            self._lobby = lobby
        tls = self._settings.tls
        self._watcher.lobby_open(Invitation(self._lobby_at, made, bool(tls and tls.client_ca)))

    def _new_lobby(self) -> Lobby:
        """A lobby that does not listen yet."""
        names = {player: guest.entrant.name for player, guest in self._guests.items()}
        tokens = {player: self._tokens.of(name) for player, name in names.items()}
        return Lobby(
            self._file.plan.name,
            self._file.plan.games,
            {
                token.digest: Ticket(player, names[player], token.once)
                for player, token in tokens.items()
                if token is not None
            },
            lambda player: self._guests[player].refusal,
            lambda player, guest: self._guests[player].arrived(guest),
            self._watcher.refused,
            self._watcher.say,
            bytes.fromhex(commitment(self._settings.key)) if self._settings.contributions else b"",
            lambda player, digest: self._tokens.put(self._guests[player].entrant.name, Token(digest)),
        )

    def _listen(self, lobby: Lobby) -> Address:
        """Opens a lobby; returns its address. Raises CannotRun."""
        try:
            address = self._settings.lobby_at(lobby.start(self._settings.lobby, self._settings.tls))
        except CannotListen as problem:
            lobby.stop(0)
            raise CannotRun(str(problem)) from None
        self._control.lobby = str(address)
        if address.in_the_clear:
            self._watcher.say(
                "this lobby has no TLS: others on the network can read the tokens (--tls prevents that)"
            )
        return address

    async def _settled(self, keepers: Sequence[Keeper]) -> None:
        """Waits until every bot is connected or given up, and the tournament's time has come.

        The host can begin earlier. Raises CannotRun.
        """
        guests = [keeper for keeper in keepers if isinstance(keeper, GuestKeeper)]
        started = trio.Event()
        async with trio.open_nursery() as nursery:
            if guests or self._begins_at is not None:
                nursery.start_soon(self._start_without, guests, started)
            await self._come_up([keeper for keeper in keepers if not isinstance(keeper, GuestKeeper)])
            for guest in guests:
                await guest.settled.wait()
            if self._begins_at is not None:
                await started.wait()
            nursery.cancel_scope.cancel()

    async def _come_up(self, keepers: Sequence[Keeper]) -> None:
        """Waits for the bots that the referee starts or dials. Raises CannotRun if half of them fail."""
        here: list[Keeper] = []
        missing: list[Keeper] = []

        async def wait_for(keeper: Keeper) -> None:
            await keeper.settled.wait()
            (here if keeper.presence.came else missing).append(keeper)
            if 2 * len(missing) >= len(keepers):
                raise CannotRun(_too_many_missing(missing, len(keepers), self._leave_out(missing)))
            self._watcher.bots_came(len(here), len(keepers))

        async with trio.open_nursery() as nursery:
            for keeper in keepers:
                nursery.start_soon(wait_for, keeper)

    async def _start_without(self, guests: Sequence[GuestKeeper], started: trio.Event) -> None:
        """Waits until the time has come, or the host says to begin, here or over the control socket."""
        async with trio.open_nursery() as nursery:

            async def heard(word: Callable[[], Awaitable[None]]) -> None:
                await word()
                nursery.cancel_scope.cancel()

            nursery.start_soon(heard, self._watcher.start_signal)
            nursery.start_soon(heard, self._control.start_signal)
            if self._begins_at is not None:
                nursery.start_soon(heard, partial(trio.sleep_until, self._begins_at))
        started.set()
        for guest in guests:
            guest.start_without()

    def _check_games(self, keepers: Sequence[Keeper]) -> None:
        for keeper in keepers:
            if keeper.info and (problem := does_not_play(self._file.plan.games, keeper.info.games)):
                raise CannotRun(
                    f"{keeper.entrant.name} {problem}: let its bot play that, or {self._leave_out([keeper])}"
                )

    def _leave_out(self, keepers: Sequence[Keeper]) -> str:
        """How the host goes on without these bots, as a clause."""
        if self._way_out is not None:
            return self._way_out([keeper.entrant.name for keeper in keepers])
        them = "it" if len(keepers) == 1 else "them"
        return f"leave {them} out" if is_made(self._file.text) else f"take {them} out of the tournament file"


def _too_many_missing(missing: Sequence[Keeper], bots: int, way_out: str) -> str:
    """One sentence about the bots that are missing."""
    faults = ((keeper.entrant.name, keeper.presence.fault) for keeper in missing[:_NAMED])
    named = [f"{name} {fault.message}" for name, fault in faults if fault is not None]
    if len(missing) > _NAMED:
        named.append(f"{len(missing) - _NAMED} more")
    return (
        f"{len(missing)} of the {bots} bots to be started or dialled are not there, so nothing is played "
        f"({'; '.join(named)}): find the cause with {missing[0].entrant.check}, or {way_out}"
    )


async def contributions(
    keepers: Sequence[Keeper], commitment: bytes, say: Callable[[str], None]
) -> Contribute | None:
    """Asks the bots for their bytes for the deals; returns None if none has pledged anything.

    Each bot has pledged the hash of its bytes. Now all get the commitment to the tournament's key and the
    digest of all pledges, and send their bytes. By then the key and all bytes are fixed, so nobody can
    choose the deals.

    Args:
        keepers: the keepers of all entrants, in their order.
        commitment: the commitment to the tournament's key.
        say: called with a line about each bot that does not give what it pledged.
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

    def by_entrant(values: Mapping[int, bytes]) -> tuple[str, ...]:
        return tuple(values.get(number, b"").hex() for number in range(len(keepers)))

    return Contribute(by_entrant(pledged), by_entrant(given))
