"""Questions that ask how to hurt somebody, oneself included, or how to make what does.

A poison, a fatal dose or a suicide is what toxicologists, emergency and forensic physicians and epidemiologists ask
about: no word is refused. What is, is a way of asking ("how do I", "ways to", an order), a deed and whom it is done to,
standing together in one of the shapes below; or that nobody may notice it.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from openwork_knowledge.notation import group
from openwork_knowledge.tables import words

from openwork_query.domain.harm_signs import plans_harm, wishes_death

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_QUOTED = re.compile(r'"[^"]*"')
_ORDER = (
    r"^\W*(?:please |can you |could you |you must )?(?:give me |show me |tell me |write |list )?(?:a |an |the |some )?"
)


class Harm(Enum):
    """Whom the asker may hurt: that decides about the words of the reply."""

    ONESELF = "oneself"
    OTHERS = "others"


def intends_harm(question: str) -> Harm | None:
    """Whom a question asks how to hurt; `None` = nobody, it asks about medicine.

    Args:
        question: cleaned; quotation marks straight.
    """
    text = question.casefold().replace("’", "'")
    if _worth_a_look().isdisjoint(_WORD.findall(text)) and not _other_languages().search(text):
        return None
    unquoted = _QUOTED.sub(" ", text)  # "I want to die" in quotation marks is somebody else's, and studied
    if any(shape.search(unquoted) for shape in _shapes()[Harm.ONESELF]):
        return Harm.ONESELF
    if any(shape.search(text) for shape in _shapes()[Harm.OTHERS]):
        return Harm.OTHERS
    if wishes_death(unquoted):
        return Harm.ONESELF
    return Harm.OTHERS if plans_harm(text) else None


@cache
def _worth_a_look() -> frozenset[str]:
    """Every shape and sign needs one of these words: making the patterns takes longer than an answer's other steps."""
    return frozenset(words("harm", "worth a look"))


@cache
def _other_languages() -> re.Pattern[str]:
    return re.compile(_words("self, in other languages"))


@cache
def _shapes() -> dict[Harm, tuple[re.Pattern[str], ...]]:
    """Each by itself, on the first question."""
    return {
        Harm.ONESELF: tuple(map(re.compile, _to_oneself())),
        Harm.OTHERS: tuple(map(re.compile, (*_to_others(), *_weapons(), *_drugs()))),
    }


def _words(*names: str) -> str:
    """Words of these groups, whole."""
    return rf"\b{group('harm', *names)}(?!\w)"


@cache
def _asking() -> str:
    """How one asks for a way: "how to", "how could one", "ways to", with how it is to be done."""
    modal = r"(?:can|could|do|does|would|should|might|may|will)"
    return rf"(?:\bhow {modal} {_words('agent')}|{_words('how')})\s+(?:{_words('manner')}\s+){{0,2}}"


@cache
def _one() -> str:
    """A particular person, or what belongs to the asker's or somebody's life."""
    return rf"(?:{_words('victim')}|(?:{_words('owner')}|\bthe)\s+(?:[\w'-]+\s+)?{_words('possessed')})"


@cache
def _anyone() -> str:
    return rf"(?:{_one()}|{_words('victims')})"


def _to_oneself() -> tuple[str, ...]:
    asking = _asking()
    return (
        _words("self", "self, in other languages"),
        rf"(?:{asking}|\bhow (?:can|could|would|does) an? \w+ ){_words('self, asked for')}",
        rf"{_words('wanted')}\s+(?:\w+\s+)?{_words('wanted way')}(?! (?:prevention|risk))",
        rf"{asking}(?:\w+ ){{0,2}}{_words('unseen of oneself')}.{{0,60}}{_words('unseen')}",
        rf"{asking}(?:hide|hiding|conceal|concealing)\b.{{0,20}}\bself[- ](?:harm|injur)",
        r"\bsuicide methods? that (?:\w+ )?works?\b|\boverdose on\b.{0,30}\bdie\b",
        r"\b(?:should|do|can|must|would) i overdose\b(?! (?:my|him|her|some))|\bwant to overdose\b",
        r"\bhow (?:much|many)\b.{0,60}\bto overdose and die\b|\bhow (?:can|could|do) i die\b",
        r"\b(?:enough|sure|need|how (?:much|many|high|deep))\b.{0,60}\b(?:kills?|finish) me\b",
        rf"(?:{asking}|\bwant to )(?:cut|burn|hurt|injure|scratch|carve) my (?:skin|arms?|thighs?|wrists?)",
        r"\b(?:take|taking|swallow|swallowing) all (?:of )?my (?:pills|tablets|medicines?|medication|meds)\b",
        r"\bdo i (?:have|need) to\b.{0,60}\bto (?:die|bleed to death)\b",
        r"\b(?:lethal|fatal|deadly)\b.{0,80}\b(?:should|do|would|must) i (?:need|take|swallow)\b",
        r"\bhow (?:much|many)\b.{0,60}\b(?:take|need|needed|have) to die\b|\bto die after (?:swallowing|overdosing)\b",
    )


