"""The outcome that a clause names, taken from the places where one is named: "the risk of ...", "... occurred in".

A component of a list is never taken for the outcome: "the combined outcome of infarction, stroke or angina" is read to
its end, and of "death, infarction and bleeding" with one figure nobody knows which is meant.
"""

from __future__ import annotations

import re

from openwork_knowledge.notation import group

from openwork_answers.outcomes import read_outcome

_I = re.IGNORECASE
_VERB = (
    r"(?:(?:was|were|is|are|did|had|has|have been|has been|had been)\b|occurred\b|developed\b|happened\b|fell\b|rose\b"
    r"|increased\b|decreased\b|declined\b|dropped\b|differed\b|showed\b|improved\b|worsened\b)"
)
_SUBJECT = re.compile(rf"^(?P<o>[^.;]{{3,160}}?)\s+(?:also\s+|only\s+)?{_VERB}(?P<rest>.*)", _I | re.DOTALL)
_HAS_OBJECT = re.compile(
    r"\s*(?:not\s+)?(?:the|an?|(?:\w+ly\s+)?(?:associated|linked|related|correlated)|(?:\w+ly\s+)?(?:more|less)\s+likely)\b",
    _I,
)
_GONE = re.compile(
    r"\s*(?:\w+ly\s+)?(?:healed|cured|eradicated|resolved|free|absent|negative|excluded|controlled)\b", _I
)
"""Said of a disease that is no more: its figures are of the opposite."""
SAID_THAT = re.compile(
    r"^[^,;]{3,120}?\b(?:revealed|showed|shows|demonstrated|found|indicated|suggest\w*|reported|confirmed)\s+that\s+",
    _I,
)
"""Who says it, before what is said."""
_THE_DIFFERENCE = re.compile(r"\s*(?:the|this|a|an)\s+(?:\w+\s+){0,2}difference\b", _I)
"""Of what was told before: "...; the difference was 1%"."""
_NO_MORE = re.compile(
    r"\b(?:resolution|absence|relief|healing|freedom|lack|prevention|control|cessation|remission)\s*$", _I
)
_MEASURE = re.compile(
    r"[,\s]+(?:(?:with|an?|adjusted|pooled|crude)\s+)*(?:(?:hazard|odds|risk|rate)\s+ratio|relative\s+risk|(?-i:[RHO]R))"
    r"\s*(?:of|was|is|[:=,])?\s*$",
    _I,
)
"""The name of the figure that follows."""
_EXCEPT = re.compile(r".*\b(?:except|apart)\s+(?:for|from)\s+", _I | re.DOTALL)
_WITH_PEOPLE = re.compile(
    r"(?:the\s+)?(?:patients|subjects|participants|people|women|men|children|those)\s+(?:with(?:out)?|who)\b", _I
)
_RISK_OF = re.compile(
    r"\b(?:risks?|rates?|incidences?|odds|likelihood|probability|hazard|occurrence|number|frequency|prevalence|proportion"
    r"|percentages?|development)\s+(?:of|for)\s+(?P<o>.{3,160})",
    _I,
)
_FOR_PEOPLE = re.compile(
    r"(?:[\w-]+\s+){0,3}(?:patients|participants|people|women|men|children|subjects)\b(?!\s+who\b)", _I
)
_ON = re.compile(r"^(?:the\s+)?(?:effects?|impact|benefits?)\s+of\s.{2,60}?\s+on\s+(?P<o>.{3,120})", _I)
_DIFFERENCE_IN = re.compile(
    r"\b(?:differences?|reductions?|decreases?|increases?|declines?|improvements?|changes?|effects?|benefits?)"
    r"\s+(?:in|on|of|for)\s+(?P<o>.{3,160})",
    _I,
)
_ACTED = re.compile(
    r"\b(?:reduc|lower|increas|rais|decreas|prevent|improv|cut|prolong|affect|chang|worsened|worsens)\w*\s+(?P<o>.{3,160})",
    _I,
)
_COMPARATIVE = re.compile(
    r"\b(?:lower|higher|less|more|fewer|greater|similar|worse|better|had|experienced|developed|reported)\s+(?P<o>.{3,120})",
    _I,
)
_LIKELY = re.compile(
    r"\blikely\s+to\s+(?:have\s+(?:had\s+)?|undergo\s+|develop\s+|report\s+|experience\s+|suffer\s+|require\s+|be\s+)?"
    r"(?P<o>.{3,120})",
    _I,
)
_DIED = re.compile(
    r"(?<!\bor )(?<!\band )\b(?P<o>died(?:\s+(?:from|of)\s+(?:any\s+cause|[a-z-]+(?:\s+causes?)?))?)\b"
    r"(?!\s+(?:and/)?or\b|,\s+(?:were|had|or)\b)",
    _I,
)
_AS_WAS = re.compile(r"\bas\s+(?:was|were)\s+(?P<o>[^,;()]{3,80})$", _I)
_OUTCOME_END = re.compile(
    r"[;:()\[\]]|,(?!\d{3}\b)|\b(?:compared|versus|vs|than|with(?!in)|in(?!\s*-)|among|by|at|after"
    r"|for(?=\s+(?:patients|people|those|the))|over|during|between|when|while|whereas|but|within|was|were|is|are|did|had"
    r"|from(?=\s+\d)|to(?=\s+\d)|per(?=\s+\d)|on(?=\s+[a-z]+\s+(?:than|compared))|significantly|similarly|only|requiring|throughout"
    r"|occurred|developed|improved|following)\b|(?<!type)(?<!stage)(?<!grade)(?<!class)(?<!above)(?<!below)(?<!under)(?<!least)(?<!exceeding)\s\d|\sas\s|$",
    _I,
)
_LEAD_IN = re.compile(
    r"^(?:(?:in|at|after|over|by|during|within|among|for|with|from|compared|when|relative|regarding|based on|however"
    r"|overall|similarly|furthermore|moreover|finally|conversely)\b[^,]{0,140},(?:\s+|$))+"
    r"|^(?:although|though|while|whereas|however)\s+",
    _I,
)
_HEADING = re.compile(r"^(?:MAIN\s+)?(?:RESULTS?|FINDINGS?|CONCLUSIONS?)\s+(?=[A-Z0-9])")
_INCLUDING = re.compile(
    rf",\s+(?:including|such\s+as|particularly|especially|mainly)\s[^.;:()]{{3,120}}?,(?=\s+{_VERB})", _I
)
"""Examples of an outcome are none of its names."""
_OF_THOSE = re.compile(r"^(?:of|among)\s+[^,]{3,120},\s*", _I)
"""Whom a sentence is about, before what happened to them."""
_RESPONSE_RATE = re.compile(
    rf"\b{group('outcome-phrases', 'response')}\s+(?:rates?\s+)?(?:of|for)\s+(?P<o>[^,;:()]{{3,80}})", _I
)
"""The "cure rate of infection" is no rate of infection."""
_WHICH = re.compile(r"(?P<o>[^,;:()]{3,70}),\s+(?:which|that)\s+(?:was|were|is|are|occurred)\b", _I)
_PARTS = re.compile(rf";\s+|,?\s+(?P<word>and|but|whereas|while|although)\s+(?=[^.;]{{2,120}}?\s{_VERB})", _I)
"""Between clauses that have a verb each."""
_HAS_VERB = re.compile(rf"\s{_VERB}|\b(?:reduc|lower|increas|decreas|prevent|improv)\w+\b", _I)
_HOW, _COUNTED_AS, _LOWER = (group("outcome-phrases", each) for each in ("how", "counted as", "lower"))
_ARTICLE = re.compile(
    r"^(?:(?:and|but|while|whereas|also|not|only|both)\s+)*(?:the\s+|an?\s+|their\s+|any\s+(?=of))?"
    rf"(?:(?:{_HOW}|(?:lower|higher|greater)(?!\s+{_LOWER}\b))\s+)*"
    rf"(?:{_COUNTED_AS}\s+(?:of|for|in)\s+)?"
    r"(?:the\s+|an?\s+)?(?:(?:first|primary|key|main)\s+(?:composite\s+)?(?=(?:\w+\s+)?outcomes?\s+of))?",
    _I,
)
_COMPOSITE = re.compile(
    r"\b(?:composite|combined|combination|primary|secondary)\b[^,;()]{0,50}?\b(?:outcomes?|end\s?-?points?|events?)"
    r"(?:\s+measures?)?\s+of\s+|\b(?:composite|combination)\s+of\s+",
    _I,
)
_LIST_OF = re.compile(
    r"^(?:[^,;:()\[\]]{2,60},\s+){0,6}[^,;:()\[\]]{2,60}?,?\s+(?:or|and)\s+(?:other\s+)?[^,;:()\[\]]{2,60}", _I
)
_MORE_BEHIND = re.compile(r"^,\s+[^.;:()\[\]]{2,80}?,?\s+and\s+[a-z]|^\s*,\s+[a-z-]+(?:\s+[a-z-]+){0,4}\s*$", _I)
_PRIMARY_WORDS = (
    r"(?P<which>co-?primary|primary|secondary|main|principal|key secondary)\s+(?:composite\s+|combined\s+)?"
    r"(?:efficacy\s+|safety\s+|composite\s+)?"
)
_PRIMARY = re.compile(rf"^(?:the\s+)?{_PRIMARY_WORDS}(?:outcome|end\s?-?point|event|outcome event)s?$", _I)
_DEFINED = re.compile(
    rf"\b{_PRIMARY_WORDS}"
    r"(?:outcome|end\s?-?point)s?(?:\s+\([^)]*\))?(?:\s+(?:was|were|is|included|comprised)|,|\s*[:=])\s+"
    r"(?:(?:the\s+|a\s+)?(?:composite|combination|time to first occurrence|time to the first|first occurrence"
    r"|occurrence|incidence|rate|risk)\s+of\s+)?"
    r"(?:the\s+|a\s+|an\s+)?(?P<o>[^.;]{3,220})",
    _I,
)
_HAPPENED = re.compile(
    r"^(?P<arm>[^;]{0,90}?)\s*\b(?P<o>died\b[^;]*|(?:needed|required|had|developed|experienced|suffered|reported)\s+"
    r"(?:an?\s+|the\s+)?(?P<what>[^;]{3,120}))",
    _I,
)
_DID = re.compile(r"^(?:needed|required|had|developed|experienced|suffered|reported)\s+", _I)
_CHANGED = re.compile(
    r"(?:(?:an?|the|\w+ly|\w+)\s+){0,2}(?:reduction|decrease|increase|improvement|change)s?\s+(?:in|of)\b", _I
)
"""Who had "a reduction in pain" had not pain."""
_FOR = re.compile(r"^[^;.a-z]{0,30}?[)\]]*\s*(?:for|in favou?r of|of)\s+(?P<o>[^,;.()]{3,90})", _I)
_OTHER_WORDS = re.compile(
    r"\b(?:versus|vs|groups?|arms?|placebo|if|predict\w*|recipients|likely)\b|^(?:to|and|or|also)\s|[=<>≤≥]"
    rf"|\b{group('arm-words', 'given surely')}\b|-treated\b|most common\b"
    r"|\b(?:patients|participants|subjects)\s+(?:had|reported|were|was|with|who\s+(?:reported|had))\b"
    r"|\b(?:patients|participants|subjects|people|periods?)$|\b(?-i:OR|HR|RR)\b",
    _I,
)
"""What no outcome's name holds: arms, verbs."""
_DANGLING = re.compile(r"(?:\s+(?:of|to|the|a|was|on|as|associated|related|due|caused))+$", _I)
_LONGEST, _SHORT_CLAUSE = 24, 9
"""Words."""


