"""Bundles of folders with links, and folders that cannot be packed."""

from __future__ import annotations

import os

import pytest

from arena.referee.cluster.bundle import BundleCache, CannotTravel, bundle_of
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


def test_what_a_link_leads_to_elsewhere_travels(bot, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/book").write_text("moves")
    (bot / "books").symlink_to(tmp_path / "elsewhere")
    cache, bundle = BundleCache(tmp_path / "shelf"), bundle_of(manifest(bot))
    cache.keep(*bundle)
    assert (tmp_path / "shelf" / bundle.digest / "books/book").read_text() == "moves"
    assert not (tmp_path / "shelf" / bundle.digest / "books").is_symlink()


def test_what_folders_behind_links_multiply_is_refused(bot, tmp_path):
    for number in range(20):
        (tmp_path / f"{number}").mkdir()
        for name in "ab":
            (tmp_path / f"{number}" / name).symlink_to(tmp_path / f"{number + 1}")
    (tmp_path / "20").mkdir()
    (tmp_path / "20/file").touch()
    (bot / "many").symlink_to(tmp_path / "0")
    with pytest.raises(CannotTravel, match="more than 1,000 files"):
        bundle_of(manifest(bot), most_files=1000)


def test_a_folder_that_is_too_deep_is_refused(bot):
    (bot / "data" / "/".join("d" * 200)).mkdir(parents=True)
    with pytest.raises(CannotTravel, match="more than 100 folders in each other"):
        bundle_of(manifest(bot))


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="there is no file that nobody can read")
def test_what_cannot_be_read_is_one_sentence(bot):
    (bot / "memory").symlink_to("/proc/self/mem")
    with pytest.raises(CannotTravel, match=r"cannot travel to a cluster, because .* cannot be read"):
        bundle_of(manifest(bot))
