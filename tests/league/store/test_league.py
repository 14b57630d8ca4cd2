"""The league file: values are read as they were written, nothing is doubled, nothing stored is lost."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import tempfile
from contextlib import closing
from itertools import count, islice
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.store import (
    AlreadyRecorded,
    Contradiction,
    DamagedLeague,
    DiskFull,
    FinishedGame,
    League,
    LeagueBusy,
    LeagueNotFound,
    LeagueNotWritable,
    NotALeague,
    TournamentFinished,
    UnknownGame,
    UnknownTournament,
    WrongLeagueVersion,
    schema,
)
from arena.league.store.locking import take_lock
from arena.results import FAULT_REASONS, GameKey, GameResult, SeatResult
from tests.league.store.samples import TOURNAMENT, finished_game, keys_of, results_of
from tests.league.store.writing import writer

OLD_LEAGUE = Path(__file__).parents[2] / "golden" / "leagues" / "schema-1.league"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.league"


@pytest.fixture
def league(path: Path):
    with League.create_or_open(path) as league:
        yield league


# --- What goes in comes out ---


def test_a_tournament_comes_out_as_it_went_in(league):
    number = league.start_tournament(TOURNAMENT)
    stored = league.tournament(number)
    assert number == stored.id == 1
    assert stored._asdict() | TOURNAMENT._asdict() | {"key": None} == stored._asdict()
    assert stored.started.tzinfo is not None
    assert stored.finished is None


def test_the_key_is_shown_when_the_tournament_is_finished(league, path):
    number = league.start_tournament(TOURNAMENT)
    assert league.tournament_key(number) == TOURNAMENT.key
    with League.read(path) as reader:
        assert reader.tournament(number).key is None
        league.finish_tournament(number)
        stored = reader.tournament(number)
    assert stored.key == TOURNAMENT.key
    assert stored.finished is not None
    assert stored.finished >= stored.started


def test_a_finished_tournament_takes_nothing_more(league):
    number = league.start_tournament(TOURNAMENT)
    league.finish_tournament(number)
    with pytest.raises(TournamentFinished):
        league.record_game(number, finished_game())
    with pytest.raises(TournamentFinished):
        league.finish_tournament(number)


def test_a_league_holds_several_tournaments(league):
    first, second = league.start_tournament(TOURNAMENT), league.start_tournament(TOURNAMENT)
    league.record_game(first, finished_game(board=1))
    number = league.record_game(second, finished_game(board=1))
    league.record_game(second, finished_game(board=2))
    assert [stored.id for stored in league.tournaments()] == [first, second]
    assert [result.key.board for result in results_of(league, first)] == [1]
    assert [result.key.board for result in results_of(league, second)] == [1, 2]
    assert number == 2
    assert league.game(number).tournament == second
    assert league.game_number(second, finished_game(board=1).result.key) == number


def test_a_game_comes_out_as_it_went_in(league, path):
    tournament = league.start_tournament(TOURNAMENT)
    game = finished_game(board=5, rotation=1)
    number = league.record_game(tournament, game)
    with League.read(path) as reader:
        stored = reader.game(number)
    assert stored.tournament == tournament
    assert FinishedGame(stored.result, stored.record, stored.times) == game


def seated(result: GameResult) -> st.SearchStrategy[GameResult]:
    """The result with any seating."""
    seatings = st.permutations(range(len(result.seats))).map(tuple)
    return seatings.map(lambda seating: result._replace(key=result.key._replace(seating=seating)))


small = st.integers(0, 9)
large = st.integers(-(2**63), 2**63 - 1)
results = st.builds(
    GameResult,
    st.builds(GameKey, small, small, small, st.sampled_from(["nyuri", "nur-mut"]), small, small),
    st.lists(
        st.builds(
            SeatResult,
            entrant=st.integers(0, 1),
            place=large,
            points=large,
            forfeit=st.booleans(),
            faults=st.tuples(*[large] * len(FAULT_REASONS)),
            decisions=large,
            time=large,
        ),
        min_size=1,
        max_size=7,
    ).map(tuple),
    st.text(st.characters(exclude_categories=["Cs"])),
).flatmap(seated)
games = st.lists(
    st.builds(FinishedGame, results, st.binary(), st.binary()), unique_by=lambda game: game.result.key[:6]
)


@given(games)
def test_all_games_come_out_in_the_order_of_their_keys(finished):
    with tempfile.TemporaryDirectory() as folder:
        with League.create_or_open(Path(folder, "x.league")) as league:
            tournament = league.start_tournament(TOURNAMENT)
            numbers = league.record_games(tournament, finished)
        with League.read(Path(folder, "x.league")) as league:
            assert numbers == list(range(1, len(finished) + 1))
            expected = sorted((game.result for game in finished), key=lambda result: result.key)
            assert list(results_of(league, tournament)) == expected
            in_results = dict(league.games(tournament))
            assert [in_results[number] for number in numbers] == [game.result for game in finished]
            assert keys_of(league, tournament) == {result.key for result in expected}


def test_the_fault_columns_are_those_of_the_results(league):
    columns = [row[1] for row in apsw.Connection(str(league.path)).execute("PRAGMA table_info(seat)")]
    assert columns[7:-3] == list(FAULT_REASONS)


def test_results_are_read_in_order_without_sorting(league):
    """So a league of a million games is read in the memory of one."""
    tournament = league.start_tournament(TOURNAMENT)
    statements: list[str] = []

    def note(_: object, sql: str, __: object) -> bool:
        statements.append(sql)
        return True

    league._db.exec_trace = note
    assert list(results_of(league, tournament)) == []
    plan = [row[-1] for row in league._db.execute(f"EXPLAIN QUERY PLAN {statements[-1]}", (tournament,))]
    assert plan
    assert not any("TEMP B-TREE" in step for step in plan)


# --- Nothing is doubled, nothing is half stored ---


def test_a_game_is_recorded_once(league):
    tournament = league.start_tournament(TOURNAMENT)
    league.record_game(tournament, finished_game())
    with pytest.raises(AlreadyRecorded, match=r"game 1\.1\.1/nyuri/1\.1 of tournament 1"):
        league.record_game(tournament, finished_game())
    assert len(list(results_of(league, tournament))) == 1


def test_a_group_with_a_recorded_game_is_refused_whole(league):
    tournament = league.start_tournament(TOURNAMENT)
    league.record_game(tournament, finished_game(board=2))
    with pytest.raises(AlreadyRecorded):
        league.record_games(tournament, [finished_game(board=1), finished_game(board=2)])
    assert [key.board for key in keys_of(league, tournament)] == [2]


def test_a_seat_of_an_unknown_entrant_stores_nothing(league):
    tournament = league.start_tournament(TOURNAMENT)
    stranger = SeatResult(entrant=2, place=1, points=0)
    result = GameResult(GameKey(0, 0, 0, "nyuri", 0, 0, (0,)), (stranger,), "stock_empty")
    with pytest.raises(apsw.ConstraintError):
        league.record_game(tournament, FinishedGame(result, b"", b""))
    assert keys_of(league, tournament) == set()


@pytest.mark.parametrize("seating", [(), (0, 0), (1, 2), (0, 1, 2)])
def test_a_seating_that_is_none_stores_nothing(league, seating):
    tournament = league.start_tournament(TOURNAMENT)
    game = finished_game()
    wrong = game.result._replace(key=game.result.key._replace(seating=seating))
    with pytest.raises(Contradiction, match=r"cannot be the seating of game 1\.1\.1/nyuri/1\.1"):
        league.record_game(tournament, game._replace(result=wrong))
    assert keys_of(league, tournament) == set()


def test_a_full_disk_stores_nothing_and_the_league_goes_on(league, path):
    tournament = league.start_tournament(TOURNAMENT)
    pages = league._db.pragma("page_count")
    league._db.pragma("max_page_count", pages + 2)
    huge = finished_game(board=9)._replace(record=bytes(100_000))
    with pytest.raises(DiskFull, match="make room"):
        league.record_games(tournament, [finished_game(board=1), huge])
    assert keys_of(league, tournament) == set()
    league._db.pragma("max_page_count", 1_000_000)
    league.record_games(tournament, [finished_game(board=1), huge])
    with League.read(path) as reader:
        assert len(keys_of(reader, tournament)) == 2


def test_what_is_unknown_is_told_with_what_is_there(league):
    for ask in (league.tournament, league.games, league.rulings, league.tournament_key):
        with pytest.raises(UnknownTournament, match="has no tournament 1; it has none yet"):
            ask(1)
    with pytest.raises(UnknownGame, match="has no game 1; it has no games yet"):
        league.game(1)
    tournament = league.start_tournament(TOURNAMENT)
    with pytest.raises(UnknownTournament, match="it has only tournament 1"):
        league.record_game(2, finished_game())
    with pytest.raises(UnknownTournament):
        league.finish_tournament(2)
    league.record_game(tournament, finished_game())
    with pytest.raises(UnknownGame, match="has no game 17; it has only game 1"):
        league.game(17)
    with pytest.raises(UnknownGame, match=r"has no game 1\.1\.1/nyuri/4\.1 of tournament 1"):
        league.game_number(tournament, finished_game(board=3).result.key)


# --- One writer, any readers ---


def test_a_second_writer_is_refused_until_the_first_closes(path):
    with League.create_or_open(path), pytest.raises(LeagueBusy, match="being written by another process"):
        League.create_or_open(path)
    League.create_or_open(path).close()


def test_a_writer_in_another_process_is_respected_and_readers_are_let_in(path):
    with writer(path, "hold") as process:
        assert process.stdout.readline() == "open\n"
        with pytest.raises(LeagueBusy):
            League.create_or_open(path)
        with League.read(path) as reader:
            assert reader.tournaments() == []
        process.kill()
        process.wait()
        League.create_or_open(path).close()


def test_the_lock_holds_under_any_name_of_the_file(path):
    alias = path.with_name("alias.league")
    alias.symlink_to(path)
    with League.create_or_open(path), pytest.raises(LeagueBusy):
        League.create_or_open(alias)


def test_a_reader_sees_each_game_as_soon_as_it_is_recorded(league, path):
    tournament = league.start_tournament(TOURNAMENT)
    with League.read(path) as reader:
        for board in range(20):
            league.record_game(tournament, finished_game(board=board))
            assert len(keys_of(reader, tournament)) == board + 1


def test_a_reader_reads_on_what_was_there_while_the_writer_goes_on(league, path):
    tournament = league.start_tournament(TOURNAMENT)
    league.record_games(tournament, (finished_game(board=board) for board in range(100)))
    with League.read(path) as reader:
        reading = results_of(reader, tournament)
        seen = list(islice(reading, 10))
        league.record_games(tournament, (finished_game(board=board) for board in range(100, 200)))
        seen += reading
        assert [result.key.board for result in seen] == list(range(100))


def test_a_league_can_be_closed_while_it_is_read(league, path):
    tournament = league.start_tournament(TOURNAMENT)
    league.record_games(tournament, [finished_game(board=1), finished_game(board=2)])
    with League.read(path) as reader:
        next(results_of(reader, tournament))
        reading = results_of(reader, tournament)
        assert next(reading).key.board == 1
    reader.close()


def test_opening_again_leaves_the_locks_of_this_process_alone(path):
    """Closing any file handle of a database drops the process's locks on it: none must be opened."""
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        with pytest.raises(LeagueBusy):
            League.create_or_open(path)
        with writer(path, "record") as process:
            process.stdin.close()
            assert process.stdout.read() == ""  # refused: it ends without a game
        league.record_game(tournament, finished_game())


