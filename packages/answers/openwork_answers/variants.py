"""Two ways of giving one treatment, set against each other: 5 or 10 days, 500 or 1,500 mg, restrictive or liberal.

They are two sides as two drugs are. Each is told from the other by its figure, or by the words that only it has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import pairwise

from openwork_contracts.question import EntityKind
from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import table, words
from openwork_language.mentions import Idea, idea_of, idea_tokens
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.number_words import NUMBER_WORDS, number_of_word
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.terms import find_terms
from openwork_language.tokens import STOP_WORDS, stem, token_set

from openwork_answers.treatments import is_any, is_control

_CONTRAST = re.compile(
    r"\b(?:versus|vs|v|or|than|against|rather than|instead of|compared (?:with|to)|as (?:well|good|effective|safe) as"
    r"|(?:good|well|effective|safe) as|from|to)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:versus|vs|v|or|rather than|instead of|compared (?:with|to)|against|than|as (?:well|good|effective|safe) as"
    r"|(?:not |non-?)inferior to|equivalent to)\b\.?",
    re.IGNORECASE,
)
_SET_AGAINST = re.compile(rf"\s+{_BETWEEN.pattern}\s+(?:only\s+)?(?:\d|{any_of(NUMBER_WORDS)}\b)", re.IGNORECASE)
""" "Stopped after 3 days [as good as 8] days"."""
_HALF_TOLD = re.compile(r"(?<![\w.])(?P<n>\d+)-\s+(?:versus|vs\.?|v|or|and)\s+$", re.IGNORECASE)
""" "10- or 14-day": the unit stands with the second."""
_SECOND = rf"(?P<n>\d+|{any_of(NUMBER_WORDS)})(?=\s*(?:[?.,;:]|$))"
_UNIT_BEFORE = re.compile(
    r"(?:\s+[\w-]+){0,4}?\s+(?:versus|vs\.?|v|than|rather than|instead of|as (?:well|good|effective|safe) as)\s+"
    + _SECOND,
    re.IGNORECASE,
)
""" "4 months of treatment as good as 6?": the unit stands with the first."""
_NEXT_TO = re.compile(r"\s+(?:versus|vs\.?|or|rather than|instead of)\s+" + _SECOND, re.IGNORECASE)
_STOPPED_AFTER = re.compile(
    r"\b(?:stop|discontinu|finish|end|leave off)\w*\b[^.;:?]{0,50}\b(?:after|at)\s+(?:only\s+)?$", re.IGNORECASE
)
""" "Stopped after [5 days instead of 14]" tells for how long; "recurrence after 5 years versus 10" when one looks."""
_JUDGES = re.compile(r"\s+(?:any\s+|much\s+)?(?:better|worse|safer|superior|(?:more|less) \w+)\s*$", re.IGNORECASE)
"""What a comparison is of, before "than"."""
_CLAUSE = re.compile(r"[,.;:?()]|\s-\s")
_UNITS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}
_DOSES = {"mcg": 0.001, "ug": 0.001, "mg": 1.0, "g": 1000.0}
_NEARLY = 0.08
"""Of the larger: 16 weeks are 4 months. Of one unit figures are equal or not."""
_LONGEST_CONTRAST = 90
"""Characters between two figures that are set against each other."""
_MOST_WORDS = 4
"""Before what is given that tell how."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A duration in days or a dose in mg, with the unit it was given in."""

    kind: str
    value: float
    unit: str

    def is_same(self, other: Figure) -> bool:
        """Whether both are the same amount."""
        if self.kind != other.kind:
            return False
        if self.unit == other.unit:
            return abs(self.value - other.value) < 1e-6
        return abs(self.value - other.value) <= _NEARLY * max(self.value, other.value)


