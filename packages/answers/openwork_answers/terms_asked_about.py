"""Whether a term that was read as who is meant is what is asked about: "stroke in AF", "AF after stroke".

What a population cue opens ("in", "with", "after") is who is meant; an event without such a cue, and what stands behind
an outcome's cue ("risk of", "prevent"), is what is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from openwork_contracts.question import PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge.notation import group
from openwork_language.asking.of_others import is_of_another

from openwork_answers.degrees import has_degree, is_had_already
from openwork_answers.outcomes import FATAL, event_names, follows_admission, groups_in, is_harm

_CUE_BEFORE = re.compile(
    r"\b(?:in|with|among|after|following|for|without|despite|during|having|have|has|had|of|post|recent|prior|previous"
    r"|history of)\s+(?:(?:patients?|people|adults?|those|men|women|children|individuals|the|an?|acute|chronic"
    r"|severe|recent|known|established|high-risk|with|who have)\s+){0,4}"
    r"(?:(?!less|more|fewer|lower|higher|reduced|increased|any|no|of)\b[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
_FIRM_CUE = re.compile(
    r"\b(?:in|with|among|after|without|despite|during|having|have|has|had|post|recent|prior|previous|known|established"
    r"|history of|diagnosed with|treatment of|treating|treated for|(?:patients?|people|adults?|those) (?:of|for))\s+"
    r"(?:(?:the|an?|acute|chronic|severe|recent|known|established|high-risk|newly diagnosed)\s+){0,3}(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
MOST_UNSURE = 3
"""Terms that are tried both ways: eight readings."""
_COUNTS = (
    r"deaths? (?:from|due to)|visits? for|risks? of|rates? of|incidence of|frequency of|chances? of|likelihood of"
    r"|odds of|number of|share of|proportion of|percentage of|percent of|cases of|episodes of|need for"
    r"|(?:be|being|get|getting|end up|ending up) (?:re)?(?:admitted|hospitali[sz]ed) (?:with|for)|out of hospital for"
    r"|how (?:many|much|common|frequent) (?:are|is)?"
    r"|more|less|fewer|extra|new|any|another|first|further|recurrent|most severe"
)
_COMES = (
    r"likely to (?:have|get|suffer|develop|experience)|(?:being|be|getting|get) (?:newly )?diagnosed with"
    r"|(?:risks?|chances?|odds) of (?:developing|getting|having|a new)|(?:end|ends|ended|ending) up with"
    r"|from (?:getting|developing|catching|having)|(?:linked|tied) (?:to|with)(?: later)?"
    r"|at (?:stopping|averting|warding off)|avert(?:s|ing)?"
)
_LOWERS = rf"lower(?!\s{group('outcome-phrases', 'lower')})\w*"
""" "Lower GI bleeding" is lowered by nobody."""
_CHANGES = (
    rf"prevent(?!ive\b)\w*|reduc\w*|chang(?:e|es|ed|ing)|alter\w*|affect\w*|influenc\w*|{_LOWERS}|cuts?|decreas\w*"
    r"|increas\w*|rais\w*|caus\w*|gets?|effects? on|impact on"
    r"|improv\w*|worsen\w*|develop\w*|happens? (?:to|with)|in terms of|with (?:regard|respect) to|when it comes to"
)
OUTCOME_BEFORE = re.compile(
    rf"\b(?:{_COUNTS}|{_COMES}|{_CHANGES})\s+"
    r"(?:the\s+|an?\s+)?(?:(?:risks?|rates?|incidence|number|odds)\s+of\s+)?(?:(?:non-?)?fatal\s+(?:or|and)\s+)?"
    r"(?:(?!(?:in|with|among|after|following|for|during|without|of|and|or)\b)\w+[- ]){0,2}$",
    re.IGNORECASE,
)
_FREE_OF = re.compile(r"\b(?:alive|survival|surviv\w+|living)\s+$", re.IGNORECASE)
""" "Alive without dementia" is one outcome."""
CUE_BEFORE_EVENT = re.compile(
    r"\b(?:in|with|among|after|despite|during|having|have|has|had|history of)\s+(?:(?:an?|the)\s+)?$", re.IGNORECASE
)
_RELATED = re.compile(r"-(?:related|specific|associated)\b", re.IGNORECASE)
_OUTCOME_BEHIND = re.compile(
    r"^\s*(?:risks?|rates?|incidence|events?|advantage|disadvantage|penalty|signal|difference|benefit(?!\s+(?:from|with|by))|reduction|prevention"
    r"|(?:any\s+)?(?:less|more|equally|as)\s+(?:common|frequent|rare)"
    r"|(?:newly\s+)?(?:diagnosed|found|seen|reported)\s+(?:any\s+)?(?:less|more)|commoner|rarer)\b",
    re.IGNORECASE,
)
_DIFFERENCE_IN = re.compile(
    r"\b(?:differences?|drop|fall|rise|reductions?|increases?|decreases?|changes?|gain|effects?)\s+(?:in|on)\s+"
    r"(?:[\w-]+(?:\s[\w-]+)?\s*(?:,|/|\b(?:and|or)\b)\s*)?$",
    re.IGNORECASE,
)
""" "Any difference in [stroke]?": of an event; "any difference in [cirrhosis]?" is of people."""
_COUNTS_A_MEASURE = re.compile(
    r"\b(?:prevent\w*|avoid\w*|caus(?:e|es|ing)|(?:risks?|rates?|incidence|frequency|chances?|odds|episodes?) of)\s+"
    r"(?:an?\s+)?$"
    r"|\b(?:more|fewer|less)\s+(?:babies|infants|newborns|neonates|children|women|men|people|patients)\s+$",
    re.IGNORECASE,
)
""" "Preventing [a potassium above 6.0]", "fewer babies [over 4 kg]"; what is reduced to a figure is aimed at."""
_COMPARED_FOR = re.compile(
    r"\b(?:does|do|did)\s[^?.;:]{2,80}?\scompares?\s+(?:with|to|against)\s[^?.;:]{2,80}?\sfor\s+$", re.IGNORECASE
)
""" "How does A compare with B for [stroke] in AF?"."""
OF_WHOM = re.compile(r"[\s-]+(?:patients?|people|adults?|survivors?|children|women|men|victims?)\b", re.IGNORECASE)
_LONGEST_LIST = 4
_LISTED_BEFORE = re.compile(r"(?P<last>[\w-]+(?:\s[\w-]+)?)\s*(?:,|/|\b(?:and|or))\s*$", re.IGNORECASE)
_ADMITTED_FOR = re.compile(
    r"(?:^|[:;?]|\b(?:fewer|more|less|any))\s*(?:\w+\s+)?(?:admissions?|hospitali[sz]ations?|visits?)\s+(?:for|with)\s+[^.;:?]{3,80}"
    r"(?:,|,?\s(?:or|and))\s+$",
    re.IGNORECASE,
)
""" "Admissions for bradycardia, [AV block] or ..."."""
_AND = re.compile(r"\s*(?:/|\b(?:or|and|and/or)\b)\s*(?:an?\s+|acute\s+|recent\s+)?", re.IGNORECASE)
_FOR_ACUTE = re.compile(r"\bfor\s+(?:an?\s+|the\s+)?$", re.IGNORECASE)
_ACUTE = re.compile(r"(?:acute|recent|new|newly|established|confirmed|suspected|proven)\b", re.IGNORECASE)
_LAST_SEGMENT = re.compile(
    r"\w(?:[:;]|\s[-–—])\s+"
    r"(?:(?:any|new|fewer|less|more|risk of|rate of|(?:(?:non-?)?fatal|total|first) (?:or|and))\s+)*$",
    re.IGNORECASE,
)
_ENDS_IT = re.compile(
    r"\s*(?:rates?|risk|events?)?\s*(?:[?/,]|$|\b(?:vs|versus|or|and|at|by|over|within)\b)", re.IGNORECASE
)
""" "Metoprolol in acute MI: [cardiogenic shock] vs placebo?": what a last segment begins with is asked about."""
_SAFER_FOR = re.compile(
    r"\b(?:safer|riskier|(?:as|less|more) (?:safe|risky|dangerous))\b[^.?;:]{0,60}?\s"
    r"(?:for|on|as regards|regarding|in terms of|when it comes to)\s+(?:the\s+)?(?:[\w-]+\s)?$",
    re.IGNORECASE,
)
""" "Is A safer than B for [intracranial bleeding]?"."""
_FOR_A_DEGREE = re.compile(r"\bfor\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
_AGO = re.compile(
    r"\s+(?:\w+\s+)?(?:\d+|an?|one|two|three|several)\s+(?:days?|weeks?|months?|years?)\s+(?:ago|earlier|back)\b",
    re.IGNORECASE,
)
""" "MI 2 years ago" is had already."""
_COUNTED = re.compile(r"(?:fewer|less|more)\s", re.IGNORECASE)
""" "Fewer strokes" nobody has already."""


_WITH_AGAINST = re.compile(
    r"\s+(?:with|on|under)\s+[^?.;:,]{2,60}?\s(?:versus|vs\.?|compared\s+(?:with|to)|than|against)\s"
    r"[^?.;:]{2,60}?\s(?:in|among|after|during)\s",
    re.IGNORECASE,
)
""" "[Preeclampsia] with vitamin C versus placebo in ...": what a question begins with and two arms have."""


def begins_with_arms(start: int, end: int, question: str) -> bool:
    """Whether words begin a question, and right behind them stand two arms and of whom they are."""
    return not question[:start].strip() and _WITH_AGAINST.match(question, end) is not None


def is_last_told(start: int, end: int, question: str) -> bool:
    """Whether words are what the last segment of a question begins with: "aspirin vs placebo: [stroke]?"."""
    return _LAST_SEGMENT.search(question, 0, start) is not None and _ENDS_IT.match(question, end) is not None


def unsure_terms(analysis: QuestionAnalysis) -> tuple[PopulationTerm, ...]:
    """Conditions that may be who is meant or what is asked about, since no word before them tells: "for stroke?"."""
    question = analysis.question
    unsure = []
    for term in analysis.pico.people:
        if term.kind is not PopulationKind.CONDITION or not term.wanted or _opens_with_cue(term, question):
            continue
        if is_had_already(term, question) or _is_treated(term, question) or _AGO.match(question, term.end):
            continue
        before, behind = question[: term.start], question[term.end :]
        counted = OUTCOME_BEFORE.search(before) or _OUTCOME_BEHIND.match(behind) or follows_admission(before)
        if not (_FIRM_CUE.search(before) or counted or _RELATED.match(behind)):
            unsure.append(term)
    return tuple(unsure[:MOST_UNSURE])


def _is_treated(term: PopulationTerm, question: str) -> bool:
    """Whether a disease of which is said how bad it is is what something is given for: "for severe [asthma]"."""
    before = question[: term.start]
    return _FOR_A_DEGREE.search(before) is not None and has_degree(term, question) and not is_event(term.text)


def is_asked_about(term: PopulationTerm, question: str) -> bool:
    """Whether what was read as who is meant is what is asked about."""
    if is_of_another(term.text):
        return False
    if not term.wanted and _FREE_OF.search(question[: term.start]):
        return True
    if not term.wanted and _ends_behind_comma(term, question):
        return True
    if term.wanted and is_last_told(term.start, term.end, question):
        return True
    if _COUNTED.match(term.text) or (term.wanted and follows_admission(question[: term.start])):
        return True
    if not term.wanted:  # a list goes on: "without disease, serious vascular events"
        return term.kind is PopulationKind.OTHER and not _opens_with_cue(term, question) and is_event(term.text)
    if term.kind is PopulationKind.MEASURE:
        return _COUNTS_A_MEASURE.search(question[: term.start]) is not None
    if term.kind in {PopulationKind.OTHER, PopulationKind.DEVICE} and is_event(term.text):
        return not _opens_with_cue(term, question) and not CUE_BEFORE_EVENT.search(question[: term.start])
    if term.kind is not PopulationKind.CONDITION or _opens_with_cue(term, question):
        return False
    before, behind = question[: term.start], question[term.end :]
    if FATAL.match(term.text) and not CUE_BEFORE_EVENT.search(before):
        return True
    counted = OUTCOME_BEFORE.search(before) or _OUTCOME_BEHIND.match(behind) or follows_admission(before)
    if is_harm(term.text) and _SAFER_FOR.search(before):
        return True
    if counted or _RELATED.match(behind) or _ADMITTED_FOR.search(before):
        return True
    if begins_with_arms(term.start, term.end, question):
        return True
    if not is_event(term.text):
        return False
    if OF_WHOM.match(behind):
        return False
    if _DIFFERENCE_IN.search(before) or _COMPARED_FOR.search(before):
        return True
    if _CUE_BEFORE.search(before):
        return False
    return _is_in_list_of_events(before)


def _ends_behind_comma(term: PopulationTerm, question: str) -> bool:
    """Whether an event is the last of a question, behind the comma that ends what nobody has: "in people without CVD,
    [bleeding]". A list of two would have "or"."""
    before, behind = question[: term.start], question[term.end :]
    return before.endswith(", ") and not behind.strip(" ?.!") and "," not in before[:-2] and is_event(term.text)


