"""Whether more of a reported outcome is good or bad, by its name: what happens, not which disease it happens to.

"Resolution of pneumonia" names a disease and is its end; "worsening of vision" is bad whatever vision is. What a name
says of itself decides ("more is better"), then the head of the name, then the events in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_knowledge.notation import group
from openwork_language.effects.valence import valence_of
from openwork_language.mentions import idea_tokens

from openwork_answers.brackets import without_brackets
from openwork_answers.outcomes import Outcome, is_disease, is_good, is_harm, read_outcome

_BETTER = re.compile(
    r"\b(?P<way>more|higher|greater|longer|larger|lower|less|fewer|shorter|smaller)"
    r"(?:\s+(?:values?|scores?|is|are|means?|indicates?)){0,3}\s+(?P<good>better|best|worse)\b",
    re.IGNORECASE,
)
_FAVOURS = re.compile(
    r"\b(?P<way>above|over|below|under)\s+[01](?:\.0+)?\s+favou?rs\s+(?P<arm>[^();,]+)", re.IGNORECASE
)
_MORE = frozenset({"more", "higher", "greater", "longer", "larger", "above", "over"})


def is_bad_by_name(name: str, comparison: Sequence[str] = ()) -> bool | None:
    """Whether more of the outcome is bad; `None` where its words do not tell.

    Args:
        name: the outcome as its source calls it, brackets and all.
        comparison: the two sides in the order of the effect, for "a ratio above 1 favors ARM".
    """
    told = _said(name, comparison)
    return is_bad(read_outcome(name)) if told is None else told


def _said(name: str, comparison: Sequence[str]) -> bool | None:
    """What the name says of its own direction: "(more is better)", "a ratio above 1 favors surgery"."""
    if match := _BETTER.search(name):
        return (match["way"].casefold() in _MORE) is (match["good"].casefold() == "worse")
    match = _FAVOURS.search(name)
    if match is None or len(comparison) != 2:
        return None
    arm = idea_tokens(match["arm"])
    first, second = (bool(arm & idea_tokens(side)) for side in comparison)
    if first is second:
        return None
    return (match["way"].casefold() in _MORE) is second


def is_bad(outcome: Outcome) -> bool | None:
    """Whether more of the outcome is bad; `None` where its words do not tell."""
    by_head = _by_head(without_brackets(outcome.text))
    if by_head is not None:
        return _BAD[by_head]
    head = _WHEN.split(outcome.text, maxsplit=1)[0]
    if head and head != outcome.text and (of_head := is_bad(read_outcome(head))) is not None:
        return of_head
    signs = {valence_of(_VACCINES.sub("", atom.text)) for atom in outcome.atoms} - {None}
    if "bad" not in signs and is_good(outcome):
        return False
    if not signs and (is_harm(outcome.text) or is_disease(outcome)):
        return True
    return None if len(signs) != 1 else signs == {"bad"}


_BAD = {"good": False, "bad": True, "not told": None}
_VACCINES = re.compile(r"\bvaccine-\w+", re.IGNORECASE)
"""Makes a kind of a disease and is no protection: "vaccine-type meningitis"."""
_WHEN = re.compile(r"\s+(?:before|after|despite|during|following|until)\s", re.IGNORECASE)
"""Opens what an event is set beside: "death before recovery" is death."""
_COUNTED = re.compile(
    r"^(?:(?:time (?:to|until)|change in|rate of|number of)\s+|(?:weeks|days|months|patients|people|participants|"
    r"proportion|percentage|share|number)(?:\s+of\s+\w+)?\s+(?:with|of)\s+)",
    re.IGNORECASE,
)


@cache
def _turns() -> dict[str, re.Pattern[str]]:
    groups = ("end", "ended", "ends", "fall", "less", "worse", "good", "bad", "none", "undone", "score")
    of = {each: group("outcome-turns", each) for each in groups}
    whole = r"(?:\w+\s+){0,2}(?:outcomes?|status|results?|recovery|course|prognosis|condition|state|rankin)\b"
    before = r"(?:(?!(?:or|and|with|without|before|after|during|in|for|of|to|from|by|on|until)\b)[\w/'-]+\s+)"
    stops = r"(?=$|[,;:]|\s+(?:of|from|by|at|within|without|in|on|over|after|to|with|through)\b)"
    expressions = {
        "score": rf"\b{of['score']}(?:\s+(?:at|after|over|from)\b.*)?$",
        "worse": rf"\b{of['worse']}\b",
        "undone": rf"\b{of['undone']}\s+(?:[\w-]+\s+){{0,2}}(?:{of['end']}|{of['ended']})\b",
        "end": rf"^{before}{{0,5}}(?:{of['end']}{stops}|{of['ended']}\b)|\b{of['ends']}\s+(?:of|from)\s",
        "fall": rf"^(?:[\w-]+\s+){{0,2}}{of['fall']}\s+(?:of|in)\s+(?P<what>.+)$",
        "better": r"^better\b",
        "less": rf"^{of['less']}\b",
        "lost": r"^(?!.*\bweight\b)(?:[\w-]+\s+){1,3}(?:loss|decline)$",
        "good": rf"^(?:[\w-]+\s+){{0,2}}{of['good']}(?:\s+{whole}|$)",
        "rated": rf"\b(?P<end>{of['end']})\s+rates?\b",
        "answered": r"^(?P<what>.+?)\s+(?:treatment\s+)?(?:response|responders?)(?:\s+rates?)?$",
        "freed": r"^(?P<what>[\w ]+?)(?:-free|[- ]freedom)(?:\s+rates?)?$",
        "bad": rf"^(?:[\w-]+\s+){{0,2}}{of['bad']}\s+{whole}",
        "none": rf"^{of['none']}\s+(?P<what>.+)$",
        "alive": rf"^(?:[\w-]+\s+){{0,2}}(?:survival|alive|survived|living)\b.*\s{of['none']}\s",
    }
    return {name: re.compile(text, re.IGNORECASE) for name, text in expressions.items()}


def _by_head(name: str) -> str | None:
    """good, bad, or "not told" of an instrument's number; `None` = no word turns the name."""
    turns = _turns()
    bare = turns["rated"].sub(r"\g<end>", _COUNTED.sub("", name.strip()))
    if any(turns[each].search(bare) for each in ("worse", "undone", "bad", "lost")):
        return "bad"
    if turns["better"].search(bare):
        return "good"
    if turns["less"].search(bare):
        sign = valence_of(bare)
        return None if sign is None else "good" if sign == "bad" else "bad"
    if match := turns["fall"].search(bare) or turns["none"].search(bare):
        bad = is_bad(read_outcome(match["what"]))
        return None if bad is None else "good" if bad else "bad"
    if match := turns["answered"].search(bare) or turns["freed"].search(bare):
        return "good" if is_bad(read_outcome(match["what"])) else None
    is_end = any(turns[each].search(bare) for each in ("end", "good", "alive"))
    if turns["score"].search(bare):
        return "not told" if is_end or re.search(group("outcome-turns", "end"), bare) else None
    return "good" if is_end else None
