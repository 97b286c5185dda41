"""Stage 1: who is shortlisted, and who is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, EvidenceStatus, RecordClass, SourcePolicy
from openwork_reranker.domain.documents import DocumentRanking, rank_documents, split_readable
from openwork_reranker.domain.policies import SourcePolicies, scorable_text
from reranker_examples import candidate

_LABELS = SourcePolicy(trust_tier=1, top_k=5, minimum_score_factor=0.7, read_labels=("indications",))
POLICIES = SourcePolicies(
    {
        "dailymed": _LABELS,
        "tavily": SourcePolicy(trust_tier=4, read_chars=500),
        "openfda-events": SourcePolicy(top_k=0),
        "openfda-labels": SourcePolicy(top_k=0),
    }
)


def ids(ranking: DocumentRanking) -> list[str]:
    return [d.candidate_id for d in ranking.shortlist]


def test_low_scores_are_left_out_unless_recent() -> None:
    """Evidence of the last two years is not dropped by a minimum score."""
    found = [candidate("old", year=2015), candidate("new", year=2023), candidate("good", year=2001)]
    ranking = rank_documents(found, [0.05, 0.05, 0.6], policies=POLICIES, current_year=2024)
    assert ids(ranking) == ["good", "new"]
    assert ranking.below_threshold == 1


def test_unknown_year_is_not_recent() -> None:
    assert ids(rank_documents([candidate("x", year=None)], [0.05], policies=POLICIES, current_year=2024)) == []


def test_labels_need_less_than_articles() -> None:
    found = [candidate("label", sources=("dailymed",)), candidate("article")]
    assert ids(rank_documents(found, [0.12, 0.12], policies=POLICIES, current_year=2024)) == ["label"]


def test_a_source_has_only_so_many_places() -> None:
    labels = [candidate(f"l{i}", sources=("dailymed",)) for i in range(8)]
    shared = candidate("both", sources=("dailymed", "pubmed"))
    ranking = rank_documents([*labels, shared], [0.9] * 8 + [0.5], policies=POLICIES, current_year=2024)
    assert ids(ranking) == ["l0", "l1", "l2", "l3", "l4", "both"]


def test_retracted_work_is_kept_and_never_preferred() -> None:
    found = [candidate("retracted", status=EvidenceStatus.RETRACTED), candidate("a"), candidate("b")]
    ranking = rank_documents(found, [0.9, 0.3, 0.2], policies=POLICIES, current_year=2024)
    assert [(d.candidate_id, d.score) for d in ranking.shortlist] == [("a", 0.3), ("b", 0.2), ("retracted", 0.2)]


def test_candidate_without_text_is_set_aside() -> None:
    readable, bare = split_readable(
        [candidate("a", "Title", "Text."), candidate("b", "Title"), candidate("c", " ", "x")]
    )
    assert [c.candidate_id for c in readable] == ["a"]
    assert [c.candidate_id for c in bare] == ["b", "c"]


def test_unknown_source_is_read_as_articles_are() -> None:
    assert POLICIES.of("new-source") == SourcePolicy()


def test_between_equal_scores_the_more_trusted_source_comes_first() -> None:
    found = [candidate("page", sources=("tavily",)), candidate("article"), candidate("label", sources=("dailymed",))]
    ranking = rank_documents(found, [0.5, 0.5, 0.5], policies=POLICIES, current_year=2024)
    assert ids(ranking) == ["label", "article", "page"]


def test_reference_is_never_shortlisted_and_does_not_harm_what_it_is_about() -> None:
    """Neither its score nor its year brings it in; a work that a source of evidence has too is that source's."""
    found = [
        candidate("counts", sources=("openfda-events",), year=2024),
        candidate("label", sources=("openfda-labels", "dailymed")),
    ]
    assert ids(rank_documents(found, [0.9, 0.8], policies=POLICIES, current_year=2024)) == ["label"]


def test_label_is_read_where_it_says_what_it_is_for() -> None:
    label = candidate(
        "x",
        "Eliquis",
        AbstractPart(label="Description", text="White tablets."),
        AbstractPart(label="Indications and Usage", text="Reduce the risk of stroke."),
        sources=("dailymed",),
    )
    assert scorable_text(label, POLICIES).body == "Indications and Usage: Reduce the risk of stroke."


def test_text_is_cut_at_its_sources_length() -> None:
    assert len(scorable_text(candidate("x", "T", "a " * 2000), POLICIES).body) == 1500
    assert len(scorable_text(candidate("x", "T", "a " * 2000, sources=("tavily",)), POLICIES).body) == 500


_CLASSED = SourcePolicies(
    {
        "pubmed": SourcePolicy(
            top_k=3,
            classes=(
                RecordClass(name="guidelines", publication_types=("Practice Guideline",), trust_tier=1, top_k=2,
                            minimum_score_factor=0.5),
                RecordClass(name="Cochrane", journals=("Cochrane Database Syst Rev",), trust_tier=1, top_k=2),
            ),
        )
    }
)  # fmt: skip


def guideline(name: str) -> EvidenceCandidate:
    return candidate(name).model_copy(update={"publication_types": ("Journal Article", "PRACTICE GUIDELINE")})


def test_records_of_a_class_are_trusted_and_let_in_by_its_own_numbers() -> None:
    """One source gives articles and guidelines; between equal scores the guideline comes first, and it needs less."""
    ranking = rank_documents(
        [candidate("article"), guideline("guideline")], [0.5, 0.5], policies=_CLASSED, current_year=2024
    )
    assert ids(ranking) == ["guideline", "article"]
    low = rank_documents(
        [candidate("article"), guideline("guideline")], [0.1] * 2, policies=_CLASSED, current_year=2024
    )
    assert ids(low) == ["guideline"]


def test_a_class_has_places_of_its_own_before_those_of_its_source() -> None:
    """Two for guidelines, then the three that every record of the source may take: articles take none of the two."""
    found = [*(candidate(f"a{i}") for i in range(5)), *(guideline(f"g{i}") for i in range(4))]
    scores = [0.9] * 5 + [0.8] * 4
    assert ids(rank_documents(found, scores, policies=_CLASSED, current_year=2024)) == ["a0", "a1", "a2", "g0", "g1"]
    first = rank_documents(found[5:] + found[:5], scores, policies=_CLASSED, current_year=2024)
    assert ids(first)[:4] == ["g0", "g1", "g2", "g3"]


def test_a_cochrane_review_is_known_by_its_journal() -> None:
    review = candidate("review").model_copy(update={"journal": "cochrane database syst rev"})
    assert _CLASSED.trust_tier_of(review) == 1
    assert _CLASSED.trust_tier_of(candidate("article")) == 2


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from(EvidenceStatus), st.integers(2000, 2024)), max_size=40))
def test_shortlist_is_ordered_bounded_and_accounts_for_everything(
    rows: list[tuple[float, EvidenceStatus, int]],
) -> None:
    found = [candidate(str(i), status=status, year=year) for i, (_, status, year) in enumerate(rows)]
    ranking = rank_documents(found, [r[0] for r in rows], policies=POLICIES, current_year=2024)
    scores = [d.score for d in ranking.shortlist]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= 20
    assert len(scores) + ranking.below_threshold == len(rows)
    assert len(set(ids(ranking))) == len(scores)
