"""What all pages of a standing league need: who asks, what the host has set, and what is asked of the host.

The page reads the database and the files of versions. It changes nothing but uploads: everything else is
asked of the host process, which decides.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena.hosting.database import Account, Bot, Database, NewerDatabase, Secret, Version
from arena.hosting.place import Place
from arena.hosting.rates import Rates
from arena.hosting.requests import Failed, NoAnswer, NoHostProcess, Refused, request
from arena.hosting.settings import LeagueFileError, Settings, read_settings
from arena.league.store import StoredTournament
from arena.results import GameResult
from arena.view.serving.actors import AUTHOR, Role, actor_of
from arena.view.serving.site import Site

_LOGIN: Final = "Log in first: with your token, or with an invitation of the host."
_NOBODY: Final = "The host process of this league does not run now; try again in a minute."
_OFTEN: Final = "That is too often; wait a little."
_NOT_YOURS: Final = "Only the bot's author can see this."
_NO_BOT: Final = "There is no such bot."

T = TypeVar("T")


class Standing:
    """The standing league in a folder, for its pages and its API.

    Args:
        site: the pages.
        place: the folder.
        url: the address at which the page listens, for links if the host has set no other.
    """

    def __init__(self, site: Site, place: Place, url: str) -> None:
        self.site, self.place, self._url = site, place, url
        self._requests = Rates(150, 25)
        self._failures = Rates(20, 0.2)
        self._settings: tuple[int, Settings] | None = None
        self._role = Role(AUTHOR, self._owner_of, _LOGIN, 401)

    # --- Who asks ---

    async def account(self, request: Request) -> Account | None:
        """The account of a request; None for nobody's. Raises HTTPException for a wrong token of a program.

        A request with a valid token counts for its account, and any other for its address: so nobody can use
        up what the people at the same address may do with their tokens.
        """
        account, actor = await trio.to_thread.run_sync(self._role.of, request), actor_of(request)
        if account is not None:
            self._count(account.id)
            return account
        self._count(f"from {actor.asker}")
        if actor.is_program:
            raise HTTPException(401, "The token is not valid here; log in again.")
        return None

    async def author(self, request: Request) -> Account:
        """The account of a request. Raises HTTPException for nobody's."""
        await self.account(request)
        return self._role.require(request)

    def _owner_of(self, kept: Mapping[str, str]) -> Account | None:
        """The account that the token of a request opens."""
        token = kept.get(AUTHOR)
        return self._read(lambda database: database.owner_of(token, "token")) if token else None

    async def owner(self, secret: str, kind: Secret = "token") -> Account | None:
        """The account that a secret opens; None for a wrong one."""
        return await self.read(lambda database: database.owner_of(secret, kind))

    def _count(self, who: str | int) -> None:
        if not self._requests.take(who):
            raise _too_often()

    def count_failure(self, request: Request) -> None:
        """Counts a wrong token or invitation that was typed. Raises HTTPException if there were too many."""
        if not self._failures.take(actor_of(request).asker):
            raise _too_often()

    async def join(self, request: Request, **given: str) -> dict[str, Any]:
        """Has the host process use an invitation up. Raises HTTPException, also if too many were wrong."""
        is_open = await self.owner(given.get("invitation", ""), "invitation")
        if not is_open and not await self.owner(given.get("token", "")):  # which repeats a lost answer
            self.count_failure(request)
        return await self.decide("join", None, **given)

    # --- What is there ---

    async def read(self, ask: Callable[[Database], T]) -> T:
        """What `ask` finds in the database, in a thread. Raises HTTPException if that cannot be read."""
        return await trio.to_thread.run_sync(self._read, ask)

    def _read(self, ask: Callable[[Database], T]) -> T:
        try:
            with Database(self.place.database) as database:
                return ask(database)
        except FileNotFoundError:
            raise HTTPException(503, _NOBODY) from None
        except NewerDatabase as problem:
            raise HTTPException(503, f"{problem}.") from None

    async def settings(self) -> Settings:
        """What the host has set, read again when the file has changed."""
        try:
            changed = self.place.settings.stat().st_mtime_ns
            if self._settings is None or self._settings[0] != changed:
                read = await trio.to_thread.run_sync(read_settings, self.place)
                self._settings = changed, read.listening_at(self._url)
        except (LeagueFileError, OSError):
            if self._settings is None:
                raise HTTPException(503, "The host's league.toml cannot be read; tell the host.") from None
        return self._settings[1]

    async def bot(self, request: Request) -> Bot:
        """The bot in the address. Raises HTTPException."""
        name = request.path_params["name"]
        bot = await self.read(lambda database: database.bot_called(name))
        if bot is None:
            raise HTTPException(404, _NO_BOT)
        return bot

    async def public_bot(self, request: Request, account: Account | None) -> tuple[Bot, list[Version]]:
        """The bot in the address with its versions. Raises HTTPException.

        A bot of which no version was ever accepted is known to its author alone.
        """
        bot = await self.bot(request)
        versions = await self.read(lambda database: database.versions(bot.id))
        if not is_own(bot, account) and not any(each.state == "accepted" for each in versions):
            raise HTTPException(404, _NO_BOT)
        return bot, versions

    async def own_bot(self, request: Request, account: Account) -> Bot:
        """The bot in the address, which must be the account's, unless a host asks. Raises HTTPException."""
        bot, _ = await self.public_bot(request, account)
        if not is_own(bot, account):
            raise HTTPException(403, _NOT_YOURS)
        return bot

    async def version(self, request: Request, bot: Bot) -> Version:
        """The version in the address. Raises HTTPException."""
        number = request.path_params["number"]
        versions = await self.read(lambda database: database.versions(bot.id))
        found = next((each for each in versions if each.number == number), None)
        if found is None:
            raise HTTPException(404, f"{bot.name} has no version {number}.")
        return found

    def own_seats(self, request: Request, tournament: StoredTournament, result: GameResult) -> list[int]:
        """The seats of a game at which versions of bots of the person who asks played. For threads.

        Raises HTTPException if the database cannot be read.
        """
        account = self._role.of(request)
        if account is None:
            return []

        def folders(database: Database) -> set[Path]:
            versions = database.versions_by_bot()
            own = [bot for bot in database.bots() if is_own(bot, account)]
            return {self.place.bot(version.id) for bot in own for version in versions.get(bot.id, ())}

        mine, entrants = self._read(folders), tournament.entrants
        return [seat for seat, each in enumerate(result.seats) if Path(entrants[each.entrant].bot) in mine]

    # --- What is decided ---

    async def decide(self, ask: str, account: int | None = None, **values: str | int) -> dict[str, Any]:
        """Has the host process decide a request. Raises HTTPException with its refusal."""
        try:
            return await trio.to_thread.run_sync(
                lambda: request(self.place, ask, account, **values), abandon_on_cancel=True
            )
        except (NoHostProcess, OSError):  # whose words name the folder
            raise HTTPException(503, _NOBODY, {"Retry-After": "2"}) from None
        except NoAnswer as why:
            raise HTTPException(503, _sentence(why), {"Retry-After": "2"}) from None
        except Failed as why:
            raise HTTPException(500, _sentence(why)) from None
        except Refused as why:
            raise HTTPException(409, _sentence(why)) from None


