"""Results out of sentences: "42 of 402 (10.5 %) with A and 41 of 388 with B", "12.1 ± 3.4 v 15.0 ± 2.9".

A sentence counts where it names the outcome and holds two numbers of one form, one for each arm by its words or by the
order in which the sentence compares them. More than two of a form are more than one result: the clause decides, else
none is read. Sections that tell of other studies, or of how it was done, are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import overload

from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.ranking import TextSection
from openwork_language.cells.cell import BEFORE, CONTROL
from openwork_language.cells.read import read_cells
from openwork_language.cells.times import read_phase, read_times
from openwork_language.sentences import split_sentences

from openwork_extraction.arms import AskedArms
from openwork_extraction.computed import count_from_percent
from openwork_extraction.effects import effects_in, is_adjusted
from openwork_extraction.labels import says_baseline
from openwork_extraction.names import CHANGED, Names, arm_score, arm_words, overlap, total
from openwork_extraction.order import order_by_part, order_compared
from openwork_extraction.outcomes import spellings
from openwork_extraction.pairs import LEAST_SHARE, listed_pair, lists_of, pairs_of, part_of
from openwork_extraction.printed import Kind, is_percent_of, number
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.study import Asked, StudyText
from openwork_extraction.told import PAIR, ToldNumber, numbers_of

LEAST_RECALL = 0.85
"""Share of the outcome's words that a sentence has to have."""
LEAST_MARGIN = 0.3
"""By which the numbers fit the arms better in this order than in the other, of two."""
LEAST_NEARNESS = 0.5
"""Of a word of an arm to its number: in its phrase, and not beyond another number."""
LEAST_PHRASE = 0.2
"""Of the phrase beside a number as the name of an arm: it holds other words too."""
_SIDE_WORDS = 7
_OF_PEOPLE = re.compile(
    r"\b(?:patients|participants|subjects|women|men|children|infants|people|individuals|proportions?|incidence|prevalence|frequency|rates?|"
    r"percentages?|occurred|achieved|experienced|developed|reported|responders)\b",
    re.IGNORECASE,
)
"""Of a sentence whose percentages are of people."""
_JOINT = re.compile(r"\b(?:and|versus|vs\.?|compared\s+(?:with|to)|whereas|while|than|against)\b|[,;]", re.IGNORECASE)
_ENDS = re.compile(r"[;.](?:\s|$)|,\s(?:and|but|which|with|whereas)\b|\(|\[")
_FROM = re.compile(r"\bfrom\s*$", re.IGNORECASE)
_FROM_TO = re.compile(r"\bfrom\s+\S+(?:\s\S+)?\s+to\b", re.IGNORECASE)
"""Of an outcome that is a change: "pain from the start to week 12"."""
_TO = re.compile(r"^[^.;]{0,12}?\bto\b", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:in|among|for|of)\s+(?:the\s+)?(?:patients|women|men|participants|subjects|children|those|individuals|people)\s+(?:with|who|aged|older|younger|without|having)\b"
    r"|\bsub-?groups?\b|\bstratum\b|\bstratified\b",
    re.IGNORECASE,
)
"""Of a sentence about a part of the people."""
_DERIVED = re.compile(
    r"\b(?:AUC|area\s+under)\b|\b(?:changes?|reductions?|decreases?|increases?|improvements?|gains?|loss|differences?|declines?)\s+(?:in|of|from)\b",
    re.IGNORECASE,
)
"""Of a sentence whose means are of something worked out of the outcome."""
_NOT_RESULTS = re.compile(
    r"\b(?:introduction|background|discussion|conclusions?|methods?|objectives?|aims?|limitations|references|procedures?|statistical|design)\b",
    re.IGNORECASE,
)
_RESULTS = re.compile(r"\b(?:results?|findings|outcomes?)\b", re.IGNORECASE)
_SE = re.compile(r"\bSEM?\b|\bstandard\s+errors?\b")
_SD = re.compile(r"\bSDs?\b|\bS\.D\.|\bstandard\s+deviations?\b")
_DASHES = str.maketrans(dict.fromkeys("−–‑‒—", "-") | {"·": ".", "\u00a0": " ", "\u2009": " ", "\u202f": " "})


Size = Callable[[int], ResultCell | None]
"""People of the arm 0 or 1, from elsewhere."""


