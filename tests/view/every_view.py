"""Makes every view of a league, its report and its tables in the terminal, and compares them with the course.

The views come from the page's own list of addresses: an address that `_PARTS` and `_OTHER` do not know fails.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import trio
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Message

from arena.cli.composed import compose
from arena.cli.page_beside import Page
from arena.cli.serve import settings_of
from arena.formats.format import Stage
from arena.league.downloads import LINES
from arena.league.store import League, StoredTournament
from arena.league.store.reading import Wanted
from arena.league.stored import course_of, season_of
from arena.league.summary import Summary, company_of, night_of
from arena.report.company_text import company_json, company_rows, company_text
from arena.report.live_text import leaders, live_lines, watch_text
from arena.report.outcome import outcome_json, outcome_of, outcome_rows, outcome_text
from arena.report.standings_data import summary_markdown
from arena.report.tables import exact
from arena.report.tournaments import list_json, list_text, season_json, season_text
from arena.results import Match, read_game_key, seat_scores
from arena.standings.season import season_table
from arena.standings.season_ratings import season_ratings
from arena.tournament.course import Course
from arena.tournament.courses import ComparisonCourse, LadderCourse
from arena.tournament.scoreboard import MatchState
from arena.view.listening import listening
from arena.view.report_file import report_of
from arena.view.serving.server import ComposedPage, Start
from tests.patience import PATIENCE

_TOKEN = "of-the-host"
_GAMES = 2  # games of which the replay is made
_FAULTY = 20  # games with faults of a bot that its page tells of
_ANSWERS = {  # the codes of answers that are not always 200
    "/tables/{number:int}": {404},  # no table runs
    "/tables/{number:int}/steps": {404},
    "/seat/events": {403},  # nobody sits here
    "/seat/last": {403},
    "/host/log/{number:int}": {404},  # no bot runs
    "/recap.html": {200, 404},  # the night is not over
    "/download/{ending}": {404},  # nobody has asked for it
    "/steps/{key:path}": {200, 403},  # hands are shown later
    "/plain/{key:path}": {200, 403},
    "/explained/{key:path}": {200, 403},
}
_OTHER = {
    "/events",  # which never ends, and is looked at by itself
    "/assets/{file}", "/favicon.ico", "/robots.txt", "/llms.txt", "/llms-full.txt", "/how-to/{game}",
}  # fmt: skip
"""Addresses that are the same for every league."""


class _Truth(NamedTuple):
    """A tournament of a league as the league file has it.

    `matches` has those that are paired, by their data-key on the page; none of a ladder.
    """

    league: League
    stored: StoredTournament
    course: Course
    matches: dict[str, tuple[Match, MatchState]]


def _truth_of(league: League) -> _Truth:
    stored = league.tournaments()[-1]
    course = course_of(league, stored.id)
    stages = () if isinstance(course, LadderCourse) else course.stages
    rounds = [round_ for stage in stages for round_ in course.rounds(stage)]
    matches = {
        ".".join(map(str, match.key)): (match, course.state(match))
        for round_ in rounds
        for match in round_.matches
    }
    return _Truth(league, stored, course, matches)


def look_at_everything(path: Path) -> None:
    """Makes all that people see of the last tournament of a league, and fails on any error or wrong text.

    That is: every view of the page, the stream of its events, the report as a file, and every table of the
    terminal. Their texts are compared with the tournament's course.
    """
    with League.read(path) as league:
        truth = _truth_of(league)
        _look_at_the_terminal(truth)
        _look_at_the_page(path, truth)
        watched = [key for each in _last_games(truth)[:1] if (key := read_game_key(each))]
        report = report_of(path, truth.stored.id, watched)
        _check_html("the report", report.html, truth)


# --- The terminal ---


def _look_at_the_terminal(truth: _Truth) -> None:
    league, stored, course, _ = truth
    names = [entrant.name for entrant in stored.entrants]
    outcome = outcome_of(league, stored.id, intervals=False)
    texts = {
        "standings": outcome_text(outcome),
        "live": "\n".join(live_lines(course, names, 12)),
        "leaders": leaders(course, names),
        "list": list_text(league),
    }
    told = json.loads(json.dumps(outcome_json(outcome)))
    json.dumps(list_json(league))
    lengths = {len(row) for row in outcome_rows(outcome)}
    assert len(lengths) == 1, "the rows of a spreadsheet differ in length"
    if isinstance(outcome, Summary):
        texts |= {"watch": watch_text(outcome), "markdown": summary_markdown(outcome)}
        company = company_of(league, stored.id)
        texts["pairs"] = company_text(company)
        json.dumps(company_json(company))
        list(company_rows(company))
        for stage, known in zip(told["stages"], course.stages, strict=True):
            _check_scores(stage, known, truth)
            if not isinstance(course, LadderCourse):
                states = [state for match, state in truth.matches.values() if match.key.stage == known.number]
                assert stage["matches_played"] == sum(state in _OVER for state in states)
    finished = season_of(league)
    nights = [night_of(league, each) for each in finished]
    rows, rated = season_table(nights), season_ratings(nights)
    texts["season"] = season_text(rows, rated, [each.name for each in finished])
    json.dumps(season_json(rows, rated, [each.name for each in finished]))
    for what, text in texts.items():
        _check_text(f"the table {what} of the terminal", text, truth)


def _check_scores(told: dict[str, Any], stage: Stage, truth: _Truth) -> None:
    """Compares the scores of a stage with those of its games: unfinished matches count as far as played."""
    league, stored, course, matches = truth
    effects, tally = course.effects, course.tally
    if isinstance(course, LadderCourse) or stage.pairs_by_score or effects.left_out.get(stage.number):
        return
    points, part = defaultdict[int, Fraction](Fraction), defaultdict[int, Fraction](Fraction)
    for match, _ in matches.values():
        over = tally.result(match.key)
        if match.key.stage == stage.number and match.key in tally.walkovers:
            assert over is not None
            for entrant, score in zip(over.entrants, over.scores, strict=True):
                points[entrant] += score
                part[entrant] += 1
    for _, result in league.games(stored.id):
        key = result.key
        regular = effects.void.planned(key.match_key, key.game, key.board) < tally.boards_of(key.match_key)
        if key.stage != stage.number or key.match_key in tally.walkovers or not regular:
            continue
        if not effects.void.has_game(key):
            seats = result.seats
            games = tally.boards_of(key.match_key) * len(course.plan.games) * len(seats)
            for seat, score in zip(seats, seat_scores([each.place for each in seats]), strict=True):
                points[seat.entrant] += score / games
                part[seat.entrant] += Fraction(1, games)
    for row in told["standings"]:
        entrant = [each.name for each in stored.entrants].index(row["name"])
        expected = exact(points[entrant] / part[entrant]) if part[entrant] else None
        assert row["score"] == expected, f"{row['name']} has {row['score']} and not {expected}"


# --- The page ---


class _Answer(NamedTuple):
    code: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> str:
        """What a person reads on it."""
        return re.sub(r"<.*?>", "", self.text.rpartition("<main")[2])


@contextmanager
def composed(path: Path) -> Iterator[ComposedPage]:
    """The page of a league, without a server."""
    said: list[str] = []
    with listening("127.0.0.1:0") as listener:
        settings = settings_of(path, Page(no_host=False), _TOKEN, None, None)
        page = compose(settings, Start(listener, 3, said.append))
        try:
            yield page
        finally:
            page.reader.close()
    assert said == []


def _look_at_the_page(path: Path, truth: _Truth) -> None:
    with composed(path) as page:
        trio.run(_look_at_all, page, truth)


async def _look_at_all(page: ComposedPage, truth: _Truth) -> None:
    with trio.fail_after(PATIENCE):
        form = f"token={_TOKEN}".encode()
        entered = await ask(page, "/host/enter", form=form)
        cookie = entered.headers["set-cookie"].partition(";")[0]
        for template, address in _addresses(page.routes, truth):
            answer = await ask(page, address, cookie=cookie)
            expected = _ANSWERS.get(template, {200})
            assert answer.code in expected, f"{address}: {answer.code} {answer.words}"
            kind = answer.headers.get("content-type", "")
            if "json" in kind:
                json.loads(answer.body)
            elif "html" in kind:
                _check_html(address, answer.text, truth)
            elif "text" in kind or "xml" in kind:
                _check_text(address, answer.text, truth)
        await _listen(page, truth)


def _addresses(routes: Sequence[BaseRoute], truth: _Truth) -> Iterator[tuple[str, str]]:
    """Each address that can be asked for, with the template of its route."""
    for route in routes:
        if isinstance(route, Mount):
            (night,) = _PARTS["night:int"](truth)
            base = route.path.replace("{night:int}", night)
            first = next(_addresses(route.routes, truth))  # the others are the same functions as without it
            yield first[0], base + first[1]
        elif isinstance(route, Route) and "GET" in (route.methods or ()) and route.path not in _OTHER:
            addresses = [route.path]
            for part in re.findall(r"{(.+?)}", route.path):
                addresses = [
                    each.replace(f"{{{part}}}", value) for each in addresses for value in _PARTS[part](truth)
                ]
            queries = _QUERIES.get(route.path, lambda truth: [])
            yield from ((route.path, address) for address in addresses)
            yield from ((route.path, route.path + each) for each in queries(truth))


def _entrants(truth: _Truth) -> list[str]:
    """The bots, but for those with faults of which a test has stored nothing but their number."""
    found = []
    for number in range(len(truth.stored.entrants)):
        faulty = truth.league.newest_games(truth.stored.id, Wanted(entrant=number, faults=True), _FAULTY)
        if all(truth.league.game(each).record for each, _ in faulty):
            found.append(str(number + 1))
    return found


def _last_games(truth: _Truth) -> list[str]:
    """The last games, but for those that a test has stored without what happened in them."""
    found = truth.league.newest_games(truth.stored.id, Wanted(), _GAMES)
    return [str(result.key) for number, result in found if truth.league.game(number).record]


def _kinds_of_games(truth: _Truth) -> list[str]:
    """The filters of games: the last match, a bot, a game, a round, and faults."""
    found = truth.league.newest_games(truth.stored.id, Wanted(), 1)
    alone = [f"?match={result.key.match_key}" for _, result in found]
    return [*alone, "?bot=1", f"?game={truth.course.plan.games[0]}", "?round=1.1", "?faults=1"]


_PARTS: dict[str, Callable[[_Truth], Sequence[str]]] = {
    "game": lambda truth: () if isinstance(truth.course, ComparisonCourse) else truth.course.plan.games,
    "number": _entrants,
    "number:int": lambda truth: ["1"],
    "one": lambda truth: ["1"],
    "other": lambda truth: ["2"],
    "key:path": _last_games,
    "ending": lambda truth: [LINES],
    "night:int": lambda truth: [str(truth.stored.id)],
}
"""By the part of an address in braces: the values that are asked for."""

_QUERIES: dict[str, Callable[[_Truth], list[str]]] = {
    "/games": _kinds_of_games,
    "/bots": lambda truth: [f"?sort={by}" for by in ("-score", "rating", "-faults", "ms")],
}
"""By address: the queries with which it is asked for too."""


async def ask(
    page: ComposedPage, address: str, until: bytes | None = None, *, cookie: str = "", form: bytes = b""
) -> _Answer:
    """Asks the page, as a browser does that goes away when it has heard `until`; or sends a form."""
    sent = {
        b"host": b"127.0.0.1", b"cookie": cookie.encode(), b"origin": b"http://127.0.0.1",
        b"content-type": b"application/x-www-form-urlencoded",
    }  # fmt: skip
    path, _, query = address.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
        "method": "POST" if form else "GET",
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "root_path": "", "headers": [*sent.items()], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 1),
    }  # fmt: skip
    headers: dict[str, str] = {}
    code, body, heard, asked = 0, bytearray(), trio.Event(), False

    async def receive() -> Message:
        nonlocal asked
        if until is None and not asked:
            asked = True
            return {"type": "http.request", "body": form, "more_body": False}
        await heard.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        nonlocal code
        if message["type"] == "http.response.start":
            code = message["status"]
            for name, value in message["headers"]:
                headers.setdefault(name.decode().lower(), value.decode())
        else:
            body.extend(message.get("body", b""))
            if until is not None and until in body:
                heard.set()

    await page.server.app(scope, receive, send)
    return _Answer(code, headers, bytes(body))


async def _listen(page: ComposedPage, truth: _Truth) -> None:
    """Listens to the page's events until it has told of the league."""
    async with trio.open_nursery() as nursery:
        (work,) = [work for where, work in page.background if where == "the event stream"]
        nursery.start_soon(work)
        answer = await ask(page, "/events", b"event: news")
        nursery.cancel_scope.cancel()
    _check_text("/events", answer.text, truth)


