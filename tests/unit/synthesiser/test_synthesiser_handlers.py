"""What the synthesiser decides: who writes, who revises, and what of a failed model the reader is told."""

from __future__ import annotations

import json

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import AnswerDrafted, DraftClaim, RevisionRequested, SectionKind
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, StudyResult
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.ranking import EvidenceRanked
from openwork_contracts.verdict import ClaimVerdict, ReasonCode, Verdict, VerdictReason, VerificationScores
from openwork_llm.client import LanguageModel
from openwork_synthesiser.domain.thresholds import SynthesisLimits
from openwork_synthesiser.handlers import EXTRACTIVE, on_revision_requested, on_synthesis_requested

from tests.builders import planned, run_on
from tests.fakes.models.honest import honest_answer
from tests.fakes.models.misbehaving import Script, text_of
from tests.fakes.models.reading import Asked
from tests.fakes.models.scripted import Scripted
from tests.flow import no_model
from tests.handling import bus_of_today, delivered, model_that, silent, stored_of
from tests.packs import documents, gap_assessment, passages, question_analysis
from tests.tracing import broken_promises, seen

LIMITS = SynthesisLimits()


async def ranked(bus: MemoryBus) -> Run:
    """A round that was judged fit to be written from."""
    run = run_on(bus, service="gap")
    await run.publish(planned(run, ("library",)).model_copy(update={"analysis": question_analysis()}))
    meta = run.meta(EvidenceRanked)
    await run.publish(EvidenceRanked(meta=meta, passages=passages(), documents=documents()))
    return run


async def draft(
    bus: MemoryBus,
    model: LanguageModel | None = None,
    *,
    run: Run | None = None,
    again: bool = False,
    conclusion: Conclusion | None = None,
) -> Run:
    run = run or await ranked(bus)
    event = SynthesisRequested(meta=run.meta(SynthesisRequested), gap=gap_assessment(), conclusion=conclusion)
    await on_synthesis_requested(
        event, await delivered(bus, event, "synthesiser", again=again), model or no_model(), LIMITS
    )
    return run


def claims_of(event: AnswerDrafted) -> list[DraftClaim]:
    return [claim for section in event.sections for claim in section.claims if claim.citations]


async def revise(
    bus: MemoryBus, run: Run, model: LanguageModel | None = None, *, n_failed: int = 1, again: bool = False
) -> AnswerDrafted:
    """The revision of the stored draft, its first claims having failed."""
    first = (await drafts(bus, run))[0]
    claims = claims_of(first)
    reason = VerdictReason(code=ReasonCode.CONTENT_NOT_FOUND, detail="not there")
    failed = tuple(
        ClaimVerdict(text=c.text, citations=c.citations, verdict=Verdict.UNSUPPORTED, reasons=(reason,))
        for c in claims[:n_failed]
    )
    scores = VerificationScores(
        claims=len(claims), supported=len(claims) - n_failed, unsupported=n_failed, grounding_score=0.5,
        citation_coverage=1,
    )  # fmt: skip
    verifier = run_on(bus, run.id, service="verifier")
    event = RevisionRequested(meta=verifier.meta(RevisionRequested), failed=failed, verification=scores)
    await on_revision_requested(
        event, await delivered(bus, event, "synthesiser", again=again), model or no_model(), LIMITS
    )
    return (await drafts(bus, run))[1]


async def drafts(bus: MemoryBus, run: Run) -> list[AnswerDrafted]:
    return await stored_of(bus, run.id, AnswerDrafted)


async def test_without_a_model_the_draft_is_put_together_from_the_sources() -> None:
    bus = bus_of_today()
    (event,) = await drafts(bus, await draft(bus))
    assert (event.revision, event.method, event.degradations) == (0, EXTRACTIVE, ())
    assert claims_of(event)


async def test_a_model_writes_and_is_named_and_what_it_cost_is_told() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    (event,) = await drafts(bus, await draft(bus, model))
    assert event.method == provider.asked[0].model
    assert event.usage.model_calls == 1
    assert event.degradations == ()


def without_quotations(asked: Asked) -> str:
    return text_of(asked, Script.UNCITED)


def with_other_quotations(asked: Asked) -> str:
    claims = json.loads(honest_answer(asked))["claims"]
    for one in claims:
        one["quotes"] = [{"source": 1, "quote": "as everybody knows this was shown beyond doubt"}]
    return json.dumps({"claims": claims})


