"""A folder in which the real `openwork` command is run, with the files that it is given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPENWORK = Path(sys.executable).with_name("openwork")
LIMIT_S = 60.0

EVIDENCE = [{"n": 1, "title": "A trial", "text": "Apixaban lowered major bleeding compared with warfarin (HR 0.69)."}]
PAGE = """# Bleeding

Apixaban lowered major bleeding compared with warfarin (HR 0.69) [1]. Warfarin lowered major bleeding compared with
apixaban [1]. Apixaban is cheap in most countries. We searched PubMed.
"""
RIS = """TY  - JOUR
TI  - Sumatriptan and placebo in acute migraine: an example record
AU  - Example, Ada
PY  - 2012
JO  - Journal of Examples
DO  - 10.5555/example.1
AB  - In adults with acute migraine, sumatriptan relieved headache in more people than placebo within two hours.
KW  - Sumatriptan
KW  - Migraine Disorders
ER  -
"""
PUBMED = """<?xml version="1.0"?>
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">12345678</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2020</Year></PubDate></JournalIssue><Title>Journal of Examples</Title></Journal>
<ArticleTitle>An example trial of apixaban in <i>atrial</i> fibrillation.</ArticleTitle>
<Abstract><AbstractText Label="RESULTS">Stroke occurred in 5 of 100 people.</AbstractText></Abstract>
<AuthorList><Author><LastName>Example</LastName><Initials>A</Initials></Author></AuthorList>
<PublicationTypeList><PublicationType UI="D016449">Randomized Controlled Trial</PublicationType></PublicationTypeList>
</Article></MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">12345678</ArticleId>
<ArticleId IdType="doi">10.5555/Example.2</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>
"""
JATS = """<?xml version="1.0"?>
<article><front><article-meta><title-group><article-title>An example article</article-title></title-group>
<abstract><p>Stroke was rare.</p></abstract></article-meta></front>
<body><sec><title>Results</title><p>Stroke occurred in 5 of 100 people.</p>
<sec><title>Bleeding</title><p>Bleeding occurred in 7 of 100 people.</p>
<table-wrap><label>Table 1</label><table><thead><tr><th>Arm</th><th>Events</th></tr></thead>
<tbody><tr><td>Apixaban</td><td>7</td></tr></tbody></table></table-wrap></sec></sec></body></article>
"""


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one value on stdout; fails when there is anything beside it."""
        return json.loads(self.out)


class Machine:
    """A folder with the files that commands are given, and an OPENWORK_HOME of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENWORK_")} | {
            "OPENWORK_SOURCES": "library",
            "OPENWORK_HOME": str(folder / "home"),
            "COLUMNS": "200",
        }
        ranking = [{"id": "off", "title": "Migraine", "text": "x"}, {"id": "on", "title": "Apixaban", "text": "stroke"}]
        gate = {"id": "a", "answer": "Apixaban lowered major bleeding (HR 0.69) [1].", "evidence": EVIDENCE}
        batch = {"id": "b", "query": "apixaban and stroke", "candidates": ranking}
        files: Mapping[str, str] = {
            "good.md": "Apixaban lowered major bleeding compared with warfarin (HR 0.69) [1].\n",
            "bad.md": "Apixaban lowered major bleeding compared with warfarin (HR 0.39) [1].\n",
            "page.md": PAGE,
            "evidence.json": json.dumps(EVIDENCE),
            "no-list.json": "{}",
            "gate.jsonl": "\n".join([json.dumps(gate), "", json.dumps(gate | {"id": "b", "answer": ""})]),
            "broken.jsonl": json.dumps(gate) + "\n{not json\n",
            "candidates.jsonl": "\n".join(map(json.dumps, ranking)),
            "rank.jsonl": json.dumps(batch),
            "saved.xml": PUBMED,
            "article.xml": JATS,
            "mine.ris": RIS,
            "empty.ris": "",
        }
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "latin.md").write_bytes(b"caf\xe9 [1].")

    def run(self, *arguments: str) -> Ended:
        """One command, to its end."""
        done = subprocess.run(
            [OPENWORK, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            errors="replace",  # of files that are no text
            timeout=LIMIT_S,
            stdin=subprocess.DEVNULL,
        )
        assert "Traceback" not in done.stderr + done.stdout, arguments
        return Ended(done.returncode, done.stdout, done.stderr)

    def run_all(self, commands: Sequence[str]) -> dict[str, Ended]:
        """Commands that need no run, a few at a time."""
        with ThreadPoolExecutor(3) as pool:
            return dict(zip(commands, pool.map(lambda line: self.run(*line.split()), commands), strict=True))
