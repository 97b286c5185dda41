"""How many people an arm has, where the text says it and the table does not.

An arm's size is taken where every place that names the arm beside a number gives the same one; two sizes (randomised,
analysed) are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.quantities.number_words import number_of_word
from openwork_language.sentences import split_sentences

from openwork_extraction.grid import Figure, figures_of
from openwork_extraction.labels import LabelKind, people_in
from openwork_extraction.names import Names, arm_score, arm_words, bare

_T = TypeVar("_T")
_IN_BRACKETS = re.compile(
    r"(?P<name>[^.;()]{2,90}?)\s*[(\[](?![^()\[\]]{0,40}\b[pP]\s*[=<>])[^()\[\]]{0,40}?\b[nN]\s*=\s*(?P<n>\d[\d,]*)"
)
"""Behind a p value "n" is of a test, not of the arm."""
_IN_ARM = re.compile(
    r"\b(?P<n>\d[\d,]*)\s*(?:\(\d[\d.]*\s?%\)\s*)?(?:[a-z-]+\s){0,3}?(?:(?:were|was)\s+)?(?:randomly\s+)?"
    r"(?:assigned|allocated|randomi[sz]ed)\s+(?:to|into)\s+(?:receive\s+)?(?:the\s+|an?\s+)?(?P<name>[^.;,()\d]{3,70})"
)
_WHO = (
    r"(?:patients|participants|subjects|people|women|men|children|infants|animals|rats|mice|volunteers|individuals|"
    r"students)"
)
_NUM = (
    r"(?:\d+|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    r"nineteen|twenty)"
)
_GROUPS = r"(?:groups?|arms?)"
_PER_GROUP = (
    re.compile(
        rf"\b[nN]\s*=\s*(?P<n>\d+)\s*(?:,\s*)?(?:per|(?:in|for)\s+(?:each|both|all)|/)\s*(?:of\s+the\s+)?{_GROUPS}\b"
    ),
    re.compile(r"\b[nN]\s*=\s*(?P<n>\d+)\s*(?:,\s*)?each\b"),
    re.compile(rf"\beach\s+{_GROUPS}\s*[(,]\s*[nN]\s*=\s*(?P<n>\d+)"),
    re.compile(
        rf"\beach\s+{_GROUPS}\s+(?:had|contained|consisted\s+of|comprised|included|of)\s+(?P<n>{_NUM})\b(?!\s?(?:%|[a-z]*\s?mg))"
    ),
    re.compile(rf"\b(?P<n>{_NUM})\s+(?:[a-z]+\s)?{_WHO}\s+(?:per|(?:in|for)\s+each|in\s+(?:both|all))\s+{_GROUPS}\b"),
    re.compile(rf"\b{_GROUPS}\b[^.;]{{0,60}}?[(,]\s*(?P<n>{_NUM})\s+{_WHO}\s+(?:each|in\s+each|per\s+group)"),
    re.compile(
        rf"\b(?:two|three|four|five|six)\s+(?:equal\s+)?{_GROUPS}[^.]{{0,30}}?[(,]\s*[nN]\s*=\s*(?P<n>\d+)\s*(?:each|per|in\s+each|\))"
    ),
    re.compile(rf"\b{_GROUPS}\s+of\s+(?P<n>{_NUM})\b(?!\s?%)"),
)
"""One size for every arm."""
_PLANNED = re.compile(
    r"\b(?:sample\s+sizes?|power(?:ed)?|required|needed|necessary|predicted|planned|calculat\w+|estimated|detect)\b",
    re.IGNORECASE,
)
"""Of a sentence that says how many people were thought to be needed."""
_OF_PART = re.compile(r"\bsub-?\s?(?:groups?|stud(?:y|ies)|sets?|samples?)\b", re.IGNORECASE)
"""Of a sentence about a part of the people."""
_HAD = re.compile(
    r"\s+(?:had|were|was|did|developed|experienced|reported|showed|died|failed|achieved|needed|received\s+rescue)\b(?!\s+(?:been\s+)?(?:random|assign|alloc|enrol|includ|recruit|analy|studied|investigated))"
)
"""Behind "four women in both groups": what befell them."""
_ALLOCATES = re.compile(
    r"\b(?:random\w*|divided|allocated|assigned|enrolled|recruited|included|participated|consist\w*|compris\w*)\b",
    re.IGNORECASE,
)
"""Of a sentence that tells how many people an arm has, and not how many of them had something."""
_ALLOCATED = (
    re.compile(
        rf"\b(?P<n>\d[\d,]*)\s+(?:[a-z]+\s)?{_WHO}\s+(?:were\s+)?in\s+(?:the\s+)?(?P<name>[^.;,()\d]{{3,60}}?\s(?:group|arm))\b"
    ),
    re.compile(
        r"\b(?P<name>[A-Za-z][^.;,()\d]{2,50}?)\s*\(\s*(?P<n>\d[\d,]{1,6})\s*\)(?=\s*(?:,|and|or|\.|;|patients))"
    ),
    re.compile(rf"\b(?P<name>[A-Za-z][^.;()]{{2,60}}?)\s*\([^()]{{0,80}}?\b(?P<n>\d[\d,]*)\s+{_WHO}\s*\)"),
    re.compile(
        rf"\b(?P<name>[A-Za-z][^.;,()\d]{{2,50}}?\s(?:group|arm))\s+(?:consisted\s+of|comprised|included|contained|had)\s+(?P<n>\d[\d,]*)\s+{_WHO}"
    ),
)
_TREATED = re.compile(
    rf"\b(?P<n>\d[\d,]*)\s+(?:[a-z]+\s)?{_WHO}\s+(?:were\s+)?(?:treated\s+with|received|underwent|given|managed\s+with)\s+(?:the\s+|an?\s+)?"
    r"(?P<name>[^.;,()\d]{3,60})"
)
LEAST_TREATED = 2
"""Times that one sentence says so, once for each arm: one alone may tell of a part of the people."""
_CROSSED = re.compile(
    r"\bcross-?\s?over\b|\bwithin-(?:subjects?|participants?)\b|\brepeated[\s-]measures\s+design\b|\bcounterbalanced\b|\beach\s+(?:participant|subject|patient)\s+(?:received|completed|performed)\s+(?:both|all)\b",
    re.IGNORECASE,
)
_STATISTICAL = re.compile(r"\bstatistic|\banaly(?:sis|ses)\b", re.IGNORECASE)
"""Of a section that names within-subjects effects of a trial with two groups."""
_PEOPLE = re.compile(
    r"\b(?P<n>\d{1,5}|[A-Za-z]{3,10}(?:-[a-z]{3,5})?)\s+(?:[a-z-]+\s){0,4}?(?P<who>participants|patients|subjects|men|women|adults|volunteers|individuals|children|males|females|students|players|athletes|people)\b"
)
_OF_ONE_SEX = ("men", "women", "males", "females")
_DIVIDED = re.compile(
    r"\b(?P<all>\d{1,4}|[A-Za-z]{3,10}(?:-[a-z]{3,5})?)\s+(?:[A-Za-z-]+\s+){1,4}?(?:[^.;]{0,60}?\s)?(?:were|was)\s+(?:[a-z]+ly\s+){0,2}"
    r"(?:divided|assigned|allocated|randomi[sz]ed|grouped)\s+(?:[a-z]+ly\s+)?(?:into|to)\s+(?P<groups>two|three|four|five|six|2|3|4|5|6)\s+"
    r"(?:[a-z]+\s+){0,2}groups?\b"
)
"""All people and the number of groups: where nothing else tells how many each has, groups are taken as equal."""
LEAST_SCORE = 0.4
SURE_HEADING = 0.9
"""Of the very heading that a table of results has for the arm."""
MOST_OFTEN = 2
"""How often as much a size is told as the next one, to be the arm's."""
_PLAIN = re.compile(r"\s*\(\s*\d+\s*\)\s*$")
LEAST_PEOPLE = 4
"""A smaller number beside a group is one of events, or of a part of it."""
_SIDE_WORDS = 8


