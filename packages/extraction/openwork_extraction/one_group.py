"""Whether a study has one group only, so that what it compares with can be nothing but the time before.

In a trial with a second group the time before is not its control, so every sign of one decides: a sentence of the
study's own parts that tells of another group, a heading of a table that names one, headings with people of their own.
Without such a sign the study has to say itself that it compares before and after, or that it has a single arm.
Designs: TREND statement, DOI 10.2105/AJPH.94.3.361; Cochrane Handbook 24, DOI 10.1002/9781119536604.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openwork_contracts.ranking import TextSection
from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import words
from openwork_language.cells.cell import CONTROL
from openwork_language.cells.contrasts import phase_of, role_of
from openwork_language.sentences import split_sentences

from openwork_extraction.grid import Figure, figures_of
from openwork_extraction.labels import LabelKind, is_whole, people_in
from openwork_extraction.names import bare
from openwork_extraction.study import StudyText

_OF_OTHERS = re.compile(
    r"\b(?:introduction|background|discussion|conclusions?|references|limitations|implications|acknowledge?ments|abbreviations)\b",
    re.IGNORECASE,
)
"""Of a section that tells of other studies, or of what is to be done."""
_SECOND = re.compile(rf"\b{pattern('one-group', 'second')}\b", re.IGNORECASE)
_DESIGN = re.compile(rf"\b{pattern('one-group', 'design')}\b", re.IGNORECASE)
_NONE = re.compile(rf"\b{pattern('one-group', 'none')}\b[^,;]{{0,30}}$", re.IGNORECASE)
_LATER = re.compile(rf"\b{pattern('one-group', 'later')}\b", re.IGNORECASE)
_ALLOCATED = re.compile(rf"\b{pattern('one-group', 'allocated')}\b", re.IGNORECASE)
_OTHER = re.compile(rf"\b{pattern('one-group', 'other')}\b", re.IGNORECASE)
"""Groups that are no arms: "focus groups", "age groups"."""
_LETTERED = re.compile(r"\b(?:[Gg]roup|[Aa]rm|[Cc]ohort)\s+(?:[A-H]|[1-9]|I{1,3}|IV)\b")
_IN_EACH = re.compile(r"\b[nN]\s*=\s*\d+\s*(?:,\s*)?(?:per|each|in\s+each)\b")
_HEADS_GROUP = re.compile(r"\b(?:groups?|arms?|cohorts?)\b", re.IGNORECASE)
_PLAIN = frozenset(words("one-group", "plain"))
_SPACED = re.compile(r"[\s\-–—‐‑/]+")


def is_plain_control(comparator: str) -> bool:
    """Whether what is asked is a control without a name of its own: "control", "no intervention", never "placebo"."""
    return " ".join(_SPACED.sub(" ", comparator).casefold().split()).strip(" .") in _PLAIN


def has_one_group(study: StudyText) -> bool:
    """Whether the study compares its people with themselves, or its place with itself, before, and with nobody else.

    Returns:
        False where anything tells of a second group, where nothing tells of before and after, and without a full text.
    """
    if len(study.arms) > 1 or any(len(result.arms) > 1 for result in study.registered):
        return False
    own = [study.title, *(_texts(study))]
    if all(section.kind == "abstract" for section in study.prose) or any(map(_tells_of_second, own)):
        return False
    if any(_heads_second_group(figures_of(table), table.caption or "") for _, table in study.tables):
        return False
    return any(_DESIGN.search(_SPACED.sub(" ", text)) for text in own)


def _texts(study: StudyText) -> Iterator[str]:
    """The sentences of the abstract and of the parts that tell of this study alone, with what stands under figures."""
    parts: list[TextSection] = [s for s in study.sections if s.table is None and s.text]
    for section in parts:
        if section.kind == "abstract" or not _OF_OTHERS.search(" > ".join(section.path)):
            yield from (sentence.text for sentence in split_sentences(section.text))
    for part in study.abstract:
        yield from (sentence.text for sentence in split_sentences(part.text))


def _tells_of_second(sentence: str) -> bool:
    """Whether a sentence tells of another group of this study: not that there is none, nor of a trial to come."""
    text = _OTHER.sub(" ", _SPACED.sub(" ", sentence))
    if _LATER.search(text) and not _ALLOCATED.search(text):
        return False
    if _LETTERED.search(sentence) or _IN_EACH.search(sentence):
        return True
    return any(not _NONE.search(text[: match.start()]) for match in _SECOND.finditer(text))


def _heads_second_group(figures: tuple[Figure, ...], caption: str) -> bool:
    """Whether the headings of a table tell groups apart: by a role, by their name, or by people of their own."""
    if _tells_of_second(caption):
        return True
    columns = {bare(x.text): x for f in figures for x in f.labels if x.axis == "column"}
    rows = {bare(x.text) for f in figures for x in f.labels if x.axis == "row"}
    if any(_HEADS_GROUP.search(text) for text in (*columns, *rows) if not phase_of(text)):
        return True
    if any(role_of(text) == CONTROL for text in columns):
        return True
    with_people = [
        text
        for text, label in columns.items()
        if label.kind is LabelKind.NAME and people_in(label.text) is not None and not is_whole(text)
    ]
    return len([text for text in with_people if not phase_of(text)]) > 1
