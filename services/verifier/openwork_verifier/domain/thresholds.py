"""Thresholds of the gate, each with its unit and its reason. The measured effect of each is in tests/eval/fidelity.

Plain values, so that the gate can be used without reading an environment; the service's are a field of its settings.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class GateThresholds(BaseModel):
    """Shares are of the claim's content weight, in [0, 1].

    Chosen on rule-made perturbations and paraphrases of abstracts (tests/eval/fidelity, kinds `invented` and
    `faithful`), never on a benchmark's labels.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    restated_share: float = Field(default=0.85, ge=0, le=1)
    """A claim with this much in one sentence restates it: the checks by rule alone judge it, not its wording."""
    partly_share: float = Field(default=0.30, ge=0, le=1)
    """A claim of which less stands in the cited passages is not confirmed, where no other check has found anything."""
    topical_share: float = Field(default=0.4, ge=0, le=1)
    """How sure a claim may be is read off sentences that share this much with it: the same subject."""
    context_weight: float = Field(default=0.6, ge=0, le=1)
    """Credit for a word that stands in the cited passage or its title, but not in its supporting sentences."""
    common_weight: float = Field(default=0.45, ge=0, le=1)
    """Weight of a word that most abstracts hold, against 1 for a specific one."""
    name_weight: float = Field(default=1.6, ge=0, le=5)
    """Weight of a name: a word with digits, an abbreviation, a drug's name."""
    number_bonus: float = Field(default=0.2, ge=0, le=1)
    """Added to a sentence's share when it holds all the claim's numbers; in proportion when it holds some."""
    gain_share: float = Field(default=0.10, ge=0, le=1)
    """A further sentence is taken into the evidence only if it adds at least this share of the claim."""
    max_supporting_sentences: int = Field(default=3, ge=1, le=10)
    """Most sentences one claim may rest on; what needs more is a summary no reader can trace."""
    effect_least: float = Field(default=0.25, ge=0, le=1)
    """An effect of a source this like the claim's may speak against it: half the words near it, half its sentence."""
    effect_needed: float = Field(default=0.15, ge=0, le=1)
    """An effect of a claim needs one of its sources that goes the same way and is this like it."""
    effect_lead: float = Field(default=0.05, ge=0, le=1)
    """One that agrees may be so much less like it than one that opposes."""
    effect_lead_within: float = Field(default=0.12, ge=0, le=1)
    """The same where both stand in one sentence of the source."""
    verbatim_share: float = Field(default=0.75, ge=0, le=1)
    """A claim with at least this share in one sentence restates it: the two can be compared word by word."""
    edit_ratio: float = Field(default=0.6, ge=0, le=1)
    """Least likeness (difflib ratio of the words) at which differences are edits and not another sentence."""
    copied_ratio: float = Field(default=0.8, ge=0, le=1)
    """From this likeness on words are compared one by one even where the replaced one was most of what is said."""
    restated_ratio: float = Field(default=0.85, ge=0, le=1)
    """From this likeness on a claim restates its sentence: only what was edited in it is judged."""
    same_sentence_share: float = Field(default=0.7, ge=0, le=1)
    """How much of a claim one sentence must hold for its population and diseases to be the claim's."""
    open_discount: float = Field(default=0.8, ge=0, le=1)
    """Weight of a sentence that only raises a question or states an aim, when a claim's evidence is chosen."""


THRESHOLDS = GateThresholds()
