"""Of whom and of what a result is: exclusions, "all" and "most", composites and their components."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import ReasonCode, Verdict
from verdicts import codes, judged

C = ReasonCode
EXCLUDED = (
    "Zoledronate prevented fractures in women with osteoporosis, excluding those with renal impairment. "
    "Non-smokers gained more bone density than expected with zoledronate."
)
EXCEPT = "Statins reduced stroke except in patients with dialysis."
SOME = "Some patients with gout reported diarrhoea with colchicine. All patients received allopurinol."
SHARES = "The inhaler was used correctly by 62 of 80 children (77.5%)."
RARE = "Hoarseness was seen in 4 of 80 children (5%)."
NOBODY = "No child was admitted to hospital. Cough was seen in 10 children."
EVERYBODY = "The inhaler was used correctly by 80 of 80 children (100%)."
COMPOSITE = (
    "Cardiovascular death or hospitalisation for heart failure occurred in 11.2% of the dapagliflozin group. "
    "Ketoacidosis occurred in 0.3% of the dapagliflozin group."
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Non-smokers gained more bone density with zoledronate.", EXCLUDED),
        ("Statins reduced stroke, except in patients with dialysis.", EXCEPT),
        ("Some patients with gout reported diarrhoea with colchicine.", SOME),
        ("All patients with gout received allopurinol.", SOME),
        ("Most children used the inhaler correctly.", SHARES),
        ("Few children had hoarseness.", RARE),
        ("None of the children was admitted to hospital.", NOBODY),
        ("All children used the inhaler correctly.", EVERYBODY),
        ("Cardiovascular death or hospitalisation for heart failure occurred in 11.2% with dapagliflozin.", COMPOSITE),
        ("The composite of cardiovascular death and hospitalisation occurred in 11.2% with dapagliflozin.", COMPOSITE),
        ("Ketoacidosis occurred in 0.3% with dapagliflozin.", COMPOSITE),
    ],
)
def test_what_is_said_of_the_same_people_and_outcomes_is_supported(text: str, source: str) -> None:
    found = judged(text, source)
    assert found.verdict is Verdict.SUPPORTED, found.reasons


@pytest.mark.parametrize(
    ("text", "source", "code"),
    [
        (
            "Zoledronate prevented fractures in women with osteoporosis, including those with renal impairment.",
            EXCLUDED,
            C.SCOPE_CHANGED,
        ),
        ("Zoledronate prevented fractures in women with osteoporosis and renal impairment.", EXCLUDED, C.SCOPE_CHANGED),
        ("Zoledronate prevented fractures in women with osteoporosis.", EXCLUDED, C.SUBGROUP_AS_WHOLE),
        ("Smokers gained more bone density with zoledronate.", EXCLUDED, C.SCOPE_CHANGED),
        ("Statins reduced stroke, including in patients with dialysis.", EXCEPT, C.SCOPE_CHANGED),
        ("Stroke was reduced by statins, also in dialysis.", EXCEPT, C.SCOPE_CHANGED),
    ],
)
def test_an_exclusion_that_is_turned_or_lost_is_doubted(text: str, source: str, code: ReasonCode) -> None:
    found = judged(text, source)
    assert code in codes(found), found.reasons
    assert found.verdict is Verdict.NOT_CONFIRMED


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("All patients with gout reported diarrhoea with colchicine.", SOME),
        ("Most patients with gout reported diarrhoea with colchicine.", SOME),
        ("Few patients with gout reported diarrhoea with colchicine.", SOME),
        ("No patients reported diarrhoea with colchicine.", SOME),
        ("All children used the inhaler correctly.", SHARES),
        ("Every child used the inhaler correctly.", SHARES),
        ("Few children used the inhaler correctly.", SHARES),
        ("Most children had hoarseness.", RARE),
        ("None of the children had hoarseness.", RARE),
    ],
)
def test_another_part_of_a_group_than_the_source_tells_is_doubted(text: str, source: str) -> None:
    found = judged(text, source)
    assert C.QUANTIFIER_CHANGED in codes(found), found.reasons
    assert found.verdict is Verdict.NOT_CONFIRMED


@pytest.mark.parametrize(
    "text",
    [
        "Cardiovascular death occurred in 11.2% with dapagliflozin.",
        "Hospitalisation for heart failure occurred in 11.2% with dapagliflozin.",
    ],
)
def test_a_figure_of_a_composite_is_not_that_of_its_component(text: str) -> None:
    found = judged(text, COMPOSITE)
    assert C.COMPOSITE_AS_COMPONENT in codes(found)
    assert found.verdict is Verdict.NOT_CONFIRMED