def results_of_prose(
    study: StudyText, asked: Asked, names: Names, size: Size, spread: tuple[Kind | None, bool]
) -> tuple[StudyResult, ...]:
    """Results of the sentences of results and of the abstract that name the outcome.

    Args:
        size: people of an arm where a sentence gives none.
        spread: what stands behind "±" in this text, as its methods or tables say, and whether that is assumed.
    """
    arms = AskedArms.of(asked, names)
    found: list[StudyResult] = []
    for section, source in result_sections(study):
        for sentence in split_sentences(section.text):
            text = sentence.text.translate(_DASHES)
            if not any(c.isdigit() for c in text):
                continue
            for clause_start, clause in _clauses(text):
                result = _read(clause, arms, asked, names, size, spread)
                at = sentence.start + clause_start
                if result is not None:
                    found.append(_placed(result, study, section, at, source, sentence.text))
                    break
                if (effect := _effect(clause, arms, asked, names)) is not None:
                    placed = _moved(effect, study, section, at, sentence.text)
                    found.append(StudyResult(source, sentence.text, effect=placed, adjusted=is_adjusted(clause)))
                    break
    return tuple(found)


def result_sections(study: StudyText) -> Iterator[tuple[TextSection, Source]]:
    """Sections that tell what was found, those of the abstract among them."""
    for section in study.prose:
        path = " > ".join(section.path)
        if says_baseline(path):
            continue
        if section.kind == "abstract":
            if not _NOT_RESULTS.search(section.path[-1] if section.path else ""):
                yield section, Source.ABSTRACT
        elif _RESULTS.search(path) or not _NOT_RESULTS.search(path):
            yield section, Source.PROSE
    if not any(section.kind == "abstract" for section in study.prose):
        for part in study.abstract:
            if not (part.label and _NOT_RESULTS.search(part.label)):
                path_of_part = ("Abstract", part.label) if part.label else ("Abstract",)
                yield (
                    TextSection(path=path_of_part, text=part.text, start=0, end=len(part.text), kind="abstract"),
                    Source.ABSTRACT,
                )


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """The whole sentence, then its parts between semicolons that stand in no bracket."""
    yield 0, text
    cuts = [m.start() for m in re.finditer(";", text) if text.count("(", 0, m.start()) == text.count(")", 0, m.start())]
    if not cuts:
        return
    for start, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(text)], strict=True):
        yield start, text[start:end]


def _read(
    text: str, arms: AskedArms, asked: Asked, names: Names, size: Size, spread: tuple[Kind | None, bool]
) -> tuple[tuple[ArmNumbers, ArmNumbers], str] | None:
    if not _names_outcome(text, asked, names):
        return None
    if read_phase(text) == BEFORE and read_phase(asked.outcome) != BEFORE:
        return None
    if _PART.search(text) and not _PART.search(asked.outcome):
        return None
    for form in ("fraction", "count", "mean", "percent"):
        if form == "percent" and not _OF_PEOPLE.search(text):
            continue
        if form == "mean" and _DERIVED.search(text) and not _is_change(asked, names):
            continue
        found = list(_read_form(text, form, arms, asked, names, size, spread))
        if len(found) == 1:
            return found[0], text
    return None


def _is_change(asked: Asked, names: Names) -> bool:
    """Whether a change, or an area under a curve, is what was asked."""
    told = _DERIVED.search(asked.outcome) or _FROM_TO.search(asked.outcome)
    return CHANGED in names.words(asked.outcome) or told is not None


def _read_form(
    text: str, form: str, arms: AskedArms, asked: Asked, names: Names, size: Size, spread: tuple[Kind | None, bool]
) -> Iterator[tuple[ArmNumbers, ArmNumbers]]:
    """The arms' numbers by one form, of each two numbers that stand for the outcome and whose order is told."""
    told = numbers_of(text, form)
    for first, second in _of_two_arms(text, told, arms, asked, names):
        one, other = _arm(text, first, 0, size, spread), _arm(text, second, 1, size, spread)
        if one is not None and other is not None:
            yield one, other


