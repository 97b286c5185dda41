"""Every relative link of a Markdown file leads somewhere, and from README's table to a handler it is two clicks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from openwork_contracts.subjects import CONSUMERS, SHARED_CONSUMERS, retriever_consumer

from deploy import readmes
from deploy.readmes import events_tables, handlers_of
from deploy.registry import RegistryError, service_named, services

ROOT = Path(__file__).resolve().parents[3]
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[str]:
    """Every Markdown file that git tracks or would."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def links(page: Path) -> list[str]:
    """Its links to places of this repository."""
    found = _LINK.findall(_FENCED.sub("", page.read_text()))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(page.read_text()))
    return {heading.replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", pages())
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / name
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{name}: {link}"
        assert not anchor or anchor in anchors(target), f"{name}: {link}"


def test_from_the_table_to_the_handler_of_any_event_it_is_two_clicks() -> None:
    """README links each service's folder, whose README links the function of each event that it takes."""
    taken = {(row.service, t.model.__name__) for row in (*CONSUMERS, *SHARED_CONSUMERS) for t in row.takes}
    taken |= {("retrievers", t.model.__name__) for t in retriever_consumer("pubmed").takes}
    first = links(ROOT / "README.md")
    for service in services():
        folder = f"services/{service.name}"
        assert folder in first
        text = (ROOT / folder / "README.md").read_text()
        handlers = handlers_of(service)
        for _, event in {pair for pair in taken if pair[0] == service.name}:
            assert f"[`{handlers[event]}`]({service.package}/handlers.py)" in text
            assert f"async def {handlers[event]}(" in (ROOT / folder / service.package / "handlers.py").read_text()


def test_a_service_without_a_function_for_an_event_that_it_takes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readmes, "handlers_of", lambda service: {})
    with pytest.raises(RegistryError, match=r"gap: openwork_gap/handlers\.py: no function takes EvidenceRanked"):
        events_tables(service_named("gap"))


@pytest.mark.parametrize("folder", [f"{kind}/{path.name}" for kind in ("packages", "services", "apps")
                                    for path in sorted((ROOT / kind).iterdir()) if path.is_dir()])  # fmt: skip
def test_a_folder_says_what_it_is_and_names_only_modules_that_it_has(folder: str) -> None:
    text = (ROOT / folder / "README.md").read_text()
    assert text.startswith(f"# {folder.rsplit('/')[-1]}\n")
    for name in re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", text):
        assert (ROOT / name).is_file() or list((ROOT / folder).rglob(name)), f"{folder}: {name}"


@pytest.mark.parametrize("record", sorted((ROOT / "docs/adr").glob("0*.md")), ids=lambda path: path.stem)
def test_every_decision_states_what_a_decision_has_to_and_is_listed(record: Path) -> None:
    text = record.read_text()
    number, title = re.findall(r"\A# (\d+)\. (.+)$", text, re.MULTILINE)[0]
    (status,) = re.findall(r"^Status: (.+)$", text, re.MULTILINE)
    assert int(number) == int(record.stem[:4])
    assert {"Context", "Decision", "Alternatives", "Consequences"} <= set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert f"| {number} | [{title}]({record.name}) | {status} |" in (record.parent / "README.md").read_text()