# --- What is right ---

_MATCH = re.compile(r'<li class="match" data-key="([\d.]+)">(.*?)</li>', re.DOTALL)
_OVER_OF = re.compile(r"(\d+) of (\d+) match(?:es)? over")
_ROWS = re.compile(r'<td class="n place">(.*?)</td>.*?<td class="n score">(.*?)</td>', re.DOTALL)
_STATE = re.compile(r'<span class="state.*?">(.*?)</span>')
_OF_BOT = re.compile(r'<tr data-key="(\d+\.\d+\.\d+)">(.*?)</tr>', re.DOTALL)


def _check_text(where: str, text: str, truth: _Truth) -> None:
    """Checks what holds for any text."""
    wrong = re.search(r"Traceback|.{20}board 10000.*|.{20}\bnan\b.*", text)
    assert wrong is None, f"{where}: {wrong[0]}"


def _check_html(where: str, html: str, truth: _Truth) -> None:
    """Compares a page with the course."""
    _check_text(where, re.sub(r"<(style|script).*?</\1>", "", html, flags=re.DOTALL), truth)
    known = truth.matches
    if truth.stored.finished is not None:
        assert "being played" not in html, where
    if where == "/standings":
        _check_standings(html, truth)
    for key, line in _MATCH.findall(html):
        if key not in known:  # of a ladder
            continue
        match, state = known[key]
        _check_words(where, _STATE.findall(line)[0], match, state, truth)
    for key, cells in _OF_BOT.findall(html):
        if key in known:
            _, state = known[key]
            assert state in _OVER, f"{where}: {key} is {state}"
            assert ("walkover" in cells) == (state is MatchState.WALKOVER), f"{where}: {key} is {state}"
    if where.startswith("/games"):
        headings = re.findall(r"<h2[^>]*>(.*?)</h2>", html, re.DOTALL)
        assert len({*headings}) == len(headings), f"{where}: a heading stands twice: {headings}"


