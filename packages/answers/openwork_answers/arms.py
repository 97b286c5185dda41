"""Whose the figures of a sentence are: the two sides of a comparison, each by a name that can be an arm's.

A side that is no treatment and no group of people is none, however near to "versus" it stands: an outcome, a year, a
verb, "yes". Where one of two sides is none, the comparison is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_knowledge.inn import inn_words
from openwork_knowledge.notation import group
from openwork_knowledge.patterns import pattern
from openwork_language.cells.contrasts import find_contrasts
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.terms import find_terms

from openwork_answers.named_outcomes import SAID_THAT
from openwork_answers.outcomes import read_outcome
from openwork_answers.reported import Arm

_K = QuantityKind
_PEOPLE, _SURELY, _GROUP = (group("arm-words", each) for each in ("people", "given surely", "group"))
_GIVEN = group("arm-words", "given", "given surely")
_BEHIND = group("arm-words", "behind")
_VERBS = group("arm-words", "verb")
_FLAGS = re.IGNORECASE

_ARM_BEHIND = re.compile(
    rf"^[)\]]?(?:\s*\([^()]*\))*\s*(?:of\s+)?(?:the\s+|all\s+|those\s+)?(?:{_PEOPLE}\s+)?(?:\([^()]*\)\s*)?"
    rf"(?:(?:had\s+)?died\s+)?(?:in\s+(?:the\s+)?groups?\s+)?(?:who\s+(?:were\s+|had\s+)?|being\s+)?(?P<given>{_GIVEN})\s+(?:the\s+)?"
    rf"(?P<arm>[^,;()\[\]]{{1,90}}?)(?P<group>\s+(?:groups?|arms?|cohorts?)\b)?"
    rf"(?=\s+{_BEHIND}\b|\s+and\s+(?:(?:in|of|for|with|on|among|by|was|were|had)\s+)?(?:the\s+)?(?:\d|[a-z-]+\s+(?:\(|of\s))"
    rf"|\s*[,;()\[\]]|\.(?:\s|$)|$)",
    _FLAGS,
)
_ARM_BEFORE = re.compile(
    rf"(?:.*\b)?(?P<given>{_GIVEN}|(?:and|versus|vs)(?=\s+\d))\s+(?:the\s+)?(?P<arm>[^,;()\[\]]{{1,80}}?)(?P<group>\s+(?:groups?|arms?|cohorts?))?\s*[(\[]$",
    _FLAGS | re.DOTALL,
)
_OPENING = re.compile(
    r"^(?:\w+ly,\s+|(?:more|fewer)\s+(?!(?:in|ag|conservat|restrict)\w*ive\b)"
    rf"|{group('arm-words', 'opening')}(?:,\s*|\s+))+",
    _FLAGS,
)
_COUNT = re.compile(
    r"^\d[\d,]*\s+(?=[A-Za-z][\w-]*(?:\s+[\w-]+){0,2}$)(?!(?:days?|weeks?|months?|years?|hours?|mg|mcg|g|units?)\b)",
    _FLAGS,
)
"""How many people an arm has, before its name."""
_IN_THE = re.compile(r"^(?:in|with|of|for|among|by)\s+(?:the\s+)?", _FLAGS)
_WHO_GOT = re.compile(
    rf"^(?:{_PEOPLE}\s+|group\s+)?(?:(?:who|that|which)\s+)?(?:(?:were|was|had\s+been|had)\s+)?{_SURELY}\s+(?:the\s+)?",
    _FLAGS,
)
_DID = re.compile(rf"(?<!\bwho)(?<!\bthat)(?<!\bwhich)\s+{_VERBS}(?!\w).*$", _FLAGS | re.DOTALL)
_TAIL = re.compile(
    r"[\s,]+(?:(?:at|after|during|by|within|over|in)\s+(?:a\s+)?(?:wk|week|month|day|year|hour|\d|the\s+(?:end|first)|all\b|baseline)"
    r".*|respectively.*|(?:in|at|for)\s+[a-z]+ing\b.*|however|for\s+at\s+least|still|(?!early)\w+ly|of|in|with|and|to|(?-i:a|an)|for|on|the|from|than|who|that|as|deaths)$",
    _FLAGS,
)
_NO_ARM = re.compile(rf"^(?:{group('arm-words', 'no arm')})(?!\w|-)", _FLAGS)
_NAMED_BY_FIGURES = re.compile(r"[=<>≤≥%±]|\b(?:19|20)\d\d\b|^\W*\d+(?![\d.,]*[\s-]?(?:mg|mcg|μg|µg|g|IU|mL|units?)\b)")
_IS_TIME = re.compile(r"^(?:[\w-]+\s+){0,2}(?:days?|weeks?|months?|years?|hours?)(?:\s+\w+){0,2}$", _FLAGS)
_AT_A_TIME = re.compile(
    r"\b(?:before|after|later(?!-)|follow-?up$|baseline)\b|\b(?:less|more)(?:\s+than\b|$)|\bboth\b|\bnoon\b", _FLAGS
)
"""Of an arm no part: two times of one group are none."""
_NO_NAME = re.compile(
    r"the|an?|yes|no|n|p|(?:groups?|arms?|patients|people|participants|subjects|individuals|those|recipients|users)|.*\bwith(?:out)?",
    _FLAGS,
)
_CONTROL = re.compile(rf"\b{pattern('arm-roles', 'control')}\b", _FLAGS)
_TREATED = re.compile(rf"\b{group('arm-words', 'treatment')}(?!\w)", _FLAGS)
_OF_PEOPLE = re.compile(rf"\b(?:{_GROUP}|{_PEOPLE})\b|\b\w+-treated\b", _FLAGS)
_SHORT = re.compile(r"[A-Z][\w+/-]{0,9}(?:\s(?:alone|\+|[A-Z][\w+/-]{0,9})){0,3}")
_VERSUS = re.compile(
    r"\s*,?\s*\(?\s*\b(?:as\s+)?(?:compared\s+(?:with|to)|versus|vs?\b\.?|than|in\s+comparison\s+(?:with|to))\s*",
    _FLAGS,
)
_LAST_WITH = re.compile(
    r"(?:.*\b)(?:in|with|among|for|on|receiving|taking|given|after|to)\s+(?:the\s+)?(?P<side>[^,;:()]{2,90})$",
    _FLAGS | re.DOTALL,
)
_DOES = re.compile(
    r"^(?P<who>[^,;:()]{2,110}?)\s+(?:also\s+)?(?:(?:had|has|have|showed|experienced|caused|produced|resulted\s+in|reported)\b"
    r"|(?:reduced|lowered|improved|prevented|yielded|provided|decreased|increased)\s+(?:the|a|an|\w+\s+(?:risk|rate))\b"
    r"|(?:was|were|is|are)\s+(?:also\s+)?(?:not\s+)?(?:\w+ly\s+)?(?:(?:more|less)\s+(?:likely|effective)|effective|associated|at\b|better|superior))",
    _FLAGS,
)
_IN_GROUP = re.compile(r"\b(?:in|with|for|among|of)\s+(?:the\s+)?(?P<name>[^,;()]{1,50}?)\s+(?:group|arm)\b", _FLAGS)
_ONE_SIDE = re.compile(r"\beither\s|\sand\s.*\b(?:group|arm)$", _FLAGS)
"""What is given together: "with either A or B", "in the A and B group"."""
_CLAUSE = re.compile(r";\s+|,?\s+(?:but|whereas|while|although|however)\s+|\.\s+(?=[A-Z])", _FLAGS)
_LEAD_IN = re.compile(
    r"^(?:(?:in|at|after|over|by|during|within|among|for|with|from|on|compared|when|relative)\s[^,]{2,160},\s+)+",
    _FLAGS,
)
_SHARE_POINTS = Decimal("0.6")
_LONGEST_ARM = 14
"""Words."""


@lru_cache(maxsize=8192)
def names_treatment(text: str) -> bool:
    """Whether it names something that is done to people: a drug, a procedure, "surgery", "usual care"."""
    if _TREATED.search(text) or next(iter(inn_words(text)), None):
        return True
    return any(t.is_class or t.kind in {EntityKind.DRUG, EntityKind.PROCEDURE} for t in find_terms(text))


def is_known(name: str) -> bool:
    """Whether it is a treatment, a control or a group of people by its words."""
    return names_treatment(name) or bool(_OF_PEOPLE.search(name) or _CONTROL.search(name))


def is_control_name(name: str) -> bool:
    """Whether it is a control by its name: "placebo", "usual care"."""
    return _CONTROL.search(name) is not None


def acts(clause: str) -> str | None:
    """Who had or did what a clause tells ("women had a higher risk"); `None` = it tells how an outcome was."""
    bare = _LEAD_IN.sub("", _OPENING.sub("", SAID_THAT.sub("", re.sub(r"\s*\([^()]*\)", "", clause).strip())))
    does = _DOES.match(bare)
    return does["who"] if does and not re.match(r"there\b", bare, _FLAGS) else None


@lru_cache(maxsize=8192)
def arm_name(text: str) -> str | None:
    """The name of an arm in what stands beside a figure or a "versus"; `None` = it can be none."""
    name = _COUNT.sub("", _OPENING.sub("", SAID_THAT.sub("", text.strip(" ,;:.()[]"))))
    name = _WHO_GOT.sub("", _IN_THE.sub("", _without_lead_in(name)))
    name = re.split(r"\s+[\[(]", _VERSUS.split(_DID.sub("", name))[0])[0]
    for _ in range(3):
        name = _TAIL.sub("", name).strip(" ,;:")
    name = _without_lead_in(name)
    if not re.search(r"[A-Za-z]", name) or len(name.split()) > _LONGEST_ARM:
        return None
    if _NAMED_BY_FIGURES.search(name) or _IS_TIME.match(name) or _NO_ARM.match(name):
        return None
    if "," in name or _AT_A_TIME.search(name) or _NO_NAME.fullmatch(name):
        return None
    if re.fullmatch(r"(?!early)\w+ly", name, _FLAGS) or re.match(rf"{_VERBS}(?!\w)", name, _FLAGS):
        return None
    return None if _is_outcome(name) else name


def _is_outcome(name: str) -> bool:
    """Whether it names what happens to people and neither a treatment nor a group."""
    if names_treatment(name) or _OF_PEOPLE.search(name) or _CONTROL.search(name):
        return False
    return any(atom.things for atom in read_outcome(name).atoms)


def _without_lead_in(arm: str) -> str:
    """ "Atrial fibrillation and kidney disease, apixaban" is of apixaban."""
    _, comma, last = arm.rpartition(", ")
    return last if comma and names_treatment(last) else arm


def sides_near(sentence: str, start: int, end: int) -> tuple[str, str] | None:
    """The comparison that figures at [start, end) belong to: in their clause, else the only one of the sentence.

    Returns:
        Two names; `None` = none is told, or its sides can be no arms.
    """
    first, last = _clause_at(sentence, start)
    clause = sentence[first:last]
    return _sides_in(clause, start - first) or (_sides_in(sentence, start) if last - first < len(sentence) else None)


def compares(sentence: str) -> bool:
    """Whether it compares two sides, by whatever name, outside of brackets."""
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", sentence)
    return any(not re.search(r"\d\s*%?$", bare[: m.start()]) for m in _VERSUS.finditer(bare))


def _clause_at(sentence: str, at: int) -> tuple[int, int]:
    marks = [
        m for m in _CLAUSE.finditer(sentence) if sentence.count("(", 0, m.start()) == sentence.count(")", 0, m.start())
    ]
    first = max((m.end() for m in marks if m.end() <= at), default=0)
    return first, min((m.start() for m in marks if m.start() >= at), default=len(sentence))


def _sides_in(clause: str, at: int) -> tuple[str, str] | None:
    found = []
    start = 0
    for contrast in find_contrasts(clause):
        told = clause[max(0, contrast.start - 2) : contrast.end]
        own, start = clause[start : contrast.end if start else len(clause)], contrast.end
        if (_ONE_SIDE.search(told) and not _VERSUS.search(told)) or re.search(r"\bfactor V\b", told):
            continue
        second = arm_name(contrast.second)
        first = _first_side(own, contrast.first, contrast.second) if second else None
        if first and second and first.casefold() != second.casefold():
            found.append((contrast.end, first, second))
    if not found:
        return _two_groups(clause[:at])
    before = [one for one in found if one[0] <= at]
    _, first, second = before[-1] if before else found[0]
    return first, second


def _two_groups(text: str) -> tuple[str, str] | None:
    """ "2.3 months in the experimental group versus 2.0 in the control group": groups named beside other figures."""
    names = list(dict.fromkeys(filter(None, (arm_name(m["name"]) for m in _IN_GROUP.finditer(text)))))
    return (names[0], names[1]) if len(names) == 2 and not _CONTROL.search(names[0]) else None


def _first_side(clause: str, told: str, second: str) -> str | None:
    """The tested side: who did or had it, else what stands before "than", else what the contrast holds for it."""
    bare = _LEAD_IN.sub("", _OPENING.sub("", SAID_THAT.sub("", re.sub(r"\s*\([^()]*\)", "", clause).strip())))
    if does := _DOES.match(bare):
        name = arm_name(does["who"])
        if name and (is_known(name) or _SHORT.search(name) or name == arm_name(told)):
            return name
        if not re.match(r"there\b", bare, _FLAGS) and not _is_outcome(does["who"]) and not _NO_ARM.match(does["who"]):
            return None  # somebody did or had it, and nobody knows who
    for match in _VERSUS.finditer(clause):
        if (
            not clause[match.end() :].lstrip().removeprefix("the ").startswith(second.split(" ")[0])
            and second not in clause[match.end() : match.end() + len(second) + 40]
        ):
            continue
        before = re.sub(r"\s*\([^()]*\)", "", clause[: match.start()]).strip()
        side = _LAST_WITH.match(before)
        name = arm_name(side["side"]) if side else None
        if name and not re.search(r"\d", name[:1]) and is_known(name):
            return arm_name(told) if arm_name(told) and name in told else name
    return arm_name(told)


def arms_of(sentence: str, figures: Sequence[Quantity]) -> tuple[Arm, ...]:
    """Figures that stand for an arm each, with its name where it stands beside; one fact told twice is one arm."""
    arms: list[Arm] = []
    end = 0
    apart = bool(figures) and ")" in sentence[figures[0].end : figures[-1].start]
    for q in figures:
        if arms and (joined := same_fact(arms[-1], q, sentence[end : q.start])):
            arms[-1] = joined if joined.name else replace(joined, name=_behind(sentence, q.end))
            end = q.end
            continue
        name = _behind(sentence, q.end) or (_before(sentence, end, q.start) if apart else "")
        end = q.end
        if q.kind is _K.FRACTION and q.total is not None:
            arms.append(Arm(name, int(q.total), int(q.value)))
        elif q.kind is _K.RATE:
            arms.append(
                Arm(name, percent=str(q.value), per=(q.unit or "").removeprefix("/").replace("%/", "100 person-"))
            )
        else:
            arms.append(Arm(name, percent=str(q.value)))
    return tuple(arms)


def same_fact(arm: Arm, q: Quantity, between: str) -> Arm | None:
    """ "386 of 2373 (16.3%)", "34% (512 of 1511)", "221 of 2213 in the drug group (19.8 per 1000 patient-years)"."""
    if q.kind is _K.PERCENT and arm.events is not None and arm.percent is None:
        share = Decimal(arm.events * 100) / Decimal(max(1, arm.n or 1))
        return replace(arm, percent=str(q.value)) if abs(share - q.value) < _SHARE_POINTS else None
    if q.kind is _K.FRACTION and arm.percent is not None and arm.events is None and arm.per is None:
        share = q.value * 100 / max(Decimal(1), q.total or Decimal(1))
        same = abs(share - Decimal(arm.percent)) < max(_SHARE_POINTS, Decimal(0))
        return replace(arm, n=int(q.total or 0), events=int(q.value)) if same else None
    opens = between.rfind("(") > between.rfind(")")
    return arm if q.kind is _K.RATE and arm.per is None and opens and between.count("(") == 1 else None


def _behind(sentence: str, end: int) -> str:
    match = _ARM_BEHIND.match(sentence[end:])
    return _surely(match) if match else ""


def _before(sentence: str, start: int, end: int) -> str:
    """ "... in the omeprazole group (48%)": the name before a figure in brackets."""
    match = _ARM_BEFORE.match(sentence[start:end])
    return _surely(match) if match and not re.search(r"\band\s+\d", match["arm"]) else ""


def _surely(match: re.Match[str]) -> str:
    """The name, where it is a treatment's or a group's beyond doubt."""
    name = arm_name(match["arm"])
    if name is None:
        return ""
    given = re.fullmatch(_SURELY, match["given"], _FLAGS)
    sure = given or match["group"] or is_known(name) or _SHORT.fullmatch(name)
    return name if sure else ""
