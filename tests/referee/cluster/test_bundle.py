"""A bundle is the same on every machine, and a damaged one is refused."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from arena.referee.cluster.bundle import KEPT, BundleCache, bundle_of, clear
from tests.bots_for_tests import bot_folder, manifest


@pytest.fixture
def bot(tmp_path):
    place = bot_folder(tmp_path, "bot", ["./run.sh"])
    (place / "run.sh").write_text("exec true\n")
    (place / "run.sh").chmod(0o755)
    (place / "data").mkdir()
    (place / "data/weights").write_bytes(os.urandom(1000))
    return place


def test_the_same_folder_is_the_same_bundle_wherever_and_whenever_it_is_packed(bot, tmp_path):
    first = bundle_of(manifest(bot))
    (bot / "__pycache__").mkdir()
    (bot / "__pycache__/x.pyc").write_bytes(b"of no interest")
    os.utime(bot / "run.sh", (1, 1))
    elsewhere = shutil.copytree(bot, tmp_path / "elsewhere")
    assert bundle_of(manifest(bot)) == first == bundle_of(manifest(elsewhere))
    (bot / "data/weights").write_bytes(b"others")
    assert bundle_of(manifest(bot)).digest != first.digest


def test_it_is_unpacked_once_as_it_was(bot, tmp_path):
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    assert cache.find(bundle.digest) is None
    cache.keep(*bundle)
    place = cache.find(bundle.digest)
    assert place is not None
    assert os.access(place / "run.sh", os.X_OK)
    assert (place / "data/weights").read_bytes() == (bot / "data/weights").read_bytes()
    assert bundle_of(manifest(place)) == bundle
    (place / "kept").touch()
    cache.keep(*bundle)
    assert (place / "kept").exists()
    assert os.listdir(tmp_path / "shelf") == [bundle.digest]


def test_a_folder_in_which_nothing_is_is_there_as_well(bot, tmp_path):
    (bot / "state/games").mkdir(parents=True)
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    cache.keep(*bundle)
    place = cache.find(bundle.digest)
    assert place is not None
    assert os.listdir(place / "state") == ["games"]
    (place / "state/games/first").touch()
    assert bundle_of(manifest(bot)) == bundle


def test_what_is_built_anew_stays_and_what_was_built_elsewhere_travels(bot):
    for folder in ("target", "node_modules"):
        (bot / folder).mkdir()
        (bot / folder / "large").write_bytes(bytes(1000))
    whole = bundle_of(manifest(bot))
    with (bot / "bot.toml").open("a") as file:
        file.write('[build]\ncommand = ["make"]\n')
    built = bundle_of(manifest(bot))
    cache = BundleCache(bot.parent / "shelf")
    cache.keep(*whole)
    cache.keep(*built)
    assert (bot.parent / "shelf" / whole.digest / "target/large").exists()
    assert not (bot.parent / "shelf" / built.digest / "target").exists()


def test_what_an_author_leaves_out_does_not_travel(bot):
    (bot / ".arenaignore").write_text("data/\n")
    bundle, cache = bundle_of(manifest(bot)), BundleCache(bot.parent / "shelf")
    cache.keep(*bundle)
    assert sorted(os.listdir(bot.parent / "shelf" / bundle.digest)) == [".arenaignore", "bot.toml", "run.sh"]


def test_what_is_not_what_it_says_is_not_kept(bot, tmp_path):
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    with pytest.raises(ValueError, match="is not 00"):
        cache.keep("00", bundle.data)
    assert cache.find("00") is None


def test_what_nobody_plays_any_more_goes_when_something_new_comes(bot, tmp_path):
    place, now, day = tmp_path / "shelf", time.time(), 86_400
    cache = BundleCache(place)
    ages = {
        "new-killed": 40,
        "b": 3,
        "a": 2,
        "found": 5,
        "today": 0.5,
    }
    lately = {f"lately-{number}": 0.1 for number in range(KEPT - 2)}
    ages |= lately
    for name in ages:
        (place / name / "target").mkdir(parents=True)
        (place / name / "target/built").touch()
    for name, days in ages.items():
        os.utime(place / name, (now - days * day, now - days * day))
    assert cache.find("found") is not None
    new = bundle_of(manifest(bot))
    cache.keep(*new)
    assert {path.name for path in place.iterdir()} == {new.digest, "found", "today", *lately}


def test_what_is_in_use_stays_however_much_it_is(tmp_path):
    for number in range(KEPT + 2):
        (tmp_path / f"{number}").mkdir()
    clear(tmp_path)
    assert len([*tmp_path.iterdir()]) == KEPT + 2
