"""How rare a word is in abstracts, by the tiers of `data/words/abstract-words.tsv` of openwork_knowledge."""

from __future__ import annotations

from openwork_knowledge.tables import table

_WEIGHT_OF_TIER = {"everywhere": 0.25, "often": 0.5, "sometimes": 0.75}
"""About -log(share of abstracts) / log(number of abstracts) in the middle of each tier."""
_WEIGHTS = {word: _WEIGHT_OF_TIER[tier] for tier, word in table("abstract-words").rows}


def rarity(word: str) -> float:
    """Weight of a word in [0.25, 1]; 1 for a word that few abstracts hold."""
    return _WEIGHTS.get(word, 1.0)
