"""The sentences of the direct answer that are forms: held against the answer object, and that against the evidence.

The object is made once more here, from the passages and records of the run, and has to be the one that the draft was
written from; each of its sentences has to be that form, word by word. Then every figure is looked for where it must
come from: the source's words, its table of results, or arithmetic on its counts, which is done again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from openwork_answers.conclude import conclude
from openwork_answers.forms import lines_of
from openwork_answers.lines import Line
from openwork_answers.outcomes import read_outcome
from openwork_answers.table import table_of
from openwork_answers.too_little import too_little
from openwork_answers.weighing import absolute_again, thresholds_of
from openwork_contracts.cells import CellInterval, ResultCell
from openwork_contracts.conclusion import Conclusion, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy
from openwork_contracts.verdict import (
    ClaimVerdict,
    EvidenceItem,
    EvidenceSpan,
    FindingKind,
    ReasonCode,
    Verdict,
    VerdictReason,
)
from openwork_evidence.text import abstract_text
from openwork_language.sentences import split_sentences
from openwork_language.tokens import COMMON_TOKENS, token_set

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LEAST_FIGURES, _LEAST_WORDS = 2, 3
_EQUAL_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00b7": "."})


@dataclass(frozen=True, slots=True)
class Forms:
    """The sentences that the program may have written, with what each rests on."""

    verdicts: dict[str, ClaimVerdict] = field(default_factory=dict)
    """Text of a sentence -> what is to be said of it."""

    def of(self, text: str) -> ClaimVerdict | None:
        """The verdict for a sentence of this form; `None` = it is none of them."""
        return self.verdicts.get(_folded(text))


def forms_of(
    stated: Conclusion | None,
    analysis: QuestionAnalysis,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    items: Sequence[EvidenceItem],
) -> Forms:
    """The forms of a run's answer object; none where the object does not follow from the evidence."""
    if stated is None or not lines_of(stated):
        return Forms()
    again = conclude(analysis, strategy, passages, documents)
    if stated != again and stated != too_little(again, analysis, strategy, passages, documents):
        return Forms()
    results = {r.n: r for r in reversed(stated.results)}
    texts = {item.n: item for item in items}
    lines = lines_of(stated)
    judged = [_judged(line, stated, results, documents, texts) for line in lines]
    opening = next((one for line, one in zip(lines, judged, strict=True) if line.citations), None)
    if opening is not None and opening.verdict is Verdict.UNSUPPORTED:
        # What stands behind the verdict says nothing without it: harms alone would answer another question.
        judged = [one.model_copy(update={"verdict": opening.verdict, "reasons": opening.reasons}) for one in judged]
    return Forms({_folded(line.text): one for line, one in zip(lines, judged, strict=True)})


def rows_of(conclusion: Conclusion | None) -> tuple[int, ...]:
    """Citation numbers of the sources that stand in the table of the answer."""
    return tuple(row.n for row in table_of(conclusion)) if conclusion else ()


def _judged(
    line: Line,
    conclusion: Conclusion,
    results: dict[int, StudyResult],
    documents: Sequence[EvidenceCandidate],
    items: dict[int, EvidenceItem],
) -> ClaimVerdict:
    if not line.citations:
        return ClaimVerdict(text=line.text, verdict=Verdict.NOT_A_CLAIM)
    own = [r for r in conclusion.results if r.n in line.citations]
    known = set().union(*(_figures_of(documents[n - 1], items.get(n)) for n in line.citations))
    known.update(figure for r in own for figure in _computed(r))
    # A form names the people that were asked about: "in wider people (under 40 not told apart)" says no 40 of a source.
    untold = (text for sentence in conclusion.sentences_told for text in sentence.without)
    named = (*conclusion.asked.people, *conclusion.people_wider, *conclusion.nearest_without, *untold)
    known.update(figure for told in named for figure in _figures(told))
    missing = [figure for figure in _figures(line.text) if figure not in known]
    if missing:
        reason = VerdictReason(
            code=ReasonCode.NUMBER_NOT_FOUND,
            kind=FindingKind.PROOF,
            detail=f"{missing[0]!r} is neither in the cited source nor follows from its counts",
        )
        return ClaimVerdict(text=line.text, citations=line.citations, verdict=Verdict.UNSUPPORTED, reasons=(reason,))
    spans = tuple(span for n in line.citations if (span := _span(line, items.get(n))) is not None)
    cells = tuple(cell for r in own if r is results.get(r.n) for cell in _cells(r))
    return ClaimVerdict(
        text=line.text, citations=line.citations, verdict=Verdict.SUPPORTED, evidence=spans, cells=cells
    )


def _figures(text: str) -> list[str]:
    return [_plain(number) for number in _NUMBER.findall(text.translate(_EQUAL_SIGNS))]