def of_nothing(asked: Asked) -> str:
    return json.dumps({"claims": []})


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (silent, "no answer"),
        (without_quotations, "did not keep to the form"),
        (of_nothing, "wrote no sentence that can be used"),
    ],
)
async def test_a_model_of_no_use_is_replaced_by_the_sources_and_the_reader_is_told(answer: object, why: str) -> None:
    bus = bus_of_today()
    model, _ = model_that(answer)
    (event,) = await drafts(bus, await draft(bus, model))
    assert event.method == EXTRACTIVE
    (told,) = event.degradations
    assert why in told
    assert claims_of(event)


async def test_beside_nothing_found_the_nearest_results_are_told_and_no_model_is_asked() -> None:
    found = StudyResult(n=1, study="Example 2020", outcome="stroke", comparison=("apixaban", "warfarin"))
    near = Conclusion(verdict=ConclusionVerdict.NOT_FOUND, nearest=(found,), nearest_without=("in athletes",))
    bus = bus_of_today()
    model, _ = model_that(silent)
    run = await draft(bus, model, conclusion=near)
    (first,) = await drafts(bus, run)
    assert first.method == EXTRACTIVE
    assert [(section.kind, section.heading) for section in first.sections] == [
        (SectionKind.EVIDENCE, "Nearest to the question")
    ]
    (claim,) = claims_of(first)
    assert claim.text.startswith('Where "in athletes" is not told: stroke')
    second = await revise(bus, run, model)
    assert claims_of(second) == []  # nothing stands for what does not pass


async def test_what_sources_tell_in_words_is_written_though_something_stands_near() -> None:
    found = StudyResult(n=1, study="Example 2020", outcome="stroke", comparison=("apixaban", "warfarin"))
    described = Conclusion(verdict=ConclusionVerdict.DESCRIPTION, nearest=(found,), about=(1, 2))
    bus = bus_of_today()
    model, _ = model_that(honest_answer)
    (event,) = await drafts(bus, await draft(bus, model, conclusion=described))
    assert event.method != EXTRACTIVE  # the model was asked, as for any answer
    assert claims_of(event)


async def test_a_draft_is_written_once_on_redelivery() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await draft(bus, model)
    told = len(bus.told)
    await draft(bus, model, run=run, again=True)
    assert (len(provider.asked), len(bus.told)) == (1, told)
    assert len(await drafts(bus, run)) == 1


async def test_what_was_delivered_but_not_written_is_written() -> None:
    bus = bus_of_today()
    assert len(await drafts(bus, await draft(bus, again=True))) == 1


async def test_a_model_revises_its_own_draft() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await draft(bus, model)
    second = await revise(bus, run, model)
    assert [asked.step for asked in provider.asked] == ["synthesiser", "reviser"]
    assert second.revision == 1
    assert second.method == provider.asked[0].model == provider.asked[1].model


async def test_a_model_never_revises_what_was_put_together_from_the_sources() -> None:
    """Else sentences of the sources would become a model's, under the name of an extract."""
    bus = bus_of_today()
    run = await draft(bus)
    model, provider = model_that(honest_answer)
    second = await revise(bus, run, model)
    assert provider.asked == []
    assert second.method == EXTRACTIVE


async def test_a_model_that_did_not_keep_to_the_sources_does_not_revise() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await draft(bus, model)
    n = len(claims_of((await drafts(bus, run))[0]))
    second = await revise(bus, run, model, n_failed=n)
    assert [asked.step for asked in provider.asked] == ["synthesiser"]
    assert second.method.endswith("revised without a language model")
    assert second.degradations[-1].startswith(f"The draft was revised with sentences of the sources: {n} of {n}")


@pytest.mark.parametrize("answer", [silent, without_quotations])
async def test_a_revision_that_fails_is_made_from_the_sources_and_keeps_the_models_name(answer: object) -> None:
    bus = bus_of_today()
    writer, provider = model_that(honest_answer)
    run = await draft(bus, writer)
    model, _ = model_that(answer)
    second = await revise(bus, run, model)
    assert second.method == f"{provider.asked[0].model}, revised without a language model"
    assert len(second.degradations) == 1


async def test_a_revision_keeps_what_the_reader_was_to_be_told_of_the_draft() -> None:
    bus = bus_of_today()
    run = await draft(bus, model_that(silent)[0])
    (first,) = await drafts(bus, run)
    assert first.degradations
    assert (await revise(bus, run)).degradations == first.degradations


def _with_one_other_quotation(asked: Asked) -> str:
    written = json.loads(honest_answer(asked))
    written["claims"][-1]["quotes"][0]["quote"] = "words that stand in no source at all"
    return json.dumps(written)


