"""Outcomes of any name, known by the place where they stand: "X occurred in 5% of ...", "the rate of X", "5% had X".

Where the figures of a sentence have their arms, what they count may be called as its authors like: no list knows every
name. It is taken from places where nothing else stands, and never where it names people, arms or figures.
"""

from __future__ import annotations

import re

from openwork_knowledge.notation import group

from openwork_answers.arms import is_known
from openwork_answers.named_outcomes import is_a_change, is_primary, tidy
from openwork_answers.outcomes import read_outcome

_I = re.IGNORECASE
_OCCURRED = (
    r"(?:occurred|developed|happened|(?:was|were)\s+(?:\w+ly\s+)?(?:observed|seen|noted|found|reported|recorded|present|"
    r"achieved|obtained|maintained|detected|attained|documented|normali[sz]ed|eradicated|healed|cured|required|needed))"
)
_SUBJECT = re.compile(
    rf"(?:^|[,;:]\s+)(?P<o>(?:[^,;:.]|\.(?=\s?[a-z])){{3,90}}?)\s+(?:also\s+)?(?P<did>{_OCCURRED})\b(?:\s+(?:\w+ly|twice|as|more|less|often))*\s*(?:in|for)?\s*$",
    _I,
)
_GONE = re.compile(r"\b(?:maintained|normali[sz]ed|eradicated|healed|cured)$", _I)
"""Said of a disease that is no more, or of health that is kept: part of what is counted."""
_COUNT, _RESPONDED = group("outcome-phrases", "counted as"), group("outcome-phrases", "response")
_OF = re.compile(rf"\b{_COUNT}\s+(?:of|for)\s+(?P<o>[^,;:()]{{3,90}})", _I)
_WHO_HAD = re.compile(
    rf"\b(?:proportion|percentages?|number|share|more|fewer)\s+(?:of\s+)?(?:the\s+)?{group('arm-words', 'people')}\s+"
    r"(?:with|who\s+had|having|who\s+achieved|achieving|reporting|who\s+reported|were|had|achieved|reported)\s+"
    r"(?:an?\s+|the\s+)?(?P<o>[^,;:()]{3,90})",
    _I,
)
_HEAD = re.compile(
    rf"(?:^|[,;:]\s+)(?P<o>(?:[\w./-]+\s+){{0,5}}?(?:{_RESPONDED}\s+)?"
    r"(?:rates?|incidences?|prevalence|frequency|risks?))"
    r"(?:\s+(?:at|after|by|over|within|during|in)\s[^,;:()]{2,40}?)?\s*(?:,[^,]{2,40},\s*)?"
    r"(?:\(|:|(?:was|were|ranged|did|had|of|with|in|for|after|among)\b)",
    _I,
)
_RESPONSE = re.compile(
    rf"(?:^|[\s,;:])(?P<o>(?:(?!(?:the|a|an|of|in|with|and|or|for|patients?|more|fewer|higher|lower|to|was|were|had)\b)[\w./-]+\s+){{0,3}}"
    rf"{_RESPONDED}(?:\s+of\s+(?:the\s+)?(?!patients)[a-z][\w-]+(?:\s+(?!in|with|at|was|were|for|by)[a-z][\w-]+){{0,2}})?)"
    r"(?=\s+(?:rates?|in|with|was|were|at|after|by|for|on|among|between|than|over|within|did|had|occurred)\b|\s*[,;:()\[]|\s*$)",
    _I,
)
_DONE = re.compile(
    r"^[\s)\]]*(?:of\s+)?(?:the\s+)?(?:[^,;()]{0,60}?\b)?"
    r"(?:had|have|reported|achieved|developed|experienced|complained\s+of|showed|exhibited|required|needed|attained|"
    r"suffered|became|remained|reached|discontinued\s+(?:because\s+of|due\s+to|for))\s+"
    r"(?:an?\s+|the\s+|any\s+|at\s+least\s+one\s+)?(?P<o>[^,;()]{3,80})",
    _I,
)
_WERE = re.compile(r"^[\s)\]]*(?:[^,;()]{0,60}?\b)?(?:was|were|became|remained)\s+(?P<o>[a-z]+[- ]free)\b", _I)
_AND_DID = re.compile(r"^[^,;()]{0,60}?\b(?:and|or)\s+(?:had|were|was|did|needed|required|need)\b", _I)
"""Two things done: which of them is counted nobody knows."""
_END = re.compile(
    r"\b(?:compared|versus|vs|than|in|with|among|by|at|after|for|over|during|between|when|while|whereas|but|within|was|were|and\s+(?:in|with)"
    r"|is|are|did|had|from|to|per|on|only|following|before|using|given|receiving|as|who|that|did|differ\w*|and\s+\d|and\s*$)\b|\s\d|[;:()\[\],]|$",
    _I,
)
_NO_OUTCOME = re.compile(
    r"\b(?:patients?|participants?|subjects?|people|women|men|children|groups?|arms?|they|these|this|that|it|we|there|which|respectively"
    r"|difference|differences|change|changes|reduction|increase|decrease|improvement\s+of|ratio|p|ci|mean|median|mg|baseline"
    r"|dropouts?|adherence|drop-out|intention|intent|endoscopy|compliance|complet\w+|treatment|therapy|follow-?up|data|results?|analysis|stud(?:y|ies)|trials?|all|both|total)\b",
    _I,
)
_MEASURED = re.compile(rf"\b{group('outcome-phrases', 'in percent')}(?!\w)|^time$", _I)
_GREW = re.compile(r"\b(?:increased|decreased|rose|fell|improved|worsened|declined|doubled)\s+in\s*$", _I)
_SUBTRACTED = re.compile(r"\bplacebo[- ](?:subtracted|corrected|adjusted)\b", _I)
_BARE = re.compile(
    rf"(?:(?:overall|treatment|clinical|therapeutic|complete|partial|full|good|early|initial)\s+)*{_RESPONDED}(?:\s+rates?)?",
    _I,
)
_ONLY_COUNTED = re.compile(
    rf"(?:(?:overall|annual|cumulative|total)\s+)?(?:{_COUNT}|occurrence|events?|cases?|success|efficacy|control)", _I
)
"""Names no outcome by itself."""
_ALONE = re.compile(r"^[\s,;]*(?:and\s+|or\s+)?(?P<o>(?!and\b|or\b)[a-z][\w-]*(?:\s[\w-]+){0,4})\s*$", _I)
_GRADED = re.compile(
    r"^(?:at\s+least\s+(?:[\w-]+\s+){0,5}|(?:[A-Z-]{3,9}\s+)?(?:(?:grade|class|stage)\s+)?)"
    r"\d(?:\s?[-/]\s?\d)?\s+(?=[a-z])",
    _I,
)
"""Opens the name of something that has grades: "at least CTC 2 diarrhoea"."""
_TIMED = re.compile(r"^(?:e\.?g\.?,?\s+)?\d+-(?:h|hour|min|minute|day|week|month|year)\s+", _I)
_LONGEST = 7
"""Words."""


