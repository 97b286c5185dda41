"""The words of a text for a part of the people asked about: "COVID-19" of pneumonia, "aged 60 to 75" of over 50."""

from __future__ import annotations

from openwork_contracts.question import PopulationTerm

from openwork_language.asking.figures import figures_in
from openwork_language.asking.intervals import of_intervals
from openwork_language.asking.people import is_counted
from openwork_language.asking.relations import Told, relation_of
from openwork_language.terms import find_terms


def kind_in(term: PopulationTerm, text: str) -> str | None:
    """The words of `text` that name a kind, or a narrower figure, of what `term` names; `None` = none does, or several
    kinds are named, of which one would not be all of them."""
    if term.measure is not None:
        for figure in figures_in(text):
            same = figure.measure == term.measure
            relation = of_intervals((term.low, term.high), (figure.low, figure.high)) if same else None
            if relation is not None and Told(relation.value) is Told.PART:
                return figure.text
        return None
    kinds: dict[str, str] = {}
    for mention in find_terms(text):
        told = relation_of(term, mention.mesh_id, mention.name)
        if told is Told.PART and not is_counted(text, mention.start, mention.end):
            kinds.setdefault(mention.name, text[mention.start : mention.end])
    return next(iter(kinds.values())) if len(kinds) == 1 else None
