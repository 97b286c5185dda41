"""What each search of a review found of what published reviews included: whole reviews over their real records.

python -m tests.eval.review published     (`make eval-review ARGS=published`; about four minutes)

Every record that was screened for five published drug-class reviews (Cohen 2006) stands in one index, which speaks as
PubMed does. Each question is of one of them and of a treatment with harms that are known from elsewhere; its outcome
is a benefit. What is counted: records that each search found, and included studies of the published review among them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.question import Track
from openwork_contracts.review import Review

from tests.eval.search.collections_of import data_root, rows_of
from tests.fakes.upstream.corpus import Part, Work
from tests.offline_stack import asked, offline

QUESTIONS: Mapping[str, str] = {
    "Cohen_2006_ADHD": "Does atomoxetine improve symptoms in children with attention deficit hyperactivity disorder?",
    "Cohen_2006_BetaBlockers": "Do beta blockers reduce mortality in heart failure?",
    "Cohen_2006_NSAIDS": "Does celecoxib reduce pain in osteoarthritis?",
    "Cohen_2006_ProtonPumpInhibitors": "Does omeprazole heal gastro-oesophageal reflux disease?",
    "Cohen_2006_Triptans": "Does sumatriptan relieve headache in migraine?",
}
SETS = tuple(QUESTIONS)
HEADER = (
    "question",
    "records: both, benefit alone, harm alone",
    "included by the published review",
    "found: both, benefit alone, harm alone",
    "studies read, of these included there",
    "read, found by the search for harm alone",
    "outcomes with a result, of harm",
)
_YEAR = 2004
"""The records have none; the reviews searched to 2003 and 2004."""


@dataclass(frozen=True, slots=True)
class Found:
    """PMIDs that each search found."""

    by_benefit: frozenset[str]
    by_harm: frozenset[str]

    @classmethod
    def of(cls, review: Review) -> Found:
        """Of a review's screened records."""

        def by(track: Track) -> frozenset[str]:
            return frozenset(
                record.work.identifiers.pmid or record.work.candidate_id
                for record in review.screened
                if any(decision.track is track for decision in record.decisions)
            )

        return cls(by(Track.AFFIRMATIVE), by(Track.FALSIFICATION))

    def counts(self, among: frozenset[str] | None = None) -> tuple[int, int, int]:
        """(both, the search for benefit alone, the search for harm alone); of these PMIDs, `None` = of all."""
        parts = (
            self.by_benefit & self.by_harm,
            self.by_benefit - self.by_harm,
            self.by_harm - self.by_benefit,
        )
        return tuple(len(part if among is None else part & among) for part in parts)  # type: ignore[return-value]


def works(root: Path) -> tuple[Work, ...]:
    """Every record of the five sets, once."""
    found = {row["pubmedID"]: _work(row) for name in SETS for row in rows_of(root, name)}
    return tuple(found.values())


def _work(row: Mapping[str, str]) -> Work:
    return Work(
        key=f"p{row['pubmedID']}",
        title=row["title"],
        year=_YEAR,
        pmid=row["pubmedID"],
        mesh=tuple(word.strip() for word in row["keywords"].split(";") if word.strip()),
        parts=(Part(None, row["abstract"]),) if row["abstract"] else (),
    )


async def reviewed(root: Path, max_studies: int = 20) -> AsyncIterator[tuple[str, Review]]:
    """Each set's name with the review of its question."""
    settings = {"OPENWORK_SOURCES": "pubmed", "OPENWORK_CHECK_STATUS": "false"}
    async with offline(works(root), settings) as (bus, _):
        for name, question in QUESTIONS.items():
            _, document = await asked(bus, question, "review", max_studies=max_studies)
            if document.review is None:
                raise RuntimeError(f"no review of {question!r}: {document.status}")
            yield name, document.review


async def measure() -> int:
    """Print a row a question."""
    root = data_root()
    if root is None:
        print("the benchmarks are not here: set OPENWORK_DATA")
        return 2
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    async for name, review in reviewed(root):
        included = frozenset(row["pubmedID"] for row in rows_of(root, name) if row["label_included"] == "1")
        found, flow = Found.of(review), review.flow
        outcomes, harms = len(review.outcomes), sum(one.harm for one in review.outcomes)
        cells = (
            QUESTIONS[name],
            ", ".join(map(str, found.counts())),
            len(included),
            ", ".join(map(str, found.counts(included))),
            f"{flow.studies_read}, {sum(one.work.identifiers.pmid in included for one in review.studies)}",
            flow.only_in.get(Track.FALSIFICATION, 0),
            f"{outcomes}, {harms}",
        )
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0