def _of_two_arms(
    text: str, told: Sequence[ToldNumber], arms: AskedArms, asked: Asked, names: Names
) -> Iterator[tuple[ToldNumber, ToldNumber]]:
    """The number of the intervention and that of the comparator, of each pair that stands for the outcome."""
    for start, pair, is_compared in pairs_of(text, told):
        if not _is_about(text, start, pair, len(told), asked, names):
            continue
        order = _order(text, pair, arms, names) if len(told) == PAIR else _by_phrase(text, *pair, arms, names)
        if order is None and len(told) == PAIR:
            order = order_by_part(text, [(one.start, one.end) for one in pair], arms, names)
        if is_compared:
            order = order_compared(text, (pair[0].start, pair[1].end), pair, arms, names, order)
        if order is not None:
            yield pair[order[0]], pair[order[1]]
    for run in lists_of(text, told):
        found = listed_pair(text, run, arms, names)
        if found is not None and _names_outcome(text[: run[0].start], asked, names):
            yield found


def _is_about(
    text: str, start: int, pair: tuple[ToldNumber, ToldNumber], n_told: int, asked: Asked, names: Names
) -> bool:
    """Whether two numbers stand for the outcome: its words are in their part of the sentence, not beyond a turn."""
    if n_told > PAIR and not _names_outcome(text[start : pair[1].end], asked, names):
        return False
    part = part_of(text, pair)
    wanted, told = names.without([text]).words(asked.outcome), names.without([asked.outcome])
    return total(wanted & told.words(part)) >= LEAST_SHARE * total(wanted & told.words(text))


def _names_outcome(text: str, asked: Asked, names: Names) -> bool:
    """Whether a text has the words of the outcome; short forms that both write are compared as such."""
    told = names.without([asked.outcome]).words(text)
    for called in spellings(asked.outcome):
        wanted = names.without([text]).words(called)
        if wanted and overlap(wanted, told) / total(wanted) >= LEAST_RECALL:
            return True
    return False


def _effect(text: str, arms: AskedArms, asked: Asked, names: Names) -> ResultCell | None:
    """The only effect of a sentence that names the outcome and an arm."""
    if not _names_outcome(text, asked, names):
        return None
    if not names.words(text) & (arms.intervention | arms.comparator):
        return None
    effects = effects_in(text)
    return effects[0] if len(effects) == 1 else None


def _order(text: str, told: Sequence[ToldNumber], arms: AskedArms, names: Names) -> tuple[int, int] | None:
    """Which number is the intervention's and which the comparator's; `None` where the sentence does not say.

    Two readers have to agree where both know it: the phrase beside each number, and the reader of cells.
    """
    first, second = told
    between = text[first.end : second.start]
    if _FROM.search(text[: first.start]) and _TO.match(between):
        return None  # before and after of one arm
    found = {order for order in (_by_phrase(text, first, second, arms, names), _by_cells(text, told, arms)) if order}
    return found.pop() if len(found) == 1 else None


def _by_phrase(
    text: str, first: ToldNumber, second: ToldNumber, arms: AskedArms, names: Names
) -> tuple[int, int] | None:
    """By the words right behind both numbers ("12 with A and 20 with B") or right before both ("A: 12; B: 20")."""
    between = text[first.end : second.start]
    joints = list(_JOINT.finditer(between))
    behind = (between[: joints[-1].start()] if joints else between, _ENDS.split(text[second.end :], maxsplit=1)[0])
    before = (text[: first.start], between[joints[-1].end() :] if joints else between)
    best: dict[tuple[int, int], float] = {}
    for phrases in (
        tuple(" ".join(words.split()[:_SIDE_WORDS]) for words in behind),
        tuple(" ".join(words.split()[-_SIDE_WORDS:]) for words in before),
    ):
        sides = [arm_words(names, phrase) for phrase in phrases]
        for order in ((0, 1), (1, 0)):
            one, other = arm_score(arms.intervention, sides[order[0]]), arm_score(arms.comparator, sides[order[1]])
            if min(one, other) >= LEAST_PHRASE:
                best[order] = max(best.get(order, 0.0), one + other)
    ranked = sorted(best.items(), key=lambda item: -item[1])
    if not ranked or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < LEAST_MARGIN):
        return None
    return ranked[0][0]


