"""Structured abstracts: what a label says of the part below it."""

from __future__ import annotations

import re

from openwork_knowledge.tables import table

_WORD = re.compile(r"\w+")


def tells_of_people(label: str) -> bool:
    """Whether the part tells who was studied: "PARTICIPANTS", "Setting and patients"; not "PATIENTS AND METHODS"."""
    words = {word.casefold() for word in _WORD.findall(label)}
    people = set(table("people-labels").words("people"))
    return bool(words & people) and words <= people.union(table("people-labels").words("beside"))
