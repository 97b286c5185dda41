"""Is a source's text about the people that a question asks about? And whom does a text say that it is about?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge.notation import group

from openwork_language.abbreviations import initials_at, meanings_of
from openwork_language.asking.being_on import is_on, is_told_of_people
from openwork_language.asking.figures import AGE, figures_in
from openwork_language.asking.groups import excludes, groups_named
from openwork_language.asking.intervals import of_intervals, of_ranges
from openwork_language.asking.of_others import (
    Relation,
    are_named_with,
    disease_of_another,
    is_of_another,
    relation_before,
)
from openwork_language.asking.relations import Told as Told
from openwork_language.asking.relations import relation_of
from openwork_language.asking.states import is_other_state
from openwork_language.asking.words import asking, disease_of, whole
from openwork_language.identity import Mark, is_contradicted, marks_of
from openwork_language.mentions import idea_tokens
from openwork_language.searching.information import SOME, information
from openwork_language.searching.polarity import is_absent_at
from openwork_language.sentences import split_sentences
from openwork_language.terms import Term, find_terms, first_of
from openwork_language.tokens import COMMON_TOKENS


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a text that says whom it is about; `text` is exactly [start, end)."""

    text: str
    start: int
    end: int
    excluded: bool
    """True when those named in it are left out: "excluded", "not eligible"."""


