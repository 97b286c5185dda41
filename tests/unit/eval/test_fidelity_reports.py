"""Hand-written lines, shares and the published table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from openwork_contracts.verdict import EvidenceItem

from tests.eval.fidelity import handwritten, planted, scorecard, speed
from tests.eval.fidelity.judging import Bar, Case, Figure, Judged, at_least, at_most, caught, misses, supported
from tests.eval.fidelity.parts import Result
from tests.eval.fidelity.sources import Abstract

HONEST = {"source": "set:1", "text": "Aspirin lowered pain.", "honest": True, "style": "free", "way": "", "note": ""}
WRONG = {**HONEST, "text": "Aspirin raised pain.", "honest": False, "style": "prompt", "way": "direction"}


def written(tmp_path: Path, *rows: dict[str, object]) -> Path:
    path = tmp_path / "development.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def judged(verdict: str, *, right: bool, kind: str = "k") -> Judged:
    return Judged(Case(kind, "claim", (), right, origin="from"), verdict, "a reason")


def test_lines_become_cases_against_the_whole_abstract(tmp_path: Path) -> None:
    """Style and way name the kind."""
    lines = handwritten.read(written(tmp_path, HONEST, WRONG))
    cases = list(handwritten.cases(lines, {"set:1": EvidenceItem(n=1, title="T", text="Pain was lower.")}))
    assert [(case.kind, case.right) for case in cases] == [("honest, free", True), ("wrong: direction", False)]
    assert cases[0].evidence[0].title == "T"


def test_a_line_that_names_no_abstract_is_refused(tmp_path: Path) -> None:
    """A mistyped key must not shrink the set in silence."""
    with pytest.raises(ValueError, match="set:1"):
        list(handwritten.cases(handwritten.read(written(tmp_path, HONEST)), {}))


@pytest.mark.parametrize("fault", [{"style": "loose"}, {"honest": False, "way": ""}])
def test_a_line_without_style_or_way_is_refused(tmp_path: Path, fault: dict[str, object]) -> None:
    """The message names the line."""
    with pytest.raises(ValueError, match="line 1"):
        handwritten.read(written(tmp_path, {**HONEST, **fault}))


def test_honest_and_wrong_lines_are_published_beside_each_other() -> None:
    """Per style, then per way."""
    found = handwritten.figures(
        "development",
        [
            judged("supported", right=True, kind="honest, free"),
            judged("contradicted", right=True, kind="honest, prompt"),
            judged("not_confirmed", right=False, kind="wrong: other_time"),
        ],
    )
    shares = {figure.measure: figure.share for figure in found}
    assert shares["development: honest, free words, supported"] == 1.0
    assert shares["development: honest, called contradicted"] == 0.5
    assert shares["development: wrong: other time, caught"] == 1.0


def test_a_sentence_that_is_not_checked_is_shown_but_not_supported() -> None:
    """Both roundings go against the gate."""
    assert supported("p", "m", [judged("not_a_claim", right=True)]).hits == 0
    assert supported("p", "m", [judged("not_a_claim", right=False)]).hits == 1
    assert caught("p", "m", [judged("not_a_claim", right=False)]).hits == 0


@pytest.mark.parametrize(
    ("hits", "n", "bar", "standing"),
    [
        (90, 100, at_least(0.9), "met"),
        (89, 100, at_least(0.9), "missed"),
        (5, 100, at_most(0.05), "met"),
        (99, 99, at_least(0.9), "not judged"),
        (0, 200, None, ""),
    ],
)
def test_a_share_is_judged_from_a_hundred_cases_on(hits: int, n: int, bar: Bar | None, standing: str) -> None:
    """Fewer are printed and not judged."""
    assert Figure("p", "m", hits, n, bar).standing == standing


def test_misses_are_printed_with_the_gate_s_reasons() -> None:
    """At most so many of a kind."""
    text = misses([judged("contradicted", right=True)] * 3, 2)
    assert text.count("claim:") == 2
    assert "a reason" in text


def test_the_table_shows_the_first_run_beside_now(tmp_path: Path) -> None:
    """And what was run once only is not lost."""
    now = scorecard.as_json({"planted": Result([Figure("planted", "unit: caught", 99, 100, at_least(0.99))])}, None)
    first = scorecard.as_json(
        {
            "planted": Result([Figure("planted", "unit: caught", 50, 100, at_least(0.99))]),
            "handwritten": Result([Figure("handwritten", "held out: wrong, caught", 60, 100, at_least(0.9))]),
        },
        None,
    )
    text = scorecard.scorecard(now, first)
    assert "| unit: caught | ≥ 99 % | 50.0% | 99.0% | [94.6%, 99.8%] | 100 | met |" in text
    assert "| held out: wrong, caught | ≥ 90 % | 60.0% |  |" in text
    assert "not run again" in text
    path = tmp_path / "evaluation.md"
    path.write_text(
        "# Evaluation\n\nbefore\n\n<!-- gate:begin -->\nOUTDATED\n<!-- gate:end -->\n\nafter\n", encoding="utf-8"
    )
    scorecard.write(text, path)
    document = path.read_text(encoding="utf-8")
    assert "before" in document
    assert "after" in document
    assert "OUTDATED" not in document
    assert "unit: caught" in document


def test_the_workload_of_the_timing_is_twenty_claims_on_ten_abstracts() -> None:
    """What the wanted 100 ms are about."""
    sentences = " ".join(f"Group {n} had a lower rate of pain than the group before it." for n in range(8))
    answer, evidence = speed.workload([Abstract("s", str(n), f"Title {n}", sentences) for n in range(12)])
    assert len(evidence) == 10
    assert answer.count("[") == 20


def test_headings_and_sentences_that_lean_on_others_are_no_claims() -> None:
    """ "METHODS AND RESULTS" goes; "We found", "To assess" stay out."""
    text = (
        "METHODS AND RESULTS In 40 patients aspirin lowered pain scores by half. We found that pain was lower with "
        "aspirin in all of them. To assess the effect of aspirin we measured pain scores daily."
    )
    assert planted.claim_sentences(Abstract("s", "1", "T", text)) == [
        "In 40 patients aspirin lowered pain scores by half."
    ]
