"""Enums that can grow: a value that this version does not know is read, kept, and published again unchanged.

A service that is older than its neighbour must not fail on a new intent or a new reason code. Adding a value is
therefore additive; removing or renaming one is not (`compatibility.py`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from openwork_contracts.text import clean

OPEN_ENUM_KEY = "x-known-values"
"""In a JSON Schema: the values of this version. Others are valid too, so that a strict reader does not refuse them."""


class OpenEnum(StrEnum):
    """Base of every enum of the contracts.

    `Intent("from next year")` is no error: the result has the name `UNKNOWN`, keeps its value, compares by it, and is
    no member of the class (`in Intent` is False, `is Intent.DOSING` is False).
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        if (cleaned := clean(value)) != value:
            return cls(cleaned)  # as any text of a contract
        unknown = str.__new__(cls, value)
        unknown._name_ = "UNKNOWN"
        unknown._value_ = value
        return unknown

    @property
    def is_unknown(self) -> bool:
        """True for a value that this version has no member for: written by a newer one."""
        return self._name_ == "UNKNOWN" and self._value_ not in type(self)._value2member_map_
