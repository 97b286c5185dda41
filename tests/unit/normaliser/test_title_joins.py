"""Records joined by their titles alone: whose text, and whose numbers, come under which identifiers."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from openwork_contracts.evidence import (
    ArmResult,
    EffectEstimate,
    EvidenceCandidate,
    EvidenceRecord,
    OutcomeResult,
    SourcePolicy,
    TextOrigin,
)
from openwork_evidence.text import abstract_text
from openwork_normaliser.domain.normalise import NormalisedEvidence, SourceBatch, normalise

from tests.unit.normaliser.test_normalise import record

TIERS = {"pubmed": 2, "pmc": 2, "europepmc": 3, "openalex": 3, "tavily": 4}
POLICIES = {name: SourcePolicy(trust_tier=tier) for name, tier in TIERS.items()}
PAPER = "The hazard ratio for death was 0.79 (95% CI, 0.66 to 0.95) with apixaban as compared with warfarin. " * 3
CONGRESS = (
    "At this interim look, told at the congress, the hazard ratio for death was 0.61 (95% CI, 0.40 to 0.92). " * 5
)


def run(*records: EvidenceRecord, previous: tuple[EvidenceCandidate, ...] = ()) -> NormalisedEvidence:
    return normalise([SourceBatch(r.source, (r,)) for r in records], previous, policies=POLICIES)


def texts_of(found: NormalisedEvidence, pmid: str) -> str:
    """All that is said under a PMID."""
    (work,) = [c for c in found.candidates if c.identifiers.pmid == pmid]
    return abstract_text(work)


def paper(source: str = "pubmed", text: str = PAPER) -> EvidenceRecord:
    return record(source, pmid="21870978", doi="10.1056/nejmoa1107039", text=text)


def congress(source: str = "openalex", text: str = CONGRESS) -> EvidenceRecord:
    """The same title, author and year, no identifier of the paper."""
    return record(source, text=text, source_id="congress")


def test_a_congress_abstracts_figures_never_stand_under_the_papers_pmid() -> None:
    for records in permutations((paper(), congress())):
        found = run(*records)
        assert "0.79" in texts_of(found, "21870978")
        assert "0.61" not in texts_of(found, "21870978")


def test_nor_where_the_paper_has_no_abstract_then_they_stay_two_works() -> None:
    for records in permutations((paper(text=""), congress())):
        found = run(*records)
        assert len(found.candidates) == 2
        assert texts_of(found, "21870978") == ""


def test_a_trusted_text_comes_under_no_identifier_of_a_record_of_less_trust_that_has_its_own() -> None:
    """The other direction: the paper without identifiers, the congress abstract with a PMID."""
    told = record("europepmc", pmid="999", text=CONGRESS)
    whole = record("pubmed", text=PAPER, source_id="paper")
    for records in permutations((told, whole)):
        (work,) = run(*records).candidates
        assert "0.61" not in abstract_text(work)


def test_structured_results_of_less_trust_do_not_come_along_either() -> None:
    effect = EffectEstimate(measure="HR", estimate=0.61, ci_low=0.40, ci_high=0.92)
    results = (OutcomeResult(outcome="Death", arms=(ArmResult(arm="Apixaban", n=10, events=1),), effect=effect),)
    told = congress().model_copy(update={"results": results, "sample_size": 20})
    (work,) = run(paper(), told).candidates
    assert (work.results, work.sample_size) == ((), None)


@pytest.mark.parametrize("seed", range(6))
def test_a_chain_of_joins_does_not_carry_a_text_to_an_identifier_that_it_was_not_told_of(seed: int) -> None:
    """Paper, its copy in an index (same DOI), the congress abstract (title only), a page about that (its address)."""
    page = record("tavily", text="A page says 0.55. " * 30, url="https://example.org/congress", source_id="page")
    copy = record("openalex", doi="10.1056/nejmoa1107039", text=PAPER[:250])
    records = [paper(), copy, congress("europepmc"), page]
    random.Random(seed).shuffle(records)
    text = texts_of(run(*records), "21870978")
    assert "0.79" in text
    assert "0.61" not in text
    assert "0.55" not in text


def test_records_of_the_same_trust_still_become_one_work_and_the_papers_own_text_wins() -> None:
    (work,) = run(paper("europepmc"), congress("openalex")).candidates
    assert set(work.sources) == {"europepmc", "openalex"}
    assert "0.61" not in abstract_text(work)


def test_a_title_without_text_takes_the_text_of_a_record_of_the_same_trust() -> None:
    (work,) = run(paper("europepmc", text=""), record("openalex", text=PAPER, source_id="W1")).candidates
    assert abstract_text(work) == PAPER.strip()


def test_a_page_of_a_trusted_site_is_no_record_of_the_work_that_it_is_about() -> None:
    """Whatever its site is worth for ranking: its words stay apart from a PMID that has none."""
    told = record("tavily", text="A page says 0.55. " * 30, url="https://example.org/page", source_id="page")
    page = told.model_copy(update={"text_origin": TextOrigin.WEB_PAGE})
    batches = [SourceBatch(r.source, (r,)) for r in (paper("europepmc", text=""), page)]
    policies = {name: SourcePolicy(trust_tier=3) for name in ("europepmc", "tavily")}
    assert len(normalise(batches, policies=policies).candidates) == 2


def test_what_shares_an_identifier_counts_whatever_its_trust() -> None:
    copy = record("openalex", doi="10.1056/nejmoa1107039", text=PAPER)
    (work,) = run(paper(text=""), copy).candidates
    assert abstract_text(work) == PAPER.strip()


def test_a_second_round_of_the_same_records_changes_nothing() -> None:
    first = run(paper(), congress(), congress("tavily", "A page says 0.55. " * 30))
    again = run(paper(), congress(), previous=first.candidates)
    assert [abstract_text(c) for c in again.candidates] == [abstract_text(c) for c in first.candidates]
    assert [c.identifiers for c in again.candidates] == [c.identifiers for c in first.candidates]


def test_the_paper_that_a_second_round_finds_takes_the_place_of_the_congress_abstract() -> None:
    first = run(congress())
    assert "0.61" in abstract_text(first.candidates[0])
    again = run(paper(), previous=first.candidates)
    assert "0.61" not in texts_of(again, "21870978")
    third = run(congress(), previous=again.candidates)
    assert "0.61" not in texts_of(third, "21870978")


def test_two_works_kept_apart_in_one_round_stay_apart_in_the_next() -> None:
    first = run(paper(text=""), congress())
    again = run(paper(text=""), congress(), previous=first.candidates)
    assert len(again.candidates) == 2
    assert texts_of(again, "21870978") == ""
