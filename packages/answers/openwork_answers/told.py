"""Results that a source tells in sentences: an effect with its interval, whose outcome and arms stand beside it.

Of a sentence with several effects each has the clause that ends with it. Where the outcome is not named in a place
where one is (`named_outcomes`), where the sides of a comparison can be no arms (`arms`), or where the figures are of
something else (`excluded`), the result is left out: a false result is worse than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from openwork_contracts.evidence import EffectEstimate, EvidenceCandidate
from openwork_contracts.measures import DIFFERENCES, RATIOS, REDUCTIONS
from openwork_contracts.question import EntityKind
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import words
from openwork_language.effects.find import stance_of
from openwork_language.effects.words import Certainty
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms

from openwork_answers.arms import acts, arm_name, arms_of, compares, names_treatment
from openwork_answers.excluded import (
    OTHERS,
    is_share,
    tells_a_course,
    tells_an_association,
    tells_of_no_treatment,
    tells_who_was_studied,
)
from openwork_answers.figures import VERSUS, turned, unsigned, with_differences
from openwork_answers.found import Found, closing, is_a_side, sides_and_arms, subject_of, time_in
from openwork_answers.measured import with_measured
from openwork_answers.named_outcomes import (
    definitions,
    noun_before,
    outcome_for,
    outcome_in,
    outcome_listed,
    resolved,
)
from openwork_answers.one_acted import told_of_one
from openwork_answers.one_named import against_the_other, sides_of_title
from openwork_answers.outcomes_by_place import outcome_by_place
from openwork_answers.pairs import FIGURES, pairs_in
from openwork_answers.part_told import part_told, with_definition
from openwork_answers.reductions import is_in_percent, with_reductions
from openwork_answers.reported import Reported, parted
from openwork_answers.responses import response_of
from openwork_answers.series import series_in
from openwork_answers.shares import opening_of, shares_in, with_shares_first
from openwork_answers.source_arms import SourceArms, arms_of_source
from openwork_answers.spelt_out import spelt_out
from openwork_answers.told_alone import EFFICACY, told_alone
from openwork_answers.told_beside import Effect, Reading, with_rates, with_those_beside
from openwork_answers.two_doses import two_doses_in
from openwork_answers.two_groups import of_two_groups, those_that_follow

_K = QuantityKind
_IS_TIME = re.compile(r"[\s-]*(?:day|week|month|year)s?\b", re.IGNORECASE)
"""The "risks of 30 day mortality" are none of 30."""
_SKIPPED = re.compile(any_of(words("headings-without-findings")), re.IGNORECASE)
_GLUED = re.compile(r"(?<=[a-z)\]])\.(?=[A-Z][A-Za-z]+:)")
"""A heading that follows without a blank begins another sentence."""
_FIGURES_BEHIND = re.compile(r"\s*(?:(?:compared|than|versus|vs)\b[^()\[\]]*)?(?:$|[(\[\d:]|(?:HR|RR|OR)\b)")
_GROUPS = re.compile(
    r"\b(?:between|in|across)\s+(?:the\s+)?(?:two\s+|both\s+|study\s+|treatment\s+)*(?:groups|arms)\b", re.IGNORECASE
)
_ACTS = re.compile(
    r"\b(?:reduced|reduces|decreased|decreases|lowered|lowers|prevented|prevents|improved|improves)\s+(?!in\b)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:but|although|whereas|while|however)\b", re.IGNORECASE)
_AMONG = re.compile(
    r"\b(?:in|among|for)\s+(?!(?:the\s+)?(?:patients|participants|people|all|both|either|these)\b)[^,;()]{3,60}\s*[(\[]?$",
    re.IGNORECASE,
)


_OF_ANOTHER_STUDY = re.compile(
    r"In an? (?:later|subsequent|previous|earlier|separate|different)\b[^.;]{0,60}?\b(?:trial|study|cohort)\b",
    re.IGNORECASE,
)
""" "In a later trial, ..." of a trial's record: figures of another one, which its name must not stand beside."""


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
    against = _prevented(document.title)
    whole = " ".join(part.text for part in document.abstract)
    defined = _definitions(whole)
    sides = sides_of_title(document.title)
    arms = arms_of_source(document)
    for text, passage in _sentences(document, passages):
        if text in seen or _OF_ANOTHER_STUDY.match(text):
            continue
        seen.add(text)
        counted = with_shares_first(text)
        for found in those_that_follow(counted, _results_in(counted, whole, sides, arms)):
            outcome = resolved(found.outcome if found.outcome != EFFICACY else against or "", defined)
            if not outcome:
                continue
            if against and _KIND_OF_GERM.match(outcome):
                outcome = f"{outcome} {against}"
            before = whole[: whole.find(text)] if text in whole else whole
            outcome = response_of(spelt_out(outcome, whole), document.title, before)
            named = parted(outcome)
            people = _people_of(named.people, found.people, document) or _stratum(text) or part_told(text, document)
            yield Reported(
                n=n,
                document=document,
                outcome=named.outcome,
                comparison=found.comparison,
                people=people and with_definition(people, text),
                time=found.time,
                arms=found.arms,
                effect=found.effect,
                text_origin=document.text_origin,
                place=place,
                passage_id=passage.passage_id if passage else None,
                quote=text,
            )
            place += 1


