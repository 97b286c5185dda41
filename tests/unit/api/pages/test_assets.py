"""Style sheets and scripts: small, ours alone, kept for ever under an address that changes with them."""

from __future__ import annotations

import re

import pytest
from openwork_api.pages.assets import ASSETS, VERSION, address
from openwork_api.pages.frame import environment, warm_up

from tests.memory_asker import MemoryAsker, api_client

MOST_BYTES = 150_000
"""Of everything that a browser may load besides the pages."""


def test_everything_together_is_small() -> None:
    assert sum(len(one.body) for one in ASSETS.values()) < MOST_BYTES


@pytest.mark.parametrize("name", ASSETS)
def test_a_file_loads_nothing_from_elsewhere_and_makes_no_code_of_text(name: str) -> None:
    text = ASSETS[name].body.decode()
    assert re.findall(r"https?://(?!www\.w3\.org/)[^\s\"')]+", text) == []
    assert re.findall(r"@import|@font-face|\beval\(|new Function|document\.write|insertAdjacentHTML", text) == []


@pytest.mark.parametrize("name", [name for name in ASSETS if name.endswith(".js")])
def test_a_module_imports_only_files_that_are_there(name: str) -> None:
    imported = re.findall(r"(?:from|import) \"\./([^\"]+)\"", ASSETS[name].body.decode())
    assert set(imported) <= set(ASSETS)
    assert ASSETS[name].body.startswith(b"// @ts-check")


def test_every_template_compiles_and_prints_nothing_unescaped() -> None:
    warm_up()
    loader = environment().loader
    assert loader is not None
    for name in environment().list_templates():
        source = loader.get_source(environment(), name)[0]
        assert "|safe" not in source, name
        assert "autoescape false" not in source, name


async def test_a_file_is_kept_for_ever_under_its_own_version_and_never_under_another() -> None:
    async with api_client(MemoryAsker()) as client:
        kept = await client.get(address("base.css"))
        other = await client.get("/static/000000000000/base.css")
        missing = [await client.get(f"/static/{VERSION}/{name}") for name in ("nothing.css", "..%2fweb.py")]
        icon = await client.get("/favicon.ico")
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert kept.headers["Content-Type"] == "text/css; charset=utf-8"
    assert other.headers["Cache-Control"] == "no-cache"
    assert {one.status_code for one in missing} == {404}
    assert icon.headers["Content-Type"].startswith("image/svg+xml")
