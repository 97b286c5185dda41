"""Records of all sources become candidates, each work once."""

from openwork_language.dates import parse_year

from openwork_normaliser.design import study_design
from openwork_normaliser.normalise import NormalisedEvidence, SourceBatch, normalise

__all__ = ["NormalisedEvidence", "SourceBatch", "normalise", "parse_year", "study_design"]
