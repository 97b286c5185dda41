"""What keeps a model's claim from the draft before anybody else reads it, and what rightly passes."""

from __future__ import annotations

import pytest
from openwork_contracts.answer import DraftClaim, DraftSection, SectionKind
from openwork_contracts.verdict import ClaimVerdict, Verdict
from openwork_language.searching.ladder import strategy_of
from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.mending import mended_claims, with_mended
from openwork_synthesiser.domain.model_claims import Fault, MendedClaim, ModelClaim, ModelQuote, Part, Sieve

from tests.packs import TEXTS, assignment, question_analysis

WORDS = "Apixaban lowered stroke compared with warfarin in atrial fibrillation"
TEXT = "Apixaban lowered stroke compared with warfarin."


def quoting(*quotes: tuple[int, str]) -> list[ModelQuote]:
    return [ModelQuote(source=n, quote=quote) for n, quote in quotes]


def sieve(*sources: int) -> Sieve:
    return Sieve(assignment(), frozenset(sources or (1, 2, 3)))


def fault_of(text: str, quotes: list[ModelQuote], part: Part = Part.EVIDENCE) -> Fault | None:
    found = sieve().read(text, quotes, part)
    return found if isinstance(found, Fault) else None


@pytest.mark.parametrize(
    "quote",
    [
        WORDS,
        "“lowered stroke compared with warfarin in atrial fibrillation (HR 0.79,95% CI 0.66 to 0.95)”",
        "Major  bleeding was lower with apixaban than with warfarin",
    ],
)
def test_words_of_the_source_are_found_whatever_their_typography(quote: str) -> None:
    assert fault_of(TEXT, quoting((1, quote))) is None


@pytest.mark.parametrize(
    "quotes",
    [
        [],
        [(1, "")],
        [(1, "lowered stroke")],
        [(1, f"{WORDS} beyond doubt")],
        [(1, "Apixaban lowered stroke ... in atrial fibrillation")],
        [(1, "(HR 0.97, 95% CI 0.66 to 0.95)")],
        [(2, WORDS)],
        [(99, WORDS)],
        [(0, WORDS)],
        [(1, WORDS), (3, WORDS)],
    ],
)
def test_a_quotation_that_is_not_in_the_source_it_names_keeps_its_claim_out(quotes: list[tuple[int, str]]) -> None:
    assert fault_of(TEXT, quoting(*quotes)) is Fault.UNQUOTED


def test_a_source_that_was_not_shown_cannot_be_quoted() -> None:
    found = sieve(2, 3).read(TEXT, quoting((1, WORDS)), Part.EVIDENCE)
    assert found is Fault.UNQUOTED


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Apixaban caused less major bleeding.", None),
        ("Warfarin was given to half of the adults.", None),
        ("Stroke was rare.", None),
        ("Patients with atrial fibrillation were followed for two years.", None),
        ("Zanolixumab cured eczema within 14 days.", Fault.OFF_QUESTION),
        ("Weight fell by 3 kg.", Fault.OFF_QUESTION),
        ("Is apixaban better?", Fault.NO_FINDING),
        ("The trial asked whether apixaban lowers stroke.", Fault.NO_FINDING),
        ("The evidence found contains no harm of apixaban.", Fault.NO_FINDING),
        ("", Fault.NO_FINDING),
    ],
)
def test_a_claim_names_something_of_the_question(text: str, fault: Fault | None) -> None:
    assert fault_of(text, quoting((1, WORDS))) is fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The guideline recommends warfarin over direct oral anticoagulants.", None),  # both are quoted: for the gate
        (
            "The guideline recommends apixaban over warfarin in atrial fibrillation.",
            None,
        ),  # of the class that is quoted
        ("The guideline recommends aspirin in atrial fibrillation.", Fault.OTHER_DRUG),
        ("The guideline recommends it in atrial fibrillation.", None),
        ("Aspirin is an anticoagulant of the guideline in atrial fibrillation.", Fault.OTHER_DRUG),
    ],
)
def test_words_about_another_drug_bear_nothing_out(text: str, fault: Fault | None) -> None:
    words = quoting((3, "recommends direct oral anticoagulants over warfarin in atrial fibrillation"))
    assert fault_of(text, words) is fault


def test_a_limitation_that_the_source_states_need_not_name_what_was_asked() -> None:
    own = assignment()
    limited = own.passages[0].model_copy(update={"text": f"{TEXTS[0]} A limitation is that the trial was open label."})
    changed = Sieve(type(own)(own.analysis, (limited,), own.documents, own.gap, own.strategy), frozenset({1}))
    words = quoting((1, "A limitation is that the trial was open label"))
    assert not isinstance(changed.read("The trial was open label.", words, Part.LIMITATION), Fault)
    assert changed.read("The trial was open label.", words, Part.EVIDENCE) is Fault.OFF_QUESTION
    assert changed.read("The trial was open label.", quoting((1, WORDS)), Part.LIMITATION) is Fault.OFF_QUESTION


