"""Results that a source tells in sentences: an effect with its interval, whose outcome and arms stand beside it.

Of a sentence with several effects each has the clause that ends with it. An outcome is taken from the places where one
is named ("the risk of ...", "... occurred in", "reduced ..."); where none of them holds, the result is left out: a
figure that is of nothing known tells a reader nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache

from openwork_contracts.evidence import EffectEstimate, EvidenceCandidate
from openwork_contracts.question import EntityKind
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import words
from openwork_language.cells.contrasts import find_contrasts
from openwork_language.cells.times import read_times
from openwork_language.effects.find import stance_of
from openwork_language.effects.words import Certainty
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms

from openwork_answers.outcomes import read_outcome
from openwork_answers.reported import RATIOS, Arm, Reported, parted

_DIFFERENCES = frozenset({"RD", "ARR", "MD", "SMD"})
_FIGURES = frozenset({QuantityKind.FRACTION, QuantityKind.PERCENT, QuantityKind.RATE})
_K = QuantityKind

_VERB = (
    r"(?:(?:was|were|is|are|did|had|has|have been|has been|had been)\b|occurred\b|developed\b|happened\b|fell\b|rose\b"
    r"|increased\b|decreased\b|declined\b|dropped\b|differed\b|showed\b)"
)
_SUBJECT = re.compile(rf"^(?P<o>[^.;]{{3,160}}?)\s+(?:also\s+)?{_VERB}", re.IGNORECASE)
_RISK_OF = re.compile(
    r"\b(?:risks?|rates?|incidence|odds|likelihood|probability|hazard|occurrence|number|frequency|prevalence|proportion)"
    r"\s+(?:of|for)\s+(?P<o>.{3,120})",
    re.IGNORECASE,
)
_DIFFERENCE_IN = re.compile(
    r"\b(?:differences?|reductions?|decreases?|increases?|declines?|improvements?|changes?|effects?|benefits?)"
    r"\s+(?:in|on|of|for)\s+(?P<o>.{3,120})",
    re.IGNORECASE,
)
_ACTED = re.compile(
    r"\b(?:reduc|lower|increas|rais|decreas|prevent|improv|cut|worsen|prolong|affect|chang)\w*\s+(?P<o>.{3,120})",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(
    r"\b(?:lower|higher|less|more|fewer|greater|similar|worse|better)\s+(?P<o>.{3,120})", re.IGNORECASE
)
_DIED = re.compile(r"\b(?P<o>died(?:\s+(?:from|of)\s+(?:any\s+cause|[a-z-]+(?:\s+causes?)?))?)\b", re.IGNORECASE)
_OUTCOME_END = re.compile(
    r"[,;:()\[\]]|\b(?:compared|versus|vs|than|with(?!in)|in(?!\s*-)|among|for(?=\s+(?:patients|people|those|the))|by|at|after|over"
    r"|during|between|when|while|whereas|but|within|was|were|is|are|did|had|from(?=\s+\d)|to(?=\s+\d)|per(?=\s+\d)"
    r"|on(?=\s+[a-z]+\s+(?:than|compared))"
    r"|significantly|similarly)\b|\s\d|$",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:(?:in|at|after|over|by|during|within|among|for|with|from)\s[^,]{2,120},\s+)+", re.IGNORECASE
)
_PARTS = re.compile(rf";\s+|,?\s+(?:and|but|whereas|while)\s+(?=[^.;]{{3,120}}?\s{_VERB})", re.IGNORECASE)
"""Between clauses that have a verb each."""
_ARTICLE = re.compile(
    r"^(?:and\s+|but\s+|while\s+|whereas\s+)?(?:the\s+|an?\s+|their\s+)?"
    r"(?:(?:relative|absolute|adjusted|crude|annual|cumulative|overall|estimated|significant|significantly|composite|hazard)"
    r"\s+)*"
    r"(?:(?:risks?|rates?|incidence|odds|hazard|event rates?|number|proportion|frequency)\s+(?:of|for)\s+)?"
    r"(?:the\s+|an?\s+)?(?:(?:first|primary|key|main)\s+(?:composite\s+)?(?=(?:\w+\s+)?outcomes?\s+of))?",
    re.IGNORECASE,
)
_PRIMARY = re.compile(
    r"^(?:the\s+)?(?P<which>co-?primary|primary|secondary|main|principal|key secondary)\s+"
    r"(?:composite\s+)?(?:efficacy\s+|safety\s+|composite\s+)?(?:outcome|end\s?-?point|event|outcome event)s?$",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"\b(?P<which>co-?primary|primary|secondary|main|principal|key secondary)\s+(?:composite\s+)?"
    r"(?:efficacy\s+|safety\s+|composite\s+)?"
    r"(?:outcome|end\s?-?point)s?(?:\s+\([^)]*\))?(?:\s+(?:was|were|is|included|comprised)|,|\s*[:=])\s+"
    r"(?:(?:the\s+|a\s+)?(?:composite|combination|time to first occurrence|time to the first|first occurrence"
    r"|occurrence|incidence|rate|risk)\s+of\s+)?"
    r"(?:the\s+|a\s+|an\s+)?(?P<o>[^.;]{3,220})",
    re.IGNORECASE,
)
_PEOPLE, _GIVEN, _BEHIND = (any_of(words("arm-words", each)) for each in ("people", "given", "behind"))
_ARM_BEHIND = re.compile(
    rf"^\)?(?:\s*\([^()]*\))*\s*(?:of\s+)?(?:the\s+|all\s+|those\s+)?(?:{_PEOPLE}\s+)?(?:\([^()]*\)\s*)?"
    rf"(?:who\s+(?:were\s+|had\s+)?)?{_GIVEN}\s+(?:the\s+)?(?P<arm>[^,;()]{{2,80}}?)"
    rf"(?=\s+(?:groups?|arms?)\b|\s+{_BEHIND}\b|\s*[,;()]|\.(?:\s|$)|$)",
    re.IGNORECASE,
)
_PRINTED_TIME = re.compile(r"(?:day|week|month|year)s?\s+\d+|\d+(?:\.\d+)?[- ](?:day|week|month|year)s?", re.IGNORECASE)
_HAPPENED = re.compile(
    r"\b(?P<o>died\b.*|(?:needed|required|had|developed|experienced|suffered|reported)\s+(?:an?\s+|the\s+)?.{3,120})",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:background|introduction|objectives?|aims?|context|purpose|rationale|importance)\b", re.IGNORECASE
)
"""Parts of a summary that tell of what others found."""
_PAIR_CHARS = 90
"""Between two figures of one comparison."""
_NOT_AN_ARM = re.compile(
    r"^(?:total|all|both|patients|participants|each|whom|which|those|when|where|while|after|before)\b|\d\s*%",
    re.IGNORECASE,
)
_IS_TIME = re.compile(r"[\s-]*(?:day|week|month|year)s?\b", re.IGNORECASE)
"""The "risks of 30 day mortality" are none of 30."""
_SKIPPED = re.compile(any_of(words("headings-without-findings")), re.IGNORECASE)


def told_results(
    n: int, document: EvidenceCandidate, passages: Sequence[RankedPassage], *, first_place: int = 0
) -> Iterator[Reported]:
    """Results in the sentences of a source's abstract and passages, each sentence once.

    Args:
        passages: of this source.
        first_place: places of the results told begin here, behind those of its table.
    """
    seen: set[str] = set()
    place = first_place
    whole = " ".join(part.text for part in document.abstract)
    defined = _definitions(whole)
    for text, passage in _sentences(document, passages):
        if text in seen:
            continue
        seen.add(text)
        for found in results_in(text):
            outcome = _resolved(found.outcome, defined)
            if outcome is None:
                continue
            named = parted(outcome)
            yield Reported(
                n=n,
                document=document,
                outcome=named.outcome,
                comparison=found.comparison,
                people=named.people,
                time=found.time,
                arms=found.arms,
                effect=found.effect,
                text_origin=document.text_origin,
                place=place,
                passage_id=passage.passage_id if passage else None,
                quote=text,
            )
            place += 1


def _sentences(
    document: EvidenceCandidate, passages: Sequence[RankedPassage]
) -> Iterator[tuple[str, RankedPassage | None]]:
    for passage in passages:
        if not _SKIPPED.fullmatch(passage.section.split(" > ")[-1].strip()):
            for sentence in split_sentences(passage.text):
                yield sentence.text, passage
    for part in document.abstract:
        if not part.label or not (_SKIPPED.fullmatch(part.label.strip()) or _OTHERS.match(part.label.strip())):
            for sentence in split_sentences(part.text):
                yield sentence.text, None


@lru_cache(maxsize=512)
def _definitions(abstract: str) -> dict[str, str]:
    """What the abstract says its primary outcome is."""
    found: dict[str, str] = {}
    for match in _DEFINED.finditer(abstract):
        if not find_quantities(match["o"][:40]):
            found.setdefault(match["which"].casefold(), match["o"].strip())
    return found


def _resolved(outcome: str, defined: dict[str, str]) -> str | None:
    match = _PRIMARY.match(outcome.strip())
    return defined.get(match["which"].casefold()) if match else outcome


class _Found:
    __slots__ = ("arms", "comparison", "effect", "outcome", "time")

    def __init__(
        self,
        outcome: str,
        comparison: tuple[str, ...],
        arms: tuple[Arm, ...],
        effect: EffectEstimate | None,
        time: str | None,
    ) -> None:
        self.outcome, self.comparison, self.arms, self.effect, self.time = outcome, comparison, arms, effect, time


@lru_cache(maxsize=8192)
def results_in(sentence: str) -> tuple[_Found, ...]:
    """Every effect with an interval, and what it is of."""
    quantities = find_quantities(sentence)
    effects = [q for q in quantities if q.kind is _K.EFFECT and (q.measure or "") in RATIOS | _DIFFERENCES]
    if stance_of(sentence).certainty is Certainty.OPEN:
        return ()
    if not effects:
        return _pairs(sentence, quantities)
    found: list[_Found] = []
    start = 0
    for i, effect in enumerate(effects):
        until = effects[i + 1].start if i + 1 < len(effects) else len(sentence)
        interval = next((q for q in quantities if q.kind is _K.INTERVAL and effect.end <= q.start < until), None)
        if interval is None or interval.high is None or _IS_TIME.match(sentence, effect.end):
            continue
        if not interval.low <= effect.value <= interval.high:
            continue  # misread: "RR 95%CI = 1.17-4.69"
        end = _closing(sentence, interval.end)
        clause = sentence[start : effect.start]
        outcome = outcome_in(clause) or (outcome_in(sentence) if len(effects) == 1 else None)
        if outcome is not None:
            figures = [q for q in quantities if q.kind in _FIGURES and start <= q.start < effect.start]
            comparison, arms = _sides(sentence, clause, figures)
            p = next((q for q in quantities if q.kind is _K.P_VALUE and interval.end <= q.start < until), None)
            found.append(_Found(outcome, comparison, arms, _estimate(effect, interval, p), _time(sentence)))
        start = end
    return tuple(found)


def _pairs(sentence: str, quantities: Sequence[Quantity]) -> tuple[_Found, ...]:
    """Two figures side by side and no effect: "ketoacidosis (0.3% versus 0.1%) was more frequent with A than B"."""
    figures = [q for q in quantities if q.kind in _FIGURES]
    found: list[_Found] = []
    start = 0
    i = 0
    while i + 1 < len(figures):
        group = _same_fact(sentence, figures, i)
        first, second = group[0], group[-1]
        if len(group) < 2 or first is second:
            i += 1
            continue
        opening = sentence.rfind("(", start, first.start)
        in_brackets = opening >= 0 and ")" not in sentence[opening : first.start]
        outcome = _noun_before(sentence[start:opening]) if in_brackets else outcome_in(sentence[start : first.start])
        outcome = outcome or _outcome_behind(sentence[second.end :])
        comparison, arms = _sides(sentence, sentence, group)
        if outcome is not None and len(arms) == 2 and (in_brackets or i + len(group) == len(figures)):
            found.append(_Found(outcome, comparison, arms, None, _time(sentence)))
        start = _closing(sentence, second.end) if in_brackets else second.end
        i += len(group)
    return tuple(found)


def _outcome_behind(text: str) -> str | None:
    """ "25% of patients given A and 35% of those given B needed renal replacement therapy"."""
    match = _HAPPENED.search(text)
    outcome = (
        _clean(re.sub(r"^(?:needed|required|had|developed|experienced|suffered|reported)\s+", "", match["o"]))
        if match
        else ""
    )
    return outcome if outcome and _names(outcome) else None


def _same_fact(sentence: str, figures: Sequence[Quantity], i: int) -> list[Quantity]:
    """Figures from the i-th on that belong to two arms: "386 of 2373 (16.3%) ... and 502 of 2371 (21.2%)"."""
    group = [figures[i]]
    for q in figures[i + 1 : i + 4]:
        between = sentence[group[-1].end : q.start]
        if len(between) > _PAIR_CHARS or ";" in between or (between.count("(") and ")" in between.rsplit("(", 1)[0]):
            break
        group.append(q)
    arms = _arms(sentence, group)
    while len(arms) > 2:
        group.pop()
        arms = _arms(sentence, group)
    return group if len(arms) == 2 else group[:1]


def _noun_before(text: str) -> str | None:
    """The noun that stands right before a bracket."""
    phrase = re.split(r"[,;:]|\b(?:and|or|but|with|was|were|than|of|in|had)\b", text)[-1].strip()
    return phrase if phrase and _names(phrase) else outcome_in(text)


def _estimate(effect: Quantity, interval: Quantity, p_value: Quantity | None) -> EffectEstimate:
    assert interval.high is not None
    return EffectEstimate(
        measure=effect.measure or "",
        estimate=float(effect.value),
        ci_low=float(interval.low),
        ci_high=float(interval.high),
        ci_level=float(interval.level / 100) if interval.level else None,
        p_value=p_value.text if p_value else None,
    )


def _closing(sentence: str, end: int) -> int:
    match = re.compile(r"[^()]*?[)\]]+[,;]?").match(sentence, end)
    return match.end() if match else end


def _time(sentence: str) -> str | None:
    """The first time point, as it is printed."""
    for place, _ in read_times(sentence):
        if match := _PRINTED_TIME.match(sentence, place):
            return match[0]
    return None


def outcome_in(clause: str) -> str | None:
    """The outcome that a clause names; `None` = in no place where one is looked for."""
    bare = re.sub(r"\s*[(\[][^()\[\]]*$", "", re.sub(r"\s*\([^()]*\)", "", clause)).strip()
    for part in reversed(_PARTS.split(bare)):
        if outcome := _in_part(_LEAD_IN.sub("", part.strip())):
            return outcome
    return None


def _in_part(bare: str) -> str | None:
    subject = _SUBJECT.match(bare)
    if subject and (outcome := _clean(_after_of(subject["o"]))) and _names(outcome):
        return outcome
    for pattern in (_RISK_OF, _DIFFERENCE_IN, _ACTED, _COMPARATIVE, _DIED):
        for match in reversed(list(pattern.finditer(bare))):
            outcome = _clean(match["o"])
            if outcome and _names(outcome):
                return outcome
    return None


def _after_of(subject: str) -> str:
    """ "The rate of major bleeding" is of major bleeding; "rivaroxaban users" is no outcome."""
    match = _RISK_OF.search(subject)
    return match["o"] if match else subject


def _clean(text: str) -> str:
    text = _ARTICLE.sub("", text.strip())
    end = _OUTCOME_END.search(text)
    return text[: end.start()].strip(" ,.") if end else text.strip(" ,.")


def _names(outcome: str) -> bool:
    """Whether it names an outcome: something known, or the primary one."""
    if _PRIMARY.match(outcome):
        return True
    return bool(outcome) and len(outcome.split()) <= 20 and any(atom.things for atom in read_outcome(outcome).atoms)


def _sides(sentence: str, clause: str, figures: Sequence[Quantity]) -> tuple[tuple[str, ...], tuple[Arm, ...]]:
    arms = _arms(sentence, figures)
    if len(arms) == 2 and all(arm.name for arm in arms):
        return tuple(arm.name for arm in arms), arms
    contrast = next(iter(find_contrasts(clause)), None) or next(iter(find_contrasts(sentence)), None)
    if contrast is None:
        return (), ()
    names = (_without_lead_in(contrast.first.strip()), contrast.second.strip())
    if len(arms) == 2 and any(arm.name for arm in arms):
        return (), ()  # one is called by a name that the other has not: whose they are is not known
    if len(arms) == 2:  # "(22.9% vs 25.7%)", in the order of the comparison
        return names, (_renamed(arms[0], names[0]), _renamed(arms[1], names[1]))
    return names, ()


def _without_lead_in(arm: str) -> str:
    """ "Atrial fibrillation and kidney disease, apixaban" is of apixaban."""
    arm = re.sub(r"\s+(?:was|were|is|are)$", "", arm)
    _, comma, last = arm.rpartition(", ")
    return last if comma and any(t.kind is EntityKind.DRUG or t.is_class for t in find_terms(last)) else arm


def _renamed(arm: Arm, name: str) -> Arm:
    return Arm(name, arm.n, arm.events, arm.percent, arm.per)


def _arms(sentence: str, figures: Sequence[Quantity]) -> tuple[Arm, ...]:
    """Figures that stand for an arm each; the same fact told twice is one: "386 of 2373 (16.3%)"."""
    arms: list[Arm] = []
    for q in figures:
        if q.kind is _K.PERCENT and arms and arms[-1].events is not None and arms[-1].percent is None:
            share = Decimal(arms[-1].events * 100) / Decimal(max(1, arms[-1].n or 1))
            if abs(share - q.value) < Decimal("0.6"):
                arms[-1] = Arm(arms[-1].name, arms[-1].n, arms[-1].events, _digits(q))
                continue
        name = _arm_behind(sentence, q.end)
        if q.kind is _K.FRACTION and q.total is not None:
            arms.append(Arm(name, int(q.total), int(q.value)))
        elif q.kind is _K.RATE:
            arms.append(Arm(name, percent=_digits(q), per=_per(q)))
        else:
            arms.append(Arm(name, percent=_digits(q)))
    return tuple(arms)


def _digits(q: Quantity) -> str:
    return str(q.value)


def _per(q: Quantity) -> str:
    return (q.unit or "").removeprefix("/").replace("%/", "100 person-")


def _arm_behind(sentence: str, end: int) -> str:
    match = _ARM_BEHIND.match(sentence, end) or _ARM_BEHIND.match(sentence[end:])
    name = match["arm"].strip() if match else ""
    return "" if _NOT_AN_ARM.search(name) else name