def outcome_in(clause: str) -> str | None:
    """The outcome that a clause names; `None` = in no place where one is looked for."""
    clause = _INCLUDING.sub(" ", _HEADING.sub("", clause))
    bare = re.sub(r"\s*[(\[][^()\[\]]*$", "", re.sub(r"\s*\([^()]*\)", "", clause)).strip()
    bare = _EXCEPT.sub("", _MEASURE.sub("", bare))
    bare = _OF_THOSE.sub("", bare)
    if match := _AS_WAS.search(bare):
        return _named(match["o"])
    if which := list(_WHICH.finditer(bare)):
        return _named(re.split(r"\b(?:to|of|in|for|with|and)\s", which[-1]["o"])[-1])
    if (colon := re.search(r":\s+([^:]{3,90})$", bare)) and (outcome := _named(colon[1])):
        return outcome  # what stands before the colon is a lead
    for part, contrasts in reversed(_clauses(bare)):
        if outcome := _in_part(_LEAD_IN.sub("", SAID_THAT.sub("", part.strip()))):
            return outcome
        if contrasts and _HAS_VERB.search(part) and not _THE_DIFFERENCE.match(part):
            return None  # "..., but it had no effect among men": of what, only the clause before says
    return None


def outcome_listed(clause: str) -> str | None:
    """The outcome of a clause that is one more of a list: ", stroke (3.4% vs 4.9%)"."""
    bare = re.sub(r"\s*[(\[][^()\[\]]*$", "", re.sub(r"\s*\([^()]*\)", "", clause))
    short = re.sub(r"^(?:[\s,;)\]]+|(?:and|or|but)\s+)+", "", bare).strip()
    return _named(short) if len(short.split()) <= _SHORT_CLAUSE and not _HAS_VERB.search(f" {short}") else None