def _stratum(sentence: str) -> str | None:
    """The part of the people that a sentence opens with: "In the stratum with [less severe septic shock], ..."."""
    match = _IN_A_STRATUM.match(sentence)
    return None if match is None else f"with {match['who']}"


_IN_A_STRATUM = re.compile(
    r"In (?:the|an?) (?:[\w-]+ ){0,3}?(?:stratum|subgroup)s? (?:with|of) (?P<who>[^,;()\d]{3,60}),", re.IGNORECASE
)
_KIND_OF_GERM = re.compile(r"(?:serotypes?|genotypes?|serogroups?)\s[\w, ]+$", re.IGNORECASE)
""" "Efficacy against [serotype 1]" is against the disease that it causes."""


@lru_cache(maxsize=512)
def _prevented(title: str) -> str | None:
    """The disease that a title names, by itself or as what a vaccine is against."""
    terms = find_terms(re.sub(r"[- ]?vaccin\w*", " ;", re.sub(r"-(?=[A-Z])", " ", title), flags=re.IGNORECASE))
    return next((t.text.lower() for t in terms if t.kind is EntityKind.DISEASE), None)


def _people_of(named: str | None, told: str | None, document: EvidenceCandidate) -> str | None:
    """Of a part of the people: what the outcome's name says, and what the sentence does; `None` = of all of them.

    What the source says of everybody that it studied is no part of them.
    """
    if told is not None and not re.match(r"(?:at|in|with|after|among)\s", told):  # a part, set beside another
        whole = " ".join((document.title, *(p.text for p in document.abstract if p.label == "Population"))).casefold()
        words = [word for word in re.findall(r"[a-z]{4,}|\d[\d.,]*", told.casefold()) if word not in _OF_ANYBODY]
        told = None if words and all(word in whole for word in words) else told
    return ", ".join(dict.fromkeys(filter(None, (named, told)))) or None


_OF_ANYBODY = frozenset(
    {"people", "patients", "participants", "adults", "with", "those", "from", "aged", "years", "had"}
)


def _sentences(
    document: EvidenceCandidate, passages: Sequence[RankedPassage]
) -> Iterator[tuple[str, RankedPassage | None]]:
    labels = tuple(f"{part.label.strip().rstrip(':')}: " for part in document.abstract if part.label)
    for passage in passages:
        if not _SKIPPED.fullmatch(passage.section.split(" > ")[-1].strip()):
            for sentence in split_sentences(passage.text):  # "Harms: ..." is the name of a part, and of no outcome
                label = next((one for one in labels if sentence.text.startswith(one)), "")
                yield sentence.text[len(label) :], passage
    for part in document.abstract:
        if not part.label or not (_SKIPPED.fullmatch(part.label.strip()) or OTHERS.match(part.label.strip())):
            for sentence in split_sentences(part.text):
                yield sentence.text, None