async def test_a_revision_from_the_sources_keeps_what_the_reader_was_to_be_told_of_the_models_draft() -> None:
    bus = bus_of_today()
    run = await draft(bus, model_that(_with_one_other_quotation)[0])
    (first,) = await drafts(bus, run)
    assert first.method != EXTRACTIVE
    assert first.degradations
    second = await revise(bus, run)
    assert second.method.endswith("revised without a language model")
    assert second.degradations[: len(first.degradations)] == first.degradations


async def test_a_sentence_that_failed_is_not_in_the_revision() -> None:
    bus = bus_of_today()
    run = await draft(bus)
    gone = claims_of((await drafts(bus, run))[0])[0].text
    second = await revise(bus, run)
    assert gone not in {c.text for c in claims_of(second)}
    assert set(SectionKind) >= {s.kind for s in second.sections}


async def test_a_revision_is_written_once_on_redelivery() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await draft(bus, model)
    first = await revise(bus, run, model)
    told, asked = len(bus.told), len(provider.asked)
    assert await revise(bus, run, model, again=True) == first
    assert (len(provider.asked), len(bus.told)) == (asked, told)


async def test_words_that_are_not_in_the_source_keep_a_sentence_from_the_draft_and_the_reader_is_told() -> None:
    bus = bus_of_today()
    model, _ = model_that(with_other_quotations)
    (event,) = await drafts(bus, await draft(bus, model))
    assert event.method == EXTRACTIVE
    n = len(json.loads(with_other_quotations(_asked_of(model)))["claims"])
    assert f"{n} sentences of the model were left out before the check" in " ".join(event.degradations)


def _asked_of(model: LanguageModel) -> Asked:
    caller = model._caller
    assert caller is not None
    assert isinstance(caller.provider, Scripted)
    return caller.provider.asked[0]


async def test_a_revision_is_asked_of_the_tier_that_wrote_and_keeps_what_passed_byte_for_byte() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await draft(bus, model)
    before = (await drafts(bus, run))[0]
    failed = claims_of(before)[0]
    second = await revise(bus, run, model)
    assert provider.asked[0].model == provider.asked[1].model
    assert [text for _, _, text in provider.asked[1].failed()] == [failed.text]
    kept = [c for c in claims_of(before) if c != failed]
    assert kept
    assert [c for c in claims_of(second) if c in kept] == kept
    assert failed not in claims_of(second)
    for claim in kept:
        assert claim.text not in provider.asked[1].user.replace("\n", " ").partition("The sentences that failed")[2]


async def test_a_sentence_that_the_model_does_not_mend_is_left_out() -> None:
    bus = bus_of_today()
    run = await draft(bus, model_that(honest_answer)[0])
    before = claims_of((await drafts(bus, run))[0])
    second = await revise(bus, run, model_that(of_nothing)[0])
    assert claims_of(second) == before[1:]


async def test_a_revision_that_leaves_no_answer_gives_way_to_the_sources() -> None:
    bus = bus_of_today()
    run = await draft(bus, model_that(only_answers)[0])
    second = await revise(bus, run, model_that(of_nothing)[0], n_failed=1)
    assert claims_of(second)
    assert second.sections[0].kind is SectionKind.DIRECT_ANSWER


def only_answers(asked: Asked) -> str:
    """One sentence in the direct answer, the others beside it."""
    claims = json.loads(honest_answer(asked))["claims"]
    return json.dumps({"claims": [{**one, "part": "answer" if i == 0 else "evidence"} for i, one in enumerate(claims)]})


async def test_watchers_hear_how_many_sentences_are_written_and_no_word_of_them() -> None:
    bus = bus_of_today()
    model, _ = model_that(honest_answer)
    run = await draft(bus, model)
    written = claims_of((await drafts(bus, run))[0])
    told = [progress for progress in bus.told if progress.step == "write the draft"]
    assert max(progress.done for progress in told) >= len(written)
    assert all(progress.note is None for progress in told)
    heard = " ".join(progress.model_dump_json() for progress in bus.told)
    assert not any(claim.text in heard for claim in written)


async def test_a_revision_is_a_span_with_what_it_was_made_of() -> None:
    exporter = InMemorySpanExporter()
    bus = bus_of_today()
    run = await draft(bus)
    again = RevisionRequested(
        meta=run_on(bus, run.id, service="verifier").meta(RevisionRequested),
        failed=(),
        verification=VerificationScores(claims=1, supported=1, unsupported=0, grounding_score=1, citation_coverage=1),
    )
    given = await delivered(bus, again, "synthesiser")
    given.telemetry = Telemetry("synthesiser", ServiceSettings(), exporter)
    await on_revision_requested(again, given, no_model(), LIMITS)
    (span,) = map(seen, exporter.get_finished_spans())
    assert (span.name, span.attributes["openwork.revision"]) == ("revise", 1)
    assert broken_promises([span]) == []