@dataclass(frozen=True, slots=True)
class Variant:
    """One of two ways: as it was asked for, and what tells it from the other."""

    term: str
    figure: Figure | None = None
    words: frozenset[str] = frozenset()
    way: str | None = None
    """less or more: the smaller or the larger of two amounts, whatever they are."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two ways that a question sets against each other, and where it says so."""

    tested: Variant
    other: Variant
    start: int
    end: int

    @property
    def is_of_doses(self) -> bool:
        """Whether the two ways are two doses by their figures."""
        return self.tested.figure is not None and self.tested.figure.kind == "dose"

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a piece of the question says which ways."""
        return start < self.end and self.start < end


def contrast_of(
    question: str, treatments: Sequence[Idea], comparators: Sequence[Idea], start: int = 0
) -> Contrast | None:
    """Two ways of giving one thing, where the question sets no other treatment against it.

    Args:
        start: where the clause begins that asks.
    """
    if any(_given(idea) - frozenset().union(*map(_given, treatments)) for idea in comparators):
        return None
    controls = [idea.term for idea in comparators if is_control(idea.term) or is_any(idea.term)]
    if controls:
        ways = _of_figures(question, start)
        return None if ways is not None and _are_doses_against(question, ways, controls) else ways
    repeated = bool(comparators) and all(_given(idea) for idea in comparators)
    return _of_figures(question, start) or _of_words(question, start, treatments, repeated=repeated)


def _are_doses_against(question: str, ways: Contrast, controls: Sequence[str]) -> bool:
    """Whether two ways are alternatives that are set together against something: "0.5 mg or 1 mg versus placebo"."""
    if re.search(r"\bor\b", question[ways.start : ways.end], re.IGNORECASE) is None:
        return False
    behind = _SETS_AGAINST.search(question, ways.end)
    return behind is not None and any(question.find(term, behind.end()) >= 0 for term in controls)


_SETS_AGAINST = re.compile(r"\b(?:versus|vs|v|than|against|compared (?:with|to))\b", re.IGNORECASE)


def _given(idea: Idea) -> frozenset[str]:
    """Drugs and procedures of a term, folded; of "10 days to prevent a relapse" none."""
    kinds = {EntityKind.DRUG, EntityKind.PROCEDURE}
    return frozenset(term.name.casefold() for term in find_terms(idea.term) if term.kind in kinds)


def _of_figures(question: str, start: int) -> Contrast | None:
    quantities = [q for q in find_quantities(question) if _tells_a_way(question, q, start)]
    found = [(q, f) for q in quantities if (f := _figure(q))]
    for quantity, figure in found:
        if match := _HALF_TOLD.search(question, start, quantity.start):
            n = replace(quantity, text=match["n"], start=match.start(), end=match.end("n"), value=Decimal(match["n"]))
            if (first := _figure(n)) is not None:
                return Contrast(
                    _variant(question, n, first), _variant(question, quantity, figure), n.start, quantity.end
                )
    for quantity, figure in found:
        if (contrast := _of_one_unit(question, quantity, figure)) is not None:
            return contrast
    for sets_apart in (_BETWEEN, _CONTRAST):  # "five to ten years rather than 18 months": not five and ten
        for (a, first), (b, second) in pairwise(found):
            between = question[a.end : b.start]
            if first.kind != second.kind or first.is_same(second) or len(between) > _LONGEST_CONTRAST:
                continue
            if sets_apart.search(between) and not re.search(r"[?.;]\s", between):
                return Contrast(_variant(question, a, first), _variant(question, b, second), a.start, b.end)
    return None


def _tells_a_way(question: str, quantity: Quantity, start: int) -> bool:
    """Whether a figure is one of how something is given: of the clause that asks, or with a second right behind it.

    With a second behind it, what it is stopped after is one too.
    """
    given = _is_given(question, quantity)
    if given and quantity.start >= start:
        return True
    has_second = _SET_AGAINST.match(question, quantity.end) is not None
    return has_second and (given or _STOPPED_AFTER.search(question[: quantity.start]) is not None)


def _of_one_unit(question: str, quantity: Quantity, figure: Figure) -> Contrast | None:
    """ "4 months of treatment as good as 6?"."""
    after = (pattern.match(question, quantity.end) for pattern in (_NEXT_TO, _UNIT_BEFORE))
    match = next(filter(None, after), None) if figure.kind == "time" else None
    if match is None:
        return None
    n = number_of_word(match["n"]) if match["n"].isalpha() else match["n"]
    if n is None:
        return None
    other = replace(quantity, text=str(n), start=match.start("n"), end=match.end("n"), value=Decimal(n))
    second = _figure(other)
    if second is None or second.is_same(figure):
        return None
    tested = _variant(question, quantity, figure)
    return Contrast(tested, _variant(question, other, second), quantity.start, other.end)


def _variant(question: str, quantity: Quantity, figure: Figure) -> Variant:
    """The figure with its unit: of "5 or 14 days" the first has none."""
    text = question[quantity.start : quantity.end].strip()
    bare = re.fullmatch(r"[\d.]+|[A-Za-z]+", text)
    return Variant(f"{text} {quantity.unit}s" if bare and quantity.unit else text, figure)


def _figure(quantity: Quantity) -> Figure | None:
    if quantity.value is None or quantity.unit is None:
        return None
    if quantity.kind is QuantityKind.DURATION and quantity.unit in _UNITS:
        return Figure("time", float(quantity.value) * _UNITS[quantity.unit], quantity.unit)
    if quantity.kind is QuantityKind.DOSE and quantity.unit in _DOSES:
        return Figure("dose", float(quantity.value) * _DOSES[quantity.unit], quantity.unit)
    return None


@cache
def _around() -> tuple[re.Pattern[str], re.Pattern[str]]:
    before = rf"\b{group('variants', 'not given')}\s+(?:the\s+|first\s+)*$"
    behind = rf"^[\s-]*{group('variants', 'of outcome')}(?!\w)"
    return re.compile(before, re.IGNORECASE), re.compile(behind, re.IGNORECASE)


def _is_given(question: str, quantity: Quantity) -> bool:
    """Whether a duration is how long something is given: no age, no time at which one looks."""
    if quantity.kind is not QuantityKind.DURATION:
        return True
    before, behind = _around()
    return not before.search(question[: quantity.start]) and not behind.search(question[quantity.end :])


def _of_words(question: str, start: int, treatments: Sequence[Idea], *, repeated: bool) -> Contrast | None:
    """Words before the one thing, or before either mention of it, on both sides of "or", "versus", "than"."""
    names = idea_tokens(" ".join(idea.term for idea in treatments)) - _ways_stemmed()
    for match in _BETWEEN.finditer(question, start):
        clause = _JUDGES.sub("", _CLAUSE.split(question[start : match.start()])[-1])
        first = clause.split()[-_MOST_WORDS - 1 :]
        second = _CLAUSE.split(question[match.end() :])[0].split()[: _MOST_WORDS + 1]
        a, b = _telling(first, names, last=True), _telling(second, names, last=False)
        own, others = a - b, b - a
        ways = _way(first), _way(second)
        told = repeated or _are_ways(own, others) or (ways[0] and ways[1] and ways[0] != ways[1])
        if not own or not others or not told or not (set(names) & (_stems(first) | _stems(second))):
            continue
        at = question.rfind(first[0], start, match.start())
        terms = (_between_telling(told, own | others | names) for told in (first, second))
        return Contrast(
            Variant(next(terms), words=own, way=ways[0]),
            Variant(next(terms), words=others, way=ways[1]),
            at,
            match.end(),
        )
    return None


def _between_telling(told: Sequence[str], telling: frozenset[str]) -> str:
    """The words from the first that tells which way or what to the last."""
    places = [n for n, word in enumerate(told) if _stems([word]) & (telling | _ways_stemmed())]
    return " ".join(told[places[0] : places[-1] + 1]) if places else ""


def _telling(beside: Sequence[str], names: frozenset[str], *, last: bool) -> frozenset[str]:
    """Stems of the words that stand with the thing, up to a word of grammar on the far side."""
    kept: list[str] = []
    for word in reversed(beside) if last else beside:
        bare = word.strip("'\"").casefold()
        if bare in STOP_WORDS or bare in _no_ways():
            if kept:
                break
            continue
        kept.append(bare)
    return _stems(kept) - names


@cache
def _no_ways() -> frozenset[str]:
    return frozenset(words("variants", "no way"))


def _stems(told: Sequence[str]) -> frozenset[str]:
    return frozenset(stem(_alike().get(w, w)) for word in told for w in re.split(r"[^\w]+", word.casefold()) if w)


def strategy(word: str) -> str | None:
    """The one word for a way of treating that has several: "early" of "immediate"; `None` = no list has it as one."""
    folded = word.casefold()
    known = _alike().get(folded)
    return known if known is not None else folded if folded in _alike().values() else None


@cache
def _alike() -> dict[str, str]:
    return table("variants").values("alike")


@cache
def _ways() -> dict[str, str]:
    return {row[1]: row[0] for row in table("variants").rows if row[0] in {"less", "more"}}


@cache
def _ways_stemmed() -> frozenset[str]:
    """Words that tell how, and never what: "restrictive", "early"."""
    return frozenset(map(stem, _ways())) | frozenset().union(*_pairs())


def without_ways(idea: Idea) -> Idea:
    """What is given, without the words that tell how: of "liberal fluids" the fluids."""
    kept = " ".join(w for w in idea.term.split() if not _stems([w]) & _ways_stemmed())
    return idea_of(kept) if kept and kept != idea.term else idea


def _way(told: Sequence[str]) -> str | None:
    found = {_ways()[w] for word in told if (w := word.casefold().strip("'\"")) in _ways()}
    return found.pop() if len(found) == 1 else None


@cache
def _pairs() -> frozenset[frozenset[str]]:
    """Two words that stand against each other: early and late."""
    rows = (row for row in table("variants").rows if row[0] == "opposite")
    return frozenset(frozenset({stem(row[1]), stem(row[2])}) for row in rows)


def _are_ways(own: frozenset[str], others: frozenset[str]) -> bool:
    return any(frozenset({a, b}) in _pairs() for a in own for b in others)


def order_of(contrast: Contrast, comparison: Sequence[str]) -> bool | None:
    """Whether the two sides of a result are those of the contrast: False as asked, True the other way round.

    `None` = they are not.
    """
    first, second = comparison
    if _are(contrast, first, second):
        return False
    return True if _are(contrast, second, first) else None


def _are(contrast: Contrast, one: str, other: str) -> bool:
    a, b = contrast.tested, contrast.other
    if a.figure is not None and b.figure is not None:
        mine, theirs = _figures_in(one, a.figure.kind), _figures_in(other, a.figure.kind)
        return (
            any(map(a.figure.is_same, mine))
            and any(map(b.figure.is_same, theirs))
            and not any(map(b.figure.is_same, mine))
        )
    mine_words, their_words = _side(one), _side(other)
    if a.words & mine_words and b.words & their_words:
        return not (a.words & their_words - mine_words or b.words & mine_words - their_words)
    return _by_amount(a, b, one, other)


def _side(text: str) -> frozenset[str]:
    return _stems(text.split())


def _by_amount(a: Variant, b: Variant, one: str, other: str) -> bool:
    """ "Low-dose against high-dose": by the figures of the arms, where each has one of a kind."""
    if not a.way or not b.way or a.way == b.way:
        return False
    for kind in ("dose", "time"):
        mine, theirs = _figures_in(one, kind), _figures_in(other, kind)
        if len(mine) == len(theirs) == 1 and not mine[0].is_same(theirs[0]):
            return (mine[0].value < theirs[0].value) is (a.way == "less")
    return False


def _figures_in(text: str, kind: str) -> list[Figure]:
    """Durations or doses of an arm; of a range ("9 to 11 months") both ends."""
    found = []
    for quantity in find_quantities(text):
        figure = _figure(quantity)
        if figure is not None and figure.kind == kind:
            found.append(figure)
        elif quantity.kind is QuantityKind.RANGE and kind == "time" and quantity.unit in _UNITS:
            ends = [quantity.value, getattr(quantity, "high", None)]
            found += [
                Figure("time", float(end) * _UNITS[quantity.unit], quantity.unit) for end in ends if end is not None
            ]
    return found


def tells_both(contrast: Contrast, sentence: str) -> bool:
    """Whether a sentence speaks of both ways."""
    if contrast.tested.figure is not None and contrast.other.figure is not None:
        there = _figures_in(sentence, contrast.tested.figure.kind)
        return all(any(map(v.figure.is_same, there)) for v in (contrast.tested, contrast.other) if v.figure)
    there_words = _side(sentence) | token_set(sentence)
    return all(v.words & there_words or (v.way and _way(sentence.split())) for v in (contrast.tested, contrast.other))
