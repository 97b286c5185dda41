"""Splitting: places exact, sentences whole, sections apart."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceRecord,
    LibraryRef,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.ranking import TextSection
from openwork_evidence.library.references import library_version, shipped
from openwork_evidence.text import abstract_text
from openwork_language.sentences import split_sentences
from openwork_reranker.domain.passages import WHOLE_ABSTRACT_CHARS, split_passages
from reranker_examples import candidate

SENTENCE = "The hazard ratio for stroke was 0.79 (95% CI, 0.66 to 0.95) with apixaban vs. warfarin in trial {}. "


LABELLED = (AbstractPart(label="METHODS", text="We did."), AbstractPart(label="RESULTS", text="It fell."))


def section(text: str, *path: str, kind: str = "text") -> TextSection:
    return TextSection(path=path, text=text, start=0, end=len(text), kind=kind)


def test_usual_abstract_is_one_passage_with_its_labels() -> None:
    work = candidate("x", "T", *LABELLED)
    (passage,) = split_passages(work)
    assert passage.text == abstract_text(work) == "METHODS: We did.\nRESULTS: It fell."
    assert (passage.section, passage.start) == ("Abstract", 0)


def test_long_abstract_is_split() -> None:
    work = candidate("x", "T", "".join(SENTENCE.format(i) for i in range(30)))
    assert len(split_passages(work)) > 1


def test_sections_without_findings_are_left_out() -> None:
    text = SENTENCE.format(1) * 2
    sections = [section(text, "Results", "Bleeding"), section(text, "References"), section(text, "Competing interests")]
    assert [p.section for p in split_passages(candidate("x"), sections)] == ["Results > Bleeding"]


def test_full_texts_copy_of_the_abstract_is_not_read_twice() -> None:
    copy = section("It fell by half in the group that was treated early.", "Abstract", kind="abstract")
    assert len(split_passages(candidate("x", "T", "It fell by half."), [copy])) == 1
    assert len(split_passages(candidate("x"), [copy])) == 1


def test_nothing_to_read_gives_no_passage() -> None:
    assert split_passages(candidate("x"), [section("  \n ", "Results")]) == ()


WORDS = ["Stroke", "fell", "by", "0.79", "(95% CI,", "0.66", "to", "0.95)", "vs.", "E. coli"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(lambda words: " ".join(words) + ". ")
bodies = st.lists(sentences, min_size=1, max_size=40).map("".join)


@given(bodies)
def test_passages_have_exact_places_and_whole_sentences(body: str) -> None:
    """Every sentence is in some passage, no sentence is cut, overlap stays in bounds, order is kept."""
    passages = split_passages(candidate("x"), [section(body, "Results")])
    spans = [(s.start, s.end) for s in split_sentences(body)]
    for p in passages:
        assert p.text == body[p.start : p.end]
        assert p.start in {s for s, _ in spans}
        assert p.end in {e for _, e in spans}
    assert len({p.passage_id for p in passages}) == len(passages)
    for before, after in pairwise(passages):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= 200
    if body and spans[-1][1] - spans[0][0] > 60:
        assert all(any(p.start <= s and e <= p.end for p in passages) for s, e in spans)


def test_abstract_bound_is_about_a_long_structured_abstract() -> None:
    assert len(split_passages(candidate("x", "T", "a" * (WHOLE_ABSTRACT_CHARS - 1) + "."))) == 1


OURS = shipped()["dapa-hf-2019"]
GUIDELINE = next(record for record in shipped().values() if record.recommendations)
TEXT = section(SENTENCE.format(1) * 2, "Results")
COPY = section("It fell by half in the group that was treated early.", "Abstract", kind="abstract")


def of_library(record: EvidenceRecord, **changes: object) -> EvidenceCandidate:
    work = candidate("x", record.title, *record.abstract)
    ours = {"text_origin": TextOrigin.OUR_SUMMARY, "recommendations": record.recommendations}
    return work.model_copy(update=ours | changes)


def words_of(work: EvidenceCandidate, *sections: TextSection) -> list[tuple[str, str]]:
    return list(dict.fromkeys((p.section, p.text_origin.value) for p in split_passages(work, sections)))


def test_each_passage_says_whose_words_it_has() -> None:
    """An abstract's are its source's; a full text's the publisher's, or a preprint's."""
    assert words_of(of_library(OURS), TEXT) == [("Abstract", "our_summary"), ("Results", "publisher")]
    registered = candidate("x", "T", "It fell by half in all.").model_copy(update={"text_origin": TextOrigin.REGISTRY})
    assert words_of(registered) == [("Abstract", "registry")]
    preprint = candidate("x", "T", design=StudyDesign.PREPRINT)
    assert words_of(preprint, TEXT) == [("Results", "preprint")]


def test_the_abstract_of_a_full_text_takes_the_place_of_our_summary() -> None:
    assert words_of(of_library(OURS), COPY, TEXT) == [("Abstract", "publisher"), ("Results", "publisher")]


def test_of_a_guideline_our_summary_is_read_beside_its_own_words() -> None:
    ours = ("Summary by Open Work", "our_summary")
    assert words_of(of_library(GUIDELINE), COPY) == [ours, ("Abstract", "publisher")]
    ref = LibraryRef(version=library_version(), record_id=GUIDELINE.source_id)
    own = {"abstract": (AbstractPart(text=SENTENCE.format(1)),), "text_origin": TextOrigin.PUBLISHER}
    replaced = of_library(GUIDELINE, our_summary=ref, **own)
    assert words_of(replaced) == [("Abstract", "publisher"), ours]
    (_, summary, *_) = split_passages(replaced)
    assert abstract_text(GUIDELINE)[summary.start : summary.end] == summary.text
