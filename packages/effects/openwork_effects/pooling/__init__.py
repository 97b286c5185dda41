"""Effects of several studies as one: fixed and random effects, heterogeneity, what may be pooled, small studies."""

from openwork_effects.pooling.arms import combined_groups, combined_samples, divided_control
from openwork_effects.pooling.eligibility import (
    Allocation,
    Candidate,
    Poolable,
    Refused,
    Sorted,
    Values,
    sort_candidates,
)
from openwork_effects.pooling.fixed import inverse_variance, mantel_haenszel, observed_minus_expected, peto
from openwork_effects.pooling.headline import LeftOut, Synthesis, headline_of, synthesise
from openwork_effects.pooling.measures import (
    Measure,
    StudyEffect,
    effect_of_counts,
    effect_of_estimate,
    effect_of_samples,
    with_design_effect,
)
from openwork_effects.pooling.pooled import Heterogeneity, Model, Pooled, Weighted
from openwork_effects.pooling.random_effects import dersimonian_laird, moment_tau2, reml, reml_tau2
from openwork_effects.pooling.small_studies import (
    SmallStudyEffect,
    SmallStudyTest,
    egger,
    harbord,
    peters,
    small_study_effect,
)

__all__ = [
    "Allocation",
    "Candidate",
    "Heterogeneity",
    "LeftOut",
    "Measure",
    "Model",
    "Poolable",
    "Pooled",
    "Refused",
    "SmallStudyEffect",
    "SmallStudyTest",
    "Sorted",
    "StudyEffect",
    "Synthesis",
    "Values",
    "Weighted",
    "combined_groups",
    "combined_samples",
    "dersimonian_laird",
    "divided_control",
    "effect_of_counts",
    "effect_of_estimate",
    "effect_of_samples",
    "egger",
    "harbord",
    "headline_of",
    "inverse_variance",
    "mantel_haenszel",
    "moment_tau2",
    "observed_minus_expected",
    "peters",
    "peto",
    "reml",
    "reml_tau2",
    "small_study_effect",
    "sort_candidates",
    "synthesise",
    "with_design_effect",
]