def _results_in(
    sentence: str, abstract: str, sides: tuple[str, str] | None, arms: SourceArms | None
) -> tuple[Found, ...]:
    """As the sentence stands; with its short forms in full where that tells more, or what a group was given.

    Args:
        sides: the arms of the title.
        arms: those of the source, where its record or its table of results names them: by them the sentence is read
            as it stands, short forms and all, and where that finds something, it is all that is read.
    """
    if arms is not None and (told := _of_arms(sentence, arms)):
        return told
    spelt = spelt_out(sentence, abstract)
    plain, full = results_in(sentence), results_in(spelt)
    if not plain and not full:
        other = against_the_other(spelt, sides) if sides else ()
        if other or _is_of_no_result(sentence):
            return other
        return told_of_one(spelt) or of_two_groups(_GLUED.split(sentence)[0])
    coded = any(re.match(r"(?:group|arm)\b", side, re.IGNORECASE) for found in plain for side in found.comparison)
    return full if len(full) > len(plain) or (coded and len(full) == len(plain)) else plain


@lru_cache(maxsize=8192)
def _of_arms(sentence: str, arms: SourceArms) -> tuple[Found, ...]:
    """What a sentence tells, with what it tells of the arms of its source besides."""
    found = results_in(sentence)
    if _is_of_no_result(sentence) or tells_who_was_studied(sentence):
        return found
    quantities = with_reductions(sentence, _quantities(sentence))
    effects = [
        q
        for q in quantities
        if q.kind is _K.EFFECT
        and ((q.measure or "") in RATIOS | DIFFERENCES or (q.measure in REDUCTIONS and is_in_percent(sentence, q)))
    ]
    read = []
    for i, effect in enumerate(effects):
        if (interval := _interval_of(sentence, effects, i, quantities)) is not None:
            read.append(Effect(effect.start, effect.end, _printed(sentence, effect, interval, quantities)))
        elif effect.measure in RATIOS and _is_alone_in_bracket(sentence, effect):
            read.append(
                Effect(
                    effect.start,
                    effect.end,
                    EffectEstimate(measure=effect.measure, estimate=float(effect.value), ci_level=None),
                )
            )
    reading = Reading(sentence, with_rates(sentence, shares_in(sentence, quantities)), read, arms)
    told = with_those_beside(reading, found)
    told = with_measured(reading, (*told, *told_alone(reading, told)))
    return tuple(_joined([one for one in told if not any(map(_is_cut, one.comparison))], arms))


def _is_cut(name: str) -> bool:
    """Whether a name ends within a bracket, and so within something else."""
    return name.count("(") != name.count(")")


def _joined(told: list[Found], arms: SourceArms) -> Iterator[Found]:
    """A ratio without an interval with the figures of its arms, where each was read by itself."""

    def of(one: Found) -> tuple[str | int | None, ...]:
        return (one.outcome, *map(arms.only, one.comparison))

    bare = {of(one): one for one in told if one.effect is not None and one.effect.ci_low is None and not one.arms}
    taken: list[Found] = []
    for one in told:
        alone = bare.get(of(one)) if one.arms and one.effect is None else None
        if alone is not None and alone.effect is not None and turned(one.arms, alone.effect) is False:
            taken.append(alone)
            yield replace(one, effect=alone.effect)
        elif one not in taken:
            yield one


def _is_alone_in_bracket(sentence: str, effect: Quantity) -> bool:
    """Whether a bracket ends with a ratio that has no interval: "(2.7% versus 1.5%; HR 1.86)"."""
    opening = opening_of(sentence, effect.start)
    return opening > 0 and _ENDS_BRACKET.match(sentence, effect.end) is not None


