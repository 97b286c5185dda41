"""Where the normaliser draws its lines: which titles are one work, which abstract is the better one."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class MergeThresholds(BaseModel):
    """Titles are compared after folding (`fold_title`); words are those that carry meaning."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    min_title_ratio: float = Field(default=90.0, ge=50, le=100)
    """Similarity in [0, 100] below which two titles are not compared word by word.

    One typing error per 10 words of 7 letters costs 1.4 points, a missing article 3-4, a dropped "a randomised trial"
    up to 25 (handled apart): 90 lets every spelling variant through and spares the slower comparison for all others. It
    decides about time only; the words decide about identity.
    """
    min_title_words: int = Field(default=4, ge=1, le=20)
    """Shorter titles ("Editorial", "Authors' reply", "Stroke prevention") are shared by different works."""
    min_typo_letters: int = Field(default=5, ge=2, le=20)
    """Shorter words and all words with digits must be equal: "T1" is not "T2", "men" is not "man"."""
    max_year_gap: int = Field(default=1, ge=0, le=3)
    """Years by which sources differ on one article: online in December, printed in January."""
    min_words_without_author: int = Field(default=6, ge=1, le=30)
    """Content words that an equal title needs to stand alone where a source names no author."""
    min_labelled_share: float = Field(default=0.6, ge=0, le=1)
    """A labelled abstract wins over a longer unlabelled one, unless it has less of its length than this: it was cut."""
    min_abstract_chars: int = Field(default=200, ge=0)
    """A shorter text is what an index prints in an abstract's place ("Funded by ...", "See the editorial ..."), and
    takes no other text's place. Some 30 words: less than a background and a result need."""


THRESHOLDS = MergeThresholds()
