"""The search strategy: what a medical librarian would look for, before any source's syntax. Owner: query.

Part of `search-planned`. Made once per plan; adapters only render it, so that every source is asked the same.

A strategy is a set of blocks. Within a block everything is an alternative (OR): its concepts, and each concept's names.
Between blocks all is wanted (AND). The rungs say which blocks have to be met, from strict to broad.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.meta import Contract
from openwork_contracts.question import EntityKind
from openwork_contracts.text import Text, Texts


class TermKind(OpenEnum):
    """How a name stands to the concept it is a name of."""

    ASKED = "asked"
    """The asker's own words."""
    NAME = "name"
    """The preferred name."""
    SYNONYM = "synonym"
    """An entry term or another name of the same thing."""
    SPELLING = "spelling"
    """Singular or plural, British or American."""
    BRAND = "brand"
    NARROWER = "narrower"
    """A kind of the disease or procedure, by MeSH's tree."""
    MEMBER = "member"
    """A drug of the class that was asked about."""
    DRUG_CLASS = "drug_class"
    """A class of the drug that was asked about: broad rungs alone look for it."""


class SearchTerm(Contract):
    """One name, free of any engine's syntax."""

    text: Text
    kind: TermKind


class HeadingKind(OpenEnum):
    """What of MeSH a heading is, which decides the field that finds it."""

    DESCRIPTOR = "descriptor"
    SUPPLEMENTARY = "supplementary"
    """A supplementary concept (most newer drugs): no heading of the tree; PubMed's field is [nm]."""
    PHARMACOLOGICAL_ACTION = "pharmacological_action"
    """A heading of tree D27: PubMed's [pa] finds the articles about every drug with this action."""


class Heading(Contract):
    """A MeSH heading, as MeSH prints it."""

    text: Text
    kind: HeadingKind
    mesh_id: Text | None = None


class SearchConcept(Contract):
    """One thing looked for, under every name that may stand in a record."""

    name: Text
    kind: EntityKind | None = None
    """`None` = words that no list knows."""
    headings: tuple[Heading, ...] = ()
    terms: Annotated[tuple[SearchTerm, ...], Field(min_length=1)]
    """Best known first; the asker's words are among them."""

    def names(self, *, broad: bool = False, most: int | None = None) -> tuple[str, ...]:
        """The names in their order, at most `most`; classes of a drug only where the search is `broad`."""
        kept = [t.text for t in self.terms if broad or t.kind is not TermKind.DRUG_CLASS]
        return tuple(kept[:most])

    @property
    def spoken(self) -> str:
        """The best known name in the order of words in which it is said: not "Sleep Apnea, Obstructive"."""
        own = self.names() or self.names(broad=True)
        return next((name for name in own if "," not in name), own[0])


class BlockRole(OpenEnum):
    """Which part of the question a block stands for."""

    POPULATION = "population"
    INTERVENTION = "intervention"
    COMPARISON = "comparison"
    OUTCOME = "outcome"
    SETTING = "setting"
    """A country, or a body that issues guidelines."""
    TOPIC = "topic"
    """Telling words that no list knows."""


class SearchBlock(Contract):
    """One part of the question; its concepts are alternatives."""

    role: BlockRole
    concepts: Annotated[tuple[SearchConcept, ...], Field(min_length=1)]
    negated: bool = False
    """The question wants it absent ("without", "not on"). Never required, and never sent as NOT, which would lose the
    studies that compare people with and without it."""


class StudyFilter(OpenEnum):
    """Kinds of publication that a rung may be confined to."""

    GUIDELINE = "guideline"
    SYNTHESIS = "synthesis"
    """Systematic reviews and meta-analyses."""
    RANDOMISED_TRIAL = "randomised_trial"
    CLINICAL_TRIAL = "clinical_trial"
    COMPARATIVE = "comparative"
    VALIDATION = "validation"


class SearchFilters(Contract):
    """What a rung leaves out, as a policy: an adapter applies what its source can, and its log says what it did."""

    studies: tuple[StudyFilter, ...] = ()
    """Only these kinds; empty = all."""
    humans: bool = False
    """Leave out what is about animals alone."""
    no_opinion: bool = False
    """Leave out comments, editorials, news and errata; never retracted works, whose status has to be seen."""
    english: bool = False
    since_year: int | None = None
    until_year: int | None = None

    def years(self, first: int | str, last: int | str) -> tuple[int | str, int | str] | None:
        """First and last year of publication, where one is asked for; with these where the other is not."""
        if self.since_year is None and self.until_year is None:
            return None
        return self.since_year or first, self.until_year or last


class BlockGroup(Contract):
    """Blocks of which one at least has to be met."""

    any_of: Annotated[tuple[int, ...], Field(min_length=1)]
    """Numbers of blocks, from 0."""


class SearchRung(Contract):
    """One step of the ladder: which blocks have to be met."""

    name: Text
    """For the log: "every concept, filters of the intent"."""
    groups: Annotated[tuple[BlockGroup, ...], Field(min_length=1)]
    """All of them have to be met (AND), each by any of its blocks (OR)."""
    filters: SearchFilters = SearchFilters()
    broad: bool = False
    """Whether classes of the drugs asked about count as well."""

    @property
    def numbers(self) -> tuple[tuple[int, ...], ...]:
        """The groups as numbers of blocks."""
        return tuple(group.any_of for group in self.groups)


def grouped(numbers: Iterable[Iterable[int]]) -> tuple[BlockGroup, ...]:
    """Groups of blocks by their numbers."""
    return tuple(BlockGroup(any_of=tuple(group)) for group in numbers)


class SearchStrategy(Contract):
    """Blocks and rungs."""

    blocks: Annotated[tuple[SearchBlock, ...], Field(min_length=1)]
    rungs: Annotated[tuple[SearchRung, ...], Field(min_length=1)]
    """From strict to broad; the next one is for when too little was found."""
    plain: Text
    """The same in a few words, for engines that rank by themselves and know no operators."""
    left_out: Texts = ()
    """What of the question is not searched for, each with the reason, in words."""