@dataclass(frozen=True, slots=True)
class Size:
    """People of one arm with where that stands."""

    n: int
    section: str
    start: int
    end: int
    words: str
    computed: str | None = None
    """How it was worked out, where it is not printed."""

    def cell(self, study: str, arm: str) -> ResultCell:
        """As a cell."""
        place = CellPlace(section=self.section, start=self.start, end=self.end)
        worked = {"computed": self.computed, "computed_from": (place,)} if self.computed else {"place": place}
        return ResultCell(study=study, arm=arm, measure="n", value=str(self.n), words=self.words, **worked)


def size_of_arm(
    sections: Iterable[TextSection], arm: frozenset[str], other: frozenset[str], names: Names, heading: str = ""
) -> Size | None:
    """The size of an arm that the text gives; `None` where it gives none, or several about as often.

    Args:
        arm, other: words of the arm and of the one it is compared with: what is nearer to the other is not the arm's.
        heading: what a table calls the arm, "Group A" say: the text may use it too.
    """
    sections = tuple(sections)
    called = arm_words(names, heading) if heading else frozenset()
    for told in (_named_sizes, _allocated_sizes):
        found = [size for size, name in told(sections) if _is_of(name, arm, other, called, names)]
        if found:
            return most_told(found, lambda size: size.n)
    return _of_each(sections)


