"""Coefficients of `entailment`, written by `python -m tests.eval.fidelity.fit --write`; do not edit.

Each row: feature, weight for entailed, weight for refuted; not enough information is the zero of both.
Fitted with seed 20241105 on:
254 bioasq entailed,
762 bioasq neutral,
208 bioasq refuted,
300 evidence-inference entailed,
704 evidence-inference neutral,
600 evidence-inference refuted,
1982 pubmedqa entailed,
3946 pubmedqa neutral,
1620 pubmedqa refuted,
all made from Evidence Inference (MIT), PubMedQA (MIT) and BioASQ (CC BY 2.5), none from a set the gate is
judged on.
"""

from __future__ import annotations

CONSTANT = (-1.969, -2.537)
COEFFICIENTS: dict[str, tuple[float, float]] = {
    "best": (2.001, 1.884),
    "window": (-1.755, -1.172),
    "whole": (-0.370, -0.022),
    "weakest_half": (-0.169, 0.122),
    "rarest": (1.495, 1.131),
    "pairs": (2.030, 0.393),
    "about": (4.512, 4.456),
    "agreeing": (1.766, 0.760),
    "opposing": (0.235, 2.525),
    "opposing_only": (0.844, 0.059),
    "negation_differs": (-0.617, 2.522),
    "plain": (0.350, 0.208),
    "surer": (-1.226, -1.415),
    "hedged": (0.289, 0.425),
    "numbers": (-0.208, -0.313),
    "length": (-0.287, -0.113),
}
