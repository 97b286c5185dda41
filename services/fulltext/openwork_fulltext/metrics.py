"""What is counted of full texts: where they came from, and how often the store had them."""

from __future__ import annotations

from openwork_bus.figures import Counter, Figures
from openwork_bus.metrics import CACHE
from openwork_contracts.ranking import FulltextCompleted

TEXTS = Counter(
    "openwork_full_texts_total",
    ("origin",),
    "Full texts that were asked for, by where they came from; abstract = there was none, the abstract serves.",
)
METRICS = (TEXTS,)

STORE = "full_texts"
"""The store of full texts, as a label."""


def count_text(figures: Figures, completed: FulltextCompleted) -> None:
    """One text, or none."""
    figures.count(TEXTS, completed.fulltext_source or "abstract")
    figures.count(CACHE, STORE, "hit" if completed.from_cache else "miss")