def are_exchanged(
    sections: Iterable[TextSection], arm: frozenset[str], other: frozenset[str], names: Names, sizes: tuple[int, int]
) -> bool:
    """Whether sentences give the arm the size that headings give the other one, and never its own: a misprint.

    Args:
        sizes: of the arm and of the other one, as headings say.
    """
    sections = tuple(sections)
    told = {
        size.n
        for read in (_named_sizes, _allocated_sizes)
        for size, name in read(sections)
        if _is_of(name, arm, other, frozenset(), names)
    }
    return sizes[0] != sizes[1] and sizes[1] in told and sizes[0] not in told


def _is_of(name: str, arm: frozenset[str], other: frozenset[str], called: frozenset[str], names: Names) -> bool:
    """Whether the words beside a number name the arm, all of them or the last of them, and the other one less well."""
    tokens = name.split()
    own, its_other = 0.0, 0.0
    for n in range(len(tokens)):
        words = arm_words(names, " ".join(tokens[n:]))
        own = max(own, arm_score(arm, words), SURE_HEADING * (words == called and bool(called)))
        its_other = max(its_other, arm_score(other, words))
    return own >= LEAST_SCORE and own > its_other + 0.1


def most_told(found: Sequence[_T], value: Callable[[_T], object]) -> _T | None:
    """The first of those whose value is told clearly more often than any other; `None` where none is."""
    counts = Counter(value(one) for one in found).most_common()
    if not counts or (len(counts) > 1 and counts[0][1] < MOST_OFTEN * counts[1][1]):
        return None
    return next(one for one in found if value(one) == counts[0][0])


def _named_sizes(sections: Sequence[TextSection]) -> Iterator[tuple[Size, str]]:
    for section in sections:
        for sentence in split_sentences(section.text):
            if _OF_PART.search(sentence.text):
                continue
            for pattern in (_IN_BRACKETS, _IN_ARM):
                for match in pattern.finditer(sentence.text):
                    name = " ".join(
                        match["name"].split()[-_SIDE_WORDS:]
                        if pattern is _IN_BRACKETS
                        else match["name"].split()[:_SIDE_WORDS]
                    )
                    n = int(match["n"].replace(",", ""))
                    if n >= LEAST_PEOPLE:
                        yield _size(section, sentence.start, match.start("n"), match.end("n"), n, sentence.text), name


def _allocated_sizes(sections: Sequence[TextSection]) -> Iterator[tuple[Size, str]]:
    """Sizes in the sentences that tell how people were divided."""
    for section in sections:
        for sentence in split_sentences(section.text):
            if _OF_PART.search(sentence.text):
                continue
            treated = list(_TREATED.finditer(sentence.text))
            told = (
                [m for p in _ALLOCATED for m in p.finditer(sentence.text)] if _ALLOCATES.search(sentence.text) else []
            )
            for match in (*told, *(treated if len(treated) >= LEAST_TREATED else ())):
                n = int(match["n"].replace(",", ""))
                if n >= LEAST_PEOPLE:
                    size = _size(section, sentence.start, match.start("n"), match.end("n"), n, sentence.text)
                    yield size, " ".join(match["name"].split()[-_SIDE_WORDS:])


def _size(section: TextSection, at: int, start: int, end: int, n: int, words: str) -> Size:
    return Size(n, " > ".join(section.path), at + start, at + end, words)


