"""People told by what another has: household contacts of somebody with tuberculosis, carers of people with dementia.

They are not people with the disease, neither in a question nor in a source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table

from openwork_language.terms import Term, find_terms

_REACH = 90
"""Characters before a disease in which the words for such people stand."""
_NO_RELATIONS = frozenset({"links", "between", "kind", "has it"})
_SENTENCE = re.compile(r"[.;?!]\s")


@dataclass(frozen=True, slots=True)
class Relation:
    """Who somebody is to the one with the disease; words of two groups ("family") are both."""

    groups: frozenset[str]
    """contacts, relatives, carers, partners, offspring, parents."""
    start: int


@lru_cache(maxsize=16_384)
def relation_before(text: str, disease: int) -> Relation | None:
    """By whose disease people are told, where a disease stands at `disease`; `None` = it is their own.

    "Household contacts of persons with [tuberculosis]", "exposed to [measles]", "infants born to mothers with [HIV]",
    "father had [an MI]"; of "my father" the question may be about him.
    """
    from_ = max(0, disease - _REACH)
    found = _before().search(text, from_, disease) or _who_has_it().search(text, from_, disease)
    if found is None or _SENTENCE.search(text, found.start(), disease):
        return None
    return Relation(_groups_of(found["who"]), found.start("all"))


def disease_of_another(text: str) -> tuple[Term, Relation] | None:
    """The disease in words for such people, and who they are to the one who has it; `None` = no such words."""
    for term in reversed(find_terms(text)):
        if (relation := relation_before(text, term.start)) is not None:
            return term, relation
    return None


def is_of_another(text: str) -> bool:
    """Whether words for people tell them by what another has; the disease may be in letters ("father had an MI")."""
    return disease_of_another(text) is not None or _who_has_it().match(text[: text.rfind(" ") + 1]) is not None


def are_named_with(relation: Relation, text: str) -> bool:
    """Whether a clause names contacts without saying of whom: "tuberculosis preventive treatment in contacts"."""
    if "contacts" not in relation.groups:
        return False
    return _contacts().search(text) is not None


@cache
def _words() -> dict[str, tuple[str, ...]]:
    listed = table("people-of-others")
    return {group: tuple(listed.words(group)) for group in listed.groups()}


@lru_cache(maxsize=512)
def _groups_of(who: str) -> frozenset[str]:
    return frozenset(
        group
        for group, words in _words().items()
        if group not in _NO_RELATIONS and re.fullmatch(any_of(words), who, re.IGNORECASE)
    )


@cache
def _before() -> re.Pattern[str]:
    """Who, the link, words between: "[contacts] [of] [persons with] tuberculosis"."""
    words = _words()
    who = any_of(word for group, listed in words.items() if group not in _NO_RELATIONS for word in listed)
    links, between, kind = (any_of(words[group]) for group in ("links", "between", "kind"))
    which = (
        r"[\w-]+-(?:(?:resistant|positive|negative|susceptible|infected)\s+)?(?:\s*(?:or|and)\s+)?"  # "multidrug- or"
    )
    return re.compile(
        rf"(?<![\w-])(?P<all>(?:{kind}\s+){{0,2}}(?P<who>{who}))\s+{links}\s+(?:{between}\s+|{which}){{0,6}}$",
        re.IGNORECASE,
    )


@cache
def _who_has_it() -> re.Pattern[str]:
    """A relative and what he has or had: "[father] [had] an MI". A mother is treated herself, if not another's."""
    words = _words()
    who, between = any_of((*words["relatives"], *words["parents"])), any_of(words["between"])
    whose = r"(?:(?:his|her|their|whose|\w+['\N{RIGHT SINGLE QUOTATION MARK}]s)\s+|(?!(?:mothers?|mums?|moms?)\b))"
    has = rf"{any_of(words['has it'])}\s+(?:{between}\s+){{0,3}}"
    return re.compile(
        rf"(?<![\w-])(?<!my )(?<!our )(?P<all>{whose}(?P<who>{who}))\s+{has}$",
        re.IGNORECASE,
    )


@cache
def _contacts() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(?:household|close|exposed|family)?[- ]?contacts?(?! (?:with|lens))(?![\w-])", re.I)