# --- Nothing acknowledged is lost ---


def test_kill_loses_no_acknowledged_game(path):
    acknowledged = -1
    for lines in (1, 7, 40, 3, 100):
        with writer(path, "record") as process:
            for line in islice(process.stdout, lines):
                assert int(line) > acknowledged
                acknowledged = int(line)
            process.send_signal(signal.SIGKILL)
            for line in process.stdout:  # acknowledged before the signal came
                acknowledged = int(line)
        with League.read(path) as reader:
            boards = [result.key.board for result in results_of(reader, 1)]
            # One more may be there: recorded, but killed before it could say so.
            assert boards == list(range(len(boards)))
            assert acknowledged + 1 <= len(boards) <= acknowledged + 2
            assert reader.game(len(boards)).record == finished_game(board=boards[-1]).record
            acknowledged = boards[-1]
    assert apsw.Connection(str(path)).pragma("integrity_check") == "ok"


# --- What is not a league, or not of today ---


def test_reading_makes_no_file(path):
    with pytest.raises(LeagueNotFound, match=r"there is no league file .*night\.league"):
        League.read(path)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"name = 'Friday'\n", b"x" * 10_000])
def test_another_file_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    for opening in (League.create_or_open, League.read):
        with pytest.raises(NotALeague, match="is not a league file; give"):
            opening(path)
    assert path.read_bytes() == content