def _of_each(sections: Sequence[TextSection]) -> Size | None:
    """One size for all arms: "n = 8 per group", or everybody where each is in every arm."""
    each: list[Size] = []
    for section in sections:
        for sentence in split_sentences(section.text):
            if _PLANNED.search(sentence.text) or _OF_PART.search(sentence.text):
                continue
            for pattern in _PER_GROUP:
                for match in pattern.finditer(sentence.text):
                    n = _value(match["n"])
                    if n and n >= LEAST_PEOPLE and not _HAD.match(sentence.text[match.end() :]):
                        each.append(_size(section, sentence.start, match.start("n"), match.end("n"), n, sentence.text))
    if each:
        return each[0] if len({size.n for size in each}) == 1 else None
    return _of_all(sections) or _of_equal_groups(sections)


def _of_equal_groups(sections: Sequence[TextSection]) -> Size | None:
    """A part of all who were divided into so many groups, where it is a whole number and every place says the same."""
    found: list[Size] = []
    for section in sections:
        for sentence in split_sentences(section.text):
            for match in _DIVIDED.finditer(sentence.text):
                people, groups = _value(match["all"]), _value(match["groups"])
                if people and groups and people % groups == 0 and people // groups >= LEAST_PEOPLE:
                    n = people // groups
                    size = _size(section, sentence.start, match.start("all"), match.end("groups"), n, sentence.text)
                    found.append(replace(size, computed=f"{people} in {groups} groups, taken as equal"))
    return found[0] if found and len({size.n for size in found}) == 1 else None


def _of_all(sections: Sequence[TextSection]) -> Size | None:
    """Everybody, where each is in every arm."""
    if not any(
        _CROSSED.search(section.text)
        for section in sections
        if (section.kind == "abstract" or "ethod" in " ".join(section.path))
        and not _STATISTICAL.search(section.path[-1] if section.path else "")
    ):
        return None
    told = [
        (_size(section, sentence.start, match.start("n"), match.end("n"), n, sentence.text), match["who"])
        for section in sections
        if section.kind == "abstract"
        or re.search(r"participants|subjects|patients", " ".join(section.path), re.IGNORECASE)
        for sentence in split_sentences(section.text)
        for match in _PEOPLE.finditer(sentence.text)
        if (n := _value(match["n"])) and n > 3
    ]
    # "Twelve adults (10 men, 2 women)": those of one sex are all only where nothing else is told.
    everybody = [size for size, who in told if who not in _OF_ONE_SEX] or [size for size, _ in told]
    return everybody[0] if everybody and len({size.n for size in everybody}) == 1 else None


def _value(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    return number_of_word(text)


def size_in_tables(
    tables: Iterable[tuple[TextSection, Table]],
    arm: frozenset[str],
    other: frozenset[str],
    names: Names,
    study: str,
    name: str,
) -> ResultCell | None:
    """The size that headings, or rows of people, of other tables give the arm: "Control group (n = 25)"."""
    headings = {part.casefold() for part in name.split(" > ")}
    found: list[ResultCell] = []
    own: list[ResultCell] = []
    for section, table in tables:
        told = {
            (label.text, n)
            for figure in figures_of(table)
            if (n := figure.n) is not None
            for label in figure.labels
            if label.kind is LabelKind.NAME
        }
        for text, n in sorted(told):
            words = arm_words(names, _PLAIN.sub("", text))
            score = max(arm_score(arm, words), SURE_HEADING * (bare(text).casefold() in headings))
            if score < LEAST_SCORE or score <= arm_score(other, words) + 0.1:
                continue
            row = _row_that_says(n, text, table)
            place = CellPlace(
                table=table.label,
                row=table.rows[row.row][0] if row else None,
                column=text,
                table_row=row.row if row else None,
                table_column=row.column if row else None,
                section=" > ".join(section.path),
            )
            cell = ResultCell(study=study, arm=name, measure="n", value=str(n), place=place, words=text)
            (own if people_in(text) == n else found).append(cell)
    # A size within the arm's own heading is the arm's; one of another heading may be of everybody in the table.
    return most_told(own or found, lambda cell: cell.value)


def _row_that_says(n: int, heading: str, table: Table) -> Figure | None:
    """The figure of a row of people ("N | 30 | 32") that gives a heading its size; `None` where the heading says it."""
    if people_in(heading) == n:
        return None
    under = (f for f in figures_of(table) if f.n == n and any(label.text == heading for label in f.labels))
    return next((f for f in under if re.match(rf"{n}(?!\d)", f.text.replace(",", ""))), None)
