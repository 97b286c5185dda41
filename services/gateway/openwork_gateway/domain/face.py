"""A run's public face: what its services told so far, in one small message."""

from __future__ import annotations

from openwork_contracts.progress import MOST_BYTES, Progress


def told_so_far(known: Progress | None, told: Progress) -> Progress:
    """The newest step, with what was told before it: counts and sources by name, the newest verdicts."""
    both = (known, told) if known else (told,)
    return told.model_copy(
        update={
            "counts": {name: n for one in both for name, n in one.counts.items()},
            "sources": tuple({source.name: source for one in both for source in one.sources}.values()),
            "assessment": told.assessment or both[0].assessment,
            "claims": told.claims or both[0].claims,
        }
    )


def within_bounds(progress: Progress) -> Progress:
    """Of less than `MOST_BYTES`: without the words of claims, then without claims, sources and note."""
    wordless = tuple(claim.model_copy(update={"text": None}) for claim in progress.claims)
    for less in ({}, {"claims": wordless}, {"claims": ()}, {"claims": (), "sources": (), "note": None}):
        smaller = progress.model_copy(update=less)
        if len(smaller.model_dump_json(exclude_defaults=True).encode()) < MOST_BYTES:
            break
    return smaller