_OVER = {MatchState.DECIDED, MatchState.WALKOVER}
_WORDS = {
    MatchState.DECIDED: "over",
    MatchState.WALKOVER: "walkover",
    MatchState.TIED: "tied: extra boards",
    MatchState.GIVEN_UP: "given up",
}


def _check_words(where: str, words: str, match: Match, state: MatchState, truth: _Truth) -> None:
    """Checks what a line says of the state of a match."""
    far = truth.course.tally.unfinished(match.key.stage).get(match.key)
    if truth.stored.finished is not None and state is MatchState.TIED:
        expected = ["tied"]
    elif state in _WORDS:
        expected = [_WORDS[state]]
    elif far is not None:
        expected = [f"{far.played} of {far.of} games"]
    else:
        expected = ["", "to come"] if truth.stored.finished is None else ["not played"]
    begun = state is MatchState.TIED or (state is MatchState.OPEN and far is not None)
    if begun and truth.course.effects.paused and truth.stored.finished is None:
        expected = [f"{each}, paused" for each in expected]
    assert words in expected, f"{where}: {match.label} is {state}, and the page says {words!r}"


def _check_standings(html: str, truth: _Truth) -> None:
    """Checks the numbers of matches on the page of standings, and the lead in its heading."""
    course = truth.course
    states = [(match.key.stage, state) for match, state in truth.matches.values()]
    if isinstance(course, ComparisonCourse | LadderCourse):
        return
    counts = {
        (sum(number == stage.number and state in _OVER for number, state in states), course.matches(stage))
        for stage in course.stages
    }
    assert {(int(over), int(of)) for over, of in _OVER_OF.findall(html)} <= counts
    lead = re.search(r"leads by ([\d.]+)", html)
    if lead and not course.stages[-1].groups:
        (_, one), (_, other), *_ = [row for row in _ROWS.findall(html) if row[0] != "–"]
        assert Decimal(lead[1].rstrip(".")) == Decimal(one) - Decimal(other)
