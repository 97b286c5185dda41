"""How many people an arm has, where the text says it and the table does not.

An arm's size is taken where every place that names the arm beside a number gives the same one; two sizes (randomised,
analysed) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_language.sentences import split_sentences

from openwork_extraction.labels import people_in
from openwork_extraction.names import Names, arm_score, arm_words

_IN_BRACKETS = re.compile(r"(?P<name>[^.;()]{2,90}?)\s*[(\[][^()\[\]]{0,40}?\b[nN]\s*=\s*(?P<n>\d[\d,]*)")
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
_CROSSED = re.compile(
    r"\bcross-?\s?over\b|\bwithin-subjects?\b|\bcounterbalanced\b|\beach\s+(?:participant|subject|patient)\s+(?:received|completed|performed)\s+(?:both|all)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?P<n>\d{1,5}|[A-Za-z]{3,10}(?:-[a-z]{3,5})?)\s+(?:[a-z-]+\s){0,4}?(?:participants|patients|subjects|men|women|adults|volunteers|individuals|children|males|females|students|players|athletes|people)\b"
)
_NUMBER_OF = {
    word: n
    for n, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
LEAST_SCORE = 0.4
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

    def cell(self, study: str, arm: str) -> ResultCell:
        """As a cell."""
        place = CellPlace(section=self.section, start=self.start, end=self.end)
        return ResultCell(study=study, arm=arm, measure="n", value=str(self.n), place=place, words=self.words)


def size_of_arm(
    sections: Iterable[TextSection], arm: frozenset[str], other: frozenset[str], names: Names
) -> Size | None:
    """The size of an arm that the text gives; `None` where it gives none or several.

    Args:
        arm, other: words of the arm and of the one it is compared with: what is nearer to the other is not the arm's.
    """
    sections = tuple(sections)
    for told in (_named_sizes, _allocated_sizes):
        found: list[Size] = []
        for size, name in told(sections):
            words = arm_words(names, name)
            score = arm_score(arm, words)
            if score >= LEAST_SCORE and score > arm_score(other, words) + 0.1:
                found.append(size)
        if found:
            return found[0] if len({size.n for size in found}) == 1 else None
    return _of_each(sections)


def _named_sizes(sections: Sequence[TextSection]) -> Iterator[tuple[Size, str]]:
    for section in sections:
        for sentence in split_sentences(section.text):
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
            if not _ALLOCATES.search(sentence.text):
                continue
            for pattern in _ALLOCATED:
                for match in pattern.finditer(sentence.text):
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
            for pattern in _PER_GROUP:
                for match in pattern.finditer(sentence.text):
                    n = _value(match["n"])
                    if n and n >= LEAST_PEOPLE:
                        each.append(_size(section, sentence.start, match.start("n"), match.end("n"), n, sentence.text))
    if each:
        return each[0] if len({size.n for size in each}) == 1 else None
    if not any(
        _CROSSED.search(section.text)
        for section in sections
        if section.kind == "abstract" or "ethod" in " ".join(section.path)
    ):
        return None
    everybody = [
        _size(section, sentence.start, match.start("n"), match.end("n"), n, sentence.text)
        for section in sections
        if section.kind == "abstract"
        or re.search(r"participants|subjects|patients", " ".join(section.path), re.IGNORECASE)
        for sentence in split_sentences(section.text)
        for match in _PEOPLE.finditer(sentence.text)
        if (n := _value(match["n"])) and n > 3
    ]
    return everybody[0] if everybody and len({size.n for size in everybody}) == 1 else None


def _value(text: str) -> int | None:
    return int(text) if text.isdigit() else _NUMBER_OF.get(text.lower())


def size_in_tables(
    tables: Iterable[tuple[TextSection, Table]],
    arm: frozenset[str],
    other: frozenset[str],
    names: Names,
    study: str,
    name: str,
) -> ResultCell | None:
    """The size that the headings of other tables give the arm, where all give the same: "Control group (n = 25)"."""
    found: list[ResultCell] = []
    for section, table in tables:
        for row in table.rows[: max(1, table.n_header_rows)]:
            for text in dict.fromkeys(row):
                n = people_in(text)
                words = arm_words(names, text)
                score = arm_score(arm, words)
                if n is None or score < LEAST_SCORE or score <= arm_score(other, words) + 0.1:
                    continue
                place = CellPlace(table=table.label, column=text, section=" > ".join(section.path))
                found.append(ResultCell(study=study, arm=name, measure="n", value=str(n), place=place, words=text))
    return found[0] if len({cell.value for cell in found}) == 1 else None
