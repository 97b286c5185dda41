"""Shares told in a row with an arm each: "24% (30/126) for placebo; 55% (63/115) for A 100 mg; 54% for B 20 mg".

Every figure of a row has its arm in the same place: behind it ("24% of those given A"), before it ("with A (24%)", "A
24%"), or in a list that names as many arms in the same order. A row in which one figure has none, or whose outcome is
named nowhere, is not read. Doses of a drug are arms of their own, and no two of them make a result where another arm
stands beside them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise

from openwork_contracts.question import EntityKind
from openwork_knowledge.inn import inn_words
from openwork_knowledge.notation import group
from openwork_language.mentions import names_in
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.terms import find_terms

from openwork_answers.arms import arm_name, is_control_name, is_known, sides_near
from openwork_answers.excluded import add_up, is_change
from openwork_answers.figures import VERSUS, contradicts
from openwork_answers.found import Found, is_a_side, own_clause, subject_of, time_in
from openwork_answers.named_outcomes import noun_before, outcome_behind, outcome_in
from openwork_answers.outcomes_by_place import is_no_share, outcome_alone, outcome_by_place, outcome_done
from openwork_answers.reported import Arm
from openwork_answers.shares import Share, opening_of, shares_in, told_together

_K = QuantityKind
_FLAGS = re.IGNORECASE
_PEOPLE, _SURELY = group("arm-words", "people"), group("arm-words", "given surely")
_GIVEN = rf"(?:{group('arm-words', 'given', 'given surely')}|after|following|under|to)"
_BEHIND = group("arm-words", "behind")
_GROUP = r"(?P<group>\s+(?:groups?|arms?|cohorts?)\b)?"
_NO_SHARE = re.compile(r"[(\[][^()\[\]]*[)\]]")
_OF_ARM = re.compile(
    rf"^[)\]]*\s*(?:of\s+)?(?:the\s+|all\s+|those\s+)?(?:{_PEOPLE}\s+)?(?:{_PEOPLE}\s+)?"
    rf"(?:who\s+(?:were\s+|had\s+)?|being\s+)?(?P<given>{_GIVEN})\s+(?:the\s+)?(?:{_PEOPLE}\s+(?={_SURELY}))?(?:{_SURELY}\s+)?"
    rf"(?P<arm>[^;()\[\]]{{1,70}}?){_GROUP}"
    rf"(?=\s+{_BEHIND}\b|,?\s+(?:and|or|versus|vs\.?)\s|\s*[,;()\[\]:]|\s*\.(?:\s|$)|\s*$)",
    _FLAGS,
)
_DID_IN = re.compile(
    rf"^[)\]]*\s*(?:[\w/-]+\s+){{1,6}}?(?P<given>in|with|{_SURELY})\s+the\s+(?P<arm>[^,;()\[\]]{{1,60}}?)(?P<group>\s+(?:group|arm)\b)",
    _FLAGS,
)
"""What they did stands between: "nine patients (22%) complained of nausea in the A group"."""
_IN_BRACKETS = re.compile(r"^\s(?P<arm>[A-Za-z][^,;()\[\]]{1,40}?)(?P<group>)(?P<given>)(?=\s*[,;)\]])")
_BEFORE = re.compile(
    rf"(?:.*(?:[,:;(\[]\s*|\b(?P<given>{_GIVEN}|and|versus|vs\.?|than|compared\s+(?:with|to)|for|by)\s+)|^\s*)"
    rf"(?:the\s+)?(?:{_PEOPLE}\s+{_SURELY}\s+)?(?P<arm>[^,;:()\[\]]{{2,60}}?){_GROUP}$",
    _FLAGS | re.DOTALL,
)
_CUT = re.compile(
    r"(?:\s*[(\[]?\s*n\s*=\s*(?:\d[\d,]*\s*[(\[]?)?|\s*[(\[]|\s+\d[\d,]*\s*[(\[]|\s*[:=]|\s+(?:was|were|had|at|of))\s*$",
    _FLAGS,
)
"""Between an arm's name and its figure."""
_NOT_SIGNIFICANT = re.compile(
    r",?\s*\b(?:but|although|though|and|however,?)\s+(?:(?:the|this|these)\s+)?(?:differences?\b)?[^,;()]{0,40}?\bsignificant\w*\s*\(?$",
    _FLAGS,
)
_FIGURE = re.compile(r"\d\s?%|\d/\d")
_WAS = re.compile(r"\s(?:was|were|had)\s+$", _FLAGS)
_AGAINST = re.compile(r"\b(?:versus|vs\.?|than|compared\s+(?:with|to))\s+(?:with\s+|in\s+)?[^,;()\d]{3,40}\($", _FLAGS)
"""The arm that all are set against, told last: "... vs placebo (29%)"."""
_OF_WHOM = re.compile(
    rf"^(?:of|in|among)\s+(?:the\s+|all\s+)?(?:{_PEOPLE}\s+)?[^,;()]{{0,60}}?\b(?P<given>{_SURELY})\s+(?P<arm>[^,;()]{{2,60}}){_GROUP},\s+$",
    _FLAGS,
)
"""Who is told first: "Of the patients taking A, 58% ..."."""
_DOSE = re.compile(r"(?<=[a-z]),\s+(?=\d[\d.]*\s?(?:mg|mcg|g|µg|μg|IU|units?)\b)", _FLAGS)
_ONLY_DOSE = re.compile(r"^\d[\d.]*[\s-]?(?:mg|mcg|g|µg|μg|IU|units?)\b", _FLAGS)
_NO_ARM = re.compile(
    r"\b(?:rates?|incidences?|risk|responses?|analys[ie]s|protocol|intent|intention|was|were|had|severe|attacks?)\b"
    r"|^if\b|^(?:treatment|therapy|drugs?|medication|surgery|study|active)$",
    _FLAGS,
)
"""Names of what is counted, and words for any arm."""
_PER_TIME = re.compile(
    r"\b(?:per|each|every)\s+(?:(?:person|patient|woman|child)[\s-])?(?:years?|months?|weeks?|annum)\b|\bannual(?:ly)?\b|\byearly\b",
    _FLAGS,
)
"""A share of people per year is a rate: the other figures of its row are of a year too."""
_CODE = re.compile(r"[A-Z]{2,}[A-Z0-9-]*|[A-Z]+-?\d[\w-]*")
_TIME_WORD = re.compile(r"\b\d[\d.]*[\s-]?(?:h|hrs?|hours?|min|minutes?|days?|weeks?|months?|years?)\b", _FLAGS)
_FIGURES_IN_BRACKET = re.compile(r"[(\[](?:[^()\[\]]|\([^()]*\))*\d\s?%(?:[^()\[\]]|\([^()]*\))*[)\]]")
_MOST_ARMS = 8
_NEAR = 160
"""Characters between two figures of one row."""