def test_another_database_is_refused_and_left_alone(path):
    apsw.Connection(str(path)).execute("CREATE TABLE photo (name)")
    content = path.read_bytes()
    for opening in (League.create_or_open, League.read):
        with pytest.raises(NotALeague):
            opening(path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_league_when_it_is_written(path):
    path.touch()
    with pytest.raises(NotALeague):
        League.read(path)
    with League.create_or_open(path) as league:
        assert league.tournaments() == []


def test_a_league_of_a_newer_version_is_refused(path):
    League.create_or_open(path).close()
    with apsw.Connection(str(path)) as db:
        db.pragma("user_version", len(schema.MIGRATIONS) + 1)
    for opening in (League.create_or_open, League.read):
        with pytest.raises(WrongLeagueVersion, match="newer version of arena; update arena"):
            opening(path)


def version_of(path: Path) -> int:
    with closing(apsw.Connection(str(path))) as db:
        return schema.version(db)


def test_a_league_of_an_older_version_is_brought_up_to_date(path):
    shutil.copy(OLD_LEAGUE, path)
    lock = take_lock(path)
    with pytest.raises(LeagueBusy, match=r"must be brought up to date: .* another process"):
        League.read(path, count(step=10).__next__)  # each look at the clock takes ten seconds
    lock.release()
    assert version_of(path) == 1
    with League.read(path) as league:
        assert len(list(results_of(league, 1))) > 10
    assert version_of(path) == len(schema.MIGRATIONS)


@pytest.mark.parametrize("done", range(len(schema.MIGRATIONS)))
def test_a_league_that_another_process_is_making_is_waited_for(path, done):
    path.touch()
    lock = take_lock(path)
    for migration in range(done):
        with apsw.Connection(str(path)) as db, db:
            db.pragma("application_id", schema.APPLICATION_ID)
            schema.MIGRATIONS[migration](db)
            db.pragma("user_version", migration + 1)

    looks = count()

    def now() -> float:
        """The reader's clock: it looks at it when it begins, and when it has found the league locked."""
        if (look := next(looks)) == 1:
            lock.release()
            League.create_or_open(path).close()
        return look

    with League.read(path, now) as league:
        assert league.tournaments() == []
    assert next(looks) == 2


def test_a_migration_that_fails_changes_nothing(path):
    shutil.copy(OLD_LEAGUE, path)
    with closing(apsw.Connection(str(path))) as db:
        db.execute("CREATE TABLE new_chain (in_the_way)")  # where a migration makes one, after other changes
        before = tables_of(db)
    with pytest.raises(DamagedLeague, match="new_chain already exists"):
        League.create_or_open(path)
    assert version_of(path) == 1
    with closing(apsw.Connection(str(path))) as db:
        assert tables_of(db) == before
        db.execute("DROP TABLE new_chain")
    with League.create_or_open(path) as league:
        assert league.start_tournament(TOURNAMENT) == len(league.tournaments())


def tables_of(db: apsw.Connection) -> list[tuple[object, ...]]:
    return db.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


def test_a_damaged_league_is_told(path):
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        league.record_games(tournament, (finished_game(board=board) for board in range(200)))
    content = bytearray(path.read_bytes())
    content[2 * 4096 :] = b"\x55" * (len(content) - 2 * 4096)
    path.write_bytes(content)
    with pytest.raises(DamagedLeague, match="go back to a copy"), League.read(path) as reader:
        list(results_of(reader, tournament))


# --- Files and folders ---


def test_only_its_owner_can_read_the_key(path):
    with League.create_or_open(path) as league:
        league.start_tournament(TOURNAMENT)
        for file in path.parent.glob("night.league*"):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_settled_league_is_one_file(path):
    with League.create_or_open(path) as league:
        league.start_tournament(TOURNAMENT)
    assert [file.name for file in path.parent.iterdir()] == ["night.league"]


def test_the_settings_that_keep_games_safe(league):
    assert league._db.pragma("journal_mode") == "wal"
    assert league._db.pragma("synchronous") == 2  # FULL
    assert league._db.pragma("foreign_keys") == 1


def test_a_folder_is_no_league(tmp_path):
    with pytest.raises(LeagueNotWritable, match="check that it is a file"):
        League.create_or_open(tmp_path)
    with pytest.raises(LeagueNotFound, match="there is no league file"):
        League.read(tmp_path)


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(LeagueNotWritable, match="its folder exists"):
        League.create_or_open(tmp_path / "missing" / "night.league")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_can_be_read_and_not_written(path):
    with League.create_or_open(path) as league:
        tournament = league.start_tournament(TOURNAMENT)
        league.record_game(tournament, finished_game())
    path.parent.chmod(0o500)
    path.chmod(0o400)
    try:
        with League.read(path) as reader:
            assert list(results_of(reader, tournament)) == [finished_game().result]
        with pytest.raises(LeagueNotWritable):
            League.create_or_open(path)
        with pytest.raises(LeagueNotWritable):
            League.create_or_open(path.with_name("new.league"))
    finally:
        path.parent.chmod(0o700)
