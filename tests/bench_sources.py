"""Speed and memory of the sources: PubMed XML beside Biopython and pubmed_parser, the normaliser, the retrieval stage.

    python -m tests.bench_sources [--only pubmed,memory,normalise,retrieval] [--rounds 3]

Biopython and pubmed_parser are installed with uv into `.bench-venv` on first use; where that fails, their rows say so.
Prints one Markdown table. Times of the parsers and the normaliser are seconds of processor time, which other work on
the machine disturbs least; the retrieval stage is wall time.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from openwork_bus import loop
from openwork_bus.bus import StoredEvent
from openwork_bus.settings import ServiceSettings
from openwork_contracts.evidence import EvidenceNormalised, EvidenceRecord, Identifiers
from openwork_contracts.plan import RetrievalCompleted, SearchPlanned
from openwork_contracts.question import AskRequest
from openwork_gateway.watch import watch
from openwork_laptop.stack import Stack, client, prepare
from openwork_normaliser.domain.normalise import SourceBatch, normalise
from openwork_retrievers.adapters.ncbi.articles import parse_articles

from tests.asking import submit
from tests.bench import Row, report
from tests.fakes.upstream.app import environment, upstream
from tests.fakes.upstream.corpus import load, recorded_data
from tests.fakes.upstream.ncbi import pubmed_article
from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".bench-venv"
OTHERS = ("biopython", "pubmed_parser")

N_RECORDS = 3000
"""In the file that the parsers read: more than an answer ever fetches, and long enough to be measured."""
AT = datetime(2026, 1, 1, tzinfo=UTC)
_HEAD = (
    b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, '
    b'1st January 2019//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">\n<PubmedArticleSet>\n'
)
"""A DTD that comes with Biopython, which fetches any other before it reads."""
_TAIL = b"</PubmedArticleSet>\n"
SOURCES = ("pubmed", "europepmc-cited", "openalex", "semanticscholar", "pmc", "crossref")
LIVE = ("library", "pubmed", "europepmc-cited", "openalex", "semanticscholar")
QUESTION = "Does apixaban cause less major bleeding than warfarin in atrial fibrillation?"

READ_OURS = """
import gzip, json, re, sys, time
from datetime import UTC, datetime
from openwork_retrievers.adapters.ncbi.articles import parse_articles
path, n_reads = sys.argv[1], int(sys.argv[2])
def pieces():
    with gzip.open(path) as file:
        while piece := file.read(65536):
            yield piece
best = float("inf")
for _ in range(n_reads):
    started = time.process_time()
    n = sum(1 for _ in parse_articles("pubmed", pieces(), datetime.now(UTC)))
    best = min(best, time.process_time() - started)
peak = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) if sys.platform == "linux" else 0
print(json.dumps({"n": n, "s": best, "peak_kb": peak}))
"""
READ_BIOPYTHON = """
import gzip, json, sys, time
from Bio import Entrez
best = float("inf")
for _ in range(int(sys.argv[2])):
    started = time.process_time()
    with gzip.open(sys.argv[1]) as file:
        n = len(Entrez.read(file)["PubmedArticle"])
    best = min(best, time.process_time() - started)
print(json.dumps({"n": n, "s": best}))
"""
READ_PUBMED_PARSER = """
import json, sys, time
import pubmed_parser
best = float("inf")
for _ in range(int(sys.argv[2])):
    started = time.process_time()
    n = sum(1 for _ in pubmed_parser.parse_medline_xml(sys.argv[1]))
    best = min(best, time.process_time() - started)
print(json.dumps({"n": n, "s": best}))
"""


def articles() -> list[bytes]:
    """PubmedArticle elements: of the recorded baseline files where they are there, else the upstream's own."""
    recorded = recorded_data()
    found: list[bytes] = []
    for path in sorted((recorded / "ncbi" / "medline-baseline").glob("*.xml.gz")) if recorded else ():
        body = gzip.decompress(path.read_bytes())
        parts = body.split(b"<PubmedArticle>")[1:]
        found.extend(b"<PubmedArticle>" + part.split(b"</PubmedArticle>")[0] + b"</PubmedArticle>\n" for part in parts)
    return found or [pubmed_article(work).encode() for work in load().works if work.pmid]