_EXCLUDED = re.compile(
    r"\b(?:(?:was|were|are|is|been|be)\s+(?:excluded|ineligible)|"
    r"(?:was|were|are)\s+not\s+(?:eligible|enrolled|included)|"
    r"(?:was|were|are|is)\s+(?:\w+\s+)?(?:reasons?|grounds?|criteria|criterion|causes?)\s+(?:for|of)\s+exclusion|"
    r"(?:was|were|are|is)\s+(?:an?\s+|the\s+)?(?:key\s+|main\s+)?exclusions?(?:\s+criteri(?:on|a))?)\b",
    re.IGNORECASE,
)
_OF_SOME = re.compile(
    r"\s(?:in|among)\s+(?:people|patients|those|participants)\s+(?:on|with|taking|receiving|treated|who)\b[^,;]*$",
    re.IGNORECASE,
)
""" "Stroke [in people on aspirin] was excluded": nobody is left out for what they are on."""
_EXCLUDED_IF = re.compile(
    r"\s*,?\s+(?:if|when|for|because|who|with|from|as (?:was|were)|along with|together with)\b(?! the analys)",
    re.IGNORECASE,
)
_EXCLUDES = re.compile(
    r"\b(?:exclud(?:ed|es|ing)|left out|leav(?:es|ing) out|exclusion criteria\b\W*(?:were|included|are)?"
    r"|except(?: for| in| with| after)?|with the exception of)\b",
    re.IGNORECASE,
)
_WHO = r"(?:participants?|patients?|people|persons?|women|men|children|adults|one|individuals|subjects?)"
_WHAT = r"(?:trials?|stud(?:y|ies)|reviews?|analys[ie]s|cohorts?)"
_TAKES_IN = r"(?:enrol\w*|includ\w*|recruit\w*|treat\w*|stud(?:y|ied)|test(?:ed)?|examin\w*|involv\w*|randomi[sz]\w*)"
_HAS_IT = (
    r"(?:(?:was|were|had been)\s+(?:on|receiving|taking|using|given|undergoing|treated|pregnant)"
    r"|received|took|used|underwent)"
)
_OF_THEM = rf"(?:\s+of\s+(?:the\s+)?\w+(?:\s+\w+)?|\s+in\s+(?:the\s+)?\w+|\s+{_WHAT})?"
_TELLS_OF = (
    r"(?:inform\w*|address\w*|cover\w*|concern\w*|appl(?:y|ied) to|exten(?:d|ded) to|generali[sz]ed? to|speaks? of)"
)
_NOBODY = re.compile(
    rf"\b(?:none|nobody|neither)\b{_OF_THEM}\s+(?:{_TAKES_IN}|{_HAS_IT})\b"
    rf"|\bno\s+(?:\w+\s+)?{_WHO}\s+{_HAS_IT}\b|\bno\s+(?:\w+\s+)?{_WHAT}\s+{_TAKES_IN}\b"
    rf"|\b(?:found|identified|had|there (?:was|were|is|are))\s+no\s+(?:\w+\s+)?(?:{_WHO}|{_WHAT}|data|evidence)\b"
    rf"|\b(?:did|do|does)\s+not\s+(?:{_TAKES_IN}|{_TELLS_OF})\b|\bcannot\s+(?:be\s+)?{_TELLS_OF}\b",
    re.IGNORECASE,
)
"""That nobody was: "none treated people on dialysis", "no participant was on dialysis", "did not enroll"; or that
nothing is told of them: "does not inform the care of people on dialysis"."""
_ENROLLED = re.compile(
    r"\b(?:enrol\w*|randomi[sz]\w*|recruit\w*|included|inclusion|eligible|participants|assigned|studied)\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(r"(?<![\w-])(?P<non>non-?)?(?P<word>[A-Za-z]{5,}(?:ic|ive|id|ed|al|ous))\b")
_OUTCOME_REACH = 90
"""Characters before a name in which a word makes it an outcome, unless a word that opens a population comes later."""


@lru_cache(maxsize=2048)
def whom(text: str) -> tuple[Clause, ...]:
    """The clauses that tell who was studied: the title or first sentence, who was enrolled, who was left out."""
    return tuple(clause for clause, telling in _clauses(text) if telling)


def clauses(text: str) -> tuple[Clause, ...]:
    """Every clause of a text, those that leave somebody out marked."""
    return tuple(clause for clause, _ in _clauses(text))


@lru_cache(maxsize=2048)
def _clauses(text: str) -> tuple[tuple[Clause, bool], ...]:
    """Every clause, and whether it tells whom the text is about."""
    found: list[tuple[Clause, bool]] = []
    for n, sentence in enumerate(split_sentences(text)):
        enrols = n == 0 or _ENROLLED.search(sentence.text) is not None
        for start, end, excluded in _cut(sentence.text):
            words = sentence.text[start:end]
            telling = enrols or excluded or whole("head").search(words) is not None
            found.append((Clause(words, sentence.start + start, sentence.start + end, excluded), telling))
    return tuple(found)


def _cut(sentence: str) -> list[tuple[int, int, bool]]:
    """The sentence parted where an exclusion begins or ends: start, end, whether what it names is left out."""
    if passive := _EXCLUDED.search(sentence):
        begin = max(sentence.rfind(mark, 0, passive.start()) for mark in (";", ":", ", but ")) + 1
        goes_on = _EXCLUDED_IF.match(sentence, passive.end()) is not None
        after = [] if passive.end() == len(sentence) else [(passive.end(), len(sentence), goes_on)]
        of_some = _OF_SOME.search(sentence[: passive.start()], begin)
        end = of_some.start() if of_some else passive.end()
        return [(0, begin, False)] * (begin > 0) + [(begin, end, True), *after]
    if active := _EXCLUDES.search(sentence):
        return [(0, active.start(), False), (active.start(), len(sentence), True)]
    if nobody := _NOBODY.search(sentence):
        end = min(
            (at for mark in ("; ", ", but ") if (at := sentence.find(mark, nobody.end())) >= 0), default=len(sentence)
        )
        after = [(end, len(sentence), False)] if end < len(sentence) else []
        return [(0, nobody.start(), False), (nobody.start(), end, True), *after]
    return [(0, len(sentence), False)]


@lru_cache(maxsize=32_768)
def told_of(term: PopulationTerm, text: str) -> Told:
    """Whether `text`, a sentence, a title or an abstract, is about the people of `term`.

    Of a term that is not wanted ("without diabetes") it is SAME only when the text says so, OTHER when it is about
    people who have it, and NOT_TOLD otherwise.
    """
    if _CONTACTS.search(term.text) and not _CONTACTS.search(text):
        return Told.NOT_TOLD  # who has it tells of nobody around them
    if (of := _OF_WHAT.fullmatch(term.text)) is not None:
        term = term.model_copy(update={"text": f"contacts of {of['disease']}", "name": None, "mesh_id": None})
    having: list[Told] = []
    lacking: list[Told] = []
    parts = sorted(_clauses(text), key=lambda one: not one[1])  # who was enrolled tells most
    enrolled = (clause.text for clause, _ in parts if not clause.excluded and _ENROLLED.search(clause.text))
    in_figures = term.measure == AGE and any(_tells_figure(term, own) for own in enrolled)
    for clause, _ in parts:
        if in_figures and not clause.excluded and not _tells_figure(term, clause.text):
            continue  # "adults" beside "enrolled people aged 2 to 59 years"
        for told, absent in _found(term, clause.text):
            (lacking if absent or clause.excluded else having).append(told)
    lacks = any(told in (Told.SAME, Told.WIDER) for told in lacking)
    if not term.wanted:
        has = any(told in (Told.SAME, Told.PART) for told in having)
        return (Told.WIDER if has else Told.SAME) if lacks else Told.OTHER if has else Told.NOT_TOLD
    if lacks and Told.SAME not in having:
        return Told.OTHER
    return next((told for told in having if told is not Told.OTHER), Told.OTHER if having else Told.NOT_TOLD)


_OF_WHAT = re.compile(r"(?P<disease>[\w -]+?)\s+(?:household\s+|close\s+)?contacts?", re.IGNORECASE)
""" "MDR TB contacts"; "household contacts" alone are of nothing that is told."""
_CONTACTS = re.compile(r"\b(?:contacts?|exposed|household)\b", re.IGNORECASE)


def _tells_figure(term: PopulationTerm, text: str) -> bool:
    """Whether a text has a figure, and no word, of the measure of a term."""
    return any(f.measure == term.measure and not f.in_words for f in figures_in(text))


_WEAKEST_FIRST = (Told.OTHER, Told.NOT_TOLD, Told.PART, Told.WIDER, Told.SAME)


def told_of_all(terms: Sequence[PopulationTerm], text: str) -> Told:
    """The same for all terms together, which hold together: as little as is told of any of them; SAME for no term.

    A disease whose stage is told ("eGFR of 15 to 29" for "stage 4 CKD") need not be named besides.
    """
    told = {term: told_of(term, text) for term in terms}
    staged = {t.mesh_id for t, what in told.items() if t.kind is PopulationKind.STAGE and what is not Told.NOT_TOLD}
    counted = [w for t, w in told.items() if t.kind is PopulationKind.STAGE or not (t.mesh_id and t.mesh_id in staged)]
    return min(counted, key=_WEAKEST_FIRST.index, default=Told.SAME)


def _found(term: PopulationTerm, text: str) -> Iterator[tuple[Told, bool]]:
    """What a clause says of the term, once for each place: how they relate, and whether it is said to be absent."""
    if term.measure is not None:
        yield from _figures(term, text)
    elif term.mesh_id or term.name:
        yield from _named(term, text)
    elif (of_another := disease_of_another(term.text)) is not None:
        yield from _of_others(*of_another, text)
    elif is_of_another(term.text):
        return
    elif groups := groups_named(term.text):
        yield from _grouped(groups, text)
    else:
        yield from _in_words(term, text)


def _figures(term: PopulationTerm, text: str) -> Iterator[tuple[Told, bool]]:
    """Figures of the same measure as intervals; stages too where they are of the same thing."""
    same_scale = False
    figures = figures_in(text)
    if _tells_figure(term, text):
        figures = tuple(figure for figure in figures if not figure.in_words)  # "children aged 5 to 11"
    for figure in figures:
        if figure.measure == term.measure and not (term.name and is_contradicted(_about(term), text)):
            same_scale = True
            relation = of_intervals((term.low, term.high), (figure.low, figure.high))
            yield Told(relation.value), is_absent_at(text, figure.start, figure.end)
        elif figure.measure == term.measure and _speaks_of_name(term, text):
            yield Told.OTHER, False
    if not same_scale:
        yield from ((Told(relation.value), False) for relation in of_ranges(_scaled(term), text))


def _about(term: PopulationTerm) -> tuple[Mark, ...]:
    return marks_of(f"{term.text} {term.name}")


def _speaks_of_name(term: PopulationTerm, text: str) -> bool:
    return any(mention.mesh_id == term.mesh_id for mention in find_terms(text))


def _scaled(term: PopulationTerm) -> str:
    """The term as words that the ranges read: a stage with its disease."""
    if term.measure in _SCALES and term.low is not None and term.low == term.high:
        return f"{term.measure} {term.low:g} to {term.high:g}"
    is_stage = term.measure == "stage" and term.name is not None
    return f"{term.name} {term.text}" if is_stage else term.text


_SCALES = frozenset({"eGFR", "creatinine clearance"})
"""Measures that stages stand for too; what a preserved ejection fraction is, each trial says for itself."""


def _named(term: PopulationTerm, text: str) -> Iterator[tuple[Told, bool]]:
    """A disease, drug or procedure under any of its names, or as an adjective of people."""
    contradicted = is_contradicted(marks_of(term.text), text)
    counted_alone = said_absent = False
    for mention in find_terms(text):
        absent = is_absent_at(text, mention.start, mention.end)
        of_people = is_told_of_people(text, mention.start, mention.end)
        told = relation_of(term, mention.mesh_id, mention.name, absent=absent, of_people=of_people)
        if told is not None and is_on(term) and not of_people:
            counted_alone = True
            continue
        if told is not None and relation_before(text, mention.start) is not None:
            continue  # "household contacts of patients with it"
        if told is not None and not term.wanted and _is_at_risk(text, mention.start):
            continue
        if told is not None and not is_counted(text, mention.start, mention.end):
            other = contradicted or is_other_state(term.text, text, mention.start, mention.end)
            relation = Told.OTHER if other else told
            if relation is Told.SAME and term.wanted and not absent and OF_WHOM.search(text, 0, mention.start):
                relation = Told.WIDER  # "shock, of whom 280 had cardiogenic shock"
            said_absent = said_absent or (absent and relation is Told.SAME)
            yield relation, absent
            if _either_way().search(text, 0, mention.start) or _is_of_some(term, text, mention.start, mention.end):
                yield relation, True
    for match in _ADJECTIVE.finditer(text):
        subject = disease_of(match["word"])
        told = relation_of(term, subject.mesh_id, subject.heading) if subject else None
        if told is None or relation_before(text, match.start("word")) is not None:
            continue
        if term.wanted or not is_counted(text, match.start("word"), match.end()):
            yield told, match["non"] is not None or is_absent_at(text, match.start("word"), match.end())
    if not (counted_alone or said_absent):  # "stage 5 not on dialysis" is of nobody on it, whatever their stage
        yield from ((Told(relation.value), False) for relation in of_ranges(term.text, text))


def _of_others(disease: Term, asked: Relation, text: str) -> Iterator[tuple[Told, bool]]:
    """Contacts, carers, children of those with the disease of a term; of who has it nothing is told."""
    term = PopulationTerm(
        text=disease.text, start=0, end=len(disease.text), kind=PopulationKind.CONDITION, wanted=True,
        name=disease.name, mesh_id=disease.mesh_id,
    )  # fmt: skip
    for mention in find_terms(text):
        told = relation_of(term, mention.mesh_id, mention.name)
        if told is None:
            continue
        relation = relation_before(text, mention.start)
        if (relation is not None and relation.groups & asked.groups) or are_named_with(asked, text):
            yield told, is_absent_at(text, mention.start, mention.end)


def _is_at_risk(text: str, start: int) -> bool:
    """Who is at risk of something does not have it; "with, or at risk of, it" says so of some alone."""
    return _AT_RISK.search(text, 0, start) is not None and _OR_AT_RISK.search(text, 0, start) is None


def _is_of_some(term: PopulationTerm, text: str, start: int, end: int) -> bool:
    """Whether others among those studied do not have it, where that is asked for: "[it] or its risk factors"."""
    if term.wanted:
        return False
    before = OF_WHOM.search(text, 0, start) or _OR_AT_RISK.search(text, 0, start)
    return before is not None or _OR_RISKS.match(text, end) is not None


_RISK_OF = r"at\s+(?:an?\s+)?(?:\w+\s+){0,2}risk\s+(?:of|for),?\s+(?:\w+\s+){0,2}$"
_AT_RISK = re.compile(rf"\b{_RISK_OF}", re.IGNORECASE)
_OR_AT_RISK = re.compile(rf"\bor\s+(?:(?:who\s+)?(?:were|was|are|is)\s+)?{_RISK_OF}", re.IGNORECASE)
_OR_RISKS = re.compile(
    r",?\s+or\s+(?:with\s+)?(?:[\w-]+\s+){0,3}(?:risk\s+factors?\b|at\s+(?:\w+\s+){0,2}risk\b)"
    r"|,?\s+or,?\s+(?:with\s+)?[\w\s-]{3,30}?\bplus\s+(?:[\w-]+\s+){0,2}risk\s+factors?\b",
    re.IGNORECASE,
)


@cache
def _either_way() -> re.Pattern[str]:
    return re.compile(rf"\b{asking('either way')}\s+(?:\w+\s+){{0,2}}$", re.IGNORECASE)


def is_counted(text: str, start: int, end: int) -> bool:
    """Whether a disease is what was counted and not who was studied: "the risk of stroke", "stroke prevention"."""
    if _prevented().match(text, end) or _HAPPENED.match(text, end):
        return True
    reach = max(0, start - _OUTCOME_REACH)
    counted = max((match.end() for match in _counts().finditer(text, reach, start)), default=-1)
    opened = max((match.end() for match in _opens().finditer(text, reach, start)), default=-1)
    return counted > opened


@cache
def _counts() -> re.Pattern[str]:
    counted = f"{asking('outcome of', 'is counted')}|{group('question_slots', 'effect')}"
    return re.compile(rf"(?<![\w-])(?:{counted})(?![\w-])", re.IGNORECASE)


@cache
def _opens() -> re.Pattern[str]:
    opening = asking("cue in", "cue with", "cue after", "cue undergoing", "cue on", "cue without", "head")
    return re.compile(rf"(?<![\w-])(?:{opening})(?![\w-])", re.IGNORECASE)


_HAPPENED = re.compile(
    r"\s+(?:occurred|happened|(?:was|were)\s+(?:more|less|as|equally)\s+(?:frequent|common)|rates?\b"
    r"|in \d[\d.,]*(?:\s?%|\s(?:of|versus|and)\s\d))",
    re.I,
)
""" "Intracranial bleeding [occurred] in 1%" is of nobody who had one before."""


@cache
def _prevented() -> re.Pattern[str]:
    return re.compile(rf"[\s-]{asking('is prevented')}(?![\w-])", re.IGNORECASE)


def _grouped(asked: frozenset[str], text: str) -> Iterator[tuple[Told, bool]]:
    """A group of people under any of its words; another that it cannot be part of is of others."""
    for name, start, end in groups_named(text, places=True):
        if name in asked:
            yield Told.SAME, is_absent_at(text, start, end)
        elif any(excludes(name, one) for one in asked):
            yield Told.OTHER, False


def _in_words(term: PopulationTerm, text: str) -> Iterator[tuple[Told, bool]]:
    """By the words of the phrase itself: all that tell something in one clause.

    Where nobody is to have had it, it is no sign of others that it was counted: "no event" of "fewer first events".
    """
    asked = term.text
    if (of_drug := _to_drug(asked)) is not None:
        yield from _in_state(*of_drug, text)
        return
    bare = _course().sub("", _POST.sub("", asked)).strip()
    forms = (asked, *meanings_of(asked), *((bare, *meanings_of(bare)) if bare != asked else ()))
    for form in dict.fromkeys((*forms, *_in_full(bare, text))):
        wanted = _telling(form)
        if not wanted or not wanted <= idea_tokens(text) or not _is_phrase(form, text):
            continue
        first = _opening().sub("", form, count=1).split() or form.split()
        places = [m.span() for word in {first[0], form.split()[-1]} for m in re.finditer(re.escape(word), text, re.I)]
        absent = any(is_absent_at(_up_to(text, end, wanted), start, end) for start, end in places)
        if not (term.wanted or absent) and places and all(is_counted(text, *place) for place in places):
            continue
        of_some = not absent and any(OF_WHOM.search(text, 0, start) for start, _ in places[:1])
        yield Told.WIDER if of_some else Told.SAME, absent


def _is_phrase(form: str, text: str) -> bool:
    """Whether words of which none tells anything stand together: "primary outcome, usual care" is no primary care; nor
    are "triglycerides of 200 mg/dL" and "a normal diet" normal triglycerides."""
    words = _TEXT_WORD.findall(_opening().sub("", form, count=1))
    if len(words) > 1 and words[0].casefold() in _VALUES:
        of_it = r"(?:\w+[\W_]+){0,2}" + r"[\W_]+".join(re.escape(word.rstrip("s")) + r"\w*" for word in words[1:])
        return re.search(rf"\b{re.escape(words[0])}[\W_]+{of_it}", text, re.IGNORECASE) is not None
    if len(words) < 2 or any(information(word) >= SOME for word in words):
        return True
    return re.search(r"\b" + r"[\W_]+".join(map(re.escape, words)), text, re.IGNORECASE) is not None


_VALUES = frozenset({"normal", "low", "high", "elevated", "raised", "reduced", "increased", "decreased", "abnormal"})
_SHORT_FORM = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,5}(?![\w-])")


