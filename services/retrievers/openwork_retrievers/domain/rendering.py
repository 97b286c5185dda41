"""What every source's syntax is made of: the concepts that a rung asks for, and plain words for engines that rank."""

from __future__ import annotations

from urllib.parse import quote_plus

from openwork_contracts.question import EntityKind
from openwork_contracts.strategy import SearchConcept, SearchRung, SearchStrategy, TermKind
from openwork_language.searching.concepts import best_known, named_concept
from openwork_language.terms import class_members

MAX_MEMBERS = 4
"""Members of a class whose labels are read: a label is up to a megabyte, and those of a class say much the same."""
JOINED_CHARS = 10
"""Two quotation marks, percent-encoded, and " OR "."""
ADDRESS_CHARS = 2500
"""Of names in an address: servers cut it at some 4,000 characters, and the rest of the request needs its share."""
_OWN = (TermKind.NAME, TermKind.ASKED, TermKind.SYNONYM, TermKind.BRAND)


def groups_of(strategy: SearchStrategy, rung: SearchRung) -> tuple[tuple[SearchConcept, ...], ...]:
    """Of each group one concept at least has to occur (OR), of the groups all (AND)."""
    return tuple(tuple(concept for n in group for concept in strategy.blocks[n].concepts) for group in rung.numbers)


def names_within(
    groups: tuple[tuple[SearchConcept, ...], ...], *, broad: bool, chars: int
) -> tuple[tuple[str, ...], ...]:
    """The names of each group, as many as fit: no concept goes without its best known ones, however it is grouped.

    Args:
        chars: characters of all names together, percent-encoded and quoted, with what joins them.
    """
    concepts = [(number, concept.names(broad=broad)) for number, group in enumerate(groups) for concept in group]
    rounds = max((len(names) for _, names in concepts), default=0)
    kept: list[dict[str, None]] = [{} for _ in groups]
    used = 0
    for i in range(rounds):
        for number, names in concepts:
            if i < len(names) and names[i] not in kept[number]:
                used += len(quote_plus(names[i])) + JOINED_CHARS
                if i and used > chars:
                    return tuple(tuple(one) for one in kept)
                kept[number][names[i]] = None
    return tuple(tuple(one) for one in kept)


def left_out(strategy: SearchStrategy, rung: SearchRung, *, chars: int) -> str | None:
    """What the log says of names that did not fit; `None` = all did."""
    groups = groups_of(strategy, rung)
    sent = sum(map(len, names_within(groups, broad=rung.broad, chars=chars)))
    all_ = sum(len(dict.fromkeys(n for c in group for n in c.names(broad=rung.broad))) for group in groups)
    return f"{all_ - sent} of {all_} names were left out: the request would be too long" if sent < all_ else None


def boolean(
    strategy: SearchStrategy, rung: SearchRung, *, chars: int, either: str = " OR ", both: str = " AND "
) -> str:
    """`("a" OR "b") AND ("c")`: quoted names, in an engine's words for OR and AND; see `names_within`."""
    groups = names_within(groups_of(strategy, rung), broad=rung.broad, chars=chars)
    quoted = (either.join(f'"{name}"' for name in names) for names in groups)
    return both.join(f"({names})" for names in quoted)


def spoken(strategy: SearchStrategy, rung: SearchRung) -> str:
    """Plain words: on the strict rung the whole strategy's, on a broader one its concepts'."""
    if rung == strategy.rungs[0]:
        return strategy.plain
    return " ".join(dict.fromkeys(concept.spoken for group in groups_of(strategy, rung) for concept in group))


def drugs_of(strategy: SearchStrategy) -> tuple[SearchConcept, ...]:
    """The drugs that the question names and does not want absent; of a class its best known members."""
    found: dict[str, SearchConcept] = {}
    for block in strategy.blocks:
        for concept in () if block.negated else block.concepts:
            if concept.kind is EntityKind.DRUG:
                members = best_known(class_members(concept.name))[:MAX_MEMBERS]
                for drug in filter(None, map(named_concept, members)) if members else (concept,):
                    found.setdefault(drug.name, drug)
    return tuple(found.values())


def own_names(concept: SearchConcept) -> tuple[str, ...]:
    """The names of the thing itself: no members, no classes, no other spellings."""
    return tuple(term.text for term in concept.terms if term.kind in _OWN)
