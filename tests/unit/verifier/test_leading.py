"""Who may lead an answer: a work that a reader can look up."""

from __future__ import annotations

from openwork_contracts.answer import AnswerSection, SectionKind
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.verdict import ClaimVerdict, Verdict
from openwork_verifier.domain.leading import led_by_findable

from tests.packs import documents

KNOWN, _, NOWHERE = documents()
DOCUMENTS: tuple[EvidenceCandidate, ...] = (
    KNOWN,
    NOWHERE.model_copy(update={"identifiers": NOWHERE.identifiers.model_copy(update={"doi": None})}),
)


def section(kind: SectionKind, *citations: tuple[int, ...]) -> AnswerSection:
    claims = tuple(
        ClaimVerdict(text=f"Claim {i} of {cited}.", citations=cited, verdict=Verdict.SUPPORTED)
        for i, cited in enumerate(citations)
    )
    return AnswerSection(kind=kind, heading=kind.value, claims=claims)


def printed(*sections: AnswerSection) -> list[list[tuple[int, ...]]]:
    return [[claim.citations for claim in one.claims] for one in led_by_findable(sections, DOCUMENTS).sections]


def test_the_direct_answer_rests_on_works_that_can_be_looked_up() -> None:
    """A second citation may be of one that cannot; a sentence without any is no claim of a source."""
    direct = section(SectionKind.DIRECT_ANSWER, (), (2,), (1,), (1, 2), (2,))
    assert printed(direct) == [[(), (1,), (1, 2)]]


def test_behind_a_lead_such_a_work_may_be_listed() -> None:
    direct, evidence = section(SectionKind.DIRECT_ANSWER, (1,)), section(SectionKind.EVIDENCE, (2,))
    assert printed(direct, evidence) == [[(1,)], [(2,)]]


def test_where_the_direct_answer_is_gone_the_next_section_is_not_led_by_it_either() -> None:
    direct, evidence = section(SectionKind.DIRECT_ANSWER, (2,)), section(SectionKind.EVIDENCE, (2,), (1,), (2,))
    led = led_by_findable((direct, evidence), DOCUMENTS)
    assert [c.citations for s in led.sections for c in s.claims] == [(1,), (2,)]
    assert led.note is not None
    assert led.note.endswith("2 of the sentences.")


def test_an_answer_of_nothing_else_is_none() -> None:
    assert printed(section(SectionKind.DIRECT_ANSWER, (2,)), section(SectionKind.EVIDENCE, (2,))) == []
