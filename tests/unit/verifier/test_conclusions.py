"""Forms of the answer object at the gate: what follows from the evidence passes, anything else is no form."""

from __future__ import annotations

from typing import Any

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.lines import Line
from openwork_contracts.conclusion import AbsoluteEffect, Conclusion, ConclusionVerdict
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, Verdict
from openwork_evidence.text import abstract_text
from openwork_verifier.domain import conclusions
from openwork_verifier.domain.conclusions import Forms, forms_of, rows_of

from tests.unit.answers.made import ARISTOTLE, DAPA_HF, asked, concluded, passages, record

QUESTION = "Does dapagliflozin reduce death in people with heart failure?"
TEXT = (
    "Death from any cause occurred in 276 of 2373 patients (11.6%) in the dapagliflozin group and in 329 of 2371 "
    "patients (13.9%) in the placebo group (hazard ratio, 0.83; 95% CI, 0.71 to 0.97)."
)
IN_WORDS = record(
    "Dapagliflozin in patients with heart failure", f"We studied patients with heart failure. {TEXT}", year=2019
)


def forms(stated: Conclusion | None, *documents: EvidenceCandidate) -> Forms:
    items = [EvidenceItem(n=n, title=d.title, text=abstract_text(d)) for n, d in enumerate(documents, 1)]
    analysis, strategy = asked(QUESTION)
    return forms_of(stated, analysis, strategy, passages(documents), documents, items)


def stated(*documents: EvidenceCandidate) -> Conclusion:
    return concluded(QUESTION, *documents)


@pytest.mark.parametrize("work", [DAPA_HF, IN_WORDS])
def test_every_form_of_an_object_that_follows_from_the_evidence_passes(work: EvidenceCandidate) -> None:
    own = stated(work)
    known = forms(own, work)
    lines = lines_of(own)
    assert lines
    for line in lines:
        verdict = known.of(line.text)
        assert verdict is not None
        assert verdict.verdict is (Verdict.SUPPORTED if line.citations else Verdict.NOT_A_CLAIM), verdict.reasons
        assert verdict.citations == line.citations


def test_spaces_and_line_ends_are_no_difference() -> None:
    text = lines_of(stated(DAPA_HF))[0].text
    assert forms(stated(DAPA_HF), DAPA_HF).of(f"  {text.replace(' ', chr(10), 3)} ") is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("11.6%", "11.8%"),
        ("0.83", "0.73"),
        ("22 fewer", "32 fewer"),
        ("NNT 45", "NNT 35"),
        ("less frequent", "more frequent"),
        ("dapagliflozin", "empagliflozin"),
        ("death from any cause", "cardiovascular death"),
        ("Yes,", "No,"),
    ],
)
def test_a_form_with_another_word_or_figure_is_none(old: str, new: str) -> None:
    text = lines_of(stated(DAPA_HF))[0].text
    assert old in text
    assert forms(stated(DAPA_HF), DAPA_HF).of(text.replace(old, new, 1)) is None


def forged() -> list[object]:
    own = stated(DAPA_HF)
    assert own.lead is not None
    assert own.lead.effect is not None
    assert own.lead.absolute is not None
    lead = own.lead

    def of(**changes: object) -> Conclusion:
        return own.model_copy(update={"lead": lead.model_copy(update=changes)})

    absolute: AbsoluteEffect = own.lead.absolute
    return [
        pytest.param(of(effect=own.lead.effect.model_copy(update={"estimate": 0.73})), id="effect"),
        pytest.param(of(absolute=absolute.model_copy(update={"words": "32 fewer per 1,000 (3 to 41)"})), id="absolute"),
        pytest.param(of(arms=tuple(reversed(lead.arms))), id="arms swapped"),
        pytest.param(of(comparison=tuple(reversed(lead.comparison))), id="sides swapped"),
        pytest.param(of(outcome="cardiovascular death"), id="outcome"),
        pytest.param(of(people="aged 75 or older"), id="people"),
        pytest.param(of(n=2), id="source"),
        pytest.param(of(verdict=ConclusionVerdict.HARM), id="verdict of the result"),
        pytest.param(own.model_copy(update={"verdict": ConclusionVerdict.HARM}), id="verdict"),
        pytest.param(own.model_copy(update={"people_told": ("pregnant women",)}), id="people told"),
        pytest.param(own.model_copy(update={"n_studies": 12}), id="number of studies"),
        pytest.param(own.model_copy(update={"others": ()}), id="a result less"),
        pytest.param(own.model_copy(update={"missing": ("evidence on children",)}), id="what is missing"),
        pytest.param(own.model_copy(update={"harm_words": "No harm was found.", "harm_n": 1}), id="words of harm"),
    ]


@pytest.mark.parametrize("conclusion", forged())
def test_a_forged_object_has_no_form_that_passes(conclusion: Conclusion) -> None:
    known = forms(conclusion, DAPA_HF)
    assert known == Forms()
    assert all(known.of(line.text) is None for line in lines_of(conclusion))