def is_bare_response(name: str) -> bool:
    """Whether it says how people fared and not with what: "the treatment response rate"."""
    return _BARE.fullmatch(name.strip()) is not None


def names_no_outcome(name: str) -> bool:
    """Whether a name that no list knows is of people, arms, figures, or of how a study went."""
    return _NO_OUTCOME.search(name) is not None


def is_no_share(outcome: str, before: str) -> bool:
    """Whether percentages of it, as told behind `before`, are no shares of people: means, changes, differences."""
    return bool(_MEASURED.search(outcome) or _GREW.search(before) or _SUBTRACTED.search(before))


def outcome_by_place(head: str) -> str | None:
    """What figures behind `head` count, by any name; `None` = it stands in no such place."""
    bare = re.sub(r"\s*\([^()]*\)", "", re.sub(r"\s*[(\[][^()\[\]]*$", " ", head)).rstrip(" ,(")
    if match := _SUBJECT.search(bare):
        name = _named(match["o"], ends=False)
        if name is None or not _GONE.search(match["did"]):
            return name
        return bare[match.start("o") + match["o"].index(name) : match.end("did")]
    for pattern in (_WHO_HAD, _OF, _HEAD, _RESPONSE):
        for match in reversed(list(pattern.finditer(f"{bare}:" if pattern is _HEAD else bare))):
            if name := _named(match["o"]):
                return name
    return None


def outcome_alone(text: str) -> str | None:
    """One more of a list, before its bracket: ", clinical pregnancy (", "or stillbirth ("."""
    match = _ALONE.match(text)
    return _named(match["o"], ends=False) if match else None


def outcome_done(text: str) -> str | None:
    """What people did or had, told behind their figure: "58% reported relief", "(22%) complained of nausea"."""
    match = _WERE.match(text) or _DONE.match(text)
    if match and _AND_DID.search(text[match.end("o") - len(match["o"]) :]):
        return None
    return _named(match["o"]) if match and not is_a_change(match["o"]) else None


def _named(text: str, *, ends: bool = True) -> str | None:
    name = _TIMED.sub("", tidy(text))
    graded = _GRADED.match(name)
    grade = graded[0] if graded else ""
    name = name[len(grade) :]
    if ends and (end := _END.search(name)):
        name = name[: end.start()]
    name = name.strip(" ,.-")
    name = re.sub(r"\s+(?:in|of|for|with)$", "", name)
    words = name.split()
    if not words or len(words) > _LONGEST or len(name) < 4 or not re.search(r"[a-z]{3}", name, _I):
        return None
    if is_bare_response(name):
        return name
    if _ONLY_COUNTED.fullmatch(name) or is_primary(name) or _NO_OUTCOME.search(name) or re.search(r"\d", name):
        return None
    if is_known(name) and not any(atom.things for atom in read_outcome(name).atoms):
        return None
    return f"{grade}{name}"
