"""What a review does at present, in words: its five phases, with what each has come to."""

from __future__ import annotations

from openwork.models import Progress

PHASES: tuple[tuple[str, frozenset[str], tuple[tuple[str, str], ...]], ...] = (
    ("search strategy", frozenset({"analyse the question"}), ()),
    (
        "wide net search",
        frozenset({"join what was found", "rank documents", "shortlist"}),
        (("identified", "records found"), ("duplicates", "duplicates"), ("shortlisted", "ranked")),
    ),
    (
        "screening",
        frozenset({"screen records", "select studies"}),
        (
            ("screened", "screened"),
            ("excluded", "excluded"),
            ("included", "included"),
            ("unsure", "unsure"),
            ("studies", "studies to read"),
            ("never_read", "never read"),
        ),
    ),
    ("reading and extraction", frozenset({"extract studies", "read full texts"}), (("studies", "studies"),)),
    ("effects", frozenset({"compute effects"}), (("outcomes", "outcomes"), ("pooled", "pooled"))),
)
"""Name, the steps that services tell of it, and the counts that belong to it with their words."""
_SEARCH = "search "
"""How the step of a single source begins."""
TRACKS = {"affirmative": "for an effect", "falsification": "for what speaks against it"}


def phase_of(step: str) -> int | None:
    """The place of a step's phase in `PHASES`; `None` = it belongs to none, and is told as it is."""
    if step.startswith(_SEARCH):
        return 1
    return next((place for place, (_, steps, _) in enumerate(PHASES) if step in steps), None)


def review_line(told: Progress) -> str:
    """One step of a review in words: phase, search, how much is done, counts."""
    place = phase_of(told.step)
    if place is None:
        return told.step
    name, _, counts = PHASES[place]
    track = f" ({TRACKS[told.track]})" if told.track in TRACKS else ""
    done = f" ({told.done} of {told.total})" if told.total else ""
    known = [f"{told.counts[key]:,} {words}" for key, words in counts if key in told.counts]
    if told.step.startswith(_SEARCH):
        known = [f"{one.name} {one.state if one.found is None else one.found}" for one in told.sources]
    return f"{name}{track}{done}{': ' if known else ''}{', '.join(known)}"
