"""An answer's page: verdict first, every sentence where the printed answer has it, no figure that was not checked."""

from __future__ import annotations

import pytest
from openwork_api.pages.views.answer import answer_view
from openwork_api.pages.views.interval import interval_of
from openwork_api.pages.views.method import held_back_groups
from openwork_api.pages.views.sentences import arranged
from openwork_contracts.answer import AnswerBody, AnswerSection, Method, MethodSource, RunStatus, SectionKind
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import EffectEstimate
from openwork_contracts.verdict import FindingKind, ReasonCode, Verdict, VerdictReason
from openwork_report.render import render_answer

from tests.exports import RUN, claim, document
from tests.unit.api.pages.made import DIRECT, FIGURES, FIRST, answered, nothing_found, page_of, result, said, told

_V = ConclusionVerdict


def test_every_claim_stands_under_the_heading_that_the_printed_answer_has() -> None:
    order = arranged(answered())
    assert order.direct == (0, 1, 2, 3)
    assert order.sections == (("Guidelines", (4,)), ("Limits & [odd] _names_", (5,)))
    assert order.last_words == ""


def test_what_was_searched_live_follows_the_claims_of_the_first_paragraph() -> None:
    section = AnswerSection(kind=SectionKind.DIRECT_ANSWER, heading="Answer", claims=DIRECT[:2])
    method = Method(sources=(MethodSource(name="library", status="completed", found=1, kept=1),))
    body = AnswerBody(markdown=render_answer((section,), None, method), claims=section.claims)
    order = arranged(document(answer=body))
    assert order.direct == (0, 1)
    assert order.last_words == "From stored records; not searched live."


def test_a_claim_that_the_text_does_not_hold_is_shown_all_the_same() -> None:
    made = document(answer=AnswerBody(markdown="Other words.", claims=(claim(),)))
    assert arranged(made).sections == (("More of the answer", (0,)),)


def test_the_verdict_stands_apart_and_its_sentence_loses_no_word() -> None:
    view = answer_view(answered())
    assert view.mark.words == "Benefit"
    assert view.headline is not None
    assert f"{view.headline.text} {view.lead[0].text}" == FIRST
    assert [one.name for one in view.facts] == ["Studied in", "Harms", "Certainty"]
    assert view.facts[1].sentences[0].text == "Not reported in what was found."


def test_figures_are_those_of_the_checked_sentence() -> None:
    shown = {one.name: (one.value, one.more) for one in answer_view(answered()).figures}
    assert shown == {
        "Events": ("6.6% v 7.4%", "apixaban v warfarin"),
        "Absolute difference": ("8 fewer per 1,000", "1 to 15"),
        "Number needed": ("NNT 127", "67 to 1,100"),
        "Relative effect": ("HR 0.89", "0.80 to 1.00"),
    }


def test_a_figure_that_the_checked_sentence_lacks_is_not_shown() -> None:
    other = result(effect=EffectEstimate(measure="HR", estimate=0.5, ci_low=0.4, ci_high=0.6))
    view = answer_view(answered(lead=other))
    assert "Relative effect" not in {one.name for one in view.figures}
    assert view.interval is None


@pytest.mark.parametrize("verdict", [_V.RECOMMENDATION, _V.DESCRIPTION, _V.CONFLICTING])
def test_a_verdict_that_rests_on_no_single_result_has_no_large_figures(verdict: ConclusionVerdict) -> None:
    assert answer_view(answered(verdict)).figures == ()


def test_a_rate_is_shown_with_its_person_time() -> None:
    arms = tuple(arm.model_copy(update={"percent": value, "per": "100 person-years"})
                 for arm, value in zip(result().arms, ("1.11", "1.69"), strict=True))  # fmt: skip
    told_ = "Found in atrial fibrillation: stroke in X 2009: 1.11 v 1.69 per 100 person-years, HR 0.89 (0.80 to 1.00)."
    view = answer_view(answered(direct=(said(told_),), lead=result(arms=arms)))
    assert (view.figures[0].value, view.figures[0].more) == (
        "1.11 v 1.69",
        "per 100 person-years, apixaban v warfarin",
    )


def test_what_is_wider_than_asked_is_said_beside_the_verdict() -> None:
    view = answer_view(answered(lead=result(outcome_fit=Fit.WIDER, people_fit=Fit.PART)))
    assert view.mark.more == "wider outcome than asked; a part of the people asked about"


def test_an_absence_comes_first() -> None:
    absence = said("The evidence found contains no result for stroke alone.", None)
    view = answer_view(answered(direct=(absence, *DIRECT)))
    assert view.headline is not None
    assert view.headline.text == absence.text
    assert view.lead[0].text == FIRST


