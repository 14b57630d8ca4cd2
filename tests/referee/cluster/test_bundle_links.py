"""Bundles of folders with links."""

from __future__ import annotations

import os

import pytest

from arena.referee.cluster.bundle import BundleCache, bundle_of
from tests.bots_for_tests import bot_folder, manifest


@pytest.fixture
def bot(tmp_path):
    place = bot_folder(tmp_path, "bot", ["./run.sh"])
    (place / "run.sh").write_text("exec true\n")
    (place / "data").mkdir()
    (place / "data/weights").write_bytes(os.urandom(1000))
    return place


def test_a_folder_that_holds_itself_travels_once(bot, tmp_path):
    (bot / "data/up").symlink_to("..")
    (bot / "here").symlink_to(bot)
    (bot / "data/same").symlink_to(bot / "data/weights")
    (bot / "nowhere").symlink_to("nothing")
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    cache.keep(*bundle)
    place = cache.find(bundle.digest)
    assert place is not None
    assert sorted(os.listdir(place)) == ["bot.toml", "data", "here", "run.sh"]
    assert (place / "here/data/up").samefile(place)
    assert (place / "data/same").samefile(place / "data/weights")
    assert len(bundle.data) < 10_000
    assert bundle_of(manifest(place)) == bundle


def test_a_link_from_elsewhere_leads_into_the_folder_there(bot, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/weights").symlink_to(bot / "data/weights")
    (bot / "books").symlink_to(tmp_path / "elsewhere")
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    cache.keep(*bundle)
    place = cache.find(bundle.digest)
    assert place is not None
    assert (place / "books/weights").resolve() == place / "data/weights"


def test_what_a_link_leads_to_elsewhere_travels(bot, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/book").write_text("moves")
    (bot / "books").symlink_to(tmp_path / "elsewhere")
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    cache.keep(*bundle)
    assert (tmp_path / "shelf" / bundle.digest / "books/book").read_text() == "moves"
    assert not (tmp_path / "shelf" / bundle.digest / "books").is_symlink()