def write_file(path: Path, n: int) -> int:
    """A gzipped PubMed file of `n` records, the known ones again and again; bytes unpacked.

    Gzipped as NLM gives its baseline files, because pubmed_parser reads nothing else.
    """
    known = articles()
    n_bytes = 0
    with gzip.open(path, "wb", compresslevel=1) as file:
        for piece in (_HEAD, *(known[place % len(known)] for place in range(n)), _TAIL):
            n_bytes += file.write(piece)
    return n_bytes


def scratch_python() -> Path | None:
    """A Python that has the other parsers; `None` when it cannot be made."""
    python = SCRATCH / "bin" / "python"
    has = [str(python), "-c", "import Bio, pubmed_parser"]
    if python.exists() and subprocess.run(has, capture_output=True, check=False).returncode == 0:
        return python
    uv = shutil.which("uv") or str(ROOT / ".venv-tools" / "bin" / "uv")
    try:
        if not python.exists():
            subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(SCRATCH)], check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", str(python), *OTHERS], check=True, timeout=300)
    except (OSError, subprocess.SubprocessError):
        return None
    return python


def read_in(python: Path | str, script: str, path: Path, rounds: int) -> dict[str, float]:
    """What a reading script measured, in a process of its own.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    command = [str(python), "-c", script, str(path), str(rounds)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return measured


def pubmed(rounds: int) -> Iterator[Row]:
    """Records per second of the three parsers on the same file; the fastest round of each counts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pubmed.xml.gz"
        size = f"{N_RECORDS:,} records, {write_file(path, N_RECORDS) / 1e6:.1f} MB"
        ours = read_in(sys.executable, READ_OURS, path, rounds)
        our_rate = ours["n"] / ours["s"]
        yield f"PubMed XML ({size}): Open Work", f"{our_rate:,.0f} records/s", ""
        python = scratch_python()
        if python is None:
            yield "PubMed XML: Biopython, pubmed_parser", "not measured: .bench-venv could not be made with uv", ""
            return
        for name, script, wanted in (
            ("Biopython Entrez.read", READ_BIOPYTHON, ">= 3 x"),
            ("pubmed_parser parse_medline_xml", READ_PUBMED_PARSER, "> 1 x"),
        ):
            theirs = read_in(python, script, path, rounds)
            if theirs["n"] != ours["n"]:
                raise SystemExit(f"{name} read {theirs['n']} records, Open Work {ours['n']}")
            rate = theirs["n"] / theirs["s"]
            yield f"PubMed XML: {name}", f"{rate:,.0f} records/s: we are {our_rate / rate:.1f} x as fast", wanted


