"""NATS' rule of subjects: `*` is one whole token, `>` at the end one or more."""

from __future__ import annotations


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject is one of a pattern's."""
    wanted, given = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        return len(given) >= len(wanted) and matches(".".join(wanted[:-1]), ".".join(given[: len(wanted) - 1]))
    return len(wanted) == len(given) and all(w in ("*", g) for w, g in zip(wanted, given, strict=True))


def overlaps(one: str, other: str) -> bool:
    """Whether some subject is of both patterns."""
    a, b = one.split("."), other.split(".")
    for left, right in zip(a, b, strict=False):
        if ">" in (left, right):
            return True
        if left != right and "*" not in (left, right):
            return False
    return len(a) == len(b)
