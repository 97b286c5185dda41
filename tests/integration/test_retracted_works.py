"""What became of a work after its publication, from PubMed's record to the reader's reference list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised, EvidenceStatus
from openwork_contracts.plan import RetrievalCompleted

from tests.builders import event_of
from tests.fakes.upstream.corpus import Part, Work
from tests.live import Live, running

pytestmark = pytest.mark.nats

RETRACTED, NOTICE, ERRATUM = "90000001", "90000002", "90000003"
TITLE = "Vasopressin versus norepinephrine in septic shock: a randomized trial"
FINDING = "Vasopressin lowered 28-day mortality compared with norepinephrine (12.0% versus 48.0%; P<0.001)."
QUESTION = "Norepinephrine versus vasopressin in septic shock, is mortality different?"


def article(pmid: str, title: str, types: Sequence[str], ref_type: str, other: str, abstract: str = "") -> str:
    """One PubmedArticle with a link to the other record, after the PubMed DTD of 2025."""
    kinds = "".join(f'<PublicationType UI="D000000">{kind}</PublicationType>' for kind in types)
    text = f"<Abstract><AbstractText>{abstract.replace('<', '&lt;')}</AbstractText></Abstract>" if abstract else ""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{pmid}</PMID>'
        f'<Article PubModel="Print"><Journal><JournalIssue CitedMedium="Print"><PubDate><Year>2015</Year></PubDate>'
        f"</JournalIssue><Title>Journal of Invented Trials</Title></Journal><ArticleTitle>{title}</ArticleTitle>{text}"
        f'<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Nemo</LastName><Initials>A</Initials></Author>'
        f"</AuthorList><Language>eng</Language><PublicationTypeList>{kinds}</PublicationTypeList></Article>"
        f'<CommentsCorrectionsList><CommentsCorrections RefType="{ref_type}"><RefSource>J Invent Trials. 2016;1:1'
        f'</RefSource><PMID Version="1">{other}</PMID></CommentsCorrections></CommentsCorrectionsList>'
        f"</MedlineCitation><PubmedData><PublicationStatus>ppublish</PublicationStatus><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>'
    )


def work(pmid: str, title: str, types: tuple[str, ...], ref_type: str, other: str, abstract: str = "") -> Work:
    """A work that the upstream finds by its text and gives with its link."""
    return Work(
        key=f"pmid-{pmid}",
        title=title,
        year=2015,
        pmid=pmid,
        types=types,
        parts=(Part(None, abstract),) if abstract else (),
        raw=article(pmid, title, types, ref_type, other, abstract).encode(),
    )


TRIAL = work(
    RETRACTED, TITLE, ("Randomized Controlled Trial", "Retracted Publication"), "RetractionIn", NOTICE, FINDING
)
RETRACTION = work(
    NOTICE,
    f"Retraction: {TITLE}",
    ("Retraction of Publication",),
    "RetractionOf",
    RETRACTED,
    f"The editors retract the article. It had reported: {FINDING}",
)


def of_pmid(candidates: Sequence[EvidenceCandidate], pmid: str) -> list[EvidenceCandidate]:
    return [candidate for candidate in candidates if candidate.identifiers.pmid == pmid]


async def found_by_pubmed(live: Live, document: AnswerDocument) -> set[str | None]:
    event = await event_of(live.bus, RetrievalCompleted, document.run_id, route="pubmed")
    assert event is not None
    return {record.identifiers.pmid for record in event.records}


async def normalised(live: Live, document: AnswerDocument) -> EvidenceNormalised:
    event = await event_of(live.bus, EvidenceNormalised, document.run_id)
    assert event is not None
    return event


async def test_a_retracted_trial_is_marked_and_its_finding_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PubMed has it among sound trials: it is kept with its status, and the answer is made of the others."""
    async with running(tmp_path, monkeypatch, ("library", "pubmed"), works=(TRIAL, RETRACTION)) as live:
        document = await live.ask(QUESTION)
        assert {RETRACTED, NOTICE} <= await found_by_pubmed(live, document)
        evidence = await normalised(live, document)
    (trial,) = of_pmid(evidence.candidates, RETRACTED)
    assert trial.status is EvidenceStatus.RETRACTED
    assert [(link.kind, link.pmid) for link in trial.links] == [("retracted_by", NOTICE)]
    assert not of_pmid(evidence.candidates, NOTICE), "a retraction notice is no evidence"
    assert evidence.counts.excluded_notices == 1
    assert document.status is RunStatus.ANSWERED
    assert "12.0%" not in document.answer.markdown
    assert NOTICE not in {reference.pmid for reference in document.references}
    assert all("retracted" in (r.note or "") for r in document.references if r.pmid == RETRACTED)


async def test_a_retracted_trial_alone_answers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is there to answer from: the run ends by saying so, not with what was retracted."""
    alone = "Does zoliflodacin lower mortality in septic shock compared with norepinephrine?"
    finding = FINDING.replace("Vasopressin", "Zoliflodacin")
    types = ("Randomized Controlled Trial", "Retracted Publication")
    trial = work(RETRACTED, TITLE.replace("Vasopressin", "Zoliflodacin"), types, "RetractionIn", NOTICE, finding)
    async with running(tmp_path, monkeypatch, ("pubmed",), works=(trial, RETRACTION)) as live:
        document = await live.ask(alone)
        assert RETRACTED in await found_by_pubmed(live, document)
    assert "12.0%" not in document.answer.markdown
    cited = {n for claim in document.answer.claims for n in claim.citations}
    assert all("retracted" in (r.note or "") for r in document.references if r.n in cited and r.pmid == RETRACTED)


async def test_a_notice_that_is_found_alone_is_no_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(tmp_path, monkeypatch, ("library", "pubmed"), works=(RETRACTION,)) as live:
        document = await live.ask(QUESTION)
        evidence = await normalised(live, document)
    assert not of_pmid(evidence.candidates, NOTICE)
    assert evidence.counts.excluded_notices == 1
    assert "retract" not in document.answer.markdown.lower()


async def test_a_correction_is_told_and_does_not_discredit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An erratum is not a retraction: the trial stays evidence, its status says that it was corrected."""
    corrected = work(RETRACTED, TITLE, ("Randomized Controlled Trial",), "ErratumIn", ERRATUM, FINDING)
    async with running(tmp_path, monkeypatch, ("library", "pubmed"), works=(corrected,)) as live:
        evidence = await normalised(live, await live.ask(QUESTION))
    (trial,) = of_pmid(evidence.candidates, RETRACTED)
    assert trial.status is EvidenceStatus.CORRECTED