@lru_cache(maxsize=8192)
def _in_full(asked: str, text: str) -> tuple[str, ...]:
    """A phrase with the short forms in it in full ("on chronic HD"); what no list has, as the text's words spell it."""
    found = [asked]
    for match in _SHORT_FORM.finditer(asked):
        meanings = meanings_of(match[0]) or _by_initials(match[0], text)
        found += [asked.replace(match[0], meaning) for meaning in meanings]
    return tuple(found[1:])


def _by_initials(short: str, text: str) -> tuple[str, ...]:
    """Words in a row that begin with the letters of a short form: "impaired fasting glucose" of IFG."""
    words = list(_TEXT_WORD.finditer(text))
    at = initials_at(short, [word[0] for word in words])
    return () if at is None else (text[words[at].start() : words[at + len(short) - 1].end()],)


_TEXT_WORD = re.compile(r"[^\W\d_]+")


def _up_to(text: str, end: int, asked: frozenset[str]) -> str:
    """A text without what stands behind `end` where that is asked too: "-intolerant" takes away no asked statin."""
    behind = _BEHIND.match(text, end)
    return text[:end] if behind is not None and idea_tokens(behind[1]) & asked else text


_BEHIND = re.compile(r"[\s-]+(\w+)")
_STATE = re.compile(r"[-\s](?P<state>susceptible|sensitive|resistant)\W*", re.IGNORECASE)


