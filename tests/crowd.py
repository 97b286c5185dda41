"""Questions at once on the whole system: what they ask, the outside services they meet, and what became of each.

For measurements: every service runs in this process on a real nats-server, nothing remembered; a server in a process of
its own stands for the outside services and notes each request as it comes in. Every question has works of its own.

    python -m tests.crowd [--answer-s 0.4] [--strict-finds-enough] [--labelled]    serve until ended, print the address
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import DEFAULT_SOURCES, ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.plan import RetrievalCompleted
from openwork_contracts.question import AskRequest
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.stack import Stack, client, prepare

from tests.asking import submit
from tests.builders import event_of
from tests.fakes.upstream.app import environment, upstream
from tests.fakes.upstream.corpus import Part, Work
from tests.fakes.upstream.faults import FaultKind
from tests.fakes.upstream.labels import Label, load_labels
from tests.fakes.upstream.server import FAULTS_PATH, LOG_PATH, Logged
from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parent.parent
TOPICS = (
    ("apixaban", "warfarin", "atrial fibrillation", "stroke"),
    ("empagliflozin", "placebo", "heart failure", "hospitalization"),
    ("semaglutide", "sitagliptin", "type 2 diabetes", "weight loss"),
    ("ticagrelor", "clopidogrel", "acute coronary syndrome", "mortality"),
    ("tofacitinib", "adalimumab", "rheumatoid arthritis", "remission"),
    ("denosumab", "alendronate", "osteoporosis", "fractures"),
    ("levetiracetam", "valproate", "epilepsy", "seizures"),
    ("escitalopram", "sertraline", "major depressive disorder", "remission"),
    ("omalizumab", "placebo", "asthma", "exacerbations"),
    ("ustekinumab", "infliximab", "crohn disease", "remission"),
    ("pembrolizumab", "docetaxel", "non-small cell lung cancer", "survival"),
    ("dolutegravir", "efavirenz", "HIV infection", "viral suppression"),
    ("rosuvastatin", "atorvastatin", "hypercholesterolemia", "cardiovascular events"),
    ("finerenone", "placebo", "chronic kidney disease", "kidney failure"),
    ("erenumab", "topiramate", "migraine", "headache days"),
    ("rituximab", "cyclophosphamide", "vasculitis", "remission"),
    ("lenalidomide", "thalidomide", "multiple myeloma", "survival"),
    ("tiotropium", "salmeterol", "chronic obstructive pulmonary disease", "exacerbations"),
    ("febuxostat", "allopurinol", "gout", "flares"),
    ("ibrutinib", "chlorambucil", "chronic lymphocytic leukemia", "survival"),
    ("vedolizumab", "adalimumab", "ulcerative colitis", "remission"),
    ("donepezil", "memantine", "alzheimer disease", "cognition"),
    ("natalizumab", "fingolimod", "multiple sclerosis", "relapses"),
    ("secukinumab", "etanercept", "psoriasis", "clearance"),
)
"""Drug, comparator, disease and outcome: one question each."""
WORKS_EACH = 60
TYPED = 8
"""Of each topic's works, trials by PubMed's type: what the strict rung finds where it is to find too little."""
REGISTERED = 6
"""Of each topic's works, those that ClinicalTrials.gov has too where it is to have any."""
FIRST_PMID, PER_TOPIC = 50_000_000, 1000
SOURCES = tuple(DEFAULT_SOURCES.split(","))


@dataclass(frozen=True)
class World:
    """What the outside services hold and how fast they are."""

    answer_s: float = 0.4
    """Seconds that one takes to answer."""
    strict_finds_enough: bool = False
    """Whether no question needs a second search of PubMed."""
    labelled: bool = False
    """Whether each drug asked about has a label, and some of each topic's works a registration: so that DailyMed and
    ClinicalTrials.gov have something for every question."""

    @property
    def arguments(self) -> list[str]:
        """The same for the command line."""
        flags = {"--strict-finds-enough": self.strict_finds_enough, "--labelled": self.labelled}
        return ["--answer-s", str(self.answer_s), *(flag for flag, on in flags.items() if on)]


def question(topic: int) -> str:
    drug, other, disease, outcome = TOPICS[topic]
    return f"Does {drug} compared with {other} improve {outcome} in {disease}?"


def dosing_question(topic: int) -> str:
    """One that a drug's label can answer too."""
    drug, other, disease, outcome = TOPICS[topic]
    return f"What is the recommended dose of {drug} in {disease}, and does it improve {outcome} compared with {other}?"


def works(world: World) -> list[Work]:
    """The works of every topic, each with a PMID in a thousand of its own."""
    typed = WORKS_EACH if world.strict_finds_enough else TYPED
    registered = REGISTERED if world.labelled else 0
    return [_work(topic, number, typed, registered) for topic in range(len(TOPICS)) for number in range(WORKS_EACH)]


def labels(world: World) -> list[Label]:
    """A label for each drug asked about."""
    if not world.labelled:
        return []
    held = {label.name for label in load_labels()}
    drugs = dict.fromkeys((drug, disease) for drug, _, disease, _ in TOPICS if drug not in held)
    return [_label(number, drug, disease) for number, (drug, disease) in enumerate(drugs)]


def _label(number: int, drug: str, disease: str) -> Label:
    sections = {
        "indications_and_usage": f"{drug.capitalize()} is indicated in adults with {disease}.",
        "dosage_and_administration": f"In {disease} the recommended dose of {drug} is {number + 2} mg once daily.",
    }
    return Label(drug, (), (), str(9_000_000 + number), sections, ())


