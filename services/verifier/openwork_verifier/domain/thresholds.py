"""Thresholds of the gate, each with its unit and its reason. The measured effect of each is in tests/eval/fidelity.

Plain values, so that the gate can be used without reading an environment; the service's are a field of its settings.
Weights of the figures that the fitted coefficients multiply (`likeness`) are no thresholds: they change with a fit.
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
    entailed_margin: float = Field(default=0.1, ge=0, le=1)
    """A claim counts as entailed if that share is at most this far below refuted and neutral.

    0 to 0.2 was tried on the development halves of the labelled sets: beyond this, SciFact loses what others gain.
    The injected errors do not depend on it.
    """
    refuted_margin: float = Field(default=0.1, ge=0, le=1)
    """Wording alone calls a claim contradicted only if refuted leads neutral by this much: else it is unsupported."""
    partly_share: float = Field(default=0.30, ge=0, le=1)
    """Below this a claim is unsupported, whatever its entailment shares."""
    topical_share: float = Field(default=0.4, ge=0, le=1)
    """A check may call a claim contradicted only by sentences that share this much with it: the same subject."""
    bound_share: float = Field(default=0.5, ge=0, le=1)
    """A number counts as bound in a sentence whose score is at least this share of the best sentence's."""
    primary_share: float = Field(default=0.2, ge=0, le=1)
    """The same for a sentence about "the primary outcome", which need not repeat what that outcome is."""
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
    outcome_overlap: float = Field(default=0.34, ge=0, le=1)
    """Two effects are of the same outcome if they share this much of the smaller outcome's words."""
    outcome_slack: float = Field(default=0.05, ge=0, le=1)
    """Effects of the source whose overlap is within this of the best are judged together; one that agrees is enough."""
    verbatim_share: float = Field(default=0.75, ge=0, le=1)
    """A claim with at least this share in one sentence restates it: the two can be compared word by word."""
    edit_ratio: float = Field(default=0.6, ge=0, le=1)
    """Least likeness (difflib ratio of the words) at which differences are edits and not another sentence."""
    restated_ratio: float = Field(default=0.85, ge=0, le=1)
    """From this likeness on a claim restates its sentence: only what was edited in it is judged."""
    rival_share: float = Field(default=0.8, ge=0, le=1)
    """A number that stands only in a sentence below this share of the best one's is unbound if the best has its own."""
    restated_rival_share: float = Field(default=0.95, ge=0, le=1)
    """The same for a claim that restates one sentence: its numbers are that sentence's."""
    instead_share: float = Field(default=0.55, ge=0, le=1)
    """A figure of the source counts as standing in a missing number's place only in a sentence with this share."""
    rival_fit: float = Field(default=0.4, ge=0, le=1)
    """A number belongs to another figure's place only if it has this share of the words that set that place apart."""
    same_sentence_share: float = Field(default=0.7, ge=0, le=1)
    """How much of a claim one sentence must hold for its population and diseases to be the claim's."""
    same_word: float = Field(default=0.2, ge=0, le=1)
    """Added to the likeness of two effects that use the very same word."""
    open_discount: float = Field(default=0.8, ge=0, le=1)
    """Weight of a sentence that only raises a question or states an aim, when a claim's evidence is chosen."""


THRESHOLDS = GateThresholds()