def _clauses(text: str) -> list[tuple[str, bool]]:
    """(part, whether it stands in contrast to the one before) with a verb each; "and" of a list parts nothing."""
    parts, start, contrasts = [], 0, False
    for match in _PARTS.finditer(text):
        word = (match["word"] or "").casefold()
        if word == "and" and not _HAS_VERB.search(text[start : match.start()]):
            continue
        parts.append((text[start : match.start()], contrasts))
        start, contrasts = match.end(), word != "and"
    return [*parts, (text[start:], contrasts)]


def _in_part(bare: str) -> str | None:
    if (match := _RESPONSE_RATE.search(bare)) and (outcome := _named(match["o"])):
        return bare[match.start() : match.start("o")] + outcome
    if match := _COMPOSITE.search(bare):
        return _composite(bare[match.end() :])
    subject = _SUBJECT.match(bare)
    if subject and _GONE.match(subject["rest"]):
        return None
    whose = subject and (_HAS_OBJECT.match(subject["rest"]) or _WITH_PEOPLE.match(subject["o"]))
    if subject and not whose and (outcome := _named(_after_of(subject["o"]))):
        return outcome
    for pattern in (_LIKELY, _DIED, _RISK_OF, _DIFFERENCE_IN, _ACTED, _COMPARATIVE):
        for match in reversed(list(pattern.finditer(bare))):
            if outcome := _named(match["o"]):
                return outcome
            if _MORE_BEHIND.match(match["o"][len(_cut(match["o"])) :]):
                return None
    return None