def _is_in_list_of_events(before: str) -> bool:
    """Whether what stands before an event is no list, or has an event in it: "deaths, infarctions and [strokes]"."""
    items = list(islice(_items_before(before), _LONGEST_LIST))
    return not items or any(map(is_event, items))


def _items_before(text: str) -> Iterator[str]:
    """The items of a list that ends with a text, the last one first."""
    while (listed := _LISTED_BEFORE.search(text)) is not None:
        yield listed["last"]
        text = text[: listed.start("last")]


def is_joined_to_people(term: PopulationTerm, people: Iterable[PopulationTerm], question: str) -> bool:
    """ "Covid pneumonia": right behind a disease that people have it is theirs; so is "for an acute DVT or [PE]"."""
    others = [t for t in people if t.kind is PopulationKind.CONDITION and t.end < term.start and t.wanted]
    return any(
        question[other.end : term.start].isspace()
        or (
            _AND.fullmatch(question[other.end : term.start])
            and _is_had(other, question)
            and not is_asked_about(other, question)
        )
        for other in others
    )


def _is_had(term: PopulationTerm, question: str) -> bool:
    """ "In [sepsis] or ...", "for an [acute DVT] or ..."."""
    before = question[: term.start]
    return _FIRM_CUE.search(before) is not None or bool(_FOR_ACUTE.search(before) and _ACUTE.match(term.text))


def _opens_with_cue(term: PopulationTerm, question: str) -> bool:
    return re.match(r"(?:after|without|before|during|following|with|on|in)\b", term.text, re.IGNORECASE) is not None


def is_event(text: str) -> bool:
    """Whether it names something that happens to people, rather than what they have."""
    return is_harm(text) or event_names().search(text) is not None or bool(groups_in(text))