_ENDS_BRACKET = re.compile(r"\s*(?:[;,]\s*P\s*[<=>]\s*[\d.]+\s*)?\)")


@lru_cache(maxsize=512)
def _definitions(abstract: str) -> dict[str, str]:
    return definitions(abstract)


@lru_cache(maxsize=8192)
def results_in(sentence: str) -> tuple[Found, ...]:
    """Every effect with an interval, and what it is of; where there is none, every pair of figures of two arms."""
    sentence = _GLUED.split(sentence)[0]
    if _is_of_no_result(sentence):
        return ()
    quantities = _quantities(sentence)
    effects = _effects(quantities)
    if not any(_interval_of(sentence, effects, i, quantities) for i in range(len(effects))):
        return () if tells_who_was_studied(sentence) else _shares_in(sentence, quantities)
    found: list[Found] = []
    start = 0
    in_list = False
    for i, effect in enumerate(effects):
        interval = _interval_of(sentence, effects, i, quantities)
        if interval is None:
            continue
        shared = i + 1 < len(effects) and _shares(sentence, interval.end, effect, effects[i + 1])
        clause = sentence[start : effect.start]
        outcome = outcome_in(clause) or (outcome_listed(clause) if in_list else None)
        if outcome is None and len(effects) == 1:
            outcome = outcome_for(sentence[interval.end :])
        if outcome is None and not _CONTRAST.search(clause) and sides_and_arms(sentence, start, effect.start, ())[0]:
            outcome = outcome_by_place(clause)
        if outcome is not None and not shared:
            result = _of_effect(sentence, start, outcome, effect, interval, quantities)
            found += [result] if result else []
        in_list = outcome is not None and _ends_with(clause, outcome)
        start = effects[i + 1].start if shared else closing(sentence, interval.end)
    return tuple(found)


@lru_cache(maxsize=8192)
def _is_of_no_result(sentence: str) -> bool:
    """Whether it tells what is not known, or of predictors, tests and the like."""
    return stance_of(sentence).certainty is Certainty.OPEN or tells_of_no_treatment(
        sentence, treatment=names_treatment(sentence)
    )


@lru_cache(maxsize=4096)
def _quantities(sentence: str) -> tuple[Quantity, ...]:
    return tuple(with_differences(sentence, find_quantities(sentence)))


def _effects(quantities: Sequence[Quantity]) -> list[Quantity]:
    return [q for q in quantities if q.kind is _K.EFFECT and (q.measure or "") in RATIOS | DIFFERENCES]


def _shares_in(sentence: str, quantities: Sequence[Quantity]) -> tuple[Found, ...]:
    """Shares of two doses against another drug, or of two arms side by side, else those of a row of arms."""
    return two_doses_in(sentence) or pairs_in(sentence, quantities) or series_in(sentence, quantities)


def _ends_with(clause: str, outcome: str) -> bool:
    """Whether the figures stand right behind the outcome, as in a list of outcomes with the figures of each."""
    behind = clause[clause.rfind(outcome) + len(outcome) :]
    return outcome in clause and _FIGURES_BEHIND.match(behind) is not None


def _interval_of(sentence: str, effects: Sequence[Quantity], i: int, quantities: Sequence[Quantity]) -> Quantity | None:
    """The interval of the i-th effect; `None` = it has none, or was misread: "RR 95%CI = 1.17-4.69"."""
    effect = effects[i]
    until = effects[i + 1].start if i + 1 < len(effects) else len(sentence)
    interval = next((q for q in quantities if q.kind is _K.INTERVAL and effect.end <= q.start < until), None)
    if interval is None or interval.high is None or _IS_TIME.match(sentence, effect.end):
        return None
    return interval if interval.low <= effect.value <= interval.high else None