def _by_cells(text: str, told: Sequence[ToldNumber], arms: AskedArms) -> tuple[int, int] | None:
    near = [_words_of(text, one) for one in told]
    scores = [
        [max((words.get(word, 0.0) for word in own), default=0.0) for words in near]
        for own in (_own(arms.intervention, arms.comparator), _own(arms.comparator, arms.intervention))
    ]
    straight, crossed = scores[0][0] + scores[1][1], scores[0][1] + scores[1][0]
    chosen = (scores[0][0], scores[1][1]) if straight > crossed else (scores[0][1], scores[1][0])
    if abs(straight - crossed) < LEAST_MARGIN or min(chosen) < LEAST_NEARNESS:
        return None
    return (0, 1) if straight > crossed else (1, 0)


def _own(arm: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Words that are one arm's alone; a control is named by its role or by the word."""
    own = arm - other
    return own | {"control"} if CONTROL in own else own


def _words_of(text: str, told: ToldNumber) -> dict[str, float]:
    """Words near a number of a sentence, each with its nearness, as the reader of cells binds it."""
    for cell in read_cells(text):
        if told.start <= cell.quantity.start < told.end:
            return {**cell.words, **dict.fromkeys(cell.arm, 1.0)}
    return {}


def _arm(text: str, told: ToldNumber, side: int, size: Size, spread: tuple[Kind | None, bool]) -> ArmNumbers | None:
    def cell(measure: str, value: str, n: str | None = None) -> ResultCell:
        return ResultCell(measure=measure, value=value, total=n, place=CellPlace(start=told.start, end=told.end))

    if told.form == "mean":
        own = Kind.DEVIATION if _SD.search(text) else Kind.STANDARD_ERROR if _SE.search(text) else None
        kind, assumed = (own, False) if own else spread
        n = size(side)
        if kind is None:
            return None
        field = "deviation" if kind is Kind.DEVIATION else "standard_error"
        mean = ArmNumbers("", n=n, mean=cell("mean", told.m), is_spread_assumed=assumed)
        return replace(mean, **{field: cell(kind.value, told.s)})  # type: ignore[arg-type]
    if told.form == "percent":
        people = size(side)
        events = count_from_percent(cell("percent", told.p), people) if people is not None else None
        return ArmNumbers("", n=people, events=events, percent=cell("percent", told.p)) if events else None
    x = told.x.replace(",", "")
    if told.n:
        n_value = told.n.replace(",", "")
        if (
            not int(n_value) > 0
            or int(x) > int(n_value)
            or (told.p and not is_percent_of(int(x), int(n_value), told.p))
        ):
            return None
        return ArmNumbers("", n=cell("n", n_value), events=cell("count", x, n_value))
    n = size(side)
    if n is None or not is_percent_of(int(x), int(number(n.value)), told.p):
        return None  # a percentage of other people than the arm has
    return ArmNumbers("", n=n, events=cell("count", x), percent=cell("percent", told.p))


def _placed(
    read: tuple[tuple[ArmNumbers, ArmNumbers], str],
    study: StudyText,
    section: TextSection,
    at: int,
    source: Source,
    words: str,
) -> StudyResult:
    arms = [
        ArmNumbers(
            one.arm or ("intervention", "comparator")[side],
            is_spread_assumed=one.is_spread_assumed,
            **{
                field: _moved(getattr(one, field), study, section, at, words)
                for field in ("n", "events", "percent", "mean", "deviation", "standard_error")
            },
        )
        for side, one in enumerate(read[0])
    ]
    times = {time for _, time in read_times(words)}
    time = f"{float(times.pop().split()[0]):g} days" if len(times) == 1 else None
    return StudyResult(source, words, time, None, arms[0], arms[1])


@overload
def _moved(cell: ResultCell, study: StudyText, section: TextSection, at: int, words: str) -> ResultCell: ...
@overload
def _moved(cell: None, study: StudyText, section: TextSection, at: int, words: str) -> None: ...
def _moved(cell: ResultCell | None, study: StudyText, section: TextSection, at: int, words: str) -> ResultCell | None:
    """A cell of a clause with its place in the section; one that stands elsewhere stays."""
    place = cell.place if cell else None
    if cell is None or place is None or place.start is None or place.end is None or place.section:
        return cell
    moved = CellPlace(section=" > ".join(section.path), start=at + place.start, end=at + place.end)
    update = {"place": moved, "study": study.study, "words": words, "text_origin": study.text_origin}
    return cell.model_copy(update=update)
