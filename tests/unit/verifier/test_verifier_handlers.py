"""What the verifier decides: send a draft back once, then show what passed and report what did not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

import pytest
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.answer import (
    AnswerConcluded,
    AnswerDrafted,
    AnswerStatus,
    DraftClaim,
    DraftSection,
    RevisionRequested,
    SectionKind,
    Usage,
)
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import ModelUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import RetrievalCompleted
from openwork_contracts.question import Track
from openwork_contracts.ranking import EvidenceRanked
from openwork_contracts.verdict import EvidenceItem, FindingKind, ReasonCode, Verdict
from openwork_llm.client import LanguageModel, RunOfModel
from openwork_verifier.adapters.model_judge import ModelJudge
from openwork_verifier.domain.judging.answers import Judge, JudgedAnswer, Judgement
from openwork_verifier.domain.judging.questions import QuestionedClaim
from openwork_verifier.domain.thresholds import GateThresholds
from openwork_verifier.handlers import on_answer_drafted

from tests.builders import planned, run_on
from tests.fakes.models.honest import honest_answer
from tests.fakes.models.reading import Asked
from tests.flow import no_model
from tests.handling import bus_of_today, delivered, end_of, model_that, silent, stored_of
from tests.packs import TEXTS, documents, gap_assessment, passages, question_analysis

TRUE = ("Apixaban lowered stroke compared with warfarin in atrial fibrillation (HR 0.79, 95% CI 0.66 to 0.95).", 1)
IN_OTHER_WORDS = ("In atrial fibrillation, stroke was lower with apixaban than with warfarin (HR 0.79).", 1)
ALSO_TRUE = (
    "There was no significant difference in stroke between apixaban and warfarin in adults with atrial fibrillation on "
    "dialysis (HR 0.95, 95% CI 0.80 to 1.13).",
    2,
)
FALSE = ("Apixaban lowered stroke compared with warfarin in atrial fibrillation (HR 0.55, 95% CI 0.40 to 0.60).", 1)
Sentence = tuple[str, int]
THRESHOLDS = GateThresholds()


async def written(
    bus: MemoryBus,
    *,
    tracks: tuple[Track, ...] = (Track.AFFIRMATIVE,),
    missing: tuple[str, ...] = (),
    message: str | None = None,
) -> Run:
    """A round up to its draft; the run as the synthesiser sees it."""
    run = run_on(bus, service="gap")
    plan = planned(run, ("library",), tracks=tracks).model_copy(update={"analysis": question_analysis()})
    await run.publish(plan)
    meta = run.meta(EvidenceRanked)
    await run.publish(EvidenceRanked(meta=meta, passages=passages(), documents=documents()))
    gap = gap_assessment(missing=missing)
    await run.publish(SynthesisRequested(meta=run.meta(SynthesisRequested), gap=gap, message=message))
    records = tuple(
        EvidenceRecord(
            source="library", source_id=str(n), identifiers=d.identifiers, title=d.title, retrieved_at=bus.now
        )
        for n, d in enumerate(documents(), 1)
    )
    retrieved = run_on(bus, run.id, service="retrievers")
    await run.publish(
        RetrievalCompleted(
            meta=retrieved.meta(RetrievalCompleted, route="library"), source="library", records=records, elapsed_s=0
        )
    )
    return run_on(bus, run.id, service="synthesiser")


def drafted(run: Run, *sections: tuple[SectionKind, tuple[Sentence, ...]], revision: int = 0) -> AnswerDrafted:
    return AnswerDrafted(
        meta=run.meta(AnswerDrafted, str(revision)),
        revision=revision,
        sections=tuple(
            DraftSection(
                kind=kind, heading=kind.value, claims=tuple(DraftClaim(text=t, citations=(n,)) for t, n in sentences)
            )
            for kind, sentences in sections
        ),
        usage=Usage(),
    )


async def drafted_and_judged(
    bus: MemoryBus,
    *sentences: Sentence,
    conflicts: tuple[Sentence, ...] = (),
    revision: int = 0,
    run: Run | None = None,
    model: LanguageModel | None = None,
    judge: Judge | None = None,
    again: bool = False,
) -> Run:
    run = run or await written(bus)
    sections = [(SectionKind.DIRECT_ANSWER, sentences), (SectionKind.CONFLICTS, conflicts)]
    event = drafted(run, *((kind, found) for kind, found in sections if found), revision=revision)
    given = await delivered(bus, event, "verifier", again=again)
    judge = judge or (ModelJudge(model) if model else None)
    await on_answer_drafted(event, given, model or no_model(), judge, THRESHOLDS, Figures("verifier"))
    return run


async def outcome(bus: MemoryBus, run: Run) -> AnswerConcluded | None:
    found = await stored_of(bus, run.id, AnswerConcluded)
    return found[0] if found else None


async def test_a_draft_whose_every_sentence_passes_is_the_answer_and_ends_the_run() -> None:
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE)
    answer, end = await outcome(bus, run), await end_of(bus, run.id)
    assert answer is not None
    assert end is not None
    assert (answer.status, answer.revisions, answer.withheld) == (AnswerStatus.ANSWERED, 0, ())
    assert [r.n for r in answer.references] == [1]
    assert (end.kind, end.results) == (EndKind.COMPLETED, (answer.meta.event_id,))


async def test_a_draft_with_a_sentence_that_fails_is_sent_back_and_nothing_is_shown() -> None:
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE, FALSE)
    (request,) = await stored_of(bus, run.id, RevisionRequested)
    assert [claim.text for claim in request.failed] == [FALSE[0]]
    assert (request.verification.claims, request.verification.supported) == (2, 1)
    assert await outcome(bus, run) is None


async def test_a_revision_is_never_sent_back_again() -> None:
    """A second request would have nobody to take it up: the run would hang until its deadline."""
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE, FALSE)
    await drafted_and_judged(bus, TRUE, FALSE, revision=1, run=run)
    assert len(await stored_of(bus, run.id, RevisionRequested)) == 1
    answer = await outcome(bus, run)
    assert answer is not None
    assert [c.text for s in answer.sections for c in s.claims] == [TRUE[0]]
    assert [c.text for c in answer.withheld] == [FALSE[0]]
    assert (answer.revisions, answer.verification.removed, answer.verification.claims) == (1, 1, 2)
    assert await end_of(bus, run.id) is not None


async def test_statements_about_the_evidence_set_are_the_programs_own_or_held_back() -> None:
    """What the run's assessment says is shown; the same form with other words may be a model's."""
    bus = bus_of_today()
    run = await written(bus, missing=("evidence in children",))
    ours, theirs = "The evidence found contains no evidence in children.", "The evidence found contains no harm."
    claims = (DraftClaim(text=TRUE[0], citations=(1,)), DraftClaim(text=ours), DraftClaim(text=theirs))
    section = DraftSection(kind=SectionKind.DIRECT_ANSWER, heading="Answer", claims=claims)
    event = AnswerDrafted(meta=run.meta(AnswerDrafted, "1"), revision=1, sections=(section,), usage=Usage())
    await on_answer_drafted(
        event, await delivered(bus, event, "verifier"), no_model(), None, THRESHOLDS, Figures("verifier")
    )
    answer = await outcome(bus, run)
    assert answer is not None
    assert [claim.text for claim in answer.sections[0].claims] == [TRUE[0], ours]
    (withheld,) = answer.withheld
    assert (withheld.text, withheld.verdict) == (theirs, Verdict.NOT_CONFIRMED)


async def test_half_a_disagreement_is_not_shown() -> None:
    """One side alone would read as if the sources agreed."""
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE, conflicts=(ALSO_TRUE, FALSE), revision=1)
    answer = await outcome(bus, run)
    assert answer is not None
    assert [s.kind for s in answer.sections] == [SectionKind.DIRECT_ANSWER]
    assert [r.n for r in answer.references] == [1]


async def test_a_whole_disagreement_is_shown() -> None:
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE, conflicts=(ALSO_TRUE, TRUE), revision=1)
    answer = await outcome(bus, run)
    assert answer is not None
    assert [s.kind for s in answer.sections] == [SectionKind.DIRECT_ANSWER, SectionKind.CONFLICTS]


async def test_when_nothing_is_supported_the_reader_is_told_why_and_shown_no_sentence() -> None:
    bus = bus_of_today()
    run = await drafted_and_judged(bus, FALSE, revision=1)
    answer, end = await outcome(bus, run), await end_of(bus, run.id)
    assert answer is not None
    assert end is not None
    assert (answer.status, answer.sections, answer.references) == (AnswerStatus.TOO_LITTLE_EVIDENCE, (), ())
    assert answer.message
    assert [c.text for c in answer.withheld] == [FALSE[0]]
    assert end.kind is EndKind.COMPLETED


@pytest.mark.parametrize(("sentence", "shown"), [(TRUE, 1), (FALSE, 0)])
async def test_beside_nothing_found_only_what_passes_is_told_and_the_run_ends_as_too_little(
    sentence: Sentence, shown: int
) -> None:
    bus = bus_of_today()
    run = await written(bus, message="Not found in what was searched: apixaban in athletes.")
    await drafted_and_judged(bus, sentence, revision=1, run=run)
    (outcome,) = await stored_of(bus, run.id, AnswerConcluded)
    assert outcome.status is AnswerStatus.TOO_LITTLE_EVIDENCE
    assert outcome.message == "Not found in what was searched: apixaban in athletes."
    assert len([claim for section in outcome.sections for claim in section.claims]) == shown
    assert len(outcome.references) == shown


async def test_the_answer_of_one_of_two_tracks_does_not_end_the_run() -> None:
    bus = bus_of_today()
    run = await written(bus, tracks=(Track.AFFIRMATIVE, Track.FALSIFICATION))
    await drafted_and_judged(bus, TRUE, run=run)
    assert await outcome(bus, run) is not None
    assert await end_of(bus, run.id) is None


@pytest.mark.parametrize("sentences", [(IN_OTHER_WORDS,), (IN_OTHER_WORDS, FALSE)], ids=["concluded", "sent back"])
async def test_a_draft_that_was_decided_upon_is_not_judged_again(sentences: tuple[Sentence, ...]) -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await drafted_and_judged(bus, *sentences, model=model)
    before, told, asked = await bus.history(run.id), len(bus.told), len(provider.asked)
    await drafted_and_judged(bus, *sentences, run=run, model=model, again=True)
    assert await bus.history(run.id) == before
    assert (len(bus.told), len(provider.asked)) == (told, asked)


async def test_an_answer_whose_end_was_not_stored_before_a_crash_ends_the_run_when_it_is_delivered_again() -> None:
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE)
    before = await outcome(bus, run)
    bus._messages = [m for m in bus._messages if RunEnded.event_name not in m.subject.split(".")]
    await drafted_and_judged(bus, TRUE, run=run, again=True)
    assert await outcome(bus, run) == before
    assert await end_of(bus, run.id) is not None


async def test_a_revision_is_judged_although_its_draft_was_sent_back_before() -> None:
    """The request for revision 1 is no decision about revision 1."""
    bus = bus_of_today()
    run = await drafted_and_judged(bus, TRUE, FALSE)
    await drafted_and_judged(bus, TRUE, revision=1, run=run, again=True)
    assert await outcome(bus, run) is not None


async def test_without_its_model_a_draft_is_checked_by_code_and_that_is_noted() -> None:
    bus = bus_of_today()
    run = await drafted_and_judged(bus, IN_OTHER_WORDS, model=model_that(silent)[0])
    answer = await outcome(bus, run)
    assert answer is not None
    assert answer.status is AnswerStatus.ANSWERED
    assert any(text.startswith("Claims were checked by code alone") for text in answer.degradations)


async def test_a_judgement_that_quotes_no_words_of_its_source_is_void_and_the_reader_is_told() -> None:
    bus = bus_of_today()

    def quoting_nothing(asked: Asked) -> str:
        answer = json.loads(honest_answer(asked))
        return json.dumps({"answers": [{**one, "quote": "words that stand nowhere"} for one in answer["answers"]]})

    run = await drafted_and_judged(bus, IN_OTHER_WORDS, model=model_that(quoting_nothing)[0])
    answer = await outcome(bus, run)
    assert answer is not None
    assert answer.status is AnswerStatus.ANSWERED
    assert any(text.startswith("Of 1 claims, 1 were checked by code alone") for text in answer.degradations)


async def test_a_model_that_quotes_its_source_leaves_nothing_to_be_told() -> None:
    bus = bus_of_today()
    answer = await outcome(bus, await drafted_and_judged(bus, IN_OTHER_WORDS, model=model_that(honest_answer)[0]))
    assert answer is not None
    assert answer.degradations == ()


async def test_claims_that_a_model_has_judged_are_not_asked_again_in_the_revision() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await drafted_and_judged(bus, IN_OTHER_WORDS, FALSE, model=model)
    await drafted_and_judged(bus, IN_OTHER_WORDS, revision=1, run=run, model=model)
    assert [asked.step for asked in provider.asked] == ["verifier"]
    assert await outcome(bus, run) is not None


class OneJudge:
    """A judge that answers every question with the same verdict and the first sentence of its claim's source."""

    name = "somebody"

    def __init__(self, *, wrong: Exception | None = None, quote: str = "", remembers: bool = False) -> None:
        self.wrong = wrong
        self.quote = quote or TEXTS[0].split(" (")[0]
        self.remembers = remembers
        self.asked: list[list[str]] = []
        self.deadlines: list[datetime | None] = []

    async def judge(
        self,
        claims: Sequence[QuestionedClaim],
        items: Sequence[EvidenceItem],
        run: RunOfModel,
        *,
        deadline_at: datetime | None,
    ) -> Sequence[JudgedAnswer]:
        self.asked.append([one.claim.text for one in claims])
        self.deadlines.append(deadline_at)
        if self.wrong is not None:
            raise self.wrong
        return [
            JudgedAnswer(one.id, q.id, Judgement.ENTAILED, one.claim.citations[0], self.quote)
            for one in claims
            for q in one.questions
        ]

    async def has_judged(self, run: RunOfModel) -> bool:
        return self.remembers and bool(self.asked)