def _composite(text: str) -> str | None:
    """The whole list behind "the composite of"."""
    listed = _LIST_OF.match(text)
    if listed is None:
        return _named(text)
    found = listed[0]
    last = max(found.rfind(" or "), found.rfind(" and "))
    found = found[:last] + found[last : last + 5] + _cut(found[last + 5 :])
    return found.strip(" ,.") if is_outcome(found) else None


def _after_of(subject: str) -> str:
    """ "The rate of major bleeding" is of major bleeding; "rivaroxaban users" is no outcome."""
    match = _ON.match(subject) or _RISK_OF.search(subject)
    return match["o"] if match and not _FOR_PEOPLE.match(match["o"]) else subject


def _named(text: str) -> str | None:
    """The outcome at the beginning of a text, where it is one alone."""
    outcome = _cut(text)
    if not is_outcome(outcome):
        return None
    bare = _ARTICLE.sub("", text.strip())
    rest = bare[len(outcome) :]
    if rest.startswith(",") and (whole := _alternatives(bare)):
        return whole
    return None if _MORE_BEHIND.match(rest) else outcome


def _alternatives(text: str) -> str | None:
    """The whole of "death, infarction, or stroke": each of them an outcome, any of which counts."""
    listed = _LIST_OF.match(text)
    last = listed[0].rfind(" or ") if listed else -1
    if listed is None or last < 0:
        return None
    found = listed[0][: last + 4] + _cut(listed[0][last + 4 :])
    items = re.split(r",\s+(?:or\s+)?|\s+or\s+", found)
    return found if all(is_outcome(item) for item in items) else None


