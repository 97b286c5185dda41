"""What the reader gives for a labelled question, against its label.

A result is given where it is of the asked comparison and of the asked outcome or a part of it, as a deep review takes
it. It is right when every figure of it stands in one fact of the label beside the name of its arm, else wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from openwork_answers.asked import read_question
from openwork_answers.choosing import results_about
from openwork_contracts.conclusion import ArmFigures, Fit, StudyResult
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    Identifiers,
    Provenance,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.question import QuestionAnalysis
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse

from tests.eval.prose.abstracts import abstracts
from tests.eval.prose.labels import Fact, LabelledArm, Row

RIGHT, NEAR, WRONG = "right", "near", "wrong"
_OURS = frozenset({Fit.ASKED, Fit.PART})


@dataclass(frozen=True, slots=True)
class Judged:
    """A row with what was given for it."""

    row: Row
    given: tuple[tuple[StudyResult, str], ...]
    """Results of what was asked, each right, near or wrong."""
    others: tuple[StudyResult, ...]
    """Results of something else, or of another comparison, as the product takes it."""

    @property
    def verdict(self) -> str:
        verdicts = {verdict for _, verdict in self.given}
        if WRONG in verdicts:
            return "wrong"
        if self.row.kind == "nothing":
            return "nothing"
        return RIGHT if RIGHT in verdicts else "not given"

    @property
    def is_read(self) -> bool:
        """Whether a result of any kind gives a fact that was asked for, whatever it was taken for."""
        asked = [fact for fact in self.row.facts if fact.sign == "="]
        return any(judge(one, asked) == RIGHT for one in (*(r for r, _ in self.given), *self.others))


def judged(row: Row) -> Judged | None:
    """`None` = the abstract is not here."""
    held = abstracts(row.source).get(row.key)
    if held is None:
        return None
    title, parts = held
    document = EvidenceCandidate(
        candidate_id=f"pmid:{row.key}",
        title=title,
        abstract=tuple(AbstractPart(label=label or None, text=text) for label, text in parts),
        identifiers=Identifiers(pmid=row.key) if row.key.isdigit() else Identifiers(),
        study_design=StudyDesign.RCT,
        text_origin=TextOrigin.PUBLISHER,
        provenance=(Provenance(source="pubmed", source_id=row.key, rank=1, retrieved_at=datetime.now(UTC)),),
    )
    analysis = analyse(row.question, available_sources=("pubmed",), current_year=2026)
    if not isinstance(analysis, QuestionAnalysis):
        return Judged(row, (), ())
    results = results_about(1, document, [], read_question(analysis, strategy_of(analysis)))
    ours = [r for r in results if r.comparison_fit is not Fit.OTHER and r.outcome_fit in _OURS]
    others = tuple(r for r in results if r not in ours)
    return Judged(row, tuple((r, judge(r, row.facts)) for r in ours), others)


def judge(result: StudyResult, facts: Sequence[Fact]) -> str:
    """right, near or wrong; arms and effect each have their fact."""
    found = []
    if result.arms:
        found.append(next((f for f in facts if f.measure is None and _are_arms(result.arms, f)), None))
    if result.effect is not None:
        found.append(next((f for f in facts if f.measure and _is_effect(result, f)), None))
    signs = {"" if fact is None else fact.sign for fact in found}
    if not found or "" in signs or ("s" in signs and not result.is_subgroup):
        return WRONG
    return RIGHT if signs == {"="} else NEAR


def _are_arms(arms: Sequence[ArmFigures], fact: Fact) -> bool:
    own = [next((a for a in fact.arms if _is_named(arm.name, a) and _has_figures(arm, a)), None) for arm in arms]
    return all(own) and len(set(own)) == len(own)


def _has_figures(arm: ArmFigures, label: LabelledArm) -> bool:
    mean = getattr(arm, "mean", None)
    pairs = (
        (Decimal(arm.percent) if arm.percent is not None else None, label.percent),
        (arm.events, label.events),
        (arm.n, label.n),
        (Decimal(mean) if mean is not None else None, label.mean),
    )
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    printed = arm.percent is not None and label.percent is None and label.mean is not None
    return bool(both) and all(one == other for one, other in both) and not printed


def _is_named(name: str, label: LabelledArm) -> bool:
    own = _tokens(name)
    for one in label.names:
        wanted = _tokens(one)
        numbers = {token for token in wanted if token[0].isdigit()}
        if wanted <= own or (own and own <= wanted and numbers <= own):
            return True
    return False


def _tokens(name: str) -> frozenset[str]:
    return frozenset(
        re.sub(r"(?<=[a-z])s$", "", w) for w in re.findall(r"[a-z]+\d*[a-z]*|\d+(?:\.\d+)?", name.casefold())
    )


def _is_effect(result: StudyResult, fact: Fact) -> bool:
    effect = result.effect
    assert effect is not None
    if effect.measure != fact.measure or effect.ci_low is None or effect.ci_high is None:
        return False
    numbers = (effect.estimate, effect.ci_low, effect.ci_high)
    tested, comparator = fact.arms
    if not result.comparison:
        return _equal(numbers, fact.numbers)
    first, second = result.comparison
    if _is_named(first, tested) and not _is_named(first, comparator):
        return _equal(numbers, fact.numbers) and not _is_named(second, tested)
    if not _is_named(first, comparator):
        return False
    a, low, high = fact.numbers
    around = (
        (-a, -high, -low) if fact.measure in {"MD", "RD", "SMD"} else tuple(round(1 / x, 2) for x in (a, high, low))
    )
    return _equal(numbers, around)


def _equal(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) < 1e-9 for a, b in zip(one, other, strict=True))