def _shares(sentence: str, end: int, effect: Quantity, following: Quantity) -> bool:
    """Whether the next effect of the same measure stands with it, so that none has an outcome of its own."""
    between = sentence[end : following.start]
    return (
        effect.measure == following.measure
        and ")" not in between.replace("(", "", between.count(")") - 1)
        and not (outcome_in(between) or noun_before(between))
    )


def _of_effect(
    sentence: str, start: int, outcome: str, effect: Quantity, interval: Quantity, quantities: Sequence[Quantity]
) -> Found | None:
    clause = sentence[start : effect.start]
    figures = [q for q in quantities if q.kind in FIGURES and start <= q.start < effect.start]
    sides, arms = sides_and_arms(sentence, start, effect.start, figures)
    if sides is None and (
        _is_of_one_arm(sentence, figures) or compares(sentence) or not _of_a_treatment(sentence, effect.start, outcome)
    ):
        return None
    estimate = _printed(sentence, effect, interval, quantities)
    around = turned(arms, estimate)
    if around is None:
        return None
    if around and sides:
        sides, arms = (sides[1], sides[0]), (arms[1], arms[0])
    if is_a_side(outcome, sides) or (
        estimate.measure in DIFFERENCES and (sides is None or (not arms and unsigned(clause, estimate)))
    ):
        return None
    return Found(outcome, sides or (), arms, estimate, time_in(sentence))


def _printed(sentence: str, effect: Quantity, interval: Quantity, quantities: Sequence[Quantity]) -> EffectEstimate:
    """An effect with its interval and P, as it is printed; a risk difference as a share of one."""
    p = next((q for q in quantities if q.kind is _K.P_VALUE and interval.end <= q.start < interval.end + 40), None)
    estimate = _estimate(effect, interval, p)
    if estimate.measure == "RD" and _IN_POINTS.search(sentence[effect.start : effect.end + _UNIT_CHARS]):
        return _of_one(estimate)
    return estimate


_IN_POINTS = re.compile(r"\d\s?(?:%|per\s?cent|percentage|points?\b)", re.IGNORECASE)
_UNIT_CHARS = 4


def _of_one(effect: EffectEstimate) -> EffectEstimate:
    """A risk difference in percentage points as the contracts have it: a share of one, "-6.32 points" as -0.0632."""
    low, high = (None if end is None else round(end / 100, 8) for end in (effect.ci_low, effect.ci_high))
    return effect.model_copy(update={"estimate": round(effect.estimate / 100, 8), "ci_low": low, "ci_high": high})


def _is_of_one_arm(sentence: str, figures: Sequence[Quantity]) -> bool:
    """Whether figures are told of arms, and the other's name is not: "4.2% in the 200-mg group (relative risk ...)"."""
    arms = arms_of(sentence, [q for q in figures if is_share(sentence, q)])
    if len(arms) == 2:
        return not VERSUS.search(sentence[figures[0].end : figures[-1].start])
    return len(arms) == 1 and bool(arms[0].name)


def _of_a_treatment(sentence: str, until: int, outcome: str) -> bool:
    """Whether an effect without named arms is what a treatment did, not what goes with an exposure."""
    bare = re.sub(r"\s*[(\[][^()\[\]]*$", "", re.sub(r"\s*\([^()]*\)", "", sentence[:until]))
    if _GROUPS.search(sentence):
        return True
    if who := acts(bare):
        ill = any(t.kind is EntityKind.DISEASE for t in find_terms(who))
        acted = _ACTS.search(bare) and not ill and not tells_an_association(bare)
        return arm_name(who) is not None and (names_treatment(who) or bool(acted))
    if tells_a_course(bare):
        return False
    if names_treatment(bare.replace(outcome, " ")):
        return True
    if tells_an_association(bare):
        return False
    subject = subject_of(bare)
    if re.match(r"adjust", subject, re.IGNORECASE):
        return False
    told = bool(outcome_in(f"{subject} was")) or re.match(r"there\b", subject, re.IGNORECASE) is not None
    return (told or bool(_ACTS.search(bare))) and not _AMONG.search(bare)


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
