"""Harms beside the lead: those that a source lists as such, in sentences without labels, of parts that tell results."""

from __future__ import annotations

from openwork_answers.conclude import conclude
from openwork_answers.forms import lines_of
from openwork_contracts.evidence import (
    AbstractPart,
    ArmResult,
    EffectEstimate,
    EvidenceCandidate,
    OutcomeResult,
    TrialArm,
)

from tests.unit.answers.made import asked, passages, record

QUESTION = "Does dapagliflozin reduce death in heart failure?"
ARMS = (TrialArm(name="dapagliflozin", n=1000), TrialArm(name="placebo", n=1000))
DEATH = OutcomeResult(
    outcome="death from any cause",
    arms=(ArmResult(arm="dapagliflozin", n=1000, events=100), ArmResult(arm="placebo", n=1000, events=150)),
    effect=EffectEstimate(measure="HR", estimate=0.65, ci_low=0.5, ci_high=0.84),
)


def skin_tears(*, harm: bool) -> OutcomeResult:
    """An outcome that no list of harms has."""
    counts = (ArmResult(arm="dapagliflozin", n=1000, events=40), ArmResult(arm="placebo", n=1000, events=20))
    effect = EffectEstimate(measure="RR", estimate=2.0, ci_low=1.18, ci_high=3.39)
    return OutcomeResult(outcome="paper-thin fingernails", arms=counts, effect=effect, harm=harm)


def trial(*results: OutcomeResult, parts: tuple[AbstractPart, ...] = ()) -> EvidenceCandidate:
    text = AbstractPart(label="Results", text="Dapagliflozin was compared with placebo in people with heart failure.")
    return record("Dapagliflozin in heart failure", arms=ARMS, results=results, abstract=(text, *parts))


def told(document: EvidenceCandidate) -> str:
    analysis, strategy = asked(QUESTION)
    return "\n".join(line.text for line in lines_of(conclude(analysis, strategy, (), (document,))))


def test_what_a_source_lists_as_a_harm_is_told_whatever_it_is_called() -> None:
    assert "Harm: paper-thin fingernails" in told(trial(DEATH, skin_tears(harm=True)))
    assert "paper-thin" not in told(trial(DEATH, skin_tears(harm=False)))


def test_a_harm_in_words_bears_no_label_of_its_part() -> None:
    parts = (AbstractPart(label="Harms", text="Dapagliflozin increased genital infections more than placebo did."),)
    text = told(trial(DEATH, parts=parts))
    assert "Harm: dapagliflozin increased genital infections" in text
    assert "harms:" not in text


def test_who_was_left_out_and_what_limits_a_study_is_no_harm() -> None:
    sentence = "Dapagliflozin increased ketoacidosis more than placebo did in earlier studies."
    for label in ("Population", "Limitations"):
        assert "ketoacidosis" not in told(trial(DEATH, parts=(AbstractPart(label=label, text=sentence),)))


def test_the_name_of_a_part_is_no_outcome() -> None:
    part = AbstractPart(
        label="Harms",
        text="Genital infection was more frequent with dapagliflozin than with placebo (12% versus 6%; RR 2.00, 95% CI "
        "1.50 to 2.70).",
    )
    document = trial(DEATH, parts=(part,))
    analysis, strategy = asked(QUESTION)
    found = conclude(analysis, strategy, passages([document]), [document])
    assert found.lead is not None
    assert not [r for r in found.results if r.outcome.casefold() == "harms"]


def test_a_worse_part_of_the_asked_outcome_is_a_harm() -> None:
    fatal = OutcomeResult(
        outcome="fatal haemorrhage", effect=EffectEstimate(measure="RR", estimate=2.4, ci_low=1.2, ci_high=4.8)
    )
    assert "Harm: fatal haemorrhage" in told(trial(DEATH, fatal))


def test_where_nothing_was_more_frequent_the_part_on_harms_is_told() -> None:
    parts = (AbstractPart(label="Harms", text="Serious adverse events were as frequent as on placebo (12% v 12%)."),)
    text = told(trial(DEATH, parts=parts))
    assert "Of harms: serious adverse events were as frequent" in text
    assert "not reported" not in text


def test_what_is_prevented_more_is_no_harm() -> None:
    parts = (AbstractPart(label="Conclusion", text="Dapagliflozin prevented more strokes than placebo did."),)
    assert "prevented more" not in told(trial(DEATH, parts=parts))


def test_beside_a_harm_that_leads_no_other_source_tells_of_one() -> None:
    more = "Dapagliflozin increased {} more than placebo did (12.1% versus 6.3%)."
    hypoglycemia = OutcomeResult(
        outcome="hypoglycemia",
        arms=(ArmResult(arm="dapagliflozin", n=1000, events=121), ArmResult(arm="placebo", n=1000, events=63)),
    )
    own = trial(hypoglycemia, parts=(AbstractPart(label="Harms", text=more.format("hypoglycemia")),))
    other = trial(DEATH, parts=(AbstractPart(label="Harms", text=more.format("amputations")),))
    analysis, strategy = asked("Dapagliflozin in heart failure: hypoglycemia?")
    text = "\n".join(line.text for line in lines_of(conclude(analysis, strategy, passages([own, other]), [own, other])))
    assert "hypoglycemia" in text
    assert "amputations" not in text