def _cut(text: str) -> str:
    text = _ARTICLE.sub("", text.strip())
    end = _OUTCOME_END.search(text)
    found = text[: end.start()] if end else text
    return _DANGLING.sub("", found.strip(" ,."))


def is_a_change(text: str) -> bool:
    """Whether it begins with a change: who had "a reduction in pain" had not pain."""
    return _CHANGED.match(text) is not None


def tidy(text: str) -> str:
    """A name without articles, words of counting and what opens its sentence."""
    return _ARTICLE.sub("", _LEAD_IN.sub("", SAID_THAT.sub("", text.strip())))


def is_outcome(text: str) -> bool:
    """Whether it names an outcome: something known, or the primary one."""
    if is_primary(text):
        return True
    if not text or len(text.split()) > _LONGEST or re.search(r"\s(?:and|or)$", text) or _OTHER_WORDS.search(text):
        return False
    return any(atom.things for atom in read_outcome(text).atoms)


def outcome_behind(text: str) -> str | None:
    """ "25% of patients given A and 35% of those given B needed renal replacement therapy"."""
    match = _HAPPENED.search(text)
    what = _DID.sub("", match["o"]) if match else ""
    return _named(what) if what and not _CHANGED.match(what) else None


def outcome_for(text: str) -> str | None:
    """ "(95% CI 0.65 to 0.85) for death": the outcome behind an interval."""
    match = _FOR.match(text)
    return _named(match["o"]) if match else None


def noun_before(text: str) -> str | None:
    """The noun that stands right before a bracket."""
    bare = re.sub(r"\s*\([^()]*\)", "", text)
    *before, phrase = re.split(r"[;:]|\b(but|with|was|were|than|of|in|had|for|from)\b", bare)
    phrase = phrase.strip()
    if before and before[-1] in {"of", "for", "from"}:
        if _NO_MORE.search(before[-2]):
            return None
        head = before[-2].split()[-1:]
        if head and is_outcome(head[0]):  # "readmission for heart failure"
            phrase = f"{head[0]} {before[-1]} {phrase}"
    parts = [part for part in re.split(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+|^(?:and|or)\s+", phrase) if part]
    if len(parts) > 1 and is_outcome(_cut(parts[-1])) and is_outcome(_cut(parts[-2])):
        return _alternatives(phrase)  # a list with figures for all of it
    return (_named(parts[-1]) if parts else None) or outcome_in(text)


def is_primary(outcome: str) -> bool:
    """Whether it is called by its rank alone: "the primary end point"."""
    return _PRIMARY.match(outcome.strip()) is not None


def definitions(abstract: str) -> dict[str, str]:
    """What an abstract says its primary outcome is, by rank; the first definition stands."""
    found: dict[str, str] = {}
    for match in _DEFINED.finditer(abstract):
        if not re.search(r"\d", match["o"][:40]):
            found.setdefault(match["which"].casefold(), match["o"].strip())
    return found


def resolved(outcome: str, defined: dict[str, str]) -> str | None:
    """The outcome by its own name; `None` = called by its rank, and nobody says what it is."""
    match = _PRIMARY.match(outcome.strip())
    return defined.get(match["which"].casefold()) if match else outcome