def memory(rounds: int) -> Iterator[Row]:
    """Peak memory of our reader's process on the file and on eight times as much."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pubmed.xml.gz"
        peaks = []
        for times in (1, 8):
            size_mb = write_file(path, times * N_RECORDS) / 1e6
            peaks.append((size_mb, read_in(sys.executable, READ_OURS, path, 1)["peak_kb"] / 1024))
    told = " and ".join(f"{peak:.1f} MB on {size:.0f} MB" for size, peak in peaks)
    yield "PubMed XML: peak memory of the process", f"{told}: {peaks[1][1] / peaks[0][1]:.2f} x", "constant"


def records_of_six(n: int) -> list[SourceBatch]:
    """About `n` records: every work as PubMed has it, and as one to three other indexes have it."""
    body = _HEAD + b"".join(articles()) + _TAIL
    own = list(parse_articles("pubmed", (body,), AT))
    batches: dict[str, list[EvidenceRecord]] = {source: [] for source in SOURCES}
    left = n
    for place in range(n):
        turn, which = divmod(place, len(own))
        work = _renamed(own[which], turn)
        for source in (SOURCES[0], *(SOURCES[1 + (place + k) % 5] for k in range(1 + place % 3))):
            if left == 0:
                return [SourceBatch(name, tuple(records)) for name, records in batches.items()]
            batches[source].append(_as_told_by(work, source))
            left -= 1
    raise AssertionError("unreachable: every work gives at least two records")


def _renamed(work: EvidenceRecord, turn: int) -> EvidenceRecord:
    """Another work for each turn through the file."""
    if turn == 0:
        return work
    ids = work.identifiers
    pmid = str(int(ids.pmid or "1") + 40_000_000 + turn * 1_000_000)[-8:]
    doi = f"{ids.doi}.{turn}" if ids.doi else None
    new = ids.model_copy(update={"pmid": pmid, "doi": doi, "pmcid": None})
    return work.model_copy(update={"identifiers": new, "source_id": pmid, "title": f"{work.title} Report {turn}"})


def _as_told_by(work: EvidenceRecord, source: str) -> EvidenceRecord:
    """The work with the identifiers that the source has: two know the PMID, two the DOI, one title and year alone."""
    ids = work.identifiers
    if source in ("openalex", "crossref"):
        ids = Identifiers(doi=ids.doi)
    elif source == "semanticscholar":
        ids = Identifiers()
    return work.model_copy(
        update={"source": source, "identifiers": ids, "source_id": f"{source}:{work.source_id}", "links": ()}
    )


def normalising(rounds: int) -> Iterator[Row]:
    """Seconds to normalise and deduplicate; the fastest round counts."""
    for n, wanted in ((500, "< 150 ms"), (5000, "< 2 s")):
        batches = records_of_six(n)
        times = []
        for _ in range(rounds):
            started = time.process_time()
            result = normalise(batches)
            times.append(time.process_time() - started)
        told = f"{min(times) * 1000:.0f} ms, {len(result.candidates)} candidates"
        yield f"normalise and deduplicate {n:,} records of {len(SOURCES)} sources", told, wanted


async def retrieval(rounds: int) -> list[Row]:
    """How much longer the retrieval stage takes than its slowest source, over runs against the local upstream."""
    over: list[float] = []
    stages: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with upstream(recorded=False) as server:
            os.environ |= environment(server.url) | {
                "OPENWORK_SOURCES": ",".join(LIVE),
                "OPENWORK_HOME": folder,
                "OPENWORK_REACHABILITY_FILE": "",
                "OPENWORK_NCBI_API_KEY": "any",
            }
            nats = OpenServer(Path(folder) / "nats")
            await nats.start()
            await prepare(nats.url)
            stack = Stack(nats.asker_url, logins=nats.logins)
            await stack.start()
            async with client(nats.url) as bus:
                for turn in range(rounds + 1):
                    question = QUESTION if turn == 0 else f"{QUESTION[:-1]}, in trial report {turn}?"
                    reply = await submit(bus, AskRequest(question=question), ServiceSettings())
                    assert reply.run_id is not None
                    history = [stored async for stored in watch(bus, reply.run_id)]
                    if turn:  # the first run opens the connections
                        stage_s, over_s = _stage(history)
                        stages.append(stage_s)
                        over.append(over_s)
            await stack.stop()
            await nats.stop()
    told = f"{statistics.median(over) * 1000:.0f} ms more (longest {max(over) * 1000:.0f} ms); "
    told += f"stage {statistics.median(stages):.2f} s"
    return [(f"retrieval stage beyond its slowest of {len(LIVE)} sources, {rounds} runs: median", told, "<= 100 ms")]


def _stage(history: Sequence[StoredEvent]) -> tuple[float, float]:
    """Seconds from the plan to the normalised evidence, and from the last source's outcome to it."""
    at: dict[type, datetime] = {}
    for stored in history:
        event, stored_at = stored.event, stored.stored_at
        if isinstance(event, SearchPlanned | RetrievalCompleted | EvidenceNormalised):
            at[type(event)] = stored_at
    whole = (at[EvidenceNormalised] - at[SearchPlanned]).total_seconds()
    return whole, (at[EvidenceNormalised] - at[RetrievalCompleted]).total_seconds()


def main() -> int:
    """Run what was asked for and print a Markdown table."""
    parts: dict[str, Callable[[int], Iterable[Row]]] = {
        "pubmed": pubmed,
        "memory": memory,
        "normalise": normalising,
        "retrieval": lambda rounds: loop.run(retrieval(rounds)),
    }
    return report(parts, doc=__doc__, rounds=3)


if __name__ == "__main__":
    sys.exit(main())