def series_in(sentence: str, quantities: Sequence[Quantity]) -> tuple[Found, ...]:
    """Results of every row of shares in a sentence; nothing where an arm or the outcome is not named."""
    sentence = _DOSE.sub(lambda m: " " * len(m[0]), sentence)
    shares = shares_in(sentence, quantities)
    if len(shares) < 2:
        return ()
    found: list[Found] = []
    for told in told_together(sentence, shares):
        if len(told) > 1:
            found += _transposed(sentence, told) or _of_row(sentence, told)
    return tuple(dict.fromkeys(found))


def _of_row(sentence: str, shares: Sequence[Share]) -> list[Found]:
    if any(_PER_TIME.search(_until(sentence, shares, i)) for i in range(len(shares))):
        return []
    for namer in (_behind, _before, _told_of_subject):
        for begin in (0, 1):  # the first may be of all arms together
            own = shares[begin:]
            if len(own) < 2:
                continue
            names = _names(sentence, own, namer)
            if names is not None:
                return _results(sentence, shares[:begin], own, names)
    names = _in_order(sentence, shares)
    return _results(sentence, (), shares, names) if names else []


def _in_order(sentence: str, shares: Sequence[Share]) -> list[str] | None:
    """The two sides of the comparison before a bracket with two figures: "higher with A than with B (60% vs 43%)"."""
    opening = opening_of(sentence, shares[0].start)
    if len(shares) != 2 or not opening or opening_of(sentence, shares[1].start) != opening:
        return None
    if not VERSUS.search(sentence[shares[0].end : shares[1].start]):
        return None
    sides = sides_near(sentence, shares[0].start, shares[0].start)
    return list(sides) if sides and all(map(_is_known_or_code, sides)) else None