def test_a_claim_of_two_sentences_becomes_two_with_the_same_sources() -> None:
    found = sieve().read(f"{TEXT} Apixaban lowered bleeding.", quoting((1, WORDS)), Part.EVIDENCE)
    assert not isinstance(found, Fault)
    assert [(one.claim.text, one.claim.citations) for one in found] == [
        (TEXT, (1,)),
        ("Apixaban lowered bleeding.", (1,)),
    ]


def test_what_is_left_out_is_counted_by_reason_and_told_in_one_sentence() -> None:
    claims = [
        ModelClaim(part=Part.EVIDENCE, text=TEXT, quotes=quoting((1, WORDS))),
        ModelClaim(part=Part.EVIDENCE, text=TEXT, quotes=quoting((1, WORDS))),
        ModelClaim(part=Part.EVIDENCE, text="Apixaban cures.", quotes=quoting((1, "apixaban cures all of it"))),
        ModelClaim(part=Part.EVIDENCE, text="Stroke vanished.", quotes=quoting((7, WORDS))),
        ModelClaim(part=Part.EVIDENCE, text="Weight fell by 3 kg.", quotes=quoting((1, WORDS))),
    ]
    sifted = sieve().sift(claims)
    assert [one.claim.text for one in sifted.held] == [TEXT]
    assert sifted.told == (
        "3 sentences of the model were left out before the check: the words they quote are not in the sources they "
        "name (2); they name nothing of the question (1)."
    )
    assert sieve().sift(claims[:1]).told is None


PASSED = DraftClaim(text="Apixaban  lowered bleeding.", citations=(1,))
FAILED = (
    ClaimVerdict(text="Stroke fell to 0.5.", citations=(1,), verdict=Verdict.UNSUPPORTED),
    ClaimVerdict(text="Stroke vanished.", citations=(2,), verdict=Verdict.UNSUPPORTED),
)
SECTIONS = (
    DraftSection(
        kind=SectionKind.EVIDENCE,
        heading="Randomised trials",
        claims=(DraftClaim(text="Stroke fell to 0.5.", citations=(1,)), PASSED),
    ),
    DraftSection(
        kind=SectionKind.EVIDENCE, heading="Other", claims=(DraftClaim(text="Stroke vanished.", citations=(2,)),)
    ),
)


def mended(*claims: MendedClaim) -> dict[int, DraftClaim]:
    return mended_claims(claims, FAILED, SECTIONS, sieve())[0]


def test_a_mended_claim_takes_the_place_of_the_failed_one_and_the_others_stay_byte_for_byte() -> None:
    new = mended(MendedClaim(id=1, text=TEXT, quotes=quoting((1, WORDS))))
    sections = with_mended(SECTIONS, FAILED, new)
    assert [c.text for s in sections for c in s.claims] == [TEXT, PASSED.text]
    assert sections[0].claims[1] is PASSED


def test_numbers_that_were_not_asked_about_and_what_failed_already_do_not_count() -> None:
    words = quoting((1, WORDS))
    assert mended(MendedClaim(id=3, text=TEXT, quotes=words), MendedClaim(id=0, text=TEXT, quotes=words)) == {}
    assert mended(MendedClaim(id=1, text="Stroke fell to  0.5.", quotes=words)) == {}
    twice = mended(MendedClaim(id=1, text=TEXT, quotes=words), MendedClaim(id=1, text="Stroke fell.", quotes=words))
    assert [claim.text for claim in twice.values()] == [TEXT]


def test_a_mended_claim_has_to_be_quoted_too() -> None:
    claims = (MendedClaim(id=1, text=TEXT, quotes=quoting((1, "lowered stroke by far and wide"))),)
    found, sifted = mended_claims(claims, FAILED, SECTIONS, sieve())
    assert found == {}
    assert sifted.faults == {Fault.UNQUOTED: 1}


def test_a_treatment_without_a_name_is_named_by_a_word_of_it_where_the_source_tells_of_which() -> None:
    """ "The intensive target" is enough in a trial of intensive blood pressure lowering, and nowhere else."""
    own = assignment()
    analysis = question_analysis("Does intensive blood pressure lowering reduce cardiovascular events?")
    about, other = own.documents[0], own.documents[1]
    about = about.model_copy(update={"title": "A trial of intensive blood pressure lowering"})
    given = Assignment(analysis, own.passages, (about, other, own.documents[2]), own.gap, strategy_of(analysis))
    text = "Fractures were as frequent with the intensive as with the standard target."
    words = TEXTS[1].split(" (")[0]
    both = Sieve(given, frozenset({1, 2}))
    assert not isinstance(both.read(text, quoting((1, WORDS)), Part.EVIDENCE), Fault)
    assert both.read(text, quoting((2, words)), Part.EVIDENCE) is Fault.OFF_QUESTION
