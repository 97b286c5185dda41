"""Thresholds of the gate, each with its unit and its reason. The measured effect of each is in tests/eval/fidelity."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Shares are of the claim's content weight, in [0, 1].

    Chosen on rule-made perturbations and paraphrases of abstracts (tests/eval/fidelity, kinds `invented` and
    `faithful`), never on a benchmark's labels.
    """

    restated_share: float = 0.85
    """A claim with this much in one sentence restates it: the checks by rule alone judge it, not the leaning."""
    entailed_margin: float = 0.1
    """A claim leans towards being entailed if its share is at most this far below refuted and neutral.

    0 to 0.2 was tried on the development halves of the labelled sets: beyond this, SciFact loses what others gain.
    The injected errors do not depend on it.
    """
    refuted_margin: float = 0.1
    """Wording alone calls a claim contradicted only if refuted leads neutral by this much: else it is unsupported."""
    partly_share: float = 0.30
    """Below this a claim is unsupported, however its words lean."""
    topical_share: float = 0.4
    """A check may call a claim contradicted only by sentences that share this much with it: the same subject."""
    bound_share: float = 0.5
    """A number counts as bound in a sentence whose score is at least this share of the best sentence's."""
    primary_share: float = 0.2
    """The same for a sentence about "the primary outcome", which need not repeat what that outcome is."""
    context_weight: float = 0.6
    """Credit for a word that stands in the cited passage or its title, but not in the sentences rested on."""
    common_weight: float = 0.45
    """Weight of a word that most abstracts hold, against 1 for a specific one."""
    name_weight: float = 1.6
    """Weight of a name: a word with digits, an abbreviation, a drug's name."""
    number_bonus: float = 0.2
    """Added to a sentence's share when it holds all the claim's numbers; in proportion when it holds some."""
    gain_share: float = 0.10
    """A further sentence is taken into the evidence only if it adds at least this share of the claim."""
    max_rest_sentences: int = 3
    """Most sentences one claim may rest on; what needs more is a summary no reader can trace."""
    outcome_overlap: float = 0.34
    """Two effects are of the same outcome if they share this much of the smaller outcome's words."""
    outcome_slack: float = 0.05
    """Effects of the source whose overlap is within this of the best are judged together; one that agrees is enough."""
    verbatim_share: float = 0.75
    """A claim with at least this share in one sentence restates it: the two can be compared word by word."""
    edit_ratio: float = 0.6
    """Least likeness (difflib ratio of the words) at which differences are edits and not another sentence."""
    rival_share: float = 0.8
    """A number that stands only in a sentence below this share of the best one's is unbound if the best has its own."""
    restated_rival_share: float = 0.95
    """The same for a claim that restates one sentence: its numbers are that sentence's."""
    instead_share: float = 0.55
    """A figure of the source counts as standing in a missing number's place only in a sentence with this share."""
    rival_fit: float = 0.4
    """A number belongs to another figure's place only if it has this share of the words that set that place apart."""
    open_discount: float = 0.8
    """Weight of a sentence that only raises a question or states an aim, when a claim's evidence is chosen."""


SETTINGS = GateSettings()