def _sentence(why: Refused) -> str:
    return str(why).rstrip(".") + "."


def is_own(bot: Bot, account: Account | None) -> bool:
    """Whether an account may see what only the bot's author sees."""
    return account is not None and (bot.account == account.id or account.role == "host")


def is_host_of(place: Place, token: str) -> bool:
    """Whether a token is that of an account with the role host in the league in a folder. For threads."""
    try:
        with Database(place.database) as database:
            account = database.owner_of(token, "token")
    except (FileNotFoundError, NewerDatabase):
        return False
    return account is not None and account.role == "host"


def new_to(place: Place, request: Request) -> Mapping[str, int]:
    """How many notices are new to the person who asks, by the page that shows them. For threads."""
    token = actor_of(request).secrets.get(AUTHOR)
    with suppress(FileNotFoundError, NewerDatabase), Database(place.database) as database:
        account = database.owner_of(token, "token") if token else None
        if account is not None and (new := database.new_notices(account.id)):
            return {"/authors": new}
    return {}


def joining_token(secret: str, invitation: str) -> str:
    """The token for which a browser with a secret uses an invitation up: nobody knows it without both."""
    return hmac.new(secret.encode(), f"token {invitation}".encode(), "sha256").hexdigest()


def _too_often() -> HTTPException:
    return HTTPException(429, _OFTEN, {"Retry-After": "5"})