def _is_known_or_code(name: str) -> bool:
    return is_known(name) or _CODE.fullmatch(name) is not None


Namer = Callable[[str, Sequence[Share], int], str]


def _names(sentence: str, shares: Sequence[Share], namer: Namer) -> list[str] | None:
    """A name for each figure, all found in the same place; a dose alone is of the drug before it."""
    names: list[str] = []
    for i in range(len(shares)):
        name = namer(sentence, shares, i)
        if not name and i == 0 and (opening := _OF_WHOM.match(sentence[: shares[0].start])):
            name = _sure(opening)
        if not name:
            return None
        if _ONLY_DOSE.match(name) and not _drug_in(name):
            drug = _drug_in(names[-1]) if names else None
            if drug is None:
                return None  # a dose of what, nobody says
            name = f"{drug} {name}"
        names.append(name)
    distinct = {name.casefold() for name in names}
    return names if len(distinct) > 1 else None


def _until(sentence: str, shares: Sequence[Share], i: int) -> str:
    """What stands behind a figure, up to the next; brackets that hold none are blanked."""
    end = shares[i + 1].start if i + 1 < len(shares) else len(sentence)
    return _NO_SHARE.sub(lambda m: " " * len(m[0]), sentence[shares[i].end : end])


def _behind(sentence: str, shares: Sequence[Share], i: int) -> str:
    text = _until(sentence, shares, i)
    match = _OF_ARM.match(text) or _DID_IN.match(text)
    name = f"{_sure(match)}{_goes_on(text, match)}" if match and _sure(match) else ""
    if match is None and opening_of(sentence, shares[i].start) and (match := _IN_BRACKETS.match(text)):
        name = _sure(match, surely=False)
    against = not name and i and _AGAINST.search(sentence[shares[i - 1].end : shares[i].start])
    return name or (_before(sentence, shares, i) if against else "")


_CONNECTED = re.compile(r"[\s,;]*(?:\b(?:and|or|versus|vs\.?|than|compared\s+(?:with|to)))?\s*$", _FLAGS)
_ALSO_GIVEN = re.compile(r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:an?\s+)?([^,]+?)(?=\s*,|\s+and\s|$)", _FLAGS)

_SAYS_MORE = re.compile(r"\b(?:so|which|who|was|were|is|are|did|had|has)\b", _FLAGS)
""" ", so placebo was not noninferior": no arm."""


def _goes_on(text: str, match: re.Match[str]) -> str:
    """What an arm is given besides, up to the next figure: "with a beta-lactam [and a macrolide] and 8.8% with ..."."""
    rest = _CONNECTED.sub("", text[match.end() :])
    if _SAYS_MORE.search(rest):
        return ""
    also = _ALSO_GIVEN.findall(rest)
    return rest.rstrip() if also and all(map(is_known, also)) and not match["group"] else ""


def _told_of_subject(sentence: str, shares: Sequence[Share], i: int) -> str:
    """ "The rate in A was 20% compared with 44% in B": the first behind its arm, the rest before theirs."""
    if i:
        return _behind(sentence, shares, i)
    return _before(sentence, shares, 0) if _WAS.search(sentence[: shares[0].start]) else ""