def _work(topic: int, number: int, typed: int, registered: int) -> Work:
    drug, other, disease, outcome = TOPICS[topic]
    pmid = FIRST_PMID + topic * PER_TOPIC + number
    trial = number < typed
    parts = (
        Part("Background", f"Whether {drug} or {other} is better for {outcome} in {disease} is not settled."),
        Part("Results", f"In {disease}, {drug} improved {outcome} compared with {other} in {200 + number} of "
                        f"{1000 + number} patients (hazard ratio 0.{70 + number % 20}, 95% CI 0.60 to 0.95)."),
        Part("Conclusions", f"{drug.capitalize()} improved {outcome} compared with {other} in {disease}."),
    )  # fmt: skip
    return Work(
        key=f"crowd-{pmid}",
        title=f"{drug.capitalize()} versus {other} for {outcome} in {disease}, report {number}",
        year=2005 + number % 20,
        journal="Journal of Crowded Trials",
        pmid=str(pmid),
        pmcid=f"PMC{pmid}" if number % 2 == 0 else None,
        doi=f"10.5555/crowd.{pmid}",
        nct_id=f"NCT{pmid}" if number < registered else None,
        authors=(f"Writer{number} A",),
        types=("Journal Article", "Randomized Controlled Trial") if trial else ("Journal Article",),
        mesh=(drug.capitalize(), disease.title()),
        parts=parts,
    )


@dataclass(frozen=True)
class Asked:
    """One question and what became of it."""

    topic: int
    took_s: float
    document: AnswerDocument
    pubmed_s: float | None = None
    """Seconds from the question to PubMed's records being there; `None` = they never came."""

    @property
    def n_pubmed(self) -> int:
        return sum(source.found for source in self.document.method.sources if source.name == "pubmed")

    @property
    def about_ncbi(self) -> list[str]:
        """Degradations that speak of PubMed or NCBI, or of a budget of ours."""
        marks = ("pubmed", "ncbi", "own budget")
        return [text for text in self.document.method.degradations if any(mark in text for mark in marks)]


class Door:
    """The server's own record of what came in, and what it is told to do wrong."""

    def __init__(self, url: str) -> None:
        self.url = url

    def all_calls(self) -> list[Logged]:
        """Every call so far."""
        told = httpx.get(f"{self.url}{LOG_PATH}", timeout=10, trust_env=False).json()
        return [Logged(**entry) for entry in told]

    def calls(self) -> list[Logged]:
        """Every NCBI call so far."""
        return [one for one in self.all_calls() if ".fcgi" in one.path]

    def strike(self, kind: FaultKind, paths: Sequence[str]) -> None:
        """From now on these paths go wrong in this way, and no others in any."""
        httpx.delete(f"{self.url}{FAULTS_PATH}", timeout=10, trust_env=False).raise_for_status()
        for path in paths:
            body = {"kind": kind.value, "path": path}
            httpx.post(f"{self.url}{FAULTS_PATH}", json=body, timeout=10, trust_env=False).raise_for_status()


@asynccontextmanager
async def outside(world: World) -> AsyncIterator[Door]:
    """The outside services in a process of their own: what this one is busy with does not delay what they see."""
    command = [sys.executable, "-m", "tests.crowd", *world.arguments]
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    try:
        assert server.stdout is not None
        yield Door((await server.stdout.readline()).decode().strip())
    finally:
        server.terminate()
        await server.wait()


async def serve(world: World) -> None:
    """Stand for the outside services until ended; prints the address."""
    async with upstream(recorded=False, works=works(world), labels=labels(world)) as server:
        server.answers_after_s, server.in_threads = world.answer_s, True
        print(server.url, flush=True)
        await asyncio.Event().wait()


@asynccontextmanager
async def answering(door: Door, *, key: bool) -> AsyncIterator[JetStreamBus]:
    """Every service in this process, its outside services behind the door, nothing remembered."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= environment(door.url) | {
            "OPENWORK_SOURCES": ",".join(SOURCES),
            "OPENWORK_HOME": folder,
            "OPENWORK_REACHABILITY_FILE": "",
            "OPENWORK_NCBI_API_KEY": "any" if key else "",
        }
        nats = OpenServer(Path(folder) / "nats")
        await nats.start()
        try:
            await prepare(nats.url)
            stack = Stack(nats.asker_url, logins=nats.logins)
            await stack.start()
            async with client(nats.url) as bus:
                yield bus
            await stack.stop()
        finally:
            await nats.stop()


async def ask(bus: JetStreamBus, topic: int, worded: Callable[[int], str] = question) -> Asked:
    """Ask a topic's question and wait for its end."""
    asked_at, started = datetime.now(UTC), time.perf_counter()
    reply = await submit(bus, AskRequest(question=worded(topic)), ServiceSettings())
    assert reply.run_id is not None
    history = [stored async for stored in watch(bus, reply.run_id)]
    took_s = time.perf_counter() - started
    came = await event_of(bus, RetrievalCompleted, reply.run_id, route="pubmed")
    pubmed_s = (came.meta.occurred_at - asked_at).total_seconds() if came is not None and came.records else None
    return Asked(topic, took_s, fold(history), pubmed_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answer-s", type=float, default=World.answer_s)
    parser.add_argument("--strict-finds-enough", action="store_true")
    parser.add_argument("--labelled", action="store_true")
    asyncio.run(serve(World(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
