"""Claims are counted by verdict and by draft, findings by what they are; the words of nobody's answer."""

from __future__ import annotations

from openwork_bus.figures import Figures
from openwork_contracts.verdict import ClaimVerdict, FindingKind, ReasonCode, Verdict, VerdictReason
from openwork_verifier.metrics import begin_claims, count_claims

from tests.reading_figures import samples, value

SECRET = "a sentence of an answer"


def claim(verdict: Verdict, *codes: ReasonCode) -> ClaimVerdict:
    found = (VerdictReason(code=code, kind=FindingKind.SUSPICION, detail=SECRET) for code in codes)
    return ClaimVerdict(text=SECRET, verdict=verdict, reasons=tuple(found))


def test_claims_of_a_draft_and_of_its_revision_are_told_apart() -> None:
    figures = Figures("verifier")
    count_claims(figures, [claim(Verdict.SUPPORTED), claim(Verdict.CONTRADICTED)], revision=0)
    count_claims(figures, [claim(Verdict.SUPPORTED), claim(Verdict.SUPPORTED)], revision=1)
    text = figures.text()
    assert value(text, "openwork_claims_total", draft="first", verdict="contradicted") == 1
    assert value(text, "openwork_claims_total", draft="revised", verdict="supported") == 2
    assert SECRET.encode() not in text


def test_findings_are_counted_by_their_kind_and_their_rule() -> None:
    figures = Figures("verifier")
    wrong = claim(Verdict.NOT_CONFIRMED, ReasonCode.NUMBER_NOT_BOUND, ReasonCode.SCOPE_CHANGED)
    count_claims(figures, [wrong, wrong], revision=0)
    text = figures.text()
    assert value(text, "openwork_findings_total", kind="suspicion", code="number_not_bound") == 2
    assert value(text, "openwork_findings_total", kind="suspicion", code="scope_changed") == 2


def test_a_verdict_that_never_came_is_known_to_be_none() -> None:
    """The hallucination rate of a day without one is 0, and not unknown."""
    figures = Figures("verifier")
    begin_claims(figures)
    shown = {one.labels["verdict"]: one.value for one in samples(figures.text()) if one.labels["draft"] == "first"}
    assert shown == dict.fromkeys((verdict.value for verdict in Verdict), 0)