def _before(sentence: str, shares: Sequence[Share], i: int) -> str:
    start = shares[i - 1].end if i else 0
    text = sentence[start : shares[i].start]
    if len(text) > _NEAR and i:
        return ""
    for _ in range(2):
        text = _CUT.sub("", text)
    text = _TIME_WORD.sub(lambda m: " " * len(m[0]), text) if re.search(r"[:;(]\s*\d", text) else text
    match = _BEFORE.match(_NO_SHARE.sub(" ", text).rstrip())
    return _sure(match, surely=False) if match else ""


def _sure(match: re.Match[str], *, surely: bool = True) -> str:
    """The name, where it is a treatment's or a group's beyond doubt."""
    name = arm_name(match["arm"])
    if name is None or len(name) < 2 or _NO_ARM.search(name):
        return ""
    name = " ".join(name.rstrip("- ").split())
    given = match["given"] or ""
    if is_known(name) or match["group"] or (_CODE.fullmatch(name) and given):
        return name
    return name if surely and re.fullmatch(_SURELY, given, _FLAGS) else ""


def _drug_in(name: str) -> str | None:
    drugs = [t.text for t in find_terms(name) if t.kind is EntityKind.DRUG]
    return drugs[0] if drugs else next((match[0] for match in inn_words(name)), None)


def _results(sentence: str, overall: Sequence[Share], shares: Sequence[Share], names: Sequence[str]) -> list[Found]:
    """Results of the rows that the figures make: a name told again begins the next one."""
    start = _start(sentence, shares[0])
    listed = _listed(sentence, start, shares, names[0])
    found: list[Found] = []
    outcome: str | None = None
    rows = _rows(names)
    for place, row in enumerate(rows):
        first, last = shares[row[0]], shares[row[-1]]
        since = shares[row[0] - 1].end if row[0] else (overall[-1].end if overall else start)
        until = shares[row[-1] + 1].start if row[-1] + 1 < len(shares) else len(sentence)
        lead, behind = sentence[since : first.start], sentence[last.end : until]
        between = sentence[first.end : shares[row[1]].start] if len(row) > 1 else ""
        head = sentence[start : first.start] if place == 0 else lead
        told = (head, _before_arm(head, names[row[0]]) or head)
        own = _outcome(told, between, behind if place + 1 == len(rows) else "", listed if place == 0 else None)
        if own is None and overall and place == 0:
            own = outcome_done(lead)
        time = _time(sentence, lead, f"{between} {behind}", several=len(rows) > 1)
        if own is None and (outcome is None or place == 0 or time is None):
            continue
        outcome = own or outcome
        arms = [replace(shares[i].arm, name=names[i]) for i in row]
        figures = [shares[i].quantity for i in row]
        if outcome is None or _is_no_row(head, between, arms, figures):
            continue
        found += _compared(arms, outcome, time)
    return found


def _listed(sentence: str, start: int, shares: Sequence[Share], name: str) -> str | None:
    """Of a row in one bracket, what names its outcome: the words before it in the bracket, else before the bracket."""
    opening = opening_of(sentence, shares[0].start)
    if not opening or any(opening_of(sentence, share.start) != opening for share in shares):
        return None
    inside = _before_arm(sentence[opening : shares[0].start], name)
    return inside if outcome_by_place(inside) else sentence[start : opening - 1]


def _before_arm(text: str, name: str) -> str:
    cut = text.rfind(name)
    return text[:cut] if cut > 0 else ""


def _time(sentence: str, lead: str, behind: str, *, several: bool) -> str | None:
    """The only time of a sentence; of several that which stands with the row."""
    times = {time.casefold() for time in _TIME_WORD.findall(sentence)}
    if len(times) > 1 or several:
        return time_in(behind) or time_in(lead.rsplit(";", 1)[-1])
    return time_in(sentence)


def _start(sentence: str, first: Share) -> int:
    """Where the bracket before a row ends, if that has figures: "X (3% v 5%), Y (2% v 4%)"."""
    before = list(_FIGURES_IN_BRACKET.finditer(sentence[: (opening_of(sentence, first.start) or first.start) - 1]))
    end = own_clause(sentence, before[-1].end() if before else 0, first.start)
    return end + len(sentence[end:]) - len(sentence[end:].lstrip(")] "))