def _plain(number: str) -> str:
    """Without thousands separators and trailing zeros: "2,373", "0.70"."""
    bare = re.sub(r",(?=\d{3}(?:\D|$))", "", number)
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


def _figures_of(document: EvidenceCandidate, item: EvidenceItem | None) -> set[str]:
    """Every number of a source: in its words and in its table of results."""
    texts = [document.title, abstract_text(document), item.text if item else "", str(document.year or "")]
    for result in document.results:
        texts += [result.outcome, result.time_point or ""]
        texts += [f"{arm.arm} {arm.n} {arm.events}" for arm in result.arms]
        texts += [f"{arm.measured.value:g}" for arm in result.arms if arm.measured is not None]
        if result.effect is not None:
            effect = result.effect
            texts.append(f"{effect.estimate} {effect.ci_low} {effect.ci_high} {(effect.ci_level or 0) * 100:g}")
    texts += [f"{arm.name} {arm.n}" for arm in document.arms]
    texts.append(str(sum(arm.n or 0 for arm in document.arms)))
    texts += [
        f"{r.text} {r.class_of_recommendation} {r.level_of_evidence} {r.strength}" for r in document.recommendations
    ]
    if (facts := document.guideline) is not None:  # the edition's year, and that of the one that took its place
        texts.append(f"{facts.organisation} {facts.year} {facts.superseded_by}")
    return {figure for text in texts for figure in _figures(text)}


def _computed(result: StudyResult) -> Iterator[str]:
    """What follows from a result's counts, computed here once more; and the effect as seen from the other arm."""
    for arm in result.arms:
        if arm.n and arm.events is not None:
            yield from _figures(f"{100 * arm.events / arm.n:.1f}")
        yield from _figures(arm.per or "")  # "3.5% per year" is 3.5 per 100 person-years
    again = absolute_again(result)
    if again is not None:
        yield from _figures(again.words)
        yield from _figures(again.number_needed or "")
        yield "1000"
    if result.effect is not None:  # turned round: the inverse of the printed figures, as the object has it
        effect = result.effect
        for value in (effect.estimate, effect.ci_low, effect.ci_high):
            yield from _figures(f"{abs(value):g}" if value is not None else "")
            if effect.measure == "RD" and value is not None and abs(value) <= 1:  # printed in percentage points
                yield from _figures(f"{abs(round(100 * value, 2)):g}")
    limits = thresholds_of(read_outcome(result.outcome))
    yield from _figures(f"{limits.low:g} {limits.high:g}")


def _span(line: Line, item: EvidenceItem | None) -> EvidenceSpan | None:
    """The sentence of the source that holds most of the line's figures, else most of its words; `None` = neither."""
    if item is None:
        return None
    figures, said = set(_figures(line.text)), token_set(line.text) - COMMON_TOKENS
    best: tuple[tuple[int, int], int, int] | None = None
    for sentence in split_sentences(item.text):
        shared = (len(figures & set(_figures(sentence.text))), len(said & token_set(sentence.text)))
        if (shared[0] >= _LEAST_FIGURES or shared[1] >= _LEAST_WORDS) and (best is None or shared > best[0]):
            best = (shared, sentence.start, sentence.end)
    if best is None:
        return None
    _, start, end = best
    return EvidenceSpan(n=item.n, quote=item.text[start:end], start=start, end=end, text_origin=item.text_origin)


def _cells(result: StudyResult) -> Iterator[ResultCell]:
    """The figures of a result as cells, with all that they belong to."""
    common = {
        "study": result.study, "comparison": result.comparison, "outcome": result.outcome, "time": result.time,
        "population": result.people, "is_composite_of": result.components, "text_origin": result.text_origin,
    }  # fmt: skip
    for arm in result.arms:
        if arm.events is not None and arm.n is not None:
            yield ResultCell.model_validate(
                {**common, "arm": arm.name, "measure": "fraction", "value": str(arm.events), "total": str(arm.n)}
            )
        elif arm.percent is not None:
            yield ResultCell.model_validate(
                {**common, "arm": arm.name, "measure": "percent", "value": arm.percent, "unit": "%", "per": arm.per}
            )
        elif arm.measured is not None:
            value, _, unit = arm.measured.replace("%", " %").partition(" ")
            yield ResultCell.model_validate(
                {**common, "arm": arm.name, "measure": "value", "value": value, "unit": unit or None}
            )
    effect = result.effect
    if effect is not None:
        interval = None
        if effect.ci_low is not None and effect.ci_high is not None:
            level = f"{effect.ci_level * 100:g}" if effect.ci_level else None
            interval = CellInterval(low=f"{effect.ci_low:g}", high=f"{effect.ci_high:g}", level=level)
        yield ResultCell.model_validate(
            {**common, "measure": effect.measure, "value": f"{effect.estimate:g}", "interval": interval,
             "p_value": effect.p_value}
        )  # fmt: skip


def _folded(text: str) -> str:
    return " ".join(text.split())
