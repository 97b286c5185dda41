"""What an answer may say: gap and synthesiser judge a sentence by the same rule."""

from __future__ import annotations

import pytest
from openwork_answers.tellable import Role, may_be_said, sayable_in
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import AbstractPart, EvidenceStatus, StudyDesign

from tests.unit.answers.made import concluded, passages, record

ASKED = "Does zinc reduce common cold in children?"


@pytest.mark.parametrize(
    ("label", "text", "told"),
    [
        ("Results", "Zinc reduced the common cold in children more than placebo did.", True),
        ("Question", "Does zinc reduce the common cold in children, compared with placebo.", False),
        ("Methods", "We compared whether zinc reduced the common cold in children.", False),
        ("Population", "The trial of zinc against the common cold had children in it.", False),
        ("Limitations", "Zinc may not reduce the common cold in children elsewhere.", False),
    ],
)
def test_only_parts_that_tell_findings_make_a_source_one_that_answers(label: str, text: str, *, told: bool) -> None:
    work = record("Zinc in children with the common cold", abstract=(AbstractPart(label=label, text=text),))
    found = concluded(ASKED, work)
    assert found.about == ((1,) if told else ())
    assert found.verdict is (ConclusionVerdict.DESCRIPTION if told else ConclusionVerdict.NOT_FOUND)


def test_a_work_that_is_retracted_or_only_registers_a_trial_says_nothing() -> None:
    assert may_be_said(record())
    assert not may_be_said(record(status=EvidenceStatus.RETRACTED))
    assert not may_be_said(record(study_design=StudyDesign.TRIAL_REGISTRATION))


def test_a_sentence_keeps_the_role_of_its_part() -> None:
    parts = (AbstractPart(label="Results", text="Zinc helped 12% of children."),
             AbstractPart(label="Conclusion", text="Zinc helps some children."))  # fmt: skip
    work = record("Zinc", abstract=parts)
    (passage,) = passages([work])
    assert [said.role for said in sayable_in(passage, work)] == [Role.RESULT, Role.CONCLUSION]
