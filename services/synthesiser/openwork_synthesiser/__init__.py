"""Passages become a draft whose every sentence is cited."""

from openwork_synthesiser.draft import draft
from openwork_synthesiser.revise import revise
from openwork_synthesiser.thresholds import SynthesisLimits

__all__ = ["SynthesisLimits", "draft", "revise"]