DOUBTED = ("All patients with atrial fibrillation had less stroke with apixaban than with warfarin.", 1)
"""True to its source but for a word that code does not find there: a suspicion."""


async def test_without_a_judge_a_suspected_sentence_is_held_back() -> None:
    bus = bus_of_today()
    answer = await outcome(bus, await drafted_and_judged(bus, TRUE, DOUBTED, revision=1))
    assert answer is not None
    assert [(c.text, c.verdict) for c in answer.withheld] == [(DOUBTED[0], Verdict.NOT_CONFIRMED)]
    assert answer.degradations == ()


async def test_a_judge_that_dispels_every_suspicion_lets_it_be_shown_and_the_reader_is_told() -> None:
    bus = bus_of_today()
    judge = OneJudge()
    answer = await outcome(bus, await drafted_and_judged(bus, TRUE, DOUBTED, judge=judge))
    assert answer is not None
    (claim,) = [c for s in answer.sections for c in s.claims if c.text == DOUBTED[0]]
    assert ReasonCode.QUANTIFIER_CHANGED in {r.code for r in claim.reasons}
    assert {r.kind for r in claim.reasons} == {FindingKind.JUDGED}
    assert "somebody" in claim.reasons[0].detail
    assert claim.evidence[0].passage_id == "p1"
    assert any("1 looked wrong to the checks by code and are shown since somebody" in d for d in answer.degradations)
    assert judge.deadlines[0] is not None