def test_a_rate_printed_as_per_cent_a_year_is_one_of_a_hundred_person_years() -> None:
    text = (
        "We studied patients with heart failure. Death from any cause occurred at 3.5% per year with dapagliflozin and "
        "4.4% per year with placebo (hazard ratio, 0.79; 95% CI, 0.62 to 0.98)."
    )
    work = record("Dapagliflozin in patients with heart failure", text)
    first = lines_of(stated(work))[0]
    assert "3.5 v 4.4 per 100 person-years" in first.text
    verdict = forms(stated(work), work).of(first.text)
    assert verdict is not None
    assert verdict.verdict is Verdict.SUPPORTED, verdict.reasons


def test_a_figure_of_the_people_asked_about_is_none_of_a_source() -> None:
    in_young = "Does dapagliflozin reduce death in people under 40 with heart failure?"
    analysis, strategy = asked(in_young)
    own = concluded(in_young, DAPA_HF)
    known = forms_of(own, analysis, strategy, passages([DAPA_HF]), [DAPA_HF], [])
    first = lines_of(own)[0]
    assert "under 40" in first.text
    verdict = known.of(first.text)
    assert verdict is not None
    assert verdict.verdict is Verdict.SUPPORTED, verdict.reasons


def test_an_object_of_other_evidence_has_no_form_that_passes() -> None:
    changed = DAPA_HF.model_copy(update={"results": DAPA_HF.results[:1]})
    assert forms(stated(DAPA_HF), changed) == Forms()
    assert forms(stated(DAPA_HF), ARISTOTLE) == Forms()


def test_without_an_object_or_without_a_result_there_are_no_forms() -> None:
    assert forms(None, DAPA_HF) == Forms()
    assert forms(Conclusion(verdict=ConclusionVerdict.NOT_FOUND), DAPA_HF) == Forms()


def test_figures_are_cells_and_rest_on_the_sentence_that_prints_them() -> None:
    own = stated(IN_WORDS)
    verdict = forms(own, IN_WORDS).of(lines_of(own)[0].text)
    assert verdict is not None
    (span,) = verdict.evidence
    assert span.quote == TEXT
    assert abstract_text(IN_WORDS)[span.start : span.end] == TEXT
    assert [(c.arm, c.value, c.total) for c in verdict.cells if c.measure == "fraction"] == [
        ("dapagliflozin", "276", "2373"),
        ("placebo", "329", "2371"),
    ]
    (effect,) = [c for c in verdict.cells if c.measure == "HR"]
    assert effect.interval is not None
    assert (effect.value, effect.interval.low, effect.interval.high, effect.interval.level) == (
        "0.83", "0.71", "0.97", "95"
    )  # fmt: skip


def test_what_is_computed_is_computed_again_and_a_difference_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the arithmetic of the second time another, the figures of the first would be found nowhere."""
    own = stated(DAPA_HF)
    monkeypatch.setattr(conclusions, "absolute_again", lambda result: None)
    verdict = forms(own, DAPA_HF).of(lines_of(own)[0].text)
    assert verdict is not None
    assert verdict.verdict is Verdict.UNSUPPORTED
    assert "neither in the cited source nor follows from its counts" in verdict.reasons[0].detail


def test_a_figure_of_a_turned_result_follows_from_the_printed_one() -> None:
    question = "Does warfarin cause more major bleeding than apixaban in people with atrial fibrillation?"
    analysis, strategy = asked(question)
    own = concluded(question, ARISTOTLE)
    items = [EvidenceItem(n=1, title=ARISTOTLE.title, text=abstract_text(ARISTOTLE))]
    known = forms_of(own, analysis, strategy, passages([ARISTOTLE]), [ARISTOTLE], items)
    first = lines_of(own)[0]
    assert "HR 1.45 (1.25 to 1.67)" in first.text
    verdict = known.of(first.text)
    assert verdict is not None
    assert verdict.verdict is Verdict.SUPPORTED, verdict.reasons


def test_rows_of_the_table_are_its_sources() -> None:
    assert rows_of(None) == ()
    assert set(rows_of(stated(DAPA_HF))) == {1}


def test_a_figure_of_a_drug_that_a_source_does_not_name_is_none_of_the_source() -> None:
    told = stated(DAPA_HF).model_copy(update={"people_wider": ("rivaroxaban", "2.5 mg")})
    line = next(line for line in lines_of(told) if line.citations)
    verdict = conclusions._judged(line, told, {r.n: r for r in told.results}, [DAPA_HF], {})
    assert "2.5 mg not told apart" in line.text
    assert verdict.verdict is Verdict.SUPPORTED


def test_without_its_verdict_nothing_of_an_answer_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    own = stated(DAPA_HF)
    first = next(line for line in lines_of(own) if line.citations)
    judge = conclusions._judged

    def fails(line: Line, *known: Any) -> ClaimVerdict:
        verdict = judge(line, *known)
        return verdict.model_copy(update={"verdict": Verdict.UNSUPPORTED}) if line == first else verdict

    monkeypatch.setattr(conclusions, "_judged", fails)
    known = forms(own, DAPA_HF)
    assert {verdict.verdict for verdict in known.verdicts.values()} == {Verdict.UNSUPPORTED}
