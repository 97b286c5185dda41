"""Questions that say the same in another order, in the one that is read: treatment, verb, outcome, comparator, people.

"Compared with placebo, does aspirin reduce stroke?" is "Does aspirin reduce stroke compared with placebo?", and "is
bleeding rarer in people on A than in people on B?" sets A against B. A question is put in order only where a treatment
stands in each slot of its frame that is given, no slot would lose its negation, and both sides are not of one thing. No
word that tells of whom, of what or of how much is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from openwork_knowledge.notation import group
from openwork_knowledge.patterns import pattern

Span = tuple[int, int]

_ASKED = r"(?:does|do|did|is|are|was|were|can|could|will|would|should|has|have|how|what|which|by how)\b"
_NO_LEAD = rf"(?!(?:{_ASKED}|when|why|where|who|whose|if|after|before|any)\s)"
_GIVEN = (
    r"(?:on|with|under|taking|given|receiving|getting|using|treated with|assigned to|randomi[sz]ed to"
    r"|who (?:take|took|get|got|receive|received|use|used|are on|were on|are given|were given|are treated with))"
)
_VERSUS = r"(?:(?:as )?compared (?:with|to)|versus|vs\.?|v\.?|against|relative to|in comparison (?:with|to))"
_SOMEBODY = r"(?:patients?|people|persons?|adults?|women|men|children|infants|survivors|those|individuals)"
_OTHERS = r"(?:those|patients|people|women|men|children|adults|the ones|others|anyone|someone)"
_AMOUNT = (
    r"(?:(?:any|much|significantly|even)\s+)?(?:less|fewer|lower|more|higher|better|worse|shorter|longer"
    r"|an?\s+(?:lower|higher|smaller|greater|reduced|increased)\s+(?:risk|rate|chance|incidence|odds|likelihood)\s+of)"
)
_HOW_OFTEN = r"(?:less|more)\s+(?:common|frequent|likely|often)|rarer|commoner|lower|higher"
_PHRASE = r"(?:[^?,;:]|[,:](?=\S))"
"""A letter of a phrase; a comma within a name ("RTS,S") ends none."""
_TREATMENT = rf"(?:(?!\b(?:on|taking|given|receiving|treated|who)\b){_PHRASE}){{2,90}}?"
"""What is given; of "patients with AF on A" it is A alone."""
_PEOPLE = rf"(?:in|among|for)\s+{_PHRASE}{{3,90}}?"
_HAVE = (
    r"(?:have|has|had|get|gets|got|develop|develops|suffer|suffers|experience|experiences|end up with|go on to have)"
)
_OPTIONAL = re.compile(r"\[([^\[\]]*\{(\w+)\}[^\[\]]*)\]")
_END = r"\s*\??\s*$"


@dataclass(frozen=True, slots=True)
class _Frame:
    """A way of asking and the order in which it is read."""

    asks: re.Pattern[str]
    """Slots `a` and `b` hold what is given; `p` people with the word that opens them."""
    order: str
    """Parts in brackets go where their slot is empty."""
    named: bool = True
    """Whether what is given must be one that a list knows."""


def plain_order(question: str, treatments: Sequence[Span]) -> str:
    """The question in the order in which it is read; as it stands where no frame fits.

    Args:
        treatments: where drugs and procedures stand in it.
    """
    question = _with_versus(question, treatments)
    if question != (plain := _in_two_words(question)):
        return plain_order(plain, _moved(treatments, question))
    for frame in _frames():
        match = frame.asks.match(question)
        if match is not None and _is_filled(match, treatments, named=frame.named):
            return _in_order(frame, {name: (text or "").strip() for name, text in match.groupdict().items()})
    return question


def _in_two_words(question: str) -> str:
    """ "Rarer" as "less common"."""
    return _COMPARATIVE.sub(lambda match: _PLAIN[match[0].lower()], question)


_PLAIN = {"rarer": "less common", "commoner": "more common", "likelier": "more likely"}
_COMPARATIVE = re.compile(
    rf"\b(?:{'|'.join(_PLAIN)})(?=\s+(?:with|on|in|after|under|by|among|when|than|if|for)\b|\s*\?|$)", re.IGNORECASE
)


def _moved(treatments: Sequence[Span], question: str) -> list[Span]:
    """Where treatments stand when comparatives before them are two words."""
    moved = []
    for start, end in treatments:
        by = len(_in_two_words(question[:start])) - start
        moved.append((start + by, end + by))
    return moved


def _in_order(frame: _Frame, slots: dict[str, str]) -> str:
    for name in ("is", "lead"):
        slots[name] = slots.get(name, "").lower()
    told = _OPTIONAL.sub(lambda part: part[1] if slots[part[2]] else "", frame.order)
    ordered = re.sub(r"\s{2,}", " ", told.format_map(slots)).strip()
    return f"{ordered[0].upper()}{ordered[1:]}?"


def _is_filled(match: re.Match[str], treatments: Sequence[Span], *, named: bool) -> bool:
    """Whether what is given stands in its slots, and nowhere else where a frame has a slot for all that is asked."""
    groups = match.groupdict()
    if any(_NEGATED.search(text) for text in groups.values() if text) or _is_of_one(groups, match, treatments):
        return False
    sides = [match.span(name) for name in ("a", "b") if groups.get(name)]
    held = [[t for t in treatments if start <= t[0] < end] for start, end in sides]
    if (other := groups.get("b")) and not held[-1] and not _control().search(other):
        return False
    if named and "a" in groups and not held[0] and not _CODE.search(groups["a"]):
        return False
    free = "rest" in groups or not named
    return free or sum(map(len, held)) == sum(match.start() <= t[0] < match.end() for t in treatments)


def _with_versus(question: str, treatments: Sequence[Span]) -> str:
    """ "Apixaban or placebo" sets the one against the other, unless the question does so elsewhere."""
    if _compares().search(question) or _WHICH.match(question) or ":" in question:
        return question
    either = _or_control().search(question)
    if either is None or not any(end <= either.start() for _, end in treatments):
        return question
    return f"{question[: either.start()]} versus {question[either.start('control') :]}"


def _is_of_one(groups: dict[str, str | None], match: re.Match[str], treatments: Sequence[Span]) -> bool:
    """Whether both sides are of the same treatment: "not on statins" against "on statins"."""
    if not (groups.get("a") and groups.get("b")):
        return False
    sides = (match.span("a"), match.span("b"))
    named = [{match.string[a:b].casefold() for a, b in treatments if start <= a < end} for start, end in sides]
    return bool(named[0]) and named[0] == named[1] and not any(map(str.isdigit, f"{groups['a']}{groups['b']}"))


_NEGATED = re.compile(r"\b(?:not|never|no longer|n't|without|off)\s*$|^\s*(?:not|never|off)\b", re.IGNORECASE)
"""A slot that the frame would cut off from its negation: "people [not] on statins"."""
_CODE = re.compile(r"\b[A-Z][A-Za-z]*-?\d")
"""What a product is called that has no name yet: "TAK-003"."""
_WHICH = re.compile(r"\W*which\b", re.IGNORECASE)


@cache
def _control() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern('arm-roles', 'control')}|neither|nothing)\b", re.IGNORECASE)


@cache
def _or_control() -> re.Pattern[str]:
    control = (
        r"placebo|(?:usual|standard|routine) care|no (?:treatment|therapy|prophylaxis|supplement\w*)|nothing|neither"
    )
    end = r"(?=\s*(?:\?|$)|\s+(?:in|among)\s[^?,:;]*\??$|\s+to\s+(?:prevent|reduce|avoid|lower|treat)\b)"
    return re.compile(rf",?\s+or\s+(?:just\s+)?(?P<control>{control})\b{end}", re.IGNORECASE)


@cache
def _compares() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{group('question_slots', 'versus')}|than|against|between)\b", re.IGNORECASE)


@cache
def _verb() -> str:
    verbs = group("question_slots", "effect")
    return rf"(?:(?:also|really|still|actually|\w+ly)\s+)?(?:{verbs}|change|changes|alter|alters|make|makes|mean|means)"


def _frame(asks: str, order: str, *, named: bool = True) -> _Frame:
    return _Frame(re.compile(asks, re.IGNORECASE), order, named)


@cache
def _frames() -> tuple[_Frame, ...]:
    build: tuple[Callable[[], _Frame], ...] = (
        _compared_first,
        _difference_between,
        _people_given,
        _instead_of,
        _how_likely,
        _people_first,
        _rarer_in_people_on,
        _outcome_on,
        _outcome_with,
        _how_much_of_it,
        _how_well,
        _fewer_people,
        _proportion_of_people,
        _signal,
        _rarer_for,
        _how_good,
    )
    return tuple(one() for one in build)


def _compared_first() -> _Frame:
    """ "Compared with placebo, does aspirin reduce stroke?"."""
    return _frame(
        rf"^(?P<p>(?:in|among|for|after)\s[^,?]{{3,100}},\s+)?{_VERSUS}\s+(?P<b>[^,?]{{2,90}}),\s+"
        rf"(?P<rest>{_ASKED}(?:(?!\b(?:{group('question_slots', 'versus')}|than|against|better|worse|safer)\b)[^?])*?)"
        rf"{_END}",
        "{p} {rest} compared with {b}",
    )


def _difference_between() -> _Frame:
    """ "Any difference in stroke between A and B in heart failure?"; "in stroke survivors" is of people."""
    return _frame(
        rf"^(?:(?:is|are|was|were)\s+there\s+|what(?: is|'s)\s+)?(?:an?y?\s+|the\s+)?"
        r"(?:(?!no\b)\w+\s+)?differences?\s+in\s+"
        rf"(?:the\s+)?(?P<o>(?:(?!\b{_SOMEBODY}\b){_PHRASE}){{3,90}}?)\s+between\s+"
        rf"(?P<a>(?:(?!\b(?:in|at|and)\b)[^?;:]){{2,90}}?)\s+(?:and|or)\s+"
        rf"(?P<b>(?:(?!\b(?:for|and)\b)[^?;:]){{2,90}}?)(?P<p>\s+(?:in|among)\s+{_PHRASE}{{3,90}}?)?{_END}",
        "Does {a} affect {o} compared with {b} {p}",
    )


def _people_given() -> _Frame:
    """ "Do patients on A have fewer strokes than those on B?"."""
    return _frame(
        rf"^(?:do|did|does|will|would)\s+(?P<p>{_PHRASE}{{3,90}}?)\s+{_GIVEN}\s+(?P<a>{_TREATMENT})\s+"
        rf"(?:have|has|get|show|suffer|experience|develop)\s+(?P<less>{_AMOUNT})\s+(?P<o>[^?;:]{{3,90}}?)\s+than\s+"
        rf"(?:{_OTHERS}\s+)?(?:{_GIVEN}\s+)?(?P<b>[^?;:]{{2,90}}?){_END}",
        "In {p}, is there {less} {o} with {a} than with {b}",
    )


def _instead_of() -> _Frame:
    """ "Does giving A instead of placebo change mortality?"."""
    return _frame(
        rf"^(?P<p>(?:in|among|for|after)\s[^,?]{{3,100}},\s+)?(?P<lead>(?:does|do|did|can|could|will|would)\s+)"
        rf"(?:(?:giving|using|taking|choosing|prescribing|starting|having)\s+)?(?P<a>{_PHRASE}{{2,90}}?),?\s+"
        rf"(?:instead of|rather than|in place of|as opposed to)\s+(?P<b>(?!\w+ing\b){_PHRASE}{{2,90}}?),?\s+"
        rf"(?P<does>{_verb()}\s[^?]*?){_END}",
        "{p} {lead} {a} {does} compared with {b}",
    )


def _how_likely() -> _Frame:
    """ "How likely is stroke in atrial fibrillation on A compared with B?"."""
    return _frame(
        rf"^how\s+(?:likely|common|frequent)\s+(?:is|are|was|were)\s+(?:the\s+risk\s+of\s+)?"
        rf"(?P<o>{_PHRASE}{{3,90}}?)(?:\s+(?P<p>{_PEOPLE}))?\s+{_GIVEN}\s+(?P<a>{_TREATMENT})\s+{_VERSUS}\s+"
        rf"(?:{_GIVEN}\s+)?(?P<b>[^?;:]{{2,90}}?)(?P<q>\s+{_PEOPLE})?{_END}",
        "What is the risk of {o} with {a} compared with {b} {p} {q}",
    )


def _people_first() -> _Frame:
    """ "People with AF taking A: is bleeding less frequent than with B?"."""
    return _frame(
        rf"^{_NO_LEAD}(?P<p>{_PHRASE}{{3,90}}?)\s+{_GIVEN}\s+(?P<a>{_TREATMENT})(?:[,:;]|\s[-–—])\s+(?P<is>is|are)\s+"
        rf"(?P<o>{_PHRASE}{{3,90}}?)\s+(?P<less>{_HOW_OFTEN})\s+than\s+(?:in\s+{_OTHERS}\s+)?(?:{_GIVEN}\s+)?"
        rf"(?P<b>[^?;:]{{2,90}}?){_END}",
        "In {p}, {is} {o} {less} with {a} than with {b}",
    )


def _rarer_in_people_on() -> _Frame:
    """ "Is bleeding rarer in people on A than in those on B?"."""
    return _frame(
        rf"^(?P<is>is|are)\s+(?P<o>{_PHRASE}{{3,90}}?)\s+(?P<less>{_HOW_OFTEN})\s+in\s+(?P<p>{_PHRASE}{{3,90}}?)\s+{_GIVEN}\s+"
        rf"(?P<a>{_TREATMENT})\s+than\s+(?:in\s+{_OTHERS}\s+)?(?:{_GIVEN}\s+)?(?P<b>[^?;:]{{2,90}}?){_END}",
        "In {p}, {is} {o} {less} with {a} than with {b}",
    )


def _outcome_on() -> _Frame:
    """ "Gastrointestinal bleeding in atrial fibrillation on A versus B?"."""
    return _frame(
        rf"^{_NO_LEAD}(?:(?:the\s+)?(?:risk|rates?|incidence|frequency)\s+of\s+)?(?P<o>{_PHRASE}{{3,80}}?)\s+(?P<p>{_PEOPLE})"
        rf"\s+(?:on|taking|given|receiving|treated with)\s+(?P<a>{_TREATMENT})\s+{_VERSUS}\s+"
        rf"(?P<b>{_PHRASE}{{2,90}}?){_END}",
        "Risk of {o} with {a} compared with {b} {p}",
    )


def _outcome_with() -> _Frame:
    """ "Symptom control with A versus B in mild asthma?": whatever stands first is what is asked about."""
    return _frame(
        rf"^{_NO_LEAD}(?!(?:patients?|people|adults?|treat\w*|therap\w+|management|use)\b)"
        rf"(?P<o>(?:(?!treat|therap|manage|patients?\b|people\b|adults\b)[\w-]+\s+){{1,4}}?)with\s+"
        rf"(?P<a>{_TREATMENT})\s+{_VERSUS}\s+(?P<b>{_PHRASE}{{2,90}}?)\s+(?P<p>{_PEOPLE}){_END}",
        "Risk of {o} with {a} compared with {b} {p}",
    )


def _how_much_of_it() -> _Frame:
    """ "How much pneumonia is there with A compared with B in COPD?"."""
    return _frame(
        r"^how\s+(?:(?:much|many|often)\s+(?:more\s+|less\s+|fewer\s+)?|often\s+(?:do|does|did)\s+)"
        rf"(?P<o>{_PHRASE}{{3,80}}?)\s+(?:(?:is|are|was|were)\s+there|occurs?|happens?|develops?|arises?)\s+"
        rf"{_GIVEN}\s+(?P<a>{_PHRASE}{{2,90}}?)\s+{_VERSUS}\s+(?:{_GIVEN}\s+)?(?P<b>[^?;:]{{2,90}}?)(?P<p>\s+{_PEOPLE})?{_END}",
        "What is the risk of {o} with {a} compared with {b} {p}",
    )


def _how_well() -> _Frame:
    """ "How well does A protect older adults against pneumonia?"."""
    return _frame(
        rf"^how\s+(?:well|much|far|strongly)\s+(?P<lead>does|do|did|can|will|would)\s+(?P<a>{_PHRASE}{{2,90}}?)\s+protects?\s+"
        rf"(?P<p>(?:[\w-]+\s+){{0,4}}?{_SOMEBODY}(?:\s{_PHRASE}{{3,60}}?)?)\s+(?:against|from)\s+"
        rf"(?P<o>[^?;:]{{3,90}}?){_END}",
        "How much {lead} {a} reduce {o} in {p}",
        named=False,
    )


def _fewer_people() -> _Frame:
    """ "Do fewer people with AF have a stroke on A than on B?"."""
    return _frame(
        rf"^(?:do|did|will|would)\s+(?P<less>fewer|more)\s+(?P<p>{_PHRASE}{{3,90}}?)\s+{_HAVE}\s+(?:an?\s+|any\s+)?"
        rf"(?P<o>{_PHRASE}{{3,80}}?)\s+{_GIVEN}\s+(?P<a>{_TREATMENT})\s+than\s+(?:{_OTHERS}\s+)?(?:{_GIVEN}\s+)?"
        rf"(?P<b>[^?;:]{{2,90}}?){_END}",
        "In {p}, is there {less} {o} with {a} than with {b}",
    )


def _proportion_of_people() -> _Frame:
    """ "What proportion of women given A have a birth defect?"."""
    return _frame(
        rf"^(?:what|which)\s+(?:proportion|percentage|share|fraction|number)\s+of\s+(?P<p>{_PHRASE}{{3,90}}?)\s+"
        rf"(?:{_GIVEN}|exposed to|started on|put on)\s+(?P<a>{_TREATMENT})\s+{_HAVE}\s+(?:an?\s+|any\s+)?"
        rf"(?P<o>[^?;:]{{3,80}}?)(?:\s+{_VERSUS}\s+(?:{_GIVEN}\s+)?(?P<b>[^?;:]{{2,90}}?))?{_END}",
        "What is the risk of {o} with {a}[ compared with {b}] in {p}",
    )


def _signal() -> _Frame:
    """ "Was there a meningitis signal with A in toddlers?"."""
    return _frame(
        rf"^(?P<is>is|are|was|were)\s+there\s+(?:an?|any)\s+(?P<o>(?!(?:safety|survival|benefit|increased|increase|excess|cases)\b){_PHRASE}{{3,60}}?)\s+"
        rf"(?:signals?|excess|problems?|concerns?)\s+(?:with|on|from|after|of)\s+(?P<a>(?:(?!\bin\b){_PHRASE}){{2,90}}?)"
        rf"(?P<p>\s+{_PEOPLE})?{_END}",
        "Does {a} increase {o}[ {p}]",
        named=False,
    )


def _rarer_for() -> _Frame:
    """ "Is bleeding rarer on A than on B for deep vein thrombosis?"."""
    return _frame(
        rf"^(?P<is>is|are)\s+(?P<o>{_PHRASE}{{3,90}}?)\s+(?P<less>{_HOW_OFTEN})\s+{_GIVEN}\s+(?P<a>{_TREATMENT})\s+than\s+"
        rf"(?:{_GIVEN}\s+)?(?P<b>[^?;:]{{2,90}}?)\s+for\s+(?:the\s+treatment\s+of\s+)?(?P<p>[^?,;:\d]{{3,60}}?){_END}",
        "In people with {p}, {is} {o} {less} with {a} than with {b}",
    )


def _how_good() -> _Frame:
    """ "How good is A in children?"; of a test ("how good is D-dimer at ...") it is another question."""
    return _frame(
        rf"^how\s+(?:good|protective)\s+(?P<is>is|are|was|were)\s+(?P<a>{_PHRASE}{{2,60}}?)"
        rf"(?P<q>\s+(?:in|for|against|among|after)\s[^?]*?)?{_END}",
        "How effective {is} {a}[ {q}]",
    )