def test_results_that_oppose_each_other_stand_side_by_side() -> None:
    direct = (
        said(f"Results conflict in diabetes: death was more frequent: {FIGURES}."),
        said("By contrast, death with apixaban or with warfarin in X 2008: HR 0.93 (0.83 to 1.06)."),
    )
    view = answer_view(answered(_V.CONFLICTING, direct))
    assert [side.words[:5] for side in view.sides] == ["Death", "Death"]
    assert view.lead == ()


def test_a_recommendation_names_who_issued_it_before_its_words() -> None:
    direct = (said("ESC 2024: A target of 120 to 129 mm Hg is recommended (class I, level A)."),)
    view = answer_view(answered(_V.RECOMMENDATION, direct))
    assert view.label == "ESC 2024"
    assert view.headline is not None
    assert view.headline.text.startswith("A target")


def test_a_citation_leads_to_the_passage_and_names_its_sentence() -> None:
    (cite,) = answer_view(answered()).lead[0].cites
    assert cite.address == f"/runs/{RUN}/passages/pmid%3A1001%230%2Fx%20y%3Fz?claim=1"
    assert cite.opens
    assert cite.name.startswith("[1] ARISTOTLE 2011")


def test_a_citation_without_a_passage_leads_to_its_reference() -> None:
    made = answered().model_copy(update={"record": None})
    (cite,) = answer_view(made).lead[0].cites
    assert (cite.address, cite.opens) == ("#ref-1", False)


def test_results_of_one_study_stand_on_lines_of_their_own() -> None:
    made = answered()
    assert made.conclusion
    second = result(outcome="stroke; any kind", outcome_fit=Fit.PART)
    made = made.model_copy(update={"conclusion": made.conclusion.model_copy(update={"others": (second,)})})
    (row,) = answer_view(made).rows
    assert [line.partition(":")[0] for line in row.outcome] == ["death from any cause", "stroke; any kind"]


def test_results_of_two_doses_stand_on_lines_of_their_own_with_their_doses() -> None:
    made = answered()
    assert made.conclusion
    high, low = (result(comparison=(f"drug A {dose} mg", "placebo")) for dose in (20, 10))
    made = made.model_copy(update={"conclusion": made.conclusion.model_copy(update={"lead": high, "others": (low,)})})
    (row,) = answer_view(made).rows
    assert [line.partition(":")[0] for line in row.outcome] == [
        "death from any cause with drug A 20 mg v placebo", "death from any cause with drug A 10 mg v placebo",
    ]  # fmt: skip


@pytest.mark.parametrize(("low", "estimate", "high"), [(0.71, 0.83, 0.97), (0.01, 0.02, 90.0), (1.0, 1.0, 1.0)])
def test_an_interval_lies_within_its_picture_and_in_order(low: float, estimate: float, high: float) -> None:
    made = interval_of(result(effect=EffectEstimate(measure="HR", estimate=estimate, ci_low=low, ci_high=high)))
    assert made is not None
    assert 0 < made.low <= made.at <= made.high < 400


@pytest.mark.parametrize(("measure", "low"), [("MD", 0.5), ("HR", 0.0), ("HR", 2.0)])
def test_what_is_no_ratio_with_an_interval_has_no_picture(measure: str, low: float) -> None:
    assert interval_of(result(effect=EffectEstimate(measure=measure, estimate=0.9, ci_low=low, ci_high=1.0))) is None


def test_what_was_held_back_stands_in_its_group_with_its_reasons() -> None:
    reason = VerdictReason(code=ReasonCode.NUMBER_NOT_FOUND, kind=FindingKind.PROOF, detail="'9' is in no passage")
    withheld = (
        said("An open one.").model_copy(update={"verdict": Verdict.NOT_CONFIRMED}),
        said("A false one.").model_copy(update={"verdict": Verdict.CONTRADICTED, "reasons": (reason,)}),
    )
    proved, open_ = held_back_groups(answered(withheld=withheld))
    assert proved.words == "Something is proved against these:"
    assert proved.sentences[0].reasons == (("'9' is in no passage", ""),)
    assert open_.sentences[0].verdict == "Not confirmed"


async def test_too_little_evidence_says_so_first_and_what_stands_near_below() -> None:
    html = await page_of(nothing_found(), f"/runs/{RUN}")
    assert html.index("Not found in what was searched: apixaban in pregnancy.") < html.index("Nearest")
    assert "Something near was found." in html
    assert html.index("Something near was found.") < html.index("Results of what stands nearest")
    assert "The studies behind the answer" not in html


async def test_a_rejected_question_is_explained_and_can_be_edited() -> None:
    html = await page_of(told(RunStatus.REJECTED, "It cannot advise a particular person."), f"/runs/{RUN}")
    assert "It cannot advise a particular person." in html
    assert 'href="/?q=Does%20apixaban%20lower%20stroke%20in%20atrial%20fibrillation%3F"' in html
