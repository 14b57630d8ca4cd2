"""The bots of docs/skeletons/: the files that stand there are a bot that is ready for league night.

Where a toolchain is missing its test is skipped, saying so; in CI that is a failure.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.arena_command import arena
from tests.docs import ROOT, text_of

pytestmark = pytest.mark.campaign

SKELETONS = ROOT / "docs" / "skeletons"
TOOLS = {
    "ruby": ["ruby", "grpc_tools_ruby_protoc"],
    "php": ["php"],
    "csharp": ["mcs", "mono"],
    "nodejs": ["node", "npm"],
    "kotlin": ["java", "mvn"],
    "deno": ["deno"],
}
LISTS = ["docs/README.md", "bots/README.md"]
_FILE = re.compile(r"`([\w-]+/[\w.]+)`:?\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_skeleton_is_tested():
    assert {page.stem for page in SKELETONS.glob("*.md")} == TOOLS.keys()


@pytest.mark.parametrize("page", LISTS)
def test_every_skeleton_is_listed(page):
    assert {*re.findall(r"skeletons/(\w+)\.md", text_of(page))} == TOOLS.keys()


@pytest.mark.parametrize("language", TOOLS)
def test_the_files_of_a_page_are_a_bot_that_passes_the_checkup(tmp_path, language):
    for tool in TOOLS[language]:
        if shutil.which(tool) is None:
            message = f"the {language} toolchain is missing here: no {tool}"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
    page = (SKELETONS / f"{language}.md").read_text("utf-8")
    for name, text in _FILE.findall(page):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    typed = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)).splitlines()
    *before, check = typed
    for line in before:
        arena(*line.split()[1:], cwd=tmp_path)
    report = json.loads(arena(*check.split()[1:], "--json", cwd=tmp_path).stdout)
    assert report["ready"], report
    joins = next(check for check in report["checks"] if check["name"] == "joins")
    assert joins["status"] == "passed"
    assert Path(tmp_path / check.split()[2], "bot.toml").is_file()