def _to_others() -> tuple[str, ...]:
    asking, one, anyone = _asking(), _one(), _anyone()
    unseen, seeming = _words("unseen"), rf"look\w* (?:like|as if) (?:\w+ ){{0,4}}?{_words('seeming')}"
    harm = rf"\b{group('harm', 'deed of harm, beginning')}\w*"
    killing = r"\b(?:kill|murder|poison|assassinate|incapacitate|smother|drug|hurt)"
    asked = r"\b(?:how|what|which|ways?|best|easiest|where|dose|steps)\b"
    return (
        rf"{asking}{_words('deed')}\s+(?:to death\s+)?{anyone}",
        rf"{asking}{_words('deed to one')}\s+{one}(?! test)",
        rf"{asked}.{{0,80}}\bto {killing}\s+(?:{one}|them\b)",
        rf"\bmurder\s+{anyone}|\b(?:get|got|gets|getting) away with {_words('deed')}",
        rf"(?:{asking}|\bhow (?:can|could|would|do) (?:an? )?\w+ ).{{0,80}}{harm}.{{0,80}}{unseen}",
        rf"(?:{asking}|\bhow (?:can|could|would|do) (?:an? )?\w+ ).{{0,80}}{unseen}.{{0,80}}{harm}",
        rf"{killing}\w*\b.{{0,80}}\b{seeming}|\bmake it {seeming}|\bmake it look\b.{{0,40}}\bdied\b",
        rf"{_words('covert act')}\b.{{0,60}}{_words('covert means')}.{{0,60}}{_words('covertly')}",
        rf"{_words('covertly')}\s+{_words('covert act')}\b.{{0,40}}{_words('covert means')}",
        rf"\bslip(?:ped|ping)?\b.{{0,30}}\b(?:in|into)\s+(?:an?|{_words('owner')})\s+(?:\w+\s+)?{_words('drink')}",
        rf"\b(?:put|add|mix)\b.{{0,40}}\b(?:in|into|to)\s+{_words('owner')}\s+(?:\w+\s+)?{_words('drink')}"
        rf".{{0,60}}\b(?:{group('harm', 'state')}|{group('harm', 'deed of harm, beginning')}\w*)",
        rf"{asked}.{{0,60}}\bmake\s+{one}\s+(?:\w+ ){{0,2}}{_words('state')}",
        rf"{asking}(?:give|giving|inject|send|mail|slip|administer|feed)\s+{one}\s+"
        rf"(?:\w+\s+){{0,3}}{_words('harmful dose', 'weapon', 'organism')}",
        rf"{_words('on purpose')}\s+{_words('pass on')}\s+{anyone}",
        rf"{asking}infect\s+{anyone}\b.{{0,60}}{_words('on purpose')}",
        rf"{asking}(?:cause|induce|trigger|give)\s+(?:\w+ )?{_words('event')}\s+(?:in|to)\s+{one}",
        rf"{asking}{_words('to damage')}\s+(?:{_words('owner')}|{one}'s)\s+(?:\w+\s+)?{_words('part')}",
        rf"{asking}.{{0,60}}\bso (?:that )?(?:he|she|they) (?:will )?(?:die|dies|bleed|bleeds|suffer|suffers)\b",
        rf"{_words('hidden')}\s+(?:\w+\s+)?{_words('thing')}|\b(?:poison|toxin)s?\b.{{0,30}}\bno trace\b",
    )


def _weapons() -> tuple[str, ...]:
    asked = rf"(?:{_asking()}|{_ORDER})"
    some = rf"(?:{_words('some')}\s+)*"
    unless = rf"(?!.{{0,60}}\b{group('harm', 'medicine of it')})"
    better = rf"{asked}{_words('better')}\b(?!.*\b{group('harm', 'medicine of it')})"
    return (
        rf"{asked}{_words('make')}\s+{some}{_words('weapon')}{unless}",
        rf"{asked}{_words('make organism')}\s+{some}(?:{_words('organism')})(?! more){unless}",
        rf"\b(?:recipe|synthesis|blueprint|instructions) (?:route )?(?:for|of) {some}(?:nerve agent )?"
        rf"{_words('weapon')}{unless}",
        rf"{_asking()}(?:culture|grow)\b.{{0,60}}\b(?:aerosoli[sz]e|weaponi[sz]e|disperse|spray)",
        rf"{better}.{{0,60}}{_words('germ')}.{{0,80}}{_words('worse')}",
        rf"{better}.{{0,30}}{_words('worse')}.{{0,60}}{_words('germ')}",
        rf"{_asking()}{_words('spread')}\s+(?:\w+\s+)?{_words('spread matter')}\b.{{0,60}}{_words('place')}",
    )


def _drugs() -> tuple[str, ...]:
    asked = rf"(?:{_asking()}|{_ORDER})"
    some = rf"(?:{_words('some')}\s+)*"
    unless = rf"(?![- ](?:\w+\W+){{0,2}}{group('harm', 'medicine of it')})"
    any_drug, illicit = _words("illicit drug", "drug"), _words("illicit")
    return (
        rf"{asked}{_words('cook')}\s+{some}{_words('illicit drug')}{unless}",
        rf"{asked}{_words('cook')}\s+{some}{any_drug}.{{0,60}}{illicit}",
        rf"{_asking()}(?:turn|convert|purify|process)\b.{{0,40}}\b(?:in)?to\s+{some}{_words('illicit drug')}",
        rf"{_words('made by')}\s+(?:\w+\s+){{0,4}}?{any_drug}.{{0,60}}{illicit}",
        rf"{illicit}\s+(?:\w+\s+){{0,2}}?(?:{_words('made by')}\s+(?:\w+\s+){{0,2}}?)?{_words('illicit drug')}",
    )