def _rows(names: Sequence[str]) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    for i, name in enumerate(names):
        if name.casefold() in {names[j].casefold() for j in rows[-1]}:
            rows.append([])
        rows[-1].append(i)
    return [row for row in rows if len(row) > 1]


def _outcome(told: tuple[str, str], between: str, behind: str, listed: str | None) -> str | None:
    """Named before the first figure, else by what people did behind one.

    Args:
        told: what stands before the first figure, and that without the arm which it is of.
        listed: of a row in one bracket, what stands before the bracket.
    """
    head, bare = (_NOT_SIGNIFICANT.sub("", text) for text in told)
    candidates = chain(
        () if listed is None else (noun_before(f"{listed}("), outcome_by_place(listed), outcome_alone(listed)),
        (outcome_in(head), outcome_done(between), outcome_done(behind), outcome_behind(between)),
        (outcome_behind(behind), outcome_by_place(head), outcome_by_place(bare)),
    )
    found: str | None = next((one for one in candidates if one and not _FIGURE.search(one)), None)
    return None if found is None or is_no_share(found, head) else found


def _is_no_row(head: str, between: str, arms: Sequence[Arm], figures: Sequence[Quantity]) -> bool:
    """Whether figures are amounts of change, parts of one whole, or go against the words before them."""
    if is_change(subject_of(head)) or len(arms) > _MOST_ARMS:
        return True
    return len(arms) == 2 and (add_up(figures, between) or contradicts(head, arms))


def _compared(arms: Sequence[Arm], outcome: str, time: str | None) -> Iterator[Found]:
    """Each pair of arms, the control second; doses of one drug with each other only where there is nothing else."""
    pairs = [(one, other) for one, other in combinations(arms, 2)]
    drugs = [frozenset(names_in(arm.name)) for arm in arms]
    apart = [
        (one, other)
        for (i, one), (j, other) in combinations(enumerate(arms), 2)
        if not drugs[i] or not drugs[j] or drugs[i] != drugs[j]
    ]
    for one, other in apart or pairs:
        if is_control_name(one.name) and not is_control_name(other.name):
            one, other = other, one
        sides = (one.name, other.name)
        if not is_a_side(outcome, sides):
            yield Found(outcome, sides, (one, other), None, time)


def _transposed(sentence: str, shares: Sequence[Share]) -> list[Found]:
    """Times arm by arm: "12% at 1 hour and 31% at 2 hours for A; 24% at 1 hour and 50% at 2 hours for B"."""
    marks = [0, *(m.end() for m in re.finditer(r";", sentence)), len(sentence)]
    parts = [[share for share in shares if start <= share.start < end] for start, end in pairwise(marks)]
    parts = [part for part in parts if part]
    width = len(parts[0])
    if len(parts) < 2 or width < 2 or any(len(part) != width for part in parts):
        return []
    names, times = [], []
    for part in parts:
        ends = [*(share.start for share in part[1:]), sentence.find(";", part[-1].end)]
        ends[-1] = ends[-1] if ends[-1] > 0 else len(sentence)
        texts = [sentence[share.end : end] for share, end in zip(part, ends, strict=True)]
        times.append([when[0] if (when := _TIME_WORD.search(text)) else None for text in texts])
        named = _OF_ARM.match(re.sub(rf"^\s*(?:at|after|by)\s+{_TIME_WORD.pattern}", "", texts[-1], flags=_FLAGS))
        names.append(_sure(named) if named else "")
    told = times[0]
    if not all(names) or None in told or len(set(told)) != width or any(own != told for own in times):
        return []
    outcome = outcome_in(sentence[: shares[0].start]) or outcome_by_place(sentence[: shares[0].start])
    if outcome is None or len({name.casefold() for name in names}) != len(names):
        return []
    found: list[Found] = []
    for place, at in enumerate(told):
        arms = [replace(part[place].arm, name=name) for part, name in zip(parts, names, strict=True)]
        found += _compared(arms, outcome, at)
    return found
