"""What `openwork verify` prints for people: remarks on a page, proofs first, the source's words below."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork.models import (
    ClaimVerdict,
    EvidenceSpan,
    FindingKind,
    ReasonCode,
    TextOrigin,
    Verdict,
    VerdictReason,
    VerificationReport,
    VerificationScores,
)
from openwork_cli.remarks import LOOK_AT, VERDICTS, page, shortened, summary, verdict_in_words
from openwork_contracts import verdict as contract

QUOTE = EvidenceSpan(n=1, quote="Bleeding was 2.13% versus 3.09%.", start=0, end=32)
SUSPICION = VerdictReason(
    code=ReasonCode.ARMS_SWAPPED, kind=FindingKind.SUSPICION, detail="the claim says 'lower'; [1] says 'higher'"
)
PROOF = VerdictReason(
    code=ReasonCode.NUMBER_NOT_FOUND, kind=FindingKind.PROOF, detail="'3.90%' is in no cited passage", look_at=QUOTE
)


def report(*claims: ClaimVerdict) -> VerificationReport:
    real = [claim for claim in claims if claim.verdict != Verdict.NOT_A_CLAIM]
    passed = sum(claim.verdict == Verdict.SUPPORTED for claim in real)
    scores = VerificationScores(
        claims=len(real),
        supported=passed,
        unsupported=len(real) - passed,
        grounding_score=passed / len(real) if real else 1.0,
        citation_coverage=1.0,
    )
    return VerificationReport(claims=claims, scores=scores)


def claim(verdict: str, *reasons: VerdictReason, text: str = "A sentence.", **more: object) -> ClaimVerdict:
    return ClaimVerdict(text=text, citations=(1,), verdict=verdict, reasons=reasons, **more)  # type: ignore[arg-type]


def lines(*claims: ClaimVerdict) -> list[str]:
    return page(report(*claims)).splitlines()


def test_every_verdict_and_every_reason_has_words() -> None:
    """What the contracts have, this client can say."""
    assert set(VERDICTS) == {verdict.value for verdict in contract.Verdict}
    assert set(LOOK_AT) == {code.value for code in contract.ReasonCode}


def test_a_proof_comes_before_a_suspicion_and_each_has_its_words_of_the_source() -> None:
    found = lines(claim(Verdict.CONTRADICTED, SUSPICION, PROOF))
    assert found[:4] == [
        "A sentence. [1]",
        "  Contradicted: '3.90%' is in no cited passage.",
        '    [1] "Bleeding was 2.13% versus 3.09%."',
        "  Look also at which arm did better: the claim says 'lower'; [1] says 'higher'.",
    ]


def test_a_suspicion_alone_says_what_to_look_at_and_shows_the_nearest_words() -> None:
    found = lines(claim(Verdict.NOT_CONFIRMED, SUSPICION, evidence=(QUOTE,)))
    assert found[1:3] == [
        "  Not confirmed. Look at which arm did better: the claim says 'lower'; [1] says 'higher'.",
        '    [1] "Bleeding was 2.13% versus 3.09%."',
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (ReasonCode.CITATION_UNKNOWN, "Cites what is not there: x."),
        (ReasonCode.ADVICE_LANGUAGE, "Advice, not evidence: x."),
        (ReasonCode.RETRACTED_SOURCE, "Rests on a retracted source: x."),
        (ReasonCode.NUMBER_NOT_FOUND, "Not in the source: x."),
    ],
)
def test_what_is_not_borne_out_is_called_by_what_is_proved(code: str, words: str) -> None:
    reason = VerdictReason(code=code, kind=FindingKind.PROOF, detail="x")
    assert lines(claim(Verdict.UNSUPPORTED, reason))[1] == f"  {words}"


def test_a_report_of_an_older_and_of_a_newer_service_is_read() -> None:
    """Without kinds the verdict tells; a word that is not known is said as it is."""
    old = VerdictReason(code="direction_reversed", detail="x")
    assert lines(claim(Verdict.CONTRADICTED, old))[1] == "  Contradicted: x."
    assert lines(claim(Verdict.PARTLY_SUPPORTED, old))[1] == "  Not confirmed. Look at which way the effect goes: x."
    new = VerdictReason(code="tone_wrong", kind="hunch", detail="x")
    assert lines(claim("half_true", new))[1] == "  Half true: x."
    odd = VerdictReason(code="tone_wrong", kind=FindingKind.SUSPICION, detail="x")
    assert lines(claim(Verdict.NOT_CONFIRMED, odd))[1] == "  Not confirmed. Look at tone wrong: x."
    assert verdict_in_words("half_true") == "Half true"


def test_the_same_is_said_once_and_there_is_an_end_to_it() -> None:
    """A number that is proved wrong is not also to be looked at; a code is said once, a quotation shown once."""
    unbound = VerdictReason(code=ReasonCode.NUMBER_NOT_BOUND, kind=FindingKind.SUSPICION, detail="x", look_at=QUOTE)
    codes = (ReasonCode.ARMS_SWAPPED, ReasonCode.ARMS_SWAPPED, ReasonCode.NULL_RESULT, ReasonCode.SCOPE_CHANGED)
    others = [
        VerdictReason(code=code, kind=FindingKind.SUSPICION, detail=f"d{n}", look_at=QUOTE)
        for n, code in enumerate((*codes, ReasonCode.DESIGN_DIFFERS, ReasonCode.DRUG_NOT_FOUND))
    ]
    found = lines(claim(Verdict.CONTRADICTED, unbound, *others, PROOF, PROOF))
    assert sum("3.90" in line for line in found) == 2
    assert sum(line.startswith("    [1]") for line in found) == 1
    assert [line.split(":")[1].strip(" .") for line in found if "Look also" in line] == ["d0", "d2"]
    assert "  3 more in --json." in found


def test_a_heading_stands_alone_and_a_sentence_that_claims_nothing_says_so() -> None:
    found = lines(
        ClaimVerdict(text="Results", verdict=Verdict.NOT_A_CLAIM),
        ClaimVerdict(text="We searched PubMed.", verdict=Verdict.NOT_A_CLAIM),
    )
    assert found == [
        "Results",
        "",
        "We searched PubMed.",
        "  Nothing to check.",
        "",
        "No sentence claims anything that a source could bear out.",
    ]


def test_the_summary_counts_each_verdict_in_a_fixed_order() -> None:
    found = summary(report(claim(Verdict.UNCITED), claim(Verdict.SUPPORTED), claim("odd_one"), claim(Verdict.UNCITED)))
    assert found.startswith("4 sentences claim something: 1 supported, 2 without a citation, 1 odd one. Grounding 0.25")


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=10), max_size=3))
def test_what_is_shortened_is_a_part_of_the_text_within_the_limit(text: str, around: list[str]) -> None:
    """Whole words where there are any, and never more than was asked for."""
    found = shortened(text, around, 100)
    inner = found.removeprefix("... ").removesuffix(" ...") if found != text else text
    assert inner in text
    assert len(inner) <= 100


def test_what_a_remark_names_stays_in_what_is_shortened() -> None:
    text = f"{'before ' * 60}3.09% per year {'after ' * 60}".strip()
    found = shortened(text, ["not there", "3.09% per year"])
    assert "3.09% per year" in found
    assert (found[:4], found[-4:]) == ("... ", " ...")
    assert len(found) <= 210


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", ["1", "40"])
def test_a_terminal_gets_lines_as_wide_as_it_is_and_a_pipe_whole_ones(
    monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    long = claim(Verdict.NOT_CONFIRMED, SUSPICION, text="A sentence of many words\nthat goes on and on and on.")
    assert lines(long)[0] == "A sentence of many words that goes on and on and on. [1]"
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "stdout", Terminal())
    found = lines(long)
    assert max(map(len, found)) <= 40
    assert found[0].startswith("A sentence of")
    assert any(line.startswith("  Not confirmed. Look at") for line in found)


def test_only_characters_that_every_terminal_has_are_added() -> None:
    """Words of ours must not become question marks."""
    source = (Path(__file__).parents[3] / "apps/cli/openwork_cli/remarks.py").read_text()
    assert source.isascii()


def test_a_summary_of_ours_is_shown_as_one_and_never_between_quotation_marks() -> None:
    ours = replace(QUOTE, text_origin=TextOrigin.OUR_SUMMARY)
    shown = lines(claim(Verdict.SUPPORTED, evidence=(ours,)))
    assert f"    [1] our summary, not the paper's words: {QUOTE.quote}" in shown
    for origin in (TextOrigin.PUBLISHER, "unknown"):
        shown = lines(claim(Verdict.SUPPORTED, evidence=(replace(QUOTE, text_origin=origin),)))
        assert f'    [1] "{QUOTE.quote}"' in shown


def test_sentences_supported_by_summaries_are_counted_apart_where_there_are_any() -> None:
    found = report(claim(Verdict.SUPPORTED), claim(Verdict.SUPPORTED))
    assert "summar" not in summary(found)
    told = replace(found, scores=replace(found.scores, against_own_words=1, against_summaries=1))
    assert "Supported 1 by the sources' own words, 1 by our summaries, not the papers' words." in summary(told)
    told = replace(found, scores=replace(found.scores, against_summaries=2))
    assert "Supported 2 by our summaries, not the papers' words." in summary(told)