async def test_a_proof_is_put_to_no_judge() -> None:
    bus = bus_of_today()
    judge = OneJudge()
    run = await drafted_and_judged(bus, FALSE, DOUBTED, judge=judge)
    (request,) = await stored_of(bus, run.id, RevisionRequested)
    assert [c.text for c in request.failed] == [FALSE[0]]
    assert judge.asked == [[DOUBTED[0]]]


async def test_a_judge_that_is_away_leaves_the_codes_verdicts_and_that_is_told_without_a_language_model_too() -> None:
    bus = bus_of_today()
    judge = OneJudge(wrong=ModelUnavailable("it cannot be reached"))
    run = await drafted_and_judged(bus, TRUE, DOUBTED)
    await drafted_and_judged(bus, TRUE, IN_OTHER_WORDS, DOUBTED, judge=judge, revision=1, run=run)
    answer = await outcome(bus, run)
    assert answer is not None
    assert [c.text for c in answer.withheld] == [DOUBTED[0]]
    (told,) = answer.degradations
    assert told.startswith("Claims were checked by code alone, not read beside their sources by somebody: it cannot")


@pytest.mark.parametrize("remembers", [True, False])
async def test_what_a_judge_let_stand_in_the_first_draft_stands_in_the_second_though_it_is_away(
    remembers: bool,
) -> None:
    """One that remembers is not even asked again."""
    bus = bus_of_today()
    judge = OneJudge(remembers=remembers)
    run = await drafted_and_judged(bus, DOUBTED, FALSE, judge=judge)
    judge.wrong = ModelUnavailable("it cannot be reached")
    await drafted_and_judged(bus, DOUBTED, revision=1, run=run, judge=judge)
    answer = await outcome(bus, run)
    assert answer is not None
    assert [c.text for s in answer.sections for c in s.claims] == [DOUBTED[0]]
    assert len(judge.asked) == (1 if remembers else 2)


async def test_a_new_sentence_of_the_revision_is_asked_about() -> None:
    bus = bus_of_today()
    judge = OneJudge(remembers=True)
    run = await drafted_and_judged(bus, IN_OTHER_WORDS, FALSE, judge=judge)
    await drafted_and_judged(bus, IN_OTHER_WORDS, DOUBTED, revision=1, run=run, judge=judge)
    assert judge.asked == [[IN_OTHER_WORDS[0]], [DOUBTED[0]]]


async def test_a_model_that_gives_no_quotation_shows_no_suspected_sentence() -> None:
    bus = bus_of_today()
    judge = OneJudge(quote="words that stand nowhere at all")
    run = await drafted_and_judged(bus, TRUE, DOUBTED)
    await drafted_and_judged(bus, TRUE, DOUBTED, judge=judge, revision=1, run=run)
    answer = await outcome(bus, run)
    assert answer is not None
    assert [c.text for c in answer.withheld] == [DOUBTED[0]]
    assert any(d.startswith("Of 1 claims, 1 were checked by code alone: somebody") for d in answer.degradations)
