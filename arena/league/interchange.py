"""Exports and imports finished tournaments as lines of JSON: `arena export`, `arena import`.

An imported file is first made into a separate league and verified, so no edited or
damaged file gets into a league.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from arena.face import Face
from arena.league.public import public
from arena.league.store import (
    Begun,
    Ended,
    EntrantInfo,
    Event,
    Faces,
    League,
    Lucks,
    StoredRuling,
    StoredTournament,
    StoreError,
    TournamentInfo,
)
from arena.league.tournament_file import LEAGUE_HEAD
from arena.league.verification import Verification
from arena.link.wire import league_lines
from arena.link.wire.league_lines import (
    EXPORT_VERSION,
    DecisionLine,
    EndLine,
    Entrant,
    FaceOf,
    FacesLine,
    HeadLine,
    TournamentLine,
    WrongLine,
)
from arena.results import StoredGame
from arena.table.record import BrokenRecord
from arena.text import shell_word
from arena.tournament.rulings import WrongRuling


class WrongExport(Exception):
    """A file that cannot be imported; the text says in one sentence where and why."""


def export_lines(
    league: League, tournament: int | None = None, *, only_public: bool = False
) -> Iterator[str]:
    """Yields the lines of all finished tournaments, or of one, without line ends.

    With `only_public` they leave out what visitors of a page do not see (`arena.league.public`).

    Raises UnknownTournament, also for one that is not finished; WrongExport
    if a record cannot be read.
    """
    history = league.history(tournament)
    first = next(history, None)  # raises before anything is written
    chosen = league.tournaments() if tournament is None else [league.tournament(tournament)]
    yield league_lines.write_head(
        with_faces=any(each.finished and any(map(any, each.faces)) for each in chosen)
    )
    try:
        for event in () if first is None else itertools.chain([first], history):
            if not isinstance(event, Lucks):  # they follow from the records: an import computes them
                yield _line_of(public(event) if only_public else event)
    except (WrongLine, BrokenRecord, WrongRuling) as problem:
        raise WrongExport(
            f"{league.path} cannot be exported: {problem}; arena verify {shell_word(league.path)} says more"
        ) from None


def _line_of(event: Event) -> str:
    if isinstance(event, Begun):
        info = event.info
        return league_lines.write_tournament(
            TournamentLine(
                event.id,
                info.name,
                str(info.file_path),
                info.file_text,
                info.key_commitment,
                info.key,
                event.started,
                tuple(Entrant(who.name, who.bot, who.version, who.author) for who in info.entrants),
                info.plan,
            )
        )
    if isinstance(event, StoredGame):
        return league_lines.write_game(event)
    if isinstance(event, StoredRuling):
        return league_lines.write_decision(DecisionLine(*event))
    if isinstance(event, Faces):
        faces = tuple(FaceOf(entrant, *face) for entrant, face in event.faces)
        return league_lines.write_faces(FacesLine(event.tournament, faces))
    return league_lines.write_end(EndLine(*event))


def import_lines(
    lines: Iterable[str], source: str, league: Path, on_games: Callable[[int], None]
) -> list[StoredTournament]:
    """Adds the tournaments of an exported file to a league, all of them or none; returns them.

    Args:
        lines: the lines of the file.
        source: the name of the file, for errors.
        league: the league file; made if there is none.
        on_games: called now and then with the number of checked games.

    Raises WrongExport if the file is not complete and correct; AlreadyRecorded
    if the league has one of the tournaments; other StoreErrors.
    """
    if league.exists():
        League.read(league).close()  # raises at once if it is no league
    with (
        tempfile.TemporaryDirectory(prefix="arena-import-") as folder,
        League.create_or_open(Path(folder, "import.league")) as staged,
    ):
        try:
            staged.append(_events(_text(lines, source), source))
        except (StoreError, ValueError) as problem:
            raise WrongExport(f"{source} cannot be imported: {problem}") from None
        _verify(staged, source, on_games)
        if not league.exists():
            staged.backup(league)
            return staged.tournaments()
        with League.create_or_open(league) as target:
            return [target.tournament(number) for number in target.append(staged.history())]


def _text(lines: Iterable[str], source: str) -> Iterator[tuple[int, str]]:
    """Yields the lines that are not empty, with their numbers. Raises WrongExport if they are not UTF-8."""
    try:
        for number, line in enumerate(lines, 1):
            text = line.removeprefix("\ufeff") if number == 1 else line  # some programs put a mark before it
            if text.strip():
                yield number, text
    except UnicodeDecodeError as problem:
        if problem.object.startswith(LEAGUE_HEAD):
            raise WrongExport(
                f"{source} is a league, not an export: arena export {shell_word(source)} -o FILE writes one"
            ) from None
        raise WrongExport(f"{source} is not a text in UTF-8, and so no export") from None


def _events(numbered: Iterable[tuple[int, str]], source: str) -> Iterator[Event]:
    running: set[int] = set()
    begun = False
    for number, text in numbered:
        try:
            line = league_lines.read_line(text)
        except WrongLine as problem:
            raise WrongExport(f"{source}, line {number}: {problem}") from None
        if isinstance(line, HeadLine) == begun:
            raise WrongExport(f"{source}, line {number}: the head must be the first line, and only that")
        begun = True
        if isinstance(line, HeadLine):
            if not 1 <= line.export_version <= EXPORT_VERSION:
                raise WrongExport(
                    f"{source} has form {line.export_version}, but this arena reads forms up to "
                    f"{EXPORT_VERSION}; update arena to read it"
                )
            continue
        if isinstance(line, TournamentLine):
            running.add(line.id)
        elif isinstance(line, EndLine):
            running.discard(line.id)
        yield _event_of(line)
    if running:
        raise WrongExport(f"{source} ends before tournament {min(running)} does; get the whole file")


def _event_of(line: TournamentLine | StoredGame | DecisionLine | FacesLine | EndLine) -> Event:
    if isinstance(line, TournamentLine):
        info = TournamentInfo(
            line.name,
            Path(line.file_path),
            line.file_text,
            line.key,
            line.key_commitment,
            tuple(EntrantInfo(*who) for who in line.entrants),
            line.plan,
        )
        return Begun(line.id, info, line.started)
    if isinstance(line, StoredGame):
        return line
    if isinstance(line, DecisionLine):
        return StoredRuling(*line)
    if isinstance(line, FacesLine):
        return Faces(line.tournament, tuple((each.entrant, Face(*each[1:])) for each in line.faces))
    return Ended(*line)


def _verify(staged: League, source: str, on_games: Callable[[int], None]) -> None:
    verification = Verification(staged, finds_luck=True)
    for problem in verification.problems():
        if problem is not None:
            raise WrongExport(f"{source} was changed or is damaged: {problem.where}: {problem.what}")
        on_games(verification.verified.games)
    if verification.verified.tournaments == 0:
        raise WrongExport(f"{source} holds no finished tournament")
    staged.keep_lucks(verification.found_lucks)