def _to_drug(asked: str) -> tuple[str, str] | None:
    """A drug's name and how a germ stands to it: "rifampicin-resistant"."""
    drug = first_of(EntityKind.DRUG, asked)
    state = _STATE.fullmatch(asked, drug.end) if drug else None
    return (drug.name, state["state"].casefold()) if drug and state else None


def _in_state(drug: str, state: str, text: str) -> Iterator[tuple[Told, bool]]:
    """The same of the same drug, under any of its names, at one place: of another drug it says nothing."""
    alike = "susceptible|sensitive" if state != "resistant" else state
    for term in find_terms(text):
        if term.name == drug and (match := _STATE.match(text, term.end)) is not None:
            same = re.fullmatch(alike, match["state"], re.IGNORECASE) is not None
            yield Told.SAME if same else Told.OTHER, is_absent_at(text, term.start, match.end())


OF_WHOM = re.compile(
    r"\b(?:of whom|of which|of these|among them|including|partly|in part|mostly|mainly|predominantly|largely)\b"
    r"(?:[^.;]|\.(?=\d))*$"
    r"|\b(?:few|some|half|an? (?:third|quarter|fifth|tenth|minority)"
    r"|(?<![\d.])(?:[1-9]|[1-8]\d)(?:\.\d+)?\s?(?:%|per ?cent))\s+(?:of (?:them|the)\s+)?"
    r"(?:(?:people|participants|patients|women|men|children)\s+)?(?:(?:in|of) [\w-]+(?: [A-Z]+)?\s+)?"
    r"(?:had|have|took|were on)\s+(?:[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)
"""Behind it stand parts of those who were studied: "of whom 280 had", "about 2% had", "few participants had"."""
_POST = re.compile(r"post-?\s?(?=[A-Z])", re.IGNORECASE)
""" "Post-MI" is after it."""


@cache
def _opening() -> re.Pattern[str]:
    cues = asking("cue without", "cue after", "cue on", "cue undergoing", "cue with", "cue who", "cue in")
    return re.compile(rf"(?<![\w-])(?:(?:{cues}\s+)+|(?:non-?|un(?=\w+ed\b)))", re.IGNORECASE)


@cache
def _course() -> re.Pattern[str]:
    return re.compile(rf"\b{group('groups-of-people', 'time course')}\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _telling(text: str) -> frozenset[str]:
    """What tells something in a phrase: without its opening words, those of its course, those of every abstract."""
    tokens = idea_tokens(_course().sub(" ", _opening().sub("", text, count=1)))
    return (tokens - COMMON_TOKENS) or tokens
