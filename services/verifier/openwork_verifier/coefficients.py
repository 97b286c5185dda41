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

CONSTANT = (-1.999, -2.198)
COEFFICIENTS: dict[str, tuple[float, float]] = {
    "best": (1.968, 1.205),
    "window": (-1.598, -1.190),
    "whole": (-0.270, -0.070),
    "weakest_half": (-0.208, -0.081),
    "rarest": (1.400, 1.151),
    "pairs": (1.731, 0.933),
    "about": (4.580, 4.756),
    "agreeing": (2.945, 1.839),
    "opposing": (1.050, 3.628),
    "opposing_only": (1.302, 0.883),
    "denial_differs": (-0.257, 2.439),
    "denial_agrees": (0.877, -0.191),
    "turned": (0.270, 2.243),
    "plain": (0.263, 0.215),
    "surer": (-1.256, -1.210),
    "hedged": (0.287, 0.423),
    "numbers": (-0.162, -0.208),
    "length": (-0.246, -0.211),
}
