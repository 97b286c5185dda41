"""Stage 2: the evidence pack and its citation numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import (
    EffectEstimate,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    OutcomeResult,
    TextOrigin,
)
from openwork_contracts.ranking import TrialFit
from openwork_reranker.domain.passages import Passage
from openwork_reranker.domain.selection import passage_texts, rank_passages
from reranker_examples import candidate


def passage(work: str, place: int, text: str = "Some words.") -> Passage:
    return Passage(f"{work}#{place}", work, "Results", "text", place, place + len(text), text, TextOrigin.PUBLISHER)


def works(*names: str, retracted: str = "") -> dict[str, EvidenceCandidate]:
    return {
        n: candidate(n, f"Title {n}", status=EvidenceStatus.RETRACTED if n == retracted else EvidenceStatus.NONE)
        for n in names
    }


def test_score_is_six_parts_passage_and_four_parts_document() -> None:
    ranking = rank_passages([passage("a", 0)], [0.5], {"a": 1.0}, works("a"))
    assert ranking.passages[0].score == pytest.approx(0.6 * 0.5 + 0.4 * 1.0)


def test_passages_of_one_work_share_its_number() -> None:
    found = [passage("a", 0, "one two"), passage("b", 0, "three four"), passage("a", 9, "five six")]
    ranking = rank_passages(found, [0.9, 0.8, 0.7], {}, works("a", "b"))
    assert [(p.candidate_id, p.n) for p in ranking.passages] == [("a", 1), ("b", 2), ("a", 1)]
    assert [c.candidate_id for c in ranking.documents] == ["a", "b"]


def test_one_long_paper_does_not_fill_the_pack() -> None:
    found = [passage("a", i, f"finding number {i}") for i in range(9)] + [passage("b", 0, "other words")]
    ranking = rank_passages(found, [0.9] * 9 + [0.1], {}, works("a", "b"))
    assert [p.candidate_id for p in ranking.passages] == ["a", "a", "b"]


def test_repeated_text_makes_room_for_another_finding() -> None:
    same = "apixaban lowered stroke in atrial fibrillation"
    found = [passage("a", 0, same), passage("b", 0, same), passage("c", 0, "dabigatran raised dyspepsia")]
    ranking = rank_passages(found, [0.80, 0.79, 0.70], {}, works("a", "b", "c"), limit=2)
    assert [p.candidate_id for p in ranking.passages] == ["a", "c"]


def test_retracted_work_comes_after_all_sound_ones() -> None:
    found = [passage("r", 0, "one two"), passage("a", 0, "three four")]
    ranking = rank_passages(found, [0.9, 0.1], {}, works("r", "a", retracted="r"))
    assert [p.candidate_id for p in ranking.passages] == ["a", "r"]


def test_a_work_that_nobody_could_look_up_comes_after_all_that_can_be_and_before_retracted_ones() -> None:
    found = [passage("r", 0, "one two"), passage("nowhere", 0, "three four"), passage("a", 0, "five six")]
    candidates = works("r", "a", retracted="r") | {"nowhere": candidate("nowhere", identifiers=Identifiers())}
    ranking = rank_passages(found, [0.9, 0.8, 0.1], {}, candidates)
    assert [(p.candidate_id, p.n) for p in ranking.passages] == [("a", 1), ("nowhere", 2), ("r", 3)]


def test_misfit_of_the_trial_travels_with_its_passage() -> None:
    fit = TrialFit(misfit=True, message="tested something else")
    ranking = rank_passages([passage("a", 0)], [0.5], {}, works("a"), fits={"a": fit})
    assert ranking.passages[0].fit == fit


def test_scorer_reads_the_passage_under_its_works_title() -> None:
    assert passage_texts([passage("a", 0)], works("a"))[0].whole == "Title a. Some words."


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 1)), max_size=30), st.integers(1, 12))
def test_pack_is_bounded_ordered_and_numbered_without_gaps(rows: list[tuple[str, float]], limit: int) -> None:
    found = [passage(work, i, f"text {work} {i}") for i, (work, _) in enumerate(rows)]
    ranking = rank_passages(found, [r[1] for r in rows], {"a": 0.5}, works(*"abcd"), limit=limit)
    assert len(ranking.passages) <= limit
    scores = [p.score for p in ranking.passages]
    assert scores == sorted(scores, reverse=True)
    firsts = list(dict.fromkeys(p.n for p in ranking.passages))
    assert firsts == list(range(1, len(ranking.documents) + 1))
    assert all(ranking.documents[p.n - 1].candidate_id == p.candidate_id for p in ranking.passages)


def with_results(name: str, *outcomes: tuple[str, float, float, float]) -> EvidenceCandidate:
    """A work whose table lists hazard ratios."""
    results = tuple(
        OutcomeResult(outcome=o, effect=EffectEstimate(measure="HR", estimate=e, ci_low=low, ci_high=high))
        for o, e, low, high in outcomes
    )
    return candidate(name, f"Title {name}").model_copy(update={"results": results})


def test_the_passage_with_the_figures_of_the_asked_outcome_is_in_the_pack() -> None:
    texts = ["who was studied", "how it was done", "death was rarer (HR 0.61, 95% CI 0.42 to 0.88)"]
    found = [passage("a", 100 * i, text) for i, text in enumerate(texts)]
    known = {"a": with_results("a", ("relapse", 0.9, 0.8, 1.0), ("death from any cause", 0.61, 0.42, 0.88))}
    ranking = rank_passages(found, [0.9, 0.8, 0.1], {}, known, outcomes=("mortality",))
    assert [p.text for p in ranking.passages] == texts
    assert [p.text for p in rank_passages(found, [0.9, 0.8, 0.1], {}, known, outcomes=("stroke",)).passages] == texts[
        :2
    ]


def test_figures_that_a_chosen_passage_has_bring_no_other_in() -> None:
    told = "death was rarer (risk difference -6.3 percentage points, 95% CI -9.0 to -3.6)"
    found = [passage("a", 0, told), passage("a", 100, "how it was done"), passage("a", 200, f"Again: {told}")]
    known = {"a": with_results("a", ("death", -0.063, -0.09, -0.036))}
    assert len(rank_passages(found, [0.9, 0.8, 0.1], {}, known, outcomes=("death",)).passages) == 2


def test_where_no_work_of_a_full_pack_answers_one_that_does_is_added_with_its_best_passage() -> None:
    found = [passage("a", 0, "one"), passage("b", 0, "two"), passage("c", 0, "three"), passage("c", 90, "four")]
    scores, known = [0.9, 0.5, 0.4, 0.3], works("a", "b", "c")
    ranking = rank_passages(found, scores, {}, known, limit=1, answers=lambda work, _: work.candidate_id == "c")
    assert [p.text for p in ranking.passages] == ["one", "three"]
    assert [(d.candidate_id, n) for n, d in enumerate(ranking.documents, 1)] == [("a", 1), ("c", 2)]
    enough = rank_passages(found, scores, {}, known, limit=1, answers=lambda *_: 1)
    assert [p.text for p in enough.passages] == ["one"]


def test_a_work_that_answers_more_closely_than_those_chosen_is_added() -> None:
    """Of the patients with kidney disease in one trial and of everybody in another, the second is asked about."""
    found, scores = [passage(name, 0, f"finding {name}") for name in "abc"], [0.9, 0.5, 0.4]
    closeness = {"a": 2, "b": 3, "c": 4}
    ranking = rank_passages(
        found, scores, {}, works(*"abc"), limit=1, answers=lambda work, _: closeness[work.candidate_id]
    )
    assert [d.candidate_id for d in ranking.documents] == ["a", "c"]  # the closest, and not what is only closer


def test_of_a_retracted_work_or_a_trial_of_something_else_nobody_asks_whether_it_answers() -> None:
    found = [passage("a", 0, "one"), passage("r", 0, "two"), passage("m", 0, "three")]
    fits = {"m": TrialFit(misfit=True, message="tested something else")}
    known = works("a", "r", "m", retracted="r")
    ranking = rank_passages(
        found, [0.9, 0.8, 0.7], {}, known, fits=fits, limit=1, answers=lambda work, _: work.candidate_id != "a"
    )
    assert [p.candidate_id for p in ranking.passages] == ["a"]


def test_no_more_works_than_three_are_added_because_they_answer() -> None:
    names = "abcdefg"
    found, scores = [passage(name, 0, f"finding {name}") for name in names], [0.9 - n / 10 for n in range(7)]
    ranking = rank_passages(found, scores, {}, works(*names), limit=1, answers=lambda work, _: work.candidate_id != "a")
    assert [d.candidate_id for d in ranking.documents] == list("abcd")
